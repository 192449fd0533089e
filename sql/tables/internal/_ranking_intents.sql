-- Internal: the intents that each item of truth meets, numbered for each user.
--
-- truth:      name of a table, as query_table takes it
-- names:      what _ranking_names gives
-- intent_col: as for ranking_intents_by_user
-- caller:     the function that an error names
-- Returns:    userid, itemid, intents INTEGER[]; NULL for an item that meets none
-- Example:    FROM _ranking_intents(
--     'truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true), 'rel', 'ranking_intents_by_user');
CREATE OR REPLACE TEMP MACRO _ranking_intents(truth, names, intent_col, caller) AS TABLE
SELECT userid, itemid, list(DISTINCT number) FILTER (is_met) AS intents
FROM (
    SELECT
        userid,
        itemid,
        is_met,
        dense_rank() OVER (PARTITION BY userid, is_met ORDER BY intent ASC NULLS LAST)::INTEGER AS number
    FROM (
        SELECT
            userid,
            itemid,
            CASE
                -- A column that is not there is an error of its own.
                WHEN is_met AND intent IS NULL AND _ranking_has(truth, intent_col, 'intent')
                    THEN error(concat(
                        caller, ': ', _ranking_cut(coalesce(intent_col::VARCHAR, 'intent')),
                        ' must not be NULL for an item that meets one, got ', _ranking_row(names, userid, itemid)))
                ELSE intent
            END AS intent,
            is_met
        FROM (
            SELECT
                userid,
                itemid,
                intent,
                itemid IS NOT NULL
                AND CASE
                    WHEN NOT _ranking_has(truth, names['grade'], 'rel') THEN true
                    ELSE _ranking_finite_grade(itemid, rel, names, caller) > 0
                END AS is_met
            FROM (
                SELECT
                    -- least and coalesce leave the NULL out, as in _ranking_truths.
                    least(*COLUMNS(_ranking_column(names['user'], 'userid'))) AS userid,
                    coalesce(*COLUMNS(_ranking_column(names['item'], 'itemid'))) AS itemid,
                    coalesce(*COLUMNS(_ranking_column(names['grade'], 'rel'))) AS rel,
                    coalesce(*COLUMNS(_ranking_column(intent_col, 'intent'))) AS intent
                FROM (SELECT NULL AS ranking_absent, * FROM query_table(_ranking_table('truth', truth)) AS truths)
            )
            WHERE userid IS NOT NULL
        )
    )
)
GROUP BY userid, itemid;
