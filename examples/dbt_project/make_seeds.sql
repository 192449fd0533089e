-- Makes the three files in seeds/. In this directory:
--
--   python ../run_sql.py make_seeds.sql
--
-- 30 customers of 3 tastes rate some of 60 products in May 2026. Two models learn from the ratings before May 22
-- and recommend 30 unrated products to each customer: `popularity` by the number of all ratings, `similar` by the
-- ratings of customers with the same taste. Nothing is random: each draw is a hash.

CREATE TEMP MACRO draw(what, a, b) AS md5_number_lower(concat_ws('/', 5, what, a, b)) / 18446744073709551616.0;

CREATE TEMP TABLE people AS
SELECT
    c AS person,
    printf('c%02d', c) AS customer_id,
    ['new', 'regular', 'regular', 'loyal'][1 + floor(4 * draw('segment', c, 0))::INTEGER] AS segment,
    DATE '2025-01-01' + floor(400 * draw('since', c, 0))::INTEGER AS customer_since
FROM range(1, 31) AS t(c);

CREATE TEMP TABLE ratings AS
SELECT
    person,
    if(draw('focus', person, n) < 0.8,
       person % 3 + 3 * floor(20 * draw('product', person, n) ** 1.5),
       floor(60 * draw('product', person, n)))::INTEGER AS product,
    min(DATE '2026-05-01' + floor(31 * draw('day', person, n))::INTEGER) AS rated_on
FROM people, range(18) AS t(n)
GROUP BY ALL;

CREATE TEMP TABLE popular AS
SELECT
    taste,
    product,
    count(*) AS n_ratings,
    count(*) FILTER (person % 3 = taste) AS n_similar
FROM ratings, range(3) AS t(taste)
WHERE rated_on < DATE '2026-05-22'
GROUP BY ALL;

CREATE TEMP TABLE recommendations AS
WITH scored AS (
    SELECT 'popularity' AS model, taste, product, n_ratings::DOUBLE AS score FROM popular
    UNION ALL
    SELECT 'similar' AS model, taste, product, n_similar + n_ratings / 10 AS score FROM popular
)
SELECT model, customer_id, printf('p%02d', product) AS sku, score
FROM people JOIN scored ON taste = person % 3
ANTI JOIN (FROM ratings WHERE rated_on < DATE '2026-05-22') AS known
    ON known.person = people.person AND known.product = scored.product
QUALIFY row_number() OVER (PARTITION BY model, people.person ORDER BY score DESC, product) <= 30;

COPY (SELECT customer_id, segment, customer_since FROM people ORDER BY ALL)
TO 'seeds/customers.csv';

COPY (
    SELECT
        printf('c%02d', person) AS customer_id,
        printf('p%02d', product) AS sku,
        if(person % 3 = product % 3, 2, 1) + floor(4 * draw('stars', person, product))::INTEGER AS stars,
        rated_on
    FROM ratings
    ORDER BY rated_on, customer_id, sku
) TO 'seeds/ratings.csv';

COPY (SELECT model, customer_id, sku, score FROM recommendations ORDER BY model, customer_id, score DESC, sku)
TO 'seeds/recommendations.csv';
