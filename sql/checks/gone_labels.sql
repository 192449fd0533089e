-- truth: labels for items not in the catalog
-- These labels refer to items that cannot be found, for example after documents were split into chunks again. A row for each
-- system and k compares the mean recall with the mean without these labels, if they differ; it counts users, and is left out
-- with `unjudged` set to `skip`.
-- Place: 380; Severity: info; Of: pairs of truth; Needs: items
{% from "tables/internal/means.jinja" import mean %}
SELECT userid::VARCHAR AS userid, itemid::VARCHAR AS itemid, (SELECT count(itemid) FROM labels) AS of
FROM labels
WHERE is_gone
{% if not of.condensed %}
UNION ALL BY NAME
-- The users whose recall depends on labels for missing items, by system and k.
SELECT
    system, k, unnest(differing) AS userid, (SELECT count(*) FROM truth_users) AS of,
    {{ with_unit("rec: {units} whose recall at ") | literal }} || coalesce('k = ' || k, 'any k')
        || ' depends on missing items' AS problem,
    format(
        '{} {}; the mean{} is {:.4g}, without them {:.4g}: {:.3g} {}', {{ of.user_label | literal }}, differing[1],
        coalesce(' of ' || system, ''), recall, others, abs(others - recall),
        CASE WHEN others < recall THEN 'lower' ELSE 'higher' END) AS example
FROM (
    SELECT
        system, k, {{ mean("recall", false) | indent(8) }} AS recall, {{ mean("others", false) | indent(8) }} AS others,
        list_sort(list(userid::VARCHAR) FILTER (recall IS DISTINCT FROM others), 'ASC') AS differing
    FROM recalls
    GROUP BY system, k)
WHERE recall <> others
{% endif %}
