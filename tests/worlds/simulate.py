"""How often ranking_check takes scores for turned round, where they are and where they are not."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

import duckdb
import numpy as np

from tests.worlds import generators as g
from tests.worlds.generators import DISASTERS, Lists, Rng, World
from tests.worlds.tables import create, found, rec_table, truth_table

Kind = Callable[[Rng], tuple[World, Lists]]


def good(
    length: int = 20,
    truth: str = "three relevant",
    quality: float = 0.7,
    write: Callable[[Rng, g.Floats], g.Floats] | None = None,
) -> Kind:
    """A good model, and what is written for its scores."""

    def draw(rng: Rng) -> tuple[World, Lists]:
        world = g.draw_world(rng, truth)
        items, scores = g.model(rng, world, quality, length)
        return world, Lists(items, write(rng, scores) if write else scores)

    return draw


def other(lists: Callable[[Rng, World], Lists]) -> Kind:
    def draw(rng: Rng) -> tuple[World, Lists]:
        world = g.draw_world(rng)
        return world, lists(rng, world)

    return draw


def unrelated_list(users: int, length: int, popularity: float, items: int = 200) -> Kind:
    """One list for all in an order unrelated to truth, of one to three items a user by popularity alone."""

    def draw(rng: Rng) -> tuple[World, Lists]:
        popular = np.cumsum(np.exp(1.5 * popularity * rng.standard_normal(items)))
        bought = np.searchsorted(popular, popular[-1] * rng.random((users, 3))).clip(0, items - 1)
        bought = np.where(np.arange(3) < rng.integers(1, 4, (users, 1)), bought, bought[:, :1])
        grades = np.full((users, items), np.nan)
        np.put_along_axis(grades, bought, 1.0, 1)
        order, scores = rng.permutation(items)[:length], -np.sort(-rng.random(length))
        shape = users, length
        return World(grades, grades), Lists(np.broadcast_to(order, shape), np.broadcast_to(scores, shape))

    return draw


DISASTERS_OF_GOOD_MODELS: dict[str, Kind] = {name: good(write=write) for name, write in DISASTERS.items()}
CLEAN: dict[str, Kind] = {
    "good model": good(),
    "good model, points": good(write=g.points),
    "good model, list of 3": good(3),
    "good model, list of 10": good(10),
    "good model, list of 100": good(100),
    "good model, three grades": good(truth="three grades"),
    "good model, 1 to 3 purchases": good(truth="purchases"),
    "weak model, 1 to 3 purchases": good(truth="purchases", quality=0.3),
    "popularity list": other(lambda _, world: g.popularity_list(world)),
    "random model": other(g.random_model),
    "bad model": other(g.bad_model),
    "one list for all": unrelated_list(400, 20, 0.5),
    "one short list for all": unrelated_list(100, 10, 0.5),
}


def generators(seed: int, draws: int) -> Iterator[Rng]:
    return (np.random.default_rng([seed, i]) for i in range(draws))


def severities(
    con: duckdb.DuckDBPyConnection, kinds: Mapping[str, Kind], draws: Mapping[str, int], seed: int
) -> dict[str, Counter[str]]:
    """How many draws of each kind have a row of which end is up, by its severity."""
    drawn = [
        (f"{name}, {i}", *kind(rng))
        for name, kind in kinds.items()
        for i, rng in enumerate(generators(seed, draws[name]))
    ]
    systems = [(name, i, lists) for i, (name, _, lists) in enumerate(drawn)]
    create(con, rec=rec_table(systems), truth=truth_table([world for _, world, _ in drawn]))
    counts: dict[str, Counter[str]] = {name: Counter() for name in kinds}
    for row in found(con):
        if row.code != "truth_in_rec":
            counts[str(row.system).rpartition(", ")[0]][row.severity] += 1
    return counts
