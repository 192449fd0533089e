-- Internal: the DOUBLE that a sum from _ranking_discounted stands for; an error if there is none.
--
-- caller:  the function that an error names
-- judged:  a judged ranking
-- gain:    'exp' or 'linear'
-- counted: the sum
-- Returns: DOUBLE
-- Example: SELECT _ranking_total('ranking_dcg', ranking_judge([1], [1], [3]), 'exp', 1);  -- 7.0
CREATE OR REPLACE TEMP MACRO _ranking_total(caller, judged, gain, counted) AS
list_transform(
    [{
        'total': counted * CASE
            WHEN judged.ideal[1] = judged.ideal[-1]
                THEN least(_ranking_gain(judged.ideal[1], gain), 1.7976931348623157e308)
            ELSE 2::DOUBLE ** 24
        END,
        'highest': judged.ideal[1]}],
    lambda of: CASE
        WHEN of.total = 'inf' THEN error(
            format('{}: grades must have a sum that a DOUBLE can hold, got one of {:g}', caller, of.highest))
        ELSE of.total
    END)[1];
