-- Internal: the names of the columns of the user's tables, in one struct for all internal macros.
--
-- user_col, item_col, score_col, grade_col, system_col, descending: as for ranking_judged
-- Returns: STRUCT; its values are constants. For grades and system NULL means: there may be such a column; '': none
-- Example: SELECT _ranking_names('customer', 'sku', 'p', NULL, NULL, true)['item'];  -- sku
CREATE OR REPLACE TEMP MACRO _ranking_names(user_col, item_col, score_col, grade_col, system_col, descending) AS
{
    'user': user_col, 'item': item_col, 'score': score_col, 'grade': grade_col, 'system': system_col,
    'descending': descending
};
