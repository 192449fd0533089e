-- Whether one system is better than another, from any table with a row per user: paired differences and their confidence.
--
-- by_user:   table with system, userid [, k] [, segment] and columns of numbers, as query_table takes it: what
--            ranking_by_user gives, or numbers of any other origin (clicks, revenue)
-- others:    as of ranking_compare; measures are columns, and 'ndcg@5,10' is the column ndcg at these k alone
-- Returns:   what ranking_compare does, with the segment if there is such a column
-- Errors:    as of ranking_compare; a system, user (k, segment) with more than one row; NaN or an infinite value
-- Example:   WITH by_user AS (SELECT system, userid, n_rec, hits FROM ranking_by_user('rec', 'truth', [10]))
--            SELECT system, measure, users, difference, verdict
--            FROM ranking_compare_by_user('by_user', baseline := 'popularity', measures := ['hits']);
CREATE OR REPLACE TEMP MACRO ranking_compare_by_user(
    by_user,
    baseline := NULL,
    measures := NULL,
    confidence := 0.95,
    margin := NULL,
    correction := 'holm',
    test := 't',
    permutations := 10000,
    seed := 0
) AS TABLE
WITH _ranking_scores AS MATERIALIZED (
    SELECT * REPLACE (
        list_select(
            numbers::DOUBLE[],
            list_transform(
                _ranking_measure_choices(by_user, measures, 'ranking_compare_by_user'),
                lambda choice: choice.place
            )
        ) AS numbers
    )
    FROM (
        SELECT
            system,
            k,
            ranking_segment,
            COLUMNS(lambda c: lower(c) IN ('userid', 'segment')),
            list_value(*COLUMNS(lambda c: _ranking_is_measure(c, measures) OR c = 'ranking_absent')) AS numbers,
            NULL AS choices
        FROM (
            -- As in _ranking_recs, least is coalesce for any type.
            SELECT
                least(*COLUMNS(_ranking_column(NULL, 'system'))) AS system,
                least(*COLUMNS(_ranking_column(NULL, 'k'))) AS k,
                least(*COLUMNS(_ranking_column(NULL, 'segment'))) AS ranking_segment,
                COLUMNS(lambda c: lower(c) IN ('userid', 'segment')),
                TRY_CAST(COLUMNS(lambda c: _ranking_is_measure(c, measures) OR c = 'ranking_absent') AS DOUBLE)
            FROM (SELECT *, NULL AS ranking_absent FROM query_table(by_user) AS ours)
        )
        WHERE userid IS NOT NULL
    )
    UNION ALL BY NAME
    SELECT _ranking_measure_choices(by_user, measures, 'ranking_compare_by_user') AS choices
    WHERE _ranking_compare_options(confidence, margin, correction, test, permutations, seed, 'ranking_compare_by_user')
)
SELECT
    compared.baseline,
    compared.system,
    compared.k,
    compared.measure,
    segments.* EXCLUDE (ranking_segment),
    compared.* EXCLUDE (baseline, system, k, measure, pair, place, ranking_segment)
FROM _ranking_compared(
    '_ranking_scores', baseline, confidence, margin, correction, test, permutations, seed, 'ranking_compare_by_user'
) AS compared
JOIN (
    SELECT DISTINCT COLUMNS(lambda c: lower(c) IN ('segment', 'ranking_segment'))
    FROM _ranking_scores
    WHERE choices IS NULL
) AS segments
    ON compared.ranking_segment IS NOT DISTINCT FROM segments.ranking_segment
WHERE coalesce(
    (
        SELECT error(concat(
            'ranking_compare_by_user: by_user must have one row of each system, user',
            CASE WHEN k IS NOT NULL THEN ', k' END,
            CASE WHEN ranking_segment IS NOT NULL THEN ', segment' END,
            ', got ', copies, ' of ', _ranking_named([system::VARCHAR, userid::VARCHAR])
        ))::BOOLEAN
        FROM (
            SELECT system, userid, k, ranking_segment, count(*) AS copies
            FROM _ranking_scores
            WHERE choices IS NULL
            GROUP BY system, userid, k, ranking_segment
            HAVING count(*) > 1
            ORDER BY system, userid
            LIMIT 1
        )
    ),
    true
)
ORDER BY compared.pair ASC, compared.k ASC NULLS LAST, compared.place ASC, compared.ranking_segment ASC NULLS LAST;
