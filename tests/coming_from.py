"""Calls of other libraries as they write them, what gives the same here, and the number: a row each.

The table in sql/README.md is made of these rows, and tests/test_coming_from.py runs them. `value` is what the
library gives, or what its own tests say. `python -m tests.coming_from` computes it again with the libraries
that are installed; of the repository it imports nothing else, so that it runs wherever they are.
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
    """A library and its version; which tables it is given; how to compute a call of it; its rows."""

    name: str
    version: str
    rec: str
    truth: str
    compute: Callable[[str], float] | None
    rows: list[Row]
    note: str = ""


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


def recommenders(call: str) -> float:
    pred = frame(REC, "rec", "userID", "itemID", "prediction")
    liked = frame(TRUTH, "liked", "userID", "itemID", "rating")
    library = names_of("recommenders.evaluation.python_evaluation")
    return float(eval(call, library | {"true": liked, "pred": pred}))


def lenskit(call: str) -> float:
    metrics, data = names_of("lenskit.metrics"), names_of("lenskit.data")
    metric = eval(call, metrics | names_of("lenskit.metrics.ranking"))
    values = []
    for user, rec in REC["rec"].items():
        items = data["ItemList"](item_ids=[*rec], ordered=True)
        truth = TRUTH["truth"][user]
        kept = [item for item in truth if truth[item] > 0]
        known = data["ItemList"](item_ids=kept, rating=[float(truth[item]) for item in kept])
        values.append(metric.measure_list(items, known))
    return mean(values)


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


def xgboost(call: str) -> float:
    """Evaluate no trees at all: the scores are the margin that they would add to."""
    library = names_of("xgboost")
    pairs = [
        (score, TRUTH["one_liked"][q][item]) for q, rec in REC["two"].items() for item, score in rec.items()
    ]
    scores, grades = zip(*pairs, strict=True)
    numbers = importlib.import_module("numpy").array
    data = library["DMatrix"](numbers(scores).reshape(-1, 1), numbers(grades), base_margin=numbers(scores))
    data.set_group([len(rec) for rec in REC["two"].values()])
    model = library["train"]({"objective": "rank:ndcg", "eval_metric": call}, data, 0)
    return float(model.eval(data).rpartition(":")[2])


def torchmetrics(call: str) -> float:
    torch = importlib.import_module("torch")
    rows = [
        (n, float(score), TRUTH["truth"][user].get(item, 0))
        for n, (user, rec) in enumerate(REC["every_item"].items())
        for item, score in rec.items()
    ]
    indexes, preds, grades = (torch.tensor(column) for column in zip(*rows, strict=True))
    library = names_of("torchmetrics.retrieval") | {"preds": preds, "indexes": indexes, "grades": grades}
    return float(eval(call, library | {"target": grades > 0}))


def evidently(call: str) -> float:
    """With pandas below 3; its values are those at each rank, from 1."""
    library, metric = names_of("evidently"), eval(call, names_of("evidently.metrics"))
    table = frame(REC, "every_item", "user_id", "item_id", "prediction").astype({"prediction": float})
    pairs = zip(table.user_id, table.item_id, strict=True)
    table["target"] = [TRUTH["liked"][user].get(item, 0) for user, item in pairs]
    definition = library["DataDefinition"](
        numerical_columns=["prediction", "target"],
        categorical_columns=["user_id", "item_id"],
        ranking=[library["Recsys"](**{name: name for name in table.columns})],
    )
    data = library["Dataset"].from_pandas(table, data_definition=definition)
    ((found,),) = [
        [one["value"]["value"]] for one in library["Report"]([metric]).run(data, None).dict()["metrics"]
    ]
    return float(found[metric.k - 1])


LIBRARIES = [
    Library(
        "trec_eval",
        "pytrec-eval-terrier 0.5.11",
        "rec",
        "truth",
        trec_eval,
        [
            Row("-m map", "average_precision@all", 0.408333333333),
            Row(
                "-m gm_map",
                "SELECT ranking_geometric_mean(average_precision) "
                "FROM ranking_by_user('rec', 'truth', [NULL])",
                0.376386326354,
            ),
            Row("-m map_cut.3", "average_precision@3", 0.333333333333),
            Row("-m P.3", "precision@3", 0.5),
            Row("-m recall.3", "recall@3", 0.5),
            Row("-m relative_P.3", "recall(normalize=min)@3", 0.583333333333),
            Row("-m ndcg", "ndcg(gain=linear,ideal=truth)@all", 0.435138094301),
            Row("-m ndcg_cut.3", "ndcg(gain=linear)@3", 0.382408727977),
            Row("-m recip_rank", "mrr@all", 0.75),
            Row("-m success.3", "hit_rate@3", 1.0),
            Row("-m Rprec", "r_precision@all", 0.5),
            Row("-m bpref", "bpref@all", 0.5),
            Row("-m iprec_at_recall.0.50", "interpolated_precision(recall=0.5)@all", 0.583333333333),
            Row("-m 11pt_avg", "interpolated_average_precision@all", 0.418181818182),
            Row("-m set_P", "precision@all", 0.55),
            Row("-m set_recall", "recall@all", 0.625),
            Row("-m set_F", "f_measure@all", 0.583333333333),
            Row(
                "-m set_map",
                "SELECT avg(\"precision\" * recall) FROM ranking_by_user('rec', 'truth', [NULL])",
                0.35,
            ),
            Row("-m num_rel_ret", "hits@all", 2.0, "theirs is the sum of all users, here the mean"),
            Row("-m G", "ndcg(gain=linear)@all", 0.297619047619, "differs: gain and discount of its own"),
        ],
        "its ties are by item, descending (`--ties trec`); users without a list count with `-c` alone",
    ),
    Library(
        "ir_measures",
        "0.4.3",
        "rec",
        "truth",
        ir_measures,
        [
            Row("AP", "average_precision@all", 0.408333333333),
            Row("AP@3", "average_precision@3", 0.333333333333),
            Row("nDCG", "ndcg(gain=linear,ideal=truth)@all", 0.435138094301),
            Row("nDCG@3", "ndcg(gain=linear)@3", 0.382408727977),
            Row("P@3", "precision@3", 0.5),
            Row("R@3", "recall@3", 0.5),
            Row("R(rel=2)@3", "recall(min_grade=2)@3", 0.25),
            Row(
                "P(judged_only=True)@3",
                "SELECT \"precision\" FROM ranking_summary('rec', 'truth', [3], unjudged := 'skip')",
                0.5,
            ),
            Row("Judged@3", "judged_share@3", 0.583333333333, "theirs fails on an empty list, here it is 0"),
            Row("RR", "mrr@all", 0.75),
            Row("RR@3", "mrr@3", 0.75),
            Row("Success@3", "hit_rate@3", 1.0),
            Row("Rprec", "r_precision@all", 0.5),
            Row("Bpref", "bpref@all", 0.5),
            Row("IPrec@0.5", "interpolated_precision(recall=0.5)@all", 0.583333333333),
            Row("SetP", "precision@all", 0.55),
            Row("SetR", "recall@all", 0.625),
            Row("SetF", "f_measure@all", 0.583333333333),
            Row("ERR@3", "err@3", 0.115235, "five digits"),
            Row("RBP(p=0.8, rel=1)", "rbp@all", 0.28496),
            Row(
                "Judged@3",
                "SELECT avg(coalesce(len(judged.ranks) / nullif(judged.size, 0), 0)) "
                "FROM ranking_judged('rec', 'truth', 3)",
                0.583333333333,
            ),
        ],
        "its alpha_nDCG, ERR_IA and StRecall are in `ranking_intents_by_user`",
    ),
    Library(
        "ranx",
        "0.3.21",
        "rec",
        "truth",
        ranx,
        [
            Row("hits@3", "hits@3", 1.5),
            Row("hit_rate@3", "hit_rate@3", 1.0),
            Row("precision@3", "precision@3", 0.5),
            Row("recall@3", "recall@3", 0.5),
            Row("f1@3", "f_measure@3", 0.485714285714),
            Row("r-precision", "r_precision@all", 0.5),
            Row(
                "rbp.80",
                "SELECT avg(4 * ranking_rbp(judged, gain := 'graded', max_grade := 4)) "
                "FROM ranking_judged('rec', 'truth', NULL)",
                0.45392,
                "the grade is its gain; of truth without grades `rbp@all`",
            ),
            Row("mrr@3", "mrr@3", 0.75),
            Row("map@3", "average_precision@3", 0.333333333333),
            Row("map", "average_precision@all", 0.408333333333),
            Row("dcg@3", "dcg(gain=linear)@3", 1.565464876786),
            Row("dcg_burges@3", "dcg@3", 2.565464876786),
            Row("ndcg@3", "ndcg(gain=linear)@3", 0.382408727977),
            Row("ndcg_burges@3", "ndcg@3", 0.326428128866),
            Row("ndcg", "ndcg(gain=linear,ideal=truth)@all", 0.435138094301),
        ],
        "its bpref is NaN where no item was judged to be irrelevant; tied scores are in no certain order",
    ),
    Library(
        "RecTools",
        "0.19.0",
        "rec",
        "liked",
        rectools,
        [
            Row("Precision(k=3)", "precision@3", 0.5),
            Row("Precision(k=3, r_precision=True)", "recall(normalize=min)@3", 0.583333333333),
            Row("Recall(k=3)", "recall@3", 0.5),
            Row("F1Beta(k=3)", "f_measure@3", 0.485714285714),
            Row("HitRate(k=3)", "hit_rate@3", 1.0),
            Row("MAP(k=3)", "average_precision@3", 0.333333333333),
            Row("MAP(k=3, divide_by_k=True)", "average_precision(normalize=k)@3", 0.361111111111),
            Row("MRR(k=3)", "mrr@3", 0.75),
            Row("NDCG(k=3)", "ndcg(ideal=k)@3", 0.5),
            Row("NDCG(k=3, divide_by_achievable=True)", "ndcg@3", 0.545385448134),
            Row(
                "PartialAUC(k=3)",
                "SELECT avg(list_sum(list_transform(judged.ranks, lambda rank, i: "
                "greatest(3 - (rank - i), 0))) / (3 * n_truth)) "
                "FROM ranking_judged('rec', 'liked', NULL)",
                0.416666666667,
                "rank - i misses stand above the i-th hit",
            ),
            Row(
                "PAP(k=3)",
                "SELECT avg(list_sum(list_transform(judged.ranks[:3], lambda rank, i: "
                "greatest(3 - (rank - i), 0))) / (3 * least(3, n_truth))) "
                "FROM ranking_judged('rec', 'liked', NULL)",
                0.5,
            ),
        ],
        "it knows no grades, and counts an item that is twice in truth twice",
    ),
    Library(
        "recommenders",
        "1.2.1",
        "rec",
        "liked",
        recommenders,
        [
            Row("precision_at_k(true, pred, k=3)", "precision@3", 0.5),
            Row("recall_at_k(true, pred, k=3)", "recall@3", 0.5),
            Row("r_precision_at_k(true, pred, k=3)", "r_precision@3", 0.5),
            Row("map(true, pred, k=3)", "average_precision@3", 0.333333333333),
            Row("map_at_k(true, pred, k=3)", "average_precision(normalize=min)@3", 0.402777777778),
            Row("ndcg_at_k(true, pred, k=3)", "ndcg@3", 0.545385448134),
        ],
        "users without a list are left out",
    ),
    Library(
        "Evidently",
        "0.7.23",
        "every_item",
        "liked",
        evidently,
        [
            Row("PrecisionTopK(k=3)", "precision@3", 0.666666666667),
            Row("RecallTopK(k=3)", "recall@3", 0.75),
            Row(
                "FBetaTopK(k=3)",
                'SELECT 2 / (1 / avg("precision") + 1 / avg(recall)) '
                "FROM ranking_by_user('every_item', 'liked', [3])",
                0.705882352941,
                "the F of the means, where ours is the mean of F",
            ),
            Row("MAP(k=3)", "average_precision@3", 0.5, "above 1 where a list is shorter than k"),
            Row("MRR(k=3)", "mrr@3", 0.75),
            Row("NDCG(k=3)", "ndcg@3", 0.698672246326),
            Row("HitRate(k=3)", "hit_rate@3", 1.0),
        ],
        "the items of a list are all that it knows",
    ),
    Library(
        "LensKit",
        "2025.8.1",
        "rec",
        "liked",
        lenskit,
        [
            Row("Precision(3)", "precision(divide=list)@3", 0.583333333333),
            Row("Recall(3)", "recall(normalize=min)@3", 0.583333333333),
            Row("Hit(3)", "hit_rate@3", 1.0),
            Row("RecipRank(3)", "mrr@3", 0.75),
            Row("NDCG()", "ndcg(discount=original,ideal=truth)@all", 0.579232284642),
            Row("NDCG(3)", "ndcg(discount=original)@3", 0.559953116642),
            Row(
                "NDCG(3, gain='rating')",
                "ndcg(gain=linear,discount=original)@3",
                0.423532707206,
                truth="truth",
            ),
            Row("DCG(3)", "dcg(discount=original)@3", 1.315464876786),
            Row("RBP(3, patience=0.8)", "rbp@3", 0.244),
        ],
    ),
    Library(
        "Spark",
        "4.3.0, `RankingMetrics`",
        "rec",
        "liked",
        spark,
        [
            Row("precisionAt(3)", "precision@3", 0.5),
            Row("recallAt(3)", "recall@3", 0.5),
            Row("ndcgAt(3)", "ndcg@3", 0.545385448134),
            Row("meanAveragePrecision", "average_precision@all", 0.408333333333),
            Row("meanAveragePrecisionAt(3)", "average_precision(normalize=min)@3", 0.402777777778),
        ],
    ),
    Library(
        "scikit-learn",
        "1.9.1",
        "every_item",
        "truth",
        sklearn,
        [
            Row("ndcg_score([grades], [scores])", "ndcg(gain=linear)@all", 0.65948490188),
            Row("ndcg_score([grades], [scores], k=3)", "ndcg(gain=linear)@3", 0.572455611334),
            Row("dcg_score([grades], [scores], k=3)", "dcg(gain=linear)@3", 2.065464876786),
            Row(
                "average_precision_score(relevant, scores)",
                "average_precision(normalize=hits)@all",
                0.658333333333,
            ),
            Row(
                "label_ranking_average_precision_score([relevant], [scores])",
                "average_precision@all",
                0.658333333333,
            ),
            Row("roc_auc_score(relevant, scores)", "auc@all", 0.1875),
            Row(
                "roc_auc_score(relevant, scores, max_fpr=0.5)",
                "SELECT avg((1 + (area - 0.5 ** 2 / 2) / (0.5 - 0.5 ** 2 / 2)) / 2) "
                "FROM (SELECT judged.size - n_truth AS misses, list_sum(list_transform(judged.ranks, "
                "lambda rank, i: greatest(0.5 * misses - (rank - i), 0))) / (misses * n_truth) AS area "
                "FROM ranking_judged('every_item', 'liked', NULL))",
                0.416666666667,
                "area is the partial AUC, which McClish's formula brings between 0.5, as by chance, and 1",
            ),
            Row(
                "ndcg_score([[[0, 1, 10, 100][grade] for grade in grades]], [scores], k=3)",
                "WITH gains AS (SELECT * REPLACE (CASE rel WHEN 3 THEN 100 WHEN 2 THEN 10 ELSE rel END "
                "AS rel) FROM truth) SELECT avg(ranking_ndcg(judged, 3, gain := 'linear')) "
                "FROM ranking_judged('every_item', 'gains', 3)",
                0.5035803864602388,
                "gains of one's own; trec_eval's are `-m ndcg.1=1,2=10,3=100`",
            ),
            Row(
                "label_ranking_loss([relevant], [scores])",
                "SELECT avg(1 - auc) FROM ranking_by_user('every_item', 'truth', [NULL])",
                0.8125,
            ),
            Row(
                "coverage_error([relevant], [scores])",
                "SELECT avg(list_max(list_transform(judged.ranks, lambda rank, i: "
                "CASE WHEN judged.grades[i] > 0 THEN rank END))) "
                "FROM ranking_judged('every_item', 'truth', NULL)",
                4.5,
                "the rank of the last hit",
            ),
        ],
        "the items of a list are all that it knows; tied scores are averaged, which is `ties := 'expected'`, "
        "and with `ignore_ties=True` the last index comes first",
    ),
    Library(
        "torchmetrics",
        "1.9.0",
        "every_item",
        "truth",
        torchmetrics,
        [
            Row("RetrievalMAP()(preds, target, indexes)", "average_precision@all", 0.658333420753),
            Row(
                "RetrievalMAP(top_k=3)(preds, target, indexes)",
                "average_precision(normalize=hits)@3",
                0.70833337307,
            ),
            Row("RetrievalMRR(top_k=3)(preds, target, indexes)", "mrr@3", 0.75),
            Row("RetrievalPrecision(top_k=3)(preds, target, indexes)", "precision@3", 0.666666686535),
            Row("RetrievalRecall(top_k=3)(preds, target, indexes)", "recall@3", 0.75),
            Row("RetrievalHitRate(top_k=3)(preds, target, indexes)", "hit_rate@3", 1.0),
            Row("RetrievalRPrecision()(preds, target, indexes)", "r_precision@all", 0.5),
            Row(
                "RetrievalNormalizedDCG(top_k=3)(preds, grades, indexes)",
                "ndcg(gain=linear)@3",
                0.572455644608,
            ),
            Row("RetrievalAUROC()(preds, target, indexes)", "auc@all", 0.1875),
            Row(
                "RetrievalFallOut(top_k=3)(preds, target, indexes)",
                "SELECT avg((least(3, judged.size) - ranking_hits(judged, 3)) "
                "/ nullif(judged.size - n_truth, 0)) "
                "FROM ranking_judged('every_item', 'truth', NULL)",
                0.75,
            ),
            Row(
                "RetrievalPrecisionRecallCurve(max_k=3)(preds, target, indexes)[0][2]",
                "SELECT \"precision\" FROM precision_recall_curve('every_item', 'truth', 3) WHERE k = 3",
                0.666666686535,
                "`adaptive_k=True` is `divide := 'list'`",
            ),
        ],
        "the items of a list are all that it knows",
    ),
    Library(
        "XGBoost",
        "3.2.0",
        "two",
        "one_liked",
        xgboost,
        [
            Row("ndcg@2-", "ndcg@2", 0.193426403617),
            Row(
                "ndcg@2",
                "ndcg@2",
                0.693426403617,
                "differs: scores a query without positives 1, with a `-` 0",
            ),
            Row("map@2-", "average_precision(normalize=min)@2", 0.125),
            Row("map@2", "average_precision(normalize=min)@2", 0.625, "differs: likewise"),
        ],
    ),
    Library(
        "Elasticsearch, OpenSearch",
        "Elasticsearch 8, the numbers of its own tests",
        "six",
        "six_graded",
        None,
        [
            Row('"dcg": {"k": 6}', "dcg@6", 13.84826362927298),
            Row('"dcg": {"k": 6, "normalize": true}', "ndcg@6", 13.84826362927298 / 14.595390756454922),
        ],
        "`precision` divides by what was found: `precision(divide=list)`; so does "
        "OpenSearch's search-relevance, which rounds each query's value to two digits",
    ),
    Library(
        "Elasticsearch, OpenSearch: ERR",
        "Elasticsearch 8, the numbers of its own tests",
        "four",
        "four_graded",
        None,
        [
            Row(
                '"expected_reciprocal_rank": {"maximum_relevance": 3, "k": 3}',
                "err(max_grade=3)@3",
                0.8984375,
            ),
            Row(
                '"expected_reciprocal_rank": {"maximum_relevance": 3, "k": 4}',
                "err(max_grade=3)@4",
                0.8984375 + 0.00244140625,
            ),
        ],
    ),
]


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
