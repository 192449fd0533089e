-- true, or an error if the types of the columns do not fit: scores and grades must be numbers, and an id must
-- have the same type in both tables, since an implicit cast would make ids equal that are not, or none equal
-- at all (only widths of integers may differ). Known when the query is planned, so that it costs nothing and
-- holds for empty tables too. Used by ranking_judged.
--
-- rec, truth: names of tables, as query_table takes them
-- Returns:    BOOLEAN
-- Example:    SELECT ranking_valid('rec', 'truth');
CREATE OR REPLACE TEMP MACRO ranking_valid(rec, truth) AS
CASE
    WHEN NOT ranking_same_type(
        typeof((SELECT userid FROM query_table(rec) WHERE false)), typeof((SELECT userid FROM query_table(truth) WHERE false))
    ) THEN error(
        'ranking_judged: userid must have the same type in rec and in truth, got '
        || typeof((SELECT userid FROM query_table(rec) WHERE false)) || ' and '
        || typeof((SELECT userid FROM query_table(truth) WHERE false))
    )
    WHEN NOT ranking_same_type(
        typeof((SELECT itemid FROM query_table(rec) WHERE false)), typeof((SELECT itemid FROM query_table(truth) WHERE false))
    ) THEN error(
        'ranking_judged: itemid must have the same type in rec and in truth, got '
        || typeof((SELECT itemid FROM query_table(rec) WHERE false)) || ' and '
        || typeof((SELECT itemid FROM query_table(truth) WHERE false))
    )
    WHEN NOT regexp_full_match(
        typeof((SELECT score FROM query_table(rec) WHERE false)), 'U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DECIMAL.*|FLOAT|DOUBLE|"NULL"'
    ) THEN error(
        'ranking_judged: score must be a number, got ' || typeof((SELECT score FROM query_table(rec) WHERE false))
    )
    WHEN ranking_has_rel(truth) AND NOT regexp_full_match(
        typeof((SELECT rel FROM (FROM query_table(truth) UNION ALL BY NAME SELECT NULL AS rel WHERE false) WHERE false)),
        'U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DECIMAL.*|FLOAT|DOUBLE|BOOLEAN|"NULL"'
    ) THEN error(
        'ranking_judged: rel must be a number, got '
        || typeof((SELECT rel FROM (FROM query_table(truth) UNION ALL BY NAME SELECT NULL AS rel WHERE false) WHERE false))
    )
    ELSE true
END;
