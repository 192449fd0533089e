-- history: events at or after the first of truth
-- The history reaches into the time of truth, so the model may have learned from the future.
-- Place: 440; Severity: warning; Of: events of history; Needs: history
-- Write: end the history before the first event of truth
{% import "tables/internal/times.jinja" as times %}
SELECT
    userid::VARCHAR AS userid, itemid::VARCHAR AS itemid, (SELECT count(*) FROM _ranking_history) AS of,
    concat(time::VARCHAR, ', and truth from ', truth_time::VARCHAR) AS example
FROM (SELECT *, {{ times.moment("time") | indent }} AS moment FROM _ranking_history)
CROSS JOIN (
    SELECT min(moment) AS truth_moment, arg_min(time, moment) AS truth_time
    FROM (
        SELECT time, {{ times.moment("time") | indent(12) }} AS moment
        FROM {{ of.truths }}))
WHERE moment >= truth_moment AND {{ times.time_kind("time") }} = {{ times.time_kind("truth_time") }}
