-- alpha-nDCG, ERR-IA and subtopic recall: a list measured by the different intents of its user or query.
--
-- rec:        a table with userid, itemid, score [, system], as for ranking_judged
-- truth:      a table with userid, itemid, intent [, rel]: a row for each intent that an item meets. Without a column rel
--             every row is one; a row of grade 0 or less says that the item does not meet the intent
-- ks:         LIST of cut-offs; NULL among them means the whole list, 0 the empty one
-- alpha:      how likely an item satisfies an intent that it meets, a number from 0 to 1: the next item that meets the same
--             intent adds 1 - alpha times as much
-- intent_col: what the column of intents is called
-- user_col, ..., descending: as for ranking_judged
-- Returns:    [system,] userid, k, n_rec (rows in rec), n_truth (items that meet an intent), alpha_ndcg, err_ia,
--             subtopic_recall (the share of the intents that the top k meet): for every user with truth; all three
--             are 0 where no item meets an intent
-- Errors:     as for ranking_judged; a k in ks that is no integer or below 0; ks that are none; an alpha out of bounds; a
--             truth without intents; an item that meets the intent NULL; intents in a LIST, which want a row each
-- Source:     Clarke et al. (2008) for alpha-nDCG; Chapelle et al. (2011) for ERR-IA; Zhai, Cohen and Lafferty (2003) for
--             subtopic recall
-- Example:    WITH categories AS (
--                 SELECT customer_id AS userid, sku AS itemid, sku[1] AS intent
--                 FROM 'examples/dbt_project/seeds/ratings.csv' WHERE rated_on >= '2026-05-22' AND stars > 2
--             )
--             SELECT system, k, ranking_mean(alpha_ndcg) AS alpha_ndcg, ranking_mean(err_ia) AS err_ia,
--                 ranking_mean(subtopic_recall) AS subtopic_recall
--             FROM ranking_intents_by_user('rec', 'categories', [5, 10]) GROUP BY ALL ORDER BY ALL;
--
-- The gain of an item is the sum, over the intents that it meets, of (1 - alpha)^(items above it that meet this intent).
-- alpha-DCG is the sum of gain / log2(rank + 1). alpha-nDCG divides it by that of the ideal list, which takes at each rank
-- the item of the highest gain, ties by itemid, ascending. The best list of all is too much to compute (NP-hard): a list
-- may be better than this one, and then its alpha-nDCG is above 1.
--
-- ERR-IA is the sum of gain / rank, divided by what it would be if each of the top k met all intents: the best list of a
-- truth may have less than 1. Times the sum over r <= k of alpha * (1 - alpha)^(r - 1) / r it is the mean of the intents'
-- expected reciprocal ranks, where an item satisfies with probability alpha: for alpha = 0.5, ranking_err's, max_grade := 1.
--
-- The numbers are those of ndeval, TREC's program (pyndeval, ir_measures), but that its ideal list takes ties by document,
-- descending, and for some alpha (0.3) sees none where equal gains differ in their last digit; that its ERR-IA at k = 1 is
-- not divided; and that it takes k up to 20 alone.
CREATE OR REPLACE TEMP MACRO ranking_intents_by_user(
    rec, truth, ks, alpha := 0.5, intent_col := 'intent', COLUMN_ARGUMENTS) AS TABLE
SELECT
    * EXCLUDE (n_intents, n_top, n_met, ranks, met, gains, ideal),
    coalesce(
        list_sum(list_transform(list_zip(ranks, gains)[:n_met], lambda hit: hit[2] / log2(hit[1] + 1)))
        / list_sum(list_transform(ideal[:n_top], lambda gain, place: gain / log2(place + 1))),
        0) AS alpha_ndcg,
    coalesce(
        list_sum(list_transform(list_zip(ranks, gains)[:n_met], lambda hit: hit[2] / hit[1]))
        / n_intents
        -- Terms below 2^-60 add nothing.
        / list_sum(list_transform(
            range(1, 1 + least(n_top, 1 + (42 / nullif(TRY_CAST(alpha AS DOUBLE), 0)))::BIGINT),
            lambda place: (1 - TRY_CAST(alpha AS DOUBLE)) ** (place - 1) / place)),
        0) AS err_ia,
    coalesce(list_unique(flatten(met[:n_met])) / nullif(n_intents, 0), 0) AS subtopic_recall
FROM (
    SELECT
        systems.* EXCLUDE (ranking_system),
        truths.userid, cuts.k,
        coalesce(lists.n_rec, 0) AS n_rec,
        len(truths.items) AS n_truth,
        list_unique(flatten(truths.items)) AS n_intents,
        coalesce(cuts.k, n_rec) AS n_top,
        len(list_filter(lists.ranks, lambda place: place <= n_top)) AS n_met,
        lists.ranks, lists.met, lists.gains, truths.ideal
    FROM (
        SELECT *, _ranking_intent_gains(items, least(len(items), _ranking_longest(ks)), alpha, true) AS ideal
        FROM (
            SELECT userid, coalesce(list(intents ORDER BY itemid ASC NULLS LAST) FILTER (intents IS NOT NULL), []) AS items
            FROM _ranking_intents(truth, COLUMN_NAMES, intent_col, 'ranking_intents_by_user')
            GROUP BY userid)) AS truths
    CROSS JOIN _ranking_systems(rec, COLUMN_NAMES) AS systems
    CROSS JOIN (SELECT unnest(_ranking_cuts(ks, 'ranking_intents_by_user')) AS k) AS cuts
    LEFT JOIN (
        SELECT *, _ranking_intent_gains(met, len(met), alpha, false) AS gains
        FROM (
            SELECT
                recs.userid, recs.system,
                any_value(recs.n_rec) AS n_rec,
                list(recs.place ORDER BY recs.place ASC NULLS LAST) FILTER (truths.intents IS NOT NULL) AS ranks,
                list(truths.intents ORDER BY recs.place ASC NULLS LAST) FILTER (truths.intents IS NOT NULL) AS met
            FROM (
                SELECT userid, system, any_value(n_rec) AS n_rec, itemid, min(place) AS place
                FROM (
                    -- The NULL keeps an empty list.
                    SELECT
                        userid, system, n_rec,
                        unnest(list_append(items, NULL)) AS itemid,
                        unnest(range(1, len(items) + 2)) AS place
                    FROM _ranking_rec_lists(rec, truth, COLUMN_NAMES, _ranking_longest(ks), false))
                GROUP BY userid, system, itemid) AS recs
            LEFT JOIN _ranking_intents(truth, COLUMN_NAMES, intent_col, 'ranking_intents_by_user') AS truths
                ON _ranking_same_id(recs.userid, truths.userid) AND _ranking_same_id(recs.itemid, truths.itemid)
            GROUP BY recs.userid, recs.system)) AS lists
        ON _ranking_same_id(lists.userid, truths.userid) AND lists.system IS NOT DISTINCT FROM systems.ranking_system
)
WHERE _ranking_valid_truth(truth, COLUMN_NAMES, 'ranking_intents_by_user')
AND (SELECT _ranking_valid(rec, truth, COLUMN_NAMES, 'ranking_intents_by_user'))
AND (
    SELECT _ranking_no_problem('ranking_intents_by_user', coalesce(
        _ranking_option('alpha', alpha, 'a number from 0 to 1', TRY_CAST(alpha AS DOUBLE) BETWEEN 0 AND 1),
        CASE
            WHEN _ranking_type(truth, intent_col, 'intent') IS NULL
                THEN list_transform(
                    [_ranking_texts_of(truth)],
                    lambda texts: _ranking_missing_columns('truth', texts, [{
                        'argument': 'intent_col',
                        'name': coalesce(intent_col::VARCHAR, 'intent'),
                        'near': _ranking_nearest_column(texts, 'intent_col'),
                        'is_elsewhere': false}]))[1]
            WHEN ends_with(_ranking_type(truth, intent_col, 'intent'), ']')
                THEN concat(
                    'an item of several intents wants a row for each (SELECT * REPLACE (unnest(',
                    coalesce(intent_col, 'intent'), ') AS ', coalesce(intent_col, 'intent'), ')), got ',
                    _ranking_cut(_ranking_type(truth, intent_col, 'intent')))
        END)));

-- The gain of each item of a list in the intents that it meets, the less the more items above meet them.
CREATE OR REPLACE TEMP MACRO _ranking_intent_gains(items, n, alpha, is_ideal) AS
-- All that a step reads is in its state: DuckDB 1.5 mixes up rows where list_reduce reads a column.
list_reduce(
    [{
        'left': items,
        -- what an item gains in each intent
        'weights': list_transform(range(list_max(flatten(items))), lambda intent: 1::DOUBLE),
        'gains': []::DOUBLE[]}]
    || list_transform(
        range(n), lambda step: {'left': []::INTEGER[][], 'weights': []::DOUBLE[], 'gains': []::DOUBLE[]}),
    lambda state, step: list_transform(
        [list_transform(
            CASE WHEN is_ideal THEN state.left ELSE state.left[:1] END,
            -- Sorted, so that equal gains are equal to the bit.
            lambda intents: list_sum(list_sort(list_transform(intents, lambda intent: state.weights[intent]), 'ASC')))],
        lambda found: list_transform(
            [list_position(found, list_max(found))],
            lambda best: {
                'left': state.left[:best - 1] || state.left[best + 1:],
                'weights': list_transform(
                    state.weights,
                    lambda weight, intent: CASE
                        WHEN list_contains(state.left[best], intent) THEN weight * (1 - TRY_CAST(alpha AS DOUBLE))
                        ELSE weight
                    END),
                'gains': state.gains || [found[best]]
            })[1])[1]
).gains;

-- The intents that each item of truth meets, numbered for each user.
CREATE OR REPLACE TEMP MACRO _ranking_intents(truth, COLUMN_NAMES, intent_col, caller) AS TABLE
SELECT userid, itemid, list(DISTINCT number) FILTER (is_met) AS intents
FROM (
    SELECT
        userid, itemid, is_met,
        dense_rank() OVER (PARTITION BY userid, is_met ORDER BY intent ASC NULLS LAST)::INTEGER AS number
    FROM (
        SELECT
            userid, itemid,
            CASE
                -- A column that is not there is an error of its own.
                WHEN is_met AND intent IS NULL AND _ranking_has(truth, intent_col, 'intent')
                    THEN error(concat(
                        caller, ': ', _ranking_cut(coalesce(intent_col::VARCHAR, 'intent')),
                        ' must not be NULL for an item that meets one, got ',
                        user_col, ' ', userid::VARCHAR, ', ', item_col, ' ', itemid::VARCHAR))
                ELSE intent
            END AS intent,
            is_met
        FROM (
            SELECT
                userid, itemid, intent, itemid IS NOT NULL
                AND CASE
                    WHEN NOT _ranking_has(truth, grade_col, 'rel') THEN true
                    ELSE _ranking_finite_grade(itemid, rel, grade_col, caller) > 0
                END AS is_met
            FROM (
                SELECT
                    -- least and coalesce leave the NULL out, as in _ranking_truths.
                    least(*COLUMNS(_ranking_column(user_col, 'userid'))) AS userid,
                    coalesce(*COLUMNS(_ranking_column(item_col, 'itemid'))) AS itemid,
                    coalesce(*COLUMNS(_ranking_column(grade_col, 'rel'))) AS rel,
                    coalesce(*COLUMNS(_ranking_column(intent_col, 'intent'))) AS intent
                FROM (SELECT NULL AS ranking_absent, * FROM query_table(_ranking_table('truth', truth)) AS truths))
            WHERE userid IS NOT NULL)))
GROUP BY userid, itemid;
