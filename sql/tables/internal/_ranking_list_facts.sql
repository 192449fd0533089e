-- Internal: what may be wrong with the list of each system and user.
--
-- Of each the best max_k + 1 rows are kept, for k below 32 in a heap (`max(row, n)`): what ties and repetitions there
-- may be further down changes no number.
--
-- rec:     name of a table, as query_table takes it
-- names:   what _ranking_names gives
-- ks:      LIST of cut-offs
-- max_k:   the largest of them; NULL for the whole list
-- Returns: userid, system and user (the same, as texts); n rows, n_items, n_scores that are not NULL, n_ranked that are not
--          NaN either; first_item, without_score, nan_item: the lowest such item; is_equal, is_tied (within the top max_k),
--          n_repeated there, at_k: LIST of (code, k, size); items: of the top max_k; deepest: max_k
-- Example: FROM _ranking_list_facts(
--     'rec', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true), [5, 10], 10);
CREATE OR REPLACE TEMP MACRO _ranking_list_facts(rec, names, ks, max_k) AS TABLE
SELECT
    * EXCLUDE (best, cuts),
    len(list_filter(best[:coalesce(deepest, 2147483647)], lambda one, i: one[1] = best[i - 1][1])) > 0 AS is_tied,
    len(items) - list_unique(items) AS n_repeated,
    CASE WHEN _ranking_has_repeats(items) THEN _ranking_repeated_item(items)::VARCHAR END AS repeated,
    list_transform(
        list_filter(cuts, lambda k: k BETWEEN 1 AND 2147483646 AND best[k][1] = best[least(k, 2147483646) + 1][1]),
        lambda k: {'code': 'ties_at_k', 'k': k, 'size': NULL::BIGINT})
    || list_transform(list_filter(cuts, lambda k: k > n), lambda k: {'code': 'short_lists', 'k': k, 'size': n})
    || list_transform(
        list_filter(cuts, lambda k: k IS NULL), lambda k: {'code': 'shorter_than_truth', 'k': k, 'size': NULL::BIGINT})
        AS at_k
FROM (
    SELECT
        *,
        list_filter(
            list_transform(best[:coalesce(deepest, 2147483647)], lambda one: one[2]), lambda item: item IS NOT NULL) AS items
    FROM (
        SELECT
            ks AS cuts,
            max_k AS deepest,
            userid,
            system::VARCHAR AS system,
            userid::VARCHAR AS user,
            count(*) AS n,
            count(itemid) AS n_items,
            count(given) AS n_scores,
            count(score) AS n_ranked,
            min(itemid) FILTER (userid IS NULL)::VARCHAR AS first_item,
            min(itemid) FILTER (given IS NULL)::VARCHAR AS without_score,
            min(itemid) FILTER (given IS NOT NULL AND score IS NULL)::VARCHAR AS nan_item,
            count(*) > 1 AND count(score) = count(*) AND min(score) = max(score) AS is_equal,
            CASE
                WHEN max_k < 32 AND names['descending']
                    THEN max((score, itemid), greatest(max_k, 0) + 1) FILTER (score IS NOT NULL)
                WHEN max_k < 32
                    THEN min((score, itemid), greatest(max_k, 0) + 1) FILTER (score IS NOT NULL)
                WHEN names['descending']
                    THEN list_sort(list((score, itemid)) FILTER (score IS NOT NULL), 'DESC')
                ELSE list_sort(list((score, itemid)) FILTER (score IS NOT NULL), 'ASC')
            END AS best
        FROM (SELECT userid, system, itemid, score AS given, _ranking_score(score) AS score FROM _ranking_recs(rec, names))
        GROUP BY system, userid
    )
);
