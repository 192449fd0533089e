-- This run compared with the one before, and each model with the baseline. A difference within the margin is equivalent: the
-- verdict is `same`.
from ranking.compare_by_user('{{ ref("ranking_two_runs") }}', baseline := 'run before', margin := {{ var("margin") }})
union all by name
from ranking.compare_by_user('{{ ref("ranking_by_user") }}', baseline := '{{ var("baseline") }}', margin := {{ var("margin") }})
