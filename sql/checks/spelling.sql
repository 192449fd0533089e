-- {column}: ids that match truth except for their spelling
-- Ids differ only in a form that FORMS of `compose/problems.py` lists, such as case or blanks. These users count as users
-- without truth, and these items cannot be hits.
-- Place: 45; Severity: error from 0.05, warning; Of: ids of rec
-- Write: write the ids the same way in both tables; FORMS
SELECT
    alike IS NOT NULL AS count,
    name AS column_name,
    CASE WHEN name = {user} THEN listed END AS userid,
    CASE WHEN name = {item} THEN listed END AS itemid,
    concat(
        name, ' ', min(format('''{}'' for ''{}''', listed, alike)) FILTER (alike IS NOT NULL), ' (',
        array_to_string(list_sort(list_distinct(flatten(list(differences) FILTER (alike IS NOT NULL))), 'ASC'), ', '),
        ')') AS example
FROM matched
