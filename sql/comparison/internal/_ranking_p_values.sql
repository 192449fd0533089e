-- Internal: how probable differences as far from 0 would be if there were none, and as near to 0 if there were one of the
-- margin; both corrected for the number of comparisons.
--
-- Of differences that are all the same a t-test knows nothing: p is then that of the signs, 2^(1 - users). That they are
-- within the margin is then said by the rule of three: with p_same, so many users without an exception leave a share of
-- 1 - p_same^(1 / users) who may differ, each by 1 at most in a measure from 0 to 1; elsewhere nothing says it.
--
-- The randomization test is made in calls of Python so short that an interrupt is heard between them.
--
-- variances:    name of a table: that of _ranking_difference_variances, and df (degrees of freedom), standard_error,
--               is_share
-- others:       as of ranking_compare
-- caller:       the function that an error names
-- Returns:      all that, and family (how many comparisons are corrected for), p, p_adjusted, p_same, p_same_adjusted, method
-- Example:      FROM _ranking_p_values('variances', NULL, 'holm', 't', 10000, 0, 'ranking_compare');
-- Source:       Schuirmann (1987); Hanley and Lippman-Hand (1983) for the rule of three
CREATE OR REPLACE TEMP MACRO _ranking_p_values(variances, margin, correction, test, permutations, seed, caller) AS TABLE
WITH RECURSIVE _ranking_flips AS (
    SELECT
        *,
        CASE
            WHEN test = 't' OR users < 2 OR n_shared = 0 OR is_identical THEN NULL
            ELSE _ranking_flip_signs(differences, permutations, seed, NULL, caller)
        END AS flips
    FROM query_table(variances) AS variances_of
    UNION ALL
    SELECT * REPLACE (_ranking_flip_signs(differences, permutations, seed, flips, caller) AS flips)
    FROM _ranking_flips
    WHERE flips IS NOT NULL AND flips.p IS NULL
)
SELECT
    * EXCLUDE (family_of, p_place, p_same_place),
    _ranking_p_adjusted(p, p_place, family, correction) AS p_adjusted,
    _ranking_p_adjusted(p_same, p_same_place, family, correction) AS p_same_adjusted,
    concat(
        CASE
            WHEN n_shared = 0 THEN 'no user with recommendations of both'
            WHEN users > 1 AND is_identical THEN 'identical for all ' || users || ' users'
            WHEN users > 1 AND test = 't' AND is_constant THEN 'the same difference for all ' || users || ' users'
            WHEN test = 't' THEN test
            WHEN n_higher + n_lower <= 20 THEN 'exact randomization'
            ELSE 'randomization of ' || permutations
        END,
        ', ', correction, CASE WHEN correction <> 'none' THEN ' of ' || family END
    ) AS method
FROM (
    SELECT
        *,
        concat_ws(' ', place, k) AS family_of,
        count(p) OVER (PARTITION BY k, place) AS family,
        row_number() OVER (
            PARTITION BY k, place ORDER BY p ASC NULLS LAST, pair ASC NULLS LAST, ranking_segment ASC NULLS LAST
        ) AS p_place,
        row_number() OVER (
            PARTITION BY k, place ORDER BY p_same ASC NULLS LAST, pair ASC NULLS LAST, ranking_segment ASC NULLS LAST
        ) AS p_same_place
    FROM (
        SELECT
            * EXCLUDE (t_probabilities, flips),
            CASE
                WHEN users < 2 OR n_shared = 0 THEN NULL
                WHEN is_identical THEN 1
                WHEN test = 'randomization' THEN flips.p
                WHEN is_constant THEN 2::DOUBLE ** (1 - users)
                ELSE t_probabilities[1]
            END AS p,
            CASE
                WHEN margin IS NULL OR users < 2 OR n_shared = 0 THEN NULL
                WHEN NOT is_constant AND abs(difference) <= margin THEN t_probabilities[2] / 2
                WHEN NOT is_constant THEN 1 - t_probabilities[2] / 2
                WHEN is_share AND largest_value <= 1
                    THEN (1 - greatest(0, least(1, margin - abs(difference)))) ** users
            END AS p_same
        FROM (
            SELECT
                *,
                list_transform(
                    list_transform(
                        [difference, coalesce(margin, 0) - abs(difference)],
                        lambda distance: distance / nullif(standard_error, 0)),
                    lambda t: _ranking_t_p(t, df)
                ) AS t_probabilities
            FROM _ranking_flips
            WHERE flips IS NULL OR flips.p IS NOT NULL
        )
    )
);
