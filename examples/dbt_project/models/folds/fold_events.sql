-- Every rating in each of four folds, as train, test or neither. Each fold has its own truth, so the fold is part of the user id.
-- Two stars or fewer are not relevant: grade 0.
select
    {'fold': fold, 'customer': customer_id} as userid, sku as itemid, greatest(stars - 2, 0) as rel, rated_on, part, dropped
from ranking.split(
    '{{ ref("ratings") }}', test_size := interval 5 day, folds := 4,
    user_col := 'customer_id', item_col := 'sku', time_col := 'rated_on')
