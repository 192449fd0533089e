"""ranking_position_effect: against a slow definition, users whose ways are known, and a fitted click model.

clax is not among the tests' requirements: its values are recorded. right_tables.txt has cases worked by hand.
"""

import math
import random
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import t as student_t

from tests.conftest import is_close, module_connection

QUERY = (
    "SELECT {} FROM ranking_position_effect('log', user_col := 'query', item_col := 'item'{}) ORDER BY rank"
)
EXAMINED = np.arange(1, 11) ** -0.8
# By the PositionBasedModel of clax-models 0.1.1: examination of ranks, after 1,500 steps of Adam.
CLAX = (1, 0.577972, 0.430204, 0.338061, 0.276053)
Cell = tuple[int, int, int]  # query, item, rank

pack = module_connection()


# --- Against a slow definition ---


def defined(cells: Mapping[Cell, tuple[int, int]], parts: Mapping[int, int]) -> dict[int, list[float | None]]:
    """The effect of each rank with its interval, of how often cells were shown and clicked."""
    pairs: dict[int, list[tuple[int, Fraction, Fraction]]] = {}  # by rank: part, clicks here and at the next
    for (query, item, rank), (shown, clicks) in cells.items():
        next_shown, next_clicks = cells.get((query, item, rank + 1), (0, 0))
        if shown and next_shown:
            both = Fraction(clicks, shown), Fraction(next_clicks, next_shown)
            here, there = (min(shown, next_shown) * rate for rate in both)
            pairs.setdefault(rank, []).append((parts[query], here, there))

    def effect(rank: int, left_out: int | None = None) -> Fraction | None:
        found = Fraction(1)
        for s in range(1, rank):
            counted = [(here, there) for part, here, there in pairs.get(s, []) if part != left_out]
            here = sum((one for one, _ in counted), Fraction())
            there = sum((one for _, one in counted), Fraction())
            if not here or not there:
                return None
            found *= there / here
        return found

    intervals: dict[int, list[float | None]] = {}
    for rank in sorted({rank for *_, rank in cells}):
        whole, others = effect(rank), [effect(rank, part) for part in range(20)]
        if whole is None or any(one is None for one in others):
            intervals[rank] = [None if whole is None else float(whole), None, None]
            continue
        logs = [math.log(one) for one in others if one is not None]
        variance = 19 / 20 * sum((one - sum(logs) / 20) ** 2 for one in logs)
        parted = min((len({part for part, *_ in pairs[s]}) for s in range(1, rank)), default=20)
        half = student_t.ppf(0.975, parted - 1) * math.sqrt(variance) if rank > 1 else 0
        intervals[rank] = [float(whole), *(float(whole) * math.exp(sign * half) for sign in (-1, 1))]
    return intervals


@pytest.mark.parametrize(
    ("form", "queries"),
    [("impressions", 3), ("impressions", 60), ("counts", 12), ("counts", 60), ("lists", 12)],
)
def test_effects_are_those_of_a_slow_definition(
    pack: duckdb.DuckDBPyConnection, form: str, queries: int
) -> None:
    draw = random.Random(queries)
    rows: list[dict[str, Any]] = []
    for number in range(queries * 12):
        query, items = draw.randrange(queries), draw.choices(range(7), k=6)
        rows += [
            {"list": number, "query": query, "item": item, "rank": rank, "shown": draw.randint(0, 9),
             "clicked": draw.random() < 1 / (item % 3 + rank)}
            for rank, item in enumerate(items, 1)
        ]  # fmt: skip
    shown, clicks, once = Counter[Cell](), Counter[Cell](), set()
    for row in rows:
        cell = row["query"], row["item"], row["rank"]
        if form == "lists" and (row["list"], row["item"]) in once:
            shown[cell] += 0
            continue
        once.add((row["list"], row["item"]))
        row["clicked"] = row["clicked"] if form != "counts" else row["clicked"] * draw.randint(0, 12)
        shown[cell] += (n := row["shown"] if form == "counts" else 1)
        clicks[cell] += min(row["clicked"], n)
    pack.register("log", pa.Table.from_pylist(draw.sample(rows, len(rows))))
    hashed = dict(pack.execute("SELECT DISTINCT query, hash(query) % 20 FROM log").fetchall())
    expected = defined({cell: (shown[cell], clicks[cell]) for cell in shown}, hashed)
    option = {"counts": ", shown_col := 'shown'", "lists": ", list_col := 'list'"}.get(form, "")
    found = pack.execute(QUERY.format("rank, effect, low, high", option)).fetchall()
    assert {rank for rank, *_ in found} == expected.keys()
    for rank, *values in found:
        pairs = zip(values, expected[rank], strict=True)
        assert all(is_close(one, other, 1e-7) for one, other in pairs), (rank, values, expected[rank])
    assert queries < 60 or expected[6][1] is not None


# --- Against users whose ways are known ---


def simulated(seed: int, users: str, queries: int = 200, depth: int = 10, lists: int = 20_000) -> pa.Table:
    """A log of two rankers that take turns, or of one that learns from clicks, or knows each person's likes.

    Its users look at ranks as EXAMINED says, or go down a list until they have enough (`cascade`); a log has
    whether they looked.
    """
    draw = np.random.default_rng(seed)
    relevance = draw.beta(1, 3, (queries, 15))
    query = draw.integers(queries, size=lists)
    rankers = relevance + draw.normal(0, 0.3, (2, queries, 15))
    shown, clicked = np.ones((queries, 15)), np.full((queries, 15), 0.3)
    parts = []
    for rows in np.array_split(query, 50 if users == "learned" else 1):
        liked = relevance[rows]
        if users == "personal":
            liked = np.minimum(liked * np.exp(draw.normal(0, 0.5, liked.shape)), 1)
        scores = {"learned": (clicked / shown)[rows], "personal": liked}.get(users)
        if scores is None:
            scores = rankers[draw.integers(2, size=len(rows)), rows]
        items = np.argsort(-scores, axis=1)[:, :depth]
        likes = draw.random(items.shape) < np.take_along_axis(liked, items, 1)
        looks = draw.random(items.shape) < EXAMINED[:depth]
        if users == "cascade":
            goes_on = draw.random(items.shape) < np.where(likes, 0.4, 0.85)
            looks = np.cumprod(np.hstack([np.ones((len(rows), 1), bool), goes_on[:, :-1]]), axis=1) > 0
        np.add.at(shown, (rows[:, None], items), 1)
        np.add.at(clicked, (rows[:, None], items), likes & looks)
        parts.append((np.repeat(rows, depth), items.ravel(), (likes & looks).ravel(), looks.ravel()))
    names = ("query", "item", "clicked", "looked")
    table = pa.table(dict(zip(names, (np.concatenate(one) for one in zip(*parts, strict=True)), strict=True)))
    return table.append_column("rank", pa.array(np.tile(np.arange(1, depth + 1), lists)))


def effects(con: duckdb.DuckDBPyConnection, log: pa.Table) -> Any:
    """The effects of a log, their lower and their upper ends."""
    con.register("log", log)
    return np.array(con.execute(QUERY.format("effect, low, high", "")).fetchall(), float).T


def test_intervals_have_the_effect_of_two_rankers_that_take_turns(pack: duckdb.DuckDBPyConnection) -> None:
    true = EXAMINED[:5]
    drawn = [effects(pack, simulated(seed, "ranks", depth=5, lists=6_000)) for seed in range(24)]
    found, low, high = np.array(drawn).transpose(1, 0, 2)
    assert 0.90 <= ((low <= true) & (true <= high))[:, 1:].mean() <= 0.99  # of 96 that are not independent
    errors = np.log(found / true)
    assert (abs(errors.mean(axis=0)) <= 3 * errors.std(axis=0, ddof=1) / math.sqrt(24)).all()


def test_effects_are_those_of_a_click_model(pack: duckdb.DuckDBPyConnection) -> None:
    found, low, high = effects(pack, simulated(2, "ranks", queries=50, depth=5, lists=10_000))
    assert found == pytest.approx(CLAX, rel=0.05)
    assert ((low <= CLAX) & (high >= CLAX)).all()


@pytest.mark.parametrize(
    ("users", "least", "most"),
    [("ranks", 0.75, 1.25), ("cascade", 0.75, 1.25), ("learned", 1.5, 3), ("personal", 0.4, 0.65)],
)
def test_effects_are_wrong_where_ranks_follow_what_is_liked(
    pack: duckdb.DuckDBPyConnection, users: str, least: float, most: float
) -> None:
    """In 20,000 lists, at rank 4, as the head of the macro says."""
    log = simulated(1, users)
    looked = log["looked"].to_numpy()[3::10].mean() if users == "cascade" else EXAMINED[3]
    found, low, high = effects(pack, log)[:, 3]
    assert least <= found / looked <= most
    assert (low <= looked <= high) == (users in ("ranks", "cascade"))
