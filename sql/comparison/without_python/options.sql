-- True, or an error if an option of a comparison is invalid.
CREATE OR REPLACE TEMP MACRO _ranking_compare_options(confidence, margin, correction, test, permutations, seed, caller) AS
_ranking_no_problem(
    caller,
    coalesce(_ranking_collation_problem(), list_any_value(list_transform(
        [
            ('confidence', confidence::VARCHAR, 'a number above 0 and below 1',
                _ranking_is_number(typeof(confidence)) AND TRY_CAST(confidence AS DOUBLE) > 0
                AND TRY_CAST(confidence AS DOUBLE) < 1),
            ('margin', margin::VARCHAR, 'a number of 0 or more',
                margin IS NULL OR _ranking_is_number(typeof(margin))
                AND isfinite(TRY_CAST(margin AS DOUBLE)) AND TRY_CAST(margin AS DOUBLE) >= 0),
            ('correction', correction::VARCHAR, 'holm|bh|none', correction::VARCHAR IN ('holm', 'bh', 'none')),
            ('test', test::VARCHAR, 't|randomization', test::VARCHAR IN ('t', 'randomization')),
            ('permutations', permutations::VARCHAR, 'an integer from 1 to 10000000',
                _ranking_is_integer(typeof(permutations)) AND TRY_CAST(permutations AS DOUBLE) BETWEEN 1 AND 10000000),
            ('seed', seed::VARCHAR, 'an integer from 0 to 9223372036854775807',
                _ranking_is_integer(typeof(seed)) AND TRY_CAST(seed AS BIGINT) >= 0)],
        lambda one: CASE WHEN one[4] IS NOT TRUE
            THEN concat(one[1], ' must be ', one[3], ', got ', _ranking_list_names([one[2]])) END))));

-- Names in the form for an error, on one line; NULL if there are none. Used in all errors of comparisons.
CREATE OR REPLACE TEMP MACRO _ranking_list_names(names) AS
regexp_replace(
    regexp_replace(
        _ranking_joined(list_transform(names, lambda name: _ranking_cut(name::VARCHAR)), ', '), '\s+', ' ', 'g'),
    '(?s)^(.{157}).{4,}$', '\1...');

-- The limit below which p is significant: 1 - confidence, without the rounding errors of a DOUBLE.
CREATE OR REPLACE TEMP MACRO _ranking_alpha(confidence) AS
(1 - confidence::DECIMAL(20, 19))::DOUBLE;
