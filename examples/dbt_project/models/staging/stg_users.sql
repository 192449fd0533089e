select
    customer_id as userid,
    segment,
    customer_since
from {{ ref('customers') }}
