"""ranking_fuse: against a slow definition, ranx, cases worked by hand, and what others got wrong.

ranx is not among the tests' requirements: its values are recorded; `python -m tests.test_fuse` compares them.
"""

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from importlib import import_module
from typing import Any

import duckdb
import pytest

import ranking_udfs
from tests.conftest import is_close, literal

Row = tuple[str | None, int | None, str | None, float | None]  # system, userid, itemid, score
Fused = dict[tuple[int, str], tuple[float | None, int]]  # by user and item: score and n_systems
# The lists of ranx's values: two queries, since it refuses those that one run alone has.
RUNS = {
    "a": {"1": {"p": 9.5, "q": 7.25, "r": 7.0, "s": 0.5}, "2": {"p": 2.0, "t": 1.0}},
    "b": {"1": {"r": 0.9, "p": 0.4, "u": 0.3}, "2": {"u": 0.7, "p": 0.6, "q": -0.1}},
    "c": {"1": {"s": 100.0, "r": 40.0, "v": 7.0, "p": 3.0}, "2": {"t": 12.0, "q": 4.0, "p": 1.0}},
}
# What ranx gives a score, by user, and by our arguments: ranx 0.3.21's arguments, and its scores of these.
FUSED = [("1", item) for item in "pqrsuv"] + [("2", item) for item in "pqtu"]
RANX: dict[str, tuple[tuple[str | None, str, dict[str, Any]], list[float]]] = {
    "": (
        (None, "rrf", {"k": 60}),
        [*(0.048147475, 0.016129032, 0.048395491, 0.032018443, 0.015873016, 0.015873016),
         *(0.048395491, 0.032002048, 0.032522475, 0.016393443)],
    ),
    "rrf_k := 5": (
        (None, "rrf", {"k": 5}),
        [*(0.420634921, 0.142857143, 0.43452381, 0.277777778, 0.125, 0.125),
         *(0.43452381, 0.267857143, 0.30952381, 0.166666667)],
    ),
    "method := 'combsum'": (
        ("min-max", "sum", {}),
        [*(1.166666667, 0.75, 2.103665521, 1.0, 0.0, 0.041237113),
         *(1.875, 0.272727273, 1.0, 1.0)],
    ),
    "method := 'combmnz'": (
        ("min-max", "mnz", {}),
        [*(3.5, 0.75, 6.310996564, 2.0, 0.0, 0.041237113),
         *(5.625, 0.545454545, 2.0, 1.0)],
    ),
    "method := 'combsum', normalize := 'sum'": (
        ("sum", "sum", {}),
        [*(0.547351525, 0.303370787, 1.417393631, 0.702898551, 0.0, 0.028985507),
         *(1.466666667, 0.214285714, 0.785714286, 0.533333333)],
    ),
    "method := 'combmnz', normalize := 'z_score'": (
        ("zmuv", "mnz", {}),
        [*(-1.116047855, 0.353859842, 5.22221211, -0.096461017, -0.889000889, -0.785349863),
         *(1.670430195, -3.527715593, 0.728241003, 0.84292723)],
    ),
    "method := 'combsum', weights := MAP {'a': 0.2, 'b': 0.5, 'c': 0.3}": (
        ("min-max", "wsum", {"weights": (0.2, 0.5, 0.3)}),
        [*(0.283333333, 0.15, 0.758877434, 0.3, 0.0, 0.012371134),
         *(0.6375, 0.081818182, 0.3, 0.5)],
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def pack() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as con:
        yield add_tables(ranking_udfs.register(con))


def add_tables(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    runs = [(system, int(user), run) for system, users in RUNS.items() for user, run in users.items()]
    add_table(con, "runs", [(s, user, item, score) for s, user, run in runs for item, score in run.items()])
    add_table(con, "drawn", drawn())
    return con


def add_table(con: duckdb.DuckDBPyConnection, name: str, rows: Sequence[Row]) -> None:
    con.execute(
        f"CREATE OR REPLACE TABLE {name} (system VARCHAR, userid INTEGER, itemid VARCHAR, score DOUBLE)"
    )
    con.executemany(f"INSERT INTO {name} VALUES (?, ?, ?, ?)", rows)


def drawn() -> list[Row]:
    """Lists with ties, NULL and NaN scores, constant ones, repeated and missing items and users."""
    draw = random.Random(26)
    rows: list[Row] = []
    for user in range(60):
        for system in draw.sample(["als", "bm25", "vector"], draw.randint(1, 3)):
            scores = draw.choice(
                [[0.5], [3.0, 2.0, 1.0], [None, math.nan, 1.5, -2.0], [k / 7 for k in range(40)]]
            )
            rows += [
                (system, user, draw.choice([*"abcdefghij", None]), draw.choice(scores))
                for _ in range(draw.randint(1, 9))
            ]
    return [*rows, ("als", None, "a", 1.0), ("bm25", None, "a", 2.0)]


def defined(
    rows: Sequence[Row],
    method: str = "rrf",
    weights: Mapping[str, float] | None = None,
    rrf_k: float = 60,
    normalize: str = "min_max",
    depth: int | None = None,
    systems: Sequence[str] | None = None,
    descending: bool = True,
) -> Fused:
    """The fused scores, from the definition, with loops."""
    lists: dict[tuple[int, str], dict[str, tuple[int, float | None]]] = {}
    whole: dict[tuple[int, str], list[tuple[str | None, float | None]]] = {}
    for system, user, item, score in rows:
        weight = 1 if weights is None else weights[str(system)]
        if user is not None and weight > 0 and (systems is None or system in systems):
            value = None if score is None or math.isnan(score) else score if descending else -score
            whole.setdefault((user, str(system)), []).append((item, value))
    for key, pairs in whole.items():
        pairs.sort(key=lambda one: (one[1] is None, -(one[1] or 0), one[0] is None, one[0]))
        for rank, (item, value) in enumerate(pairs[:depth], 1):
            if item is not None:
                lists.setdefault(key, {}).setdefault(item, (rank, value))
    found: Fused = {}
    for user in {user for user, _ in lists}:
        of_user = {system: items for (one, system), items in lists.items() if one == user}
        every = {item for items in of_user.values() for item in items}
        for item in every:
            points = []
            having = [(system, items) for system, items in of_user.items() if item in items]
            for system, items in having:
                rank, value = items[item]
                one: Fraction | float | None
                if method == "rrf":
                    one = 1 / (Fraction(rrf_k) + rank)
                elif method == "borda":
                    one = Fraction(max(len(every) - rank + 1, 0), len(every))
                else:
                    values = [other for _, other in items.values() if other is not None]
                    one = normalized(value, values, normalize)
                if one is not None:
                    points.append(Fraction(one) * Fraction(1 if weights is None else weights[system]))
            times = len(points) if method == "combmnz" else 1
            found[user, item] = float(sum(points) * times) if points else None, len(having)
    return found


def normalized(value: float | None, values: Sequence[float], normalize: str) -> Fraction | float | None:
    if value is None:
        return None
    exact = [Fraction(one) for one in values]
    x, low, high, n = Fraction(value), min(exact), max(exact), len(exact)
    if normalize == "none":
        return x
    if high == low:
        return {"min_max": Fraction(1), "z_score": Fraction(0), "sum": Fraction(1, n)}[normalize]
    mean = sum(exact) / n
    deviation = math.sqrt(sum((one - mean) ** 2 for one in exact) / n)
    found: dict[str, Fraction | float] = {
        "min_max": (x - low) / (high - low),
        "z_score": float(x - mean) / deviation,
        "sum": (x - low) / sum(one - low for one in exact),
    }
    return found[normalize]


def fused(con: duckdb.DuckDBPyConnection, table: str, arguments: str = "") -> Fused:
    call = f"ranking_fuse('{table}'{', ' * bool(arguments)}{arguments})"
    rows = con.execute(f"SELECT userid, itemid, score, n_systems FROM {call}").fetchall()
    assert len({(user, item) for user, item, *_ in rows}) == len(rows)
    return {(user, item): (score, n_systems) for user, item, score, n_systems in rows}


def assert_same(found: Fused, expected: Fused) -> None:
    assert found.keys() == expected.keys()
    for key, (score, n_systems) in expected.items():
        assert found[key][1] == n_systems, key
        assert is_close(found[key][0], score, 1e-12), (key, found[key], score)


# --- Against others ---


@pytest.mark.parametrize("method", ["rrf", "borda", "combsum", "combmnz"])
def test_scores_are_those_of_a_slow_definition(pack: duckdb.DuckDBPyConnection, method: str) -> None:
    options: list[dict[str, Any]] = [
        {},
        {"depth": 3, "rrf_k": 0.5, "normalize": "z_score"},
        {"weights": {"als": 1e-3, "bm25": 1e12, "vector": 0}, "normalize": "sum"},
        {"systems": ["als", "vector"], "descending": False, "normalize": "none"},
    ]
    for chosen in options:
        arguments = {"method": method, **chosen}
        called = ", ".join(f"{name} := {literal(one)}" for name, one in arguments.items())
        assert_same(fused(pack, "drawn", called), defined(drawn(), **arguments))


@pytest.mark.parametrize("arguments", RANX)
def test_scores_are_ranx_s(pack: duckdb.DuckDBPyConnection, arguments: str) -> None:
    found = fused(pack, "runs", arguments)
    assert {(int(user), item) for user, item in FUSED} == found.keys()
    for (user, item), score in zip(FUSED, RANX[arguments][1], strict=True):
        assert is_close(found[int(user), item][0], score, 1e-8), (user, item)


@pytest.mark.parametrize("scale", [0.0, 1e-300, 1.0, 1e307])
def test_raw_scores_of_any_size_are_added_to_all_their_digits(
    pack: duckdb.DuckDBPyConnection, scale: float
) -> None:
    rows: list[Row] = [("s", 1, "a", 3 * scale), ("t", 1, "a", -scale / 7), ("t", 1, "b", 1.7e-45 * scale)]
    add_table(pack, "raw", rows)
    raw = "method := 'combsum', normalize := 'none'"
    found = fused(pack, "raw", raw)
    assert found[1, "a"][0] == pytest.approx(3 * scale - scale / 7, rel=1e-15, abs=0)
    assert found[1, "b"][0] == pytest.approx(1.7e-45 * scale, rel=1e-15, abs=0)
    for weight in (1e-300, 10):
        given = f"{raw}, weights := MAP {{'s': {weight}, 't': {weight / 4}}}"
        if weight * scale > 1e307:
            rule = "a weight times a score must be finite, got 10.0 and 3e.307 of system s, user 1"
            with pytest.raises(duckdb.InvalidInputException, match=f"ranking_fuse: {rule}"):
                fused(pack, "raw", given)
        else:
            expected = weight * (3 * scale - scale / 28)
            assert fused(pack, "raw", given)[1, "a"][0] == pytest.approx(expected, rel=1e-15, abs=1e-300)


if __name__ == "__main__":  # where ranx is installed: whether it gives what is recorded
    ranx = import_module("ranx")
    for (norm, method, params), recorded in RANX.values():
        runs = [ranx.Run(run) for run in RUNS.values()]
        found = ranx.fuse(runs, norm=norm, method=method, params=params).to_dict()
        assert [found[user][item] for user, item in FUSED] == pytest.approx(recorded)
