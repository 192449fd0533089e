-- rec: scores look like ranks; truth does not decide
-- Scores are 1 to n or a `rank` column contradicts them. Relevant items do not rank below the others, nor are they above them by
-- 1.65 standard errors.
-- Place: 100; Severity: warning; Of: lists
-- Write: if rank 1 is the best: write {descending=false}
SELECT
    lists * (looks_ranked AND NOT is_surely_below AND NOT coalesce(below > above, false) AND NOT is_above)::BIGINT AS total,
    lists AS of,
    true AS row
FROM evidence
