-- The measures of the pack: what `ranking-udfs measures` prints, as a table.
--
-- Returns: name, aliases, arguments (before k and options), options (default first), range, empty
--          (the value where truth is empty, or where it is undefined), source, description.
-- Example: SELECT name, options FROM ranking_functions() WHERE len(options) > 0
--
-- Generated from the registry by `python -m tests.generate`, do not edit.
-- A line is a measure and ` | ` stands between its columns, since one text is quick to parse.
CREATE OR REPLACE TEMP MACRO ranking_functions() AS TABLE
SELECT
    cells[1] AS name,
    list_filter(string_split(cells[2], '; '), lambda part: part <> '') AS aliases,
    list_filter(string_split(cells[3], '; '), lambda part: part <> '') AS arguments,
    list_filter(string_split(cells[4], '; '), lambda part: part <> '') AS options,
    cells[5] AS range,
    cells[6] AS empty,
    cells[7] AS source,
    cells[8] AS description,
FROM (SELECT string_split(unnest(string_split(
'recall | recall_at | rec; truth | normalize=truth|min | [0, 1] | 1 if rec is empty too, else 0 | Hivemall | Share of the relevant items that stand in the top k.
precision | precision_at | rec; truth | divide=list|k | [0, 1] | 1 if rec is empty too, else 0 | Hivemall | Share of the top k that is relevant.
f_measure | f1_score; f1; f_score | rec; truth | beta=1 (a number >= 0) | [0, 1] | 1 if rec is empty too, else 0 | van Rijsbergen 1979 | Harmonic mean of precision and recall at k, recall weighing beta times as much.
hit_rate | hitrate; success | rec; truth |  | 0 or 1 | 0 | Hivemall; trec_eval (success) | 1 if any relevant item stands in the top k, else 0.
hits |  | rec; truth |  | 0, 1, 2, ... | 0 | trec_eval (num_rel_ret) | Number of relevant items in the top k.
mrr | reciprocal_rank; recip_rank; rr | rec; truth |  | [0, 1] | 0 | Voorhees 1999 | One over the rank of the first relevant item in the top k; its mean over users is the MRR.
first_hit_rank |  | rec; truth |  | 1, 2, 3, ... | NULL without a hit | Hivemall, n_tp of MRR | Rank of the first relevant item in the top k.
average_precision | ap | rec; truth | normalize=truth|min|hits | [0, 1] | 1 if rec is empty too, else 0 | Hivemall | Mean of the precision at each relevant item; its mean over users is the MAP.
auc | roc_auc | rec; truth |  | [0, 1] | 0.5 without a pair | Hivemall | Share of the (hit, miss) pairs within the top k in which the hit is ranked higher.
dcg | discounted_cumulative_gain | rec; truth | gain=exp|linear; discount=log2|original|half_life; base=2 (a number > 1, with discount=original); half_life=5 (a number > 1, with discount=half_life) | >= 0 | 0 | Burges 2005 | Discounted cumulative gain: the gains of the top k, worth less the lower they stand.
ideal_dcg | idcg | rec; truth | gain=exp|linear; discount=log2|original|half_life; base=2 (a number > 1, with discount=original); half_life=5 (a number > 1, with discount=half_life) | >= 0 | 0 | Jarvelin, Kekalainen 2002 | The DCG of the best possible list, which ranks all truth items by descending grade.
ndcg |  | rec; truth | gain=exp|linear; discount=log2|original|half_life; base=2 (a number > 1, with discount=original); half_life=5 (a number > 1, with discount=half_life) | [0, 1] | 0 | Hivemall | Normalised discounted cumulative gain: dcg / ideal_dcg.
cumulative_gain | cg | rec; truth | gain=linear|exp | >= 0 | 0 | Jarvelin, Kekalainen 2002 | Cumulative gain: the sum of the gains of the top k, wherever they stand.
err |  | rec; truth | max_grade=4 (a number > 0 and <= 1000) | [0, 1] | 0 | Chapelle et al. 2009 | Expected reciprocal rank: of the rank at which a user, looking from the top, is satisfied.
rbp | rank_biased_precision | rec; truth | persistence=0.8 (a number >= 0 and < 1); gain=binary|graded; max_grade=4 (a number > 0 and <= 1000, with gain=graded) | [0, 1] | 0 | Moffat, Zobel 2008 | Rank-biased precision: the gain per item that a user sees who goes on with probability `persistence`.
half_life_utility | hlu | rec; truth | half_life=5 (a number > 1); neutral=0 (a number >= 0) | [0, 1] | 0 | Breese et al. 1998 | Utility of the list for a user half of whose kind stop by rank `half_life`, over the best possible.
r_precision | rprec | rec; truth |  | [0, 1] | 1 if rec is empty too, else 0 | Buckley, Voorhees 2000 | Precision at the rank that equals the number of relevant items.
bpref |  | rec; truth |  | [0, 1] | 0 | Buckley, Voorhees 2004 | How rarely judged non-relevant items stand above relevant ones; unjudged items do not count.
interpolated_precision | iprec | rec; truth | recall=0 (a number >= 0 and <= 1) | [0, 1] | 0 | Manning et al. 2008 | The highest precision at any rank of the top k that has at least this recall.
interpolated_average_precision | eleven_point_average | rec; truth |  | [0, 1] | 0 | Manning et al. 2008 | Mean of the interpolated precision at the eleven recall levels 0, 0.1, ..., 1.
spearman |  | rec; truth |  | [-1, 1] | NULL without two different grades | Spearman 1904 | Spearman''s correlation between the order of the judged items in the top k and their grades.
kendall_tau | kendall | rec; truth | variant=b|c | [-1, 1] | NULL without two different grades | Kendall 1945; Stuart 1953 | Kendall''s tau between the order of the judged items in the top k and their grades.
concordant_pairs | pairwise_accuracy | rec; truth |  | [0, 1] | NULL without a pair | Ekstrand, Rank-Aware Top-N Metrics | Share of the pairs of judged items in the top k with different grades that are in the right order.
intra_list_diversity |  | vectors | distance=cosine|euclidean|jaccard | [0, 2], euclidean >= 0, jaccard [0, 1] | NULL without a pair | Ziegler et al. 2005 | Mean distance between two items of a list, each item given as its embedding vector.
novelty |  | rec; popularity | missing=error|rarest | >= 0 | NULL without an item | Zhou et al. 2010 | Mean self-information of the recommended items, in bits: high if few users know them.'
, chr(10))), ' | ') AS cells);
