-- Internal: the body of ranking_judged. Used by ranking_judged, _ranking_by_user and the curves.
--
-- rec, truth: names of tables, as query_table takes them
-- max_k:      an INTEGER; NULL for all of the ranking
-- caller:     the function that an error names
-- Returns:    what ranking_judged does, and ranking_system: the system, or NULL if there is no such column
-- Example:    FROM _ranking_judged('rec', 'truth', 10, 'ranking_judged');
CREATE OR REPLACE TEMP MACRO _ranking_judged(rec, truth, max_k, caller) AS TABLE
SELECT
    * EXCLUDE (listed, items, grades, cutoff, judged),
    len(list_filter(judged.ideal, lambda grade: grade > 0)) AS n_truth,
    struct_update(judged, cutoff := cutoff) AS judged
FROM (
    SELECT
        *,
        CASE
            -- HUGEINT and UHUGEINT reach the function alike: as text they do not.
            WHEN regexp_matches(typeof(listed) || typeof(items), '^U?HUGEINT|]U?HUGEINT') AND _ranking_has_rel(truth)
                THEN system.main.udf_judge(listed::VARCHAR[], map(items::VARCHAR[], grades))
            WHEN regexp_matches(typeof(listed) || typeof(items), '^U?HUGEINT|]U?HUGEINT')
                THEN system.main.udf_judge(listed::VARCHAR[], items::VARCHAR[])
            WHEN _ranking_has_rel(truth) THEN system.main.udf_judge(listed, map(items, grades))
            ELSE system.main.udf_judge(listed, items)
        END AS judged
    FROM (
        SELECT
            systems.*,
            truths.userid,
            coalesce(lists.n_rec, 0) AS n_rec,
            CASE WHEN max_k IS NULL THEN coalesce(lists.items, []) ELSE coalesce(lists.items, [])[:max_k] END AS listed,
            truths.items,
            truths.grades,
            max_k AS cutoff
        FROM _ranking_truth_lists(rec, truth, caller) AS truths
        CROSS JOIN _ranking_systems(rec) AS systems
        LEFT JOIN _ranking_rec_lists(rec, truth, max_k, caller) AS lists
            ON _ranking_id(lists.userid, (SELECT userid FROM query_table(truth) AS truths WHERE false))
                = _ranking_id(truths.userid, (SELECT userid FROM query_table(rec) AS recs WHERE false))
            AND lists.system IS NOT DISTINCT FROM systems.ranking_system
        WHERE (SELECT _ranking_valid(rec, truth, caller))
    )
);
