"""Calls of other libraries as they write them, what gives the same here, and the number: a row each.

The table in sql/README.md is made of these rows, and tests/test_coming_from.py runs them. `value` is what the
library gave in this version, or what its own tests say. `python -m tests.coming_from` computes it again with
those libraries of which a function here does and that are installed.
"""

import importlib
import importlib.util
import math
from collections.abc import Callable
from typing import Any, NamedTuple

# Tables of ours, by name: user, then items with scores, or with grades.
REC = {
    "rec": {"u": {"a": 5, "x": 4, "b": 3, "y": 2, "c": 1}, "v": {"x": 2, "a": 1}},
    # The same and below it what of truth is not listed: for libraries that know of the items of a list alone.
    "every_item": {"u": {"a": 6, "x": 5, "b": 4, "y": 3, "c": 2, "z": 1}, "v": {"x": 3, "a": 2, "b": 1}},
    "six": {"q": {"a": 6, "b": 5, "c": 4, "d": 3, "e": 2, "f": 1}},
    "four": {"q": {"a": 4, "b": 3, "c": 2, "d": 1}},
    "two": {"p": {"a": 4, "b": 3, "c": 2, "d": 1}, "q": {"a": 2, "b": 1}},
}
TRUTH = {
    "truth": {"u": {"a": 1, "b": 3, "c": 2, "z": 1, "y": 0}, "v": {"a": 1, "b": 2}},
    "liked": {"u": {"a": 1, "b": 1, "c": 1, "z": 1}, "v": {"a": 1, "b": 1}},
    "six_graded": {"q": {"a": 3, "b": 2, "c": 3, "d": 0, "e": 1, "f": 2}},
    "four_graded": {"q": {"a": 3, "b": 2, "c": 0, "d": 1}},
    "one_liked": {"p": {"a": 0, "b": 1, "c": 1, "d": 1}, "q": {"a": 0, "b": 0}},
}


class Row(NamedTuple):
    """A call of theirs; ours, a measure or a query; their value; what to know of it."""

    theirs: str
    ours: str
    value: float
    note: str = ""
    truth: str = ""  # where it is not that of the library

    @property
    def differs(self) -> bool:
        """Whether ours is only the nearest."""
        return self.note.startswith("differs")


class Library(NamedTuple):
    """A library and its version; which tables it is given; what to know; its rows; how to compute a call."""

    name: str
    version: str
    rec: str
    truth: str
    note: str
    rows: list[Row]
    compute: Callable[[str], float] | None


def mean(values: Any) -> float:
    found = [float(value) for value in values]
    return sum(found) / len(found)


def names_of(module: str) -> dict[str, Any]:
    return vars(importlib.import_module(module))


def text_run() -> dict[str, dict[str, float]]:
    return {user: {item: float(score) for item, score in rec.items()} for user, rec in REC["rec"].items()}


def trec_eval(call: str) -> float:
    measure = call.removeprefix("-m ")
    found = names_of("pytrec_eval")["RelevanceEvaluator"](TRUTH["truth"], {measure}).evaluate(text_run())
    average = mean(next(iter(values.values())) for values in found.values())
    return math.exp(average) if measure.startswith("gm_") else average


def ir_measures(call: str) -> float:
    library = names_of("ir_measures")
    measure, number = library["parse_measure"](call), {"u": "1", "v": "2"}  # gdeval wants numbers
    run = {number[user]: items for user, items in text_run().items()}
    qrels = {number[user]: items for user, items in TRUTH["truth"].items()}
    return float(library["calc_aggregate"]([measure], qrels, run)[measure])


def ranx(call: str) -> float:
    library = names_of("ranx")
    return float(library["evaluate"](library["Qrels"](TRUTH["truth"]), library["Run"](text_run()), call))


def frame(tables: dict[str, dict[str, dict[str, int]]], name: str, user: str, item: str, value: str) -> Any:
    rows = [(u, i, number) for u, items in tables[name].items() for i, number in items.items()]
    return importlib.import_module("pandas").DataFrame(rows, columns=[user, item, value])


def rectools(call: str) -> float:
    reco = frame(REC, "rec", "user_id", "item_id", "score")
    reco["rank"] = reco.groupby("user_id").score.rank(ascending=False).astype(int)
    liked = frame(TRUTH, "liked", "user_id", "item_id", "weight")
    metric = eval(call, names_of("rectools.metrics"))
    return float(metric.calc(reco, liked))


def spark(call: str) -> float:
    session = importlib.import_module("pyspark.sql").SparkSession.builder.master("local[1]").getOrCreate()
    pairs = [([*rec], [*TRUTH["liked"][user]]) for user, rec in REC["rec"].items()]
    metrics = names_of("pyspark.mllib.evaluation")["RankingMetrics"](session.sparkContext.parallelize(pairs))
    return float(eval(f"metrics.{call}", {"metrics": metrics}))


def sklearn(call: str) -> float:
    library = names_of("sklearn.metrics")
    values = []
    for user, rec in REC["every_item"].items():
        grades = [TRUTH["truth"][user].get(item, 0) for item in rec]
        relevant, scores = [int(grade > 0) for grade in grades], [*rec.values()]
        values.append(eval(call, library | {"grades": grades, "relevant": relevant, "scores": scores}))
    return mean(values)


# A library in a block: its name, version, rec, truth and what to know of it; then its rows. A further line of
# a row is indented.
TABLE = r"""
trec_eval | pytrec-eval-terrier 0.5.11 | rec | truth | its ties are by item, descending (`--ties trec`);
    users without a list count with `-c` alone
-m map | average_precision@all | 0.408333333333
-m gm_map | SELECT ranking_geometric_mean(average_precision) FROM ranking_by_user('rec', 'truth', [NULL])
    | 0.376386326354
-m map_cut.3 | average_precision@3 | 0.333333333333
-m P.3 | precision@3 | 0.5
-m recall.3 | recall@3 | 0.5
-m relative_P.3 | recall(normalize=min)@3 | 0.583333333333
-m ndcg | ndcg(gain=linear,ideal=truth)@all | 0.435138094301
-m ndcg_cut.3 | ndcg(gain=linear)@3 | 0.382408727977
-m recip_rank | mrr@all | 0.75
-m success.3 | hit_rate@3 | 1.0
-m Rprec | r_precision@all | 0.5
-m bpref | bpref@all | 0.5
-m iprec_at_recall.0.50 | interpolated_precision(recall=0.5)@all | 0.583333333333
-m 11pt_avg | interpolated_average_precision@all | 0.418181818182
-m set_P | precision@all | 0.55
-m set_recall | recall@all | 0.625
-m set_F | f_measure@all | 0.583333333333
-m set_map | SELECT avg("precision" * recall) FROM ranking_by_user('rec', 'truth', [NULL]) | 0.35
-m num_rel_ret | hits@all | 2.0 | theirs is the sum of all users, here the mean
-m G | ndcg(gain=linear)@all | 0.297619047619 | differs: gain and discount of its own

ir_measures | 0.4.3 | rec | truth | its alpha_nDCG, ERR_IA and StRecall are in `ranking_intents_by_user`
AP | average_precision@all | 0.408333333333
AP@3 | average_precision@3 | 0.333333333333
nDCG | ndcg(gain=linear,ideal=truth)@all | 0.435138094301
nDCG@3 | ndcg(gain=linear)@3 | 0.382408727977
P@3 | precision@3 | 0.5
R@3 | recall@3 | 0.5
R(rel=2)@3 | recall(min_grade=2)@3 | 0.25
P(judged_only=True)@3 | SELECT "precision" FROM ranking_summary('rec', 'truth', [3], unjudged := 'skip') |
    0.5
Judged@3 | judged_share@3 | 0.583333333333 | theirs fails on an empty list, here it is 0
RR | mrr@all | 0.75
RR@3 | mrr@3 | 0.75
Success@3 | hit_rate@3 | 1.0
Rprec | r_precision@all | 0.5
Bpref | bpref@all | 0.5
IPrec@0.5 | interpolated_precision(recall=0.5)@all | 0.583333333333
SetP | precision@all | 0.55
SetR | recall@all | 0.625
SetF | f_measure@all | 0.583333333333
ERR@3 | err@3 | 0.115235 | five digits
RBP(p=0.8, rel=1) | rbp@all | 0.28496
Judged@3 | SELECT avg(coalesce(len(judged.ranks) / nullif(judged.size, 0), 0)) FROM ranking_judged('rec',
    'truth', 3) | 0.583333333333

ranx | 0.3.21 | rec | truth | its bpref is NaN where no item was judged to be irrelevant; tied scores are
    in no certain order
hits@3 | hits@3 | 1.5
hit_rate@3 | hit_rate@3 | 1.0
precision@3 | precision@3 | 0.5
recall@3 | recall@3 | 0.5
f1@3 | f_measure@3 | 0.485714285714
r-precision | r_precision@all | 0.5
rbp.80 | SELECT avg(4 * ranking_rbp(judged, gain := 'graded', max_grade := 4)) FROM ranking_judged('rec',
    'truth', NULL) | 0.45392 | the grade is its gain; of truth without grades `rbp@all`
mrr@3 | mrr@3 | 0.75
map@3 | average_precision@3 | 0.333333333333
map | average_precision@all | 0.408333333333
dcg@3 | dcg(gain=linear)@3 | 1.565464876786
dcg_burges@3 | dcg@3 | 2.565464876786
ndcg@3 | ndcg(gain=linear)@3 | 0.382408727977
ndcg_burges@3 | ndcg@3 | 0.326428128866
ndcg | ndcg(gain=linear,ideal=truth)@all | 0.435138094301

RecTools | 0.19.0 | rec | liked | it knows no grades, and counts an item that is twice in truth twice
Precision(k=3) | precision@3 | 0.5
Precision(k=3, r_precision=True) | recall(normalize=min)@3 | 0.583333333333
Recall(k=3) | recall@3 | 0.5
F1Beta(k=3) | f_measure@3 | 0.485714285714
HitRate(k=3) | hit_rate@3 | 1.0
MAP(k=3) | average_precision@3 | 0.333333333333
MAP(k=3, divide_by_k=True) | average_precision(normalize=k)@3 | 0.361111111111
MRR(k=3) | mrr@3 | 0.75
NDCG(k=3) | ndcg(ideal=k)@3 | 0.5
NDCG(k=3, divide_by_achievable=True) | ndcg@3 | 0.545385448134
PartialAUC(k=3) | SELECT avg(list_sum(list_transform(judged.ranks, lambda rank, i: greatest(3 - (rank -
    i), 0))) / (3 * n_truth)) FROM ranking_judged('rec', 'liked', NULL) | 0.416666666667 | rank - i misses
    stand above the i-th hit
PAP(k=3) | SELECT avg(list_sum(list_transform(judged.ranks[:3], lambda rank, i: greatest(3 - (rank - i),
    0))) / (3 * least(3, n_truth))) FROM ranking_judged('rec', 'liked', NULL) | 0.5
AvgRecPopularity(k=3) | SELECT popularity * (SELECT count(DISTINCT userid) FROM liked) FROM
    ranking_beyond_accuracy('rec', [3], history := 'liked') | 1.166666666667 | of truth as history; it
    counts users, not shares, and a pair in two rows twice
MeanInvUserFreq(k=3) | SELECT novelty FROM ranking_beyond_accuracy('rec', [3], history := 'liked') |
    0.416666666667

recommenders | 1.2.1 | rec | liked | users without a list are left out
precision_at_k(true, pred, k=3) | precision@3 | 0.5
recall_at_k(true, pred, k=3) | recall@3 | 0.5
r_precision_at_k(true, pred, k=3) | r_precision@3 | 0.5
map(true, pred, k=3) | average_precision@3 | 0.333333333333
map_at_k(true, pred, k=3) | average_precision(normalize=min)@3 | 0.402777777778
ndcg_at_k(true, pred, k=3) | ndcg@3 | 0.545385448134

Evidently | 0.7.23 | every_item | liked | the items of a list are all that it knows
PrecisionTopK(k=3) | precision@3 | 0.666666666667
RecallTopK(k=3) | recall@3 | 0.75
FBetaTopK(k=3) | SELECT 2 / (1 / avg("precision") + 1 / avg(recall)) FROM ranking_by_user('every_item',
    'liked', [3]) | 0.705882352941 | the F of the means, where ours is the mean of F
MAP(k=3) | average_precision@3 | 0.5 | above 1 where a list is shorter than k
MRR(k=3) | mrr@3 | 0.75
NDCG(k=3) | ndcg@3 | 0.698672246326
HitRate(k=3) | hit_rate@3 | 1.0

LensKit | 2025.8.1 | rec | liked
Precision(3) | precision(divide=list)@3 | 0.583333333333
Recall(3) | recall(normalize=min)@3 | 0.583333333333
Hit(3) | hit_rate@3 | 1.0
RecipRank(3) | mrr@3 | 0.75
NDCG() | ndcg(discount=original,ideal=truth)@all | 0.579232284642
NDCG(3) | ndcg(discount=original)@3 | 0.559953116642
NDCG(3, gain='rating') | ndcg(gain=linear,discount=original)@3 | 0.423532707206 |  | truth
DCG(3) | dcg(discount=original)@3 | 1.315464876786
RBP(3, patience=0.8) | rbp@3 | 0.244

Spark | 4.3.0, `RankingMetrics` | rec | liked
precisionAt(3) | precision@3 | 0.5
recallAt(3) | recall@3 | 0.5
ndcgAt(3) | ndcg@3 | 0.545385448134
meanAveragePrecision | average_precision@all | 0.408333333333
meanAveragePrecisionAt(3) | average_precision(normalize=min)@3 | 0.402777777778

scikit-learn | 1.9.1 | every_item | truth | the items of a list are all that it knows; tied scores are
    averaged, which is `ties := 'expected'`, and with `ignore_ties=True` the last index comes first
ndcg_score([grades], [scores]) | ndcg(gain=linear)@all | 0.65948490188
ndcg_score([grades], [scores], k=3) | ndcg(gain=linear)@3 | 0.572455611334
dcg_score([grades], [scores], k=3) | dcg(gain=linear)@3 | 2.065464876786
average_precision_score(relevant, scores) | average_precision(normalize=hits)@all | 0.658333333333
label_ranking_average_precision_score([relevant], [scores]) | average_precision@all | 0.658333333333
roc_auc_score(relevant, scores) | auc@all | 0.1875
roc_auc_score(relevant, scores, max_fpr=0.5) | SELECT avg((1 + (area - 0.5 ** 2 / 2) / (0.5 - 0.5 ** 2 /
    2)) / 2) FROM (SELECT judged.size - n_truth AS misses, list_sum(list_transform(judged.ranks, lambda
    rank, i: greatest(0.5 * misses - (rank - i), 0))) / (misses * n_truth) AS area FROM
    ranking_judged('every_item', 'liked', NULL)) | 0.416666666667 | area is the partial AUC, which
    McClish's formula brings between 0.5, as by chance, and 1
ndcg_score([[[0, 1, 10, 100][grade] for grade in grades]], [scores], k=3) | WITH gains AS (SELECT *
    REPLACE (CASE rel WHEN 3 THEN 100 WHEN 2 THEN 10 ELSE rel END AS rel) FROM truth) SELECT
    avg(ranking_ndcg(judged, 3, gain := 'linear')) FROM ranking_judged('every_item', 'gains', 3) |
    0.5035803864602388 | gains of one's own; trec_eval's are `-m ndcg.1=1,2=10,3=100`
label_ranking_loss([relevant], [scores]) | SELECT avg(1 - auc) FROM ranking_by_user('every_item', 'truth',
    [NULL]) | 0.8125
coverage_error([relevant], [scores]) | SELECT avg(list_max(list_transform(judged.ranks, lambda rank, i:
    CASE WHEN judged.grades[i] > 0 THEN rank END))) FROM ranking_judged('every_item', 'truth', NULL) | 4.5
    | the rank of the last hit

torchmetrics | 1.9.0 | every_item | truth | the items of a list are all that it knows
RetrievalMAP()(preds, target, indexes) | average_precision@all | 0.658333420753
RetrievalMAP(top_k=3)(preds, target, indexes) | average_precision(normalize=hits)@3 | 0.70833337307
RetrievalMRR(top_k=3)(preds, target, indexes) | mrr@3 | 0.75
RetrievalPrecision(top_k=3)(preds, target, indexes) | precision@3 | 0.666666686535
RetrievalRecall(top_k=3)(preds, target, indexes) | recall@3 | 0.75
RetrievalHitRate(top_k=3)(preds, target, indexes) | hit_rate@3 | 1.0
RetrievalRPrecision()(preds, target, indexes) | r_precision@all | 0.5
RetrievalNormalizedDCG(top_k=3)(preds, grades, indexes) | ndcg(gain=linear)@3 | 0.572455644608
RetrievalAUROC()(preds, target, indexes) | auc@all | 0.1875
RetrievalFallOut(top_k=3)(preds, target, indexes) | SELECT avg((least(3, judged.size) -
    ranking_hits(judged, 3)) / nullif(judged.size - n_truth, 0)) FROM ranking_judged('every_item',
    'truth', NULL) | 0.75
RetrievalPrecisionRecallCurve(max_k=3)(preds, target, indexes)[0][2] | SELECT "precision" FROM
    precision_recall_curve('every_item', 'truth', 3) WHERE k = 3 | 0.666666686535 | `adaptive_k=True` is
    `divide := 'list'`

XGBoost | 3.2.0 | two | one_liked
ndcg@2- | ndcg@2 | 0.193426403617
ndcg@2 | ndcg@2 | 0.693426403617 | differs: scores a query without positives 1, with a `-` 0
map@2- | average_precision(normalize=min)@2 | 0.125
map@2 | average_precision(normalize=min)@2 | 0.625 | differs: likewise

Elasticsearch, OpenSearch | Elasticsearch 8, the numbers of its own tests | six | six_graded | `precision`
    divides by what was found: `precision(divide=list)`; so does OpenSearch's search-relevance, which
    rounds each query's value to two digits
"dcg": {"k": 6} | dcg@6 | 13.84826362927298
"dcg": {"k": 6, "normalize": true} | ndcg@6 | 0.9488107485678984

Elasticsearch, OpenSearch: ERR | Elasticsearch 8, the numbers of its own tests | four | four_graded
"expected_reciprocal_rank": {"maximum_relevance": 3, "k": 3} | err(max_grade=3)@3 | 0.8984375
"expected_reciprocal_rank": {"maximum_relevance": 3, "k": 4} | err(max_grade=3)@4 | 0.90087890625
"""
COMPUTE: dict[str, Callable[[str], float]] = {
    **{"trec_eval": trec_eval, "ir_measures": ir_measures, "ranx": ranx, "RecTools": rectools},
    **{"Spark": spark, "scikit-learn": sklearn},
}


def read_library(block: str) -> Library:
    head, *rows = (line.split(" | ") for line in block.replace("\n    ", " ").splitlines())
    found = [Row(theirs, ours, float(value), *more) for theirs, ours, value, *more in rows]
    name, version, rec, truth, *note = head
    return Library(name, version, rec, truth, "".join(note), found, COMPUTE.get(name))


LIBRARIES = [read_library(block) for block in TABLE.strip().split("\n\n")]


def installed(library: Library) -> bool:
    modules = {"trec_eval": "pytrec_eval", "Spark": "pyspark", "scikit-learn": "sklearn"}
    return bool(importlib.util.find_spec(modules.get(library.name, library.name.lower())))


if __name__ == "__main__":
    for library in LIBRARIES:
        if library.compute is None or not installed(library):
            continue
        for row in library.rows:
            try:
                found: Any = library.compute(row.theirs)
            except Exception as error:
                found = repr(error)[:300]
            state = "as recorded" if isinstance(found, float) and abs(found - row.value) < 1e-6 else "DIFFERS"
            print(library.name, row.theirs, repr(found), state, sep="\t")
