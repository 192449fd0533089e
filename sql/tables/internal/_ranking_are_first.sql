-- Internal: whether a list begins with some of its items, in the order of their grades.
--
-- chosen:  LIST of (score, grade, itemid), by descending score and grade
-- scores:  LIST of all scores; NULL for the order alone
-- n:       how many items there are
-- Returns: BOOLEAN
-- Example: SELECT _ranking_are_first([{'score': 3, 'grade': 2}, {'score': 2, 'grade': 1}], [1, 2, 3], 2);
CREATE OR REPLACE TEMP MACRO _ranking_are_first(chosen, scores, n) AS
list_transform(chosen, lambda one: one.grade) = list_sort(list_transform(chosen, lambda one: one.grade), 'DESC', 'NULLS LAST')
AND coalesce(len(list_filter(scores, lambda score: score >= chosen[n].score)) <= n, true);
