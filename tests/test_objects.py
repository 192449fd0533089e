"""Test Python objects as rec and truth: dicts, pairs, lists of ids and rows, as retrievers return them."""
# ruff: noqa: E501  (a case is a line)

import functools
import json
import math
import random
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ranking_udfs

# The list of q1 is d2, d1, d3; the list of q2 is d3, d1. Relevant are d1 for q1, d3 and d9 for q2.
RUN: Any = {"q1": {"d1": 0.5, "d2": 0.9, "d3": 0.1}, "q2": {"d1": 3, "d3": 4.5}}
QRELS: Any = {"q1": {"d1": 2, "d2": 0}, "q2": {"d3": 1, "d9": 3}}
ORDER: Any = {"q1": ["d2", "d1", "d3"], "q2": ["d3", "d1"]}
MRR, RECALL = (1 / 2 + 1) / 2, (1 + 1 / 2) / 2
GRADED = (3 / math.log2(3) / 3 + 1 / (7 + 1 / math.log2(3))) / 2  # NDCG by gains of 2^grade - 1
BINARY = (1 / math.log2(3) + 1 / (1 + 1 / math.log2(3))) / 2


def rows(run: Any, *names: str) -> list[dict[str, Any]]:
    return [dict(zip(names, (q, *pair), strict=True)) for q, pairs in run.items() for pair in pairs.items()]


def lists(query: str, key: str, make: Any, **others: Any) -> list[dict[str, Any]]:
    """Return a row per query, whose list and other keys are made from the query's name."""
    keys = {key: make, **others}
    return [{query: q, "latency": 3} | {name: of(q) for name, of in keys.items()} for q in RUN]


def dicts(query: str) -> list[dict[str, Any]]:
    return [{"id": d, "score": s, "metadata": {"mixed": [s, d]}, "of": s or d} for d, s in RUN[query].items()]


RECS: dict[str, Any] = {
    "dicts": RUN,
    "pairs": {q: [*scores.items()] for q, scores in RUN.items()},
    "pairs as lists": {q: [[*pair] for pair in scores.items()] for q, scores in RUN.items()},
    "ids": ORDER,
    "arrays of ids": {q: np.array(ids) for q, ids in ORDER.items()},
    "rows": rows(RUN, "query_id", "doc_id", "score"),
    "rows of other names": rows(RUN, "qid", "docno", "score"),
    "lists of ids": lists("query_id", "results", ORDER.get),
    "lists of pairs": lists("qid", "hits", lambda q: (*RUN[q].items(),)),
    "lists of dicts": lists("id", "documents", dicts),
    "more keys than the list": lists("qid", "documents", dicts, doc_id=len, score=len, chunk_id=len),
    "dicts without a score": lists("query_id", "chunks", lambda q: [{"chunk_id": d} for d in ORDER[q]]),
    "dicts in rows": lists("query", "retrieved", RUN.get),
    "ids and scores": lists("_id", "ids", lambda q: [*RUN[q]], scores=lambda q: [*RUN[q].values()]),
    "columns": {"userid": [*"qqqpp"], "itemid": [*"213gx"], "score": [3, 2, 1, 2, 1]},
    "columns as arrays": {
        name: np.array([*cells])
        for name, cells in {"userid": "qqqpp", "itemid": "213gx", "score": [3, 2, 1, 2, 1]}.items()
    },
}
TRUTHS: dict[str, tuple[Any, float]] = {
    "dicts": (QRELS, GRADED),
    "pairs": ({q: (*grades.items(),) for q, grades in QRELS.items()}, GRADED),
    "ids, repeated": ({"q1": ["d1", "d1"], "q2": ["d9", "d3"]}, BINARY),
    "sets": ({"q1": {"d1"}, "q2": frozenset({"d9", "d3"})}, BINARY),
    "rows": (rows(QRELS, "qid", "docno", "relevance"), GRADED),
    "BEIR's rows": (rows(QRELS, "query-id", "corpus-id", "score"), GRADED),
    "lists of ids": (lists("qid", "relevant", lambda q: {d for d in QRELS[q] if QRELS[q][d]}), BINARY),
    "lists of dicts": (lists("qid", "qrels", lambda q: rows({q: QRELS[q]}, "_", "id", "grade")), GRADED),
    "ids and grades": (lists("qid", "doc_ids", lambda q: [*QRELS[q]], grades=lambda q: [*QRELS[q].values()]), GRADED),
    "more keys than the list": ([{"qid": q, "doc_id": "d2", "rel": 5, "docs": rows({q: QRELS[q]}, "_", "id", "grade")} for q in QRELS], GRADED),
}  # fmt: skip


def means(rec: Any, truth: Any, *measures: str, **options: Any) -> list[Any]:
    measures = measures or ("mrr", "recall")
    relation = ranking_udfs.evaluate(rec, truth, measures, 3, check=False, **options)
    return relation.select(*(name for name in relation.columns if name in ("system", *measures))).fetchall()


@pytest.mark.parametrize("form", RECS)
def test_every_form_of_rec_gives_the_same_values(form: str) -> None:
    truth = {"q": ["1"], "p": ["g", "h"]} if "columns" in form else QRELS
    assert means(RECS[form], truth) == [(MRR, RECALL)]
    assert means({"a": RECS[form], "b": RECS[form]}, truth) == [("a", MRR, RECALL), ("b", MRR, RECALL)]


@pytest.mark.parametrize("form", TRUTHS)
def test_every_form_of_truth_gives_the_same_values(form: str) -> None:
    truth, ndcg = TRUTHS[form]
    assert means(RUN, truth, "recall", "ndcg") == [(RECALL, pytest.approx(ndcg, rel=1e-12))]


def test_one_model_may_have_ascending_scores() -> None:
    far: Any = {q: {d: -score for d, score in scores.items()} for q, scores in RUN.items()}
    for run in (far, RECS["ids"], RECS["lists of ids"]):  # the order of ids is their ranking in any case
        models = {"near": RUN, "far": run}
        assert means(models, QRELS, descending={"far": False}) == [(name, MRR, RECALL) for name in models]
    assert means(far, QRELS, descending=False) == means(ORDER, QRELS, descending=False) == [(MRR, RECALL)]
    keys = "query_id", "doc_id", "score"
    column = [{"system": s, **row} for s, run in (("near", RUN), ("far", far)) for row in rows(run, *keys)]
    assert means(column, QRELS, descending={"far": False}) == [("far", MRR, RECALL), ("near", MRR, RECALL)]


def test_rows_of_several_models_may_have_lists_of_one_query() -> None:
    rows_of_models = [{"system": s, "query": q, "ids": ids} for s in "ab" for q, ids in ORDER.items()]
    assert means(rows_of_models, QRELS) == [("a", MRR, RECALL), ("b", MRR, RECALL)]


def with_notes(rec: Any, truth: Any) -> tuple[list[Any], list[str]]:
    """Return the values of each user and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        values = ranking_udfs.evaluate(rec, truth, ["mrr", "ndcg"], 3, by_user=True)
    return sorted(values.fetchall(), key=repr), [str(warning.message) for warning in caught]


def test_missing_and_repeated_items_count_as_in_tables() -> None:
    nan = float("nan")
    run = {"q1": [("d1", nan), ("d1", 1), (None, 2), ("d4", None)], None: [("d1", 1)], "q2": [], "q3": None}
    run_rows = [(query, *pair) for query, pairs in run.items() for pair in pairs or []]
    rec = pa.table([*map(list, zip(*run_rows, strict=True))], ["userid", "itemid", "score"])
    qrels: Any = {"q1": {"d1": 1, None: 2}, "q2": {"d4": 0}}
    truth = pa.table({"userid": ["q1", "q1", "q2"], "itemid": ["d1", None, "d4"], "rel": [1, 2, 0]})
    values, notes = with_notes(run, qrels)
    assert (values, notes) == with_notes(rec, truth)
    assert len(values) == 2
    assert "score is NULL or NaN" in notes[0]
    values, (note,) = with_notes({"q1": [], "q2": {}}, QRELS)  # as in a log without results
    assert [value[-2:] for value in values] == [(0, 0)] * 2
    assert "the list of every user is empty: 2 of 2" in note


@pytest.mark.parametrize(
    "qrels", [{"q1": {"d1": 2}, "q3": {}}, {"q1": ["d1"], "q3": []}, {"q1": {"d1"}, "q3": None}]
)
def test_queries_with_an_empty_truth_stay(qrels: Any) -> None:
    values, notes = with_notes({"q1": {"d1": 0.9}, "q3": {"d1": 0.5}}, qrels)
    assert [(row[0], row[-2:]) for row in values] == [("q1", (1, 1)), ("q3", (0, 0))]
    assert "NULL" not in "".join(notes)


# rec, truth, descending (True by default), and the error.
WRONG: list[tuple[Any, Any, Any, str]] = [
    ({"q1": {"d1": 1}, "a": RUN}, QRELS, True, "rec must be {query: {id: score}} for one model or {model: {query: {id: score}}} for several, got the list of a query for 'q1' and a model for 'a'"),
    ({"q1": ["d1"], "a": "a.csv"}, QRELS, True, "rec must be {query: {id: score}} for one model or {model: {query: {id: score}}} for several, got the list of a query for 'q1' and a model for 'a'"),
    ({"q1": [{"id": "d1", "score": 1}]}, QRELS, True, "rec['q1'] must be dicts with a key of queries (if it is the list of a query, write {'model': rec}), got the keys id, score"),
    ([{"foo": "q1", "bar": ["d1"]}], QRELS, True, "rec: no column 'userid' and no column 'itemid' (there are: foo, bar); write user_col='rec:...', item_col='rec:bar'"),
    ([{"qid": "q1", "topic": "q2", "docs": ["d1"]}], QRELS, True, "rec: several keys may be userid: name one of 'qid' and 'topic' with user_col"),
    ([{"qid": "q1", "docs": ["d1"], "hits": ["d1"]}], QRELS, True, "rec: several keys may be itemid: name one of 'docs' and 'hits' with item_col"),
    ([{"qid": "q1", "score": 1, "docs": [{"id": "d1", "similarity": 1}]}], QRELS, True, "rec: no column 'score' (there are: userid, similarity, itemid); write score_col='similarity'"),
    ([{"qid": "q1", "docs": ["d1"], "scores": [1, 2]}], QRELS, True, "rec[0]['docs'] must be as long as the list of its numbers, got 1 and 2"),
    ([{"qid": "q1", "docs": [("d1", 1)], "scores": [2]}], QRELS, True, "rec[0]['docs'] must be ids only, next to the list of their numbers, got [('d1', 1)]"),
    ([{"qid": "q1", "docs": ["d1"]}, {"qid": "q1", "docs": ["d2"]}], QRELS, True, "rec: without scores, each user must have one list of ids, got several of 'q1'"),
    ([{"qid": "q1", "doc_id": "d1", "docs": [{"name": "d2", "score": 1}]}], QRELS, True, "rec must be lists of dicts with the key of an item (item_col), got the keys ['name', 'score']"),
    ({"q1": {"d1", "d2"}}, QRELS, True, "rec['q1'] must be in order, got set"),
    ({"a": {"q1": {"d1": "x"}}}, QRELS, True, "rec['a']['q1']['d1'] must be a number, got 'x'"),
    ({"q1": ["d1"], "q2": [("d3", 1)]}, QRELS, True, "rec must be lists of one form, got ids alone in rec['q1'] and ids with numbers in rec['q2']"),
    ({"q1": [("d1", 1), "d2"]}, QRELS, True, "rec['q1'][1] must be a pair (id, number) like others, got 'd2'"),
    ({"q1": [0.9, 0.8]}, QRELS, True, "rec: itemid must be all strings or all integers, got 0.8"),
    ({"q1": ["d1", 7]}, QRELS, True, "rec: itemid must be all strings or all integers, got 'd1' and 7"),
    ({"q1": [1, 2]}, QRELS, True, "itemid must be of one type, got VARCHAR in truth and BIGINT in rec; write str(itemid) in rec"),
    ({"q1": {"d1": 2**70}}, QRELS, True, "rec: score: Python int too large to convert to C long"),
    ({"userid": [1], "itemid": [1, 2]}, QRELS, True, "rec: Column 1 named itemid expected length 1 but got length 2"),
    (["q1"], QRELS, True, "rec[0] must be a dict with the names of columns as keys, got str"),
    ([{1: 2}], QRELS, True, "rec[0] must be a dict with the names of columns as keys, got a dict with the keys [1]"),
    ([], QRELS, True, "rec: no rows"),
    ({"a": RUN, "b": {}}, QRELS, True, "rec['b']: no rows"),
    (RUN, {"q1": []}, True, "truth: no rows"),
    (RUN, {"q1": "d1"}, True, "truth['q1'] must be a list or a dict, got str"),
    (RUN, {"a": QRELS}, True, "truth['a']['q1'] must be a number, got {'d1': 2, 'd2': 0}"),
    (QRELS, RUN, True, "truth: has fractions, and rec whole numbers: recommendations come first, then truth; write grade_col='rel' if these are grades"),
    (RUN, QRELS, {"far": False}, "descending must name models (there is one, without a name), got 'far'"),
    ({"a": RUN}, QRELS, {"far": False}, "descending must name models (a), got 'far'"),
    ({"a": RUN}, QRELS, {"a": 0}, "descending must be True or False, or a dict of these by the names of models, got {'a': 0}"),
]  # fmt: skip


@pytest.mark.parametrize(("rec", "truth", "descending", "error"), WRONG)
def test_errors_name_the_argument_and_the_rule(rec: Any, truth: Any, descending: Any, error: str) -> None:
    evaluate = functools.partial(ranking_udfs.evaluate, rec, truth, descending=descending, check=False)
    with pytest.raises((ValueError, TypeError), match="^evaluate: " + re.escape(error)):
        evaluate()
    if "write grade_col" in error:
        assert evaluate(grade_col="rel")


def in_forms(name: str, numbers: dict[str, str], folder: Path) -> list[Any]:
    """Return numbers of the items of q1 as objects, as Arrow and as files."""
    flat = rows({"q1": numbers}, "userid", "itemid", name)
    listed = {"userid": "q1", "itemid": [*numbers], name: [*numbers.values()]}
    paths = [folder / f"{name}.{ending}" for ending in ("parquet", "jsonl", "json")]
    pq.write_table(pa.Table.from_pylist(flat), paths[0])
    paths[1].write_text(json.dumps(listed))
    paths[2].write_text(json.dumps({"q1": numbers}))
    return [{"q1": numbers}, flat, pa.Table.from_pylist(flat), *map(str, paths)]


def test_a_number_in_text_is_the_number(tmp_path: Path) -> None:
    """As text, 9.5 would rank first; its value is the last."""
    numbers = {"a": "1e2", "b": "9.5", "c": "10"}
    truths = in_forms("rel", {"c": "1.0", "b": " 0"}, tmp_path)
    for rec, truth in zip(in_forms("score", numbers, tmp_path), truths, strict=True):
        assert means(rec, truth, "mrr") == [(1 / 2,)]
    for rec, truth in zip(in_forms("score", numbers | {"b": "9,5"}, tmp_path), truths, strict=True):
        with pytest.raises(ValueError, match=r"(rec|score).* must be a number, got '?9,5"):
            ranking_udfs.evaluate(rec, truth)


@pytest.mark.slow
def test_advice_on_reversed_scores_is_right() -> None:
    draw = random.Random(5)
    truth = {q: {f"r{q}": 1, f"x{q}": 0} for q in range(50)}
    right: Any = {q: [f"r{q}", *(f"{draw.random()}" for _ in range(3)), f"x{q}"] for q in truth}
    wrong = {q: ids[::-1] for q, ids in right.items()}
    far = {q: {d: rank for rank, d in enumerate(ids)} for q, ids in right.items()}
    for models, descending, advice in (
        ({"a": right, "b": far}, True, "write descending={'b': False}"),
        ({"a": far, "b": far}, True, "write descending=False"),
        ({"a": far, "b": far}, {"a": False}, "write descending={'a': False, 'b': False}"),
        ({"a": right, "b": wrong}, True, "reverse the lists"),
    ):
        with pytest.warns(UserWarning, match=re.escape(advice)):
            ranking_udfs.evaluate(models, truth, "mrr", descending=descending)


def test_a_history_of_lists_is_the_history_of_their_items(tmp_path: Path) -> None:
    """A user with an empty list has no history."""
    lists: dict[str, list[str]] = {"q1": ["d", "a"], "q2": ["c"], "q3": []}
    nested = [{"userid": user, "itemid": items} for user, items in lists.items()]
    flat = [{"userid": user, "itemid": item} for user, items in lists.items() for item in items]
    (tmp_path / "history.jsonl").write_text("\n".join(map(json.dumps, nested)))
    rec, truth = {"q1": ["a", "b"], "q2": ["c"], "q3": ["a"]}, {"q1": {"a"}, "q2": {"a"}, "q3": {"a"}}
    for history in (flat, lists, pa.Table.from_pylist(nested), str(tmp_path / "history.jsonl")):
        result = ranking_udfs.evaluate(rec, truth, "repeats,cold", 2, history=history, check=False)
        assert result.select("users_without_history, repeats, cold").fetchall() == [(1, 3 / 4, 1 / 6)]
