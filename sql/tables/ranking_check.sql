-- The problems of two tables before they are evaluated, a row per kind of problem and system.
--
-- rec, truth: tables with userid, itemid, score and userid, itemid [, rel], as for ranking_judged
-- ks:         the cut-offs at which tied scores and short lists are looked for, and above the largest of which ties and
--             repeated items are; NULL among them for the whole list
-- user_col, ..., descending, JUDGING: as for ranking_judged
-- history:    a table with userid, itemid [, time]: what the recommendations were made of, as train of ranking_split
-- time_col:   what the column of times is called in truth and in history; by default time; '' if there are none, so
--             that late events are not looked for
-- items:      a table with itemid, in which an item may stand several times: the catalogue, or the corpus that is searched
-- predicted_truth: as of ranking_compare: are the labelled users, those of truth, like the others by it, and judged to every k?
-- Returns:    one row per kind of problem and system that has it: severity (below), system (as text; NULL where the row is
--             about truth or all of rec), problem, code (of ranking_problem_codes, which says what to write), k, example,
--             count, of (how many it could be, of the same kind: users in truth wherever a list is what is wrong; NULL where
--             there is no such number); no row if all is well
-- Errors:     a table that is not there; ks as for ranking_summary; with predicted_truth what ranking_summary does not take. All
--             else is a row, a missing column too.
-- Example:    FROM ranking_check('rec', 'truth', ks := [5, 10]);
--
-- severity is 'wrong' (a number or a verdict is not what it seems), 'doubtful', or 'info', to know, by the share count / of: see
-- ranking_problem_codes; users without a relevant item are 'info' where they are left out. Pipelines stop at the first two.
-- Users who have a list and no truth are counted in rows of their own, which are 'info'. nothing_but_hits is looked
-- for where lists are condensed: of a truth without a judged miss they hold hits alone.
--
-- upside_down asks truth which end of the scores is up: of each system, over users whose list has a relevant item and another
-- with a different score, whether relevant items stand above others (the AUC of the whole list). It is 'wrong' where the mean
-- is below 0.5 by 3.3 standard errors over at least 30 users, or by 1.65 if scores in equal steps (1 to n) or a column rank
-- against the score say so too; and by 3.3 over at least 10 relevant items, each weighed by the root of its users, so that
-- one list for all users does not pass for many. It is 'doubtful' where scores are 1 to n or 0 to n - 1, or fall by a column
-- rank, and relevant items stand below others for more users than above. Lists of a good model that still hold what a user had
-- before look the same; with history, the check leaves these items out, and says seen_first where relevant items are not below
-- the others then.
-- truth_in_rec is where the lists of 95 % of at least 20 users with two relevant items begin with all of these, in the order
-- of grades: 'wrong' if two irrelevant grades of truth or more are in their order too, else 'doubtful'.
--
-- partial_leak is about fewer users. It counts users with two or more relevant items, all of them at the top. A system has it if
-- there are 16 such users or more and all of these hold: (a) their share is 0.1 and 4 standard errors above that of each other
-- system. (b) Near misses are few: of users with three or more relevant items (R), at most 0.7 times as many have all of them in
-- the first 3R or lack one in the first R. Of lists that hold all of them further down, at most 0.1 hold them in one block, as
-- pages do whose chunks are found together. (c) The users are no easier: the mean recall of the other systems over them is at
-- most 0.4 standard deviations above that over the other users. It is 'doubtful'. It is 'info' for a system without another
-- system of the same users, or if the others' recall is the same for all users: easy queries look the same. In simulations
-- with 300 users of two systems, it finds more than 95 % of leaks for 30 % of users of a model with NDCG 0.4. It finds 24 to 74 %
-- of these in a model with NDCG 0.7, and misses leaks into models that find pages as wholes. Beside another system, it can be
-- false where one system alone answers one kind of query, where the others are random lists beside a model with NDCG above 0.9,
-- and where a strong model finds the chunks of a page almost together while the others' recall hardly depends on the user.
--
-- Of a history it counts pairs of truth that are in it, its events at or after truth's first, rows of rec that are in it,
-- and the users and items of truth that are not. Of folds in one table, leave the times out (time_col := ''), since one
-- fold's test is the train of another.
--
-- With items it counts labels (pairs of truth) and rows of rec whose item is not there, as after a corpus was cut into chunks
-- anew. recall_without_gone counts the users whose recall at k, as of ranking_summary, differs over a truth without these labels;
-- a user who has no others is not in the mean without them. It is not looked for where lists are condensed ('skip').
--
-- What the table functions make of each: rows without a userid are left out; an item without an id, or listed
-- before, takes up a rank and is never a hit; NULL and NaN scores rank last; the highest of an item's grades
-- counts; tied scores are ordered by itemid; a NULL, NaN or infinite grade, ids of different types, and columns that
-- look like grades, systems or runs and are not named are errors. Where the lowest score of one system alone is the best,
-- rank them all by the highest:
-- SELECT * REPLACE (CASE WHEN system IN ('bert') THEN -score ELSE score END AS score) FROM rec.
CREATE OR REPLACE TEMP MACRO ranking_check(
    rec, truth, ks := [10], COLUMN_ARGUMENTS, history := NULL, time_col := NULL, JUDGING_ARGUMENTS, items := NULL,
    predicted_truth := NULL) AS TABLE
WITH _ranking_check_of_truth AS NOT MATERIALIZED (
    FROM _ranking_checked(
        rec, truth, ks, COLUMN_NAMES, history, time_col, JUDGING, items, predicted_truth, 'ranking_check')
), _ranking_truth_with_users AS MATERIALIZED (
    FROM _ranking_truth_rows(truth, users, COLUMN_NAMES, 'ranking_check')
), _ranking_check_of_users AS NOT MATERIALIZED (
    FROM _ranking_checked(
        rec, '_ranking_truth_with_users', ks, COLUMN_NAMES, history, time_col, JUDGING, items, predicted_truth,
        'ranking_check')
)
FROM query_table(CASE WHEN users IS NULL THEN '_ranking_check_of_truth' ELSE '_ranking_check_of_users' END);

-- The same of a truth that has all users.
CREATE OR REPLACE TEMP MACRO _ranking_checked(
    rec, truth, ks, COLUMN_NAMES, history, time_col, JUDGING, items, predicted_truth, caller) AS TABLE
-- The user's tables are read in the first CTE alone, so that no name of hers can be one of the others.
WITH _ranking_read AS MATERIALIZED (
    FROM _ranking_user_problems(rec, truth, COLUMN_NAMES, _ranking_cuts(ks, caller), _ranking_longest(ks), JUDGING)
    UNION ALL BY NAME
    FROM _ranking_table_problems(rec, truth, COLUMN_NAMES, JUDGING)
    UNION ALL BY NAME
    SELECT evidence FROM _ranking_evidence(rec, truth, rec, COLUMN_NAMES, min_grade, false) AS evidence
    UNION ALL BY NAME
    FROM _ranking_ids(rec, truth, COLUMN_NAMES)
), _ranking_read_with_history AS NOT MATERIALIZED (
    FROM _ranking_read
    UNION ALL BY NAME
    -- DuckDB 1.4 has no NULL for a table that no one reads.
    FROM _ranking_history_problems(rec, truth, _ranking_table('history', coalesce(history, rec)), COLUMN_NAMES, time_col)
    UNION ALL BY NAME
    SELECT evidence
    FROM _ranking_evidence(
        rec, truth, _ranking_table('history', coalesce(history, rec)), COLUMN_NAMES, min_grade, true) AS evidence
), _ranking_read_with_items AS NOT MATERIALIZED (
    FROM query_table(CASE WHEN history IS NULL THEN '_ranking_read' ELSE '_ranking_read_with_history' END)
    UNION ALL BY NAME
    FROM _ranking_catalogue_problems(
        rec, truth, _ranking_table('items', coalesce(items, rec)), COLUMN_NAMES, _ranking_cuts(ks, caller), JUDGING)
), _ranking_problems_found AS NOT MATERIALIZED (
    SELECT code, system, k, count, of_row, example, size, of, severity
    FROM query_table(CASE
        WHEN items IS NOT NULL THEN '_ranking_read_with_items'
        WHEN history IS NULL THEN '_ranking_read'
        ELSE '_ranking_read_with_history'
    END)
    WHERE code IS NOT NULL
    UNION ALL BY NAME
    FROM _ranking_evidence_problems(CASE WHEN history IS NULL THEN '_ranking_read' ELSE '_ranking_read_with_history' END)
    UNION ALL BY NAME
    FROM _ranking_id_problems('_ranking_read', coalesce(user_col::VARCHAR, 'userid'), 'user')
    UNION ALL BY NAME
    FROM _ranking_id_problems('_ranking_read', coalesce(item_col::VARCHAR, 'itemid'), 'item')
    UNION ALL BY NAME
    FROM _ranking_swapped_problems('_ranking_read')
    UNION ALL BY NAME
    SELECT code, count(*) AS count, min(id) AS example FROM _ranking_inexact_ids('_ranking_read') GROUP BY code
    UNION ALL BY NAME
    SELECT code, system, count(*) AS count, {'user': min(user), 'item': NULL::VARCHAR} AS of_row
    FROM _ranking_served_users('_ranking_read')
    GROUP BY code, system
    UNION ALL BY NAME
    FROM _ranking_apart_problems('_ranking_read')
), _ranking_problems_with_predicted AS NOT MATERIALIZED (
    FROM _ranking_problems_found
    UNION ALL BY NAME
    -- A text, since DuckDB 1.4 plans a CTE that no one reads.
    FROM query(CASE
        WHEN predicted_truth IS NULL THEN 'SELECT NULL AS code WHERE false'
        WHEN _ranking_no_problem('ranking_check', _ranking_predicted_problem(JUDGING)) THEN concat(
            'FROM ', _ranking_home(), '_ranking_labelled_problems(', _ranking_as_text(rec), ', ', _ranking_as_text(truth), ', ',
            _ranking_as_text(_ranking_table('predicted_truth', predicted_truth)), ', ',
            COLUMNS_AS_TEXTS, ', ', _ranking_as_text(ks), ', ', JUDGING_AS_TEXTS, ')')
    END)
)
FROM _ranking_problem_rows(
    CASE WHEN predicted_truth IS NULL THEN '_ranking_problems_found' ELSE '_ranking_problems_with_predicted' END,
    COLUMN_NAMES, min_grade);

-- The problems of users, each for itself: where the tables are parted by user, the counts of the parts add up
-- to those of the whole, as long as each part of rec knows all systems.
--
-- A code is of ranking_problem_codes, or of what problems are counted of; of and severity are NULL where that table says
-- them; of_row is the first row that has the problem.
CREATE OR REPLACE TEMP MACRO _ranking_user_problems(rec, truth, COLUMN_NAMES, ks, max_k, JUDGING) AS TABLE
SELECT
    code, system, k, sum(count)::BIGINT AS count, min({'user': coalesce(user, 'NULL'), 'item': item}) AS of_row,
    NULL::VARCHAR AS example, size, NULL::BIGINT AS of, NULL::VARCHAR AS severity
FROM _ranking_problems_by_list(rec, truth, COLUMN_NAMES, ks, max_k, min_grade)
GROUP BY code, system, k, size
UNION ALL BY NAME
FROM _ranking_truth_problems(truth, COLUMN_NAMES, JUDGING);

-- The problems of each list: code, count, k, size, and of rows an item. Those of a list as a whole have none, and are counted in
-- users of truth.
CREATE OR REPLACE TEMP MACRO _ranking_problems_by_list(rec, truth, COLUMN_NAMES, ks, max_k, min_grade) AS TABLE
SELECT
    system,
    user,
    -- Most lists have no problem: what they do not have goes no further.
    unnest(
        list_filter(
            [
                _ranking_problem_of('null_user', n * (userid IS NULL)::BIGINT, coalesce(first_item, 'NULL')),
                _ranking_problem_of('null_item', n - n_items, 'NULL'),
                _ranking_problem_of('null_score', n - n_scores, coalesce(without_score, 'NULL')),
                _ranking_problem_of('nan_score', n_scores - n_ranked, coalesce(nan_item, 'NULL')),
                _ranking_problem_of('repeated_item', n_repeated * (userid IS NOT NULL)::BIGINT, repeated, deepest),
                _ranking_problem_of('equal_scores', (is_judged AND is_equal)::BIGINT, NULL),
                _ranking_problem_of('ties_in_top_k', (is_judged AND is_tied)::BIGINT, NULL, deepest),
                _ranking_problem_of('not_in_truth', is_stranger::BIGINT, NULL),
                _ranking_problem_of('ties_without_truth', (is_stranger AND (is_equal OR is_tied))::BIGINT, NULL)]
            || list_transform(at_k, lambda one: _ranking_problem_of(one.code, is_judged::BIGINT, NULL, one.k, one.size)),
            lambda one: one.count > 0),
        recursive := true)
FROM (
    SELECT
        lists.* REPLACE (
            list_filter(at_k, lambda one: one.code <> 'shorter_than_truth' OR n < truths.n_relevant) AS at_k),
        truths.userid IS NOT NULL AS is_judged,
        truths.userid IS NULL AND lists.userid IS NOT NULL AS is_stranger
    FROM _ranking_list_facts(rec, COLUMN_NAMES, ks, max_k) AS lists
    LEFT JOIN _ranking_truth_users(_ranking_table('truth', truth), COLUMN_NAMES, min_grade) AS truths
        ON _ranking_same_id(lists.userid, truths.userid));

-- A problem of one list or of one user's truth.
CREATE OR REPLACE TEMP MACRO _ranking_problem_of(code, count, item, k := NULL, size := NULL) AS
{'code': code, 'count': count, 'item': item::VARCHAR, 'k': k::BIGINT, 'size': size::BIGINT};

-- The facts of each list, of a system and a user, by which _ranking_problems_by_list finds what is wrong.
--
-- Of each the best max_k + 1 rows are kept, for k below 32 in a heap (`max(row, n)`): what ties and repetitions there
-- may be further down changes no number.
CREATE OR REPLACE TEMP MACRO _ranking_list_facts(rec, COLUMN_NAMES, ks, max_k) AS TABLE
SELECT
    * EXCLUDE (best, cuts),
    len(list_filter(best[:coalesce(deepest, 2147483647)], lambda one, i: one[1] = best[i - 1][1])) > 0 AS is_tied,
    len(items) - list_unique(items) AS n_repeated,
    CASE WHEN _ranking_has_repeats(items) THEN _ranking_repetitions(items)[1]::VARCHAR END AS repeated,
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
            ks AS cuts, max_k AS deepest, userid, system::VARCHAR AS system, userid::VARCHAR AS user,
            count(*) AS n,
            count(itemid) AS n_items,
            count(given) AS n_scores,
            count(score) AS n_ranked,
            min(itemid) FILTER (userid IS NULL)::VARCHAR AS first_item,
            min(itemid) FILTER (given IS NULL)::VARCHAR AS without_score,
            min(itemid) FILTER (given IS NOT NULL AND score IS NULL)::VARCHAR AS nan_item,
            count(*) > 1 AND count(score) = count(*) AND min(score) = max(score) AS is_equal,
            CASE
                WHEN max_k < 32 AND descending
                    THEN max((score, itemid), greatest(max_k, 0) + 1) FILTER (score IS NOT NULL)
                WHEN max_k < 32
                    THEN min((score, itemid), greatest(max_k, 0) + 1) FILTER (score IS NOT NULL)
                WHEN descending
                    THEN list_sort(list((score, itemid)) FILTER (score IS NOT NULL), 'DESC')
                ELSE list_sort(list((score, itemid)) FILTER (score IS NOT NULL), 'ASC')
            END AS best
        FROM (
            SELECT userid, system, itemid, score AS given, _ranking_score(score) AS score
            FROM _ranking_recs(_ranking_table('rec', rec), COLUMN_NAMES))
        GROUP BY system, userid));

-- The problems of truth.
CREATE OR REPLACE TEMP MACRO _ranking_truth_problems(truth, COLUMN_NAMES, JUDGING) AS TABLE
SELECT
    code, sum(count)::BIGINT AS count,
    min({'user': user, 'item': item}) FILTER (code NOT IN ('nothing_relevant', 'nothing_but_hits')) AS of_row,
    min(grade_name || ' ' || highest) FILTER (code = 'nothing_relevant') AS example,
    CASE WHEN code = 'no_relevant_item' AND _ranking_skips_users(JUDGING) THEN 'info' END AS severity
FROM (
    SELECT
        grade_name, highest, user,
        unnest(
            list_filter(
                [
                    _ranking_problem_of('users', (userid IS NOT NULL)::BIGINT, NULL),
                    _ranking_problem_of('truth rows', n, NULL),
                    _ranking_problem_of('nothing_relevant', n * (highest IS NOT NULL AND n_relevant = 0)::BIGINT, NULL),
                    _ranking_problem_of(
                        'nothing_but_hits',
                        (userid IS NOT NULL AND n_judged = n_relevant AND _ranking_is_condensed(JUDGING))::BIGINT, NULL),
                    _ranking_problem_of('null_truth_user', n * (userid IS NULL)::BIGINT, coalesce(first_item, 'NULL')),
                    -- Of a user who is named, it says that there is no answer.
                    _ranking_problem_of('null_truth_item', (n - n_items) * (users IS NULL OR n_items > 0)::BIGINT, 'NULL'),
                    _ranking_problem_of('null_grade', n_without_grade, coalesce(without_grade, 'NULL')),
                    _ranking_problem_of('infinite_grade', n_infinite, _ranking_graded(infinite, grade_name)),
                    _ranking_problem_of('negative_grade', n_negative, _ranking_graded(negative, grade_name)),
                    _ranking_problem_of('fractional_grade', n_fractional, _ranking_graded(fractional, grade_name)),
                    _ranking_problem_of('repeated_truth', len(items) - list_unique(items), repeated),
                    _ranking_problem_of('contradicting_grades', len(contradicting), list_min(contradicting)),
                    _ranking_problem_of('no_relevant_item', (userid IS NOT NULL AND n_relevant = 0)::BIGINT, NULL)],
                lambda one: one.count > 0),
            recursive := true)
    FROM (
        SELECT
            *,
            coalesce(grade_col::VARCHAR, 'rel') AS grade_name,
            coalesce(userid::VARCHAR, 'NULL') AS user,
            CASE WHEN _ranking_has_repeats(items) THEN _ranking_repetitions(items)[1]::VARCHAR END AS repeated,
            CASE WHEN _ranking_has_repeats(items)
                THEN list_distinct(_ranking_repetitions(list_transform(list_distinct(graded), lambda one: one.item)))
            END AS contradicting
        FROM (
            SELECT
                userid,
                count(*) AS n,
                count(itemid) AS n_items,
                count_if(has_grade AND rel IS NULL AND (users IS NULL OR itemid IS NOT NULL))::BIGINT AS n_without_grade,
                count_if(NOT isfinite(grade))::BIGINT AS n_infinite,
                count_if(isfinite(grade) AND grade < 0)::BIGINT AS n_negative,
                count_if(isfinite(grade) AND grade > 0 AND grade <> floor(grade))::BIGINT AS n_fractional,
                count_if(itemid IS NOT NULL AND grade >= _ranking_lowest_grade(min_grade))::BIGINT AS n_relevant,
                count_if(itemid IS NOT NULL AND grade IS NOT NULL)::BIGINT AS n_judged,
                max(grade) AS highest,
                min(itemid) FILTER (userid IS NULL)::VARCHAR AS first_item,
                min(itemid) FILTER (has_grade AND rel IS NULL)::VARCHAR AS without_grade,
                min({'item': itemid, 'rel': rel}) FILTER (NOT isfinite(grade)) AS infinite,
                min({'item': itemid, 'rel': rel}) FILTER (isfinite(grade) AND grade < 0) AS negative,
                min({'item': itemid, 'rel': rel})
                    FILTER (isfinite(grade) AND grade > 0 AND grade <> floor(grade)) AS fractional,
                list(itemid) FILTER (userid IS NOT NULL AND itemid IS NOT NULL) AS items,
                list({'item': itemid, 'grade': grade})
                    FILTER (has_grade AND userid IS NOT NULL AND itemid IS NOT NULL AND grade IS NOT NULL) AS graded
            FROM _ranking_graded_truths(truth, COLUMN_NAMES)
            GROUP BY userid)))
GROUP BY code;

-- The rows of truth with the grade as a number, and whether truth has a column of them.
CREATE OR REPLACE TEMP MACRO _ranking_graded_truths(truth, COLUMN_NAMES) AS TABLE
SELECT
    *, _ranking_has(truth, grade_col, 'rel') AS has_grade,
    CASE WHEN has_grade THEN TRY_CAST(rel AS DOUBLE) ELSE 1 END AS grade
FROM _ranking_truths(truth, COLUMN_NAMES);

-- An item and its grade, as text for an example.
CREATE OR REPLACE TEMP MACRO _ranking_graded(one, grade_name) AS
one['item']::VARCHAR || ', ' || grade_name || ' ' || one['rel']::VARCHAR;

-- The problems of users labelled by people, where a model has labelled more: that they are no random draw, since the mean of
-- NDCG by the model's grades is another, by 3.3 standard errors over at least 10 of both, or that people have not judged all of
-- their lists' first k, which only a truth with judged misses can tell.
CREATE OR REPLACE TEMP MACRO _ranking_labelled_problems(rec, truth, predicted_truth, COLUMN_NAMES, ks, JUDGING) AS TABLE
SELECT
    'labelled_apart' AS code, system::VARCHAR AS system, k::BIGINT AS k, n AS count, n + n_others AS of,
    format('ndcg {:.3g} of them, {:.3g} of the others', mean, mean_others) AS example
FROM (
    SELECT
        ranking_system AS system, k,
        count(people.userid) AS n,
        count(*) FILTER (people.userid IS NULL) AS n_others,
        avg(ndcg) FILTER (people.userid IS NOT NULL) AS mean,
        avg(ndcg) FILTER (people.userid IS NULL) AS mean_others,
        var_samp(ndcg) FILTER (people.userid IS NOT NULL) / n
            + var_samp(ndcg) FILTER (people.userid IS NULL) / n_others AS square
    FROM (
        SELECT *, _ranking_ndcg(_ranking_at(judged, k)) AS ndcg
        FROM _ranking_judged(
            rec, predicted_truth, COLUMN_NAMES, _ranking_longest(ks), false,
            'ranking_check with predicted_truth as truth', JUDGING)
        CROSS JOIN (SELECT unnest(_ranking_cuts(ks, 'ranking_check')) AS k)) AS labels
    LEFT JOIN _ranking_truth_users(truth, COLUMN_NAMES, min_grade) AS people ON _ranking_same_id(labels.userid, people.userid)
    WHERE has_truth
    GROUP BY ranking_system, k)
WHERE least(n, n_others) >= 10 AND abs(mean - mean_others) > 3.3 * sqrt(square)
UNION ALL BY NAME
SELECT
    'labelled_in_part' AS code, ranking_system::VARCHAR AS system, k::BIGINT AS k,
    -- An empty list has nothing to be judged.
    count(*) FILTER (judged_share < 1 AND n_rec > 0) AS count, count(*) AS of,
    format('judged_share {:.3g}', avg(judged_share) FILTER (n_rec > 0)) AS example
FROM (
    SELECT *, _ranking_judged_share(_ranking_at(judged, k)) AS judged_share
    FROM _ranking_judged(rec, truth, COLUMN_NAMES, _ranking_longest(ks), false, 'ranking_check', JUDGING)
    CROSS JOIN (SELECT unnest(_ranking_cuts(ks, 'ranking_check')) AS k))
WHERE has_truth AND judged_share IS NOT NULL AND EXISTS (
    FROM _ranking_truth_pairs(truth, COLUMN_NAMES) WHERE grade < _ranking_lowest_grade(min_grade))
GROUP BY ranking_system, k
HAVING count(*) FILTER (judged_share < 1 AND n_rec > 0) > 0;

-- The problems of columns and arguments, and a rec without a row.
CREATE OR REPLACE TEMP MACRO _ranking_table_problems(rec, truth, COLUMN_NAMES, JUDGING) AS TABLE
SELECT 'unfit_column' AS code, 1 AS count, misfit AS example
FROM (SELECT unnest(_ranking_misfits(rec, truth, COLUMN_NAMES) || _ranking_judging_problems(JUDGING)) AS misfit)
WHERE misfit IS NOT NULL
UNION ALL
SELECT one.code, len(one.found), _ranking_joined(one.found, ', ')
FROM (
    SELECT unnest([
        {'code': 'grade_not_read', 'found': list_filter(
            unread.grades, lambda grade: several OR NOT _ranking_is_score(grade, score_col))},
        {'code': 'system_not_read', 'found': unread.systems},
        {'code': 'run_not_read', 'found': unread.runs}]) AS one
    FROM (
        SELECT
            _ranking_unread_columns(rec, truth, COLUMN_NAMES) AS unread,
            coalesce(min(numbers) < max(numbers), false) AS several
        FROM (SELECT unread AS numbers FROM _ranking_unread_scores(truth, COLUMN_NAMES))))
WHERE len(one.found) > 0
UNION ALL
SELECT 'no_rows', 1, NULL
WHERE NOT EXISTS (FROM query_table(rec));

-- Sums over lists that tell which end of the scores relevant items stand at, whether lists begin with truth itself,
-- and whether scores are steps. Rows are sums, so that those of parts of the users may be added up.
--
-- A deviation is the share of a list's other items that a relevant one stands above, ties half, less 0.5: the AUC of the
-- list where it is of all its relevant items. It is counted in 65,536ths, since a sum of integers hangs on no order.
--
-- Returns: unseen, system (as text), item (as text; NULL for lists as a whole, others for each relevant item); n, total,
--     squares of deviations; and without unseen, of lists: below, above, lists, rows, long (of 3 scores or more),
--     stepped (long, in equal steps, the highest the best), numbered (1 to n or 0 to n - 1), against (falling by the
--     column rank), judged (of users in truth), least, most (of their contents), unknown (rows of these), several,
--     first, mixed, ordered (as in _ranking_evidence_problems), own (of users in truth, with an item that is the user),
--     own_ranks (the sum of its ranks), own_relevant; user: one with items below; of lists with several relevant items: top (all
--     of these at the top), top_user (one of them), complete (all of these, not at the top), blocks (complete, nothing between
--     these), and, of three or more, long_top and near (almost at the top); of users whom other systems serve too: compared,
--     compared_top, and the mean recall of the others in 65,536ths: beside, beside_squares, beside_top
CREATE OR REPLACE TEMP MACRO _ranking_evidence(rec, truth, history, COLUMN_NAMES, min_grade, unseen) AS TABLE
SELECT
    unseen AS unseen, system, item,
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
    sum(n_unknown * (is_whole AND n_relevant IS NOT NULL)::BIGINT)::BIGINT AS unknown,
    count_if(is_whole AND n_relevant > 1)::BIGINT AS several,
    count_if(is_whole AND is_first)::BIGINT AS first,
    count_if(is_whole AND is_mixed)::BIGINT AS mixed,
    count_if(is_whole AND is_mixed AND is_ordered)::BIGINT AS ordered,
    count_if(is_whole AND own_rank > 0)::BIGINT AS own,
    coalesce(sum(own_rank) FILTER (is_whole), 0)::BIGINT AS own_ranks,
    count_if(is_whole AND own_rank > 0 AND own_item.grade >= _ranking_lowest_grade(min_grade))::BIGINT AS own_relevant,
    min(content) FILTER (is_whole AND n_relevant IS NOT NULL) AS least,
    max(content) FILTER (is_whole AND n_relevant IS NOT NULL) AS most,
    min(userid::VARCHAR) FILTER (is_whole AND deviation < 0) AS user,
    count_if(is_whole AND is_top)::BIGINT AS top,
    count_if(is_whole AND is_top AND n_relevant > 2)::BIGINT AS long_top,
    count_if(is_whole AND is_near)::BIGINT AS near,
    count_if(is_whole AND NOT is_top)::BIGINT AS complete,
    count_if(is_whole AND NOT is_top AND hit_ranks[3] - hit_ranks[1] = n_relevant - 1)::BIGINT AS blocks,
    count(others_recall) FILTER (is_whole) AS compared,
    count(others_recall) FILTER (is_whole AND is_top) AS compared_top,
    sum(others_recall) FILTER (is_whole)::BIGINT AS beside,
    sum(others_recall * others_recall) FILTER (is_whole)::BIGINT AS beside_squares,
    sum(others_recall) FILTER (is_whole AND is_top)::BIGINT AS beside_top,
    min(userid::VARCHAR) FILTER (is_whole AND is_top) AS top_user
FROM _ranking_evidence_of_lists(rec, truth, history, COLUMN_NAMES, min_grade, unseen)
GROUP BY system, item;

-- The evidence of each list (is_whole) and of each relevant item in it.
CREATE OR REPLACE TEMP MACRO _ranking_evidence_of_lists(rec, truth, history, COLUMN_NAMES, min_grade, unseen) AS TABLE
SELECT
    *,
    hit_ranks[3] <= n_relevant AS is_top,
    is_top AND _ranking_are_ordered(hits) AS is_first,
    n_relevant > 2 AND NOT coalesce(is_top, false)
        AND (hit_ranks[2] <= n_relevant OR coalesce(hit_ranks[3] <= 3 * n_relevant, false)) AS is_near,
    n_grades > 1 AS is_mixed,
    CASE WHEN n_grades > 1 THEN _ranking_are_ordered(found) END AS is_ordered,
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
        ), []) AS deviations,
        -- The ranks of the first relevant item, the last but one and the last, behind all that have the same score.
        CASE WHEN n_relevant > 1 AND len(hits) >= n_relevant - 1 AND NOT unseen
            THEN list_transform(
                [1, n_relevant - 1, n_relevant],
                lambda i: nullif(len(list_filter(scores, lambda score: score >= hits[i].score)), 0))
        END AS hit_ranks,
        CASE WHEN n_relevant > 1 AND NOT unseen THEN round(65536 * len(hits) / n_relevant)::BIGINT END AS recall,
        -- The mean of the user's other lists; NULL without any.
        round((sum(recall) OVER of_user - recall) / nullif(count(recall) OVER of_user - 1, 0))::BIGINT AS others_recall
    FROM (
        SELECT
            lists.*,
            users.n_relevant,
            CASE WHEN users.n_relevant IS NOT NULL AND own_item IS NOT NULL
                THEN 1 + len(list_filter(scores, lambda score: score > own_item.score))
            END AS own_rank,
            CASE
                WHEN descending AND n > 2 AND lowest < highest
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
                count(*) - count(grade) AS n_unknown,
                min(score) AS lowest,
                max(score) AS highest,
                sum(score) AS total,
                max((score, rank)) FILTER (score IS NOT NULL AND rank IS NOT NULL)[2]
                    > min((score, rank)) FILTER (score IS NOT NULL AND rank IS NOT NULL)[2] AS is_against,
                -- A sum, in which the two rows of an item do not cancel each other, of integers, which are added fast.
                sum((hash(recs.itemid) & 2147483647)::INTEGER)::VARCHAR AS content,
                -- Hashes can be compared whatever the types of ids are.
                max({'score': score, 'grade': grade}) FILTER (
                    score IS NOT NULL AND hash(recs.userid) = hash(recs.itemid)) AS own_item,
                list(score) AS scores,
                coalesce(list_sort(
                    list({'score': score, 'grade': grade, 'itemid': recs.itemid})
                        FILTER (score IS NOT NULL AND grade IS NOT NULL),
                    'DESC'), []) AS judged
            FROM (
                SELECT
                    least(*COLUMNS(_ranking_column(user_col, 'userid'))) AS userid,
                    coalesce(*COLUMNS(_ranking_column(item_col, 'itemid'))) AS itemid,
                    least(*COLUMNS(_ranking_column(system_col, 'system')))::VARCHAR AS system,
                    -- NaN is no number between others.
                    nullif(TRY_CAST(coalesce(*COLUMNS(_ranking_column(score_col, 'score'))) AS DOUBLE), 'NaN')
                        AS given,
                    given * (2 * TRY_CAST(descending AS BOOLEAN)::INTEGER - 1) AS score,
                    TRY_CAST(least(*COLUMNS(_ranking_column(NULL, 'rank'))) AS DOUBLE) AS rank
                FROM (SELECT NULL AS ranking_absent, * FROM query_table(_ranking_table('rec', rec)) AS rows)
            ) AS recs
            LEFT JOIN (FROM _ranking_truth_pairs(truth, COLUMN_NAMES) WHERE itemid IS NOT NULL) AS truths
                ON _ranking_same_id(recs.userid, truths.userid) AND _ranking_same_id(recs.itemid, truths.itemid)
            ANTI JOIN (FROM _ranking_history(history, COLUMN_NAMES, NULL) WHERE unseen) AS events
                ON _ranking_same_id(recs.userid, events.userid) AND _ranking_same_id(recs.itemid, events.itemid)
            GROUP BY recs.system, recs.userid) AS lists
        LEFT JOIN _ranking_truth_users(truth, COLUMN_NAMES, min_grade) AS users
            ON _ranking_same_id(lists.userid, users.userid))
    WINDOW of_user AS (PARTITION BY userid));

-- True for items in the order of their grades.
CREATE OR REPLACE TEMP MACRO _ranking_are_ordered(chosen) AS
list_transform(chosen, lambda one: one.grade) = list_sort(list_transform(chosen, lambda one: one.grade), 'DESC', 'NULLS LAST');

-- Twice the number of scores below another, those that equal it counted half.
CREATE OR REPLACE TEMP MACRO _ranking_twice_below(scores, score) AS
list_sum(list_transform(scores, lambda other: (other < score)::TINYINT + (other <= score)::TINYINT));

-- True for scores in equal steps, as ranks are.
CREATE OR REPLACE TEMP MACRO _ranking_in_steps(sorted, n) AS
len(list_filter(
    sorted,
    lambda score, i: abs(score - sorted[1] - (i - 1) * (sorted[n] - sorted[1]) / (n - 1)) > 1e-6 * (sorted[n] - sorted[1])
)) = 0;

-- The different users and items of each system, those of truth, and the systems.
CREATE OR REPLACE TEMP MACRO _ranking_ids(rec, truth, COLUMN_NAMES) AS TABLE
SELECT DISTINCT system::VARCHAR AS system, userid AS listed_user FROM _ranking_recs(rec, COLUMN_NAMES) WHERE userid IS NOT NULL
UNION ALL BY NAME
SELECT DISTINCT system::VARCHAR AS system, itemid AS listed_item FROM _ranking_recs(rec, COLUMN_NAMES) WHERE itemid IS NOT NULL
UNION ALL BY NAME
SELECT ranking_system::VARCHAR AS system, true AS is_system FROM _ranking_systems(rec, COLUMN_NAMES)
UNION ALL BY NAME
SELECT id AS known_user FROM _ranking_truth_ids(truth, COLUMN_NAMES, 'user')
UNION ALL BY NAME
SELECT id AS known_item FROM _ranking_truth_ids(truth, COLUMN_NAMES, 'item');

-- The problems of what was known when the recommendations were made: truth that was in it, events that are as
-- late as truth, users and items that it does not have, recommendations of what a user has already.
CREATE OR REPLACE TEMP MACRO _ranking_history_problems(rec, truth, history, COLUMN_NAMES, time_col) AS TABLE
SELECT
    CASE WHEN misfit LIKE 'truth or history without%' THEN 'no_time' ELSE 'unfit_column' END AS code,
    1 AS count, misfit AS example
FROM (SELECT unnest(_ranking_history_misfits(truth, history, COLUMN_NAMES, time_col)) AS misfit)
WHERE misfit IS NOT NULL
UNION ALL BY NAME
SELECT
    'truth_in_history' AS code, count(events.userid) AS count, count(*) AS of,
    min({'user': truths.userid::VARCHAR, 'item': truths.itemid::VARCHAR}) FILTER (events.userid IS NOT NULL) AS of_row
FROM (FROM _ranking_truth_pairs(truth, COLUMN_NAMES) WHERE itemid IS NOT NULL) AS truths
LEFT JOIN (SELECT DISTINCT userid, itemid FROM _ranking_history(history, COLUMN_NAMES, time_col) WHERE userid IS NOT NULL) AS events
    ON _ranking_same_id(truths.userid, events.userid) AND _ranking_same_id(truths.itemid, events.itemid)
UNION ALL BY NAME
SELECT
    'late_history' AS code, count(*) FILTER (is_late) AS count, count(*) AS of,
    concat(min(time) FILTER (is_late)::VARCHAR, ', and truth from ', any_value(truth_time)::VARCHAR) AS example
FROM _ranking_timed_events(truth, history, COLUMN_NAMES, time_col)
UNION ALL BY NAME
SELECT
    'seen_items' AS code, system::VARCHAR AS system, count(*) AS count,
    min({'user': userid::VARCHAR, 'item': itemid::VARCHAR}) AS of_row
FROM _ranking_seen_rows(rec, history, COLUMN_NAMES, time_col)
GROUP BY system
UNION ALL BY NAME
SELECT 'new_users' AS code, count(*) AS count, {'user': min(id)::VARCHAR, 'item': NULL} AS of_row
FROM _ranking_new_ids(truth, history, COLUMN_NAMES, time_col, 'user')
UNION ALL BY NAME
SELECT
    'new_items' AS code, count(*) AS count, {'user': NULL, 'item': min(id)::VARCHAR} AS of_row,
    (SELECT count(*) FROM _ranking_truth_ids(truth, COLUMN_NAMES, 'item')) AS of
FROM _ranking_new_ids(truth, history, COLUMN_NAMES, time_col, 'item');

-- The events of history, with truth's first time, and whether they are as late as that.
CREATE OR REPLACE TEMP MACRO _ranking_timed_events(truth, history, COLUMN_NAMES, time_col) AS TABLE
SELECT
    *,
    _ranking_moment(time) >= truth_moment
        AND _ranking_time_kind(typeof(time)) = _ranking_time_kind(typeof(truth_time)) AS is_late
FROM _ranking_history(history, COLUMN_NAMES, time_col)
CROSS JOIN (
    SELECT min(_ranking_moment(time)) AS truth_moment, arg_min(time, _ranking_moment(time)) AS truth_time
    FROM _ranking_history(truth, COLUMN_NAMES, time_col));

-- The rows of rec whose item the user has in history.
CREATE OR REPLACE TEMP MACRO _ranking_seen_rows(rec, history, COLUMN_NAMES, time_col) AS TABLE
SELECT userid, itemid, system
FROM (SELECT userid, itemid, system FROM _ranking_recs(rec, COLUMN_NAMES) WHERE userid IS NOT NULL AND itemid IS NOT NULL) AS recs
SEMI JOIN _ranking_history(history, COLUMN_NAMES, time_col) AS events
    ON _ranking_same_id(recs.userid, events.userid) AND _ranking_same_id(recs.itemid, events.itemid);

-- The users or items of truth that history does not have.
CREATE OR REPLACE TEMP MACRO _ranking_new_ids(truth, history, COLUMN_NAMES, time_col, kind) AS TABLE
FROM _ranking_truth_ids(truth, COLUMN_NAMES, kind) AS truths
ANTI JOIN (SELECT COLUMNS(concat('^', kind, 'id$')) AS id FROM _ranking_history(history, COLUMN_NAMES, time_col)) AS events
    ON _ranking_same_id(truths.id, events.id);

-- The problems of labels and recommendations whose item is not in the catalogue.
CREATE OR REPLACE TEMP MACRO _ranking_catalogue_problems(rec, truth, items, COLUMN_NAMES, ks, JUDGING) AS TABLE
SELECT 'unfit_column' AS code, 1 AS count, misfit AS example
FROM (SELECT _ranking_ids_problem('items', items, truth, item_col, 'item') AS misfit)
WHERE misfit IS NOT NULL
UNION ALL BY NAME
SELECT
    code, system, k, count(*) AS count, any_value(of) AS of, any_value(example) AS example, count(DISTINCT userid) AS size,
    min({'user': userid, 'item': itemid}) FILTER (example IS NULL) AS of_row
FROM _ranking_catalogue_rows(rec, truth, items, COLUMN_NAMES, ks, JUDGING)
GROUP BY code, system, k;

-- The rows behind them.
CREATE OR REPLACE TEMP MACRO _ranking_catalogue_rows(rec, truth, items, COLUMN_NAMES, ks, JUDGING) AS TABLE
SELECT
    unnest(['gone_labels'] || CASE WHEN is_relevant THEN ['gone_relevant'] ELSE [] END) AS code,
    CASE code WHEN 'gone_labels' THEN n_labels ELSE n_relevant END AS of,
    NULL::VARCHAR AS system, NULL::BIGINT AS k, userid::VARCHAR AS userid, itemid::VARCHAR AS itemid, NULL::VARCHAR AS example
FROM (
    SELECT *, count(itemid) OVER () AS n_labels, count_if(is_relevant) OVER () AS n_relevant
    FROM _ranking_labels(truth, items, COLUMN_NAMES, min_grade))
WHERE is_gone
UNION ALL BY NAME
SELECT 'gone_items' AS code, system::VARCHAR AS system, userid::VARCHAR AS userid, itemid::VARCHAR AS itemid
FROM (FROM _ranking_recs(rec, COLUMN_NAMES) WHERE userid IS NOT NULL AND itemid IS NOT NULL) AS recs
ANTI JOIN _ranking_contents_items(rec, items, COLUMN_NAMES, '') AS catalogue ON _ranking_same_id(recs.itemid, catalogue.itemid)
WHERE _ranking_has(items, item_col, 'itemid')
UNION ALL BY NAME
SELECT
    'recall_without_gone' AS code, system, k, unnest(differing) AS userid,
    format(
        '{} {}; the mean{} is {:.4g}, without them {:.4g}: {:.3g} {}', coalesce(user_col::VARCHAR, 'userid'), differing[1],
        coalesce(' of ' || system, ''), recall, others, abs(others - recall),
        CASE WHEN others < recall THEN 'lower' ELSE 'higher' END) AS example
FROM (
    SELECT
        system, k, ranking_mean(recall) AS recall, ranking_mean(others) AS others,
        list_sort(list(userid::VARCHAR) FILTER (recall IS DISTINCT FROM others), 'ASC') AS differing
    FROM _ranking_recalls(rec, truth, items, COLUMN_NAMES, ks, JUDGING)
    GROUP BY system, k)
WHERE recall <> others AND NOT _ranking_is_condensed(JUDGING);

-- The pairs of truth: whether the item is relevant, and whether it is gone from the catalogue.
CREATE OR REPLACE TEMP MACRO _ranking_labels(truth, items, COLUMN_NAMES, min_grade) AS TABLE
SELECT
    userid, pairs.itemid,
    pairs.itemid IS NOT NULL AND coalesce(grade >= _ranking_lowest_grade(min_grade), false) AS is_relevant,
    pairs.itemid IS NOT NULL AND catalogue.itemid IS NULL AND _ranking_has(items, item_col, 'itemid') AS is_gone
FROM _ranking_truth_pairs(truth, COLUMN_NAMES) AS pairs
LEFT JOIN (SELECT DISTINCT itemid FROM _ranking_contents_items(truth, items, COLUMN_NAMES, '')) AS catalogue
    ON _ranking_same_id(pairs.itemid, catalogue.itemid);

-- The recall of each user of truth in each system at each k, and `others`: that over a truth without the labels that are gone,
-- NULL for a user who has no others; both are NULL for a user who is left out. It is ranking_summary's without its errors,
-- since a table that is checked may be anything.
CREATE OR REPLACE TEMP MACRO _ranking_recalls(rec, truth, items, COLUMN_NAMES, ks, JUDGING) AS TABLE
SELECT
    system, k, userid,
    count_if(is_relevant AND is_found) / _ranking_recall_divisor(count_if(is_relevant), JUDGING) AS recall,
    CASE WHEN bool_or(NOT is_gone)
        THEN count_if(is_relevant AND is_found AND NOT is_gone)
            / _ranking_recall_divisor(count_if(is_relevant AND NOT is_gone), JUDGING)
    END AS others
FROM (
    SELECT
        ranking_system::VARCHAR AS system, k, labels.*,
        -- Of a user without a list nothing is found.
        coalesce(list_contains(listed[:coalesce(k, 2147483647)], itemid::VARCHAR), false) AS is_found
    FROM _ranking_labels(truth, items, COLUMN_NAMES, min_grade) AS labels
    CROSS JOIN _ranking_systems(rec, COLUMN_NAMES) AS systems
    LEFT JOIN (
        SELECT userid, system, lists.items::VARCHAR[] AS listed
        FROM _ranking_rec_lists(rec, truth, COLUMN_NAMES, _ranking_longest(ks), false) AS lists) AS lists
        ON _ranking_same_id(lists.userid, labels.userid) AND lists.system IS NOT DISTINCT FROM systems.ranking_system
    CROSS JOIN (SELECT unnest(ks) AS k) AS cuts)
GROUP BY system, k, userid;

-- The divisor of recall: a user's relevant items, or 1 without any; NULL for a user who is left out.
CREATE OR REPLACE TEMP MACRO _ranking_recall_divisor(n_relevant, JUDGING) AS
nullif(greatest(n_relevant, CASE WHEN _ranking_skips_users(JUDGING) THEN 0 ELSE 1 END), 0);

-- The error texts of columns of the history that are missing or do not fit truth's. Times need be there only
-- if they are named. Known when the query is planned.
CREATE OR REPLACE TEMP MACRO _ranking_history_misfits(truth, history, COLUMN_NAMES, time_col) AS
[_ranking_ids_problem('history', history, truth, user_col, 'user'), _ranking_ids_problem('history', history, truth, item_col, 'item')]
|| list_transform(
    [(coalesce(time_col::VARCHAR, 'time'), _ranking_type(truth, time_col, 'time'), _ranking_type(history, time_col, 'time'))],
    lambda c: coalesce(_ranking_name_problem('time_col', typeof(time_col), c[1]), CASE
        WHEN time_col::VARCHAR = '' OR time_col IS NULL AND c[2] IS NULL AND c[3] IS NULL THEN NULL
        WHEN time_col IS NULL AND (c[2] IS NULL OR c[3] IS NULL)
            THEN concat(
                'truth or history without a column time, so its late events are not looked for, got ',
                CASE WHEN c[2] IS NULL THEN 'one in history' ELSE 'one in truth' END)
        WHEN c[3] IS NULL THEN _ranking_no_column('history', c[1], 'time_col', _ranking_texts_of(history))
        WHEN c[2] IS NULL THEN _ranking_no_column('truth', c[1], 'time_col', _ranking_texts_of(truth))
        WHEN _ranking_time_kind(c[2]) = _ranking_time_kind(c[3]) THEN NULL
        ELSE concat(
            _ranking_cut(c[1]), ' must be integers, DATEs or TIMESTAMPs, of one kind in truth and in history, got ',
            _ranking_cut(c[2]), ' and ', _ranking_cut(c[3]))
    END));

-- The problems that follow from what _ranking_evidence sums, as the head of ranking_check has them. A mean of 3.3 standard
-- errors below 0 happens to one random model of 2,000.
CREATE OR REPLACE TEMP MACRO _ranking_evidence_problems(read) AS TABLE
SELECT one.code, system, one.count, one.of_row, one.of, one.severity
FROM (
    SELECT system, unnest([
        {'code': 'rows', 'count': rows, 'of': NULL, 'severity': NULL, 'of_row': NULL},
        {'code': end_code, 'count': n_below, 'of': n_whole, 'severity': end_severity, 'of_row': {'user': user, 'item': NULL}},
        {'code': 'unknown_end', 'count': lists * is_unknown::BIGINT, 'of': lists, 'severity': NULL, 'of_row': NULL},
        {'code': 'truth_in_rec', 'count': first * is_truth::BIGINT, 'of': several, 'severity': truth_severity, 'of_row': NULL},
        {'code': 'partial_leak', 'count': top * is_leak::BIGINT, 'of': several, 'severity': leak_severity,
            'of_row': {'user': top_user, 'item': NULL}},
        {'code': 'one_list_for_all', 'count': judged * is_one_list::BIGINT, 'of': judged, 'severity': NULL, 'of_row': NULL},
        {'code': 'self_retrieved', 'count': own * is_own::BIGINT, 'of': judged, 'severity': NULL, 'of_row': NULL}
    ]) AS one
    FROM (
        SELECT
            *,
            looks_ranked AND n_whole = 0 AS is_unknown,
            below * (is_surely_below OR (looks_ranked AND below > above))::BIGINT AS n_below,
            CASE WHEN is_surely_below THEN 'wrong' ELSE 'doubtful' END AS end_severity,
            CASE
                WHEN is_surely_below AND n_unseen > 0 AND NOT _ranking_is_below(total_unseen, squares_unseen, n_unseen, 1.65)
                    THEN 'seen_first'
                ELSE 'upside_down'
            END AS end_code,
            unknown > 0 AND several >= 20 AND first >= 0.95 * several AS is_truth,
            CASE WHEN mixed >= 20 AND ordered >= 0.95 * mixed THEN 'wrong' ELSE 'doubtful' END AS truth_severity,
            coalesce(
                NOT is_truth AND unknown > 0 AND top >= greatest(16, 0.1 * several)
                    AND near <= 0.7 * long_top AND blocks <= 0.1 * complete
                    AND (compared = 0 OR top_share - other_share >= greatest(0.1, 4 * sqrt(
                            (top_share * (1 - top_share) + other_share * (1 - other_share)) / compared))
                        AND beside_top / compared_top - (beside - beside_top) / (compared - compared_top)
                            <= 0.4 * sqrt(greatest(beside_squares / compared - (beside / compared) ** 2, 0))),
                false) AS is_leak,
            -- Nothing tells a leak from easy queries where the others find as much for each user.
            CASE WHEN compared * beside_squares::DOUBLE > beside::DOUBLE ** 2 THEN 'doubtful' ELSE 'info' END AS leak_severity,
            judged >= 30 AND least = most AS is_one_list,
            -- If users and items had nothing to do with each other, at most r users would have themselves within the first r.
            own >= 0.05 * judged AND own * (own - 7) >= 3 * own_ranks AND own > 0 AND own_relevant = 0 AS is_own
        FROM (
            SELECT
                *,
                2 * against > lists OR numbered >= greatest(0.95 * long, 1) AS looks_ranked,
                n_whole >= 30
                    AND _ranking_is_below(
                        total_whole, squares_whole, n_whole,
                        CASE WHEN 2 * against > lists OR stepped >= greatest(0.95 * long, 1) THEN 1.65 ELSE 3.3 END)
                    AND n_items >= 10 AND item_weight ** 2 >= 6 * item_lists AND item_sum < 0
                    AND item_sum ** 2 * (n_items - 1) > 3.3 ** 2 * n_items
                        * (item_squares - 2 * (item_sum / item_weight) * item_total + (item_sum / item_weight) ** 2 * item_lists)
                    AS is_surely_below,
                top / nullif(several, 0) AS top_share,
                coalesce(max(top / nullif(several, 0)) OVER others, 0) AS other_share
            FROM (
                SELECT
                    system,
                    sum(COLUMNS(* EXCLUDE (unseen, system, item, n, total, squares, least, most, user, top_user))),
                    min(least) AS least,
                    max(most) AS most,
                    min(user) AS user,
                    min(top_user) AS top_user,
                    sum(n) FILTER (item IS NULL AND NOT unseen) AS n_whole,
                    sum(total) FILTER (item IS NULL AND NOT unseen) AS total_whole,
                    sum(squares) FILTER (item IS NULL AND NOT unseen) AS squares_whole,
                    sum(n) FILTER (item IS NULL AND unseen) AS n_unseen,
                    sum(total) FILTER (item IS NULL AND unseen) AS total_unseen,
                    sum(squares) FILTER (item IS NULL AND unseen) AS squares_unseen,
                    -- Items weigh as the root of how many users they have: rare ones of which little is known do not drown
                    -- the others.
                    sum(total / sqrt(n)) FILTER (item IS NOT NULL AND NOT unseen) AS item_sum,
                    sum(sqrt(n)) FILTER (item IS NOT NULL AND NOT unseen) AS item_weight,
                    sum(total::DOUBLE ** 2 / n) FILTER (item IS NOT NULL AND NOT unseen) AS item_squares,
                    sum(total::DOUBLE) FILTER (item IS NOT NULL AND NOT unseen) AS item_total,
                    sum(n::DOUBLE) FILTER (item IS NOT NULL AND NOT unseen) AS item_lists,
                    count(*) FILTER (item IS NOT NULL AND NOT unseen) AS n_items
                FROM (
                    -- The parts of one item, of partitions of users, are one.
                    SELECT
                        unseen, system, item,
                        sum(COLUMNS(* EXCLUDE (unseen, system, item, least, most, user, top_user))),
                        min(least) AS least,
                        max(most) AS most,
                        min(user) AS user,
                        min(top_user) AS top_user
                    FROM (SELECT evidence.* FROM query_table(read) WHERE evidence IS NOT NULL)
                    GROUP BY unseen, system, item)
                GROUP BY system)
            WINDOW others AS (ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW))))
WHERE one.count > 0;

-- True for a mean that is below 0 by so many standard errors.
CREATE OR REPLACE TEMP MACRO _ranking_is_below(total, squares, n, z) AS
coalesce(total < 0 AND total::DOUBLE ** 2 * (n - 1) > z ** 2 * (n * squares::DOUBLE - total::DOUBLE ** 2), false);

-- The items of truth that none of a system's matches, and the ids of a kind that match but for case and the like. It
-- needs whole tables. That no user matches follows from what each user lacks: see _ranking_problem_rows.
CREATE OR REPLACE TEMP MACRO _ranking_id_problems(read, name, kind) AS TABLE
SELECT one.code, system, one.count, one.example, one.of
FROM (
    SELECT
        system,
        unnest([
            {
                'code': 'no_common_item',
                'count': n_truth * (kind = 'item' AND n_common = 0)::BIGINT,
                'example': concat(name, ' ', of_truth::VARCHAR, ' in truth, ', of_rec::VARCHAR, ' in rec'),
                'of': n_truth},
            {
                'code': kind || '_spelling',
                'count': n_alike,
                'example': concat(name, ' ', alike, format(' ({})', differences)),
                'of': n_listed}
        ]) AS one
    FROM (
        SELECT
            system,
            count(*) AS n_listed,
            count(known) AS n_common,
            min(listed) AS of_rec,
            count(alike) AS n_alike,
            min(format('''{}'' for ''{}''', listed, alike)) FILTER (alike IS NOT NULL) AS alike,
            _ranking_differences(listed_form, alike_form) AS differences,
            n_truth,
            of_truth
        FROM _ranking_matched_ids(read, kind)
        GROUP BY system, n_truth, of_truth))
WHERE one.count > 0;

-- The users or items of each system, with the same of truth, and else one that is alike.
CREATE OR REPLACE TEMP MACRO _ranking_matched_ids(read, kind) AS TABLE
WITH _ranking_listed_ids AS NOT MATERIALIZED (
    SELECT
        system, listed.id AS listed, known.id AS known,
        CASE WHEN known.id IS NULL AND _ranking_family(typeof(known.id)) = 'VARCHAR' THEN listed.id::VARCHAR END AS text
    FROM (SELECT system, COLUMNS('^listed_' || kind) AS id FROM query_table(read)) AS listed
    LEFT JOIN (SELECT COLUMNS('^known_' || kind) AS id FROM query_table(read)) AS known
        ON _ranking_same_id(listed.id, known.id)
    WHERE listed.id IS NOT NULL AND (kind = 'item' OR _ranking_family(typeof(listed.id)) = 'VARCHAR')
), _ranking_known_ids AS NOT MATERIALIZED (
    SELECT id::VARCHAR AS text
    FROM (SELECT COLUMNS('^known_' || kind) AS id FROM query_table(read))
    WHERE _ranking_family(typeof(id)) = 'VARCHAR'
)
SELECT
    system, listed, known, alike.form.text AS alike, of_all.n AS n_truth, of_all.id AS of_truth,
    ids.form AS listed_form, alike.form AS alike_form
FROM _ranking_forms('_ranking_listed_ids') AS ids
CROSS JOIN (
    SELECT count(id) AS n, min(id) AS id FROM (SELECT COLUMNS('^known_' || kind) AS id FROM query_table(read))
) AS of_all
LEFT JOIN (
    SELECT lower(ltrim(form.number, '0')) AS plain, min(form) AS form FROM _ranking_forms('_ranking_known_ids') GROUP BY plain
) AS alike
    ON lower(ltrim(ids.form.number, '0')) = alike.plain;

-- Ids as they are, with composed characters, without blanks around them, and without `.0` behind a number. Ids are alike if
-- nothing but that, zeros in front and case tells them apart. Each step is a subquery, since DuckDB plans a pattern anew
-- wherever its column is named.
CREATE OR REPLACE TEMP MACRO _ranking_forms(source) AS TABLE
SELECT
    * EXCLUDE (composed, trimmed),
    {
        'text': text, 'composed': composed, 'trimmed': trimmed,
        'number': regexp_replace(trimmed, '^(-?\d+)\.0+$', '\1')} AS form
FROM (
    SELECT *, regexp_replace(composed, '^[\s\pZ\pC]+|[\s\pZ\pC]+$', '', 'g') AS trimmed
    FROM (SELECT *, nfc_normalize(text) AS composed FROM query_table(source)));

-- The differences between forms of ids that are alike, over a group of pairs.
CREATE OR REPLACE TEMP MACRO _ranking_differences(one, other) AS
concat_ws(
    ', ',
    CASE WHEN bool_or(one.text <> one.composed OR other.text <> other.composed) THEN 'Unicode' END,
    CASE WHEN bool_or(replace(one.composed, one.trimmed, '|') <> replace(other.composed, other.trimmed, '|')) THEN 'blanks' END,
    CASE WHEN bool_or(ltrim(one.number, '0') <> ltrim(other.number, '0')) THEN 'case' END,
    CASE WHEN bool_or(lower(ltrim(one.trimmed, '0')) <> lower(ltrim(other.trimmed, '0'))) THEN 'decimals' END,
    CASE WHEN bool_or(lower(one.number) <> lower(other.number)) THEN 'zeros' END);

-- The ids, of users and of items, that a DOUBLE or FLOAT is too coarse to tell from their neighbours.
CREATE OR REPLACE TEMP MACRO _ranking_inexact_ids(read) AS TABLE
SELECT DISTINCT CASE WHEN is_user THEN 'inexact_user' ELSE 'inexact_item' END AS code, id
FROM (
    SELECT
        listed_user IS NOT NULL OR known_user IS NOT NULL AS is_user,
        coalesce(listed_user::VARCHAR, known_user::VARCHAR, listed_item::VARCHAR, known_item::VARCHAR) AS id,
        CASE
            WHEN listed_user IS NOT NULL THEN typeof(listed_user)
            WHEN known_user IS NOT NULL THEN typeof(known_user)
            WHEN listed_item IS NOT NULL THEN typeof(listed_item)
            ELSE typeof(known_item)
        END AS type
    FROM query_table(read))
WHERE type IN ('DOUBLE', 'FLOAT')
    AND abs(TRY_CAST(id AS DOUBLE)) BETWEEN CASE type WHEN 'FLOAT' THEN 2 ** 24 ELSE 2 ** 53 END AND 1e308;

-- The problem of users and items that are swapped in one of the tables: more ids match the other way round.
CREATE OR REPLACE TEMP MACRO _ranking_swapped_problems(read) AS TABLE
SELECT 'swapped' AS code, sum(n * is_crossed::BIGINT) AS count, sum(n) AS of
FROM (
    SELECT (listed_user IS NULL) <> (known_user IS NULL) AS is_crossed, count(DISTINCT id) AS n
    FROM (SELECT listed_user, coalesce(listed_user::VARCHAR, listed_item::VARCHAR) AS id FROM query_table(read)) AS recs
    JOIN (SELECT known_user, coalesce(known_user::VARCHAR, known_item::VARCHAR) AS id FROM query_table(read)) AS truths USING (id)
    GROUP BY listed_user IS NULL, known_user IS NULL)
HAVING 2 * sum(n * is_crossed::BIGINT) > sum(n);

-- The users of truth, each for the systems that do not serve it, or that do alone.
CREATE OR REPLACE TEMP MACRO _ranking_served_users(read) AS TABLE
SELECT
    id::VARCHAR AS user,
    unnest(
        list_transform(every_system, lambda one: {'code': 'lists', 'system': NULL::VARCHAR})
        || list_transform(
            -- A system may be NULL.
            list_filter(every_system, lambda one: NOT list_contains(served, {'name': one})),
            lambda one: {'code': 'not_in_rec', 'system': one})
        || list_transform(
            list_filter(served, lambda one: len(served) = 1 AND len(every_system) > 1),
            lambda one: {'code': 'one_system_only', 'system': one.name}),
        recursive := true)
FROM (
    SELECT
        truths.known_user AS id,
        coalesce(list({'name': recs.system}) FILTER (recs.listed_user IS NOT NULL), []) AS served
    FROM query_table(read) AS truths
    LEFT JOIN query_table(read) AS recs
        ON _ranking_same_id(recs.listed_user, truths.known_user)
    WHERE truths.known_user IS NOT NULL
    GROUP BY truths.known_user)
CROSS JOIN (SELECT list(system) AS every_system FROM query_table(read) WHERE is_system);

-- The systems that have no user of truth in common, for each how many others and the first of them. It needs
-- whole tables. Of more than 100 systems, and where a user has recommendations of all, it looks no further.
CREATE OR REPLACE TEMP MACRO _ranking_apart_problems(read) AS TABLE
SELECT 'systems_apart' AS code, system, len(apart) AS count, list_min(apart) AS example, len(every_system) - 1 AS of
FROM (
    SELECT system, every_system, list_filter(every_system, lambda other: NOT list_contains(together, other)) AS apart
    FROM (
        SELECT system, every_system, list_distinct(flatten(list(one))) AS together
        FROM (
            SELECT one, unnest(one) AS system, every_system
            FROM (
                SELECT unnest(list(systems)) AS one, list_distinct(flatten(list(systems))) AS every_system
                FROM (
                    SELECT DISTINCT list_sort(list(recs.system), 'ASC') AS systems
                    FROM query_table(read) AS recs
                    JOIN query_table(read) AS truths ON _ranking_same_id(recs.listed_user, truths.known_user)
                    WHERE recs.listed_user IS NOT NULL AND recs.system IS NOT NULL
                    GROUP BY recs.listed_user)
                HAVING max(len(systems)) < len(every_system) AND len(every_system) <= 100))
        GROUP BY system, every_system))
WHERE len(apart) > 0;

-- The rows of ranking_check, of the problems of all users. Where no list has k items, one is short that has
-- fewer than the longest.
CREATE OR REPLACE TEMP MACRO _ranking_problem_rows(found, COLUMN_NAMES, min_grade) AS TABLE
SELECT
    coalesce(severity, CASE
        WHEN coalesce(n / of, 1) >= wrong_from THEN 'wrong'
        WHEN coalesce(n / of, 1) >= doubtful_from THEN 'doubtful'
        ELSE 'info'
    END) AS severity,
    system,
    CASE
        WHEN code = 'unfit_column' THEN regexp_replace(split_part(example, ', got ', 1), '^(.{57}).{4,}$', '\1...')
        WHEN n_short >= n_lists THEN 'rec: users with fewer items than the longest list'
        ELSE replace(replace(replace(replace(replace(replace(replace(
            problem,
            '{user}', coalesce(user_col::VARCHAR, 'userid')),
            '{item}', coalesce(item_col::VARCHAR, 'itemid')),
            '{score}', coalesce(score_col::VARCHAR, 'score')),
            '{grade}', coalesce(grade_col::VARCHAR, 'rel')),
            '{least}', coalesce(format('{:g}', TRY_CAST(min_grade AS DOUBLE)) || ' or above', 'above 0')),
            'k = {k}', coalesce('k = ' || k, 'any k')),
            '{n}', coalesce(longest::VARCHAR, ''))
    END AS problem,
    code,
    k,
    CASE
        WHEN strpos(example, ', got ') > 61 AND code = 'unfit_column' THEN example
        WHEN code IN ('unfit_column', 'no_time') THEN split_part(example, ', got ', 2)
        ELSE example
    END AS example,
    n AS count,
    of
FROM (
    SELECT
        place, code, problem, wrong_from, doubtful_from, system, k, n_lists,
        sum(count)::BIGINT AS n,
        max(severity) AS severity,
        any_value(n_short) FILTER (code = 'short_lists') AS n_short,
        max(longest) AS longest,
        max(coalesce(of, CASE counted
            WHEN 'users of truth' THEN n_users
            WHEN 'users of rec' THEN n_users - n_left_out + n_strangers
            WHEN 'users of rec not in truth' THEN n_strangers
            WHEN 'rows of rec' THEN n_rows
            WHEN 'rows of truth' THEN n_truth_rows
        END))::BIGINT AS of,
        min(nullif(concat(
            concat_ws(', ', example, user_name || ' ' || of_row.user, item_name || ' ' || of_row.item),
            CASE WHEN code = 'no_common_user'
                THEN concat(' in truth, ', coalesce(user_name || ' ' || stranger, 'none'), ' in rec') END), '')) AS example
    FROM (
        SELECT
            * EXCLUDE (code),
            coalesce(user_col::VARCHAR, 'userid') AS user_name,
            coalesce(item_col::VARCHAR, 'itemid') AS item_name,
            max(count) FILTER (code = 'users') OVER () AS n_users,
            CASE WHEN code = 'not_in_rec' AND count = n_users THEN 'no_common_user' ELSE code END AS code,
            max(count) FILTER (code = 'truth rows') OVER () AS n_truth_rows,
            max(count) FILTER (code = 'rows') OVER (PARTITION BY system) AS n_rows,
            max(count) FILTER (code = 'lists') OVER () - coalesce(sum(count) FILTER (code = 'not_in_rec') OVER (), 0) AS n_lists,
            coalesce(max(count) FILTER (code = 'no_relevant_item') OVER (), 0) AS n_without_relevant,
            -- Of a system: the users of truth that it leaves out, and those that are not in truth.
            coalesce(max(count) FILTER (code = 'not_in_rec') OVER (PARTITION BY system), 0) AS n_left_out,
            coalesce(max(count) FILTER (code = 'not_in_truth') OVER (PARTITION BY system), 0) AS n_strangers,
            max(of_row.user) FILTER (code = 'not_in_truth') OVER (PARTITION BY system) AS stranger,
            -- At a k: the lists that are shorter, and the longest of them.
            sum(count) OVER (PARTITION BY code, k) AS n_short,
            max(size) OVER (PARTITION BY code, k) AS longest
        FROM query_table(found))
    JOIN ranking_problem_codes() USING (code)
    WHERE CASE code
        WHEN 'nothing_relevant' THEN n_without_relevant = n_users
        WHEN 'nothing_but_hits' THEN count = n_users
        WHEN 'no_relevant_item' THEN count < n_users
        WHEN 'short_lists' THEN n_short < n_lists OR size < longest
        ELSE true
    END
    GROUP BY place, code, problem, wrong_from, doubtful_from, system, k, n_lists, CASE WHEN code = 'unfit_column' THEN example END
    HAVING sum(count) > 0)
ORDER BY place ASC NULLS LAST, k ASC NULLS LAST, problem ASC NULLS LAST, system ASC NULLS FIRST;
