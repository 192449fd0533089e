-- {column} is a DOUBLE or FLOAT too large to be exact
-- Several users or items may share one id, since a floating-point number cannot hold so many digits.
-- Place: 140; Severity: warning
-- Write: read integers or strings from the source of rec and truth; here, digits are lost
SELECT DISTINCT
    name AS column_name, CASE name WHEN {{ of.user | literal }} THEN text END AS userid,
    CASE name WHEN {{ of.item | literal }} THEN text END AS itemid
FROM ids
WHERE is_inexact
