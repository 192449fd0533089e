-- Each customer counts once, with the mean over the folds, since four values of one customer are not independent.
with by_customer as (
    select system, userid, k, ranking.mean(ndcg) as ndcg from {{ ref('fold_by_user') }} group by all
)

from ranking.compare_by_user(
    'by_customer', baseline := '{{ var("baseline") }}', margin := {{ var("margin") }})
