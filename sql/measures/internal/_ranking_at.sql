-- Internal: a judged ranking looked at down to rank k: what the formulas of the measures read.
--
-- Most often all truth items are relevant, or all of the list is looked at: then little or nothing is left out.
--
-- judged:  a judged ranking
-- k:       an integer of any type; NULL for the whole list
-- Returns: STRUCT: k BIGINT; top BIGINT, the ranks that are looked at; n_relevant BIGINT, |truth|; hits INTEGER[], the
--          ranks of the relevant items in the top k, and grades DOUBLE[], theirs; seen DOUBLE[], the grades of all
--          judged items in the top k; ideal DOUBLE[], those of truth, descending; log2_ideal DOUBLE, the sum of
--          ln(2) / ln(rank + 1) over the ranks of the best list cut at k, NULL beyond 128
-- Example: SELECT _ranking_at(ranking_judge([1, 3, 2], [1, 2]), 2);
CREATE OR REPLACE TEMP MACRO _ranking_at(judged, k) AS
{
    'k': _ranking_cut_off(k, judged.size),
    'top': least(judged.size, _ranking_cut_off(k, judged.size)),
    'n_relevant': _ranking_n_relevant(judged),
    'hits': CASE
        WHEN judged.ideal[-1] > 0 THEN _ranking_above(judged.ranks, judged.ranks, k)
        ELSE list_transform(
            list_filter(
                _ranking_above(list_zip(judged.ranks, judged.grades), judged.ranks, k), lambda item: item[2] > 0),
            lambda item: item[1])
    END,
    'grades': CASE
        WHEN judged.ideal[-1] > 0 THEN _ranking_above(judged.grades, judged.ranks, k)
        ELSE list_filter(_ranking_above(judged.grades, judged.ranks, k), lambda grade: grade > 0)
    END,
    'seen': _ranking_above(judged.grades, judged.ranks, k),
    'ideal': judged.ideal,
    -- A table of constants, outside of any lambda: DuckDB computes it once, when it plans.
    'log2_ideal': list_transform(
        range(1, 129), lambda n: list_sum(list_transform(range(1, n + 1), lambda rank: ln(2) / ln(rank + 1)))
    )[least(_ranking_cut_off(k, judged.size), _ranking_n_relevant(judged))]
};
