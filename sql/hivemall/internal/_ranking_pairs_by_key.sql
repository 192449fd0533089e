-- Internal: the pairs of a group as a LIST of STRUCT(key, value), ascending, of each key the one with the smallest
-- value; NULL for a group without a key.
--
-- Example:
--   SELECT _ranking_pairs_by_key(key, value) FROM (VALUES (2, 'a'), (1, 'c'), (1, 'b')) AS t(key, value);
--   [{'key': 1, 'value': b}, {'key': 2, 'value': a}]

CREATE OR REPLACE TEMP MACRO _ranking_pairs_by_key(key, value) AS
    _ranking_first_of_key(list_sort(list({'key': key, 'value': value}) FILTER (WHERE key IS NOT NULL), 'ASC'));
