-- rec: items that are not in the catalog
-- The lists come from another version of the catalog.
-- Place: 400; Severity: warning from 0.05; Of: rows of rec; Needs: items
-- Write: build rec from this catalog
{% import "tables/internal/reading.jinja" as reading %}
SELECT system, recs.userid::VARCHAR AS userid, recs.itemid::VARCHAR AS itemid, of
FROM rows AS recs
ANTI JOIN _ranking_items AS catalog ON {{ reading.same(of, "recs.itemid", "catalog.itemid") }}
WHERE (SELECT has_item FROM _ranking_has_item)
