-- Internal: true, or an error if ties is no word for what to do with them.
--
-- ties:    'item' or 'expected'
-- caller:  the function that an error names
-- Returns: BOOLEAN
-- Example: SELECT _ranking_valid_ties('item', 'ranking_by_user');
CREATE OR REPLACE TEMP MACRO _ranking_valid_ties(ties, caller) AS
coalesce(
    error(caller || ': ' || _ranking_option(
        'ties', ties, 'item|expected', typeof(ties) = 'VARCHAR' AND ties::VARCHAR IN ('item', 'expected')))::BOOLEAN,
    true);
