"""Sorting direction of scores and target leakage: ranking.check against slow definitions and on worlds."""

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import ranking_udfs
from tests import check_definition, worlds
from tests.conftest import Con, module_connection
from tests.disasters import CLEAN, DISASTERS, SILENT

HISTORY = ", history := 'history', time_col := ''"
IDS = {"userid": pa.int64(), "itemid": pa.int64()}
TYPES = {
    "rec": {"system": pa.string(), **IDS, "score": pa.float64(), "rank": pa.float64()},
    "truth": IDS | {"rel": pa.float64()},
    "history": IDS,
}

con = module_connection()


def create(con: Con, name: str, table: pa.Table) -> None:
    con.register("rows", table)
    con.execute(f"CREATE OR REPLACE TABLE {name} AS FROM rows").unregister("rows")


def rec_table(system: str, users: Any, items: Any, scores: Any) -> pa.Table:
    columns = [pa.repeat(system, len(users)), users, items, scores]
    return pa.table(columns, ["system", "userid", "itemid", "score"])


def problems(con: Con, arguments: str) -> set[check_definition.Problem]:
    """Return the rows of ranking.check with these codes, over the tables rec and truth."""
    rows = con.execute(
        f"""SELECT severity, "system", code, count, "of" FROM ranking.check('rec', 'truth'{arguments})
        WHERE code IN {check_definition.CODES}"""
    ).fetchall()
    assert len(set(rows)) == len(rows)
    return {*rows}


@pytest.mark.slow
def test_problems_equal_the_slow_definition(con: Con) -> None:
    seen: Counter[tuple[str, str]] = Counter()
    ways = [(True, None, True, True), (True, 2, False, False), (False, 0.5, True, True)]
    ways += [(True, None, False, True)]
    for seed, (descending, min_grade, has_history, has_ranks) in enumerate(ways, 60):
        rec, truth, history = worlds.messy(seed, 4, descending)
        for (name, types), listed in zip(TYPES.items(), (rec, truth, sorted(history, key=str)), strict=True):
            columns = zip(types.values(), zip(*listed, strict=True), strict=True)
            table = pa.table([pa.array(column, kind) for kind, column in columns], [*types])
            create(con, name, table if has_ranks or name != "rec" else table.drop_columns("rank"))
        rec = rec if has_ranks else [row._replace(rank=None) for row in rec]
        expected = check_definition.check(rec, truth, history if has_history else None, descending, min_grade)
        arguments = f", descending := {descending}, min_grade := {min_grade or 'NULL'}"
        assert problems(con, arguments + HISTORY * has_history) == expected, seed
        seen.update((severity, code) for severity, _, code, *_ in expected)
    assert set(seen) == {*DISASTERS, ("warning", "upside_down"), ("warning", "unknown_end")}
    assert min(seen.values()) >= 3, seen


def test_slow_definition_has_values_by_hand() -> None:
    assert check_definition.deviation([3], [1, 2, 4]) == pytest.approx(2 / 3 - 1 / 2)
    assert check_definition.deviation([2], [1, 2, 3]) == check_definition.deviation([3, 1], [2]) == 0
    assert check_definition.z([-1, -1, 1, -1]) == pytest.approx(-0.5 / (1 / 4**0.5))


@pytest.mark.slow
def test_disasters_are_reported_and_false_alarms_are_rare(con: Con) -> None:
    """Draw 101 times. With this seed there is no false alarm."""
    kinds = CLEAN | SILENT | {name: kind for of_row in DISASTERS.values() for name, kind in of_row.items()}
    draws = dict.fromkeys(kinds, 5) | dict.fromkeys(CLEAN, 2) | {"good model": 9, "good model, points": 9}
    draws |= {"one list for all": 20, "one short list for all": 20}
    parts: dict[str, list[pa.Table]] = {name: [] for name in TYPES}
    drawn = [(name, draw) for name in kinds for draw in range(draws[name])]
    for i, (name, draw) in enumerate(drawn):
        (_, grades, seen), (listed, scores) = kinds[name](np.random.default_rng([10, draw]))
        first = 1_000_000 * i  # each world has users of its own, with ids above all ids of items
        user = first + np.repeat(np.arange(len(listed)), listed.shape[1])
        parts["rec"].append(rec_table(f"{name}, {i}", user, listed.ravel(), 1.0 * scores.ravel()))
        users, items = np.nonzero(~np.isnan(grades))
        parts["truth"].append(pa.table([first + users, items, grades[users, items]], [*TYPES["truth"]]))
        users, items = np.nonzero(seen)
        parts["history"].append(pa.table([first + users, items], [*IDS]))
    for name, tables in parts.items():
        create(con, name, pa.concat_tables(tables))
    reported: dict[str, Counter[tuple[str, str]]] = {name: Counter() for name in kinds}
    for severity, system, code, *_ in problems(con, HISTORY):
        reported[str(system).rpartition(", ")[0]][severity, code] += 1
    assert not any(reported[name] for name in SILENT)
    assert not [name for name in CLEAN if any(severity == "error" for severity, _ in reported[name])]
    for row, disasters in DISASTERS.items():
        assert [reported[name] for name in disasters] == [{row: 5}] * len(disasters), row


def create_systems(con: Con, world: worlds.World) -> None:
    """Create rec and truth of a world, with systems a, b, and so on."""
    relevant, systems = world
    parts = []
    for name, scores in zip("abc", systems, strict=False):
        users, items = np.nonzero(np.isfinite(scores))
        parts.append(rec_table(name, users, items, scores[users, items]))
    create(con, "rec", pa.concat_tables(parts))
    create(con, "truth", pa.table([*np.nonzero(relevant)], ["userid", "itemid"]))


def partial_leaks(con: Con, rec: str = "rec", arguments: str = "") -> list[tuple[object, ...]]:
    return con.execute(
        f"""SELECT severity, system, count, "of" FROM ranking.check('{rec}', 'truth'{arguments})
        WHERE code = 'partial_leak' ORDER BY system"""
    ).fetchall()


def count_top(relevant: worlds.Bools, scores: worlds.Floats) -> int:
    """Count the users whose relevant items are all at the top."""
    best_other = np.where(relevant, -np.inf, scores).max(1)
    return int((np.where(relevant, scores, np.inf).min(1) > best_other).sum())


@pytest.mark.slow
def test_partial_leaks_equal_the_slow_definition(con: Con) -> None:
    n_leaks: Counter[bool] = Counter()
    for seed, (name, kind) in enumerate((worlds.CLEAN | worlds.LEAKS).items()):
        n_users = (100, 300)[seed % 2]
        world = kind(np.random.default_rng([61, seed]), n_users)
        create_systems(con, world)
        systems = zip("abc", world[1], check_definition.partial_leaks(*world), strict=False)
        tops = [(system, count_top(world[0], scores)) for system, scores, is_leak in systems if is_leak]
        assert partial_leaks(con) == [("warning", system, n, n_users) for system, n in tops], name
        n_leaks[bool(tops)] += 1
    assert min(n_leaks[True], n_leaks[False]) >= 10, n_leaks


def test_partial_leaks_are_found_and_strong_models_are_not() -> None:
    """Draw 30 times of each kind, with 300 users. The test above holds that ranking.check decides alike."""

    def count_verdicts(kind: worlds.Kind) -> Counter[tuple[bool, ...]]:
        rng = np.random.default_rng(61)
        return Counter(tuple(map(bool, check_definition.partial_leaks(*kind(rng, 300)))) for _ in range(30))

    for name in ("leak of 0.3 in 1.5 beside 1.5", "leak of 0.7 in 1.5 beside 1.5"):
        assert count_verdicts(worlds.LEAKS[name])[True, False] >= 29, name
    for name in ("strong 4.0 beside 1.0", "reranker 4.0 of 1.5", "pages 3.5 beside chunks"):
        assert count_verdicts(worlds.CLEAN[name]) == {(False, False): 30}, name
    assert count_verdicts(worlds.CLEAN["three systems"]) == {(False, False, False): 30}


@pytest.mark.slow
def test_partial_leak_qualifies_a_verdict_until_it_is_removed(con: Con) -> None:
    world = worlds.LEAKS["leak of 0.5 in 1.5 beside 1.5"](np.random.default_rng(5), 200)
    create_systems(con, world)
    n = count_top(world[0], world[1][0])
    assert partial_leaks(con) == [("warning", "a", n, 200)]
    rows = "FROM ranking.check_rows('rec', 'truth') WHERE code = 'partial_leak'"
    assert con.execute(f"SELECT count(DISTINCT userid) {rows}").fetchall() == [(n,)]
    with pytest.warns(UserWarning, match=f"as in a leak: {n} of 200 "):
        compared = ranking_udfs.compare("rec", "truth", "ndcg@10", baseline="b", con=con)
    assert "partial_leak" in compared.project("caveats").fetchall()[0][0]
    con.execute("""
        CREATE TABLE kept AS FROM truth; CREATE OR REPLACE TABLE truth AS SELECT *, 2 AS rel FROM truth;
        INSERT INTO truth SELECT DISTINCT userid, 149, 1 FROM truth""")
    assert partial_leaks(con, arguments=", min_grade := 2") == [("warning", "a", n, 200)]
    con.execute("CREATE OR REPLACE TABLE truth AS FROM kept")
    # A single system has no other to compare with, and easy queries look the same.
    con.execute("CREATE OR REPLACE TABLE alone AS FROM rec WHERE system = 'a'")
    assert partial_leaks(con, "alone") == [("info", "a", n, 200)]
    con.execute("""
        CREATE OR REPLACE TABLE without_leak AS
        SELECT * REPLACE (score - 100 * (score > 50)::INT AS score) FROM rec""")
    assert partial_leaks(con, "without_leak") == []
