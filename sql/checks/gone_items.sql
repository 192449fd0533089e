-- rec: items that are not in the catalog
-- The lists come from another version of the catalog.
-- Place: 400; Severity: warning from 0.05; Of: rows of rec; Needs: items
-- Write: build rec from this catalog
{% import "tables/internal/reading.jinja" as reading %}
SELECT recs.system, recs.userid::VARCHAR AS userid, recs.itemid::VARCHAR AS itemid, evidence.rows AS of
FROM (FROM rows WHERE userid IS NOT NULL AND itemid IS NOT NULL) AS recs
JOIN evidence ON recs.system IS NOT DISTINCT FROM evidence.system
ANTI JOIN _ranking_items AS catalog ON {{ reading.same(of, "recs.itemid", "catalog.itemid") }}
WHERE (SELECT has_item FROM _ranking_has_item)
