-- Whether one system is better than another: the differences of its users' measures to a baseline's, how large they are
-- and how sure.
--
-- rec, truth:   tables with system, userid, itemid, score and userid, itemid [, rel], as for ranking_judged
-- ks:           LIST of cut-offs; NULL among them means the whole list
-- baseline:     name of the system to compare each other one with; NULL for every pair of at most 20 systems
-- measures:     LIST of measures with options and cut-offs of their own: 'ndcg(gain=linear)@5,10'; by default ndcg, recall,
--               average_precision, mrr, hit_rate and precision
-- confidence:   of the intervals; a difference of less p_adjusted than 1 - confidence is one
-- margin:       how much of a difference does not matter, for the verdict 'same'
-- correction:   'holm', 'bh' (Benjamini and Hochberg) or 'none': of p, for the number of systems (and segments) that are
--               compared by one measure at one k
-- test:         't' (Student's, paired) or 'randomization' (Fisher's: all signs of up to 20 differences that are not 0, of
--               more so many permutations, from this seed)
-- user_col, ..., descending: as for ranking_judged
-- Returns:      baseline, system, k, measure, users (with a value of both), users_undefined (of one or none),
--               mean_baseline, mean_system, difference (of the means, of d = system - baseline), low and high (its
--               confidence interval), relative (difference / mean_baseline), relative_low and relative_high (Fieller's
--               interval; NULL where that has no bounds), wins, ties (|d| <= 1e-12, which counts as 0) and losses (of
--               system), standard_error, effect (difference / standard deviation of d), p, p_adjusted, method,
--               detectable (the difference that so many users would show in 80 of 100 cases), verdict: 'better', 'worse',
--               'same' or 'unclear'
-- Errors:       as for ranking_summary; rec without two systems; a baseline that is none of them; a measure, an option or a
--               choice of a parameter that there is not
-- Source:       Smucker, Allan and Carterette (2007); Sakai (2014); Holm (1979); Schuirmann (1987) for the margin
-- Example:      SELECT system, measure, difference, low, high, p_adjusted, verdict
--               FROM ranking_compare('rec', 'truth', [10], baseline := 'popularity', measures := ['ndcg', 'recall']);
--
-- 'better' or 'worse' is what p_adjusted < 1 - confidence says; 'same' is a difference for which two one-sided tests find
-- that it is less than the margin. Of first_hit_rank less is better. A user without recommendations of a system has an
-- empty list there. Numbers are the same on any number of threads and in any order of the rows. For expected values over
-- ties, compare what ranking_by_user gives with ties := 'expected' by ranking_compare_by_user.
CREATE OR REPLACE TEMP MACRO ranking_compare(
    rec, truth, ks,
    baseline := NULL, measures := NULL, confidence := 0.95, margin := NULL, correction := 'holm', test := 't',
    permutations := 10000, seed := 0,
    user_col := 'userid', item_col := 'itemid', score_col := 'score', grade_col := NULL, system_col := NULL,
    descending := true
) AS TABLE
WITH _ranking_scores AS MATERIALIZED (
    SELECT
        system,
        userid,
        k,
        NULL AS ranking_segment,
        CASE
            WHEN _ranking_all_plain(measures) THEN list_select(
                _ranking_plain_values(ranking, _ranking_wanted(measures)),
                list_transform(choices, lambda choice: list_position(_ranking_with_columns(), choice.name))
            )
            ELSE list_transform(
                choices, lambda choice: _ranking_evaluated(judged, k, ranking, choice.name, choice.options)
            )
        END AS numbers,
        NULL AS choices
    FROM (
        SELECT ranking_system AS system, userid, k, judged, _ranking_at(judged, k) AS ranking, choices
        FROM _ranking_judged(
            rec,
            truth,
            _ranking_names(user_col, item_col, score_col, grade_col, system_col, descending),
            _ranking_longest(_ranking_all_cuts(measures, ks)),
            false,
            'ranking_compare'
        )
        CROSS JOIN (SELECT unnest(_ranking_cuts(_ranking_all_cuts(measures, ks), 'ranking_compare')) AS k)
        CROSS JOIN (SELECT _ranking_choices(measures, ks, 'ranking_compare') AS choices)
        WHERE has_truth
    )
    UNION ALL BY NAME
    SELECT _ranking_choices(measures, ks, 'ranking_compare') AS choices
    WHERE _ranking_compare_options(confidence, margin, correction, test, permutations, seed, 'ranking_compare')
)
SELECT * EXCLUDE (pair, place, ranking_segment)
FROM _ranking_compared(
    '_ranking_scores', baseline, confidence, margin, correction, test, permutations, seed, 'ranking_compare'
)
ORDER BY pair ASC, k ASC NULLS LAST, place ASC;
