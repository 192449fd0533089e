-- Internal: what lists say about their scores, held against truth: by which end relevant items stand, whether lists begin
-- with truth itself, whether scores are steps. Rows are sums, so that those of parts of the users may be added up.
--
-- A deviation is the share of a list's other items that a relevant one stands above, ties half, less 0.5: the AUC of the
-- list where it is of all its relevant items. It is counted in 65,536ths, since a sum of integers hangs on no order.
--
-- rec, truth, history: names of tables, as query_table takes them
-- names:               what _ranking_names gives
-- min_grade:           as for ranking_check
-- unseen:              whether what a user has in history is left out of the lists; a constant
-- Returns:             unseen, system (as text), item (as text; NULL for lists as a whole, others for each relevant item);
--                      n, total, squares of deviations; and without unseen, of lists: below, above, lists, rows, long (of 3
--                      scores or more), stepped (long, in equal steps, the highest the best), numbered (1 to n or 0 to n -
--                      1), against (falling by the column rank), judged (of users in truth), least, most (of their
--                      contents), unjudged (rows of these), several, first, mixed, ordered (as in
--                      _ranking_evidence_problems); user: one with items below
-- Example:             FROM _ranking_evidence(
--     'rec', 'truth', 'train', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true), NULL, false);
CREATE OR REPLACE TEMP MACRO _ranking_evidence(rec, truth, history, names, min_grade, unseen) AS TABLE
SELECT
    unseen AS unseen,
    system,
    item,
    count(deviation) AS n,
    sum(deviation)::BIGINT AS total,
    sum(deviation * deviation)::BIGINT AS squares,
    count_if(is_whole AND deviation < 0)::BIGINT AS below,
    count_if(is_whole AND deviation > 0)::BIGINT AS above,
    count_if(is_whole AND userid IS NOT NULL)::BIGINT AS lists,
    sum(n_rows * is_whole::BIGINT)::BIGINT AS rows,
    count_if(is_whole AND n > 2)::BIGINT AS long,
    count_if(is_whole AND is_stepped)::BIGINT AS stepped,
    count_if(is_whole AND is_stepped AND lowest IN (0, 1) AND highest = lowest + n - 1)::BIGINT AS numbered,
    count_if(is_whole AND is_against AND n > 0)::BIGINT AS against,
    count_if(is_whole AND n_relevant IS NOT NULL)::BIGINT AS judged,
    sum(n_unjudged * (is_whole AND n_relevant IS NOT NULL)::BIGINT)::BIGINT AS unjudged,
    count_if(is_whole AND n_relevant > 1)::BIGINT AS several,
    count_if(is_whole AND is_first)::BIGINT AS first,
    count_if(is_whole AND is_mixed)::BIGINT AS mixed,
    count_if(is_whole AND is_mixed AND is_ordered)::BIGINT AS ordered,
    min(content) FILTER (is_whole AND n_relevant IS NOT NULL) AS least,
    max(content) FILTER (is_whole AND n_relevant IS NOT NULL) AS most,
    min(userid::VARCHAR) FILTER (is_whole AND deviation < 0) AS user
FROM (
    SELECT
        *,
        CASE WHEN n_relevant > 1 AND len(hits) = n_relevant THEN _ranking_are_first(hits, scores, n_relevant) END AS is_first,
        n_grades > 1 AS is_mixed,
        CASE WHEN n_grades > 1 THEN _ranking_are_first(found, NULL, len(found)) END AS is_ordered,
        unnest(
            [{'is_whole': NOT unseen, 'item': NULL::VARCHAR, 'deviation': round(list_avg(deviations))::BIGINT}]
            || list_transform(
                deviations,
                lambda one, i: {'is_whole': false, 'item': hits[i].itemid::VARCHAR, 'deviation': round(one)::BIGINT}),
            recursive := true)
    FROM (
        SELECT
            *,
            coalesce(list_transform(
                CASE WHEN lowest < highest AND len(of_hits) < n THEN hits END,
                lambda hit: 32768 * (
                    (_ranking_twice_below(scores, hit.score) - _ranking_twice_below(of_hits, hit.score)) / (n - len(of_hits)) - 1)
            ), []) AS deviations
        FROM (
            SELECT
                lists.*,
                users.n_relevant,
                CASE
                    WHEN names['descending'] AND n > 2 AND lowest < highest
                        AND abs((lowest + highest) * n - 2 * total) <= 1e-6 * n * (highest - lowest)
                    THEN _ranking_in_steps(list_sort(scores, 'ASC', 'NULLS LAST'), n)
                    ELSE false
                END AS is_stepped,
                -- Of an item that stands twice, the first place.
                CASE
                    WHEN len(judged) = list_unique(list_transform(judged, lambda one: one.itemid)) THEN judged
                    ELSE list_filter(
                        judged,
                        lambda one, i: list_position(list_transform(judged, lambda other: other.itemid), one.itemid) = i)
                END AS found,
                list_filter(found, lambda one: one.grade >= _ranking_lowest_grade(min_grade)) AS hits,
                list_transform(
                    list_filter(judged, lambda one: one.grade >= _ranking_lowest_grade(min_grade)),
                    lambda one: one.score) AS of_hits,
                list_unique(list_transform(
                    list_filter(found, lambda one: one.grade < _ranking_lowest_grade(min_grade)),
                    lambda one: one.grade)) AS n_grades
            FROM (
                SELECT
                    recs.system,
                    recs.userid,
                    count(*) AS n_rows,
                    count(score) * (recs.userid IS NOT NULL)::BIGINT AS n,  -- rows without a user are no list
                    count(*) - count(grade) AS n_unjudged,
                    min(score) AS lowest,
                    max(score) AS highest,
                    sum(score) AS total,
                    max((score, rank)) FILTER (score IS NOT NULL AND rank IS NOT NULL)[2]
                        > min((score, rank)) FILTER (score IS NOT NULL AND rank IS NOT NULL)[2] AS is_against,
                    bit_xor(hash(recs.itemid))::VARCHAR AS content,  -- Spark knows no UBIGINT
                    list(score) AS scores,
                    coalesce(list_sort(
                        list({'score': score, 'grade': grade, 'itemid': recs.itemid})
                            FILTER (score IS NOT NULL AND grade IS NOT NULL),
                        'DESC'), []) AS judged
                FROM (
                    SELECT
                        least(*COLUMNS(_ranking_column(names['user'], 'userid'))) AS userid,
                        coalesce(*COLUMNS(_ranking_column(names['item'], 'itemid'))) AS itemid,
                        least(*COLUMNS(_ranking_column(names['system'], 'system')))::VARCHAR AS system,
                        -- NaN is no number between others.
                        nullif(TRY_CAST(coalesce(*COLUMNS(_ranking_column(names['score'], 'score'))) AS DOUBLE), 'NaN')
                            AS given,
                        given * (2 * TRY_CAST(names['descending'] AS BOOLEAN)::INTEGER - 1) AS score,
                        TRY_CAST(least(*COLUMNS(_ranking_column(NULL, 'rank'))) AS DOUBLE) AS rank
                    FROM (SELECT NULL AS ranking_absent, * FROM query_table(_ranking_table('rec', rec)) AS rows)
                ) AS recs
                LEFT JOIN (FROM _ranking_truth_pairs(truth, names) WHERE itemid IS NOT NULL) AS truths
                    ON _ranking_same_id(recs.userid, truths.userid) AND _ranking_same_id(recs.itemid, truths.itemid)
                ANTI JOIN (FROM _ranking_history(history, names, NULL) WHERE unseen) AS events
                    ON _ranking_same_id(recs.userid, events.userid) AND _ranking_same_id(recs.itemid, events.itemid)
                GROUP BY recs.system, recs.userid
            ) AS lists
            LEFT JOIN _ranking_truth_users(truth, names, min_grade) AS users
                ON _ranking_same_id(lists.userid, users.userid)
        )
    )
)
GROUP BY system, item;
