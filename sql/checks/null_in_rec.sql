-- rec: {column} is NULL or NaN
-- Rows without a user are excluded. A row without an item keeps its rank and is never a hit. NULL and NaN scores rank last.
-- Place: 160; Severity: warning; Of: rows of rec
SELECT len(without_user) AS count, without_user AS items, {user} AS column_name FROM user_lists
UNION ALL
SELECT n_without_item AS count, {item} AS column_name FROM user_lists
UNION ALL
SELECT len(without_score) AS count, without_score AS items, {score} AS column_name FROM user_lists
