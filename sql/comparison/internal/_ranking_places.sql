-- Internal: where the columns of measures stand among those that _ranking_by_user has of them. Used by ranking_compare.
--
-- choices: as _ranking_choices gives them
-- Returns: BIGINT[]
-- Example: SELECT _ranking_places([{'name': 'ndcg'}, {'name': 'recall'}]);  -- [2, 1]
CREATE OR REPLACE TEMP MACRO _ranking_places(choices) AS
list_transform(
    [list_filter(
        _ranking_with_columns(),
        lambda name: list_contains(list_transform(choices, lambda choice: choice.name), name)
    )],
    lambda names: list_transform(choices, lambda choice: list_position(names, choice.name))
)[1];
