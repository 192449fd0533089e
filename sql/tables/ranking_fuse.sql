-- One ranking for each user out of the rankings of several systems: full text and vectors, or an ensemble of models.
--
-- rec:       a table with system, userid, itemid and score, as for ranking_judged
-- method:    'rrf', reciprocal rank fusion: the sum of weight / (rrf_k + rank), ranks from 1; 'borda': of
--            weight * greatest(N - rank + 1, 0) / N, where N is the number of different items of the user in all lists;
--            'combsum': of weight * normalized score; 'combmnz': that, times the number of systems with a score of the item
-- weights:   MAP from each system to a number >= 0; 0: as if rec did not have the system; NULL: 1 for all
-- rrf_k:     for 'rrf': how little the first ranks differ from those after them
-- normalize: for 'combsum' and 'combmnz', what becomes of the scores of each list: 'min_max': (x - min) / (max - min);
--            'z_score': (x - mean) / (standard deviation, the population's); 'sum': (x - min) / sum of (x - min);
--            'none': x. Where all scores are the same, each is 1, 0 and 1 / (number of them)
-- depth:     how many rows of each list count; NULL: all
-- systems:   LIST of the systems to fuse; NULL: all
-- user_col, ..., descending: as for ranking_judged
-- Returns:   userid, itemid, score DOUBLE (more is better, whatever came in), n_systems (whose lists have the item)
-- Errors:    as for ranking_judged, of rec alone; rec without a column of systems; an argument with a value that is not
--            allowed; weights or systems that rec does not have; a system without a weight; an infinite score that is to be
--            added
-- Source:    Cormack, Clarke and Buettcher (2009) for rrf; Aslam and Montague (2001) for borda; Fox and Shaw (1993) for
--            combsum and combmnz; Montague and Aslam (2001) for the normalizations
-- Example:   WITH every AS (SELECT 'fused' AS system, * FROM ranking_fuse('rec') UNION ALL BY NAME FROM rec)
--            SELECT system, ndcg, recall FROM ranking_summary('every', 'truth', [10]) ORDER BY system;
--
-- An item that a system does not have gets nothing from it, never a rank; a user whom only one system has is there. Lists are
-- ordered as by ranking_judged; NULL and NaN scores have a rank, but no score to normalize or to add: where no system has a
-- score of an item, its score is NULL. An item that a list repeats counts where it stands first; later ones, and rows without
-- an item, take up ranks. With normalize 'none', scores below 1e-61 times the largest count as 0, and so do, with whatever
-- method, those of a weight below 1e-30 times the largest.
--
-- Fusing does not always help: `examples/tune_fusion.sql` tries a grid of weights and k on half of the users, and compares
-- with the best single system on the others, since what is measured where it was tuned looks better than it is.
--
-- To join the result with a rec of other names, or of ranks, give it the same columns first:
-- `SELECT 'fused' AS model, userid AS customer, itemid AS sku, -score AS rank FROM ranking_fuse('rec', user_col :=
-- 'customer', item_col := 'sku', score_col := 'rank', system_col := 'model', descending := false) UNION ALL BY NAME FROM
-- rec`.
--
-- Other tools: Qdrant counts ranks from 0 and has k = 2, which is rrf_k := 1 here, and its weights are others; the
-- extension flock gives an item that a list does not have more than its first one. ranx refuses queries that only one run
-- has; its min-max and sum of a constant list are 0 (here, and in OpenSearch, the only item that a system finds has 1), and
-- its bordafuse counts points, N times those here, and gives a system's left points to items that it does not have.
CREATE OR REPLACE TEMP MACRO ranking_fuse(
    rec, method := 'rrf', weights := NULL, rrf_k := 60, normalize := 'min_max', depth := NULL, systems := NULL,
    user_col := 'userid', item_col := 'itemid', score_col := 'score', system_col := 'system', descending := true
) AS TABLE
WITH _ranking_lists AS (
    SELECT *, list_min(numbers) AS low, list_max(numbers) AS high
    FROM _ranking_fuse_lists(
        rec, user_col, item_col, score_col, '', coalesce(system_col, 'system'), descending,
        method, weights, rrf_k, normalize, depth, systems)),
-- Points are summed as whole numbers of 1 / scale, so that no order of the rows changes a sum. No points but raw scores are
-- above a weight times the square root of a list's length.
_ranking_scale AS (
    SELECT 2 ** (104 - ceil(log2(least(greatest(coalesce(
        max(weight * greatest(abs(low), abs(high))),
        nullif(list_max(map_values(TRY_CAST(weights AS MAP(VARCHAR, DOUBLE)))), 0),
        1
    ), 1e-270), 1e308)))) AS scale
    FROM _ranking_lists
    WHERE method::VARCHAR LIKE 'comb%' AND normalize::VARCHAR = 'none')
SELECT
    userid, itemid,
    (whole + coalesce(rest / 2 ** 100, 0)) / scale * CASE method::VARCHAR WHEN 'combmnz' THEN n_scores ELSE 1 END AS score,
    n_systems
FROM (
    SELECT
        userid, itemid,
        sum(round(points)::HUGEINT) AS whole,
        -- Raw scores may differ in size by more than a HUGEINT holds.
        sum(CASE WHEN method::VARCHAR LIKE 'comb%' AND normalize::VARCHAR = 'none'
            THEN ((points - round(points)) * 2 ** 100)::HUGEINT
        END) AS rest,
        count(points) AS n_scores,
        count(*) AS n_systems
    FROM (
        SELECT
            userid, entry.itemid,
            weight * CASE
                WHEN method::VARCHAR = 'rrf' THEN 1 / (rrf_k::DOUBLE + entry.rank)
                -- A rank is beyond N where items are repeated.
                WHEN method::VARCHAR = 'borda' THEN greatest(n_items - entry.rank + 1, 0) / n_items
                WHEN entry.score IS NULL THEN NULL
                WHEN NOT isfinite(high - low) THEN error(concat(
                    'ranking_fuse: score must be finite where scores are added (rrf and borda take ranks alone), got ',
                    CASE WHEN isfinite(high) THEN low ELSE high END, ' of system ', _ranking_cut(system::VARCHAR),
                    ', user ', _ranking_cut(userid::VARCHAR)))::DOUBLE
                WHEN normalize::VARCHAR = 'none' AND NOT isfinite(weight * entry.score) THEN error(concat(
                    'ranking_fuse: a weight times a score must be finite, got ', weight, ' and ', entry.score,
                    ' of system ', _ranking_cut(system::VARCHAR), ', user ', _ranking_cut(userid::VARCHAR)))::DOUBLE
                WHEN normalize::VARCHAR = 'none' THEN entry.score
                WHEN normalize::VARCHAR = 'min_max' THEN CASE WHEN high > low THEN (entry.score - low) / (high - low) ELSE 1 END
                WHEN normalize::VARCHAR = 'z_score' THEN CASE WHEN high > low THEN (entry.score - mean) / deviation ELSE 0 END
                ELSE CASE WHEN high > low THEN (entry.score - low) / above_low ELSE 1 / n_numbers END
            END * scale AS points
        FROM (
            -- Beside unnest, the others would be computed for each item.
            SELECT * EXCLUDE (entries), unnest(entries) AS entry
            FROM (
                SELECT
                    lists.* EXCLUDE (numbers),
                    n_items,
                    list_avg(numbers) AS mean,
                    list_stddev_pop(numbers) AS deviation,
                    list_sum(list_transform(numbers, lambda number: number - low)) AS above_low,
                    len(numbers) AS n_numbers
                FROM _ranking_lists AS lists
                LEFT JOIN (
                    SELECT userid, count(*) AS n_items
                    FROM (
                        SELECT DISTINCT userid, unnest(list_transform(entries, lambda entry: entry.itemid))
                        FROM _ranking_lists
                        WHERE method::VARCHAR = 'borda')
                    GROUP BY userid
                ) AS counts ON lists.userid = counts.userid))
        CROSS JOIN _ranking_scale)
    GROUP BY userid, itemid)
CROSS JOIN _ranking_scale;

-- The list of each system and user that takes part in a fusion, with the rank and the score of each item.
CREATE OR REPLACE TEMP MACRO _ranking_fuse_lists(rec, COLUMN_NAMES, method, weights, rrf_k, normalize, depth, systems) AS TABLE
SELECT
    *,
    list_filter(list_transform(entries, lambda entry: entry.score), lambda score: score IS NOT NULL) AS numbers
FROM (
    SELECT
        userid, system, weight,
        CASE
            WHEN list_count(items) = len(items) AND NOT _ranking_has_repeats(items) THEN ranked
            -- An item twice, or NULL.
            ELSE list_transform(
                [list_sort(ranked, 'ASC', 'NULLS LAST')],
                lambda ordered: list_filter(
                    ordered,
                    lambda entry, place:
                        entry.itemid IS NOT NULL AND entry.itemid IS DISTINCT FROM ordered[place - 1].itemid))[1]
        END AS entries
    FROM (
        SELECT
            userid, system, weight,
            list_transform(listed, lambda pair: pair[2]) AS items,
            list_transform(listed, lambda pair, place: {'itemid': pair[2], 'rank': place, 'score': -pair[1]}) AS ranked
        FROM (
            SELECT
                userid, system,
                _ranking_fuse_weight(system, weights, systems) AS weight,
                -- As in _ranking_rec_lists.
                CASE
                    WHEN _ranking_few_digits(typeof(any_value(score)))
                        THEN list_sort(list((opposite, itemid)), 'ASC', 'NULLS LAST')
                    WHEN descending
                        THEN list((opposite, itemid) ORDER BY score DESC NULLS LAST, itemid ASC NULLS LAST)
                    ELSE list((opposite, itemid) ORDER BY score ASC NULLS LAST, itemid ASC NULLS LAST)
                END[:least(coalesce(TRY_CAST(depth AS HUGEINT), 2147483647), 2147483647)] AS listed
            FROM (
                SELECT *, TRY_CAST(score AS DOUBLE) * CASE WHEN descending THEN -1 ELSE 1 END AS opposite
                FROM (SELECT * REPLACE (_ranking_score(score) AS score) FROM _ranking_gathered_recs(rec, COLUMN_NAMES, true))
            )
            WHERE userid IS NOT NULL
            GROUP BY userid, system))
    WHERE weight > 0)
WHERE (
    SELECT _ranking_no_problem(
        'ranking_fuse', _ranking_fuse_misfit(rec, COLUMN_NAMES, method, weights, rrf_k, normalize, depth, systems)));

-- The weight of a system in a fusion; 0 for one that has no part in it.
CREATE OR REPLACE TEMP MACRO _ranking_fuse_weight(system, weights, systems) AS
CASE
    -- Systems that are an error leave none out: where no row can be left, DuckDB 2.0.1 drops the error from the plan.
    WHEN len(TRY_CAST(systems AS VARCHAR[])) > 0
        AND NOT coalesce(list_contains(TRY_CAST(systems AS VARCHAR[]), system::VARCHAR), false)
        THEN 0
    WHEN weights IS NULL THEN 1
    ELSE (TRY_CAST(weights AS MAP(VARCHAR, DOUBLE)))[system::VARCHAR]
END::DOUBLE;

-- The error text of a column or argument of ranking_fuse that does not fit; NULL for none.
CREATE OR REPLACE TEMP MACRO _ranking_fuse_misfit(rec, COLUMN_NAMES, method, weights, rrf_k, normalize, depth, systems) AS
coalesce(
    _ranking_rec_misfit(rec, COLUMN_NAMES),
    CASE WHEN system_col::VARCHAR = ''
        THEN 'system_col must name the column of the systems to fuse, got '''''
    END,
    _ranking_option(
        'method', method, 'rrf|combsum|combmnz|borda', method::VARCHAR IN ('rrf', 'combsum', 'combmnz', 'borda')),
    _ranking_option(
        'normalize', normalize, 'min_max|z_score|sum|none', normalize::VARCHAR IN ('min_max', 'z_score', 'sum', 'none')),
    _ranking_option(
        'rrf_k', rrf_k, 'a number >= 0',
        _ranking_is_number(typeof(rrf_k)) AND TRY_CAST(rrf_k AS DOUBLE) >= 0 AND isfinite(TRY_CAST(rrf_k AS DOUBLE))),
    _ranking_option(
        'depth', depth, 'an integer >= 1, or NULL for whole lists',
        depth IS NULL OR _ranking_is_integer(typeof(depth)) AND TRY_CAST(depth AS HUGEINT) >= 1),
    _ranking_option(
        'systems', systems, 'a list of names, such as [''bm25'', ''vector'']',
        systems IS NULL OR len(TRY_CAST(systems AS VARCHAR[])) > 0),
    _ranking_option(
        'weights', weights, 'a MAP of numbers >= 0, such as MAP {''bm25'': 1, ''vector'': 2}',
        weights IS NULL OR list_bool_and(list_transform(
            map_values(TRY_CAST(weights AS MAP(VARCHAR, DOUBLE))),
            lambda weight: coalesce(weight >= 0 AND isfinite(weight), false)))),
    CASE WHEN weights IS NOT NULL OR systems IS NOT NULL THEN (
        SELECT coalesce(
            _ranking_fuse_unknown('systems', TRY_CAST(systems AS VARCHAR[]), every_system),
            _ranking_fuse_unknown('weights', map_keys(TRY_CAST(weights AS MAP(VARCHAR, DOUBLE))), every_system),
            'weights must have one of each system (0 leaves it out), got none of '
                || list_filter(
                    list_transform(every_system, lambda system: coalesce(system, 'NULL')),
                    lambda system, place: _ranking_fuse_weight(every_system[place], weights, systems) IS NULL)[1],
            CASE WHEN list_max(list_transform(
                every_system, lambda system: _ranking_fuse_weight(system, weights, systems))) = 0
                THEN 'weights must not all be 0, got ' || _ranking_cut(weights::VARCHAR)
            END)
        FROM (
            SELECT list_sort(list(ranking_system::VARCHAR), 'ASC', 'NULLS LAST') AS every_system
            FROM _ranking_systems(rec, COLUMN_NAMES)
            -- DuckDB runs this even where the CASE above is false, and would read rec for nothing.
            WHERE weights IS NOT NULL OR systems IS NOT NULL)
    ) END);

-- The error text of a name that is no system of rec; NULL for none.
CREATE OR REPLACE TEMP MACRO _ranking_fuse_unknown(argument, named, every_system) AS
argument || ' must name systems of rec (' || _ranking_cut(coalesce(_ranking_joined(every_system, ', '), '')) || '), got '
|| list_transform(
    list_filter(named, lambda name: name IS NULL OR NOT coalesce(list_contains(every_system, name), false)),
    lambda name: coalesce(_ranking_cut(name), 'NULL'))[1];
