"""Sorting direction of scores and target leakage: ranking.check against slow definitions and on worlds."""

from collections import Counter

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import ranking_udfs
from tests.conftest import module_connection
from tests.worlds import leaks, slowly
from tests.worlds.generators import CLEAN, DISASTERS, SILENT
from tests.worlds.messy import messy

HISTORY = ", history := 'history', time_col := ''"
IDS = {"userid": pa.int64(), "itemid": pa.int64()}
TYPES = {
    "rec": {"system": pa.string(), **IDS, "score": pa.float64(), "rank": pa.float64()},
    "truth": IDS | {"rel": pa.float64()},
    "history": IDS,
}

con = module_connection()


def create(con: duckdb.DuckDBPyConnection, name: str, table: pa.Table) -> None:
    con.register("given", table)
    con.execute(f"CREATE OR REPLACE TABLE {name} AS FROM given").unregister("given")


def found(con: duckdb.DuckDBPyConnection, arguments: str) -> set[slowly.Found]:
    """The rows of ranking.check of these codes, over the tables rec and truth."""
    rows = con.execute(
        f"""SELECT severity, "system", code, count, "of" FROM ranking.check('rec', 'truth'{arguments})
        WHERE code IN {slowly.CODES}"""
    ).fetchall()
    assert len(set(rows)) == len(rows)
    return {*rows}


@pytest.mark.slow
def test_the_rows_are_those_of_the_slow_definition(con: duckdb.DuckDBPyConnection) -> None:
    seen: Counter[tuple[str, str]] = Counter()
    ways = (
        (True, None, True, True),
        (True, 2, False, False),
        (False, 0.5, True, True),
        (True, None, False, True),
    )
    for seed, (descending, min_grade, has_history, has_ranks) in enumerate(ways, 60):
        rec, truth, history = messy(seed, 4, descending)
        for (name, types), listed in zip(TYPES.items(), (rec, truth, sorted(history, key=str)), strict=True):
            columns = zip(types.values(), zip(*listed, strict=True), strict=True)
            table = pa.table([pa.array(column, kind) for kind, column in columns], [*types])
            create(con, name, table if has_ranks or name != "rec" else table.drop_columns("rank"))
        arguments = f", descending := {descending}, min_grade := {min_grade or 'NULL'}"
        expected = slowly.check(
            rec if has_ranks else [row._replace(rank=None) for row in rec],
            truth,
            history if has_history else None,
            descending,
            min_grade,
        )
        assert found(con, arguments + HISTORY * has_history) == expected, seed
        seen.update((severity, code) for severity, _, code, *_ in expected)
    assert set(seen) == {*DISASTERS, ("warning", "upside_down"), ("info", "unknown_end")}
    assert min(seen.values()) >= 3, seen


def test_the_area_of_the_slow_definition_is_that_by_hand() -> None:
    assert slowly.auc([3], [1, 2, 4]) == pytest.approx(2 / 3)
    assert slowly.auc([2], [1, 2, 3]) == 1 / 2
    assert slowly.auc([3, 1], [2]) == 1 / 2
    assert slowly.z([-1, -1, 1, -1]) == pytest.approx(-0.5 / (1 / 4**0.5))


@pytest.mark.slow
def test_false_alarms_are_few_and_disasters_are_told(con: duckdb.DuckDBPyConnection) -> None:
    """None in 101 draws, with the seed as it is."""
    kinds = CLEAN | SILENT | {name: kind for told in DISASTERS.values() for name, kind in told.items()}
    draws = dict.fromkeys(kinds, 5) | dict.fromkeys(CLEAN, 2) | {"good model": 9, "good model, points": 9}
    draws |= {"one list for all": 20, "one short list for all": 20}
    drawn = [(name, np.random.default_rng([10, i])) for name in kinds for i in range(draws[name])]
    parts: dict[str, list[pa.Table]] = {name: [] for name in TYPES}
    for i, (name, rng) in enumerate(drawn):
        (_, grades, seen), (listed, scores) = kinds[name](rng)
        first = 1_000_000 * i  # above all ids of a world; users of each are its own
        user = first + np.repeat(np.arange(len(listed)), listed.shape[1])
        columns = [pa.repeat(f"{name}, {i}", listed.size), user, listed.ravel(), 1.0 * scores.ravel()]
        parts["rec"].append(pa.table(columns, ["system", "userid", "itemid", "score"]))
        users, items = np.nonzero(~np.isnan(grades))
        columns = [first + users, items, grades[users, items]]
        parts["truth"].append(pa.table(columns, [*TYPES["truth"]]))
        users, items = np.nonzero(seen)
        parts["history"].append(pa.table([first + users, items], [*IDS]))
    for name, tables in parts.items():
        create(con, name, pa.concat_tables(tables))
    told: dict[str, Counter[tuple[str, str]]] = {name: Counter() for name in kinds}
    for severity, system, code, *_ in found(con, HISTORY):
        told[str(system).rpartition(", ")[0]][severity, code] += 1
    assert not any(told[name] for name in SILENT)
    assert not {name: told[name] for name in CLEAN if any(severity == "error" for severity, _ in told[name])}
    for row, disasters in DISASTERS.items():
        assert [told[name] for name in disasters] == [{row: 5}] * len(disasters), row


def create_systems(con: duckdb.DuckDBPyConnection, world: leaks.World) -> None:
    """Create rec and truth of a world, with systems a, b, and so on."""
    relevant, systems = world
    parts = []
    for name, scores in zip("abc", systems, strict=False):
        users, items = np.nonzero(np.isfinite(scores))
        columns = [pa.repeat(name, len(users)), users, items, scores[users, items]]
        parts.append(pa.table(columns, ["system", "userid", "itemid", "score"]))
    create(con, "rec", pa.concat_tables(parts))
    create(con, "truth", pa.table([*np.nonzero(relevant)], ["userid", "itemid"]))


def partial_leaks(
    con: duckdb.DuckDBPyConnection, rec: str = "rec", arguments: str = ""
) -> list[tuple[object, ...]]:
    return con.execute(
        f"""SELECT severity, system, count, "of" FROM ranking.check('{rec}', 'truth'{arguments})
        WHERE code = 'partial_leak' ORDER BY system"""
    ).fetchall()


def count_top(relevant: leaks.Bools, scores: leaks.Floats) -> int:
    """Count the users whose relevant items are all at the top."""
    best = np.where(relevant, -np.inf, scores).max(1)
    return int((np.where(relevant, scores, np.inf).min(1) > best).sum())


@pytest.mark.slow
def test_partial_leaks_equal_the_slow_definition(con: duckdb.DuckDBPyConnection) -> None:
    kinds, seen = leaks.CLEAN | leaks.LEAKS | leaks.LIMITS, Counter[bool]()
    for seed, (name, kind) in enumerate(kinds.items()):
        world = kind(np.random.default_rng([61, seed]), 100)
        create_systems(con, world)
        expected = [
            ("warning", system, count_top(world[0], scores), 100)
            for system, scores, is_leak in zip("abc", world[1], leaks.leaks(world), strict=False)
            if is_leak
        ]
        assert partial_leaks(con) == expected, name
        seen[bool(expected)] += 1
    assert min(seen[True], seen[False]) >= 10, seen


@pytest.mark.slow
def test_partial_leaks_are_found_and_strong_models_are_not(con: duckdb.DuckDBPyConnection) -> None:
    """Three draws of each kind, of 300 users."""
    hits, rng = Counter[str](), np.random.default_rng(61)
    for name in ("leak of 0.3 in 1.5 beside 1.5", "leak of 0.7 in 1.5 beside 1.5"):
        for _ in range(3):
            create_systems(con, leaks.LEAKS[name](rng, 300))
            hits[name] += [system for _, system, *_ in partial_leaks(con)] == ["a"]
    assert min(hits.values()) >= 2, hits
    for name in ("strong 4.0 beside 1.0", "reranker 4.0 of 1.5", "pages 3.5 beside chunks", "three systems"):
        for _ in range(3):
            create_systems(con, leaks.CLEAN[name](rng, 300))
            assert partial_leaks(con) == [], name


def test_partial_leak_stands_before_a_verdict_until_it_is_removed(con: duckdb.DuckDBPyConnection) -> None:
    world = leaks.LEAKS["leak of 0.5 in 1.5 beside 1.5"](np.random.default_rng(5), 200)
    create_systems(con, world)
    n = count_top(world[0], world[1][0])
    assert partial_leaks(con) == [("warning", "a", n, 200)]
    query = (
        "SELECT count(DISTINCT userid) FROM ranking.check_rows('rec', 'truth') WHERE code = 'partial_leak'"
    )
    assert con.execute(query).fetchall() == [(n,)]
    with pytest.warns(UserWarning, match=f"as in a leak: {n} of 200 "):
        compared = ranking_udfs.compare("rec", "truth", "ndcg@10", baseline="b", con=con)
    assert "partial_leak" in compared.project("caveats").fetchall()[0][0]
    # Relevance is what min_grade says; no leak is told of items that do not count.
    con.execute(
        "CREATE TABLE kept AS FROM truth; CREATE OR REPLACE TABLE truth AS SELECT *, 2 AS rel FROM truth"
    )
    con.execute("INSERT INTO truth SELECT userid, 149, 1 FROM (SELECT DISTINCT userid FROM truth)")
    assert partial_leaks(con, arguments=", min_grade := 2") == [("warning", "a", n, 200)]
    con.execute("CREATE OR REPLACE TABLE truth AS FROM kept")
    # One system alone has no other to compare with: easy queries look the same.
    con.execute("CREATE OR REPLACE TABLE alone AS FROM rec WHERE system = 'a'")
    assert partial_leaks(con, "alone") == [("info", "a", n, 200)]
    # The advice: lists without the truth that was joined into them.
    con.execute(
        """CREATE OR REPLACE TABLE mended AS
        SELECT * REPLACE (score - 100 * (score > 50)::INT AS score) FROM rec"""
    )
    assert partial_leaks(con, "mended") == []
