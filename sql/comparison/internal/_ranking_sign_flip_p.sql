-- Internal: p of Fisher's randomization test, which is Python's: udfs/ranking_udfs/measures/randomization.py. Where Python is not
-- (sql/ranking_udfs.sql), sql/comparison/without_python has another macro of this name.
--
-- In a lambda DuckDB looks for the function when it is called, not when the macro is made: a cursor of another
-- transaction, which makes the macros with register(con, temp=False), may not see it yet.
--
-- differences:  LIST of DOUBLEs
-- permutations: how many random choices of signs to try, if there are more than 20 differences
-- seed:         of these
-- caller:       the function that an error names
-- Returns:      DOUBLE
-- Example:      SELECT _ranking_sign_flip_p([1.0, 2.0, 3.0], 10000, 0, 'ranking_compare');  -- 0.25
CREATE OR REPLACE TEMP MACRO _ranking_sign_flip_p(differences, permutations, seed, caller) AS
list_transform(
    [differences],
    lambda _ranking_differences: system.main._ranking_sign_flips(
        _ranking_differences, permutations::INTEGER, seed::BIGINT)
)[1];
