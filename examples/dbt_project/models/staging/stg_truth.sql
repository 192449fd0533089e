-- The names that the table functions expect: userid, itemid [, rel]. Two stars or fewer are no success: grade 0.
select
    customer_id as userid,
    sku as itemid,
    greatest(stars - 2, 0) as rel
from {{ ref('ratings') }}
where rated_on >= date '{{ var("split_date") }}'
