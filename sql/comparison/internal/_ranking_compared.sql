-- Internal: the body of ranking_compare and ranking_compare_by_user.
--
-- scores:  name of a table: system, userid, k, ranking_segment (the segment, or NULL), numbers (DOUBLE[], one for each of
--          choices); and in one row nothing but choices, a LIST of STRUCT(measure, cuts) as of _ranking_measure_choices
-- others:  as of ranking_compare
-- caller:  the function that an error names
-- Returns: what ranking_compare does, and pair, place and ranking_segment
-- Example: FROM _ranking_compared('scores', 'als', 0.95, NULL, 'holm', 't', 10000, 0, 'ranking_compare');
CREATE OR REPLACE TEMP MACRO _ranking_compared
    (scores, baseline, confidence, margin, correction, test, permutations, seed, caller) AS TABLE
WITH _ranking_pairs AS MATERIALIZED (FROM _ranking_comparisons(scores, baseline, caller)),
_ranking_values AS MATERIALIZED (FROM _ranking_matched(scores, '_ranking_pairs')),
_ranking_means AS MATERIALIZED (FROM _ranking_paired_means('_ranking_values', caller))
SELECT
    pair,
    place,
    ranking_segment,
    pairs.baseline,
    pairs.system,
    k,
    measure,
    users,
    users_undefined,
    mean_baseline,
    mean_system,
    difference,
    low,
    high,
    relative,
    relative_low,
    relative_high,
    wins,
    ties,
    losses,
    standard_error,
    effect,
    p,
    p_adjusted,
    method,
    detectable,
    CASE
        WHEN p_adjusted < alpha THEN CASE WHEN (difference > 0) = (better = 'more') THEN 'better' ELSE 'worse' END
        WHEN abs(difference) <= margin AND CASE
            WHEN standard_error > 0
                THEN _ranking_t_p((margin - abs(difference)) / standard_error, df) / 2 < alpha
            ELSE standard_error = 0
        END THEN 'same'
        ELSE 'unclear'
    END AS verdict
FROM (
    SELECT
        *,
        difference - quantile * standard_error AS low,
        difference + quantile * standard_error AS high,
        -- Fieller's interval: where it is bounded, so that less than all of the baseline's mean is error.
        CASE WHEN inside > 0 THEN relative - (skew + sqrt(skew ** 2 + inside * quantile ** 2 * of_rest)) / inside END
            AS relative_low,
        CASE WHEN inside > 0 THEN relative - (skew - sqrt(skew ** 2 + inside * quantile ** 2 * of_rest)) / inside END
            AS relative_high,
        (quantile + _ranking_t_quantile(0.4, df)) * standard_error AS detectable,
        CASE CASE WHEN p IS NOT NULL THEN correction END
            WHEN 'none' THEN p
            WHEN 'holm' THEN max(least(1, (family - nth + 1) * p)) OVER (PARTITION BY k, place, p IS NULL ORDER BY nth)
            WHEN 'bh' THEN min(p * family / nth) OVER (PARTITION BY k, place, p IS NULL ORDER BY nth DESC)
        END AS p_adjusted,
        concat(
            CASE
                WHEN test = 't' THEN test
                WHEN above + below <= 20 THEN 'exact randomization'
                ELSE 'randomization of ' || permutations
            END,
            ', ', correction, CASE WHEN correction <> 'none' THEN ' of ' || family END
        ) AS method
    FROM (
        SELECT
            *,
            1 - quantile ** 2 * of_ours AS inside,
            quantile ** 2 * of_both AS skew,
            count(p) OVER (PARTITION BY k, place) AS family,
            row_number() OVER (PARTITION BY k, place ORDER BY p ASC NULLS LAST, pair ASC, ranking_segment ASC) AS nth
        FROM (
            SELECT
                *,
                found - users AS users_undefined,
                CASE WHEN users > 1 THEN users - 1 END AS df,
                choices[place].measure AS measure,
                _ranking_better(regexp_extract(lower(choices[place].measure), '^[^(]*')) AS better,
                CASE WHEN better = 'less' THEN below ELSE above END AS wins,
                users - above - below AS ties,
                CASE WHEN better = 'less' THEN above ELSE below END AS losses,
                sd / sqrt(users) AS standard_error,
                difference / nullif(sd, 0) AS effect,
                CASE
                    WHEN users < 2 THEN NULL
                    WHEN above + below = 0 THEN 1
                    WHEN test = 'randomization' THEN _ranking_sign_flip_p(differences, permutations, seed, caller)
                    WHEN sd > 0 THEN _ranking_t_p(difference / (sd / sqrt(users)), df)
                    ELSE 0::DOUBLE
                END AS p,
                (1 - confidence::DECIMAL(20, 19))::DOUBLE AS alpha,
                _ranking_t_quantile((1 - confidence::DECIMAL(20, 19))::DOUBLE, df) AS quantile
            FROM (
                SELECT
                    means.*,
                    differences,
                    choices,
                    CASE
                        WHEN same AND users > 1 THEN 0
                        ELSE spread * sqrt(squares / nullif(users - 1, 0))
                    END AS sd,
                    rest * (rest_spread / mean_baseline) ** 2 / users / nullif(users - 1, 0) AS of_rest,
                    ours * (ours_spread / mean_baseline) ** 2 / users / nullif(users - 1, 0) AS of_ours,
                    joint * (rest_spread / mean_baseline) * (ours_spread / mean_baseline) / users / nullif(users - 1, 0)
                        AS of_both
                FROM _ranking_means AS means
                JOIN _ranking_paired_squares('_ranking_values', '_ranking_means', test) AS squares
                    ON squares.pair = means.pair
                    AND squares.place = means.place
                    AND squares.k IS NOT DISTINCT FROM means.k
                    AND squares.ranking_segment IS NOT DISTINCT FROM means.ranking_segment
                CROSS JOIN (SELECT choices FROM query_table(scores) AS ours WHERE choices IS NOT NULL)
                WHERE choices[means.place].cuts IS NULL
                    OR list_contains(choices[means.place].cuts, means.k)
                    OR means.k IS NULL
                        AND len(choices[means.place].cuts) > list_count(choices[means.place].cuts)
            )
        )
    )
)
JOIN _ranking_pairs AS pairs USING (pair);
