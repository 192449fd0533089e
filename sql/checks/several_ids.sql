-- truth: items with several ids in one string
-- No such item is in a list, but each of its parts is. The example has the SELECT that makes a row for each id.
-- Place: 47; Severity: error
-- Write: give truth a row for each id, as in the example
SELECT
    count(*) AS count,
    format(
        '{} ''{}'': SELECT * REPLACE (unnest(string_split({}, ''{}'')) AS {}) FROM truth', {{ of.item | literal }}, min(text),
        {{ of.item | identifier | literal }}, min(separator), {{ of.item | identifier | literal }}) AS example
FROM (
    SELECT cells.text, separator
    FROM (
        SELECT text, separator, trim(unnest(string_split(text, separator))) AS part
        FROM unlisted_items
        CROSS JOIN (SELECT unnest([' ', '|', ',', ';']) AS separator)
        WHERE contains(text, separator)) AS cells
    LEFT JOIN (FROM ids WHERE is_rec AND name = {{ of.item | literal }}) AS listed ON cells.part = listed.text
    GROUP BY ALL
    HAVING count(DISTINCT part) = count(DISTINCT listed.text))
