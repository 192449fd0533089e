-- gain, discount, base, half_life: as for ranking.dcg
-- ideal:     length of the ideal ranking: 'cut' (default), min(k, |truth|); 'truth', |truth|; or 'k', k items of grade 1
-- Example:   SELECT ranking.ndcg(ranking.judge([1, 3, 2, 6], [1, 2, 4]), 2);  -- 0.6131471927654585
{% import 'measures/internal/gains.jinja' as gains %}
{% macro value(gain, discount, base, half_life, ideal, tied) %}
{% set weight = 'lambda _ranking_rank: ' ~ gains.discount('_ranking_rank', discount, base, half_life) %}
least(
    {{ gains.discounted_gain('grades[_ranking_place]', gains.weights(weight, tied), gain)|indent(4) }}
    / greatest({{ gains.ideal_gain('ideal[_ranking_place]', gain, discount, base, half_life, ideal)|indent(4) }}, 2 ** -1074),
    {{ gains.gain_fits("'ranking.ndcg'", gain, 'CASE WHEN k > 0 THEN ideal[1] END')|indent(4) }})
{%- endmacro %}

{# The error text if ideal=k cannot be computed, for other grades than 0 and 1 or a long list; NULL if there is none. #}
{% macro problem(gain, discount, base, half_life, ideal) %}
{{ ideal | choose(k=problem_of_k(), cut="", truth="") }}
{%- endmacro %}

{% macro problem_of_k() %}
CASE
    WHEN len(list_filter(ideal, lambda grade: grade > 0 AND grade <> 1)) > 0
        THEN format(
            'a grade above 0 must be 1 with ideal=k, got {:g}',
            list_filter(ideal, lambda grade: grade > 0 AND grade <> 1)[1])
    WHEN k > 10000 THEN concat('k must be 10000 or less with ideal=k, got ', k)
END
{%- endmacro %}
