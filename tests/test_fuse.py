"""ranking.fuse against a slow definition; ranx's values are in golden/sql/fuse.txt."""

import math
import random
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import pytest

from tests.conftest import Con, is_close, literal, module_connection

Row = tuple[str | None, int | None, str | None, float | None]  # system, userid, itemid, score
Fused = dict[tuple[int, str], tuple[float | None, int]]  # by user and item: score and n_systems


con = module_connection()


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


@pytest.mark.parametrize("method", ["rrf", "borda", "combsum", "combmnz"])
def test_scores_are_those_of_a_slow_definition(con: Con, method: str) -> None:
    con.execute(
        "CREATE OR REPLACE TABLE drawn (system VARCHAR, userid INTEGER, itemid VARCHAR, score DOUBLE)"
    )
    con.executemany("INSERT INTO drawn VALUES (?, ?, ?, ?)", drawn())
    options: list[dict[str, Any]] = [
        {},
        {"depth": 3, "rrf_k": 0.5, "normalize": "z_score"},
        {"weights": {"als": 1e-3, "bm25": 1e12, "vector": 0}, "normalize": "sum"},
        {"systems": ["als", "vector"], "descending": False, "normalize": "none"},
    ]
    for chosen in options:
        expected = defined(drawn(), method, **chosen)
        arguments = "".join(f", {name} := {literal(one)}" for name, one in chosen.items())
        found = con.execute(f"FROM ranking.fuse('drawn', '{method}'{arguments})").fetchall()
        assert len(found) == len(expected)
        for user, item, score, n_systems in found:
            wanted, n_wanted = expected[user, item]
            assert n_systems == n_wanted, (user, item)
            assert is_close(score, wanted, 1e-12), (user, item, score, wanted)
