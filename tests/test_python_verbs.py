"""Test explain, split and the errors of all functions of Python that take tables."""
# ruff: noqa: E501  (a case is a line)

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import duckdb
import pandas as pd  # type: ignore[import-untyped]
import pyarrow as pa
import pytest

import ranking_udfs
from tests.conftest import Con

HINTS = [
    ("ndgc", "did you mean ndcg? "),
    ("xyzzy", ""),
    ("intra_list_diversity", "a function of SQL alone; "),
]


@pytest.mark.parametrize(("name", "hint"), HINTS)
def test_an_unknown_measure_names_a_list_that_python_can_read(name: str, hint: str) -> None:
    with pytest.raises(ValueError, match=f"^evaluate: .*{name}") as raised:
        ranking_udfs.evaluate({"q": ["x"]}, {"q": ["x"]}, name)
    before, _, call = str(raised.value).removesuffix(" lists them)").partition("ranking_udfs.")
    assert before.endswith(f"({hint}")
    with duckdb.connect() as con:
        listed = eval(f"ranking_udfs.{call}", {"ranking_udfs": ranking_udfs, "con": con})
        assert ("ndcg",) in listed.select("name").fetchall()


def test_explain_shows_the_scores_of_a_turned_model_as_they_are() -> None:
    models = {"a": {"q": {"x": 2, "y": 1}}, "b": {"q": {"x": 5, "y": 7}}}
    found = ranking_udfs.explain(models, {"q": ["x"]}, "q", descending={"b": False})
    rows = found.select("system, rank, itemid, score").fetchall()
    assert rows == [("a", 1, "x", 2), ("a", 2, "y", 1), ("b", 1, "x", 5), ("b", 2, "y", 7)]


def test_split_returns_the_rows_of_sql(con: Con) -> None:
    con.execute("""CREATE TABLE events AS
        SELECT i % 4 AS userid, i % 3 AS itemid, DATE '2026-01-01' + i::INTEGER AS time FROM range(20) t(i)""")
    query = "FROM ranking.split('events', test_size := INTERVAL 5 DAY, folds := 2, cold_users := 'drop') ORDER BY ALL"
    expected = con.execute(query).fetchall()
    for size in ("5 days", timedelta(days=5)):
        for events, of in (("events", {"con": con}), (con.table("events").to_arrow_table(), {})):
            split: Any = ranking_udfs.split(events, test_size=size, folds=2, cold_users="drop", **of)
            assert split.order("ALL").fetchall() == expected != []


LISTS = {"q1": {"a": 0.9}}
CLOSED = duckdb.connect()
CLOSED.close()
SCHEMA = pa.schema({name: pa.int64() for name in ("system", "userid", "x")})
EVENTS = pd.DataFrame({"u": [1], "itemid": [1], "time": [0.5]})
ERRORS: list[tuple[Callable[[], object], str]] = [
    (lambda: ranking_udfs.explain({"000151": ["a"]}, LISTS, 151), "explain: user must be in rec or in truth, got 151: did you mean 000151?"),
    (lambda: ranking_udfs.abstention(LISTS, LISTS), "abstention: there must be users without a relevant item, got none; write users=..., with all users"),
    (lambda: ranking_udfs.abstention({"q1": ["a"]}, LISTS), "abstention: rec must have scores, as thresholds are scores, got lists of ids without"),
    (lambda: ranking_udfs.fuse(LISTS), "fuse: the models have no names; give a dict of them, as in {'bm25': a, 'vector': b}"),
    (lambda: ranking_udfs.fuse({"a": LISTS, "b": LISTS}, weights={"a": 1}), "fuse: weights must have one of each model (a, b), got 'a'"),
    (lambda: ranking_udfs.split(EVENTS, last=1), "split: events: no column 'userid' (there are: u, itemid, time)"),
    (lambda: ranking_udfs.split(EVENTS, last=1, user_col="u"), "split: events: time must be an integer, a date or a timestamp, got 0.5; write whole numbers"),
    (lambda: ranking_udfs.check(LISTS, None), "check: truth must be a data frame"),
    (lambda: ranking_udfs.check(LISTS, LISTS, time_col="t"), "check: time_col must be left out without history, which has times, got 't'"),
    (lambda: ranking_udfs.fuse({"a": LISTS, "b": LISTS}, weights={1: 1}), "fuse: weights must have one of each model (a, b), got '1'"),  # type: ignore[dict-item]
    (lambda: ranking_udfs.evaluate(LISTS, LISTS, con=CLOSED), "evaluate: con must be an open connection, got a closed one"),
    (lambda: ranking_udfs.partition("compare_by_user", SCHEMA, predicted="llm"), "compare_by_user: predicted is not read over partitions of users, got 'llm': "),
    (lambda: ranking_udfs.split("none", last=1), "split: none: no such file"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error"), ERRORS, ids=[error for _, error in ERRORS])
def test_errors_start_with_the_name_of_the_function(call: Callable[[], object], error: str) -> None:
    with pytest.raises(ValueError) as raised:  # noqa: PT011  (its text is below)
        call()
    assert str(raised.value).startswith(error)
