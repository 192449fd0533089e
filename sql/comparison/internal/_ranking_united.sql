-- Internal: each measure once, with all the cut-offs that it was named with.
--
-- choices: LIST of STRUCT(measure, ..., cuts); cuts NULL for all k
-- Returns: the same, none twice, in the order of the first of each
-- Example: SELECT _ranking_united([{'measure': 'ndcg', 'cuts': [5]}, {'measure': 'ndcg', 'cuts': [10]}]);
CREATE OR REPLACE TEMP MACRO _ranking_united(choices) AS
list_transform(
    list_filter(
        choices,
        lambda choice, i: list_position(list_transform(choices, lambda other: other.measure), choice.measure) = i
    ),
    lambda choice: struct_update(choice, cuts := CASE
        WHEN list_bool_and(list_transform(
            choices, lambda other: other.measure <> choice.measure OR other.cuts IS NOT NULL
        ))
            THEN flatten(list_transform(
                list_filter(choices, lambda other: other.measure = choice.measure), lambda other: other.cuts
            ))
    END)
);
