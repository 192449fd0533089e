-- Searches the chunks for every query, by BM25 and by vectors, in DuckDB's SQL. search.md runs it. In the root of a clone:
--
--   duckdb help.duckdb < examples/retrieval/search.sql
--
-- It makes the tables chunks, queries, judgments and found (a row per system, query and chunk).

CREATE OR REPLACE TABLE chunks AS
SELECT * REPLACE (vector::FLOAT[13] AS vector) FROM 'examples/retrieval/chunks.csv';
CREATE OR REPLACE TABLE queries AS
SELECT * REPLACE (vector::FLOAT[13] AS vector) FROM 'examples/retrieval/queries.csv';
CREATE OR REPLACE TABLE judgments AS FROM 'examples/retrieval/judgments.csv';

CREATE OR REPLACE TEMP MACRO words_of(text) AS regexp_extract_all(lower(text), '[a-z0-9]+');

-- BM25 with k1 = 1.2 and b = 0.75 (Robertson and Zaragoza, 2009); the weight of a word is Lucene's, so it is never negative.
CREATE OR REPLACE TABLE full_text AS
WITH words AS (
    SELECT document, chunk, unnest(words_of(text)) AS word FROM chunks
), counts AS (
    SELECT document, chunk, word, count(*) AS n FROM words GROUP BY ALL
), lengths AS (
    SELECT document, chunk, len(words_of(text)) AS length FROM chunks
), weights AS (
    SELECT word, ln(1 + ((SELECT count(*) FROM chunks) - count(*) + 0.5) / (count(*) + 0.5)) AS weight
    FROM counts GROUP BY word
)
SELECT
    'bm25' AS system,
    query,
    document,
    chunk,
    -- Rounded, since the last digit of a sum depends on the order of its rows.
    round(sum(weight * n * 2.2 / (n + 1.2 * (0.25 + 0.75 * length / (SELECT avg(length) FROM lengths)))), 9) AS score
FROM (SELECT query, unnest(list_distinct(words_of(text))) AS word FROM queries)
JOIN counts USING (word)
JOIN weights USING (word)
JOIN lengths USING (document, chunk)
GROUP BY ALL;

CREATE OR REPLACE TABLE found AS
FROM full_text
UNION ALL
SELECT 'vector', query, document, chunk, array_cosine_similarity(queries.vector, chunks.vector)
FROM queries CROSS JOIN chunks
QUALIFY row_number() OVER (
    PARTITION BY query ORDER BY array_cosine_similarity(queries.vector, chunks.vector) DESC, document, chunk) <= 30;
