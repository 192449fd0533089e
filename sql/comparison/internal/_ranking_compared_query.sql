-- Internal: the text of the query for the measures that ranking_compare compares by, at which of its cut-offs.
--
-- choices: what _ranking_choices gives
-- Returns: VARCHAR: a row with compared_measures, as _ranking_comparison reads it
-- Example: SELECT _ranking_compared_query(_ranking_choices('ndcg@5', NULL));
CREATE OR REPLACE TEMP MACRO _ranking_compared_query(choices) AS
CASE
    -- _ranking_users says what is wrong.
    WHEN coalesce(len(list_filter(choices, lambda one: NOT one['is_right'])) > 0, true) THEN 'SELECT NULL AS compared_measures'
    ELSE concat(
        'SELECT [',
        array_to_string(
            list_transform(choices, lambda one, i: concat(
                '{measure: ''', one['measure'], ''', value_place: ', i,
                ', higher_is_better: ', _ranking_higher_is_better(one['known'], one['measure']),
                ', is_share: ', one['known']['is_share'],
                ', only_at: ', CASE WHEN one['at_ks'] THEN 'given || ' END, _ranking_cuts_text(one['cuts']), '}')),
            ', '),
        '] AS compared_measures FROM _ranking_any_ks')
END;

-- The same for measures without options and cut-offs.
CREATE OR REPLACE TEMP MACRO _ranking_plain_compared_query(names) AS
concat(
    'SELECT [',
    array_to_string(
        list_transform(
            list_filter(names, lambda name, i: name IS NOT NULL AND list_position(names, name) = i),
            lambda name, i: concat(
                '{measure: ''', name, ''', value_place: ', i,
                ', higher_is_better: ', _ranking_higher_is_better(_ranking_known_measures()[name], name),
                ', is_share: ', _ranking_known_measures()[name]['is_share'], ', only_at: NULL::BIGINT[]}')),
        ', '),
    '] AS compared_measures'
);

CREATE OR REPLACE TEMP MACRO _ranking_higher_is_better(known, measure) AS
coalesce(
    known['higher_is_better']::VARCHAR,
    error('ranking_compare: measures must say which of two systems is better, got ' || measure));
