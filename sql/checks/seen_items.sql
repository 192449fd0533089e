-- rec: items already in the {unit}'s history
-- Recommendations of already-seen items can only be hits if truth repeats them.
-- Place: 450; Severity: warning from 0.05; Of: rows of rec; Needs: history
-- Write: remove the rows of history from rec
{% from "tables/internal/check.jinja" import same_pair %}
SELECT system, recs.userid::VARCHAR AS userid, recs.itemid::VARCHAR AS itemid, of
FROM rows AS recs
SEMI JOIN _ranking_history AS events ON {{ same_pair(of, "recs", "events") }}
