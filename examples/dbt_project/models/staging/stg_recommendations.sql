-- Columns that the table functions expect: [system,] userid, itemid, score.
select
    model as system,
    customer_id as userid,
    sku as itemid,
    score
from {{ ref('recommendations') }}
