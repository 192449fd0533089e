-- Computes popularity, novelty, diversity, calibration and coverage of each system's lists, for each cutoff.
--
-- history: Repeated pairs count once.
-- items: itemid, category, with several rows for several categories, or NULL for none.
-- head: All other items are the long tail.
-- divergence: In bits. 'js' is from 0 to 1, 'kl' as in Steck (2018).
-- Returns:    One row per system and k: the mean of each column of ranking.beyond_accuracy_by_user over the users whose
--             value is not NULL, and the columns below. The catalog is the items in `items`, or without it those in
--             history.
--             `users`: users with a list.
--             `users_without_history`: those without a row in history.
--             `n_items`: number of different items in all lists.
--             `coverage`: share of the catalog that is in at least one top k.
--             `items_outside_catalog`: items that no other measure of the catalog counts.
--             `gini`, `entropy`: how evenly the lists use the catalog: ranking.gini_coverage, and the entropy of the same
--             counts in bits.
--             `personalization`: as in ranking.personalization.
--             `popularity_lift`: mean popularity of the lists / mean popularity of the users' histories - 1, over users
--             with both.
-- Errors:     A table of items without an item.
-- Source:     Abdollahpouri et al. (2019) for popularity_lift
-- Example:    WITH rated AS (SELECT customer_id AS userid, sku AS itemid
--                 FROM 'examples/dbt_project/seeds/ratings.csv' WHERE rated_on < '2026-05-22')
--             SELECT system, popularity, popularity_lift, long_tail, coverage
--             FROM ranking.beyond_accuracy('rec', [10], history := 'rated');
CREATE OR REPLACE MACRO ranking.beyond_accuracy(ARGUMENTS) AS TABLE
{% import "lists/internal/items.jinja" as items %}
{% import "tables/internal/contents.jinja" as contents %}
{% import "tables/internal/means.jinja" as means %}
{% import "tables/internal/reading.jinja" as reading %}
{% macro counts_of_known() %}
list(counted.n_lists ORDER BY counted.n_lists ASC NULLS LAST) FILTER (catalog.itemid IS NOT NULL)
{%- endmacro %}
{% macro total() %}
{{ means.exact_sum("weight * weight", 53) }} / any_value(longest)
{%- endmacro %}
WITH {{ contents.contents(of) }}, means AS NOT MATERIALIZED (
    SELECT
        {{ of.keys }}, k, count(*) AS users
        {%- if of.history is not none %}, count(*) FILTER (NOT has_history) AS users_without_history{% endif %}
        {% for name in of.of_users %}
,
        {{ means.mean(name, true) }} AS {{ name }}
        {%- endfor %}
        {% if of.history is not none %}
,
        {{ means.mean("CASE WHEN profile_popularity IS NOT NULL THEN popularity END", true) }}
            / ({{ means.mean("CASE WHEN popularity IS NOT NULL THEN profile_popularity END", true) }}) - 1 AS popularity_lift
        {%- endif %}

    FROM contents
    GROUP BY ALL
),
{% if of.history is not none or of.items is not none %}
catalog AS MATERIALIZED (
    {% if of.items is not none %}
    SELECT DISTINCT itemid FROM labelled
    {% else %}
    SELECT itemid FROM known
    {% endif %}
), sized AS MATERIALIZED (
    SELECT CASE
        WHEN count(*) > 0 THEN count(*)
        ELSE error({{ of.caller | literal }} || {{ with_unit(": " ~ (
            "history must have a pair of {unit} and item" if of.items is none else "items must have an item"
        ) ~ ", got none") | literal }})::BIGINT
    END AS size
    FROM catalog
),
{% endif %}
shown AS MATERIALIZED (
    SELECT ranking_system, k, shown, len(shown) AS n
    FROM (
        SELECT
            ranking_system, k,
            list_filter(recommended[:coalesce(k, 2147483647)], lambda item: item IS NOT NULL) AS shown
        FROM listed
        CROSS JOIN (SELECT unnest({{ of.unnested_ks }}) AS k))
), counted AS NOT MATERIALIZED (
    SELECT
        ranking_system, k, itemid,
        sum(n_lists)::BIGINT AS n_lists,
        sum((sqrt(longest::DOUBLE / n) * 2 ** 53)::HUGEINT * n_lists) / 2 ** 53 AS weight
    FROM (
        SELECT *, max(n) OVER (PARTITION BY ranking_system, k) AS longest
        FROM (
            SELECT ranking_system, k, n, itemid, count(*) AS n_lists
            FROM (SELECT ranking_system, k, n, unnest(shown) AS itemid FROM shown)
            GROUP BY ranking_system, k, n, itemid))
    GROUP BY ranking_system, k, itemid
), wholes AS NOT MATERIALIZED (
    SELECT
        systems.ranking_system, systems.k,
        count(counted.itemid) AS n_items
        {%- if of.history is not none or of.items is not none %}
,
        count(catalog.itemid) / any_value(size)::DOUBLE AS coverage,
        count(counted.itemid) - count(catalog.itemid) AS items_outside_catalog,
        {{ items.gini(counts_of_known(), "any_value(size)") | indent(8) }} AS gini,
        -- -sum(c / t * log2(c / t)) for counts c that sum to t
        CASE WHEN count(catalog.itemid) > 0 THEN greatest(
            0,
            log2(sum(counted.n_lists) FILTER (catalog.itemid IS NOT NULL))
            - {{ means.exact_sum("CASE WHEN catalog.itemid IS NOT NULL THEN counted.n_lists * log2(counted.n_lists) END", 53) }}
            / sum(counted.n_lists) FILTER (catalog.itemid IS NOT NULL)
        ) END AS entropy
        {%- endif %}
,
        -- As the aggregate personalization.
        {{ items.difference("any_value(systems.n_lists)", total()) | indent(8) }} AS personalization
    FROM (
        SELECT ranking_system, k, count(*) FILTER (n > 0) AS n_lists, max(n) AS longest
        FROM shown
        GROUP BY ranking_system, k) AS systems
    LEFT JOIN counted
        ON counted.ranking_system IS NOT DISTINCT FROM systems.ranking_system AND counted.k IS NOT DISTINCT FROM systems.k
    {% if of.history is not none or of.items is not none %}
    CROSS JOIN sized
    LEFT JOIN catalog ON {{ reading.same_item(of, "counted.itemid", "catalog.itemid") }}
    {% endif %}
    GROUP BY systems.ranking_system, systems.k
)
SELECT {{ of.system_first }}* EXCLUDE (ranking_system)
FROM (
    SELECT means.*, wholes.* EXCLUDE (ranking_system, k)
    FROM means
    JOIN wholes ON means.ranking_system IS NOT DISTINCT FROM wholes.ranking_system AND means.k IS NOT DISTINCT FROM wholes.k)
ORDER BY ranking_system ASC NULLS LAST, k ASC NULLS LAST
