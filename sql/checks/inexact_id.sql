-- {column} is a DOUBLE or FLOAT too large to be exact
-- Several users or items may share one id, since a floating-point number cannot hold so many digits.
-- Place: 140; Severity: warning
-- Write: read integers or strings from the source of rec and truth; here, digits are lost
{% from "tables/internal/check.jinja" import inexact %}
{{ inexact("user", of.user | literal) }}
UNION ALL BY NAME
{{ inexact("item", of.item | literal) }}
