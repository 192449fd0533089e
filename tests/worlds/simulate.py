"""How often ranking_check takes scores for turned round, where they are and where they are not."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import duckdb
import numpy as np

from tests.worlds import generators as g
from tests.worlds.generators import DISASTERS, Lists, Rng, World
from tests.worlds.tables import create, found, rec_table, truth_table


class Draw(NamedTuple):
    """The lists of one draw, by the model's own order, and what is written for its scores."""

    world: World
    lists: Lists
    written: str = "scores"

    def as_written(self, rng: Rng) -> Lists:
        if self.written == "scores":
            return self.lists
        write = g.points if self.written == "points" else DISASTERS[self.written]
        return Lists(self.lists.items, write(rng, self.lists.scores))


Kind = Callable[[Rng], Draw]


def good(
    length: int = 20, truth: str = "three relevant", written: str = "scores", quality: float = 0.7
) -> Kind:
    def draw(rng: Rng) -> Draw:
        world = g.draw_world(rng, truth)
        return Draw(world, g.model(rng, world, quality, length), written)

    return draw


def other(lists: Callable[[Rng, World], Lists]) -> Kind:
    def draw(rng: Rng) -> Draw:
        world = g.draw_world(rng)
        return Draw(world, lists(rng, world))

    return draw


def unrelated_list(users: int, length: int, popularity: float, items: int = 200) -> Kind:
    """One list for all in an order unrelated to truth, of one to three items a user by popularity alone."""

    def draw(rng: Rng) -> Draw:
        popular = np.cumsum(np.exp(1.5 * popularity * rng.standard_normal(items)))
        bought = np.searchsorted(popular, popular[-1] * rng.random((users, 3))).clip(0, items - 1)
        bought = np.where(np.arange(3) < rng.integers(1, 4, (users, 1)), bought, bought[:, :1])
        grades = np.full((users, items), np.nan)
        np.put_along_axis(grades, bought, 1.0, 1)
        order = rng.permutation(items)[:length]
        scores = -np.sort(-rng.random(length))
        shape = users, length
        lists = Lists(np.broadcast_to(order, shape), np.broadcast_to(scores, shape))
        return Draw(World(grades, grades), lists)

    return draw


DISASTERS_OF_GOOD_MODELS: dict[str, Kind] = {written: good(written=written) for written in DISASTERS}
CLEAN: dict[str, Kind] = {
    "good model": good(),
    "good model, points": good(written="points"),
    "good model, list of 3": good(3),
    "good model, list of 10": good(10),
    "good model, list of 100": good(100),
    "good model, three grades": good(truth="three grades"),
    "good model, 1 to 3 purchases": good(truth="purchases"),
    "weak model, 1 to 3 purchases": good(truth="purchases", quality=0.3),
    "popularity list": other(lambda _, world: g.popularity_list(world)),
    "random model": other(g.random_model),
    "bad model": other(g.bad_model),
}


def generators(seed: int, draws: int) -> Iterator[Rng]:
    return (np.random.default_rng([seed, i]) for i in range(draws))


def severities(
    con: duckdb.DuckDBPyConnection, kinds: Mapping[str, Kind], draws: Mapping[str, int], seed: int
) -> dict[str, Counter[str]]:
    """How many draws of each kind have a row of which end is up, by its severity."""
    drawn = [
        (f"{name}, {i}", kind(rng), rng)
        for name, kind in kinds.items()
        for i, rng in enumerate(generators(seed, draws[name]))
    ]
    systems = [(name, i, one.as_written(rng)) for i, (name, one, rng) in enumerate(drawn)]
    create(con, rec=rec_table(systems), truth=truth_table([one.world for _, one, _ in drawn]))
    counts: dict[str, Counter[str]] = {name: Counter() for name in kinds}
    for row in found(con):
        if row.code != "truth_in_rec":
            counts[str(row.system).rpartition(", ")[0]][row.severity] += 1
    return counts
