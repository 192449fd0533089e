-- The effect of a rank on clicks: how often an item is clicked at each rank, as a share of how often it is at rank 1.
--
-- It assumes that an item's rank changes for reasons other than how good it is: two rankers that take turns, an A/B test,
-- shuffles. A log does not show whether that is so. Where one ranker learns from clicks, items rise after lucky ones, and the
-- effect is too flat (in a simulation 0.63 at rank 4 for a true 0.33); where it ranks what each person likes, too steep (0.18).
--
-- log:        a table with userid, itemid, rank, clicked: a row per impression, an item that was shown at a rank from 1 on.
--             In search the query stands for the user (user_col := 'query'): who asks the same likes the same
-- user_col, item_col, rank_col, click_col: what the columns are called; clicked is true, false or a number, NULL for no click
-- shown_col:  a column of how often each row was shown, where rows are counts
-- list_col:   a column that tells lists apart (a request): of an item that is twice in one, the first counts
-- Returns:    one row per rank: rank, effect (1 for rank 1), low, high (its 95 % interval), pairs (of a user and an item,
--             shown at this rank and at the one before), shown, clicks, ctr (clicks / shown) and note. From a rank to
--             which no pair or no click leads, effects are NULL, and the note says why. It also says where pairs were shown
--             fewer than 20 times, and what was left out: clicks beyond what was shown, rows of an item that its list has
--             above, and, at rank NULL, rows that lack a user, item or rank
-- Errors:     a table or column that is not there, or is no number; a rank that is no integer of 1 or more; a number of
--             clicks, or of shown, that is no integer of 0 or more; shown_col with list_col
-- Source:     Agarwal et al. (2019), intervention harvesting by the adjacent chain
-- Example:    WITH log AS (
--                 SELECT 'bikes' AS query, unnest(['a', 'a', 'b', 'b']) AS item, unnest([1, 2, 2, 3]) AS rank,
--                     40 AS shown, unnest([20, 10, 8, 6]) AS clicked
--             )
--             SELECT rank, effect, pairs, note
--             FROM ranking_position_effect('log', user_col := 'query', item_col := 'item', shown_col := 'shown');
--
-- From one rank to the next the effect changes by sum(w * clicks / shown) at the next / the same sum at the first, over the
-- pairs, where w is the smaller of both numbers of times that a pair was shown. The effect of a rank is the product of these
-- steps. Its interval is Student's t, on the logarithm, of the effects without each of 20 parts of the users (by hash).
--
-- A grade of an item is then sum(clicked) / sum(effect), over the ranks that have an effect. It may be above 1: measure with
-- ndcg(gain=linear). Of few impressions it is noise: leave such items out of truth, and condense lists.
CREATE OR REPLACE TEMP MACRO ranking_position_effect(
    log, user_col := 'userid', item_col := 'itemid', rank_col := 'rank', click_col := 'clicked', shown_col := NULL,
    list_col := NULL) AS TABLE
WITH _ranking_logged AS NOT MATERIALIZED (
    SELECT
        userid, itemid, list, false AS is_repeat,
        _ranking_count(coalesce(rank_col::VARCHAR, 'rank'), rank, 1) AS rank,
        coalesce(_ranking_count(coalesce(click_col::VARCHAR, 'clicked'), clicks, 0), 0) AS clicks,
        CASE WHEN shown_col IS NULL THEN 1 ELSE coalesce(_ranking_count(shown_col::VARCHAR, shown, 0), 0) END AS shown
    FROM (
        SELECT
            -- As in _ranking_truths.
            least(*COLUMNS(_ranking_column(user_col, 'userid'))) AS userid,
            coalesce(*COLUMNS(_ranking_column(item_col, 'itemid'))) AS itemid,
            least(*COLUMNS(_ranking_column(list_col, 'ranking_absent'))) AS list,
            least(*COLUMNS(_ranking_column(rank_col, 'rank'))) AS rank,
            least(*COLUMNS(_ranking_column(click_col, 'clicked'))) AS clicks,
            least(*COLUMNS(_ranking_column(shown_col, 'ranking_absent'))) AS shown
        FROM (SELECT NULL AS ranking_absent, * FROM query_table(_ranking_table('log', log)) AS rows))
    WHERE (SELECT _ranking_no_problem(
        'ranking_position_effect', _ranking_log_misfit(log, user_col, item_col, rank_col, click_col, shown_col, list_col)))
), _ranking_listed AS NOT MATERIALIZED (
    SELECT * REPLACE (list IS NOT NULL AND row_number() OVER (
        PARTITION BY list, userid, itemid ORDER BY rank ASC NULLS LAST, clicks DESC NULLS LAST) > 1 AS is_repeat)
    FROM _ranking_logged
), _ranking_items AS NOT MATERIALIZED (
    SELECT
        userid, itemid,
        CASE WHEN userid IS NOT NULL AND itemid IS NOT NULL THEN rank END AS rank,
        coalesce(sum(shown) FILTER (NOT is_repeat), 0)::BIGINT AS shown,
        coalesce(sum(least(clicks, shown)) FILTER (NOT is_repeat), 0)::BIGINT AS clicks,
        coalesce(sum(greatest(clicks - shown, 0)) FILTER (NOT is_repeat), 0)::BIGINT AS unshown,
        count_if(is_repeat)::BIGINT AS repeats
    FROM query_table(CASE WHEN list_col IS NULL THEN '_ranking_logged' ELSE '_ranking_listed' END)
    GROUP BY ALL
), _ranking_parts AS NOT MATERIALIZED (
    SELECT
        rank, part, sum(shown) AS shown, sum(clicks) AS clicks, sum(unshown) AS unshown, sum(repeats) AS repeats,
        count(next_shown) AS pairs, sum(shown) FILTER (next_shown > 0) AS shown_here, sum(next_shown) AS shown_next,
        -- In 2^-60 clicks, since a sum of integers hangs on no order.
        sum((clicks * (least(shown, next_shown) / nullif(shown, 0)) * 2 ** 60)::HUGEINT) FILTER (next_shown > 0) AS clicks_here,
        sum((next_clicks * (least(shown, next_shown) / next_shown) * 2 ** 60)::HUGEINT) FILTER (next_shown > 0) AS clicks_next
    FROM (
        SELECT
            *, hash(userid) % 20 AS part,
            CASE WHEN lead(rank) OVER of_item = rank + 1 AND shown > 0 THEN nullif(lead(shown) OVER of_item, 0) END AS next_shown,
            lead(clicks) OVER of_item AS next_clicks
        FROM _ranking_items
        WINDOW of_item AS (PARTITION BY userid, itemid ORDER BY rank ASC NULLS LAST))
    GROUP BY rank, part
), _ranking_chains AS NOT MATERIALIZED (
    SELECT
        *, lag(one) OVER above AS before,
        coalesce(sum(one['step']) OVER above, 0) AS log_effect,
        count(one['step']) OVER above = rank - 1 AS is_known,  -- Never below a rank that is not there.
        min(one['parts']) OVER above AS fewest_parts
    FROM (
        SELECT
            rank, left_out, sum(shown)::BIGINT AS shown, sum(clicks)::BIGINT AS clicks, sum(unshown) AS unshown,
            sum(repeats) AS repeats,
            sum(clicks_here) FILTER (part <> left_out) AS here, sum(clicks_next) FILTER (part <> left_out) AS next,
            {
                'rank': rank, 'step': CASE WHEN here > 0 AND next > 0 THEN ln(next / here) END, 'here': here,
                'pairs': sum(pairs)::BIGINT, 'parts': count(*) FILTER (pairs > 0),
                'fewest': least({'n': sum(shown_here), 'rank': rank}, {'n': sum(shown_next), 'rank': rank + 1})} AS one
        FROM _ranking_parts CROSS JOIN (SELECT unnest(range(-1, 20)) AS left_out)  -- -1 leaves out none
        GROUP BY rank, left_out)
    WINDOW above AS (PARTITION BY left_out ORDER BY rank ASC NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
)
SELECT
    rank,
    CASE WHEN is_known THEN exp(log_effect) END AS effect,
    exp(log_effect - half_width) AS low, exp(log_effect + half_width) AS high,
    CASE WHEN rank > 1 THEN before['pairs'] END AS pairs,
    shown, clicks, clicks / nullif(shown, 0) AS ctr,
    nullif(concat_ws(
        '; ',
        first_value(gap IGNORE NULLS) OVER (ORDER BY rank ASC NULLS LAST),
        CASE WHEN is_known AND before['fewest']['n'] < 20
            THEN format('pairs shown fewer than 20 times at rank {} ({})', before['fewest']['rank'], before['fewest']['n']) END,
        CASE WHEN is_known AND half_width IS NULL THEN 'no interval: too few users clicked on pairs' END,
        CASE WHEN unshown > 0 THEN 'clicks beyond what was shown, left out: ' || unshown END,
        CASE WHEN repeats > 0 THEN 'rows of items that their list has above, left out: ' || repeats END), '') AS note
FROM (
    SELECT
        *,
        CASE
            WHEN rank IS NULL THEN 'rows without a user, item or rank, left out'
            WHEN rank > coalesce(before['rank'], 0) + 1 THEN format('nothing was shown at rank {}', coalesce(before['rank'] + 1, 1))
            WHEN before['pairs'] = 0 THEN format('no pair: no item of a user was at ranks {} and {}', rank - 1, rank)
            WHEN before['step'] IS NULL AND rank > 1 THEN format(
                'no click at rank {} on pairs of ranks {} and {}',
                CASE WHEN before['here'] > 0 THEN rank ELSE rank - 1 END, rank - 1, rank)
        END AS gap,
        CASE
            WHEN rank = 1 THEN 0
            WHEN len(others) = 20
                THEN sqrt(19 * list_var_pop(others)) * _ranking_t_quantile(0.05, nullif(fewest_parts - 1, 0))
        END AS half_width
    FROM (
        SELECT
            unnest(any_value(chains) FILTER (left_out = -1)),
            list(log_effect ORDER BY left_out ASC NULLS LAST) FILTER (left_out >= 0 AND is_known) AS others
        FROM _ranking_chains AS chains
        GROUP BY rank))
ORDER BY rank ASC NULLS LAST;

-- A rank or a number of rows as an integer, or an error for a number that is none, or below the least.
CREATE OR REPLACE TEMP MACRO _ranking_count(name, number, lowest) AS
CASE
    WHEN TRY_CAST(number AS BIGINT) >= lowest AND TRY_CAST(number AS BIGINT) = TRY_CAST(number AS DOUBLE)
        THEN TRY_CAST(number AS BIGINT)
    -- Of a text _ranking_log_misfit speaks; NULL is no number.
    WHEN TRY_CAST(number AS DOUBLE) IS NOT NULL THEN error(concat(
        'ranking_position_effect: ', _ranking_cut(name), ' must be an integer >= ', lowest, ', got ', number::VARCHAR,
        CASE WHEN number::VARCHAR = '0' THEN format('; write SELECT * REPLACE ({0} + 1 AS {0})', name) END))
END;

-- The error text of columns of a log that are missing or do not fit; NULL for none.
CREATE OR REPLACE TEMP MACRO _ranking_log_misfit(log, user_col, item_col, rank_col, click_col, shown_col, list_col) AS
list_transform(
    [[
        -- The argument, its type and text, the type of the column.
        ('user_col', typeof(user_col), coalesce(user_col::VARCHAR, 'userid'), _ranking_type(log, user_col, 'userid')),
        ('item_col', typeof(item_col), coalesce(item_col::VARCHAR, 'itemid'), _ranking_type(log, item_col, 'itemid')),
        ('rank_col', typeof(rank_col), coalesce(rank_col::VARCHAR, 'rank'), _ranking_type(log, rank_col, 'rank')),
        ('click_col', typeof(click_col), coalesce(click_col::VARCHAR, 'clicked'), _ranking_type(log, click_col, 'clicked')),
        ('shown_col', typeof(shown_col), shown_col::VARCHAR, _ranking_type(log, shown_col, 'ranking_absent')),
        ('list_col', typeof(list_col), list_col::VARCHAR, _ranking_type(log, list_col, 'ranking_absent'))]],
    lambda columns: coalesce(
        list_any_value(list_transform(columns, lambda c: _ranking_name_problem(c[1], c[2], c[3]))),
        _ranking_missing_columns('log', _ranking_texts_of(log), nullif(list_transform(
            list_filter(columns, lambda c: c[3] IS NOT NULL AND c[4] IS NULL),
            lambda c: {'argument': c[1], 'name': c[3], 'near': '', 'is_elsewhere': false}), [])),
        list_any_value(list_transform(columns[3:5], lambda c: CASE
            WHEN NOT (_ranking_is_number(c[4]) OR c[1] = 'click_col' AND c[4] = 'BOOLEAN')
                THEN concat(_ranking_cut(c[3]), ' must be a number (cast it), got ', _ranking_cut(c[4]))
        END)),
        CASE WHEN shown_col IS NOT NULL AND list_col IS NOT NULL
            THEN 'list_col must stand without shown_col, since counts are of several lists, got ' || list_col::VARCHAR END,
        _ranking_collation_problem()))[1];
