-- Internal: p of Fisher's randomization test, which is Python's: udfs/measures/randomization.py. Where Python is not
-- (sql/ranking_udfs.sql), sql/comparison/without_python has another macro of this name. Used by _ranking_compared.
--
-- differences:  LIST of DOUBLEs
-- permutations: how many random choices of signs to try, if there are more than 20 differences
-- seed:         of these
-- caller:       the function that an error names
-- Returns:      DOUBLE
-- Example:      SELECT _ranking_sign_flip_p([1.0, 2.0, 3.0], 10000, 0, 'ranking_compare');  -- 0.25
CREATE OR REPLACE TEMP MACRO _ranking_sign_flip_p(differences, permutations, seed, caller) AS
system.main._ranking_sign_flips(differences, permutations::INTEGER, seed::BIGINT);
