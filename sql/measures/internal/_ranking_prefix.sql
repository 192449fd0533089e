-- Internal: a judged ranking cut at rank k: the input of the formulas of the measures.
--
-- judged:       a judged ranking; a column, or the parameter of a lambda
-- k:            BIGINT, how far to look
-- n_seen:       how many of its judged items have a rank of at most k
-- all_relevant: whether all items of truth are relevant
-- log2_ideal:   as below, or NULL to have it computed where it is needed
-- Returns: STRUCT: k BIGINT; top BIGINT, the ranks that are looked at; n_relevant BIGINT, |truth|; n_hits BIGINT, the
--          number of relevant items in the top k; hits INTEGER[], their ranks, and grades DOUBLE[], their grades; seen
--          DOUBLE[], the grades of all judged items in the top k; ideal DOUBLE[], those of truth, descending;
--          log2_ideal DOUBLE, the sum of ln(2) / ln(rank + 1) over the ranks of the best list cut at k
-- Example: SELECT _ranking_prefix(judged, 1, 1, true, NULL) FROM (SELECT ranking_judge([1, 3, 2], [1, 2]) AS judged);
CREATE OR REPLACE TEMP MACRO _ranking_prefix(judged, k, n_seen, all_relevant, log2_ideal) AS
{
    'k': k,
    'top': least(judged.size, k),
    'n_relevant': CASE
        WHEN all_relevant THEN len(judged.ideal)
        ELSE coalesce(len(list_filter(judged.ideal, lambda grade: grade > 0)), 0)
    END,
    'n_hits': CASE
        WHEN all_relevant THEN n_seen
        ELSE len(list_filter(judged.grades[:n_seen], lambda grade: grade > 0))
    END,
    'hits': CASE
        WHEN all_relevant THEN judged.ranks[:n_seen]
        ELSE list_transform(
            list_filter(list_zip(judged.ranks[:n_seen], judged.grades[:n_seen]), lambda item: item[2] > 0),
            lambda item: item[1])
    END,
    'grades': CASE
        WHEN all_relevant THEN judged.grades[:n_seen]
        ELSE list_filter(judged.grades[:n_seen], lambda grade: grade > 0)
    END,
    'seen': judged.grades[:n_seen],
    'ideal': judged.ideal,
    'log2_ideal': log2_ideal::DOUBLE
};
