-- Internal: the measures that texts name. Known when the query is planned.
--
-- measures: LIST of texts such as 'ndcg(gain=linear)@5,10'; NULL for _ranking_usual_measures()
-- Returns:  VARCHAR[], NULL in it for what is no measure
-- Example:  SELECT _ranking_wanted(['map@5']);  -- [average_precision]
CREATE OR REPLACE TEMP MACRO _ranking_wanted(measures) AS
CASE
    WHEN measures IS NULL THEN _ranking_usual_measures()
    ELSE list_transform(TRY_CAST(measures AS VARCHAR[]), lambda text: _ranking_spelled(_ranking_called(text)))
END;
