"""Worlds with two systems, truth that leaked into some lists of one of them, and the rule that finds it.

All arrays are by user and item. The first columns are a user's two to six relevant items. The rule is
written from the head of sql/tables/check.sql, not from its SQL.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tests.worlds.generators import Floats, Rng

Bools = NDArray[np.bool_]

ITEMS, LENGTH, PAGE = 150, 50, 4
# How far relevant items score above others, in standard deviations: NDCG@10 of 0.29, 0.42, 0.74 and 0.97.
WEAK, MIDDLING, STRONG, BEST = 1.0, 1.5, 2.7, 4.5
SHARED = 0.3  # share of the noise that systems have in common


class Users(NamedTuple):
    """The relevant items of each user, how easy each user is, and the noise that systems share."""

    relevant: Bools
    ease: Floats
    noise: Floats


World = tuple[Bools, list[Floats]]  # relevant items, and the scores of each system, -inf outside its list
Kind = Callable[[Rng, int], World]
Scorer = Callable[[Rng, Users], Floats]


def draw_users(rng: Rng, n: int) -> Users:
    relevant = np.arange(ITEMS) < rng.integers(2, 7, (n, 1))
    return Users(relevant, rng.standard_normal((n, 1)), rng.standard_normal((n, ITEMS)))


def noise(rng: Rng, shared: Floats) -> Floats:
    return math.sqrt(SHARED) * shared + math.sqrt(1 - SHARED) * rng.standard_normal(shared.shape)


def items(strength: float) -> Scorer:
    """Score items independently."""
    return lambda rng, users: (strength + users.ease) * users.relevant + noise(rng, users.noise)


def pages(strength: float) -> Scorer:
    """Score whole pages. The relevant items are the chunks of one page, whose score comes last."""

    def score(rng: Rng, users: Users) -> Floats:
        n_pages = -(-ITEMS // PAGE)
        scores = noise(rng, users.noise[:, : n_pages + 1])
        wholes = scores[:, :-1].repeat(PAGE, axis=1)[:, :ITEMS]
        own = scores[:, -1:] + strength + users.ease
        return np.where(users.relevant, own, wholes) + 0.1 * rng.standard_normal(wholes.shape)

    return score


def random_items(rng: Rng, users: Users) -> Floats:
    return rng.standard_normal(users.noise.shape)


def leak(share: float, scorer: Scorer) -> Scorer:
    """Put truth on top of the lists of a share of the users."""
    return lambda rng, users: (
        scorer(rng, users) + 100 * ((rng.random(users.ease.shape) < share) & users.relevant)
    )


def cut(scores: Floats) -> Floats:
    return np.where(
        scores >= -np.partition(-scores, LENGTH - 1, axis=1)[:, LENGTH - 1, None], scores, -np.inf
    )


def beside(*scorers: Scorer) -> Kind:
    def draw(rng: Rng, n: int) -> World:
        users = draw_users(rng, n)
        return users.relevant, [cut(scorer(rng, users)) for scorer in scorers]

    return draw


def reranked(base: float, reranker: float) -> Kind:
    def draw(rng: Rng, n: int) -> World:
        users = draw_users(rng, n)
        of_base = cut(items(base)(rng, users))
        return users.relevant, [np.where(np.isfinite(of_base), items(reranker)(rng, users), -np.inf), of_base]

    return draw


def two_kinds(rng: Rng, n: int) -> World:
    """Draw queries of two kinds. Only the first system answers one of them."""
    users = draw_users(rng, n)
    easy = users.relevant & (rng.random((n, 1)) < 0.3)
    other = np.where(easy, rng.standard_normal(easy.shape), items(MIDDLING)(rng, users))
    return users.relevant, [cut(items(MIDDLING)(rng, users) + 8 * easy), cut(other)]


CLEAN: dict[str, Kind] = {
    **{f"strong {s} beside {o}": beside(items(s), items(o)) for s in (2.7, 4.0, 4.5) for o in (1.0, 1.5)},
    **{f"reranker {r} of {b}": reranked(b, r) for b, r in ((1.5, 2.7), (1.5, 4.0), (2.7, 4.5))},
    **{f"pages {s} beside chunks": beside(pages(s), items(WEAK)) for s in (1.5, 2.7, 3.5, 4.5)},
    **{f"pages {s} beside pages": beside(pages(s), pages(0.5)) for s in (1.5, 2.7, 3.5, 4.5)},
    "middling beside the same": beside(items(MIDDLING), items(MIDDLING)),
    "three systems": beside(items(STRONG), items(MIDDLING), items(WEAK)),
}
LEAKS: dict[str, Kind] = {
    f"leak of {share} in {s} beside {o}": beside(leak(share, items(s)), items(o))
    for share in (0.3, 0.5, 0.7, 0.9)
    for s, o in ((MIDDLING, WEAK), (MIDDLING, MIDDLING), (STRONG, MIDDLING), (STRONG, STRONG))
}
LIMITS: dict[str, Kind] = {
    "two kinds": two_kinds,
    **{f"strong {s} beside random": beside(items(s), random_items) for s in (STRONG, BEST)},
}


def leaks(world: World) -> list[bool]:
    """Decide for each system whether truth leaked into some of its lists."""
    relevant, systems = world
    n, n_relevant = len(relevant), relevant.sum(1)
    tops, recalls, patterns = [], [], []
    for scores in systems:
        hits = np.where(relevant & np.isfinite(scores), scores, np.nan)[:, : n_relevant.max()]
        ranks = (scores[:, None, :] >= hits[:, :, None]).sum(2)  # 0 outside the list
        n_found, last = (ranks > 0).sum(1), ranks.max(1)
        first = np.where(ranks > 0, ranks, ITEMS).min(1)
        n_above = ((ranks > 0) & (ranks <= n_relevant[:, None])).sum(1)
        is_top, has_all, several = n_above == n_relevant, n_found == n_relevant, n_relevant > 2
        is_near = ~is_top & ((has_all & (last <= 3 * n_relevant)) | (n_above == n_relevant - 1))
        is_further = has_all & ~is_top
        blocks = is_further & (last - first == n_relevant - 1)
        few_misses = is_near[several].sum() <= 0.7 * is_top[several].sum()
        patterns.append(few_misses and blocks.sum() <= 0.1 * is_further.sum())
        tops.append(is_top)
        recalls.append(n_found / n_relevant)
    verdicts = []
    for i, top in enumerate(tops):
        share, other = top.mean(), max(np.mean([*tops[:i], *tops[i + 1 :]], axis=1))
        error = np.sqrt((share * (1 - share) + other * (1 - other)) / n)
        recall = np.mean([*recalls[:i], *recalls[i + 1 :]], axis=0)
        verdicts.append(
            patterns[i]
            and share - other >= max(0.1, 4 * error)
            and 16 <= top.sum() < min(n, 0.95 * n)
            and bool(recall[top].mean() - recall[~top].mean() <= 0.4 * recall.std())
        )
    return verdicts
