-- Internal: what the evidence of lists says: scores whose best end is down, truth that was joined into a model, one list for
-- all users.
--
-- Relevant items stand below others if the mean deviation is below 0 by 3.3 standard errors over at least 30 users, which
-- happens to one random model of 2,000, or by 1.65 where scores in equal steps or a column rank say so too; and by 3.3 over
-- at least 10 items, since one list for all users is one piece of evidence. With a history, lists without what users
-- have seen say which of the two causes it is.
--
-- read:    name of a table with evidence, what _ranking_evidence gives; of parts of the users too
-- Returns: what _ranking_user_problems does; among the rows how many rows a system has
-- Example: FROM _ranking_evidence_problems('read');
CREATE OR REPLACE TEMP MACRO _ranking_evidence_problems(read) AS TABLE
SELECT
    one.code, system, NULL::BIGINT AS k, one.count, one.of_row, NULL::VARCHAR AS example, NULL::BIGINT AS size, one.of,
    one.severity
FROM (
    SELECT system, unnest([
        {'code': 'rows', 'count': rows, 'of': NULL, 'severity': NULL, 'of_row': NULL},
        {'code': end_code, 'count': n_below, 'of': n, 'severity': end_severity, 'of_row': {'user': user, 'item': NULL}},
        {'code': 'unknown_end', 'count': lists * is_unknown::BIGINT, 'of': lists, 'severity': NULL, 'of_row': NULL},
        {'code': 'truth_in_rec', 'count': first * is_truth::BIGINT, 'of': several, 'severity': truth_severity, 'of_row': NULL},
        {'code': 'one_list_for_all', 'count': judged * is_one_list::BIGINT, 'of': judged, 'severity': NULL, 'of_row': NULL}
    ]) AS one
    FROM (
        SELECT
            system,
            sum(rows) AS rows,
            sum(lists) AS lists,
            sum(judged) AS judged,
            sum(first) AS first,
            sum(several) AS several,
            sum(n_whole) AS n,
            min(user) AS user,
            2 * sum(against) > sum(lists) OR sum(numbered) >= greatest(0.95 * sum(long), 1) AS looks_ranked,
            CASE WHEN 2 * sum(against) > sum(lists) OR sum(stepped) >= greatest(0.95 * sum(long), 1) THEN 1.65 ELSE 3.3 END AS z,
            -- Items weigh as the root of how many users they have: rare ones of which little is known do not drown the others.
            sum(item_total / sqrt(item_n)) AS item_sum,
            item_sum / sum(sqrt(item_n)) AS item_mean,
            sum(item_total ** 2 / item_n) - 2 * item_mean * sum(item_total) + item_mean ** 2 * sum(item_n) AS item_squares,
            sum(n_whole) >= 30 AND _ranking_is_below(sum(total_whole), sum(squares_whole), sum(n_whole), z)
                AND count(item_n) >= 10 AND sum(sqrt(item_n)) ** 2 >= 6 * sum(item_n) AND item_sum < 0
                AND item_sum ** 2 * (count(item_n) - 1) > 3.3 ** 2 * count(item_n) * item_squares AS is_surely_below,
            sum(below) * (is_surely_below OR (looks_ranked AND sum(below) > sum(above)))::BIGINT AS n_below,
            CASE WHEN is_surely_below THEN 'wrong' ELSE 'doubtful' END AS end_severity,
            CASE
                WHEN is_surely_below AND sum(n_unseen) > 0
                    AND NOT _ranking_is_below(sum(total_unseen), sum(squares_unseen), sum(n_unseen), 1.65) THEN 'seen_first'
                ELSE 'upside_down'
            END AS end_code,
            looks_ranked AND sum(n_whole) = 0 AS is_unknown,
            sum(unjudged) > 0 AND sum(several) >= 20 AND sum(first) >= 0.95 * sum(several) AS is_truth,
            CASE WHEN sum(mixed) >= 20 AND sum(ordered) >= 0.95 * sum(mixed) THEN 'wrong' ELSE 'doubtful' END AS truth_severity,
            sum(judged) >= 30 AND min(least) = max(most) AS is_one_list
        FROM (
            SELECT
                system,
                sum(COLUMNS(* EXCLUDE (unseen, system, item, n, total, squares, least, most, user))),
                min(least) AS least,
                max(most) AS most,
                min(user) AS user,
                CASE WHEN item IS NOT NULL AND NOT unseen THEN sum(n)::DOUBLE END AS item_n,
                CASE WHEN item IS NOT NULL AND NOT unseen THEN sum(total)::DOUBLE END AS item_total,
                sum(n) * (item IS NULL AND NOT unseen)::BIGINT AS n_whole,
                sum(total) * (item IS NULL AND NOT unseen)::BIGINT AS total_whole,
                sum(squares) * (item IS NULL AND NOT unseen)::BIGINT AS squares_whole,
                sum(n) * (item IS NULL AND unseen)::BIGINT AS n_unseen,
                sum(total) * (item IS NULL AND unseen)::BIGINT AS total_unseen,
                sum(squares) * (item IS NULL AND unseen)::BIGINT AS squares_unseen
            FROM (SELECT evidence.* FROM query_table(read) WHERE evidence IS NOT NULL)
            GROUP BY unseen, system, item
        )
        GROUP BY system
    )
)
WHERE one.count > 0;
