-- The mean of every measure over the users with truth, for every k.
--
-- rec, truth, user_col, ..., descending, JUDGING: as for ranking.judged
-- ks, ties, measures: as for ranking.by_user
-- Returns:    [system,] k, users (all with truth), users_without_rec (of them; each counts as an empty list: 0, AUC 0.5),
--             users_without_truth (in rec, left out), users_without_relevant (of users: no item of their truth is
--             relevant; with 'skip' they are beside these), a DOUBLE per measure; those that a query does not
--             select are not computed
-- Errors:     as for ranking.by_user
-- Example:    FROM ranking.evaluate('rec', 'truth', measures := 'ndcg(gain=linear)@10,recall@5,10');
--
-- min_grade is not the same as a truth of high grades alone: users without any of these stay, and count 0; with WHERE
-- they leave the mean. Of the ratings in the example, recall at 10 of `similar` with min_grade := 4 is 0.594, of 30
-- users, 5 of them users_without_relevant; of a truth WHERE stars >= 4 it is 0.713, of 25 users.
CREATE OR REPLACE MACRO ranking.evaluate(
    rec, truth, ks := NULL, ties := 'item', COLUMN_ARGUMENTS, JUDGING_ARGUMENTS, measures := NULL) AS TABLE
{% import "tables/internal/judging.jinja" as judging %}
{% import "tables/internal/cutting.jinja" as cutting %}
{% import "tables/internal/means.jinja" as means %}
WITH {{ judging.judged(of) }}, {{ cutting.measured(of) }}, means AS NOT MATERIALIZED (
    SELECT
        {{ of.keys }}, has_truth, k,
        count(*) AS users,
        count(*) FILTER (n_rec = 0) AS users_without_rec,
        NULL AS users_without_truth,
        count(*) FILTER (n_truth = 0) AS users_without_relevant
        {%- for one in of.columns %}
,
        {{ means.mean(one.name | identifier, one.is_share) | indent(8) }} AS {{ one.name | identifier }}
        {%- endfor %}

    FROM measured
    GROUP BY ALL
)
SELECT {{ of.system_first }}* EXCLUDE (ranking_system, has_truth) REPLACE (
    coalesce(max(users) FILTER (NOT has_truth) OVER of_k, 0) AS users_without_truth,
    users_without_relevant + coalesce(max(users) FILTER (has_truth IS NULL) OVER of_k, 0) AS users_without_relevant)
FROM means
WINDOW of_k AS (PARTITION BY ranking_system, k)
QUALIFY has_truth
ORDER BY ranking_system ASC NULLS LAST, k ASC NULLS LAST
