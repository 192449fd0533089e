-- Internal: the error in place of Fisher's randomization test, where Python is not: sql/ranking_udfs.sql.
CREATE OR REPLACE TEMP MACRO _ranking_sign_flip_p(differences, permutations, seed, caller) AS
error(caller || ': test must be t where the Python package is not, got randomization')::DOUBLE;
