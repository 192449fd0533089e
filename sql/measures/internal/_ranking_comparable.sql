-- Internal: a list of items, as texts if they are UUIDs, or integers, and those of the other list are texts: UUIDs then
-- match, and integers get as far as the error that says that they do not.
--
-- items, other: LISTs (of the other only its type matters)
-- Returns:      LIST
-- Example:      SELECT _ranking_comparable([uuid()], ['a']);
CREATE OR REPLACE TEMP MACRO _ranking_comparable
    (items UUID[], other UUID[]) AS items,
    (items UUID[], other VARCHAR[]) AS items::VARCHAR[],
    (items HUGEINT[], other VARCHAR[]) AS items::VARCHAR[],
    (items, other) AS items;
