-- truth: items that are in no list
-- The systems do not recommend them, or write their ids in another form. The example has the most similar id of rec.
-- Place: 365; Severity: info; Of: ids of truth
SELECT
    any_value(unlisted) AS count, count(*) FILTER (NOT is_rec) AS of,
    concat(
        name, ' ', any_value(first), ' in truth, ',
        max({'similarity': jaro_winkler_similarity(text, first), 'text': text}) FILTER (is_rec).text, ' in rec') AS example
FROM (SELECT count(*) AS unlisted, min(text) AS first FROM unlisted_items)
CROSS JOIN (FROM ids WHERE name = {{ of.item | literal }})
GROUP BY name
HAVING any_value(unlisted) BETWEEN count(*) FILTER (NOT is_rec) / 2 AND count(*) FILTER (NOT is_rec) - 1
