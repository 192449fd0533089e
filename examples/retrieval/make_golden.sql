-- Makes the files of golden/: a golden set in BEIR's layout, the results of four systems, and their latency and cost. In this
-- directory:
--
--   python ../run_sql.py make_golden.sql
--
-- 120 queries to the bicycle shop of make_data.sql: up to three for each page, in its words, in other words or by number, and
-- 15 unanswerable ones on things that the shop does not sell (10 unjudged, 5 with only labels of grade 0). The pages were
-- chunked again after people labeled them: labels of six pages name a missing chunk. Nothing is random: each draw is a hash.

CREATE TEMP MACRO draw(what, a, b) AS md5_number_lower(concat_ws('/', 11, what, a, b)) / 18446744073709551616.0;

CREATE TEMP TABLE parts AS FROM (VALUES
    ('brake pads', 'stopping blocks', 'BP-12', true),
    ('derailleur', 'gear changer', 'DR-20', true),
    ('inner tube', 'air hose of a wheel', 'IT-28', true),
    ('headlight', 'front lamp', 'HL-05', true),
    ('chain', 'drive link', 'CH-31', true),
    ('battery', 'power pack', 'BA-44', true),
    ('saddle', 'seat', 'SA-09', true),
    ('pedal', 'foot rest', 'PE-17', true),
    ('mudguard', 'splash guard', 'MG-02', false),
    ('bell', 'ringer', 'BE-66', false),
    ('lock', 'theft guard', 'LO-71', false)
) AS t(part, other_word, number, is_sold);

CREATE TEMP TABLE tasks AS FROM (VALUES
    ('install', 'putting on a new'), ('adjust', 'setting up my'), ('clean', 'washing a dirty'),
    ('replace', 'swapping a worn out'), ('return', 'sending back my')
) AS t(task, other_words);

CREATE TEMP TABLE chunks AS
SELECT
    concat(document, '/', chunk) AS id, document, task, chunk, text,
    replace(substr(document, len(task) + 2), '-', ' ') AS part
FROM 'chunks.csv';

CREATE TEMP TABLE queries AS
SELECT printf('q%03d', row_number() OVER (ORDER BY draw('number', page, kind) ASC NULLS LAST, page, kind)) AS query, *
FROM (
    SELECT
        concat(task, '-', replace(part, ' ', '-')) AS page, task, part, kind, is_sold,
        CASE kind
            WHEN 'words' THEN format('{} {}', task, part)
            WHEN 'other words' THEN format('{} {}', other_words, other_word)
            ELSE format('{} {}', number, task)
        END AS text
    FROM parts CROSS JOIN tasks CROSS JOIN (VALUES ('words'), ('other words'), ('number')) AS kinds(kind)
    -- One query for each page on parts that are not sold, and 105 of the 120 for the others.
    QUALIFY row_number() OVER (
        PARTITION BY is_sold, CASE WHEN NOT is_sold THEN page END
        ORDER BY draw('kept', page, kind) ASC NULLS LAST, page ASC NULLS LAST, kind ASC NULLS LAST)
        <= CASE WHEN is_sold THEN 105 ELSE 1 END);

-- Grade 2 for the first chunk of the page, 1 for its second, and for every second page on the same part; others 0.
CREATE TEMP TABLE labels AS
SELECT
    query,
    CASE WHEN id LIKE '%/2' AND draw('cut', document, 2) < 0.33 THEN document || '/3' ELSE id END AS id,
    CASE
        WHEN document = page THEN 3 - chunk
        WHEN chunks.part = queries.part THEN 1
        ELSE 0
    END AS grade
FROM queries JOIN chunks ON CASE
    WHEN document = page THEN true
    WHEN chunk = 2 THEN false
    WHEN chunks.part = queries.part THEN chunks.task <> queries.task AND draw('kin', page, document) < 0.5
    ELSE chunks.task = queries.task AND draw('judged', query, id) < CASE WHEN is_sold THEN 0.25 ELSE 0.4 END
END
WHERE is_sold OR draw('unanswered', page, 1) < 0.46;

-- bm25 matches words and numbers, dense matches synonyms but hardly numbers, and every score has noise.
CREATE TEMP TABLE scores AS
SELECT
    query, id, kind, is_sold,
    round(
        CASE WHEN chunks.part = queries.part THEN CASE kind WHEN 'words' THEN 3 WHEN 'number' THEN 4 ELSE 0 END ELSE 0 END
        + CASE WHEN chunks.task = queries.task AND kind <> 'other words' THEN 1.5 ELSE 0 END
        + CASE WHEN kind = 'other words' AND is_sold THEN 0.9 ELSE 0 END - 0.4 * (chunk - 1)
        + 2 * draw('bm25', query, id) - 1, 4) AS bm25,
    round(
        1 - CASE WHEN chunks.part = queries.part THEN CASE kind WHEN 'number' THEN 0.1 ELSE 0.4 END ELSE 0 END
        - CASE WHEN chunks.task = queries.task THEN 0.2 ELSE 0 END + 0.05 * (chunk - 1)
        - 0.35 * draw('dense', query, id), 4) AS distance
FROM queries CROSS JOIN chunks;

CREATE TEMP TABLE bm25 AS
SELECT query, id, bm25 AS score, row_number() OVER best AS rank
FROM scores WHERE bm25 > 1.4
WINDOW best AS (PARTITION BY query ORDER BY bm25 DESC NULLS LAST, id ASC NULLS LAST) QUALIFY rank <= 10;

CREATE TEMP TABLE dense AS
SELECT query, id, distance AS score, row_number() OVER best AS rank
FROM scores
WINDOW best AS (PARTITION BY query ORDER BY distance ASC NULLS LAST, id ASC NULLS LAST) QUALIFY rank <= 10;

CREATE TEMP TABLE hybrid AS
SELECT query, id, score, row_number() OVER best AS rank
FROM (
    SELECT query, id, round(sum(1 / (60 + rank)), 6) AS score FROM (FROM bm25 UNION ALL FROM dense) GROUP BY query, id)
WINDOW best AS (PARTITION BY query ORDER BY score DESC NULLS LAST, id ASC NULLS LAST) QUALIFY rank <= 10;

-- A reranker of hybrid's top ten: right for most queries, and wrong for eight queries by number.
CREATE TEMP TABLE lost AS
SELECT query FROM queries
WHERE kind = 'number' AND is_sold ORDER BY draw('lost', query, 1) ASC NULLS LAST, query ASC NULLS LAST LIMIT 8;

CREATE TEMP TABLE reranked AS
SELECT query, id, score, row_number() OVER best AS rank
FROM (
    SELECT
        query, id,
        round(
            CASE WHEN query IN (FROM lost) THEN -0.6 ELSE 0.3 END * coalesce(grade, 0)
            + 30 * score + 0.7 * draw('reranked', query, id), 4) AS score
    FROM hybrid LEFT JOIN labels USING (query, id))
WINDOW best AS (PARTITION BY query ORDER BY score DESC NULLS LAST, id ASC NULLS LAST);

-- BEIR's layout.
COPY (SELECT query AS _id, text, {'kind': kind, 'page': page} AS metadata FROM queries ORDER BY query ASC NULLS LAST)
TO 'golden/queries.jsonl' (FORMAT json);
COPY (SELECT id AS _id, document AS title, text, {'task': task} AS metadata FROM chunks ORDER BY id ASC NULLS LAST)
TO 'golden/corpus.jsonl' (FORMAT json);
COPY (
    SELECT query AS "query-id", id AS "corpus-id", grade AS score FROM labels ORDER BY query ASC NULLS LAST, id ASC NULLS LAST
) TO 'golden/qrels.tsv' (DELIMITER '\t');

-- Two runs in TREC's format, the second with distances, and two logs with a list for each query.
COPY (SELECT query, 'Q0', id, rank, score, 'bm25' FROM bm25 ORDER BY query ASC NULLS LAST, rank ASC NULLS LAST)
TO 'golden/bm25.trec' (FORMAT csv, DELIMITER ' ', HEADER false);
COPY (SELECT query, 'Q0', id, rank, score, 'dense' FROM dense ORDER BY query ASC NULLS LAST, rank ASC NULLS LAST)
TO 'golden/dense.trec' (FORMAT csv, DELIMITER ' ', HEADER false);
COPY (
    SELECT query AS query_id, list({'chunk_id': id, 'score': score} ORDER BY rank ASC NULLS LAST) AS results
    FROM hybrid GROUP BY query ORDER BY query ASC NULLS LAST
) TO 'golden/hybrid.jsonl' (FORMAT json);
COPY (
    SELECT query AS query_id, list({'chunk_id': id, 'score': score} ORDER BY rank ASC NULLS LAST) AS results
    FROM reranked GROUP BY query ORDER BY query ASC NULLS LAST
) TO 'golden/reranked.jsonl' (FORMAT json);

-- Latency and cost of each query, including unanswerable ones.
COPY (
    SELECT
        system, query AS query_id,
        round(ms * exp(0.6 * (draw('ms', system, query) + draw('ms again', system, query) - 1)))::INTEGER AS latency_ms,
        round(cents * (0.8 + 0.4 * draw('cents', system, query)), 4) AS cost_cents
    FROM queries CROSS JOIN (VALUES ('bm25', 8, 0.001), ('dense', 34, 0.004), ('hybrid', 39, 0.005), ('reranked', 210, 0.09))
        AS systems(system, ms, cents)
    ORDER BY system ASC NULLS LAST, query ASC NULLS LAST
) TO 'golden/cost.csv';
