-- Computes the mean of every measure over the users with truth, for each system and cutoff.
--
-- confidence: Adds `ndcg_low` and `ndcg_high`, for each measure: Student's interval, cut to the measure's range, or Wilson's if
--             every user has 0 or 1. NULL for one user. Compare systems by `ranking.compare`, not by overlapping intervals.
-- Returns:    One row per system and k: [system,] k, four counts of users and a DOUBLE per measure.
--             `users`: users with truth.
--             `users_without_rec`: those without recommendations, scored as an empty list (0; AUC 0.5).
--             `users_without_truth`: users in rec that truth lacks; they are excluded.
--             `users_without_relevant`: users whose truth has no relevant item. With 'skip', `users` does not include them.
-- Example:    SELECT system, k, "ndcg(gain=linear)", recall
--             FROM ranking.evaluate('rec', 'truth', measures := 'ndcg(gain=linear)@10,recall@5,10');
--
-- With measures := 'ndcg@10' and confidence := 0.95, `similar` has an NDCG of 0.3909, from 0.2984 to 0.4834.
--
-- Quote the name of a column with options: `"ndcg(gain=linear)"`. A min_grade among the options of a measure overrides the
-- argument. Columns that you do not select are not computed.
--
-- With min_grade, users without a high grade stay in the mean and score 0. With a truth of high grades only, they leave
-- it: min_grade := 2 gives `similar` a recall at 10 of 0.594 over 30 users, a truth WHERE rel >= 2 gives 0.713 over 25.
CREATE OR REPLACE MACRO ranking.evaluate(ARGUMENTS) AS TABLE
{% import "tables/internal/cutting.jinja" as cutting %}
{% import "tables/internal/means.jinja" as means %}
{% import "tables/internal/student_t.jinja" as student_t %}
{# Partitions end here, with sums in place of means; the merge continues from their rows. #}
{% set mean = means.mean_of_sums if of.is_merge else means.sums if of.is_part else means.mean %}
WITH {% if not of.is_merge %}{{ cutting.measured(of) }}, {% endif %}means AS NOT MATERIALIZED (
    SELECT
        {{ of.keys }}, has_truth, k,
        {% if of.is_merge %}
        sum(COLUMNS('^users'))::BIGINT
        {%- else %}
        count(*) AS users,
        count(*) FILTER (n_rec = 0) AS users_without_rec,
        NULL AS users_without_truth,
        count(*) FILTER (n_truth = 0) AS users_without_relevant
        {%- endif %}
        {%- for one in of.columns %}
,
        {{ mean(one.name | identifier, one.is_share) | indent(8) }} AS {{ one.name | identifier }}
        {%- if of.confidence %}
,
        {% if of.is_part %}
        list({{ one.name | identifier }}) AS {{ one.low }}
        {%- else %}
        {{ student_t.values(
            one, mean(one.name | identifier, one.is_share),
            "flatten(list(" ~ one.low ~ "))" if of.is_merge else "list(" ~ one.name | identifier ~ ")") | indent(8) }}
        {%- endif %}
        {%- endif %}
        {%- endfor %}

    FROM {{ "_ranking_parts" if of.is_merge else "measured" }}
    GROUP BY ALL
)
{% if of.is_part %}
FROM means
{% else %}
SELECT {{ of.system_first }}* EXCLUDE (ranking_system, has_truth) REPLACE (
    coalesce(max(users) FILTER (NOT has_truth) OVER of_k, 0) AS users_without_truth,
    users_without_relevant + coalesce(max(users) FILTER (has_truth IS NULL) OVER of_k, 0) AS users_without_relevant)
FROM {{ student_t.with_intervals(of.is_portable, of.columns, of.alpha, "means") if of.confidence else "means" }}
WINDOW of_k AS (PARTITION BY ranking_system, k)
QUALIFY has_truth
ORDER BY ranking_system ASC NULLS LAST, k ASC NULLS LAST
{% endif %}
