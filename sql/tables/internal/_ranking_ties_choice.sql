-- Internal: the value that belongs to a choice of `ties`, or an error if there is no such choice.
--
-- ties:     what the user gave: 'item' or 'expected'
-- item:     the value for 'item'
-- expected: the value for 'expected'
-- caller:   the function that an error names
-- Returns:  one of the two values
-- Example:  SELECT _ranking_ties_choice('item', 1, 2, 'ranking_by_user');  -- 1
CREATE OR REPLACE TEMP MACRO _ranking_ties_choice(ties, item, expected, caller) AS
CASE
    WHEN typeof(ties) = 'VARCHAR' AND ties::VARCHAR = 'item' THEN item
    WHEN typeof(ties) = 'VARCHAR' AND ties::VARCHAR = 'expected' THEN expected
    ELSE error(caller || ': ' || _ranking_option('ties', ties, 'item|expected', false))
END;
