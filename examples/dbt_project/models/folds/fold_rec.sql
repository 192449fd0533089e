-- Two models trained on the train part of a fold, without already-seen items.
with train as (
    select userid, itemid from {{ ref('fold_events') }} where part = 'train'
),

popular as (
    select userid.fold as fold, itemid, count(*) as n_users from train group by all
),

-- The cosine of two items' users. DECIMAL, since a sum of DOUBLE depends on the order of its rows.
neighbors as (
    select a.userid.fold as fold, a.itemid, b.itemid as other,
        (count(*) / sqrt(any_value(p.n_users) * any_value(q.n_users)))::decimal(9, 6) as similarity
    from train as a
    join train as b on a.userid = b.userid and a.itemid <> b.itemid
    join popular as p on p.fold = a.userid.fold and p.itemid = a.itemid
    join popular as q on q.fold = b.userid.fold and q.itemid = b.itemid
    group by all
),

scored as (
    select 'popularity' as system, userid, itemid, n_users::double as score
    from (select distinct userid from train) join popular on popular.fold = userid.fold
    union all
    select 'similar' as system, userid, other as itemid, sum(similarity)::double as score
    from train join neighbors on neighbors.fold = userid.fold and neighbors.itemid = train.itemid
    group by all
)

select system, userid, itemid, score
from scored anti join train using (userid, itemid)
qualify row_number() over (partition by system, userid order by score desc, itemid) <= 10
