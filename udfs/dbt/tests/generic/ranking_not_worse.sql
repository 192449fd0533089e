{% test ranking_not_worse(model, baseline, measure=none, k=none, confidence=0.95) %}
-- Returns the comparisons with this baseline in which a system is significantly worse. `measure` and `k` are one value or a
-- list; by default, all are tested. p is adjusted over all rows of the test. Rows of segments are adjusted separately from
-- those of all users, so a test of both errs in up to twice 1 - confidence. `model` has the rows of ranking.compare or
-- ranking.compare_by_user; pass the `margin` of equivalence there. The test also fails if it could not fail otherwise: p of n
-- users is never below 2^(1 - n), so few users are never significantly worse.
{%- set measures = [measure] if measure is string else measure or [] %}
{%- set ks = [k] if k is number else k or [] %}
with looked_at as (
    select *
    from {{ model }}
    where baseline = '{{ baseline }}'
    {%- if measures %} and measure in ('{{ measures | join("', '") }}'){% endif %}
    {%- if ks %} and k in ({{ ks | join(", ") }}){% endif %}
), gated as (
    select *, 2.0 ** (1 - users) * regexp_extract(method, 'of (\d+)$', 1)::bigint < 1 - {{ confidence }} as may_be_worse
    from ranking.gate('looked_at', confidence := {{ confidence }})
)

select * exclude (may_be_worse)
from gated
where verdict = 'worse'
{%- for one in measures or [none] %}{% for cut in ks or [none] %}
union all by name
select '{{ one or "any measure" }}' as measure, 'nothing to compare, or too few users' as verdict
where not exists (
    from gated
    where p is not null and may_be_worse
    {%- if one %} and measure = '{{ one }}'{% endif %}{% if cut %} and k = {{ cut }}{% endif %}
)
{%- endfor %}{% endfor %}
{% endtest %}
