select
    segment,
    system,
    k,
    count(*) as users,
    avg(recall) as recall,
    avg(ndcg) as ndcg,
    avg((hit_rate = 0)::integer) as share_without_hit
from {{ ref('ranking_by_user') }}
left join {{ ref('stg_users') }} using (userid)
group by all
