-- Internal: whether all texts name measures that _ranking_by_user has a column for, without options. Known when the
-- query is planned, so that the planner drops the other way.
--
-- measures: LIST of texts such as 'ndcg(gain=linear)@5,10'; NULL for _ranking_usual_measures()
-- Returns:  BOOLEAN
-- Example:  SELECT _ranking_all_plain(['ndcg@5', 'recall']);
CREATE OR REPLACE TEMP MACRO _ranking_all_plain(measures) AS
len(_ranking_wanted(measures)) > 0 AND len(list_filter(
    _ranking_wanted(measures), lambda name: NOT coalesce(list_contains(_ranking_with_columns(), name), false)
)) = 0
AND len(list_filter(coalesce(TRY_CAST(measures AS VARCHAR[]), []), lambda text: coalesce(contains(text, '('), true))) = 0;
