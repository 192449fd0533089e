-- Computes the distribution of every measure over the users with truth, for each system and cutoff.
--
-- Returns:    One row per system, k and measure: [system,] k, measure, and these columns.
--             `users`: users with a value.
--             `users_undefined`: users whose value is NULL.
--             `mean`, `low`, `high`: with its interval, as in ranking.evaluate.
--             `standard_deviation`, `standard_error`: of the sample, and of the mean.
--             `minimum`, `percentile_5`, `quartile_1`, `median`, `quartile_3`, `percentile_95`, `maximum`: interpolated
--             quantiles (Hyndman and Fan 1996, type 7). Their last digit may differ between versions of DuckDB.
--             `zeros`: share of users whose value is 0.
-- Example:    SELECT system, mean, low, high, median, zeros
--             FROM ranking.distribution('rec', 'truth', [10]) WHERE measure = 'ndcg';
CREATE OR REPLACE MACRO ranking.distribution(ARGUMENTS) AS TABLE
{% import "tables/internal/cutting.jinja" as cutting %}
{% import "tables/internal/means.jinja" as means %}
{% import "tables/internal/student_t.jinja" as student_t %}
WITH {{ cutting.measured(of) }}, sorted AS NOT MATERIALIZED (
    SELECT
        {{ of.keys }}, k, measure,
        count(value) AS users,
        count(*) - count(value) AS users_undefined,
        {{ means.mean("value", false) | indent(8) }} AS mean,
        list_sort(list(value + 0) FILTER (value IS NOT NULL), 'ASC') AS sorted  -- + 0, for there is a -0.0
    FROM (SELECT * EXCLUDE (has_truth, n_rec, n_truth) FROM measured WHERE has_truth)
    UNPIVOT INCLUDE NULLS (value FOR measure IN ({{ of.columns | map(attribute="name") | map("identifier") | join(", ") }}))
    GROUP BY ALL
)
SELECT
    {{ of.system_first }}* EXCLUDE (ranking_system, sorted, ends, interval),
    {{ student_t.ends("interval", "ends[1]", "ends[2]", "low", "high") | indent }},
    -- Computed from a sorted list, so that the result does not depend on threads.
    list_aggregate(sorted, 'stddev_samp') AS standard_deviation,
    list_aggregate(sorted, 'stddev_samp') / sqrt(len(sorted)) AS standard_error,
    sorted[1] AS minimum,
    list_aggregate(sorted, 'quantile_cont', 0.05) AS percentile_5,
    list_aggregate(sorted, 'quantile_cont', 0.25) AS quartile_1,
    list_aggregate(sorted, 'quantile_cont', 0.5) AS median,
    list_aggregate(sorted, 'quantile_cont', 0.75) AS quartile_3,
    list_aggregate(sorted, 'quantile_cont', 0.95) AS percentile_95,
    sorted[-1] AS maximum,
    len(list_filter(sorted, lambda one: one = 0))::DOUBLE / nullif(len(sorted), 0) AS zeros
FROM (
    SELECT *, {{ student_t.interval(of.is_portable, "mean", "sorted", "ends[1]", "ends[2]", of.alpha) | indent }} AS interval
    FROM (SELECT *, ({{ of.ranges }})[measure] AS ends FROM sorted))
ORDER BY ranking_system ASC NULLS LAST, k ASC NULLS LAST, measure ASC NULLS LAST
