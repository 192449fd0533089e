-- The quality gate: fails when the last run's NDCG is more than `max_ndcg_drop` below that of the run before.
with runs as (
    select
        run_date,
        system,
        k,
        lag(ndcg) over (partition by system, k order by run_date) as ndcg_before,
        ndcg
    from {{ ref('ranking_history') }}
)

select *
from runs
where run_date = (select max(run_date) from runs)
    and (ndcg is null or ndcg < ndcg_before - {{ var("max_ndcg_drop") }})
