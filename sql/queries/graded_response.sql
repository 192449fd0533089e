-- NDCG on graded judgments, as in the query of Hivemall's documentation: ndcg is an aggregate.
--
-- Run it after ranking_udfs.register(con, hivemall=True).
--
-- Table:   CREATE TABLE dummy_recrel AS FROM 'examples/data/dummy_recrel.csv';
-- Returns: one row: NDCG of the top 2 and of the top 3, the mean over the three users
-- Source:  Hivemall, ranking measures; https://hivemall.apache.org/userguide/eval/rank.html

with truth as (
  select userid, map_keys(to_ordered_map(relscore, itemid, true)) as truth
  from dummy_recrel
  group by userid
),
rec as (
  select
    userid,
    map_values (
      to_ordered_map(score, struct(relscore, itemid), true)
    ) as rec,
    cast(count(itemid) as int) as max_k
  from dummy_recrel
  group by userid
)
select
  -- top-2 recommendation
  ndcg(t1.rec, t2.truth, 2), -- => 0.8128912838590544
  -- top-3 recommendation
  ndcg(t1.rec, t2.truth, 3) -- => 0.9187707805346093
from rec t1
join truth t2 on (t1.userid = t2.userid)
;
