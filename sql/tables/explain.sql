-- Explains the measures of one user: the lists rank by rank, and the relevant items that were missed.
--
-- ties: With 'expected', gain, DCG, NDCG, precision and recall are means over all orders of tied items.
-- Returns:    For each system one row per rank, then one per relevant item that is not in the top k, highest grade first.
--             `rank`: NULL for a missed item.
--             `itemid`: a UUID becomes a string.
--             `score`, `grade`, `relevant`: of the item. `grade` is NULL if truth has none, and a repeated item is a miss
--             without a grade.
--             `gain`: 2^grade - 1, or 0 for a miss.
--             `discount`: 1 / log2(rank + 1).
--             `contribution`: gain * discount.
--             `dcg`, `ideal_dcg`, `ndcg`, `precision`, `recall`: of the list down to this rank. In row k they are the
--             results of ranking.by_user. If the list is shorter than k, its last row has `ideal_dcg` and `ndcg` at k,
--             but `precision` still divides by the rank.
--             `found_at`: rank beyond k of a missed item; NULL if it is not in the list.
-- Errors:     A user in neither rec nor truth; it names a similar one.
-- Example:    SELECT rank, itemid, grade, gain, round(dcg, 4) AS dcg, round(ndcg, 4) AS ndcg, found_at
--             FROM ranking.explain('rec', 'truth', 'c24', 2) WHERE system = 'similar';
--
-- For a user in rec only, all measures, relevant and gain are NULL.
CREATE OR REPLACE MACRO ranking.explain(ARGUMENTS) AS TABLE
{% import "measures/internal/rules.jinja" as rules %}
{% import "measures/internal/gains.jinja" as gains %}
{% import "tables/internal/cutting.jinja" as cutting %}
{% import "tables/internal/judging.jinja" as judging %}
{% import "tables/internal/lists.jinja" as lists %}
{% import "tables/internal/reading.jinja" as reading %}
{# The item, a UUID as text: DuckDB makes no column of UUIDs and texts. #}
{% macro item(of) %}
{% set id = "CASE WHEN rank IS NULL THEN truth_items[place] ELSE rec_items[rank] END" %}
cast_to_type({{ id }}, struct_extract(
    {'text': '', 'same': rec_items[1]},
    CASE WHEN typeof(rec_items) IN ('UUID[]', '"NULL"[]') THEN 'text' ELSE 'same' END))
{%- endmacro %}

{# The gain of an item; with ties, the mean over the items of its tie. #}
{% macro gain(of) %}
{% if of.expected %}
list_sum(list_transform(
    list_filter(
        list_zip(ranks, lasts, judged_grades), lambda one: one[3] > 0 AND rank BETWEEN one[1] AND one[2]),
    lambda one: {{ gains.gain("one[3]", "exp") | indent(8) }} / (one[2] - one[1] + 1)))
{%- else %}
CASE WHEN grades[place] > 0 THEN {{ gains.gain("grades[place]", "exp") | indent(4) }} END
{%- endif %}
{% endmacro %}

{# The macro reads the argument `user` from the CTE `_ranking_user`, so that it can be a subquery or a column of LATERAL. #}
WITH {{ reading.tables(of) }}, user_rec AS MATERIALIZED (
    SELECT _ranking_rec.* FROM _ranking_rec CROSS JOIN _ranking_user WHERE {{ reading.is_user("userid", "id") | indent }}
), user_truth AS MATERIALIZED (
    SELECT _ranking_truth.* FROM _ranking_truth CROSS JOIN _ranking_user WHERE {{ reading.is_user("userid", "id") | indent }}
), {{ lists.truth_lists(of, "user_truth") }}, paired AS NOT MATERIALIZED (
    SELECT
        _ranking_systems.*, truth_lists.userid IS NOT NULL AS has_truth,
        coalesce(lists.items, []) AS rec_items, {% if of.expected %}lists.scores, {% endif %}lists.given_scores,
        {{ judging.truth(of) | indent(8) }}
    FROM _ranking_user
    LEFT JOIN _ranking_systems ON true
    LEFT JOIN truth_lists ON true
    LEFT JOIN (
        SELECT
            ranking_system,
            list(itemid ORDER BY score {{ of.order }} NULLS LAST, itemid ASC NULLS LAST) AS items,
            list(given_score ORDER BY score {{ of.order }} NULLS LAST, itemid ASC NULLS LAST, given_score DESC NULLS LAST)
                AS given_scores
            {%- if of.expected %}, list_sort(list(score), '{{ of.order }}', 'NULLS LAST') AS scores{% endif +%}
        FROM user_rec
        GROUP BY ranking_system) AS lists
        ON lists.ranking_system IS NOT DISTINCT FROM _ranking_systems.ranking_system
    WHERE {{ reading.is_right() }} AND CASE
        WHEN id IS NULL THEN error({{ of.caller | literal }} || ': user must be a userid, got NULL')
        WHEN NOT EXISTS (FROM user_rec) AND NOT EXISTS (FROM user_truth) THEN error(concat(
            {{ of.caller | literal }}, ': user must be in rec or in truth, got ',
            {{ rules.cut("id::VARCHAR") }},
            ': did you mean ' || (
                SELECT {{ rules.cut(reading.nearest_user("userid", "id")) | indent(16) }}
                FROM (
                    SELECT DISTINCT userid, id
                    FROM (SELECT userid::VARCHAR AS userid FROM _ranking_rec UNION ALL SELECT userid::VARCHAR FROM _ranking_truth)
                    CROSS JOIN _ranking_user
                    WHERE NOT EXISTS (FROM user_rec) AND NOT EXISTS (FROM user_truth))) || '?'))
        ELSE true
    END
), matched AS NOT MATERIALIZED (
    {{ judging.matched(of) | indent }}
), relevant_ranks AS NOT MATERIALIZED (
    SELECT * EXCLUDE (size), {{ judging.judgement() | indent(8) }}
        {%- if of.expected %}, {{ judging.copies() }} AS copies{% endif +%}
    FROM matched
), entries AS MATERIALIZED (
    SELECT
        *,
        unnest(
            list_transform(range(1, shown + 1), lambda rank: {
                'rank': rank,
                'place': found[list_position(found_ranks, rank)][2]::BIGINT,
                'found_at': NULL::BIGINT})
            || list_filter(
                list_transform(range(1, coalesce(len(truth_items), 0) + 1), lambda place: {
                    'rank': NULL::BIGINT,
                    'place': place,
                    'found_at': found_ranks[list_position(found_places, place)]::BIGINT}),
                lambda missed: coalesce(missed.found_at > shown, true)),
            recursive := true)
    FROM (
        SELECT
            *,
            least({{ of.k }}, size) AS shown,
            list_transform(found, lambda places: places[1]) AS found_ranks,
            list_transform(found, lambda places: places[2]) AS found_places
        FROM {% if of.expected %}({{ judging.tied() | indent(8) }}){% else %}relevant_ranks{% endif %})
), at_k AS NOT MATERIALIZED (
    SELECT
        {{ of.keys }}, has_truth, rank, {{ item(of) | indent(8) }} AS itemid,
        given_scores[coalesce(rank, found_at)] AS score,
        grades[place] AS grade,
        CASE WHEN has_truth THEN coalesce(grades[place] {{ of.is_relevant }}, false) END AS relevant,
        CASE WHEN has_truth AND rank IS NOT NULL THEN coalesce({{ gain(of) | indent(8) }}, 0) END AS gain,
        CASE WHEN rank IS NOT NULL THEN {{ gains.discount("rank", "log2", none, none) }} END AS discount,
        found_at,
        -- Rows without a rank have no measures; a user may have thousands of them.
        CASE WHEN rank IS NOT NULL THEN ranks END AS ranks,
        CASE WHEN rank IS NOT NULL THEN judged_grades END AS judged_grades,
        CASE WHEN rank IS NOT NULL THEN ideal END AS ideal,
        {% if of.expected %}
        CASE WHEN rank IS NOT NULL THEN lasts END AS lasts,
        {% endif %}
        size,
        CASE WHEN rank = shown THEN greatest(rank, {{ of.k }}) ELSE rank END AS k
    FROM entries
){{ cutting.values(of, "rank, itemid, score, grade, relevant, gain, discount, gain * discount AS contribution, found_at") }}
SELECT {{ of.system_first }}* EXCLUDE (ranking_system, found_at), found_at
FROM measured
WHERE rank IS NOT NULL OR relevant
ORDER BY ranking_system ASC NULLS LAST, rank ASC NULLS LAST, grade DESC NULLS LAST, itemid ASC NULLS LAST
