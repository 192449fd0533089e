-- Internal: each measure of each user at each k.
--
-- rec, truth: names of tables, as query_table takes them
-- names:      what _ranking_names gives
-- ks:         LIST of cut-offs; NULL among them means the whole list, 0 the empty one
-- caller:     the function that an error names
-- min_grade, unjudged: as for ranking_judged
-- Returns:    what ranking_by_user does, and what _ranking_judged adds to it; without truth, no number means anything
-- Example:    FROM _ranking_by_user(
--     'rec', 'truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true), [5, 10], 'ranking_by_user');
CREATE OR REPLACE TEMP MACRO _ranking_by_user
    (rec, truth, names, ks, caller, min_grade := NULL, unjudged := 'miss') AS TABLE
WITH _ranking_cut_lists AS NOT MATERIALIZED (
    SELECT * EXCLUDE (scores), _ranking_at(judged, k) AS ranking
    FROM _ranking_judged(rec, truth, names, _ranking_longest(ks), false, caller, min_grade, unjudged)
    CROSS JOIN (SELECT unnest(_ranking_cuts(ks, caller)) AS k)
), _ranking_every_grade AS NOT MATERIALIZED (
    SELECT *, ranking AS relevant FROM _ranking_cut_lists
), _ranking_high_grades AS NOT MATERIALIZED (
    SELECT *, _ranking_at(lowered, k) AS relevant
    FROM (SELECT *, _ranking_from_grade(judged, min_grade) AS lowered FROM _ranking_cut_lists)
)
-- `relevant` is the ranking in which items below min_grade are not relevant; without one, the same.
SELECT
    COLUMNS(lambda c: lower(c) IN ('system', 'ranking_system', 'has_truth', 'userid')),
    k,
    n_rec,
    n_truth,
    -- measures: generated from the registry, do not edit
    _ranking_recall(relevant) AS recall,
    _ranking_precision(relevant) AS "precision",
    _ranking_f_measure(relevant) AS f_measure,
    _ranking_hit_rate(relevant) AS hit_rate,
    _ranking_hits(relevant) AS hits,
    _ranking_mrr(relevant) AS mrr,
    _ranking_first_hit_rank(relevant) AS first_hit_rank,
    _ranking_average_precision(relevant) AS average_precision,
    _ranking_auc(relevant) AS auc,
    _ranking_dcg(ranking) AS dcg,
    _ranking_ideal_dcg(ranking) AS ideal_dcg,
    _ranking_ndcg(ranking) AS ndcg,
    _ranking_cumulative_gain(ranking) AS cumulative_gain,
    _ranking_rbp(relevant) AS rbp,
    _ranking_half_life_utility(ranking) AS half_life_utility,
    _ranking_r_precision(relevant) AS r_precision,
    _ranking_bpref(relevant) AS bpref,
    _ranking_judged_share(ranking) AS judged_share,
    _ranking_interpolated_precision(relevant) AS interpolated_precision,
    _ranking_interpolated_average_precision(relevant) AS interpolated_average_precision,
    _ranking_spearman(ranking) AS spearman,
    _ranking_kendall_tau(ranking) AS kendall_tau,
    _ranking_concordant_pairs(ranking) AS concordant_pairs,
    -- end of measures
FROM query_table(CASE WHEN min_grade IS NULL THEN '_ranking_every_grade' ELSE '_ranking_high_grades' END);
