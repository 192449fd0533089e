"""Test check, explain, overlap, abstention, fuse and split of Python: their errors, and inputs of split."""
# ruff: noqa: E501  (a case is a line)

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import duckdb
import pandas as pd  # type: ignore[import-untyped]
import pytest

import ranking_udfs
from tests.conftest import Con

REC = """
    SELECT 'u' || u AS userid, 'i' || (u * i) % 7 AS itemid, hash(u, i) % 9 / 9 AS score
    FROM range(1, 9) users(u), range(1, 5) items(i)"""
TABLES = {
    "a": REC,
    "b": f"SELECT userid, itemid, 1 - score AS score FROM ({REC})",
    "truth": "SELECT 'u' || u AS userid, 'i' || (u + i) % 7 AS itemid, i AS rel FROM range(1, 8) t(u), range(2) s(i)",
    "events": "SELECT i % 4 AS userid, i % 3 AS itemid, DATE '2026-01-01' + i::INTEGER AS time FROM range(20) t(i)",
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Con]:
    """Return a connection with the tables, which are also files in the working directory."""
    folder = tmp_path_factory.mktemp("verbs")
    with pytest.MonkeyPatch.context() as patch, duckdb.connect() as con:
        patch.chdir(folder)
        for name, query in TABLES.items():
            con.execute(f"CREATE TABLE {name} AS {query}; COPY {name} TO '{name}.csv'")
        yield con


BOTH = {"a": "a", "b": "b"}


def test_advice_of_a_problem_is_python(tables: Con) -> None:
    problems = ranking_udfs.check(BOTH, "truth", [2], con=tables)
    assert problems.types[:4] == ["VARCHAR"] * 4
    assert "--" not in str(problems.select("write").fetchall())
    problems = ranking_udfs.check({"q": {"x": 2, "y": 1}}, {"q": ["x"]}, 1)
    assert problems.filter("severity = 'error'").fetchall() == []


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


def test_split_returns_the_rows_of_sql_for_every_input(tables: Con) -> None:
    frame = tables.sql("FROM events").to_arrow_table()
    with ranking_udfs.register(tables.cursor()) as con:
        query = "FROM ranking.split('events', test_size := INTERVAL 5 DAY, folds := 2, cold_users := 'drop') ORDER BY ALL"
        expected = con.execute(query).fetchall()
    options: dict[str, Any] = {"test_size": "5 days", "folds": 2, "cold_users": "drop"}
    columns = "userid::BIGINT, itemid::BIGINT, time::DATE, fold, part, dropped"
    for events, more in (
        ("events", {"con": tables}),
        (frame, {}),
        (frame.to_pandas(), {}),
        ("events.csv", {}),
    ):
        split = ranking_udfs.split(events, **options, **more).select(columns).order("ALL")
        assert split.fetchall() == expected != [], type(events)
    by_timedelta = ranking_udfs.split("events", **options | {"test_size": timedelta(days=5)}, con=tables)
    assert by_timedelta.select(columns).order("ALL").fetchall() == expected


def test_functions_leave_nothing_on_the_connection(tables: Con) -> None:
    made = "SELECT count(*) FROM duckdb_views() WHERE NOT internal"
    before = tables.execute(made).fetchall()
    ranking_udfs.split("events", last=1, con=tables)
    ranking_udfs.fuse(BOTH, con=tables)
    with pytest.raises(ValueError, match="test_size"):
        ranking_udfs.split("events", test_size="x", con=tables)
    assert tables.execute(made).fetchall() == before


LISTS = {"q1": {"a": 0.9}}
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
    (lambda: ranking_udfs.split("none", last=1), "split: none: no such file"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error"), ERRORS, ids=[error for _, error in ERRORS])
def test_errors_start_with_the_name_of_the_function(call: Callable[[], object], error: str) -> None:
    with pytest.raises(ValueError) as raised:  # noqa: PT011  (its text is below)
        call()
    assert str(raised.value).startswith(error)


# Keywords that another function takes, and one that none does.
NOT_TAKEN = {
    "check": "measures method usr_col",
    "explain": "measures unjudged history usr_col",
    "overlap": "measures grade_col min_grade users usr_col",
    "abstention": "measures ks ties unjudged usr_col",
    "fuse": "measures ks grade_col unit usr_col",
    "split": "score_col ks unit usr_col",
}


@pytest.mark.parametrize("verb", NOT_TAKEN)
def test_keywords_of_other_functions_are_errors(verb: str) -> None:
    arguments = {"check": [LISTS, LISTS], "explain": [LISTS, LISTS, "q1"], "abstention": [LISTS, LISTS]}
    for keyword in NOT_TAKEN[verb].split():
        hint = r" \(did you mean user_col\?\)" if keyword == "usr_col" else ""
        error = rf"^{verb}: got an unexpected keyword argument '{keyword}'{hint}"
        with pytest.raises(TypeError, match=error):
            getattr(ranking_udfs, verb)(*arguments.get(verb, [LISTS]), **{keyword: "x"})
