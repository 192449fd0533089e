-- alpha-nDCG, ERR-IA and subtopic recall: a list measured by the different intents of its user or query.
--
-- rec:        a table with userid, itemid, score [, system], as for ranking.judged
-- truth:      a table with userid, itemid, intent [, rel]: a row for each intent that an item meets. Without a column rel
--             every row is one; a row of grade 0 or less says that the item does not meet the intent
-- ks:         LIST of cutoffs; NULL among them means the whole list, 0 the empty one
-- alpha:      how likely an item satisfies an intent that it meets, a number from 0 to 1: the next item that meets the same
--             intent adds 1 - alpha times as much
-- intent_col: what the column of intents is called
-- user_col, ..., descending: as for ranking.judged
-- Returns:    [system,] userid, k, n_rec (rows in rec), n_truth (items that meet an intent), alpha_ndcg, err_ia,
--             subtopic_recall (the share of the intents that the top k meet): for every user with truth; all three
--             are 0 where no item meets an intent
-- Errors:     as for ranking.judged; a k in ks that is no integer or below 0; ks that are none; an alpha out of bounds; a
--             truth without intents; an item that meets the intent NULL; intents in a LIST, which want a row each
-- Source:     Clarke et al. (2008) for alpha-nDCG; Chapelle et al. (2011) for ERR-IA; Zhai, Cohen and Lafferty (2003) for
--             subtopic recall
-- Example:    WITH categories AS (
--                 SELECT customer_id AS userid, sku AS itemid, sku[1] AS intent
--                 FROM 'examples/dbt_project/seeds/ratings.csv' WHERE rated_on >= '2026-05-22' AND stars > 2
--             )
--             SELECT system, k, ranking.mean(alpha_ndcg) AS alpha_ndcg, ranking.mean(err_ia) AS err_ia,
--                 ranking.mean(subtopic_recall) AS subtopic_recall
--             FROM ranking.intents_by_user('rec', 'categories', [5, 10]) GROUP BY ALL ORDER BY ALL;
--
-- The gain of an item is the sum, over the intents that it meets, of (1 - alpha)^(items above it that meet this intent).
-- alpha-DCG is the sum of gain / log2(rank + 1). alpha-nDCG divides it by that of the ideal list, which takes at each rank
-- the item of the highest gain, ties by itemid, ascending. The best list of all is too much to compute (NP-hard): a list
-- may be better than this one, and then its alpha-nDCG is above 1.
--
-- ERR-IA is the sum of gain / rank, divided by what it would be if each of the top k met all intents: the best list of a
-- truth may have less than 1. Times the sum over r <= k of alpha * (1 - alpha)^(r - 1) / r it is the mean of the intents'
-- expected reciprocal ranks, where an item satisfies with probability alpha: for alpha = 0.5, ranking.err's, max_grade := 1.
--
-- The numbers are those of ndeval, TREC's program (pyndeval, ir_measures), but that its ideal list takes ties by document,
-- descending, and for some alpha (0.3) sees none where equal gains differ in their last digit; that its ERR-IA at k = 1 is
-- not divided; and that it takes k up to 20 alone.
CREATE OR REPLACE MACRO ranking.intents_by_user(
    rec, truth, ks, alpha := 0.5, intent_col := 'intent', COLUMN_ARGUMENTS) AS TABLE
{% import "tables/internal/lists.jinja" as lists %}
{% import "tables/internal/reading.jinja" as reading %}
{# The gain of each item of a list in the intents that it meets, the less the more items above meet them. The ideal list takes
   the item of the highest gain at each rank. #}
{% macro gains(items, n, alpha, is_ideal) %}
-- All that a step reads is in its state: DuckDB 1.5 mixes up rows where list_reduce reads a column.
list_reduce(
    [{
        'left': {{ items }},
        -- what an item gains in each intent
        'weights': list_transform(range(list_max(flatten({{ items }}))), lambda intent: 1::DOUBLE),
        'gains': []::DOUBLE[]}]
    || list_transform(
        range({{ n }}), lambda step: {'left': []::INTEGER[][], 'weights': []::DOUBLE[], 'gains': []::DOUBLE[]}),
    lambda state, step: list_transform(
        [list_transform(
            {{ "state.left" if is_ideal else "state.left[:1]" }},
            -- Sorted, so that equal gains are equal to the bit.
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
