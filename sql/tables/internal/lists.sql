-- A judged ranking for every user of either table, as ranking_judged has it, with ranking_system: the system, or NULL if
-- there is no such column; has_truth: false for users of rec alone, NULL for those left out;
-- rec_items, the list; scores, NULL unless tied.
CREATE OR REPLACE TEMP MACRO _ranking_judged
    (rec, truth, COLUMN_NAMES, max_k, tied, caller, JUDGING_ARGUMENTS) AS TABLE
WITH _ranking_paired_lists AS NOT MATERIALIZED (
    SELECT
        systems.* REPLACE (
            CASE WHEN truths.userid IS NULL THEN lists.system ELSE ranking_system END AS ranking_system),
        truths.userid IS NOT NULL AS has_truth,
        truths.userid,
        coalesce(lists.n_rec, 0) AS n_rec,
        coalesce(lists.items, []) AS rec_items,
        lists.scores, truths.items AS truth_items,
        -- Truth of nothing is scored as truth of nothing relevant.
        CASE WHEN len(truths.items) = 0 THEN [0::DOUBLE] ELSE truths.grades END AS grades
    FROM _ranking_lists_of_users(truth, users, COLUMN_NAMES, caller) AS truths
    CROSS JOIN _ranking_systems(rec, COLUMN_NAMES) AS systems
    FULL JOIN _ranking_rec_lists(
        -- With rec as truth, every list is whole.
        rec, CASE WHEN users IS NULL THEN truth ELSE rec END, COLUMN_NAMES,
        CASE WHEN _ranking_is_condensed(JUDGING) THEN NULL ELSE max_k END, tied) AS lists
        ON _ranking_same_id(lists.userid, truths.userid)
        AND lists.system IS NOT DISTINCT FROM systems.ranking_system
    -- DuckDB looks at the last one first, so that an error of missing columns comes before one of what is in others.
    WHERE _ranking_valid_truth(truth, COLUMN_NAMES, caller) AND (SELECT _ranking_valid(rec, truth, COLUMN_NAMES, caller))
        AND _ranking_valid_grades(truths.userid IS NOT NULL AND truths.grades IS NULL, caller, JUDGING)
), _ranking_matched AS NOT MATERIALIZED (
    SELECT *, len(rec_items) AS size FROM _ranking_found_truth('_ranking_paired_lists', rec, truth, COLUMN_NAMES)
), _ranking_closed_up AS NOT MATERIALIZED (
    SELECT * REPLACE (
        list_select(scores, list_transform(found, lambda places: places[1])) AS scores,
        least(len(found), CASE WHEN tied THEN NULL ELSE max_k END) AS size,
        list_transform(
            found[:CASE WHEN tied THEN 2147483647 ELSE coalesce(max_k, 2147483647) END],
            lambda places, rank: (rank, places[2])) AS found)
    FROM _ranking_matched
), _ranking_with_relevant AS NOT MATERIALIZED (
    SELECT * REPLACE (
        CASE WHEN NOT has_truth OR _ranking_n_truth(truth_items, grades, min_grade) > 0 THEN has_truth END AS has_truth)
    FROM query_table(CASE WHEN _ranking_is_condensed(JUDGING) THEN '_ranking_closed_up' ELSE '_ranking_matched' END)
    WHERE _ranking_has_relevant(truth, COLUMN_NAMES, min_grade, caller)
)
SELECT
    * EXCLUDE (truth_items, grades, found, size),
    _ranking_n_truth(truth_items, grades, min_grade) AS n_truth,
    _ranking_judgement(found, size, len(truth_items), grades, max_k) AS judged
FROM query_table(CASE
    WHEN _ranking_skips_users(JUDGING) THEN '_ranking_with_relevant'
    WHEN _ranking_is_condensed(JUDGING) THEN '_ranking_closed_up'
    ELSE '_ranking_matched'
END);

-- The number of relevant items of a user.
CREATE OR REPLACE TEMP MACRO _ranking_n_truth(truth_items, grades, min_grade) AS
CASE
    WHEN grades IS NULL THEN len(truth_items)
    WHEN min_grade IS NULL THEN len(list_filter(grades, lambda grade: grade > 0))
    ELSE len(list_filter(grades, lambda grade: grade >= TRY_CAST(min_grade AS DOUBLE)))
END;

-- The lists of truth, and an empty one for each other user of a table of users. In a macro of its own, so that no table of the
-- user's can have the name of a CTE that its caller has before it reads hers.
CREATE OR REPLACE TEMP MACRO _ranking_lists_of_users(truth, users, COLUMN_NAMES, caller) AS TABLE
WITH _ranking_truth_alone AS NOT MATERIALIZED (
    FROM _ranking_truth_lists(truth, COLUMN_NAMES, caller)
), _ranking_truth_and_users AS NOT MATERIALIZED (
    SELECT * REPLACE (coalesce(items, []) AS items)
    FROM (
        FROM _ranking_truth_lists(truth, COLUMN_NAMES, caller)
        -- Checked on both sides of the union: DuckDB casts these ids to the type of the others while it looks at those.
        WHERE _ranking_no_problem(
            caller, _ranking_ids_problem('users', _ranking_table('users', coalesce(users, truth)), truth, user_col, 'user'))
        UNION ALL BY NAME
        SELECT userid, []::DOUBLE[] AS grades FROM _ranking_users_beyond_truth(truth, users, COLUMN_NAMES, caller))
)
FROM query_table(CASE WHEN users IS NULL THEN '_ranking_truth_alone' ELSE '_ranking_truth_and_users' END);

-- The list of each user's relevant or judged items, with their grades.
CREATE OR REPLACE TEMP MACRO _ranking_truth_lists(truth, COLUMN_NAMES, caller) AS TABLE
SELECT
    userid,
    CASE
        WHEN _ranking_has_repeats(items) THEN _ranking_distinct_items(list_sort(items, 'ASC'))
        ELSE coalesce(items, [])
    END AS items,
    NULL::DOUBLE[] AS grades
FROM (
    SELECT userid, list(itemid) FILTER (itemid IS NOT NULL) AS items
    FROM _ranking_truths(_ranking_table('truth', truth), COLUMN_NAMES)
    WHERE userid IS NOT NULL AND NOT _ranking_has(truth, grade_col, 'rel')
    GROUP BY userid)
UNION ALL
SELECT
    userid,
    list_transform(coalesce(graded, []), lambda one: one.itemid),
    list_transform(coalesce(graded, []), lambda one: one.grade)
FROM (
    SELECT userid, list({'itemid': itemid, 'grade': grade}) FILTER (itemid IS NOT NULL) AS graded
    FROM (
        SELECT userid, itemid, max(grade) AS grade
        FROM (
            SELECT userid, itemid, _ranking_finite_grade(itemid, rel, grade_col, caller) AS grade
            FROM _ranking_truths(truth, COLUMN_NAMES)
            WHERE userid IS NOT NULL AND _ranking_has(truth, grade_col, 'rel'))
        GROUP BY userid, itemid)
    GROUP BY userid);

-- The ranking of each system and user: by score, descending, ties by itemid, ascending, NULL and NaN scores last. Of a user
-- without truth, who is only counted, no more than the best score.
--
-- For a max_k of at most 32, each user's max_k-th best score is found first (`max(score, n)` keeps a heap), and
-- rows below it are not sorted; for the few that are left, gathering gains nothing. Where a DOUBLE holds every score, a
-- list is sorted when it is whole, by opposite scores: `list(... ORDER BY ...)` takes longer.
CREATE OR REPLACE TEMP MACRO _ranking_rec_lists(rec, truth, COLUMN_NAMES, max_k, tied) AS TABLE
SELECT
    userid, system,
    any_value(n_rec) AS n_rec,
    (CASE
        WHEN _ranking_few_digits(typeof(any_value(score)))
            THEN list_transform(
                -- A NULL inside of a pair comes last, whatever the settings.
                list_sort(
                    list((TRY_CAST(score AS DOUBLE) * CASE WHEN descending THEN -1 ELSE 1 END, itemid)),
                    'ASC',
                    'NULLS LAST'),
                lambda pair: pair[2])
        WHEN descending THEN list(itemid ORDER BY score DESC NULLS LAST, itemid ASC NULLS LAST)
        ELSE list(itemid ORDER BY score ASC NULLS LAST, itemid ASC NULLS LAST)
    END)[:CASE WHEN tied THEN 2147483647 ELSE coalesce(max_k, 2147483647) END] AS items,
    CASE WHEN tied
        THEN list_sort(list(score), CASE WHEN descending THEN 'DESC' ELSE 'ASC' END, 'NULLS LAST')
    END AS scores
FROM (
    SELECT recs.userid, recs.system, recs.itemid, _ranking_score(recs.score) AS score, counts.n_rec, counts.last
    FROM _ranking_gathered_recs(rec, COLUMN_NAMES, coalesce(max_k > 32, true)) AS recs
    JOIN (
        SELECT counts.* REPLACE (CASE WHEN truths.userid IS NULL THEN best ELSE last END AS last)
        FROM (
            SELECT
                userid, system,
                count(*) AS n_rec,
                CASE WHEN descending THEN max(_ranking_score(score)) ELSE min(_ranking_score(score)) END AS best,
                CASE WHEN max_k <= 32 AND count(_ranking_score(score)) >= max_k
                    THEN CASE
                        WHEN descending THEN max(_ranking_score(score), greatest(least(max_k, 32), 1))
                        ELSE min(_ranking_score(score), greatest(least(max_k, 32), 1))
                    END[-1]
                END AS last
            FROM _ranking_recs(rec, COLUMN_NAMES)
            WHERE userid IS NOT NULL
            GROUP BY userid, system) AS counts
        LEFT JOIN (SELECT DISTINCT userid FROM _ranking_truths(truth, COLUMN_NAMES)) AS truths
            ON _ranking_same_id(counts.userid, truths.userid)) AS counts
        ON recs.userid = counts.userid
        AND CASE WHEN _ranking_has(rec, system_col, 'system') THEN recs.system IS NOT DISTINCT FROM counts.system ELSE true END
)
WHERE last IS NULL OR CASE WHEN descending THEN score >= last ELSE score <= last END
GROUP BY userid, system;

-- Recommendations, with those of a user near each other: where every row is another user's, lists take several times as
-- long. So where the first 8,192 rows are of more than half as many users, all are sorted by some bits of the user's hash;
-- sorting spills where memory ends.
CREATE OR REPLACE TEMP MACRO _ranking_gathered_recs(rec, COLUMN_NAMES, gather) AS TABLE
FROM _ranking_recs(_ranking_table('rec', rec), COLUMN_NAMES)
WHERE NOT gather
UNION ALL
SELECT rows.*
FROM (
    -- Looked at once: a second look may see other rows first, and then rows would be there twice or not at all. Not a CTE,
    -- for which a table of the same name would be taken.
    SELECT 2 * count(DISTINCT userid) > count(*) AS no_order
    FROM (SELECT userid FROM _ranking_recs(rec, COLUMN_NAMES) WHERE gather LIMIT 8192)) AS first_rows
-- DuckDB 2.0.1 counts one row that is filtered as none, and would put rec into a hash table. It counts these as 20.
JOIN range(100) AS one(place) ON place = 0, LATERAL (
    FROM _ranking_recs(rec, COLUMN_NAMES)
    WHERE gather AND NOT no_order
    UNION ALL
    FROM (
        FROM _ranking_recs(rec, COLUMN_NAMES)
        WHERE gather AND no_order
        ORDER BY (hash(userid) >> 52)::USMALLINT ASC NULLS LAST)
) AS rows;

-- The ranks of truth's items in the lists of users.
CREATE OR REPLACE TEMP MACRO _ranking_found_truth(lists, rec, truth, COLUMN_NAMES) AS TABLE
SELECT
    * EXCLUDE (plain, texts),
    CASE
        -- Rare, and so not by the fastest of the ways for each length.
        WHEN plain IS NULL
            THEN _ranking_found_each(list_intersect(texts.listed, texts.items), texts.listed, texts.items)
        ELSE _ranking_found_items(plain.listed, plain.items)
    END AS found
FROM (
    -- Lists in one struct, since saying whether ids are texts takes long to plan.
    SELECT
        *,
        CASE
            WHEN NOT _ranking_compare_as_texts(rec_items, truth_items) THEN {'listed': rec_items, 'items': truth_items}
        END AS plain,
        CASE
            WHEN _ranking_compare_as_texts(rec_items, truth_items)
                THEN {'listed': rec_items::VARCHAR[], 'items': truth_items::VARCHAR[]}
        END AS texts
    FROM query_table(lists) AS lists_of
    UNION ALL BY NAME
    -- No row: both lists get a type that holds the items of either.
    SELECT {'listed': [truths.itemid], 'items': [recs.itemid]} AS plain
    FROM _ranking_recs(rec, COLUMN_NAMES) AS recs
    CROSS JOIN _ranking_truths(truth, COLUMN_NAMES) AS truths
    WHERE false);
