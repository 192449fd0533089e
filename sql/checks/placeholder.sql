-- {column}: ids that stand for a missing one
-- Such ids match one another, so that a missing item of rec is a hit for a missing item of truth.
-- Place: 155; Severity: warning
-- Write: write NULL for them, or remove these rows
SELECT
    system, name AS column_name, sum(n)::BIGINT AS count,
    concat(CASE WHEN is_rec THEN 'rec: ' ELSE 'truth: ' END, name, ' is ''', min(text), ''', as if it were missing') AS problem,
    concat(name, ' ''', min(text), '''') AS example
FROM ids
WHERE text ^@ '-' OR is_text AND trim(text) IN ('', 'nan', 'NaN', 'None', 'NULL', 'null', '<NA>', 'NaT', '\N', 'undefined')
GROUP BY is_rec, name, system, CASE WHEN text ^@ '-' THEN '-' ELSE text END
HAVING min(text) NOT LIKE '-%' OR min(text) IN ('-1', '-1.0') AND min(text) = max(text)
