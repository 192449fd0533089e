-- A time as a number that orders it: an integer as it is, else microseconds since 1970, in UTC; NULL if it is not finite.
CREATE OR REPLACE TEMP MACRO _ranking_moment(moment) AS
CASE
    WHEN _ranking_is_integer(typeof(moment)) THEN TRY_CAST(moment AS BIGINT)
    WHEN typeof(moment) = 'TIMESTAMP WITH TIME ZONE' THEN epoch_us(TRY_CAST(moment AS TIMESTAMPTZ))
    -- DuckDB 2 rounds a TIMESTAMP_NS, and 1.5 cuts it.
    WHEN typeof(moment) = 'TIMESTAMP_NS' THEN divide(epoch_ns(TRY_CAST(moment AS TIMESTAMP_NS)), 1000)
    ELSE epoch_us(TRY_CAST(moment AS TIMESTAMP))
END;

