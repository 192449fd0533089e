-- history: ids of {column} in truth that are not in it
-- Cold users and cold items: the model has no history of them.
-- Place: 460; Severity: info; Of: ids of truth; Needs: history
{% from "tables/internal/check.jinja" import as_text %}
SELECT
    CASE name WHEN {{ of.user | literal }} THEN text END AS userid,
    CASE name WHEN {{ of.item | literal }} THEN text END AS itemid,
    name AS column_name, n_truth AS of
FROM distinct_ids
JOIN names USING (name)
ANTI JOIN (
    SELECT {{ of.user | literal }} AS name, {{ as_text("userid") }} AS text FROM _ranking_history GROUP BY userid
    UNION ALL
    SELECT {{ of.item | literal }}, {{ as_text("itemid") }} FROM _ranking_history GROUP BY itemid) AS events USING (name, text)
WHERE is_known
