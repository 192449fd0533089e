-- Internal: the error text of a bad cut-off; NULL for none.
--
-- k:       an integer of any type; NULL for the whole list
-- Returns: VARCHAR
-- Example: SELECT _ranking_k_problem(-1);  -- k must be 0 or more, got -1
CREATE OR REPLACE TEMP MACRO _ranking_k_problem(k) AS
CASE
    WHEN typeof(k) <> '"NULL"' AND NOT _ranking_is_integer(typeof(k))
        THEN concat('k must be an integer, got ', typeof(k), ' ', k::VARCHAR)
    WHEN TRY_CAST(k AS DOUBLE) < 0 THEN concat('k must be 0 or more, got ', k::VARCHAR)
END;
