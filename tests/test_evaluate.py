"""Test `ranking_udfs.evaluate` and `compare`: the same rows from any tables, and no side effects."""
# ruff: noqa: E501  (a query is a line)

import doctest
import inspect
import re
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd  # type: ignore[import-untyped]
import pytest

import ranking_udfs
import ranking_udfs.python
from tests.conftest import Con, module_connection

SEEDS = Path(__file__).resolve().parent.parent / "examples" / "dbt_project" / "seeds"
REC, TRUTH, USERS = (str(SEEDS / f"{name}.csv") for name in ("recommendations", "ratings", "customers"))
COLUMNS: Any = {"user_col": "customer_id", "item_col": "sku", "system_col": "model", "grade_col": "stars"}


# A user's connection with tables, which evaluations do not change.
con = module_connection(f"""
    CREATE TABLE rec AS FROM '{REC}';
    CREATE SCHEMA sales;
    CREATE TABLE sales."what's bought" AS FROM '{TRUTH}';
    CREATE TEMP VIEW truth AS FROM sales."what's bought";
""")


@pytest.fixture(scope="module")
def frames() -> dict[str, pd.DataFrame]:
    return {"rec": pd.read_csv(REC), "truth": pd.read_csv(TRUTH)}


SEGMENTED = """
    CREATE TABLE rec AS FROM (VALUES ('a', 1, 1), ('a', 2, 2), ('a', 3, 9), ('a', 4, 1), ('b', 1, 9), ('b', 3, 3))
        AS t(system, userid, itemid) SELECT *, 1 AS score;
    CREATE TABLE truth AS FROM (VALUES (1, 1, 1), (2, 2, 1), (3, 3, 1), (4, 1, 0)) AS t(userid, itemid, rel);
    CREATE TABLE segments AS FROM (VALUES (1, 'x'), (1, 'x'), (2, 'x'), (2, 'y'), (4, 'y')) AS t(userid, kind)
"""
# Of each model and segment: users, those without a list, those without a relevant item, and the mean recall.
SEGMENT_MEANS = {
    "zero": [
        *[("a", "(all)", 4, 0, 1, 2 / 4), ("b", "(all)", 4, 2, 1, 1 / 4)],
        *[("a", "(none)", 1, 0, 0, 0), ("a", "x", 2, 0, 0, 1), ("a", "y", 2, 0, 1, 1 / 2)],
        *[("b", "(none)", 1, 0, 0, 1), ("b", "x", 2, 1, 0, 0), ("b", "y", 2, 2, 1, 0)],
    ],
    "skip": [  # user 4 is in no mean, and still counted once for each model
        *[("a", "(all)", 3, 0, 1, 2 / 3), ("b", "(all)", 3, 1, 1, 1 / 3)],
        *[("a", "(none)", 1, 0, 0, 0), ("a", "x", 2, 0, 0, 1), ("a", "y", 1, 0, 1, 1)],
        *[("b", "(none)", 1, 0, 0, 1), ("b", "x", 2, 1, 0, 0), ("b", "y", 1, 1, 1, 0)],
    ],
}


@pytest.mark.parametrize("without", SEGMENT_MEANS)
def test_a_user_counts_once_in_each_of_its_segments(without: str) -> None:
    """User 1 is twice in segment x, user 2 in two segments, and user 3 in none."""
    with duckdb.connect() as con:
        con.execute(SEGMENTED)
        options: Any = {"segments": "segments", "segment_col": "kind", "without_relevant": without}
        options |= {"check": False, "con": con}
        means = ranking_udfs.evaluate("rec", "truth", "recall", 1, **options)
        counts = "users, users_without_rec, users_without_relevant"
        assert means.project(f"system, segment, {counts}, recall").fetchall() == SEGMENT_MEANS[without]
        measured = ranking_udfs.compare("rec", "truth", "recall@1", **options)
        compared = measured.project("segment, users, mean_baseline, mean_system").fetchall()
        a, b = ({row[1]: row[2:] for row in SEGMENT_MEANS[without] if row[0] == name} for name in "ab")
        expected = {name: (a[name][0], a[name][-1], b[name][-1]) for name in a}
        assert {row[0]: row[1:] for row in compared} == expected


@pytest.mark.parametrize("function", [ranking_udfs.evaluate, ranking_udfs.compare])
def test_a_note_counts_the_users_in_several_segments(function: Any) -> None:
    with duckdb.connect() as con:
        con.execute(SEGMENTED)
        options: Any = {"segments": "segments", "segment_col": "kind", "con": con}
        note = "note: users in several segments, counted in each: 1 of 4 .*, for example userid 2"
        with pytest.warns(UserWarning, match=note):
            function("rec", "truth", "recall@1", **options)
        con.execute("DELETE FROM segments WHERE userid = 2 AND kind = 'y'")
        with pytest.warns(UserWarning, match="notes on the data") as warned:
            function("rec", "truth", "recall@1", **options)
        assert "several" not in str(warned[0].message)


def forms(con: Con, name: str, file: str, frame: pd.DataFrame) -> dict[str, Any]:
    table = con.table(name).to_arrow_table()
    by_form = {
        "pandas": frame,
        "Arrow": table,
        "a stream of Arrow": table.to_reader(),
        "a relation": con.sql(f"FROM {name}"),
        "a relation of another connection": duckdb.connect().from_arrow(table),
        "a file": file,
        "a path": Path(file),
        "a table": name,
    }
    if find_spec("polars"):
        import polars

        polar: Any = polars.from_arrow(table)
        by_form |= {"Polars": polar, "lazy Polars": polar.lazy()}
    return by_form


def test_every_form_of_rec_and_truth_gives_the_same_rows(con: Con, frames: dict[str, Any]) -> None:
    expected = ranking_udfs.evaluate("rec", "truth", "ndcg", con=con, check=False, **COLUMNS).fetchall()
    for of_con in (True, False):
        files = {"rec": REC, "truth": TRUTH}
        recs, truths = (forms(con, name, file, frames[name]) for name, file in files.items())
        if not of_con:  # tables have no names then
            recs["a table"] = REC
        names = [*recs]
        for form, other in zip(names[not of_con :: 2], names[of_con::2], strict=True):
            options: Any = {"con": con} if of_con else {}
            options |= {"check": False, **COLUMNS}
            relation = ranking_udfs.evaluate(recs[form], truths[other], "ndcg", **options)
            assert relation.fetchall() == expected, (form, other)


def test_users_keep_their_type() -> None:
    texts = {"UUID": "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "ENUM('b', 'a')": "a"}
    with duckdb.connect() as shop:
        for number, kind in enumerate([*texts, "HUGEINT", "DECIMAL(9,2)", "BIT"]):
            text = texts.get(kind, "101")
            rec = shop.sql(f"SELECT '{text}'::{kind} AS userid, 1 AS itemid, 1 AS score")
            options: Any = {"con": shop} if number % 2 else {}
            relation = ranking_udfs.evaluate(rec, rec, "mrr", by_user=True, check=False, **options)
            assert str(relation.types[0]) == kind
            assert relation.project("userid").fetchall() == rec.project("userid").fetchall()


STATE = (  # everything that a user sees: tables, views, settings, macros
    "SELECT database_name, schema_name, table_name, estimated_size FROM duckdb_tables() ORDER BY ALL",
    "SELECT database_name, schema_name, view_name, sql FROM duckdb_views() ORDER BY ALL",
    "SELECT name, value FROM duckdb_settings() WHERE name <> 'memory_limit' ORDER BY ALL",
    "SELECT database_name, schema_name, function_name FROM duckdb_functions() ORDER BY ALL",
)


def state(con: Con) -> list[Any]:
    return [con.execute(query).fetchall() for query in STATE]


def test_evaluations_leave_the_users_connection_unchanged(frames: dict[str, Any]) -> None:
    with duckdb.connect() as con:
        ranking_udfs.register(con)
        con.execute(f"""
            CREATE TABLE _ranking_evaluate_rec AS SELECT 1 AS mine;
            CREATE TEMP TABLE _ranking_compare_by_user AS SELECT 2 AS mine;
            CREATE TABLE result AS SELECT 3 AS mine;
            CREATE TABLE rec AS FROM '{REC}'; CREATE TEMP TABLE truth AS FROM '{TRUTH}'
        """)
        before = state(con)
        kept, options = [], {"con": con, "check": False, **COLUMNS}
        for rec in ("rec", frames["rec"]):
            kept.append(ranking_udfs.evaluate(rec, "truth", segments=USERS, **options))
            kept.append(ranking_udfs.compare(rec, "truth", "ndcg", ties="trec", **options))
        with pytest.raises(ValueError, match="must say which of two models"):
            ranking_udfs.compare("rec", "truth", "ideal_dcg", con=con, **COLUMNS)
        with pytest.raises(ValueError, match="no column 'nope'"):
            ranking_udfs.evaluate(frames["rec"], "truth", con=con, **COLUMNS | {"grade_col": "nope"})
        assert state(con) == before
        assert all(relation.fetchall() for relation in kept)
        con.begin()
        con.execute("CREATE TABLE mine AS FROM rec LIMIT 5")  # no other connection sees this table
        assert ranking_udfs.evaluate("mine", "truth", **options).fetchall()
        con.rollback()
        assert state(con) == before
        assert con.execute("FROM _ranking_evaluate_rec, result").fetchall() == [(1, 3)]


def test_data_problems_are_warnings_at_the_callers_line() -> None:
    rec = pd.DataFrame({"userid": [1, 1], "itemid": [2, 3], "score": [1.0, 1.0]})
    message = "^evaluate: 2 notes on the data:\n  error: rec: users whose scores are all equal: 1 of 1, "
    with pytest.warns(UserWarning, match=message) as caught:
        ranking_udfs.evaluate(rec, rec[["userid", "itemid"]], "mrr", 1)
    assert [warning.filename for warning in caught] == [__file__]
    assert "; write ties='expected'" in str(caught[0].message)
    for ties in ("trec", "expected"):  # what the advice asks for is done, so there is no note
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ranking_udfs.evaluate(rec, rec[["userid", "itemid"]], "mrr", 1, ties=ties)


# Functions that the command does not have.
OTHERS = ("__version__", "partition", "register")
FUNCTIONS = [getattr(ranking_udfs, name) for name in ranking_udfs.__all__ if name not in OTHERS]


def test_every_argument_is_described() -> None:
    for function in FUNCTIONS:
        described = re.findall(r"^    (\w+): ", inspect.getdoc(function) or "", re.MULTILINE)
        assert set(described) >= set(inspect.signature(function).parameters), function.__name__


@pytest.mark.slow
def test_docstring_examples_are_right() -> None:
    finder = doctest.DocTestFinder(recurse=False)
    for function in FUNCTIONS:
        (test,) = finder.find(function, globs={"ranking_udfs": ranking_udfs})
        assert test.examples
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # problems that the check finds in such small data
            assert doctest.DocTestRunner().run(test).failed == 0
