"""Generators of small worlds: what users like, which of it is in truth, and what models recommend.

All arrays are by user and item, or by user and position in a list, best first by the model's own order.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Rng = np.random.Generator
Write = Callable[[Rng, Floats], Floats]


class World(NamedTuple):
    """What each user likes, the grades in truth (NaN without a row), and the items in the history."""

    likes: Floats
    grades: Floats
    seen: NDArray[np.bool_] = np.zeros((0, 0), bool)

    @property
    def relevant(self) -> NDArray[np.bool_]:
        return self.grades > 0


class Lists(NamedTuple):
    """A list for each user, best first, and the scores in rec."""

    items: Ints
    scores: Floats


Model = Callable[[Rng, World], Lists]
Kind = Callable[[Rng], tuple[World, Lists]]


# --- Users, items and truth ---


def top(values: Floats, n: int) -> Ints:
    """Return the n items with the highest values of each user, best first."""
    if n < values.shape[1]:
        items = np.argpartition(-values, n, axis=1)[:, :n]
        return np.take_along_axis(items, np.argsort(-np.take_along_axis(values, items, 1), axis=1), 1)
    return np.argsort(-values, axis=1)


def choose(rng: Rng, liked: Floats, n: int) -> Ints:
    """Draw n items for each user, liked ones more often, in the order in which they are taken."""
    return top(1.5 * liked + rng.gumbel(size=liked.shape), n)


def graded(items: Ints, grades: object, shape: tuple[int, ...]) -> Floats:
    """Return these grades of these items, and NaN elsewhere."""
    table = np.full(shape, np.nan)
    np.put_along_axis(table, items, grades, 1)
    return table


def purchases(rng: Rng, liked: Floats) -> Floats:
    """Draw implicit feedback: one to three items a user, and no row for the other items."""
    items, bought = choose(rng, liked, 3), np.arange(3) < rng.integers(1, 4, (len(liked), 1))
    return graded(items, np.where(bought, 1.0, np.nan), liked.shape)


GRADES = np.array([3.0, 3, 2, 2, 1, 1, 0, 0, -1, -1])
TRUTHS: dict[str, Write] = {
    "purchases": purchases,
    "three relevant": lambda rng, liked: graded(choose(rng, liked, 3), 1.0, liked.shape),
    "three grades": lambda rng, liked: graded(choose(rng, liked, 10), GRADES, liked.shape),
    # The two most liked, as if a question was written from them.
    "two chunks": lambda _, liked: graded(top(liked, 2), 1.0, liked.shape),
}


def draw_world(rng: Rng, truth: str, users: int = 400, items: int = 200, popularity: float = 1.0) -> World:
    """Draw the taste of each user and what all users share."""
    liked = rng.standard_normal((users, items)) + popularity * rng.standard_normal(items)
    return World(liked, TRUTHS[truth](rng, liked))


# --- Models ---


def best(scores: Floats, length: int = 20) -> Lists:
    items = top(scores, length)
    return Lists(items, np.take_along_axis(scores, items, 1))


def model(
    rng: Rng,
    world: World,
    quality: float = 0.7,
    length: int = 20,
    lifts_seen: bool = False,
    write: Write | None = None,
) -> Lists:
    """Draw scores whose correlation with what users like is `quality`, and what is written for them.

    With lifts_seen, items of the history score above all others, as for a model that was fitted to it.
    """
    noise = world.likes.std() * rng.standard_normal(world.likes.shape)
    scores = quality * world.likes + np.sqrt(1 - quality**2) * noise
    items, scores = best(scores + world.seen * (np.ptp(scores) + 1) if lifts_seen else scores, length)
    return Lists(items, write(rng, scores) if write else scores)


def random_model(rng: Rng, world: World) -> Lists:
    return best(rng.standard_normal(world.likes.shape))


def bad_model(rng: Rng, world: World) -> Lists:
    """Draw good candidates, which include the relevant items, in an unrelated order."""
    candidates = rng.permuted(model(rng, world, 0.8).items, axis=1)
    return Lists(candidates, -np.sort(-rng.standard_normal(candidates.shape), axis=1))


def popularity_list(_: Rng, world: World) -> Lists:
    """Return one list for all users: the items that are relevant to most of them."""
    shared = world.relevant.sum(0) + np.linspace(0, 0.5, world.likes.shape[1])
    return best(np.broadcast_to(shared, world.likes.shape).astype(float))


def joined(rng: Rng, world: World, least: float = 1) -> Lists:
    """Join truth into a model's lists: items with this grade or more come first, then the model's own."""
    own = graded(model(rng, world).items, -np.arange(20.0), world.likes.shape)
    leaked = 1_000 * (world.grades + 2)
    scores = np.where(world.grades >= least, leaked, np.nan_to_num(own, nan=-np.inf))
    return best(scores - 0.001 * np.arange(world.likes.shape[1]))


def truth_itself(_: Rng, world: World) -> Lists:
    """Return the rows of truth as rec. Each user must have the same number."""
    return best(np.nan_to_num(world.grades, nan=-np.inf), int((~np.isnan(world.grades[0])).sum()))


def honest_retriever(rng: Rng, world: World) -> Lists:
    """Put both gold chunks first for 80% of queries; otherwise another chunk is among them."""
    scores = world.likes - world.likes.max()
    gold = np.argsort(~world.relevant, axis=1, kind="stable")[:, :2]
    np.put_along_axis(scores, gold, np.array([[10.0, 9.0]]).repeat(len(gold), 0), 1)
    misses = rng.random(len(gold)) >= 0.8
    intruder = rng.choice([9.5, 10.5], len(gold), p=[0.8, 0.2])
    other = top(np.where(world.relevant, -np.inf, world.likes), 1)[:, 0]
    scores[np.flatnonzero(misses), other[misses]] = intruder[misses]
    return best(scores)


# --- Worlds with a model ---


def of(
    truth: str, lists: Model, users: int = 400, popularity: float = 1.0, has_history: bool = False
) -> Kind:
    """Combine a truth and a model. A history is eight items a user, most liked and not in truth."""

    def draw(rng: Rng) -> tuple[World, Lists]:
        world = draw_world(rng, truth, users, popularity=popularity)
        if has_history:
            liked = np.where(world.relevant, -np.inf, 2 * world.likes + rng.gumbel(size=world.likes.shape))
            world = world._replace(seen=~np.isnan(graded(top(liked, 8), 1, liked.shape)))
        return world, lists(rng, world)

    return draw


after = partial(of, "three relevant", users=200, popularity=0.5, has_history=True)


def unrelated_list(users: int, length: int, popularity: float = 0.5, items: int = 200) -> Kind:
    """Give all users one unrelated list; truth is one to three items a user, drawn by popularity alone."""

    def draw(rng: Rng) -> tuple[World, Lists]:
        popular = np.cumsum(np.exp(1.5 * popularity * rng.standard_normal(items)))
        bought = np.searchsorted(popular, popular[-1] * rng.random((users, 3))).clip(0, items - 1)
        bought = np.where(np.arange(3) < rng.integers(1, 4, (users, 1)), bought, bought[:, :1])
        grades = graded(bought, 1.0, (users, items))
        order, scores = rng.permutation(items)[:length], -np.sort(-rng.random(length))
        shape = users, length
        return World(grades, grades), Lists(np.broadcast_to(order, shape), np.broadcast_to(scores, shape))

    return draw


def ranks(scores: Floats) -> Floats:
    return np.broadcast_to(np.arange(1.0, scores.shape[1] + 1), scores.shape)


def ranks_without_one(rng: Rng, scores: Floats) -> Floats:
    """Return the ranks of lists from which one item was removed, at any position."""
    return ranks(scores) + (ranks(scores) >= rng.integers(1, scores.shape[1] + 2, (len(scores), 1)))


REVERSED: dict[str, Write] = {
    "ranks 1..n": lambda _, scores: ranks(scores),
    "ranks 0..n-1": lambda _, scores: ranks(scores) - 1,
    "ranks, one item out": ranks_without_one,
    "rank / 20": lambda _, scores: ranks(scores) / 20,
    "1 - score": lambda _, scores: 1 - 1 / (1 + np.exp(-scores)),  # a distance
    "-score": lambda _, scores: -scores,
}
# By severity and code of the row that reports each.
DISASTERS: dict[tuple[str, str], dict[str, Kind]] = {
    ("error", "upside_down"): {
        **{name: of("three relevant", partial(model, write=write)) for name, write in REVERSED.items()},
        "-score, with a history": after(partial(model, quality=0.9, write=REVERSED["-score"])),
    },
    ("error", "seen_first"): {"seen": after(partial(model, quality=0.9, lifts_seen=True))},
    ("warning", "truth_in_rec"): {
        "joined": of("two chunks", joined, 60),
        "relevant joined": of("three grades", joined, 60),
    },
    ("error", "truth_in_rec"): {"all joined": of("three grades", partial(joined, least=-1), 60)},
}
SILENT: dict[str, Kind] = {  # no row reports these
    "good model": of("three relevant", model),
    "good model, points": of("three relevant", partial(model, write=lambda _, scores: 21 - ranks(scores))),
    "good model, with a history": after(partial(model, quality=0.9)),
    "good model, two chunks": of("two chunks", model, 60),
    "honest retriever": of("two chunks", honest_retriever, 60),
    "truth": of("two chunks", truth_itself, 60),
    "truth with grades": of("three grades", truth_itself, 60),
}
CLEAN: dict[str, Kind] = {  # no error reports these
    **{f"good model, list of {n}": of("three relevant", partial(model, length=n)) for n in (3, 10, 100)},
    "good model, three grades": of("three grades", model),
    "good model, 1 to 3 purchases": of("purchases", model),
    "weak model, 1 to 3 purchases": of("purchases", partial(model, quality=0.3)),
    "popularity list": of("purchases", popularity_list),
    "random model": of("purchases", random_model),
    "bad model": of("purchases", bad_model),
    "one list for all": unrelated_list(400, 20),
    "one short list for all": unrelated_list(100, 10),
}
