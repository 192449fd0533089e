-- This run and the one before it, for ranking.compare_by_user: the system is the run, and the segment is the model. The first
-- run is compared with itself.
with runs as (
    select 'this run' as run, {{ run_date() }} as run_date
    union all
    select 'run before' as run, coalesce(max(run_date), {{ run_date() }}) as run_date
    from {{ ref('ranking_by_user_history') }}
    where run_date < {{ run_date() }}
)

select
    runs.run as system,
    history.system as segment,
    history.* exclude (run_date, system)
from runs
join {{ ref('ranking_by_user_history') }} as history using (run_date)
