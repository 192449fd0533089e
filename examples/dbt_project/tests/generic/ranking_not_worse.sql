{% test ranking_not_worse(model, baseline, measure, k, margin=0) %}
-- The comparisons with this baseline in which a system is worse, surely (that is the verdict) and by more than the
-- margin; `model` is what ranking_compare or ranking_compare_by_user returns. Nothing to compare fails too.
with compared as (
    select *
    from {{ model }}
    where baseline = '{{ baseline }}' and measure = '{{ measure }}' and k = {{ k }}
)

from compared
where verdict = 'worse' and abs(difference) > {{ margin }}
union all by name
select '{{ baseline }}' as baseline, '{{ measure }}' as measure, 'nothing to compare' as verdict
where not exists (from compared)
{% endtest %}
