-- Columns that the table functions expect: userid, itemid [, rel]. Two stars or fewer are not relevant: grade 0.
select
    customer_id as userid,
    sku as itemid,
    greatest(stars - 2, 0) as rel
from {{ ref('ratings') }}
where rated_on >= date '{{ var("split_date") }}'
