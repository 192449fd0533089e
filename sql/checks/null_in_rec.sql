-- rec: {column} is NULL or NaN
-- Rows without a user are excluded. A row without an item keeps its rank and is never a hit. NULL and NaN scores rank last.
-- Place: 160; Severity: warning; Of: rows of rec
SELECT userid IS NULL AS count, {user} AS column_name FROM rows
UNION ALL
SELECT itemid IS NULL AS count, {item} AS column_name FROM rows
UNION ALL
SELECT score IS NULL AS count, {score} AS column_name FROM rows
