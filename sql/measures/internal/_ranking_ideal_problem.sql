-- Internal: the error text where ideal=k cannot be computed: of grades other than 0 and 1, or a long list; NULL for none.
--
-- ranking: what _ranking_at gives
-- ideal:   'cut', 'truth' or 'k', as ranking_ndcg takes it
-- Returns: VARCHAR
-- Example: SELECT _ranking_ideal_problem({'k': 2, 'ideal': [3.0]}, 'k');
--          -- a grade above 0 must be 1 with ideal=k, got 3
CREATE OR REPLACE TEMP MACRO _ranking_ideal_problem(ranking, ideal) AS
CASE
    WHEN ideal::VARCHAR <> 'k' THEN NULL
    WHEN len(list_filter(ranking.ideal, lambda grade: grade > 0 AND grade <> 1)) > 0
        THEN format(
            'a grade above 0 must be 1 with ideal=k, got {:g}',
            list_filter(ranking.ideal, lambda grade: grade > 0 AND grade <> 1)[1])
    WHEN ranking.k > 10000 THEN concat('k must be 10000 or less with ideal=k, got ', ranking.k)
END;
