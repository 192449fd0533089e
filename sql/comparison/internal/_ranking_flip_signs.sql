-- Internal: go on with Fisher's randomization test for 0.4 seconds, since DuckDB hears an interrupt only between
-- two calls. It is Python's: udfs/ranking_udfs/measures/randomization.py. Where Python is not (sql/ranking_udfs.sql),
-- sql/comparison/without_python has another macro of this name.
--
-- In a lambda DuckDB looks for the function when it is called, not when the macro is made: a cursor of another
-- transaction, which makes the macros with register(con, temp=False), may not see it yet.
--
-- differences:  LIST of DOUBLEs
-- permutations: how many random choices of signs to try, if there are more than 20 differences
-- seed:         of these
-- flips:        what the call before returned, or NULL
-- caller:       the function that an error names
-- Returns:      STRUCT: p, or NULL and what to go on with
-- Example:      SELECT _ranking_flip_signs([1.0, 2.0, 3.0], 10000, 0, NULL, 'ranking_compare').p;  -- 0.25
CREATE OR REPLACE TEMP MACRO _ranking_flip_signs(differences, permutations, seed, flips, caller) AS
list_transform(
    [differences],
    lambda _ranking_differences: system.main._ranking_sign_flips(
        _ranking_differences, permutations::INTEGER, seed::BIGINT, flips)
)[1];
