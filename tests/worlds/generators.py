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


class World(NamedTuple):
    """What each user likes, by item, and the grades that truth has of it: NaN where it has no row."""

    likes: Floats
    grades: Floats

    @property
    def relevant(self) -> NDArray[np.bool_]:
        return self.grades > 0


class Lists(NamedTuple):
    """A list for each user, best first, and the scores that are written to rec."""

    items: Ints
    scores: Floats

    @property
    def length(self) -> int:
        return int(self.items.shape[1])


# --- Users, items and truth ---


def likes(rng: Rng, users: int, items: int, popularity: float = 1.0) -> Floats:
    """Taste of each user, and what all users share."""
    return rng.standard_normal((users, items)) + popularity * rng.standard_normal(items)


def draw_world(
    rng: Rng, kind: str = "purchases", users: int = 400, items: int = 200, popularity: float = 1.0
) -> World:
    """A world whose truth is of one of KINDS."""
    liked = likes(rng, users, items, popularity)
    return World(liked, KINDS[kind](rng, liked))


def top(values: Floats, n: int) -> Ints:
    """The n items of the highest values of each user, best first."""
    if n < values.shape[1]:
        chosen = np.argpartition(-values, n, axis=1)[:, :n]
        order = np.argsort(-np.take_along_axis(values, chosen, 1), axis=1)
        return np.take_along_axis(chosen, order, 1)
    return np.argsort(-values, axis=1)


def chosen(rng: Rng, liked: Floats, n: int, strength: float = 1.5) -> Ints:
    """The n items that each user takes, by chance, the liked ones more often; the first is taken first."""
    return top(strength * liked + rng.gumbel(size=liked.shape), n)


def purchases(rng: Rng, liked: Floats) -> Floats:
    """Implicit feedback: one to three items a user, and nothing on those that were not bought."""
    items = chosen(rng, liked, 3)
    grades = np.full(liked.shape, np.nan)
    bought = np.arange(3) < rng.integers(1, 4, (len(liked), 1))
    np.put_along_axis(grades, items, np.where(bought, 1.0, np.nan), 1)
    return grades


def three_relevant(rng: Rng, liked: Floats) -> Floats:
    """Three relevant items a user."""
    grades = np.full(liked.shape, np.nan)
    np.put_along_axis(grades, chosen(rng, liked, 3), 1.0, 1)
    return grades


def three_grades(rng: Rng, liked: Floats) -> Floats:
    """Six items of the grades 3 to 1, two of each, and four judged irrelevant, of grade 0 and -1."""
    grades = np.full(liked.shape, np.nan)
    given = np.array([3.0, 3, 2, 2, 1, 1, 0, 0, -1, -1])
    np.put_along_axis(grades, chosen(rng, liked, 10), np.broadcast_to(given, (len(liked), 10)), 1)
    return grades


def two_chunks(rng: Rng, liked: Floats) -> Floats:
    """Two gold chunks a query: those of the highest likes, as a question was written from them."""
    grades = np.full(liked.shape, np.nan)
    np.put_along_axis(grades, top(liked, 2), 1.0, 1)
    return grades


KINDS: dict[str, Callable[[Rng, Floats], Floats]] = {
    "purchases": purchases,
    "three relevant": three_relevant,
    "three grades": three_grades,
    "two chunks": two_chunks,
}

# --- Models ---


def model(rng: Rng, world: World, quality: float, length: int = 20) -> Lists:
    """A model whose scores have a correlation of `quality` with what users like; lists are cut at the top."""
    noise = world.likes.std() * rng.standard_normal(world.likes.shape)
    return best(quality * world.likes + np.sqrt(1 - quality**2) * noise, length)


def best(scores: Floats, length: int) -> Lists:
    items = top(scores, length)
    return Lists(items, np.take_along_axis(scores, items, 1))


def random_model(rng: Rng, world: World, length: int = 20) -> Lists:
    """Items and scores at random."""
    return best(rng.standard_normal(world.likes.shape), length)


def bad_model(rng: Rng, world: World, length: int = 20) -> Lists:
    """Good candidates, which hold what is relevant, in an order unrelated to it."""
    candidates = model(rng, world, 0.8, length).items
    order = rng.permuted(np.broadcast_to(np.arange(length), candidates.shape), axis=1)
    scores = -np.sort(-rng.standard_normal(candidates.shape), axis=1)
    return Lists(np.take_along_axis(candidates, order, 1), scores)


def popularity_list(world: World, length: int = 20) -> Lists:
    """One list for all users, of the items that most of them find relevant."""
    shared = world.relevant.sum(0) + np.linspace(0, 0.5, world.likes.shape[1])
    return best(np.broadcast_to(shared, world.likes.shape).astype(float), length)


def had_before(rng: Rng, world: World, n: int = 5) -> NDArray[np.bool_]:
    """What users had in training: what they like most, other than what is in truth."""
    liked = np.where(world.relevant, -np.inf, 2 * world.likes + rng.gumbel(size=world.likes.shape))
    seen = np.zeros(world.likes.shape, bool)
    np.put_along_axis(seen, top(liked, n), True, 1)
    return seen


def seen_on_top(rng: Rng, world: World, seen: NDArray[np.bool_], quality: float, length: int = 20) -> Lists:
    """A model that scores what users had in training above all else, as those do that were fitted to it."""
    noise = world.likes.std() * rng.standard_normal(world.likes.shape)
    scores = quality * world.likes + np.sqrt(1 - quality**2) * noise
    return best(scores + seen * (np.ptp(scores) + 1), length)


def with_truth_joined(world: World, lists: Lists, irrelevant: bool = False) -> Lists:
    """A model that truth was joined into: what is relevant first, then the model's own list.

    With `irrelevant`, all that truth has a row for stands first, by its grade.
    """
    n = len(lists.items)
    own = np.full(world.likes.shape, -np.inf)
    np.put_along_axis(
        own, lists.items, -np.broadcast_to(np.arange(lists.length, dtype=float), (n, lists.length)), 1
    )
    leaks = ~np.isnan(world.grades) if irrelevant else world.relevant
    scores = np.where(leaks, 1_000 * (np.nan_to_num(world.grades) + 2), own)
    return best(scores - 0.001 * np.arange(world.likes.shape[1]), lists.length)


def truth_itself(world: World) -> Lists:
    """The rows of truth as rec; each user must have as many."""
    length = int((~np.isnan(world.grades)).sum(1).min())
    return best(np.where(np.isnan(world.grades), -np.inf, world.grades), length)


def honest_retriever(rng: Rng, world: World, length: int = 20, first: float = 0.8) -> Lists:
    """A retriever that puts both gold chunks first for a share of queries; else another is among them."""
    scores = world.likes - world.likes.max()
    gold = np.argsort(~world.relevant, axis=1, kind="stable")[:, :2]
    np.put_along_axis(scores, gold, np.array([[10.0, 9.0]]).repeat(len(gold), 0), 1)
    misses = rng.random(len(gold)) >= first
    intruder = rng.choice([9.5, 10.5], len(gold), p=[0.8, 0.2])
    other = top(np.where(world.relevant, -np.inf, world.likes), 1)[:, 0]
    scores[np.flatnonzero(misses), other[misses]] = intruder[misses]
    return best(scores, length)


# --- What may happen to the scores of a good model ---


def ranks(rng: Rng, scores: Floats) -> Floats:
    """1 to n."""
    return np.broadcast_to(np.arange(1.0, scores.shape[1] + 1), scores.shape)


def ranks_from_0(rng: Rng, scores: Floats) -> Floats:
    return ranks(rng, scores) - 1


def ranks_without_one(rng: Rng, scores: Floats) -> Floats:
    """Ranks of lists out of which one item was filtered, at any place."""
    return ranks(rng, scores) + (ranks(rng, scores) >= rng.integers(1, scores.shape[1] + 2, (len(scores), 1)))


def ranks_by_20(rng: Rng, scores: Floats) -> Floats:
    return ranks(rng, scores) / 20


def distances(rng: Rng, scores: Floats) -> Floats:
    """1 less a similarity between 0 and 1."""
    return 1 - 1 / (1 + np.exp(-scores))


def negated(rng: Rng, scores: Floats) -> Floats:
    return -scores


def points(rng: Rng, scores: Floats) -> Floats:
    """N - rank + 1: in the right order, and no disaster."""
    written: Floats = scores.shape[1] - ranks(rng, scores) + 1
    return written


DISASTERS: dict[str, Callable[[Rng, Floats], Floats]] = {
    "ranks 1..n": ranks,
    "ranks 0..n-1": ranks_from_0,
    "ranks, one item out": ranks_without_one,
    "rank / 20": ranks_by_20,
    "1 - score": distances,
    "-score": negated,
}
