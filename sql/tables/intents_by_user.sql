-- Computes alpha-nDCG, ERR-IA and subtopic recall for each user or query whose items meet several intents.
--
-- truth: It has a row for each intent that an item meets: userid, itemid, intent [, rel]. With a grade of 0 or less,
--             the item does not meet the intent.
-- alpha: The next item that meets the same intent gains 1 - alpha times as much.
-- Returns:    One row per system, user with truth and k. The measures are 0 if no item meets an intent.
--             `n_rec`, `n_truth`: number of rows in rec, and of items that meet an intent.
--             `alpha_ndcg`: the gain of an item is the sum of (1 - alpha)^n over its intents, where n items above it meet
--             the same intent. Alpha-DCG is the sum of gain / log2(rank + 1). Alpha-nDCG divides it by the alpha-DCG of
--             an ideal ranking.
--             `err_ia`: the sum of gain / rank, divided by its value if each item in the top k met all intents. So even
--             the best list may score less than 1.
--             `subtopic_recall`: share of the intents that the top k meet.
-- Errors:     A truth without intents. A relevant row whose intent is NULL. Intents in a LIST: unnest them.
-- Source:     Clarke et al. (2008) for alpha-nDCG; Chapelle et al. (2011) for ERR-IA; Zhai, Cohen and Lafferty (2003) for
--             subtopic recall
-- Example:    WITH categories AS (
--                 SELECT customer_id AS userid, sku AS itemid, sku[1] AS intent
--                 FROM 'examples/dbt_project/seeds/ratings.csv' WHERE rated_on >= '2026-05-22' AND stars > 2
--             )
--             SELECT system, ranking.mean(alpha_ndcg) AS alpha_ndcg, ranking.mean(err_ia) AS err_ia
--             FROM ranking.intents_by_user('rec', 'categories', [10]) GROUP BY ALL ORDER BY ALL;
--
-- The ideal ranking is greedy: at each rank it takes the item with the highest gain, ties by itemid, ascending. The
-- optimum is NP-hard to compute, so a list can have an alpha-nDCG above 1.
--
-- ndeval (pyndeval, ir_measures) differs in three ways. Its ideal ranking orders ties by document, descending. It does
-- not divide ERR-IA at k = 1. Its largest k is 20.
CREATE OR REPLACE MACRO ranking.intents_by_user(ARGUMENTS) AS TABLE
{% import "tables/internal/lists.jinja" as lists %}
{% import "tables/internal/reading.jinja" as reading %}
{# The gain of each item of a list in the intents that it meets, the less the more items above meet them. The ideal list takes
   the item of the highest gain at each rank. #}
{% macro gains(items, n, alpha, is_ideal) %}
-- A step reads only its state: DuckDB 1.5 mixes up rows if list_reduce reads a column.
list_reduce(
    [{
        'left': {{ items }},
        -- the gain of an item in each intent
        'weights': list_transform(range(list_max(flatten({{ items }}))), lambda intent: 1::DOUBLE),
        'gains': []::DOUBLE[]}]
    || list_transform(
        range({{ n }}), lambda step: {'left': []::INTEGER[][], 'weights': []::DOUBLE[], 'gains': []::DOUBLE[]}),
    lambda state, step: list_transform(
        [list_transform(
            {{ "state.left" if is_ideal else "state.left[:1]" }},
            -- Sorted, so that equal gains are bit-identical.
            lambda intents: list_sum(list_sort(list_transform(intents, lambda intent: state.weights[intent]), 'ASC')))],
        lambda found: list_transform(
            [list_position(found, list_max(found))],
            lambda best: {
                'left': state.left[:best - 1] || state.left[best + 1:],
                'weights': list_transform(
                    state.weights,
                    lambda weight, intent: CASE
                        WHEN list_contains(state.left[best], intent) THEN weight * (1 - {{ alpha }})
                        ELSE weight
                    END),
                'gains': state.gains || [found[best]]
            })[1])[1]
).gains
{%- endmacro %}

{% set n_ideal %}
least(len(items), {{ of.cutoff }})
{%- endset %}
WITH {{ reading.tables(of) }}, {{ lists.lists(of) }}, intents AS NOT MATERIALIZED (
    -- The intents of each item of truth, numbered for each user.
    SELECT userid, itemid, list(DISTINCT number) FILTER (is_met) AS intents
    FROM (
        SELECT
            userid, itemid, is_met,
            dense_rank() OVER (PARTITION BY userid, is_met ORDER BY intent ASC NULLS LAST)::INTEGER AS number
        FROM (
            SELECT
                userid, itemid, is_met,
                CASE WHEN is_met AND intent IS NULL
                    THEN error(concat(
                        {{ of.caller | literal }}, ': ', {{ of.intent | cut | literal }},
                        ' must not be NULL for an item that meets one, got ', {{ of.user | literal }}, ' ', userid::VARCHAR, ', ',
                        {{ of.item | literal }}, ' ', itemid::VARCHAR))
                    ELSE intent
                END AS intent
            FROM (
                SELECT userid, itemid, intent, itemid IS NOT NULL AND {{ lists.grade(of) | indent(16) }} > 0 AS is_met
                FROM _ranking_truth
                WHERE userid IS NOT NULL AND {{ reading.is_right() }})))
    GROUP BY userid, itemid
), truths AS NOT MATERIALIZED (
    SELECT *, {{ gains("items", n_ideal, of.alpha, true) | indent(8) }} AS ideal
    FROM (
        SELECT userid, coalesce(list(intents ORDER BY itemid ASC NULLS LAST) FILTER (intents IS NOT NULL), []) AS items
        FROM intents
        GROUP BY userid)
), places AS NOT MATERIALIZED (
    SELECT truth_user, ranking_system, any_value(n_rec) AS n_rec, itemid, min(place) AS place
    FROM (
        -- The NULL keeps an empty list.
        SELECT
            truth_user, ranking_system, n_rec,
            unnest(list_append(items, NULL)) AS itemid,
            unnest(range(1, len(items) + 2)) AS place
        FROM lists)
    GROUP BY truth_user, ranking_system, itemid
), gained AS NOT MATERIALIZED (
    SELECT *, {{ gains("met", "len(met)", of.alpha, false) | indent(8) }} AS gains
    FROM (
        SELECT
            truth_user, ranking_system,
            any_value(n_rec) AS n_rec,
            list(place ORDER BY place ASC NULLS LAST) FILTER (intents IS NOT NULL) AS ranks,
            list(intents ORDER BY place ASC NULLS LAST) FILTER (intents IS NOT NULL) AS met
        FROM places
        LEFT JOIN intents
            ON places.truth_user IS NOT DISTINCT FROM intents.userid
            AND {{ reading.same_item(of, "places.itemid", "intents.itemid") }}
        GROUP BY truth_user, ranking_system)
), cut AS NOT MATERIALIZED (
    SELECT
        _ranking_systems.*, truths.userid, cutoff AS k,
        coalesce(gained.n_rec, 0) AS n_rec,
        len(truths.items) AS n_truth,
        list_unique(flatten(truths.items)) AS n_intents,
        coalesce(cutoff, gained.n_rec, 0) AS n_top,
        len(list_filter(gained.ranks, lambda place: place <= n_top)) AS n_met,
        gained.ranks, gained.met, gained.gains, truths.ideal
    FROM truths
    LEFT JOIN _ranking_systems ON true
    CROSS JOIN (SELECT unnest({{ of.unnested_ks }}) AS cutoff)
    LEFT JOIN gained
        ON gained.truth_user IS NOT DISTINCT FROM truths.userid
        AND gained.ranking_system IS NOT DISTINCT FROM _ranking_systems.ranking_system
    WHERE {{ reading.is_right() }}
)
SELECT
    {{ of.system_first }}* EXCLUDE (ranking_system, n_intents, n_top, n_met, ranks, met, gains, ideal),
    coalesce(
        list_sum(list_transform(list_zip(ranks, gains)[:n_met], lambda hit: hit[2] / log2(hit[1] + 1)))
        / list_sum(list_transform(ideal[:n_top], lambda gain, place: gain / log2(place + 1))),
        0) AS alpha_ndcg,
    coalesce(
        list_sum(list_transform(list_zip(ranks, gains)[:n_met], lambda hit: hit[2] / hit[1]))
        / n_intents
        -- Terms below 2^-60 add nothing.
        / list_sum(list_transform(
            range(1, 1 + least(n_top, 1 + (42::DOUBLE / nullif({{ of.alpha }}, 0)))::BIGINT),
            lambda place: (1 - {{ of.alpha }}) ** (place - 1) / place)),
        0) AS err_ia,
    coalesce(list_unique(flatten(met[:n_met]))::DOUBLE / nullif(n_intents, 0), 0) AS subtopic_recall
FROM cut
