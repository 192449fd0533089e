-- Internal: the problems of each user in the recommendations.
--
-- Of each system and user the best max_k + 1 rows are kept, for k below 32 in a heap (`max(row, n)`): what ties and
-- repetitions there may be further down changes no number.
--
-- rec:     name of a table, as query_table takes it
-- names:   what _ranking_names gives
-- ks:      LIST of cut-offs
-- max_k:   the largest of them; NULL for the whole list
-- Returns: place (among all problems), problem, count, example
-- Example: FROM _ranking_rec_problems(
--     'rec', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true), [5, 10], 10);
CREATE OR REPLACE TEMP MACRO _ranking_rec_problems(rec, names, ks, max_k) AS TABLE
SELECT unnest(_ranking_problems(
    [
        -- Whether all are: see ranking_check.
        (7, 'rec: scores look like ranks, and the highest counts as the best', (are_ranks AND n > 2)::INTEGER, user),
        (-7, '', (userid IS NOT NULL AND n > 1 AND NOT are_ranks)::INTEGER, NULL),
        (11, concat('rec: ', names['user'], ' is NULL'), (userid IS NULL)::INTEGER * n, _ranking_row(names, userid, item)),
        (12, concat('rec: ', names['item'], ' is NULL'), n - n_items, _ranking_row(names, userid, NULL)),
        (13, concat('rec: ', names['score'], ' is NULL'), n - n_scores, _ranking_row(names, userid, without_score)),
        (14, concat('rec: ', names['score'], ' is NaN'), n_nan, _ranking_row(names, userid, nan)),
        (
            15,
            concat('rec: (', names['user'], ', ', names['item'], ') repeated', ' in the top k = ' || max_k),
            len(items) - len(_ranking_distinct(items)),
            _ranking_row(names, userid, list_min(list_filter(items, lambda item, i: item = items[i - 1])))
        )
    ]
    || list_transform(
        list_filter(
            CASE WHEN userid IS NOT NULL THEN ks ELSE [] END,
            lambda k: k BETWEEN 1 AND 2147483646 AND best[k][1] = best[least(k, 2147483646) + 1][1]
        ),
        lambda k: (16, concat('rec: users with tied scores at k = ', k), 1, user))
), recursive := true)
FROM (
    SELECT
        *,
        concat(names['user'], ' ', userid) AS user,
        names['descending']
            AND userid IS NOT NULL
            AND n > 1
            AND lowest = 1
            AND highest = n
            AND total = n * (n + 1) / 2
            AND are_integers AS are_ranks,
        list_sort(
            list_filter(
                list_transform(
                    CASE WHEN userid IS NOT NULL THEN best[:coalesce(max_k, 2147483647)] END, lambda one: one[2]
                ),
                lambda item: item IS NOT NULL
            ),
            'ASC'
        ) AS items
    FROM (
        SELECT
            userid,
            count(*) AS n,
            count(itemid) AS n_items,
            count(score) AS n_scores,
            count(score) - count(_ranking_score(score)) AS n_nan,
            min(itemid) FILTER (userid IS NULL) AS item,
            min(itemid) FILTER (score IS NULL) AS without_score,
            min(itemid) FILTER (score IS NOT NULL AND _ranking_score(score) IS NULL) AS nan,
            min(TRY_CAST(score AS DOUBLE)) AS lowest,
            max(TRY_CAST(score AS DOUBLE)) AS highest,
            sum(TRY_CAST(score AS DOUBLE)) AS total,
            bool_and(TRY_CAST(score AS DOUBLE) = floor(TRY_CAST(score AS DOUBLE))) AS are_integers,
            CASE
                WHEN max_k < 32 AND names['descending']
                    THEN max((_ranking_score(score), itemid), max_k + 1) FILTER (_ranking_score(score) IS NOT NULL)
                WHEN max_k < 32
                    THEN min((_ranking_score(score), itemid), max_k + 1) FILTER (_ranking_score(score) IS NOT NULL)
                WHEN names['descending']
                    THEN list_sort(list((_ranking_score(score), itemid)) FILTER (_ranking_score(score) IS NOT NULL), 'DESC')
                ELSE list_sort(list((_ranking_score(score), itemid)) FILTER (_ranking_score(score) IS NOT NULL), 'ASC')
            END AS best
        FROM _ranking_recs(rec, names)
        GROUP BY system, userid
    )
);
