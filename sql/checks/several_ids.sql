-- truth: items with several ids in one string
-- No such item is in a list, but each of its parts is. The example has the SELECT that makes a row for each id.
-- Place: 47; Severity: error
-- Write: give truth a row for each id, as in the example
SELECT
    count(*) AS count,
    format(
        '{} ''{}'': SELECT * REPLACE (trim(unnest(regexp_extract_all({}, ''{}''))) AS {}) FROM truth', {{ of.item | literal }},
        min(text), {{ of.item | identifier | literal }}, min(pattern), {{ of.item | identifier | literal }}) AS example
FROM (
    SELECT text, pattern
    FROM (
        SELECT text, pattern, trim(unnest(regexp_extract_all(text, pattern))) AS part
        FROM distinct_ids
        CROSS JOIN (SELECT unnest(['\S+', '[^|]+', '[^,]+', '[^;]+']) AS pattern)
        WHERE name = {{ of.item | literal }} AND systems IS NULL AND regexp_matches(text, '[\s|,;]'))
    GROUP BY text, pattern
    HAVING min(part) < max(part) AND bool_and(part IN (
        SELECT text FROM distinct_ids WHERE name = {{ of.item | literal }} AND systems IS NOT NULL)))
