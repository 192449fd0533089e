-- Six measures on binary judgments, as in the query of Hivemall's documentation: the measures are aggregates.
--
-- Run it after ranking_udfs.register(con, hivemall=True). The only change is the quotes around "precision", a keyword of DuckDB.
--
-- Tables:  CREATE TABLE dummy_rec AS FROM 'examples/data/dummy_rec.csv';
--          CREATE TABLE dummy_truth AS FROM 'examples/data/dummy_truth.csv';
-- Returns: one row: each measure at max_k = 4 and at 2, the mean over the three users
-- Result:  recall 0.6666666666666666, at 2 0.3333333333333333;  precision 0.5, at 2 0.5;
--          average_precision 0.5555555555555555, at 2 0.3333333333333333;  auc 0.75, at 2 1.0;
--          mrr 1.0, at 2 1.0;  ndcg 0.7039180890341349, at 2 0.6131471927654585
-- Source:  Hivemall, ranking measures; https://hivemall.apache.org/userguide/eval/rank.html

with truth as (
  select userid, collect_set(itemid) as truth
  from dummy_truth
  group by userid
),
rec as (
  select
    userid,
    map_values(to_ordered_map(score, itemid, true)) as rec,
    cast(count(itemid) as int) as max_k
  from dummy_rec
  group by userid
)
select
  -- rec = [1,3,2,6], truth = [1,2,4] for each user
  -- Recall@k
  recall(t1.rec, t2.truth, t1.max_k) as recall,
  recall(t1.rec, t2.truth, 2) as recall_at_2,
  -- Precision@k
  "precision"(t1.rec, t2.truth, t1.max_k) as precision,
  "precision"(t1.rec, t2.truth, 2) as precision_at_2,
  -- MAP
  average_precision(t1.rec, t2.truth, t1.max_k) as average_precision,
  average_precision(t1.rec, t2.truth, 2) as average_precision_at_2,
  -- AUC
  auc(t1.rec, t2.truth, t1.max_k) as auc,
  auc(t1.rec, t2.truth, 2) as auc_at_2,
  -- MRR
  mrr(t1.rec, t2.truth, t1.max_k) as mrr,
  mrr(t1.rec, t2.truth, 2) as mrr_at_2,
  -- NDCG
  ndcg(t1.rec, t2.truth, t1.max_k) as ndcg,
  ndcg(t1.rec, t2.truth, 2) as ndcg_at_2
from rec t1
join truth t2 on (t1.userid = t2.userid)
;
