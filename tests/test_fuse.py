"""ranking.fuse against a slow definition; sql/fuse.test has the values of ranx."""

import math
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import pytest

from tests.conftest import Con, is_close, literal, module_connection

Row = tuple[str | None, int | None, str | None, float | None]  # system, userid, itemid, score
con = module_connection()


def draw_rows() -> list[Row]:
    """Draw lists with ties, NULL and NaN scores, constant ones, repeated and missing items and users."""
    draw = random.Random(26)
    rows: list[Row] = []
    kinds = [[0.5], [3.0, 2.0, 1.0], [None, math.nan, 1.5, -2.0], [k / 7 for k in range(40)]]
    for user in range(60):
        for system in draw.sample(["als", "bm25", "vector"], draw.randint(1, 3)):
            scores, items = draw.choice(kinds), [*"abcdefghij", None]
            length = draw.randint(1, 9)
            rows += [(system, user, draw.choice(items), draw.choice(scores)) for _ in range(length)]
    return [*rows, ("als", None, "a", 1.0), ("bm25", None, "a", 2.0)]


def fuse(
    rows: Sequence[Row],
    method: str,
    weights: Mapping[str, float] | None = None,
    rrf_k: float = 60,
    normalize: str = "min_max",
    depth: int | None = None,
    systems: Sequence[str] = ("als", "bm25", "vector"),
    descending: bool = True,
) -> dict[tuple[int, str], tuple[float | None, int]]:
    """Return score and number of systems by user and item, by the definition, with loops."""
    weights = weights or dict.fromkeys(systems, 1)
    whole: dict[tuple[int, str], list[tuple[str | None, float | None]]] = defaultdict(list)
    for system, user, item, score in rows:
        if user is not None and system in systems and weights[system] > 0:
            value = None if score is None or math.isnan(score) else score if descending else -score
            whole[user, system].append((item, value))
    lists: dict[int, dict[str, dict[str, tuple[int, float | None]]]] = defaultdict(dict)
    for (user, system), pairs in whole.items():
        pairs.sort(key=lambda pair: (pair[1] is None, -(pair[1] or 0), pair[0] is None, pair[0]))
        for rank, (item, value) in enumerate(pairs[:depth], 1):
            if item is not None:
                lists[user].setdefault(system, {}).setdefault(item, (rank, value))
    fused: dict[tuple[int, str], tuple[float | None, int]] = {}
    for user, of_user in lists.items():
        n = len({item for listed in of_user.values() for item in listed})
        for item in {item for listed in of_user.values() for item in listed}:
            systems_of_item = [system for system, listed in of_user.items() if item in listed]
            points = []
            for system in systems_of_item:
                rank, value = of_user[system][item]
                if method == "rrf":
                    point: Fraction | None = 1 / (Fraction(rrf_k) + rank)
                elif method == "borda":
                    point = Fraction(max(n - rank + 1, 0), n)
                else:
                    point = normalized(value, [of for _, of in of_user[system].values()], normalize)
                points += [] if point is None else [point * Fraction(weights[system])]
            times = len(points) if method == "combmnz" else 1
            fused[user, item] = float(sum(points) * times) if points else None, len(systems_of_item)
    return fused


def normalized(value: float | None, values: Sequence[float | None], normalize: str) -> Fraction | None:
    if value is None:
        return None
    exact = [Fraction(of) for of in values if of is not None]
    x, low, high, n = Fraction(value), min(exact), max(exact), len(exact)
    if normalize == "none":
        return x
    if high == low:
        return {"min_max": Fraction(1), "z_score": Fraction(0), "sum": Fraction(1, n)}[normalize]
    mean = sum(exact, Fraction()) / n
    deviation = Fraction(math.sqrt(sum((of - mean) ** 2 for of in exact) / n))
    widths: dict[str, Fraction] = {"min_max": high - low, "z_score": deviation, "sum": n * (mean - low)}
    return (x - (mean if normalize == "z_score" else low)) / widths[normalize]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"depth": 3, "rrf_k": 0.5, "normalize": "z_score"},
        {"weights": {"als": 1e-3, "bm25": 1e12, "vector": 0}, "normalize": "sum"},
        {"systems": ["als", "vector"], "descending": False, "normalize": "none"},
    ],
)
@pytest.mark.parametrize("method", ["rrf", "borda", "combsum", "combmnz"])
def test_fused_scores_equal_the_slow_definition(con: Con, method: str, options: dict[str, Any]) -> None:
    columns = "(system VARCHAR, userid INTEGER, itemid VARCHAR, score DOUBLE)"
    con.execute(f"CREATE OR REPLACE TABLE drawn {columns}")
    con.executemany("INSERT INTO drawn VALUES (?, ?, ?, ?)", draw_rows())
    expected = fuse(draw_rows(), method, **options)
    arguments = "".join(f", {name} := {literal(choice)}" for name, choice in options.items())
    fused = con.execute(f"FROM ranking.fuse('drawn', '{method}'{arguments})").fetchall()
    assert len(fused) == len(expected)
    for user, item, score, n_systems in fused:
        expected_score, n = expected[user, item]
        assert n_systems == n, (user, item)
        assert is_close(score, expected_score, 1e-12), (user, item, score, expected_score)
