-- Internal: what is wrong with the types of the columns. Scores and grades must be numbers. An id must be of one
-- family in both tables, since an implicit cast would make ids equal that are not, or none equal at all. Known
-- when the query is planned. Used by _ranking_valid and ranking_check.
--
-- rec, truth: names of tables, as query_table takes them
-- Returns:    VARCHAR[], NULL for a column that fits
-- Example:    SELECT _ranking_misfits('rec', 'truth');
CREATE OR REPLACE TEMP MACRO _ranking_misfits(rec, truth) AS
list_transform(
    [
        (
            'userid',
            typeof((SELECT userid FROM query_table(rec) AS recs WHERE false)),
            typeof((SELECT userid FROM query_table(truth) AS truths WHERE false))
        ),
        (
            'itemid',
            typeof((SELECT itemid FROM query_table(rec) AS recs WHERE false)),
            typeof((SELECT itemid FROM query_table(truth) AS truths WHERE false))
        ),
        ('score', typeof((SELECT score FROM query_table(rec) AS recs WHERE false)), NULL),
        ('rel', _ranking_type_of_rel(truth, NULL::DOUBLE), NULL)
    ],
    -- A name, its type in rec (or in truth, if it is there alone), and the type of an id in truth.
    lambda c: c[1] || CASE
        WHEN NOT _ranking_same_type(c[2], coalesce(c[3], c[2]))
            THEN ' must have the same type in rec and in truth, got ' || _ranking_cut(c[2]) || ' and ' || _ranking_cut(c[3])
        WHEN c[1] = 'itemid' AND _ranking_cannot_match(c[2] || c[3])
            THEN ' must not be or hold an ARRAY or INTERVAL (cast it to a LIST or VARCHAR), got ' || _ranking_cut(c[2])
        WHEN c[3] IS NULL AND NOT (_ranking_is_number(c[2]) OR (c[1] = 'rel' AND c[2] = 'BOOLEAN'))
            THEN ' must be a number' || CASE WHEN c[2] = 'BIGNUM' THEN ' (cast it to DOUBLE)' ELSE '' END
            || ', got ' || _ranking_cut(c[2])
    END
);
