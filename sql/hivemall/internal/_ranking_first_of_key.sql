-- Internal: the first pair of each key.
--
-- pairs    LIST of STRUCT with a field key, equal keys beside each other
--
-- Example:
--   SELECT _ranking_first_of_key([{'key': 1, 'value': 'a'}, {'key': 1, 'value': 'b'}, {'key': 2, 'value': 'c'}]);
--   [{'key': 1, 'value': a}, {'key': 2, 'value': c}]

-- Each pair is compared with the one before it. (An index in a lambda, pairs[i - 1], makes DuckDB copy the list for
-- every pair.)
CREATE OR REPLACE TEMP MACRO _ranking_first_of_key(pairs) AS
    list_concat(pairs[:1], list_transform(
        list_filter(list_zip(pairs[2:], pairs[:-2]), lambda two: two[1].key IS DISTINCT FROM two[2].key),
        lambda two: two[1]));
