-- Computes recall, precision and exposure of each item, for each system and cutoff.
--
-- Returns:    One row per system, k and item in truth or in a top k. A repeated item counts once, at its first rank.
--             `itemid`: a UUID becomes a string.
--             `users_relevant`, `users_recommended`, `hits`: users with the item among their relevant items, in their top
--             k, and in both.
--             `recall`, `precision`: hits / users_relevant, and hits / users_recommended; NULL if divided by 0.
--             `exposure`: sum of 1 / log2(rank + 1) over the users.
--             `mean_rank`: mean rank of the hits, NULL without hits.
--             `users_without_truth`: users in rec that truth lacks, excluded from all counts.
-- Source:     Singh and Joachims (2018), and Diaz et al. (2020), for exposure
-- Example:    SELECT itemid, users_relevant, users_recommended, hits, round(recall, 4) AS recall, round(exposure, 4) AS exposure
--             FROM ranking.by_item('rec', 'truth', [10]) WHERE system = 'similar'
--             ORDER BY users_relevant DESC, itemid LIMIT 1;
CREATE OR REPLACE MACRO ranking.by_item(ARGUMENTS) AS TABLE
{% import "tables/internal/judging.jinja" as judging %}
{% import "tables/internal/lists.jinja" as lists %}
{% import "tables/internal/means.jinja" as means %}
{% import "tables/internal/reading.jinja" as reading %}
WITH {{ judging.ranks(of) }}, placed AS NOT MATERIALIZED (
    SELECT
        {{ of.keys }}, has_truth, rec_items,
        CASE WHEN has_truth THEN {{ lists.first_places("rec_items", of.is_small) | indent(8) }} ELSE [] END AS places,
        CASE
            WHEN has_truth THEN list_transform(
                list_filter(list_zip(ranks, judged_grades), lambda one: one[2] {{ of.is_relevant }}), lambda one: one[1])
            ELSE []
        END AS hits
    FROM relevant_ranks
), shown AS NOT MATERIALIZED (
    -- A row per item of a list, and one more per hit.
    SELECT
        {{ of.keys }}, has_truth,
        unnest(list_select(rec_items, places || hits)) AS item,
        unnest(CASE WHEN has_truth THEN places || hits ELSE [NULL] END) AS rank,
        unnest(list_resize([]::BOOLEAN[], len(places), false) || list_resize([]::BOOLEAN[], len(hits), true)) AS is_hit
    FROM placed
), wanted AS NOT MATERIALIZED (
    SELECT {{ reading.as_column(of, "item") }} AS itemid, count(*) FILTER (is_relevant) AS n_relevant
    FROM (
        SELECT itemid AS item, bool_or({{ of.row_grade }} {{ of.is_relevant }}) AS is_relevant
        FROM _ranking_truth
        WHERE userid IS NOT NULL AND itemid IS NOT NULL AND {{ reading.is_right() }}
        GROUP BY userid, itemid)
    GROUP BY item
), counted AS NOT MATERIALIZED (
    SELECT
        {{ of.keys }}, {{ reading.as_column(of, "item") }} AS itemid, rank,
        count(*) FILTER (NOT is_hit) AS n_lists,
        count(*) FILTER (is_hit) AS n_hits,
        count(*) FILTER (NOT has_truth) AS n_strangers
    FROM shown
    GROUP BY ALL
    UNION ALL BY NAME
    SELECT _ranking_systems.*, itemid, n_relevant
    FROM wanted
    LEFT JOIN _ranking_systems ON true
), summed AS NOT MATERIALIZED (
    SELECT
        {{ of.keys }}, k, itemid,
        coalesce(sum(n_relevant), 0)::BIGINT AS users_relevant,
        coalesce(sum(n_lists), 0)::BIGINT AS users_recommended,
        coalesce(sum(n_hits), 0)::BIGINT AS hits,
        coalesce({{ means.exact_sum("(n_lists * (ln(2) / ln(rank + 1)))", 80) }}, 0) AS exposure,
        sum(n_hits * rank)::DOUBLE AS ranks_of_hits,
        sum(n_strangers)::BIGINT AS users_without_truth
    FROM counted
    CROSS JOIN (SELECT unnest({{ of.unnested_ks }}) AS k)
    WHERE coalesce(rank <= k, true)
    GROUP BY ALL
), measured AS NOT MATERIALIZED (
    SELECT
        {{ of.keys }}, k, itemid, users_relevant, users_recommended, hits,
        hits::DOUBLE / nullif(users_relevant, 0) AS recall,
        hits::DOUBLE / nullif(users_recommended, 0) AS "precision",
        exposure,
        ranks_of_hits / nullif(hits, 0) AS mean_rank,
        coalesce(max(users_without_truth) OVER (PARTITION BY ranking_system, k), 0) AS users_without_truth
    FROM summed
)
SELECT {{ of.system_first }}* EXCLUDE (ranking_system)
FROM measured
WHERE itemid IS NOT NULL
ORDER BY ranking_system ASC NULLS LAST, k ASC NULLS LAST, itemid ASC NULLS LAST
