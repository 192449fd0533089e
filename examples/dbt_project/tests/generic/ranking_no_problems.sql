{% test ranking_no_problems(model, truth, ks=[10], codes=[], options='') %}
-- The rows of ranking.check that are wrong or doubtful, of all codes or of those that are named; `model` has the
-- recommendations, `options` are further arguments, as `history := 'train'`.
select *
from ranking.check('{{ model }}', '{{ truth }}', ks := {{ ks }}{{ ', ' ~ options if options }})
where severity in ('wrong', 'doubtful')
{%- if codes %} and code in ('{{ codes | join("', '") }}'){% endif %}
{% endtest %}
