-- Internal: the expected value of each measure over all orders of tied items, for each user and each k.
--
-- rec, truth, names, ks, caller, min_grade, unjudged: as for _ranking_by_user
-- Returns:    as _ranking_by_user, without the measures whose expected value has no closed form
-- Example:    FROM _ranking_expected_by_user(
--     'rec', 'truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true), [5], 'ranking_by_user');
CREATE OR REPLACE TEMP MACRO _ranking_expected_by_user
    (rec, truth, names, ks, caller, min_grade := NULL, unjudged := 'miss') AS TABLE
WITH _ranking_cut_lists AS NOT MATERIALIZED (
    SELECT * EXCLUDE (judged), _ranking_tied_at(tied, k) AS ranking
    FROM _ranking_tied_judged(rec, truth, names, _ranking_longest(ks), caller, min_grade, unjudged)
    CROSS JOIN (SELECT unnest(_ranking_cuts(ks, caller)) AS k)
), _ranking_every_grade AS NOT MATERIALIZED (
    SELECT *, ranking AS relevant FROM _ranking_cut_lists
), _ranking_high_grades AS NOT MATERIALIZED (
    SELECT *, _ranking_tied_at(lowered, k) AS relevant
    FROM (SELECT *, _ranking_tied_from_grade(tied, min_grade) AS lowered FROM _ranking_cut_lists)
)
SELECT
    COLUMNS(lambda c: lower(c) IN ('system', 'ranking_system', 'has_truth', 'userid')),
    k,
    n_rec,
    n_truth,
    -- measures: generated from the registry, do not edit
    _ranking_recall(relevant) AS recall,
    _ranking_precision(relevant) AS "precision",
    _ranking_f_measure(relevant) AS f_measure,
    _ranking_expected_hit_rate(relevant) AS hit_rate,
    _ranking_hits(relevant) AS hits,
    _ranking_expected_mrr(relevant) AS mrr,
    _ranking_expected_average_precision(relevant) AS average_precision,
    _ranking_expected_auc(relevant) AS auc,
    _ranking_expected_dcg(ranking) AS dcg,
    _ranking_ideal_dcg(ranking) AS ideal_dcg,
    _ranking_expected_ndcg(ranking) AS ndcg,
    _ranking_expected_cumulative_gain(ranking) AS cumulative_gain,
    _ranking_expected_rbp(relevant) AS rbp,
    _ranking_expected_half_life_utility(ranking) AS half_life_utility,
    _ranking_expected_r_precision(relevant) AS r_precision,
    -- end of measures
FROM query_table(CASE WHEN min_grade IS NULL THEN '_ranking_every_grade' ELSE '_ranking_high_grades' END);
