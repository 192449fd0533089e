-- Internal: what the lists of each system have in all at each k: how much of the catalogue, how evenly, how much alike.
--
-- lists:      name of a table, as _ranking_contents_lists gives it
-- rec, history, items, category_col: as for ranking_beyond_accuracy
-- names:      what _ranking_names gives
-- ks:         what _ranking_cuts gives
-- caller:     the function that an error names
-- Returns:    ranking_system, k, and the columns of ranking_beyond_accuracy from n_items on
-- Example:    FROM _ranking_contents_catalogue(
--     'lists', 'rec', 'train', NULL, _ranking_names('userid', 'itemid', 'score', '', NULL, true), NULL, [10], 'f');
CREATE OR REPLACE TEMP MACRO _ranking_contents_catalogue(
    lists, rec, history, items, names, category_col, ks, caller
) AS TABLE
WITH _ranking_catalogue AS MATERIALIZED (
    SELECT DISTINCT itemid FROM _ranking_contents_items(rec, items, names, category_col)
    UNION ALL
    SELECT DISTINCT itemid
    FROM _ranking_history(coalesce(history, rec), names, '')
    WHERE userid IS NOT NULL AND itemid IS NOT NULL AND history IS NOT NULL AND items IS NULL
),
_ranking_shown AS MATERIALIZED (
    SELECT ranking_system, k, shown, len(shown) AS n
    FROM (
        SELECT
            ranking_system,
            k,
            list_filter(recommended[:coalesce(k, 2147483647)], lambda item: item IS NOT NULL) AS shown
        FROM query_table(lists) AS lists_of
        CROSS JOIN (SELECT unnest(ks) AS k)
    )
)
SELECT
    systems.ranking_system,
    systems.k,
    count(counts.itemid) AS n_items,
    count(known.itemid) / any_value(size)::DOUBLE AS coverage,
    count(counts.itemid) - count(known.itemid) AS items_outside_catalogue,
    _ranking_gini(
        list(counts.n_lists ORDER BY counts.n_lists ASC NULLS LAST) FILTER (known.itemid IS NOT NULL), any_value(size)
    ) AS gini,
    -- -sum(c / t * log2(c / t)) for counts c that sum to t
    CASE WHEN count(known.itemid) > 0 THEN greatest(
        0,
        log2(sum(counts.n_lists) FILTER (known.itemid IS NOT NULL))
        - _ranking_exact_sum(CASE WHEN known.itemid IS NOT NULL THEN counts.n_lists * log2(counts.n_lists) END, 53)
        / sum(counts.n_lists) FILTER (known.itemid IS NOT NULL)
    ) END AS entropy,
    -- As the aggregate personalization.
    _ranking_difference(
        any_value(systems.n_lists), _ranking_exact_sum(weight * weight, 53) / any_value(longest)
    ) AS personalization
FROM (
    SELECT ranking_system, k, count(*) FILTER (n > 0) AS n_lists, max(n) AS longest
    FROM _ranking_shown
    GROUP BY ranking_system, k
) AS systems
CROSS JOIN (
    SELECT CASE
        WHEN count(*) > 0
            OR coalesce(history, items) IS NULL
            -- _ranking_contents_misfit names the column.
            OR NOT _ranking_has(coalesce(items, history, rec), names['item'], 'itemid')
            OR (items IS NULL AND NOT _ranking_has(coalesce(history, rec), names['user'], 'userid'))
            THEN count(*)
        ELSE error(concat(
            caller,
            ': ',
            CASE WHEN items IS NULL THEN 'history must have a pair of user and item' ELSE 'items must have an item' END,
            ', got none'
        ))::BIGINT
    END AS size
    FROM _ranking_catalogue
)
LEFT JOIN (
    SELECT
        ranking_system,
        k,
        itemid,
        sum(n_lists)::BIGINT AS n_lists,
        sum((sqrt(longest / n) * 2 ** 53)::HUGEINT * n_lists) / 2 ** 53 AS weight
    FROM (
        SELECT *, max(n) OVER (PARTITION BY ranking_system, k) AS longest
        FROM (
            SELECT ranking_system, k, n, itemid, count(*) AS n_lists
            FROM (SELECT ranking_system, k, n, unnest(shown) AS itemid FROM _ranking_shown)
            GROUP BY ranking_system, k, n, itemid
        )
    )
    GROUP BY ranking_system, k, itemid
) AS counts ON counts.ranking_system IS NOT DISTINCT FROM systems.ranking_system AND counts.k IS NOT DISTINCT FROM systems.k
LEFT JOIN _ranking_catalogue AS known ON _ranking_same_id(counts.itemid, known.itemid)
GROUP BY systems.ranking_system, systems.k;
