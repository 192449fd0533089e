-- truth: items already in the {unit}'s history
-- Target leakage, or repeated consumption: the model may have seen these pairs in training.
-- Place: 430; Severity: error from 0.5, warning from 0.05; Of: pairs of truth; Needs: history
-- Write: split with {seen=drop}
{% from "tables/internal/check.jinja" import same_pair %}
SELECT
    truths.userid::VARCHAR AS userid, truths.itemid::VARCHAR AS itemid,
    (SELECT count(itemid) FROM truth_pairs) AS of
FROM (FROM truth_pairs WHERE itemid IS NOT NULL) AS truths
SEMI JOIN _ranking_history AS events ON {{ same_pair(of, "truths", "events") }}
