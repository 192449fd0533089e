-- rec: items already in the user's history
-- Recommendations of already-seen items can only be hits if truth repeats them.
-- Place: 450; Severity: warning from 0.05; Of: rows of rec; Needs: history
-- Write: remove the rows of history from rec
{% from "tables/internal/check.jinja" import same_pair %}
SELECT recs.system, recs.userid::VARCHAR AS userid, recs.itemid::VARCHAR AS itemid, evidence.rows AS of
FROM (FROM rows WHERE userid IS NOT NULL AND itemid IS NOT NULL) AS recs
JOIN evidence ON recs.system IS NOT DISTINCT FROM evidence.system
SEMI JOIN _ranking_history AS events ON {{ same_pair(of, "recs", "events") }}
