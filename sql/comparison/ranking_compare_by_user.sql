-- Whether one system is better than another, from any table with a row per user: paired differences and their confidence.
--
-- by_user:   table with system, userid [, k] [, segment] and columns of numbers, as query_table takes it: what
--            ranking_by_user gives, or numbers of any other origin (clicks, revenue)
-- measures:  LIST of its columns; by default the same as of ranking_compare, or where there is none of these every column
--            of numbers; higher counts as better in all but first_hit_rank, mae, mse, rmse, logloss and lower_is_better.
--            Of the columns of ranking_beyond_accuracy_by_user and ranking_overlap_by_user neither is: the verdicts are
--            'higher' and 'lower', and wins the users whose value is higher
-- others:    as of ranking_compare
-- lower_is_better: LIST of columns of which lower is better, as ['latency_ms']; it may name judged_share too, of which neither
--            end is better by itself. A column that it does not name has the caveat perhaps_lower_is_better if its name
--            usually means that: latency_ms, cost, price, rank, error
-- predicted: a table as by_user, by the grades of a model, as predicted_truth of ranking_compare: with a row for each of by_user
--            and rows of users who are not in it
-- Returns:   what ranking_compare does, with the segment if there is such a column; users_without_rec_* are NULL if there
--            is no column n_rec
-- Errors:    as of ranking_compare; a system, user (k, segment) with more than one row, or with one in by_user and none in
--            predicted; NaN or an infinite value; k that is text; two systems without a user in common, with recommendations
--            (n_rec) of both (in one segment of several: unclear)
-- Example:   WITH by_user AS (SELECT system, userid, n_rec, hits FROM ranking_by_user('rec', 'truth', [10]))
--            SELECT system, measure, users, difference, verdict
--            FROM ranking_compare_by_user('by_user', baseline := 'popularity', measures := ['hits']);
CREATE OR REPLACE TEMP MACRO ranking_compare_by_user(
    by_user, baseline := NULL, measures := NULL, confidence := 0.95, margin := NULL,
    correction := 'holm', test := 't', permutations := 10000, seed := 0, lower_is_better := NULL, predicted := NULL) AS TABLE
WITH _ranking_rows AS NOT MATERIALIZED (
    -- The first, since the table of a user may have the name of any CTE.
    FROM query_table(_ranking_table('by_user', by_user)) AS by_user_of
), _ranking_no_rows AS NOT MATERIALIZED (
    -- Its columns alone: DuckDB 1.5 frees an Arrow table where a CTE over it is read twice.
    FROM query_table(_ranking_table('by_user', by_user)) AS by_user_of WHERE false
), _ranking_chosen AS MATERIALIZED (
    SELECT _ranking_compared_measures(_ranking_measure_columns('_ranking_no_rows'), measures, lower_is_better) AS chosen
), _ranking_predicted_rows AS NOT MATERIALIZED (
    -- DuckDB 1.4 plans what no one reads.
    FROM query_table(_ranking_table('predicted', coalesce(predicted, by_user))) AS predicted_of
), _ranking_no_predicted_rows AS NOT MATERIALIZED (
    FROM query_table(_ranking_table('predicted', coalesce(predicted, by_user))) AS predicted_of WHERE false
), _ranking_predicted_scores AS MATERIALIZED (
    SELECT * REPLACE (list_select(numbers::DOUBLE[], places) AS numbers)
    FROM _ranking_user_numbers('_ranking_predicted_rows', measures, 'predicted')
    CROSS JOIN (
        SELECT _ranking_predicted_places(_ranking_measure_columns('_ranking_no_predicted_rows'), measures, chosen) AS places
        FROM _ranking_chosen)
), _ranking_scores AS MATERIALIZED (
    SELECT
        * EXCLUDE (chosen) REPLACE (
            list_select(numbers::DOUBLE[], list_transform(chosen, lambda one: one.value_place)) AS numbers),
        NULL AS compared_measures
    FROM _ranking_user_numbers('_ranking_rows', measures, 'by_user')
    CROSS JOIN _ranking_chosen
    UNION ALL BY NAME
    SELECT list_transform(chosen, lambda one, i: {
        'measure': one.measure, 'value_place': i, 'higher_is_better': one.higher_is_better, 'is_share': one.is_share,
        'only_at': NULL::BIGINT[]}) AS compared_measures
    FROM _ranking_chosen
    WHERE _ranking_compare_options(confidence, margin, correction, test, permutations, seed, 'ranking_compare_by_user')
)
SELECT
    compared.baseline, compared.system, compared.k, compared.measure,
    segments.* EXCLUDE (ranking_segment),
    compared.* EXCLUDE (baseline, system, k, measure, pair, measure_place, ranking_segment)
FROM _ranking_comparison(
    '_ranking_scores', CASE WHEN predicted IS NOT NULL THEN '_ranking_predicted_scores' END,
    baseline, confidence, margin, correction, test, permutations, seed, 'ranking_compare_by_user'
) AS compared
JOIN (
    SELECT DISTINCT COLUMNS(lambda c: lower(c) IN ('segment', 'ranking_segment'))
    FROM _ranking_scores
    WHERE compared_measures IS NULL) AS segments
    ON compared.ranking_segment IS NOT DISTINCT FROM segments.ranking_segment
WHERE _ranking_has_no_copies('_ranking_scores', 'by_user')
ORDER BY
    compared.pair ASC NULLS LAST, compared.k ASC NULLS LAST, compared.measure_place ASC NULLS LAST,
    compared.ranking_segment ASC NULLS LAST;

-- The numbers of each system, user, k and segment, of all columns that may be compared, from a table with a row per user.
CREATE OR REPLACE TEMP MACRO _ranking_user_numbers(rows, measures, argument) AS TABLE
SELECT
    system, k, ranking_segment,
    TRY_CAST(n_rec AS DOUBLE) > 0 AS has_rec,
    COLUMNS(lambda c: lower(c) IN ('userid', 'segment')),
    list_value(
        *COLUMNS(lambda c: _ranking_is_compared_column(c, measures) OR c = 'ranking_absent')) AS numbers
FROM (
    -- As in _ranking_recs, least is coalesce for any type.
    SELECT
        least(*COLUMNS(_ranking_column(NULL, 'system'))) AS system,
        least(*COLUMNS(_ranking_column(NULL, 'k'))) AS k,
        least(*COLUMNS(_ranking_column(NULL, 'segment'))) AS ranking_segment,
        least(*COLUMNS(_ranking_column(NULL, 'n_rec'))) AS n_rec,
        COLUMNS(lambda c: lower(c) IN ('userid', 'segment')),
        TRY_CAST(COLUMNS(lambda c: _ranking_is_compared_column(c, measures) OR c = 'ranking_absent') AS DOUBLE)
    -- Not in the CTE, where DuckDB 1.4 would make an INTEGER of the NULL.
    FROM (SELECT *, NULL AS ranking_absent FROM query_table(rows) AS rows_of))
WHERE userid IS NOT NULL AND CASE
    WHEN _ranking_is_number(typeof(k)) THEN true
    ELSE error(concat(
        'ranking_compare_by_user: k', CASE WHEN argument <> 'by_user' THEN ' of ' || argument END,
        ' must be a column of integers (NULL for the whole list), got ', _ranking_cut(typeof(k))))::BOOLEAN
END;

-- The positions among _ranking_user_numbers of the columns of `predicted` that are compared, or an error if one is missing.
CREATE OR REPLACE TEMP MACRO _ranking_predicted_places(columns, measures, chosen) AS
list_transform(
    [list_filter(columns, lambda one: _ranking_is_compared_column(one.name, measures))],
    lambda there: list_transform(chosen, lambda wanted: coalesce(
        list_position(
            list_transform(there, lambda one: CASE
                WHEN _ranking_is_number(one.type) OR one.type = 'BOOLEAN' THEN lower(one.name) END),
            lower(wanted.measure)),
        error(concat(
            'ranking_compare_by_user: predicted must have the columns of numbers that by_user is compared by, got none called ',
            _ranking_list_names([wanted.measure])))::BIGINT)))[1];

-- The measures that systems are compared by, or an error if one is no column of numbers.
CREATE OR REPLACE TEMP MACRO _ranking_compared_measures(columns, measures, lower_is_better) AS (
    SELECT list_transform(
        CASE
            WHEN measures IS NOT NULL AND NOT regexp_full_match(typeof(measures), '(VARCHAR|"NULL")\[\d*\]')
                THEN error(concat(
                    'ranking_compare_by_user: measures must be a list of names, as in [''ndcg'', ''recall''], got ',
                    _ranking_cut(typeof(measures))))
            WHEN len(asked) = 0 AND measures IS NOT NULL
                THEN error('ranking_compare_by_user: measures must be a list of one or more names, got []')
            WHEN len(asked) = 0
                THEN error('ranking_compare_by_user: by_user must have a column of numbers to compare by, got none')
            WHEN lower_is_better IS NOT NULL AND NOT coalesce(list_has_all(names, lowered), false)
                THEN error(concat(
                    'ranking_compare_by_user: lower_is_better must be a list of columns of by_user, got ',
                    _ranking_cut(lower_is_better::VARCHAR)))
            ELSE list_filter(asked, lambda name, i: list_position(asked, name) = i)
        END,
        lambda name: CASE
            WHEN list_contains(numbers, name) THEN {
                'measure': there[list_position(names, name)].name,
                'value_place': list_position(positions, name),
                'higher_is_better': CASE
                    WHEN list_contains(lowered, name) THEN false
                    WHEN known[regexp_extract(name, '^[^(@]*')] IS NULL THEN true
                    ELSE known[regexp_extract(name, '^[^(@]*')].higher_is_better
                END,
                'is_share': coalesce(
                    known[regexp_extract(name, '^[^(@]*')].is_share,
                    there[list_position(names, name)].type = 'BOOLEAN')}
            WHEN list_contains(neutral, name) THEN error(concat(
                'ranking_compare_by_user: measures must say which of two systems is better, got ', name))
            WHEN list_contains(names, name) THEN error(concat(
                'ranking_compare_by_user: measures must name columns of numbers, got ', name, ', which is ',
                _ranking_cut(there[list_position(names, name)].type)))
            ELSE error(concat(
                'ranking_compare_by_user: measures must be names of columns of by_user (',
                _ranking_list_names(list_transform(there, lambda one: one.name)), '), got ', _ranking_list_names([name]),
                CASE
                    WHEN regexp_matches(name, '[@(]') THEN ': make it a column of by_user, by measures of ranking_by_user'
                END))
        END)
    FROM (
        SELECT
            *,
            CASE
                WHEN measures IS NOT NULL THEN list_transform(TRY_CAST(measures AS VARCHAR[]), lambda one: lower(trim(one)))
                WHEN list_has_any(numbers, string_split(_ranking_default_measures(), ','))
                    THEN list_filter(string_split(_ranking_default_measures(), ','), lambda one: list_contains(numbers, one))
                ELSE numbers
            END AS asked,
            list_filter(names, lambda one: _ranking_is_compared_column(one, TRY_CAST(measures AS VARCHAR[]))) AS positions
        FROM (
            SELECT
                *,
                list_transform(
                    list_filter(
                        there,
                        lambda one: (_ranking_is_number(one.type) OR one.type = 'BOOLEAN')
                            AND NOT list_contains(neutral, lower(one.name))),
                    lambda one: lower(one.name)) AS numbers
            FROM (
                SELECT
                    there,
                    known,
                    list_transform(there, lambda one: lower(one.name)) AS names,
                    list_transform(TRY_CAST(lower_is_better AS VARCHAR[]), lambda one: lower(trim(one))) AS lowered,
                    list_filter(
                        map_keys(known),
                        lambda one: known[one].higher_is_better IS NULL AND known[one].measure IS NOT NULL
                            AND NOT coalesce(list_contains(lowered, one), false)
                    ) AS neutral
                FROM (SELECT columns AS there, _ranking_known_measures() AS known))))
);

-- The columns of a table with a row per user that are no keys.
CREATE OR REPLACE TEMP MACRO _ranking_measure_columns(rows) AS (
    SELECT list_transform(columns[:-2], lambda one: {'name': one[1], 'type': one[2]})
    FROM (
        SELECT list_value(*COLUMNS(*)) AS columns
        FROM (
            SELECT [alias(COLUMNS(*)), typeof(COLUMNS(*))]
            FROM (
                SELECT COLUMNS(lambda c: c = 'ranking_absent' OR _ranking_is_compared_column(c, NULL))
                FROM (SELECT 1 AS userid)
                LEFT JOIN (SELECT *, '' AS ranking_absent FROM query_table(rows) AS rows_of WHERE false) ON true)))
);
