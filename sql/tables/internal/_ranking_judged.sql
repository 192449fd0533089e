-- Internal: a judged ranking for every user of either table.
--
-- rec, truth: names of tables, as query_table takes them
-- names:      what _ranking_names gives
-- max_k:      an INTEGER; NULL for all of the ranking
-- tied:       as for _ranking_rec_lists
-- caller:     the function that an error names
-- min_grade, unjudged: as for ranking_judged
-- Returns:    what ranking_judged does, and ranking_system: the system, or NULL if there is no such column; and for
--             users in rec that are not in truth a row too, in which has_truth is false; rec_items, the list; scores, NULL
--             unless tied
-- Example:    FROM _ranking_judged(
--     'rec', 'truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true), 10, false, 'ranking_judged');
CREATE OR REPLACE TEMP MACRO _ranking_judged
    (rec, truth, names, max_k, tied, caller, min_grade := NULL, unjudged := 'miss') AS TABLE
WITH _ranking_paired_lists AS NOT MATERIALIZED (
    SELECT
        systems.* REPLACE (
            CASE WHEN truths.userid IS NULL THEN lists.system ELSE ranking_system END AS ranking_system
        ),
        truths.userid IS NOT NULL AS has_truth,
        truths.userid,
        coalesce(lists.n_rec, 0) AS n_rec,
        coalesce(lists.items, []) AS rec_items,
        lists.scores,
        truths.items AS truth_items,
        -- Truth of nothing is scored as truth of nothing relevant.
        CASE WHEN len(truths.items) = 0 THEN [0::DOUBLE] ELSE truths.grades END AS grades
    FROM _ranking_truth_lists(truth, names, caller) AS truths
    CROSS JOIN _ranking_systems(rec, names) AS systems
    FULL JOIN _ranking_rec_lists(
        rec, truth, names, CASE WHEN unjudged::VARCHAR = 'skip' THEN NULL ELSE max_k END, tied
    ) AS lists
        ON _ranking_same_id(lists.userid, truths.userid)
        AND lists.system IS NOT DISTINCT FROM systems.ranking_system
    WHERE (SELECT _ranking_valid(rec, truth, names, caller)) AND _ranking_has_users(truth, names, caller)
        AND _ranking_valid_grades(truths.userid IS NOT NULL AND truths.grades IS NULL, min_grade, unjudged, caller)
), _ranking_matched AS NOT MATERIALIZED (
    SELECT *, len(rec_items) AS size FROM _ranking_found_truth('_ranking_paired_lists', rec, truth, names)
), _ranking_closed_up AS NOT MATERIALIZED (
    SELECT * REPLACE (
        list_select(scores, list_transform(found, lambda places: places[1])) AS scores,
        least(len(found), CASE WHEN tied THEN NULL ELSE max_k END) AS size,
        list_transform(
            found[:CASE WHEN tied THEN 2147483647 ELSE coalesce(max_k, 2147483647) END],
            lambda places, rank: (rank, places[2])
        ) AS found
    )
    FROM _ranking_matched
)
SELECT
    * EXCLUDE (truth_items, grades, found, size),
    CASE
        WHEN grades IS NULL THEN len(truth_items)
        WHEN min_grade IS NULL THEN len(list_filter(grades, lambda grade: grade > 0))
        ELSE len(list_filter(grades, lambda grade: grade >= TRY_CAST(min_grade AS DOUBLE)))
    END AS n_truth,
    _ranking_judgement(found, size, len(truth_items), grades, max_k) AS judged
FROM query_table(CASE WHEN unjudged::VARCHAR = 'skip' THEN '_ranking_closed_up' ELSE '_ranking_matched' END);
