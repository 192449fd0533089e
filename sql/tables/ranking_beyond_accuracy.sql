-- Popularity, novelty, diversity, calibration and coverage of the lists of each system, for every k.
--
-- rec, ks, history, items, head, divergence, user_col, ..., descending: as for ranking_beyond_accuracy_by_user
-- Returns:    [system,] k, users (with a list), users_without_history (of them), the means of the columns of
--             ranking_beyond_accuracy_by_user, each over the users where it is not NULL, and of all lists together:
--             popularity_lift, n_items (different ones), coverage, items_outside_catalogue, gini, entropy, personalization
-- Errors:     as for ranking_beyond_accuracy_by_user; items without an item
-- Source:     as for ranking_beyond_accuracy_by_user; Abdollahpouri et al. (2019), popularity_lift
-- Example:    WITH rated AS (SELECT customer_id AS userid, sku AS itemid
--                 FROM 'examples/dbt_project/seeds/ratings.csv' WHERE rated_on < '2026-05-22')
--             SELECT system, popularity, popularity_lift, long_tail, coverage
--             FROM ranking_beyond_accuracy('rec', [10], history := 'rated');
--
-- The catalogue is the items of `items`, or else those of the history. coverage is the share of it that is in a top k;
-- items_outside_catalogue counts the others, which coverage, gini and entropy leave out: it is never above 1, as that of
-- recommenders may be. gini and entropy (in bits) are of the number of lists that each item of the catalogue is in, with
-- those in none; gini and personalization are those of gini_coverage and personalization. RecBole divides its entropy by
-- the number of items, Evidently's Gini index leaves out what is never recommended.
--
-- popularity_lift: the mean popularity of the lists, divided by that of the profiles, less 1, over users who have both: 0.5
-- is lists of items half as popular again as what users had.
CREATE OR REPLACE TEMP MACRO ranking_beyond_accuracy(
    rec, ks, history := NULL, items := NULL, head := 0.8, divergence := 'js',
    user_col := 'userid', item_col := 'itemid', score_col := 'score', system_col := NULL, category_col := NULL,
    descending := true) AS TABLE
WITH _ranking_lists AS MATERIALIZED (
    FROM _ranking_contents_lists(
        rec, history, items, REC_COLUMN_NAMES, ks, head, divergence, category_col, 'ranking_beyond_accuracy')
)
SELECT COLUMNS(lambda c: _ranking_is_contents_column(c, history, items))
FROM (
    SELECT means.* EXCLUDE (popularity_lift), means.popularity_lift, wholes.* EXCLUDE (ranking_system, k)
    FROM (
        SELECT
            COLUMNS(lambda c: lower(c) IN ('system', 'ranking_system')),
            k,
            count(*) AS users,
            count(*) FILTER (NOT has_history) AS users_without_history,
            ranking_mean(COLUMNS(lambda c: NOT _ranking_is_key(c))),
            ranking_mean(CASE WHEN profile_popularity IS NOT NULL THEN popularity END)
                / ranking_mean(CASE WHEN popularity IS NOT NULL THEN profile_popularity END) - 1 AS popularity_lift
        FROM _ranking_contents_by_user(
            '_ranking_lists', rec, history, items, REC_COLUMN_NAMES, _ranking_cuts(ks, 'ranking_beyond_accuracy'),
            head, divergence, category_col, 'ranking_beyond_accuracy')
        GROUP BY ALL) AS means
    JOIN _ranking_contents_catalogue(
        '_ranking_lists', rec, history, items, REC_COLUMN_NAMES, category_col,
        _ranking_cuts(ks, 'ranking_beyond_accuracy'), 'ranking_beyond_accuracy') AS wholes
        ON means.ranking_system IS NOT DISTINCT FROM wholes.ranking_system AND means.k IS NOT DISTINCT FROM wholes.k
)
ORDER BY ranking_system ASC NULLS LAST, k ASC NULLS LAST;

-- The measures of all lists of a system at each k: share of the catalogue, evenness, similarity.
CREATE OR REPLACE TEMP MACRO _ranking_contents_catalogue(
    lists, rec, history, items, COLUMN_NAMES, category_col, ks, caller) AS TABLE
WITH _ranking_catalogue AS MATERIALIZED (
    SELECT DISTINCT itemid FROM _ranking_contents_items(rec, items, COLUMN_NAMES, category_col)
    UNION ALL
    SELECT DISTINCT itemid
    FROM _ranking_history(coalesce(history, rec), COLUMN_NAMES, '')
    WHERE userid IS NOT NULL AND itemid IS NOT NULL AND history IS NOT NULL AND items IS NULL
),
_ranking_shown AS MATERIALIZED (
    SELECT ranking_system, k, shown, len(shown) AS n
    FROM (
        SELECT
            ranking_system, k,
            list_filter(recommended[:coalesce(k, 2147483647)], lambda item: item IS NOT NULL) AS shown
        FROM query_table(lists) AS lists_of
        CROSS JOIN (SELECT unnest(ks) AS k))
)
SELECT
    systems.ranking_system, systems.k,
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
        any_value(systems.n_lists), _ranking_exact_sum(weight * weight, 53) / any_value(longest)) AS personalization
FROM (
    SELECT ranking_system, k, count(*) FILTER (n > 0) AS n_lists, max(n) AS longest
    FROM _ranking_shown
    GROUP BY ranking_system, k) AS systems
CROSS JOIN (
    SELECT CASE
        WHEN count(*) > 0
            OR coalesce(history, items) IS NULL
            -- _ranking_contents_misfit names the column.
            OR NOT _ranking_has(coalesce(items, history, rec), item_col, 'itemid')
            OR (items IS NULL AND NOT _ranking_has(coalesce(history, rec), user_col, 'userid'))
            THEN count(*)
        ELSE error(concat(
            caller, ': ',
            CASE WHEN items IS NULL THEN 'history must have a pair of user and item' ELSE 'items must have an item' END,
            ', got none'))::BIGINT
    END AS size
    FROM _ranking_catalogue)
LEFT JOIN (
    SELECT
        ranking_system, k, itemid,
        sum(n_lists)::BIGINT AS n_lists,
        sum((sqrt(longest / n) * 2 ** 53)::HUGEINT * n_lists) / 2 ** 53 AS weight
    FROM (
        SELECT *, max(n) OVER (PARTITION BY ranking_system, k) AS longest
        FROM (
            SELECT ranking_system, k, n, itemid, count(*) AS n_lists
            FROM (SELECT ranking_system, k, n, unnest(shown) AS itemid FROM _ranking_shown)
            GROUP BY ranking_system, k, n, itemid))
    GROUP BY ranking_system, k, itemid
) AS counts ON counts.ranking_system IS NOT DISTINCT FROM systems.ranking_system AND counts.k IS NOT DISTINCT FROM systems.k
LEFT JOIN _ranking_catalogue AS known ON _ranking_same_id(counts.itemid, known.itemid)
GROUP BY systems.ranking_system, systems.k;
