-- rec: ({user}, {item}) repeated in the top k = {k}
-- Only the first occurrence can be a hit. Later ones count as non-relevant and keep their rank.
-- Place: 170; Severity: warning; Of: rows of rec
SELECT len(repeated) AS count, repeated AS items, {cutoff} AS k FROM user_lists
