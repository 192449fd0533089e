{% test ranking_no_problems(model, truth, ks=[10], codes=[], allow=[], options='') %}
-- Returns the errors and warnings of ranking.check, of all codes or of `codes`, except those of `allow`. `model` has the
-- recommendations. `options` are further arguments, for example `history := 'train'`.
select *
from ranking.check('{{ model }}', '{{ truth }}', ks := {{ ks }}{{ ', ' ~ options if options }})
where severity in ('error', 'warning')
{%- if codes %} and code in ('{{ codes | join("', '") }}'){% endif %}
{%- if allow %} and code not in ('{{ allow | join("', '") }}'){% endif %}
{% endtest %}
