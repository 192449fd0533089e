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
    SELECT cells.text, pattern
    FROM (
        SELECT text, pattern, trim(unnest(regexp_extract_all(text, pattern))) AS part
        FROM unlisted_items
        CROSS JOIN (SELECT unnest(['\S+', '[^|]+', '[^,]+', '[^;]+']) AS pattern)
        WHERE regexp_matches(text, '[\s|,;]')) AS cells
    LEFT JOIN (FROM ids WHERE is_rec AND name = {{ of.item | literal }}) AS listed ON cells.part = listed.text
    GROUP BY ALL
    HAVING count(DISTINCT part) > 1 AND count(DISTINCT part) = count(DISTINCT listed.text))
