{% test ranking_not_worse(model, baseline, measure=none, k=none, confidence=0.95) %}
-- The comparisons with this baseline in which a system is surely worse, of all measures and k or of those that are named
-- (one, or a list). p is corrected over all that the test looks at, rows of segments apart from those of all users, so that a
-- test that looks at both errs in up to twice 1 - confidence. `model` is what ranking.compare or
-- ranking.compare_by_user returns, whose `margin` says what is still the same. Nothing to compare fails too.
{%- set measures = [measure] if measure is string else measure or [] %}
{%- set ks = [k] if k is number else k or [] %}
with looked_at as (
    select *
    from {{ model }}
    where baseline = '{{ baseline }}'
    {%- if measures %} and measure in ('{{ measures | join("', '") }}'){% endif %}
    {%- if ks %} and k in ({{ ks | join(", ") }}){% endif %}
)

from ranking.gate('looked_at', confidence := {{ confidence }})
where verdict = 'worse'
{%- for one in measures or [none] %}{% for cut in ks or [none] %}
union all by name
select '{{ one or "any measure" }}' as measure, 'nothing to compare' as verdict
where not exists (
    from looked_at
    where p is not null
    {%- if one %} and measure = '{{ one }}'{% endif %}{% if cut %} and k = {{ cut }}{% endif %}
)
{%- endfor %}{% endfor %}
{% endtest %}
