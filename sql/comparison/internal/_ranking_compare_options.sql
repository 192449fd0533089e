-- Internal: true, or an error if an option of a comparison cannot be.
--
-- confidence to seed: as of ranking_compare
-- caller:             the function that an error names
-- Returns:            BOOLEAN
-- Example:            SELECT _ranking_compare_options(0.95, NULL, 'holm', 't', 10000, 0, 'ranking_compare');
CREATE OR REPLACE TEMP MACRO _ranking_compare_options(confidence, margin, correction, test, permutations, seed, caller) AS
CASE
    WHEN _ranking_collation_problem() IS NOT NULL THEN error(concat(caller, ': ', _ranking_collation_problem()))
    WHEN NOT coalesce(
        TRY_CAST(confidence AS DOUBLE) > 0 AND TRY_CAST(confidence AS DOUBLE) < 1, false
    ) OR NOT _ranking_is_number(typeof(confidence))
        THEN error(concat(
            caller, ': confidence must be a number above 0 and below 1, got ', _ranking_list_names([confidence])
        ))
    WHEN margin IS NOT NULL AND NOT (
        _ranking_is_number(typeof(margin)) AND coalesce(isfinite(TRY_CAST(margin AS DOUBLE)), false)
        AND coalesce(TRY_CAST(margin AS DOUBLE) >= 0, false)
    )
        THEN error(concat(caller, ': margin must be a number of 0 or more, got ', _ranking_list_names([margin])))
    WHEN coalesce(correction::VARCHAR, '') NOT IN ('holm', 'bh', 'none')
        THEN error(concat(caller, ': correction must be holm|bh|none, got ', _ranking_list_names([correction])))
    WHEN coalesce(test::VARCHAR, '') NOT IN ('t', 'randomization')
        THEN error(concat(caller, ': test must be t|randomization, got ', _ranking_list_names([test])))
    WHEN NOT (_ranking_is_integer(typeof(permutations)) AND coalesce(TRY_CAST(permutations AS DOUBLE) BETWEEN 1 AND 10000000, false))
        THEN error(concat(
            caller, ': permutations must be an integer from 1 to 10000000, got ', _ranking_list_names([permutations])
        ))
    WHEN NOT (_ranking_is_integer(typeof(seed)) AND coalesce(TRY_CAST(seed AS BIGINT) >= 0, false))
        THEN error(concat(
            caller, ': seed must be an integer from 0 to 9223372036854775807, got ', _ranking_list_names([seed])
        ))
    ELSE true
END;
