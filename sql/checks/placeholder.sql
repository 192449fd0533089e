-- {column}: ids that stand for a missing one
-- In both tables, they match: a missing item is a hit. -1 stands for one if no other id of either table is negative.
-- Place: 155; Severity: warning
-- Write: write NULL for them, or remove these rows
SELECT
    system, name AS column_name, sum(n)::BIGINT AS count,
    concat(CASE WHEN is_rec THEN 'rec: ' ELSE 'truth: ' END, name, ' is ''', min(text), ''', as if it were missing') AS problem,
    concat(name, ' ''', min(text), '''') AS example
FROM (SELECT *, regexp_extract(text, '^(-\d+)(\.0)?$', 1) AS negative FROM ids)
WHERE negative <> '' OR is_text AND trim(text) IN ('', 'nan', 'NaN', 'None', 'NULL', 'null', '<NA>', 'NaT', '\N', 'undefined')
GROUP BY is_rec, name, system, CASE negative WHEN '' THEN text ELSE '-' END
WINDOW of_name AS (PARTITION BY name)
QUALIFY min(negative) = '' OR max(max(negative)) OVER of_name = '-1' AND min(nullif(min(negative), '')) OVER of_name = '-1'
