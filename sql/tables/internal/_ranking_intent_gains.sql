-- Internal: the gain of each item of a list in the intents that it meets, the less the more items above meet them.
--
-- items:    INTEGER[][]: the intents that each item meets
-- n:        how many items to take
-- alpha:    as for ranking_intents_by_user
-- is_ideal: whether to take at each rank the item of the highest gain, of several the first; a constant
-- Returns:  DOUBLE[]
-- Example:  SELECT _ranking_intent_gains([[1], [1, 2]], 2, 0.5, true);  -- [2.0, 0.5]
CREATE OR REPLACE TEMP MACRO _ranking_intent_gains(items, n, alpha, is_ideal) AS
-- All that a step reads is in its state: DuckDB 1.5 mixes up rows where list_reduce reads a column.
list_reduce(
    [{
        'left': items,
        -- what an item gains in each intent
        'weights': list_transform(range(list_max(flatten(items))), lambda intent: 1::DOUBLE),
        'gains': []::DOUBLE[]
    }]
    || list_transform(
        range(n), lambda step: {'left': []::INTEGER[][], 'weights': []::DOUBLE[], 'gains': []::DOUBLE[]}),
    lambda state, step: list_transform(
        [list_transform(
            CASE WHEN is_ideal THEN state.left ELSE state.left[:1] END,
            -- Sorted, so that equal gains are equal to the bit.
            lambda intents: list_sum(list_sort(list_transform(intents, lambda intent: state.weights[intent]), 'ASC')))],
        lambda found: list_transform(
            [list_position(found, list_max(found))],
            lambda best: {
                'left': state.left[:best - 1] || state.left[best + 1:],
                'weights': list_transform(
                    state.weights,
                    lambda weight, intent: CASE
                        WHEN list_contains(state.left[best], intent) THEN weight * (1 - TRY_CAST(alpha AS DOUBLE))
                        ELSE weight
                    END),
                'gains': state.gains || [found[best]]
            })[1])[1]
).gains;
