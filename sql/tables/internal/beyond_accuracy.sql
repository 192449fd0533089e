-- The measures beyond accuracy of each user's list at each k.
CREATE OR REPLACE TEMP MACRO _ranking_contents_by_user(
    lists, rec, history, items, COLUMN_NAMES, ks, head, divergence, category_col, caller) AS TABLE
WITH _ranking_pairs AS MATERIALIZED (
    SELECT DISTINCT userid, itemid
    FROM _ranking_history(coalesce(history, rec), COLUMN_NAMES, '')
    WHERE userid IS NOT NULL AND itemid IS NOT NULL AND history IS NOT NULL
),
_ranking_known AS MATERIALIZED (
    SELECT
        *,
        -- True for the most popular items, which together reach the share `head` of all pairs.
        coalesce(sum(n_having) OVER (
            ORDER BY n_having DESC NULLS LAST, itemid ASC NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ), 0) < TRY_CAST(head AS DECIMAL(10, 9)) * sum(n_having) OVER () AS is_head
    FROM _ranking_contents_known('_ranking_pairs')
),
-- Items with the same categories are of one kind, a number. Categories are numbers too; bits has one for each of at most 63.
_ranking_kinds AS MATERIALIZED (
    SELECT
        itemid, categories,
        -- The share of the item that each of its categories gets: a whole number, so that no order of the rows changes a sum.
        (2 ** 52 / len(categories))::BIGINT AS share,
        dense_rank() OVER (ORDER BY categories ASC NULLS LAST) AS kind,
        CASE WHEN max(categories[-1]) OVER () < 63
            THEN list_bit_or(list_transform(categories, lambda category: 1::BIGINT << (category % 63)))
        END AS bits
    FROM (
        SELECT itemid, list(category ORDER BY category ASC NULLS LAST) AS categories
        FROM (
            SELECT itemid, dense_rank() OVER (ORDER BY category ASC NULLS LAST) - 1 AS category
            FROM _ranking_contents_items(rec, items, COLUMN_NAMES, category_col)
            WHERE category IS NOT NULL)
        GROUP BY itemid)
),
_ranking_labels AS MATERIALIZED (
    SELECT itemid, kind, unnest(categories) AS category, share
    FROM _ranking_kinds
),
_ranking_places AS MATERIALIZED (
    SELECT list, userid, itemid, unnest(list_filter(ks, lambda k: coalesce(k >= place, true))) AS k
    FROM (
        SELECT list, userid, unnest(recommended) AS itemid, generate_subscripts(recommended, 1) AS place
        FROM query_table(lists) AS lists_of)
    WHERE itemid IS NOT NULL
),
_ranking_mixtures AS MATERIALIZED (
    SELECT
        list, k, kind,
        any_value(userid) AS userid,
        any_value(bits) AS bits,
        any_value(share * len(categories)) AS share,
        count(*) AS n
    FROM _ranking_places AS places
    JOIN _ranking_kinds AS kinds ON _ranking_same_id(places.itemid, kinds.itemid)
    GROUP BY list, k, kind
),
_ranking_sizes AS MATERIALIZED (
    SELECT
        list, k,
        any_value(userid) AS userid,
        sum(n) AS n,
        sum(n * (n - 1)) / 2 AS n_alike,
        sum(n * share) AS share,
        -- Sorted, so that no order of the rows changes a sum.
        list_sort(list({'bits': bits, 'n': n}) FILTER (bits IS NOT NULL), 'ASC', 'NULLS LAST') AS mixture
    FROM _ranking_mixtures
    GROUP BY list, k
),
_ranking_parts AS MATERIALIZED (
    SELECT list, k, kind, bits, n, category, labels.share
    FROM _ranking_mixtures JOIN (SELECT DISTINCT kind, category, share FROM _ranking_labels) AS labels USING (kind)
),
_ranking_tastes AS MATERIALIZED (
    SELECT userid, category, sum(share) AS share
    FROM _ranking_pairs AS pairs
    JOIN _ranking_labels AS labels ON _ranking_same_id(pairs.itemid, labels.itemid)
    GROUP BY userid, category
)
SELECT
    lists_of.* EXCLUDE (list, recommended),
    cuts.k,
    coalesce(found.n_items, 0) AS n_items,
    found.popularity,
    profiles.userid IS NOT NULL AS has_history,
    CASE WHEN found.n_items > 0 THEN profiles.popularity END AS profile_popularity,
    found.novelty, found.long_tail,
    CASE WHEN profiles.userid IS NOT NULL THEN found.repeats END AS repeats,
    found.cold, pairs.diversity,
    CASE WHEN found.n_items > 0 THEN coalesce(shares.n_found, 0) / n_categories END AS categories,
    shares.miscalibration
FROM query_table(lists) AS lists_of
CROSS JOIN (SELECT unnest(ks) AS k) AS cuts
CROSS JOIN (SELECT max(category) + 1 AS n_categories FROM _ranking_labels)
LEFT JOIN (
    SELECT
        list, k,
        count(*) AS n_items,
        coalesce(sum(n_having), 0) / (count(*) * any_value(n_users)) AS popularity,
        ranking_mean(-log2(coalesce(n_having, 1) / n_users)) AS novelty,
        count(*) FILTER (is_head IS NOT TRUE) / count(*) AS long_tail,
        count(pairs.itemid) / count(*) AS repeats,
        count(*) FILTER (n_having IS NULL) / count(*) AS cold
    FROM _ranking_places AS places
    CROSS JOIN (
        SELECT CASE
            WHEN count(*) > 0
                OR history IS NULL
                -- _ranking_contents_misfit names the column.
                OR NOT _ranking_has(coalesce(history, rec), user_col, 'userid')
                OR NOT _ranking_has(coalesce(history, rec), item_col, 'itemid')
                THEN any_value(n_users)
            ELSE error(caller || ': history must have a pair of user and item, got none')::BIGINT
        END AS n_users
        FROM _ranking_known)
    LEFT JOIN (SELECT * EXCLUDE (n_users) FROM _ranking_known) AS known ON _ranking_same_id(places.itemid, known.itemid)
    LEFT JOIN _ranking_pairs AS pairs
        ON _ranking_same_id(places.userid, pairs.userid) AND _ranking_same_id(places.itemid, pairs.itemid)
    GROUP BY list, k
) AS found ON found.list = lists_of.list AND found.k IS NOT DISTINCT FROM cuts.k
LEFT JOIN (
    SELECT userid, sum(n_having) / (count(*) * any_value(n_users)) AS popularity
    FROM _ranking_pairs JOIN _ranking_known USING (itemid)
    GROUP BY userid
) AS profiles ON _ranking_same_id(lists_of.userid, profiles.userid)
LEFT JOIN (
    -- All pairs less their likenesses: 1 for items of one kind, else what their categories have in common.
    SELECT
        sizes.list, sizes.k,
        1 - (n_alike + coalesce(
            likeness,
            -- Each kind is compared with those after it.
            list_sum(list_transform(mixture, lambda one, place: one.n * list_sum(list_transform(
                mixture[place + 1:],
                lambda other: other.n * bit_count(one.bits & other.bits) / bit_count(one.bits | other.bits))))),
            0
        )) / (n * (n - 1) / 2) AS diversity
    FROM _ranking_sizes AS sizes
    LEFT JOIN (
        -- Of more categories than bits. Two kinds come together once for each category that they share, so that
        -- 1 / (categories of both) sums to their likeness.
        SELECT
            one.list, one.k,
            _ranking_exact_sum(
                one.n * other.n / len(list_distinct(one_kind.categories || other_kind.categories)), 53) AS likeness
        FROM _ranking_parts AS one
        JOIN _ranking_parts AS other
            ON one.list = other.list
            AND one.k IS NOT DISTINCT FROM other.k
            AND one.category = other.category
            AND one.kind < other.kind
        JOIN (SELECT DISTINCT kind, categories FROM _ranking_kinds) AS one_kind ON one.kind = one_kind.kind
        JOIN (SELECT DISTINCT kind, categories FROM _ranking_kinds) AS other_kind ON other.kind = other_kind.kind
        WHERE one.bits IS NULL AND other.bits IS NULL
        GROUP BY one.list, one.k
    ) AS likenesses ON sizes.list = likenesses.list AND sizes.k IS NOT DISTINCT FROM likenesses.k
    WHERE n > 1
) AS pairs ON pairs.list = lists_of.list AND pairs.k IS NOT DISTINCT FROM cuts.k
LEFT JOIN (
    SELECT
        list, k,
        count(*) AS n_found,
        -- p and q sum to 1 each, so that categories which the list has not need no row.
        CASE
            WHEN any_value(total) IS NULL THEN NULL
            WHEN divergence = 'kl'
                THEN greatest(0, log2(100) + _ranking_exact_sum(
                    coalesce(p * log2(p / (0.99::DOUBLE * q + 0.01::DOUBLE * p) / 100), 0), 80))
            ELSE greatest(0, 1 + _ranking_exact_sum(
                coalesce(p * log2(2 * p / (p + q)) + q * log2(2 * q / (p + q)) - p - q, 0), 80) / 2)
        END AS miscalibration
    FROM (
        SELECT
            shares.list, shares.k, totals.total, tastes.share / totals.total AS p,
            shares.share / sizes.share AS q
        FROM (
            SELECT list, k, category, sum(n * share) AS share
            FROM _ranking_parts
            GROUP BY list, k, category) AS shares
        JOIN _ranking_sizes AS sizes ON sizes.list = shares.list AND sizes.k IS NOT DISTINCT FROM shares.k
        LEFT JOIN (SELECT userid, sum(share) AS total FROM _ranking_tastes GROUP BY userid) AS totals
            ON _ranking_same_id(sizes.userid, totals.userid)
        LEFT JOIN _ranking_tastes AS tastes
            ON _ranking_same_id(sizes.userid, tastes.userid) AND shares.category = tastes.category)
    GROUP BY list, k
) AS shares ON shares.list = lists_of.list AND shares.k IS NOT DISTINCT FROM cuts.k;

-- The number of users of a history who have each of its items.
CREATE OR REPLACE TEMP MACRO _ranking_contents_known(pairs) AS TABLE
SELECT itemid, count(*) AS n_having, (SELECT count(DISTINCT userid) FROM query_table(pairs)) AS n_users
FROM query_table(pairs)
GROUP BY itemid;

-- The items of a catalogue with their categories, each pair once.
CREATE OR REPLACE TEMP MACRO _ranking_contents_items(rec, items, COLUMN_NAMES, category_col) AS TABLE
SELECT DISTINCT itemid, category
FROM (
    -- least leaves out the NULL of ranking_absent.
    SELECT
        coalesce(*COLUMNS(_ranking_column(item_col, 'itemid'))) AS itemid,
        least(*COLUMNS(_ranking_column(category_col, 'category'))) AS category
    FROM (SELECT NULL AS ranking_absent, * FROM query_table(_ranking_table('items', coalesce(items, rec))) AS rows))
WHERE itemid IS NOT NULL AND items IS NOT NULL;

-- The different items of each list of recommendations, for the measures of what is in them.
CREATE OR REPLACE TEMP MACRO _ranking_contents_lists(
    rec, history, items, COLUMN_NAMES, ks, head, divergence, category_col, caller) AS TABLE
SELECT
    systems.*, lists.userid, n_rec,
    row_number() OVER () AS list,
    CASE
        WHEN _ranking_has_repeats(lists.items)
            THEN list_transform(
                lists.items, lambda item, place: CASE WHEN list_position(lists.items, item) = place THEN item END)
        ELSE lists.items
    END AS recommended
FROM _ranking_rec_lists(rec, rec, COLUMN_NAMES, _ranking_longest(ks), false) AS lists
JOIN _ranking_systems(rec, COLUMN_NAMES) AS systems ON lists.system IS NOT DISTINCT FROM systems.ranking_system
WHERE (
    SELECT _ranking_no_problem(
        caller, _ranking_contents_misfit(rec, history, items, COLUMN_NAMES, head, divergence, category_col)));

-- The error text of a column or argument of ranking_beyond_accuracy that does not fit; NULL for none.
CREATE OR REPLACE TEMP MACRO _ranking_contents_misfit(rec, history, items, COLUMN_NAMES, head, divergence, category_col) AS
list_any_value(
    [_ranking_rec_misfit(rec, COLUMN_NAMES)]
    || list_transform(
        [
            -- The table, whether it is there, the argument, the column, its type, and that in rec (NULL: any will do).
            ('history', history IS NOT NULL, 'user_col', coalesce(user_col::VARCHAR, 'userid'),
                _ranking_type(_ranking_table('history', coalesce(history, rec)), user_col, 'userid'),
                _ranking_type(rec, user_col, 'userid')),
            ('history', history IS NOT NULL, 'item_col', coalesce(item_col::VARCHAR, 'itemid'),
                _ranking_type(_ranking_table('history', coalesce(history, rec)), item_col, 'itemid'),
                _ranking_type(rec, item_col, 'itemid')),
            ('items', items IS NOT NULL, 'item_col', coalesce(item_col::VARCHAR, 'itemid'),
                _ranking_type(_ranking_table('items', coalesce(items, rec)), item_col, 'itemid'),
                _ranking_type(rec, item_col, 'itemid')),
            ('items', items IS NOT NULL, 'category_col', coalesce(category_col::VARCHAR, 'category'),
                _ranking_type(_ranking_table('items', coalesce(items, rec)), category_col, 'category'), NULL)],
        lambda c: CASE
            WHEN NOT c[2] THEN NULL
            WHEN c[3] = 'category_col' AND _ranking_name_problem(c[3], typeof(category_col), c[4]) IS NOT NULL
                THEN _ranking_name_problem(c[3], typeof(category_col), c[4])
            WHEN c[5] IS NULL
                THEN list_transform(
                    [CASE c[1]
                        WHEN 'history' THEN _ranking_texts_of(coalesce(history, rec))
                        ELSE _ranking_texts_of(coalesce(items, rec))
                    END],
                    lambda texts: _ranking_missing_columns(c[1], texts, [{
                        'argument': c[3],
                        'name': c[4],
                        'near': _ranking_nearest_column(texts, c[3]),
                        'is_elsewhere': c[3] <> 'category_col'}]))[1]
            ELSE _ranking_type_problem(c[4], 'rec and in ' || c[1], c[6], c[5])
        END)
    || [
        _ranking_option(
            'head', head, 'a number from 0 to 1',
            _ranking_is_number(typeof(head)) AND TRY_CAST(head AS DOUBLE) BETWEEN 0 AND 1),
        _ranking_option('divergence', divergence, 'js|kl', divergence::VARCHAR IN ('js', 'kl'))]);

-- Say whether ranking_beyond_accuracy has a column, by the tables that it needs.
CREATE OR REPLACE TEMP MACRO _ranking_is_contents_column(name, history, items) AS
CASE
    WHEN name = 'ranking_system' THEN false
    WHEN name = 'users_without_history' THEN history IS NOT NULL
    CONTENTS_COLUMNS
    ELSE true
END;
