-- List functions, for options and beyond-accuracy measures.
with rec as (
    select system, userid, list(itemid order by score desc, itemid) as items
    from {{ ref('stg_recommendations') }}
    group by all
),

truth as (
    select userid, map_from_entries(list((itemid, rel))) as grades
    from {{ ref('stg_truth') }}
    group by userid
)

select
    system,
    ranking.catalog_coverage(items[:10], (select count(distinct itemid) from {{ ref('stg_recommendations') }}))
        as catalog_coverage,
    avg(ndcg(items, grades, 10, 'gain=linear')) as ndcg_linear,
    avg(recall(items, grades, 10, 'normalize=min')) as capped_recall
from rec
left join truth using (userid)
group by system
