-- Internal: recommendations under the names that the pack gives their columns. One that is not there is NULL. Used
-- wherever a table of recommendations is read.
--
-- rec:     name of a table, as query_table takes it
-- names:   what _ranking_names gives
-- Returns: userid, itemid, score, system
-- Example: FROM _ranking_recs('rec', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true));
CREATE OR REPLACE TEMP MACRO _ranking_recs(rec, names) AS TABLE
-- least and coalesce alike leave the NULL out; DuckDB 1.5 has no coalesce for an ARRAY, which a user or system may be.
SELECT
    least(*COLUMNS(_ranking_column(names['user'], 'userid'))) AS userid,
    coalesce(*COLUMNS(_ranking_column(names['item'], 'itemid'))) AS itemid,
    coalesce(*COLUMNS(_ranking_column(names['score'], 'score'))) AS score,
    least(*COLUMNS(_ranking_column(names['system'], 'system'))) AS system
FROM (SELECT NULL AS ranking_absent, * FROM query_table(_ranking_table('rec', rec)) AS recs);
