-- Internal: a list of items, as texts if they are UUIDs and those of the other list are none.
--
-- items, other: LISTs (of the other only its type matters)
-- Returns:      LIST
-- Example:      SELECT _ranking_comparable([uuid()], ['a']);
CREATE OR REPLACE TEMP MACRO _ranking_comparable
    (items UUID[], other UUID[]) AS items,
    (items UUID[], other VARCHAR[]) AS items::VARCHAR[],
    (items, other) AS items;
