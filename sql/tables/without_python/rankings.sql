-- Returns a cutoff as BIGINT, or the default if it is NULL.
CREATE OR REPLACE TEMP MACRO _ranking_cut_off(k, missing) AS
coalesce(TRY_CAST(k AS BIGINT), CASE WHEN k IS NULL THEN missing ELSE 9223372036854775807 END);
