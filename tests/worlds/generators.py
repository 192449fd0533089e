"""Generators of small worlds: what users like, what truth knows of it, and what models make of it.

All are arrays by user and item, or by user and place in a list, best first by the model's own order.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Rng = np.random.Generator
Write = Callable[[Rng, Floats], Floats]


class World(NamedTuple):
    """What each user likes, the grades that truth has (NaN where it has no row), and what she had before."""

    likes: Floats
    grades: Floats
    seen: NDArray[np.bool_] = np.zeros((0, 0), bool)

    @property
    def relevant(self) -> NDArray[np.bool_]:
        return self.grades > 0


class Lists(NamedTuple):
    """A list for each user, best first, and the scores that are written to rec."""

    items: Ints
    scores: Floats


Model = Callable[[Rng, World], Lists]
Kind = Callable[[Rng], tuple[World, Lists]]


# --- Users, items and truth ---


def top(values: Floats, n: int) -> Ints:
    """The n items of the highest values of each user, best first."""
    if n < values.shape[1]:
        chosen = np.argpartition(-values, n, axis=1)[:, :n]
        order = np.argsort(-np.take_along_axis(values, chosen, 1), axis=1)
        return np.take_along_axis(chosen, order, 1)
    return np.argsort(-values, axis=1)


def chosen(rng: Rng, liked: Floats, n: int) -> Ints:
    """The n items that each user takes, by chance, the liked ones more often; the first is taken first."""
    return top(1.5 * liked + rng.gumbel(size=liked.shape), n)


def graded(items: Ints, grades: object, shape: tuple[int, ...]) -> Floats:
    """These grades of these items, and none of others."""
    found = np.full(shape, np.nan)
    np.put_along_axis(found, items, grades, 1)
    return found


def purchases(rng: Rng, liked: Floats) -> Floats:
    """Implicit feedback: one to three items a user, and nothing on those that were not bought."""
    items, bought = chosen(rng, liked, 3), np.arange(3) < rng.integers(1, 4, (len(liked), 1))
    return graded(items, np.where(bought, 1.0, np.nan), liked.shape)


SIX_GRADES_AND_FOUR_IRRELEVANT = np.array([3.0, 3, 2, 2, 1, 1, 0, 0, -1, -1])
TRUTHS: dict[str, Write] = {
    "purchases": purchases,
    "three relevant": lambda rng, liked: graded(chosen(rng, liked, 3), 1.0, liked.shape),
    "three grades": lambda rng, liked: graded(
        chosen(rng, liked, 10), SIX_GRADES_AND_FOUR_IRRELEVANT, liked.shape
    ),
    # Those of the highest likes, as a question was written from them.
    "two chunks": lambda rng, liked: graded(top(liked, 2), 1.0, liked.shape),
}


def draw_world(rng: Rng, truth: str, users: int = 400, items: int = 200, popularity: float = 1.0) -> World:
    """Taste of each user, and what all users share."""
    liked = rng.standard_normal((users, items)) + popularity * rng.standard_normal(items)
    return World(liked, TRUTHS[truth](rng, liked))


# --- Models ---


def model(rng: Rng, world: World, quality: float, length: int = 20, lifts_seen: bool = False) -> Lists:
    """A model whose scores have a correlation of `quality` with what users like; lists are cut at the top.

    It may score what users had in training above all else, as those do that were fitted to it.
    """
    noise = world.likes.std() * rng.standard_normal(world.likes.shape)
    scores = quality * world.likes + np.sqrt(1 - quality**2) * noise
    return best(scores + world.seen * (np.ptp(scores) + 1) if lifts_seen else scores, length)


def best(scores: Floats, length: int = 20) -> Lists:
    items = top(scores, length)
    return Lists(items, np.take_along_axis(scores, items, 1))


def good(length: int = 20, quality: float = 0.7, write: Write = lambda _, scores: scores) -> Model:
    """A good model, and what is written for its scores."""

    def draw(rng: Rng, world: World) -> Lists:
        items, scores = model(rng, world, quality, length)
        return Lists(items, write(rng, scores))

    return draw


def random_model(rng: Rng, world: World) -> Lists:
    """Items and scores at random."""
    return best(rng.standard_normal(world.likes.shape))


def bad_model(rng: Rng, world: World) -> Lists:
    """Good candidates, which hold what is relevant, in an order unrelated to it."""
    candidates = rng.permuted(model(rng, world, 0.8).items, axis=1)
    return Lists(candidates, -np.sort(-rng.standard_normal(candidates.shape), axis=1))


def popularity_list(_: Rng, world: World) -> Lists:
    """One list for all users, of the items that most of them find relevant."""
    shared = world.relevant.sum(0) + np.linspace(0, 0.5, world.likes.shape[1])
    return best(np.broadcast_to(shared, world.likes.shape).astype(float))


def with_truth_joined(leaks: Callable[[Floats], NDArray[np.bool_]]) -> Model:
    """A model that truth was joined into: items whose grade leaks stand first, then the model's own list."""

    def draw(rng: Rng, world: World) -> Lists:
        items = good()(rng, world).items
        own = graded(items, -np.arange(20.0), world.likes.shape)
        scores = np.where(leaks(world.grades), 1_000 * (world.grades + 2), np.nan_to_num(own, nan=-np.inf))
        return best(scores - 0.001 * np.arange(world.likes.shape[1]))

    return draw


def truth_itself(_: Rng, world: World) -> Lists:
    """The rows of truth as rec; each user must have as many."""
    return best(np.nan_to_num(world.grades, nan=-np.inf), int((~np.isnan(world.grades[0])).sum()))


def honest_retriever(rng: Rng, world: World) -> Lists:
    """A retriever that puts both gold chunks first for 80 % of queries; else another is among them."""
    scores = world.likes - world.likes.max()
    gold = np.argsort(~world.relevant, axis=1, kind="stable")[:, :2]
    np.put_along_axis(scores, gold, np.array([[10.0, 9.0]]).repeat(len(gold), 0), 1)
    misses = rng.random(len(gold)) >= 0.8
    intruder = rng.choice([9.5, 10.5], len(gold), p=[0.8, 0.2])
    other = top(np.where(world.relevant, -np.inf, world.likes), 1)[:, 0]
    scores[np.flatnonzero(misses), other[misses]] = intruder[misses]
    return best(scores)


# --- Worlds with a model ---


def of(truth: str, lists: Model, users: int = 400) -> Kind:
    def draw(rng: Rng) -> tuple[World, Lists]:
        world = draw_world(rng, truth, users)
        return world, lists(rng, world)

    return draw


def after(lists: Model) -> Kind:
    """A world whose users had eight items in training: what they like most, other than what is in truth."""

    def draw(rng: Rng) -> tuple[World, Lists]:
        world = draw_world(rng, "three relevant", 200, popularity=0.5)
        liked = np.where(world.relevant, -np.inf, 2 * world.likes + rng.gumbel(size=world.likes.shape))
        world = world._replace(seen=~np.isnan(graded(top(liked, 8), 1, liked.shape)))
        return world, lists(rng, world)

    return draw


def unrelated_list(users: int, length: int, popularity: float = 0.5, items: int = 200) -> Kind:
    """One list for all in an order unrelated to truth, of one to three items a user by popularity alone."""

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
    """1 to n."""
    return np.broadcast_to(np.arange(1.0, scores.shape[1] + 1), scores.shape)


def ranks_without_one(rng: Rng, scores: Floats) -> Floats:
    """Ranks of lists out of which one item was filtered, at any place."""
    return ranks(scores) + (ranks(scores) >= rng.integers(1, scores.shape[1] + 2, (len(scores), 1)))


UPSIDE_DOWN: dict[str, Write] = {
    "ranks 1..n": lambda _, scores: ranks(scores),
    "ranks 0..n-1": lambda _, scores: ranks(scores) - 1,
    "ranks, one item out": ranks_without_one,
    "rank / 20": lambda _, scores: ranks(scores) / 20,
    "1 - score": lambda _, scores: 1 - 1 / (1 + np.exp(-scores)),  # a distance
    "-score": lambda _, scores: -scores,
}
# By what is told of each: its severity and code.
DISASTERS: dict[tuple[str, str], dict[str, Kind]] = {
    ("error", "upside_down"): {
        **{name: of("three relevant", good(write=write)) for name, write in UPSIDE_DOWN.items()},
        "-score, with a history": after(good(quality=0.9, write=UPSIDE_DOWN["-score"])),
    },
    ("error", "seen_first"): {"seen": after(lambda rng, world: model(rng, world, 0.9, lifts_seen=True))},
    ("warning", "truth_in_rec"): {
        "joined": of("two chunks", with_truth_joined(lambda grades: grades > 0), 60),
        "relevant joined": of("three grades", with_truth_joined(lambda grades: grades > 0), 60),
    },
    ("error", "truth_in_rec"): {
        "all joined": of("three grades", with_truth_joined(lambda grades: grades == grades), 60)
    },
}
SILENT: dict[str, Kind] = {  # of which nothing is told
    "good model": of("three relevant", good()),
    "good model, points": of("three relevant", good(write=lambda _, scores: 21 - ranks(scores))),
    "good model, with a history": after(good(quality=0.9)),
    "good model, two chunks": of("two chunks", good(), 60),
    "honest retriever": of("two chunks", honest_retriever, 60),
    "truth": of("two chunks", truth_itself, 60),
    "truth with grades": of("three grades", truth_itself, 60),
}
CLEAN: dict[str, Kind] = {  # of which nothing wrong is told
    "good model, list of 3": of("three relevant", good(3)),
    "good model, list of 10": of("three relevant", good(10)),
    "good model, list of 100": of("three relevant", good(100)),
    "good model, three grades": of("three grades", good()),
    "good model, 1 to 3 purchases": of("purchases", good()),
    "weak model, 1 to 3 purchases": of("purchases", good(quality=0.3)),
    "popularity list": of("purchases", popularity_list),
    "random model": of("purchases", random_model),
    "bad model": of("purchases", bad_model),
    "one list for all": unrelated_list(400, 20),
    "one short list for all": unrelated_list(100, 10),
}
