-- truth: by model grades, its {units} are not a random sample
-- The mean NDCG by the model's grades differs by 3.3 standard errors between users with and without human labels, with at least
-- 10 of each. A correction by human labels assumes a random sample.
-- Place: 410; Severity: warning; Of: users of predicted_truth; Needs: predicted_truth
-- Write: sample the {units} for human labels at random
{% import "tables/internal/reading.jinja" as reading %}
SELECT
    system, k, n AS count, n + n_others AS of,
    format('ndcg {:.3g} of them, {:.3g} of the others', mean, mean_others) AS example
FROM (
    SELECT
        system, k,
        count(people.userid) AS n,
        count(*) FILTER (people.userid IS NULL) AS n_others,
        avg(ndcg) FILTER (people.userid IS NOT NULL) AS mean,
        avg(ndcg) FILTER (people.userid IS NULL) AS mean_others,
        var_samp(ndcg) FILTER (people.userid IS NOT NULL) / nullif(n, 0)
            + var_samp(ndcg) FILTER (people.userid IS NULL) / nullif(n_others, 0) AS square
    FROM _ranking_by_model AS labels
    LEFT JOIN truth_users AS people ON {{ reading.same(of, "labels.userid", "people.userid") }}
    GROUP BY system, k)
WHERE least(n, n_others) >= 10 AND abs(mean - mean_others) > 3.3 * sqrt(square)
