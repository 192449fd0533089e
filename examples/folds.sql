-- From events to a verdict over four folds: split, two models in SQL, measures, comparison.
--
--   python examples/run_sql.py examples/folds.sql
--
-- Each fold has its own truth, so the fold is part of the user id: a customer is evaluated again in each fold.

CREATE TEMP TABLE split AS
SELECT {'fold': fold, 'customer': customer_id} AS userid, sku AS itemid, * EXCLUDE (customer_id, sku)
FROM ranking.split('examples/dbt_project/seeds/ratings.csv', test_size := INTERVAL 5 DAY, folds := 4,
    user_col := 'customer_id', item_col := 'sku', time_col := 'rated_on');

-- Events by fold and part
SELECT fold, part, dropped, count(*) AS events, count(DISTINCT userid) AS users, count(DISTINCT itemid) AS items,
    min(rated_on) AS first, max(rated_on) AS last
FROM split GROUP BY ALL ORDER BY fold, first;

CREATE TEMP TABLE train AS SELECT userid, itemid FROM split WHERE part = 'train';
-- Two stars or fewer are not relevant: grade 0.
CREATE TEMP TABLE truth AS SELECT userid, itemid, greatest(stars - 2, 0) AS rel FROM split WHERE part = 'test';

-- Model 1: the items that most customers of the fold have.
CREATE TEMP TABLE popular AS
SELECT userid.fold AS fold, itemid, count(*) AS n_users FROM train GROUP BY ALL;

-- Model 2: the items most similar to the customer's, by the cosine of two items' users. DECIMAL, since a sum of
-- DOUBLE depends on the order of its rows.
CREATE TEMP TABLE neighbors AS
SELECT a.userid.fold AS fold, a.itemid, b.itemid AS other,
    (count(*) / sqrt(any_value(p.n_users) * any_value(q.n_users)))::DECIMAL(9, 6) AS similarity
FROM train AS a
JOIN train AS b ON a.userid = b.userid AND a.itemid <> b.itemid
JOIN popular AS p ON p.fold = a.userid.fold AND p.itemid = a.itemid
JOIN popular AS q ON q.fold = b.userid.fold AND q.itemid = b.itemid
GROUP BY ALL;

-- Remove already-seen items from both.
CREATE TEMP TABLE rec AS
FROM (
    SELECT 'popularity' AS system, userid, itemid, n_users::DOUBLE AS score
    FROM (SELECT DISTINCT userid FROM train) JOIN popular ON popular.fold = userid.fold
    UNION ALL
    SELECT 'similar', userid, other, sum(similarity)::DOUBLE
    FROM train JOIN neighbors ON neighbors.fold = userid.fold AND neighbors.itemid = train.itemid
    GROUP BY userid, other
)
ANTI JOIN train USING (userid, itemid)
QUALIFY row_number() OVER (PARTITION BY system, userid ORDER BY score DESC, itemid) <= 10;

-- Problems in the data
FROM ranking.check('rec', 'truth', history := 'train');

CREATE TEMP TABLE by_user AS
SELECT system, userid.fold AS fold, userid.customer AS userid, k, ndcg, recall
FROM ranking.by_user('rec', 'truth', [10]);

-- Measures by fold
SELECT system, fold, count(*) AS users, round(ranking.mean(ndcg), 4) AS ndcg, round(ranking.mean(recall), 4) AS recall
FROM by_user GROUP BY ALL ORDER BY ALL;

CREATE TEMP TABLE by_customer AS
SELECT system, userid, k, ranking.mean(ndcg) AS ndcg FROM by_user GROUP BY ALL;

-- Comparison: each customer counts once, with the mean over the folds, since four values of one customer are not independent.
SELECT system, users, round(difference, 4) AS difference, round(low, 4) AS low, round(high, 4) AS high, verdict
FROM ranking.compare_by_user('by_customer', baseline := 'popularity');

-- A report of the latest fold:
--   COPY (FROM rec WHERE userid.fold = 1) TO 'rec.parquet'; COPY (FROM truth WHERE userid.fold = 1) TO 'truth.parquet'
--   ranking-udfs report rec.parquet truth.parquet --baseline popularity -m ndcg --output report.html
