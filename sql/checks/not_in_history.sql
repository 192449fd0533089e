-- history: ids of {column} in truth that are not in it
-- Cold users and cold items: the model has no history of them.
-- Place: 460; Severity: info; Of: ids of truth; Needs: history
{% import "tables/internal/reading.jinja" as reading %}
SELECT
    truths.id::VARCHAR AS userid, NULL AS itemid, {{ of.user | literal }} AS column_name, (SELECT count(*) FROM known_users) AS of
FROM known_users AS truths
ANTI JOIN _ranking_history AS events ON {{ reading.same(of, "truths.id", "events.userid") }}
UNION ALL BY NAME
SELECT
    NULL AS userid, truths.id::VARCHAR AS itemid, {{ of.item | literal }} AS column_name, (SELECT count(*) FROM known_items) AS of
FROM known_items AS truths
ANTI JOIN _ranking_history AS events ON {{ reading.same(of, "truths.id", "events.itemid") }}
