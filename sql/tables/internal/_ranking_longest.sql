-- Internal: the largest of the cut-offs: how far to look down a ranking. No list is longer than an INTEGER says:
-- beyond it, and where a cut-off is NULL, all the way.
--
-- ks:      LIST of integers, or one, as _ranking_cuts and _ranking_valid_k allow them
-- Returns: INTEGER; NULL means all of the list
-- Example: SELECT _ranking_longest([5, 10]);  -- 10
CREATE OR REPLACE TEMP MACRO _ranking_longest(ks) AS
list_sort(TRY_CAST(concat('[', trim(ks::VARCHAR, '[]'), ']') AS INTEGER[]), 'DESC', 'NULLS FIRST')[1];
