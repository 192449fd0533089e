select system, userid.fold as fold, userid.customer as userid, k, ndcg, recall
from ranking.by_user('{{ ref("fold_rec") }}', '{{ ref("fold_truth") }}', [10])
