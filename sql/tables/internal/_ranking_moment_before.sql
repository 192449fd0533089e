-- Internal: the moment that lies some spans before another; the same one for a span of NULL.
--
-- moment:  what _ranking_moment gives
-- times:   how many spans
-- span:    an integer or an INTERVAL
-- Returns: BIGINT
-- Example: SELECT _ranking_moment_before(30, 2, 7);  -- 16
CREATE OR REPLACE TEMP MACRO _ranking_moment_before(moment, times, span) AS
CASE
    WHEN typeof(span) = 'INTERVAL' THEN epoch_us(make_timestamp(moment) - times * TRY_CAST(span AS INTERVAL))
    ELSE moment - times * coalesce(TRY_CAST(span AS BIGINT), 0)
END;
