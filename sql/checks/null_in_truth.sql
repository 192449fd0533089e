-- truth: {column} is NULL
-- Rows without a user are excluded. A row without an item is never found. A user who has no other row has no relevant item.
-- Place: 260; Severity: warning; Of: rows of truth
SELECT n * (userid IS NULL)::BIGINT AS count, {user} AS column_name FROM pairs
UNION ALL
SELECT n_null_items AS count, {item} AS column_name FROM users
