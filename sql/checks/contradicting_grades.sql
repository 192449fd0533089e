-- truth: ({user}, {item}) with different grades
-- The highest grade of the item counts.
-- Place: 320; Severity: warning
-- Write: keep the right one; the highest is used
SELECT
    userid IS NOT NULL AND itemid IS NOT NULL AND lowest < grade AS count
FROM pairs
