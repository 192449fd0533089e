-- Internal: the options of each measure, and the macro of its expected value over ties. A text that is cast, as
-- _ranking_known_measures is.
--
-- Returns: MAP from measure to STRUCT(expected (the name of a macro; NULL if there is no closed form), is_column
--          (whether it has a column of its own where no measures are named), options (MAP from
--          name to rule: words, the default first, or `a number ...`, perhaps `, with` another option that it needs)), in
--          the order of the registry
-- Example: SELECT _ranking_options()['recall'].options['normalize'];  -- truth|min
CREATE OR REPLACE TEMP MACRO _ranking_options() AS
-- options: generated from the registry, do not edit
'{recall={expected: _ranking_recall, is_column: true, options: {
    normalize="truth|min",
    min_grade="a number > 0"}},
precision={expected: _ranking_precision, is_column: true, options: {divide="list|k", min_grade="a number > 0"}},
f_measure={expected: _ranking_f_measure, is_column: true, options: {
    beta="a number >= 0",
    divide="list|k",
    min_grade="a number > 0"}},
hit_rate={expected: _ranking_expected_hit_rate, is_column: true, options: {min_grade="a number > 0"}},
hits={expected: _ranking_hits, is_column: true, options: {min_grade="a number > 0"}},
mrr={expected: _ranking_expected_mrr, is_column: true, options: {min_grade="a number > 0"}},
first_hit_rank={expected: NULL, is_column: true, options: {min_grade="a number > 0"}},
average_precision={expected: _ranking_expected_average_precision, is_column: true, options: {
    normalize="truth|min|hits|k",
    min_grade="a number > 0"}},
auc={expected: _ranking_expected_auc, is_column: true, options: {min_grade="a number > 0"}},
dcg={expected: _ranking_expected_dcg, is_column: true, options: {
    gain="exp|linear",
    discount="log2|original|half_life",
    base="a number > 1, with discount=original",
    half_life="a number > 1, with discount=half_life"}},
ideal_dcg={expected: _ranking_ideal_dcg, is_column: true, options: {
    gain="exp|linear",
    discount="log2|original|half_life",
    base="a number > 1, with discount=original",
    half_life="a number > 1, with discount=half_life"}},
ndcg={expected: _ranking_expected_ndcg, is_column: true, options: {
    gain="exp|linear",
    discount="log2|original|half_life",
    base="a number > 1, with discount=original",
    half_life="a number > 1, with discount=half_life",
    ideal="cut|truth|k"}},
cumulative_gain={expected: _ranking_expected_cumulative_gain, is_column: true, options: {gain="linear|exp"}},
err={expected: NULL, is_column: false, options: {max_grade="a number > 0 and <= 1000"}},
rbp={expected: _ranking_expected_rbp, is_column: true, options: {
    persistence="a number >= 0 and < 1",
    gain="binary|graded",
    max_grade="a number > 0 and <= 1000, with gain=graded",
    min_grade="a number > 0, with gain=binary"}},
half_life_utility={expected: _ranking_expected_half_life_utility, is_column: true, options: {
    half_life="a number > 1",
    neutral="a number >= 0"}},
r_precision={expected: _ranking_expected_r_precision, is_column: true, options: {min_grade="a number > 0"}},
bpref={expected: NULL, is_column: true, options: {min_grade="a number > 0"}},
judged_share={expected: NULL, is_column: true, options: {}},
interpolated_precision={expected: NULL, is_column: true, options: {
    recall="a number >= 0 and <= 1",
    min_grade="a number > 0"}},
interpolated_average_precision={expected: NULL, is_column: true, options: {min_grade="a number > 0"}},
spearman={expected: NULL, is_column: true, options: {}},
kendall_tau={expected: NULL, is_column: true, options: {variant="b|c"}},
concordant_pairs={expected: NULL, is_column: true, options: {}}}'
-- end of options
::MAP(VARCHAR, STRUCT(expected VARCHAR, is_column BOOLEAN, options MAP(VARCHAR, VARCHAR)));
