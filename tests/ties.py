"""Ties for tests: rows with equal scores, all their orders, and the mean of a slow definition over them."""

import math
import random
from collections import Counter
from collections.abc import Sequence
from itertools import groupby, permutations, product
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa

from tests.witnesses import WITNESSES, Options, Ranking, judge_slowly

KINDS = (pa.int32(), pa.int32(), pa.float64())


class Tied(NamedTuple):
    """Rows of item and score, and the grades of the items that are judged."""

    rows: Sequence[tuple[Any, float | None]]
    truth: dict[Any, float]

    def ties(self) -> list[list[Any]]:
        """The items of each score, best first, NULL and NaN last; of one twice there, one row is a miss."""

        def place(row: tuple[Any, float | None]) -> float:
            return math.inf if row[1] is None or math.isnan(row[1]) else -row[1]

        ties = [[item for item, _ in tie] for _, tie in groupby(sorted(self.rows, key=place), place)]
        return [[None if item in tie[:i] else item for i, item in enumerate(tie)] for tie in ties]

    def rankings(self) -> list[tuple[Ranking, int]]:
        """The judged lists that the scores allow, and how many orders give each."""
        found: Counter[tuple[int, ...]] = Counter()
        by_ranks = {}
        for order in product(*map(permutations, self.ties())):
            ranking = judge_slowly([item for tie in order for item in tie], self.truth, "map")
            assert ranking is not None
            key = (*ranking.ranks, *map(float, ranking.grades))
            by_ranks[key] = ranking
            found[key] += 1
        return [(by_ranks[key], orders) for key, orders in found.items()]


def mean(name: str, rankings: Sequence[tuple[Ranking, int]], k: int | None, options: Options) -> float:
    """The mean of the slow definition over these lists."""
    one, total = WITNESSES[name], sum(orders for _, orders in rankings)
    return math.fsum(orders * one.of_table(ranking, k, options) for ranking, orders in rankings) / total


def random_cases(draw: random.Random, n: int, longest: int) -> list[Tied]:
    """Few scores and items: ties, repeated items, NULLs and NaNs; truth with and without grades."""
    cases = []
    scores: list[float | None]
    items: list[int | None]
    for _ in range(n):
        scores = draw.choice([[1.0], [1.0, 2.0], [None, math.nan, 1.0, 2.0, 2.0, 3.0]])
        items = [*range(8), None]
        rows = [(draw.choice(items), draw.choice(scores)) for _ in range(draw.randint(0, longest))]
        grades = draw.choice([[1], [-1, 0, 1, 1, 2, 3, 0.5]])
        judged = draw.sample(range(8), draw.randint(0, 6))
        cases.append(Tied(rows, {item: draw.choice(grades) for item in judged}))
    return cases


def create_tables(con: duckdb.DuckDBPyConnection, cases: Sequence[Tied]) -> None:
    """Each case as a user, and her truth with grades; one without truth has a row without an item."""
    given = [(user, *row) for user, case in enumerate(cases) for row in case.rows]
    judged = [(user, *row) for user, case in enumerate(cases) for row in case.truth.items() or [(None, 1)]]
    for name, column, rows in (("given", "score", given), ("judged", "rel", judged)):
        columns = (pa.array(one, kind) for one, kind in zip(zip(*rows, strict=True), KINDS, strict=True))
        con.register("rows", pa.table(dict(zip(("userid", "itemid", column), columns, strict=True))))
        con.execute(f"CREATE OR REPLACE TABLE {name} AS FROM rows").unregister("rows")
