{% test ranking_not_worse(model, baseline, measure=none, k=none, confidence=0.95) %}
-- Returns the comparisons with this baseline in which a system is significantly worse. `measure` and `k` are one value or a
-- list; by default, all are tested. p is adjusted over all rows of the test. Rows of segments are adjusted separately from
-- those of all users, so a test of both errs in up to twice 1 - confidence. `model` has the rows of ranking.compare or
-- ranking.compare_by_user; pass the `margin` of equivalence there. The test also fails if there is nothing to compare.
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
