-- Internal: the rule that a span of time breaks, in words; NULL for one that fits.
--
-- span:    an integer or an INTERVAL; NULL for none
-- kind:    that of the times, as _ranking_time_kind gives it
-- least:   the least that it may be: 0, or 1 for anything above 0
-- Returns: VARCHAR
-- Example: SELECT _ranking_span_rule(7, 'a DATE or TIMESTAMP', 1);  -- an INTERVAL, for a time that is a DATE or TIMESTAMP
CREATE OR REPLACE TEMP MACRO _ranking_span_rule(span, kind, least) AS
CASE
    WHEN span IS NULL THEN NULL
    WHEN kind = 'an integer' AND NOT _ranking_is_integer(typeof(span)) THEN 'an integer, for a time that is one'
    WHEN kind <> 'an integer' AND typeof(span) <> 'INTERVAL' THEN 'an INTERVAL, for a time that is ' || kind
    WHEN TRY_CAST(span AS BIGINT) < least OR TRY_CAST(span AS INTERVAL) < least * INTERVAL 1 MICROSECOND
        THEN CASE least WHEN 0 THEN '0 or more' ELSE 'above 0' END
END;
