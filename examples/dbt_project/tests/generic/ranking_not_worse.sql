{% test ranking_not_worse(model, baseline, measure, k) %}
-- The comparisons with this baseline in which a system is surely worse; `model` is what ranking_compare or
-- ranking_compare_by_user returns, whose `margin` says what is still the same. Nothing to compare fails too.
with compared as (
    select *
    from {{ model }}
    where baseline = '{{ baseline }}' and measure = '{{ measure }}' and k = {{ k }}
)

from compared
where verdict = 'worse'
union all by name
select '{{ baseline }}' as baseline, '{{ measure }}' as measure, 'nothing to compare' as verdict
where not exists (from compared)
{% endtest %}
