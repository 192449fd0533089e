-- Is this run better than the one before, and are the models better than the baseline? What is surely less than the margin
-- is the same.
from ranking.compare_by_user('{{ ref("ranking_two_runs") }}', baseline := 'run before', margin := {{ var("margin") }})
union all by name
from ranking.compare_by_user('{{ ref("ranking_by_user") }}', baseline := '{{ var("baseline") }}', margin := {{ var("margin") }})
