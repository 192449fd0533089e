-- truth: labels for items not in the catalog
-- These labels refer to items that cannot be found, for example after documents were split into chunks again. A row for each
-- system and k compares the mean recall with the mean without these labels, if they differ; it counts users, and is left out
-- with `unjudged` set to `skip`.
-- Place: 380; Severity: info; Of: pairs of truth; Needs: items
{% from "tables/internal/check.jinja" import changed_recalls %}
SELECT userid::VARCHAR AS userid, itemid::VARCHAR AS itemid, (SELECT count(itemid) FROM labels) AS of
FROM labels
WHERE is_gone
{% if not of.condensed %}
UNION ALL BY NAME
{{ changed_recalls(of) }}
{% endif %}
