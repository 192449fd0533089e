"""Table functions over partitions of users, without an engine. (tests/test_friends.py has Dask.)."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import ranking_udfs
from ranking_udfs.partitions import MERGED, UNMERGED
from tests.calls import in_python

REC = pa.table(
    {
        "system": ["A", "B", "A", "B"] * 30,
        "userid": [row // 4 for row in range(120)],
        "itemid": [row * 7 % 11 for row in range(120)],
        "score": [float(row % 5) for row in range(120)],
    }
)
TRUTH = pa.table({"userid": [row // 3 for row in range(99)], "itemid": [row % 11 for row in range(99)]})
# Users, items and categories that are NULL, pairs twice, items that no list has.
HISTORY = pa.table(
    {
        "userid": [None if row % 19 == 0 else row // 5 for row in range(180)],
        "itemid": [None if row % 23 == 0 else row * row % 13 for row in range(180)],
    }
)
ITEMS = pa.table({"itemid": [row % 14 for row in range(31)], "category": [*"abca", None] * 6 + ["d"]})
GRADED = TRUTH.append_column("time", pa.array([9 + row % 7 for row in range(99)]))
TABLES = {"graded": GRADED, "rec": REC, "truth": TRUTH, "history": HISTORY, "items": ITEMS}
# The first ten users have no truth, and the last three no list.
TABLES["later"] = TRUTH.slice(30)
# Every second user is of A alone, and so is the first of two partitions.
TABLES["lacking"] = REC.filter(pa.array([row % 2 == 0 or row // 4 % 2 > 0 for row in range(120)]))


@pytest.fixture
def con(shared: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
    for name, table in TABLES.items():
        shared.register(name, table)
    yield shared
    for name in TABLES:
        shared.unregister(name)


def by_parts(function: str, tables: dict[str, pa.Table], n: int, **given: Any) -> list[dict[str, object]]:
    """Return the rows of a table function over n partitions by user, and one without a row."""
    job = ranking_udfs.partition(function, **{name: table.schema for name, table in tables.items()}, **given)
    users = {name: table for name, table in tables.items() if name != "items"}
    shared = {name: table for name, table in tables.items() if name == "items"}
    if "counts" in job.schemas:
        query = """SELECT itemid, count(DISTINCT userid) AS n FROM history
            WHERE userid IS NOT NULL AND itemid IS NOT NULL GROUP BY ROLLUP (itemid)"""
        with duckdb.connect() as con:
            shared["counts"] = con.register("history", tables["history"]).sql(query).to_arrow_table()

    def part(place: int) -> pa.Table:
        def is_here(table: pa.Table) -> pa.Array:
            return pa.array([(user or 0) % n == place for user in table["userid"].to_pylist()])

        own = {name: table.filter(is_here(table)) for name, table in users.items()}
        return job.part(**own, **shared, systems=["A", "B"])

    sent = pa.concat_tables([part(place) for place in range(n + 1)])
    merged: list[dict[str, object]] = (job.merge(sent) if job.merge_sql else sent).to_pylist()
    return merged


# What a partition alone does not know: users of one system, a k beyond the list, an empty history ...
CALLS = [
    "ranking.judged('rec', 'truth', 3)",
    "ranking.by_user('rec', 'truth', [2, NULL], ties := 'expected')",
    "ranking.evaluate('lacking', 'later', [0, 2, NULL])",
    "ranking.evaluate('rec', 'truth', 3, ties := 'trec', unjudged := 'skip', without_relevant := 'skip', "
    "descending := false)",
    "ranking.evaluate('lacking', 'truth', measures := 'ndcg@2,first_hit_rank', confidence := 0.9)",
    "ranking.distribution('rec', 'truth', ks := [2, 9], measures := 'ndcg,spearman')",
    "ranking.distribution('rec', 'graded', 3, ties := 'expected', grade_col := 'time', min_grade := 12, "
    "without_relevant := 'skip')",
    "ranking.compare('lacking', 'truth', ks := 3, baseline := 'A', margin := 0.1, measures := 'ndcg,mrr')",
    "ranking.compare('rec', 'truth', [2, NULL], steps := true)",
    "ranking.fuse('lacking', 'combmnz', weights := MAP {'A': 1, 'B': 0.3})",
    "ranking.fuse('rec', systems := ['B'])",
    "ranking.beyond_accuracy_by_user('rec', [2, NULL], history := 'history', items := 'items')",
    "ranking.beyond_accuracy_by_user('rec', [1, 3], history := 'history', head := 0.3, divergence := 'kl')",
    "ranking.beyond_accuracy_by_user('rec', [2], items := 'items')",
]


def test_each_function_over_partitions_has_a_call() -> None:
    """Of ranking.compare_by_user the parts are what by_user gives: Spark's tests call it."""
    called = {call.partition("(")[0].removeprefix("ranking.") for call in CALLS}
    assert called == {*UNMERGED, *MERGED} - {"compare_by_user"}


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS)
def test_partitions_give_the_bits_of_duckdb(con: duckdb.DuckDBPyConnection, call: str) -> None:
    function, given = in_python(call)
    tables = {name: TABLES[given.pop(name)] for name in ("rec", "truth", "history", "items") if name in given}
    partitions = 1 if "judged" in call or "by_user" in call else 2  # a user's rows are the same in either
    found = by_parts(function, tables, partitions, **given)
    expected = con.sql(f"FROM {call}").to_arrow_table().to_pylist()
    if "userid" in [*expected, {}][0]:  # of no order
        found, expected = sorted(found, key=repr), sorted(expected, key=repr)
    assert repr(found) == repr(expected)


def test_errors_of_rows_are_those_of_duckdb() -> None:
    """Transcripts of Python have the errors of schemas and arguments."""
    both = {"rec": REC.schema, "truth": TRUTH.schema}
    of_lists = ranking_udfs.partition("beyond_accuracy_by_user", rec=REC.schema, history=HISTORY.schema, ks=1)
    summary = ranking_udfs.partition("evaluate", **both, ks=1)
    fused = ranking_udfs.partition("fuse", REC.schema, systems=["A", "D"])
    no_pair = {"history": HISTORY.slice(0, 0), "counts": of_lists.schemas["counts"].empty_table()}
    for job, tables, error in (
        (of_lists, {"systems": ["A", "B"], **no_pair}, "history must have a pair of user and item, got none"),
        (of_lists, {"systems": ["A", "B"], "history": HISTORY}, "counts must be a table, got none"),
        (summary, {"truth": TRUTH}, "systems must be all systems of rec, got none"),
        (
            summary,
            {"truth": TRUTH, "systems": iter(["A"])},
            "systems must be all systems of rec, got ['A'] without 'B'",
        ),
        (fused, {"systems": ["A", "B"]}, "systems must name systems of rec"),
    ):
        with pytest.raises(ValueError, match=rf"^\w+: {re.escape(error)}"):
            job.part(REC, **tables)
    parts = [summary.part(REC, TRUTH.slice(0, 0), ["A", "B"]) for _ in range(2)]
    with pytest.raises(ValueError, match=r"^evaluate: truth must have a user, got none$"):
        summary.merge(pa.concat_tables(parts))


@pytest.mark.parametrize("variable", ["TMPDIR", "SPARK_LOCAL_DIRS"])
def test_a_worker_keeps_to_sparks_memory_and_removes_its_folder(tmp_path: Path, variable: str) -> None:
    code = """if True:
        import os
        from ranking_udfs.partitions import cursor
        with cursor() as con:
            settings = "SELECT current_setting('memory_limit'), current_setting('temp_directory')"
            ((limit, folder),) = con.execute(settings).fetchall()
            con.execute("SET memory_limit = '30MB'")
            con.execute("CREATE TEMP TABLE large AS SELECT hash(i) FROM range(6000000) t(i)")
            print(limit, os.path.dirname(folder), len(os.listdir(folder)) > 0, sep=";")
    """
    (tmp_path / "first").mkdir()
    folders = str(tmp_path / "first") + (f",{tmp_path / 'second'}" if variable != "TMPDIR" else "")
    given = {name: value for name, value in os.environ.items() if name != "SPARK_LOCAL_DIRS"}
    given |= {"PYSPARK_EXECUTOR_MEMORY_MB": "1000", variable: folders}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=given, capture_output=True, text=True, check=True)
    six_tenths = f"{600e6 / 2**20:.1f} MiB"
    assert done.stdout.strip().split(";") == [six_tenths, str(tmp_path / "first"), "True"]
    assert list((tmp_path / "first").iterdir()) == []
