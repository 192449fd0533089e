"""Ties for tests: rows with equal scores, all their orders, and the mean of a slow definition over these."""

import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby, permutations, product
from typing import Any, NamedTuple

import pyarrow as pa

from tests.conftest import Con
from tests.witnesses import WITNESSES, Options, Ranking, judge_slowly

# The tables `given` and `judged` in other types and under other names: rec, truth, and more arguments.
HUGE = "CASE WHEN NOT isnan(score) THEN -score::HUGEINT END"
UUID = "('00000000-0000-0000-0000-00000000000' || itemid)"
NAMES = "user_col := 'who', item_col := 'what', score_col := 'p', grade_col := 'stars', system_col := 'model'"
LAYOUTS = [
    ("FROM given", "FROM judged", ""),
    (f"SELECT * REPLACE ({HUGE} AS score) FROM given", "FROM judged", ", descending := false"),
    (
        f"SELECT userid AS who, {UUID}::UUID AS what, score AS p, 'x' AS model FROM given",
        f"SELECT userid AS who, {UUID} AS what, rel AS stars FROM judged",
        f", {NAMES}",
    ),
]


class Tied(NamedTuple):
    """Rows of item and score, and the grades of the judged items."""

    rows: Sequence[tuple[Any, float | None]]
    truth: dict[Any, float]

    def ties(self) -> list[tuple[list[Any], list[None]]]:
        """Return the items of each score and a miss for each copy, best first, NULL and NaN last."""

        def sort_key(row: tuple[Any, float | None]) -> float:
            return math.inf if row[1] is None or math.isnan(row[1]) else -row[1]

        ties = []
        for _, rows in groupby(sorted(self.rows, key=sort_key), sort_key):
            tie = [item for item, _ in rows]
            items = [item for i, item in enumerate(tie) if item is None or item not in tie[:i]]
            ties.append((items, [None] * (len(tie) - len(items))))
        return ties

    def rankings(self) -> list[tuple[Ranking, int]]:
        """Return the judged lists that the scores allow, and how many orders lead to each."""
        orders: Counter[tuple[int, ...]] = Counter()
        by_ranks = {}
        ties = ([[*order, *misses] for order in permutations(items)] for items, misses in self.ties())
        for order in product(*ties):
            ranking = judge_slowly([item for tie in order for item in tie], self.truth, "map")
            assert ranking is not None
            key = (*ranking.ranks, *map(float, ranking.grades))
            by_ranks[key] = ranking
            orders[key] += 1
        return [(by_ranks[key], n) for key, n in orders.items()]


def condensed(ranking: Ranking) -> Ranking:
    """Return the list without items that are not in truth."""
    size = len(ranking.ranks)
    return replace(ranking, ranks=[*range(1, size + 1)], size=size)


def mean(name: str, rankings: Sequence[tuple[Ranking, int]], k: int | None, options: Options) -> float:
    """Return the mean of the slow definition over these lists."""
    witness, total = WITNESSES[name], sum(orders for _, orders in rankings)
    return math.fsum(orders * witness.of_table(ranking, k, options) for ranking, orders in rankings) / total


def random_cases(draw: random.Random, n: int, longest: int) -> list[Tied]:
    """Draw from few scores and items: ties, repeated items, NULLs and NaNs; truth with and without grades."""
    cases = []
    scores: list[float | None]
    items: list[int | None] = [*range(8), None]
    for _ in range(n):
        scores = draw.choice([[1.0], [1.0, 2.0], [None, math.nan, 1.0, 2.0, 2.0, 3.0]])
        rows = [(draw.choice(items), draw.choice(scores)) for _ in range(draw.randint(0, longest))]
        grades = draw.choice([[1], [-1, 0, 1, 1, 2, 3, 0.5]])
        judged = draw.sample(range(8), draw.randint(0, 6))
        cases.append(Tied(rows, {item: draw.choice(grades) for item in judged}))
    return cases


def create_tables(con: Con, cases: Sequence[Tied]) -> None:
    """Create each case as a user of `given` and `judged`. An empty truth is a row without an item."""
    given = [(user, *row) for user, case in enumerate(cases) for row in case.rows]
    judged = [(user, *row) for user, case in enumerate(cases) for row in case.truth.items() or [(None, 1)]]
    kinds = pa.int32(), pa.int32(), pa.float64()
    for name, column, rows in (("given", "score", given), ("judged", "rel", judged)):
        cells = zip(zip(*rows, strict=True), kinds, strict=True)
        columns = [pa.array(values, kind) for values, kind in cells]
        con.register("rows", pa.table(columns, ["userid", "itemid", column]))
        con.execute(f"CREATE OR REPLACE TABLE {name} AS FROM rows").unregister("rows")
