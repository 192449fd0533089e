-- Internal: return true, or an error if the items of two lists are of types that cannot be compared.
--
-- rec, truth: LISTs of items, as ranking_judge takes them
-- Returns:    BOOLEAN
-- Example:    SELECT _ranking_items_fit([1], [2::BIGINT]);
CREATE OR REPLACE TEMP MACRO _ranking_items_fit(rec, truth) AS
CASE
    WHEN _ranking_same_type(typeof(coalesce(rec, [])[1]), typeof(coalesce(truth, [])[1])) THEN true
    ELSE error(concat(
        'ranking_judge: rec and truth must hold items of the same type, got ',
        _ranking_cut(typeof(rec[1])),
        ' and ',
        _ranking_cut(typeof(truth[1]))))::BOOLEAN
END;
