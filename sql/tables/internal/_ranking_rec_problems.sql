-- Internal: the problems of each system and user in the recommendations.
--
-- Of each the best max_k + 1 rows are kept, for k below 32 in a heap (`max(row, n)`): what ties and repetitions there
-- may be further down changes no number.
--
-- rec:     name of a table, as query_table takes it
-- names:   what _ranking_names gives
-- ks:      LIST of cut-offs
-- max_k:   the largest of them; NULL for the whole list
-- Returns: userid, system (as text), problems: LIST of what _ranking_problem gives
-- Example: FROM _ranking_rec_problems(
--     'rec', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true), [5, 10], 10);
CREATE OR REPLACE TEMP MACRO _ranking_rec_problems(rec, names, ks, max_k) AS TABLE
SELECT
    userid,
    system,
    _ranking_problems([
        _ranking_problem(
            11, concat('rec: ', names['user'], ' is NULL'), system, CASE WHEN userid IS NULL THEN n END,
            _ranking_row(names, userid, item)),
        _ranking_problem(
            12, concat('rec: ', names['item'], ' is NULL'), system, n - n_items, _ranking_row(names, userid, NULL)),
        _ranking_problem(
            13, concat('rec: ', names['score'], ' is NULL'), system, n - n_scores,
            _ranking_row(names, userid, without_score)),
        _ranking_problem(
            14, concat('rec: ', names['score'], ' is NaN'), system, n_scores - n_ranked, _ranking_row(names, userid, nan)),
        _ranking_problem(
            15,
            concat('rec: (', names['user'], ', ', names['item'], ') repeated', ' in the top k = ' || max_k),
            system,
            len(items) - list_unique(items),
            _ranking_row(names, userid, _ranking_repeated_item(items)))
    ])
    || CASE WHEN userid IS NULL THEN [] ELSE _ranking_problems([
        -- A problem only if no list speaks against it (see _ranking_problem_rows); one of one or two items does not say.
        _ranking_problem(
            7, 'rec: scores look like ranks, and the highest counts as the best', system, are_ranks::INTEGER,
            CASE WHEN n > 2 THEN user END),
        _ranking_problem(
            16, 'rec: users whose scores are all equal', system, (n > 1 AND n_ranked = n AND lowest = highest)::INTEGER,
            user),
        _ranking_problem(
            17,
            concat('rec: users whose order rests on ties', ' within the top k = ' || max_k),
            system,
            (len(list_filter(best[:coalesce(max_k, 2147483647)], lambda one, i: one[1] = best[i - 1][1])) > 0)::INTEGER,
            user)
    ])
    || list_transform(
        list_filter(ks, lambda k: k BETWEEN 1 AND 2147483646 AND best[k][1] = best[least(k, 2147483646) + 1][1]),
        lambda k: _ranking_problem(18, concat('rec: users with tied scores at k = ', k), system, 1, user))
    || list_transform(
        list_filter(ks, lambda k: k > n),
        lambda k: _ranking_problem(19, concat('rec: users with fewer than k = ', k, ' items'), system, 1, user, n))
    -- A problem only if truth has more: see _ranking_user_problems.
    || CASE WHEN list_count(ks) < len(ks) THEN [_ranking_problem(
        20,
        'rec: users whose list is shorter than truth: without k, ndcg is against the best list of its length',
        system, 1, user, n)]
        ELSE []
    END
    END AS problems
FROM (
    SELECT
        *,
        concat(names['user'], ' ', userid::VARCHAR) AS user,
        names['descending']
            AND TRY_CAST(lowest AS DOUBLE) = 1
            AND TRY_CAST(highest AS DOUBLE) = n
            AND total = n * (n + 1) / 2 AS are_ranks,
        list_filter(
            list_transform(
                CASE WHEN userid IS NOT NULL THEN best[:coalesce(max_k, 2147483647)] END, lambda one: one[2]
            ),
            lambda item: item IS NOT NULL
        ) AS items
    FROM (
        SELECT
            userid,
            system::VARCHAR AS system,
            count(*) AS n,
            count(itemid) AS n_items,
            count(score) AS n_scores,
            count(_ranking_score(score)) AS n_ranked,
            min(itemid) FILTER (userid IS NULL) AS item,
            min(itemid) FILTER (score IS NULL) AS without_score,
            min(itemid) FILTER (score IS NOT NULL AND _ranking_score(score) IS NULL) AS nan,
            min(_ranking_score(score)) AS lowest,
            max(_ranking_score(score)) AS highest,
            sum(TRY_CAST(score AS DOUBLE)) AS total,
            CASE
                WHEN max_k < 32 AND names['descending']
                    THEN max((_ranking_score(score), itemid), greatest(max_k, 0) + 1) FILTER (_ranking_score(score) IS NOT NULL)
                WHEN max_k < 32
                    THEN min((_ranking_score(score), itemid), greatest(max_k, 0) + 1) FILTER (_ranking_score(score) IS NOT NULL)
                WHEN names['descending']
                    THEN list_sort(list((_ranking_score(score), itemid)) FILTER (_ranking_score(score) IS NOT NULL), 'DESC')
                ELSE list_sort(list((_ranking_score(score), itemid)) FILTER (_ranking_score(score) IS NOT NULL), 'ASC')
            END AS best
        FROM _ranking_recs(rec, names)
        GROUP BY system, userid
    )
);
