-- Every rating in each of four folds, as train, test or neither. Folds differ in truth, so a fold is a part of the user.
-- Two stars or fewer are no success: grade 0.
select
    {'fold': fold, 'customer': customer_id} as userid, sku as itemid, greatest(stars - 2, 0) as rel, rated_on, part, dropped
from ranking.split(
    '{{ ref("ratings") }}', test_size := interval 5 day, folds := 4,
    user_col := 'customer_id', item_col := 'sku', time_col := 'rated_on')
