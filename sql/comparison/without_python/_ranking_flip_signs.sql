-- The error in place of Fisher's randomization test, where Python is not: sql/ranking_udfs.sql.
CREATE OR REPLACE TEMP MACRO _ranking_flip_signs(differences, permutations, seed, flips, caller) AS
error(caller || ': test must be t where the Python package is not, got randomization')::STRUCT(p DOUBLE);
