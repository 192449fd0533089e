-- Each measure of each user at each k.
CREATE OR REPLACE TEMP MACRO _ranking_users(rec, truth, COLUMN_NAMES, ks, measures, usual, ties, JUDGING, caller) AS TABLE
WITH _ranking_item AS NOT MATERIALIZED (
    FROM _ranking_judged(rec, truth, COLUMN_NAMES, _ranking_longest(ks), false, caller, JUDGING)
), _ranking_item_at_own_ks AS NOT MATERIALIZED (
    FROM _ranking_judged(rec, truth, COLUMN_NAMES, _ranking_longest(_ranking_all_ks(ks, measures)), false, caller, JUDGING)
), _ranking_expected AS NOT MATERIALIZED (
    SELECT * REPLACE (tied AS judged)
    FROM _ranking_tied_judged(rec, truth, COLUMN_NAMES, _ranking_longest(ks), caller, JUDGING)
), _ranking_expected_at_own_ks AS NOT MATERIALIZED (
    SELECT * REPLACE (tied AS judged)
    FROM _ranking_tied_judged(rec, truth, COLUMN_NAMES, _ranking_longest(_ranking_all_ks(ks, measures)), caller, JUDGING)
), _ranking_trec AS NOT MATERIALIZED (
    FROM _ranking_trec_judged(rec, truth, COLUMN_NAMES, _ranking_longest(_ranking_all_ks(ks, measures)), caller, JUDGING)
), _ranking_given_ks AS NOT MATERIALIZED (
    SELECT _ranking_cuts(ks, caller) AS given
), _ranking_any_ks AS NOT MATERIALIZED (
    SELECT CASE WHEN ks IS NULL THEN [] ELSE _ranking_cuts(ks, caller) END AS given
), _ranking_wrong_measures AS NOT MATERIALIZED (
    FROM query(_ranking_measures_problem(measures, ties, caller))
), _ranking_own_measures AS NOT MATERIALIZED (
    FROM query(_ranking_with_source(
        _ranking_users_query(
            _ranking_choices(measures, usual), _ranking_ties_choice(ties, false, false, true, caller), min_grade),
        ties))
), _ranking_plain_measures AS NOT MATERIALIZED (
    FROM query(_ranking_with_source(
        _ranking_plain_query(
            _ranking_plain_names(measures, usual), _ranking_ties_choice(ties, false, false, true, caller), min_grade),
        ties))
)
-- A CTE that is not chosen is not planned.
FROM query_table(CASE WHEN _ranking_are_plain(measures, usual) THEN '_ranking_plain_measures' ELSE '_ranking_own_measures' END);

-- Judged rankings in the order of trec_eval. In a macro of its own, so that its caller reads the user's tables in no CTE that
-- comes after one of these names.
CREATE OR REPLACE TEMP MACRO _ranking_trec_judged(rec, truth, COLUMN_NAMES, max_k, caller, JUDGING) AS TABLE
WITH _ranking_trec_rec AS NOT MATERIALIZED (
    FROM _ranking_in_trec_order(_ranking_table('rec', rec), COLUMN_NAMES)
)
FROM _ranking_judged('_ranking_trec_rec', truth, COLUMN_NAMES, max_k, false, caller, JUDGING);

-- Such a text, with _ranking_home() for @ and the CTE of the order of ties for that of `item`.
CREATE OR REPLACE TEMP MACRO _ranking_with_source(text, ties) AS
-- The text stands here once, since DuckDB plans it as often as it is named. Nothing matches \z. there.
replace(
    regexp_replace(
        text, CASE WHEN ties::VARCHAR = 'trec' THEN ' _ranking_item(_at_own_ks)?\b' ELSE '\z.' END, ' _ranking_trec'),
    '@', _ranking_home());

-- Recommendations whose scores are their ranks in the order of trec_eval, in which nothing is tied: it reads scores as FLOAT and
-- orders equal ones by item as text, descending. A score that is no number stays, so that its error is raised.
CREATE OR REPLACE TEMP MACRO _ranking_in_trec_order(rec, COLUMN_NAMES) AS TABLE
SELECT COLUMNS(lambda c: c <> 'ranking_trec_rank')
FROM (
    SELECT
        COLUMNS(lambda c: NOT starts_with(c, 'ranking_trec_') AND lower(c) NOT IN (
            'ranking_absent', lower(coalesce(score_col::VARCHAR, 'score')))),
        struct_extract(
            {
                'rank': CASE WHEN TRY_CAST(descending AS BOOLEAN) THEN -ranking_trec_rank ELSE ranking_trec_rank END,
                -- The rank stands in where there is no such column, which _ranking_valid says.
                'score': COLUMNS(concat(
                    '(?i)^(', regexp_escape(coalesce(score_col::VARCHAR, 'score')), '|ranking_trec_rank)$'))},
            CASE WHEN _ranking_is_number(left(typeof([ranking_trec_score]), -2)) THEN 'rank' ELSE 'score' END) AS '\1'
    FROM (
        SELECT
            *,
            row_number() OVER (
                PARTITION BY ranking_trec_user, ranking_trec_system
                ORDER BY isnan(ranking_trec_float) IS DISTINCT FROM false ASC NULLS LAST,
                    CASE WHEN TRY_CAST(descending AS BOOLEAN) THEN ranking_trec_float END DESC NULLS LAST,
                    ranking_trec_float ASC NULLS LAST, ranking_trec_item::VARCHAR DESC NULLS LAST) AS ranking_trec_rank
        FROM (
            SELECT
                *,
                least(*COLUMNS(_ranking_column(user_col, 'userid'))) AS ranking_trec_user,
                coalesce(*COLUMNS(_ranking_column(item_col, 'itemid'))) AS ranking_trec_item,
                least(*COLUMNS(_ranking_column(system_col, 'system'))) AS ranking_trec_system,
                coalesce(*COLUMNS(_ranking_column(score_col, 'score'))) AS ranking_trec_score,
                TRY_CAST(ranking_trec_score AS FLOAT) AS ranking_trec_float
            FROM (SELECT NULL AS ranking_absent, * FROM query_table(rec)))));

-- The text of the query that _ranking_users ends in. It has what is asked for alone, since DuckDB takes long to plan
-- a measure, selected or not. Names and words in it are the registry's, numbers are digits; @ stands for _ranking_home().
CREATE OR REPLACE TEMP MACRO _ranking_users_query(choices, is_expected, min_grade) AS
list_transform(
    [list_transform(
        list_transform(choices, lambda one: {
            'of': one,
            'own_grade': list_filter(one['pairs'], lambda pair: starts_with(pair, 'min_grade='))[1][11:],
            'in_short': is_expected OR one['rules']['is_column'] AND len(one['pairs']) = 0}),
        lambda one: {
            'is_right': one['of']['is_right'] AND NOT (is_expected AND one['of']['rules']['expected'] IS NULL),
            'measure': one['of']['measure'],
            'in_short': one['in_short'],
            'own_grade': CASE WHEN is_expected THEN one['own_grade'] END,
            -- By its own min_grade, by the argument, or by every grade above 0. With options a measure takes `judged`.
            'ranking': CASE
                WHEN is_expected AND one['own_grade'] IS NOT NULL THEN 'ranking from ' || one['own_grade']
                WHEN min_grade IS NOT NULL AND one['own_grade'] IS NULL AND one['of']['rules']['options']['min_grade'] IS NOT NULL
                    AND _ranking_goes_with(
                        one['of']['rules']['options']['min_grade'], one['of']['pairs'], one['of']['names'],
                        one['of']['rules']['options'])
                    THEN CASE WHEN one['in_short'] THEN 'relevant' ELSE 'lowered' END
                ELSE CASE WHEN one['in_short'] THEN 'ranking' ELSE 'judged' END
            END,
            'macro': CASE
                WHEN is_expected THEN one['of']['rules']['expected']
                WHEN one['in_short'] THEN '_ranking_' || one['of']['known']['measure']
                ELSE 'ranking_' || one['of']['known']['measure']
            END,
            'arguments': concat(
                CASE WHEN NOT one['in_short'] THEN concat(', k', ', min_grade := ' || one['own_grade']) END,
                _ranking_joined(
                    list_transform(
                        list_filter(one['of']['pairs'], lambda pair: NOT starts_with(pair, 'min_grade=')),
                        lambda pair: regexp_replace(
                            regexp_replace(pair, '=([a-z].*)$', '=''\1'''), '^(.*?)=', ', \1 := ')),
                    '')),
            'is_plain': len(one['of']['pairs']) = 0 AND one['in_short'],
            'cuts': one['of']['cuts'],
            'at_ks': one['of']['at_ks']})],
    lambda found: CASE
        WHEN found IS NULL OR len(list_filter(found, lambda one: NOT one['is_right'])) > 0 THEN 'FROM _ranking_wrong_measures'
        ELSE _ranking_users_text(
            _ranking_joined(
                list_transform(found, lambda one: concat(
                    ', ', 'CASE WHEN ' || nullif(concat_ws(
                        ' AND ',
                        CASE WHEN NOT one['is_plain'] THEN 'has_truth' END,
                        CASE WHEN len(flatten(list_transform(found, lambda other: other['cuts']))) > 0
                            THEN _ranking_cuts_condition(one['cuts'], one['at_ks']) END), '') || ' THEN ',
                    '@', one['macro'], '("', one['ranking'], '"', one['arguments'], ')',
                    CASE WHEN NOT one['is_plain'] OR len(flatten(list_transform(found, lambda other: other['cuts']))) > 0
                        THEN ' END' END,
                    ' AS "', one['measure'], '"')),
                ''),
            list_transform(found, lambda one: one['ranking']),
            list_distinct(list_transform(found, lambda one: one['own_grade'])),
            is_expected, min_grade,
            flatten(list_transform(found, lambda one: one['cuts'])),
            list_contains(list_transform(found, lambda one: one['at_ks']), true))
    END)[1];

-- `columns` as text, `rankings` that they read, `own_grades` of theirs, `cuts` of theirs, and whether they are asked for at ks.
CREATE OR REPLACE TEMP MACRO _ranking_users_text(columns, rankings, own_grades, is_expected, min_grade, cuts, at_ks) AS
concat(
    'SELECT COLUMNS(lambda c: lower(c) IN (''system'', ''ranking_system'', ''has_truth'', ''userid'')), k, n_rec, n_truth',
    columns,
    ' FROM (SELECT *',
    CASE WHEN list_contains(rankings, 'ranking') THEN _ranking_ranking_text('judged', 'ranking', is_expected) END,
    CASE WHEN min_grade IS NOT NULL AND list_contains(rankings, 'relevant')
        THEN _ranking_ranking_text('lowered', 'relevant', is_expected) END,
    _ranking_joined(
        list_transform(own_grades, lambda grade: concat(
            ', @_ranking_tied_at("judged from ', grade, '", k) AS "ranking from ', grade, '"')), ''),
    CASE WHEN NOT is_expected THEN concat(
        ' FROM (SELECT *, @_ranking_n_seen(judged.ranks, cut) AS n_seen',
        CASE WHEN list_contains(rankings, 'ranking') THEN ', @_ranking_n_relevant(judged) AS n_judged' END,
        CASE WHEN min_grade IS NOT NULL AND list_contains(rankings, 'relevant')
            THEN ', @_ranking_n_relevant(lowered) AS n_lowered' END)
    END,
    ' FROM (SELECT *, @_ranking_cut_off(k, judged.size) AS cut',
    CASE WHEN min_grade IS NOT NULL
        THEN concat(
            ', @_ranking_', CASE WHEN is_expected THEN 'tied_' END, 'from_grade(judged, ', TRY_CAST(min_grade AS DOUBLE),
            ') AS lowered') END,
    _ranking_joined(
        list_transform(own_grades, lambda grade: concat(
            ', @_ranking_tied_from_grade(judged, ', grade, ') AS "judged from ', grade, '"')), ''),
    ' FROM ',
    CASE WHEN is_expected THEN '_ranking_expected' ELSE '_ranking_item' END,
    CASE WHEN len(cuts) = 0 THEN ' CROSS JOIN (SELECT unnest(given) AS k FROM _ranking_given_ks)'
        ELSE concat(
            '_at_own_ks CROSS JOIN (SELECT DISTINCT unnest(given || ', _ranking_cuts_text(cuts), ') AS k, given FROM ',
            CASE WHEN at_ks THEN '_ranking_given_ks' ELSE '_ranking_any_ks' END, ')')
    END,
    CASE WHEN is_expected THEN '))' ELSE ')))' END);

CREATE OR REPLACE TEMP MACRO _ranking_ranking_text(judged, name, is_expected) AS
CASE
    WHEN is_expected THEN concat(', @_ranking_tied_at(', judged, ', k) AS ', name)
    ELSE concat(
        ', @_ranking_prefix(', judged, ', cut, n_seen, ', judged, '.ideal[-1] > 0, @_ranking_log2_ideal(cut, n_', judged,
        ')) AS ', name)
END;

CREATE OR REPLACE TEMP MACRO _ranking_cuts_text(cuts) AS
concat('[', _ranking_joined(list_transform(cuts, lambda k: coalesce(k::VARCHAR, 'NULL')), ', '), ']::BIGINT[]');

CREATE OR REPLACE TEMP MACRO _ranking_cuts_condition(cuts, at_ks) AS
concat(
    'len(list_filter(', CASE WHEN at_ks THEN 'given || ' END, _ranking_cuts_text(cuts),
    ', lambda one: one IS NOT DISTINCT FROM k)) > 0');

-- The prefix of the macros that a text for query() calls: none, or that of their database, which has another macro in
-- place of this one.
CREATE OR REPLACE TEMP MACRO _ranking_home() AS
'';

-- The text that _ranking_users_query gives, of measures without options and cut-offs, by names that _ranking_plain_names
-- gives, and for all columns where that is NULL. It is planned in a sixth of the time.
CREATE OR REPLACE TEMP MACRO _ranking_plain_query(names, is_expected, min_grade) AS
list_transform(
    [coalesce(
        list_transform(
            list_filter(names, lambda name, i: list_position(names, name) = i OR name IS NULL),
            lambda name: {'key': name, 'value': _ranking_options()[name]}),
        list_filter(
            map_entries(_ranking_options()),
            lambda one: CASE WHEN is_expected THEN one['value']['expected'] IS NOT NULL ELSE one['value']['is_column'] END))],
    lambda found: CASE
        WHEN len(list_filter(found, lambda one: coalesce(
            CASE WHEN is_expected THEN one['value']['expected'] IS NOT NULL ELSE one['value']['is_column'] END,
            false))) < len(found)
            THEN 'FROM _ranking_own_measures'
        ELSE _ranking_users_text(
            _ranking_joined(
                list_transform(found, lambda one: concat(
                    ', @', CASE WHEN is_expected THEN one['value']['expected'] ELSE '_ranking_' || one['key'] END,
                    CASE WHEN min_grade IS NOT NULL AND one['value']['options']['min_grade'] IS NOT NULL
                        THEN '(relevant)' ELSE '(ranking)' END,
                    ' AS "', one['key'], '"')),
                ''),
            ['ranking', 'relevant'],
            []::VARCHAR[], is_expected, min_grade, []::BIGINT[],
            true)
    END)[1];
