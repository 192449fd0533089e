-- truth: items that are in no list
-- The systems do not recommend them, or write their ids in another form. The example has the most similar id of rec.
-- Place: 365; Severity: info; Of: ids of truth
SELECT
    any_value(unlisted) AS count, count(*) FILTER (is_known) AS of,
    concat(
        name, ' ', any_value(first), ' in truth, ',
        max({'similarity': jaro_winkler_similarity(text, first), 'text': text}) FILTER (systems IS NOT NULL).text,
        ' in rec') AS example
FROM distinct_ids
CROSS JOIN (
    SELECT count(*) AS unlisted, min(text) AS first FROM distinct_ids WHERE name = {{ of.item | literal }} AND systems IS NULL)
WHERE name = {{ of.item | literal }}
GROUP BY name
HAVING any_value(unlisted) BETWEEN count(*) FILTER (is_known) / 2 AND count(*) FILTER (is_known) - 1
