"""Small worlds with a known right answer: messy ones, and two systems with truth that leaked into lists."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tests.check_definition import Rec

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Rng = np.random.Generator

# --- Random small worlds with ties, NaN, NULLs, repeats, grades, ranks and a history ---


class Messy(NamedTuple):
    """Tables by rows."""

    rec: list[Rec]
    truth: list[tuple[Any, Any, float]]
    history: set[tuple[Any, Any]]


# Scores that a model writes for n rows, best first by its own order.
SCORES: list[Callable[[Rng, int], Sequence[float]]] = [
    lambda rng, n: range(n, 0, -1),
    lambda rng, n: range(n - 1, -1, -1),
    lambda rng, n: [*range(n + 1, 0, -1)][rng.integers(2) :][:n],
    lambda rng, n: [rank / 20 for rank in range(n, 0, -1)],
    lambda rng, n: sorted(rng.standard_normal(n), reverse=True),
    lambda rng, n: sorted(rng.integers(0, 4, n).tolist(), reverse=True),
    lambda rng, n: [1.5] * n,
]


def messy(seed: int, worlds: int, descending: bool) -> Messy:
    """Draw some worlds in one set of tables. Each has its own users and systems."""
    whole = Messy([], [], set())
    for number in range(worlds):
        world = draw_world(np.random.default_rng([seed, number]), number, descending)

        def own(user: Any, first: int = 1_000 * number) -> Any:
            return None if user is None else first + user

        whole.rec.extend(row._replace(user=own(row.user)) for row in world.rec)
        whole.truth.extend((own(user), *row) for user, *row in world.truth)
        whole.history.update((own(user), item) for user, item in world.history)
    return whole


def draw_world(rng: Rng, number: int, descending: bool, systems: int = 25) -> Messy:
    """Draw a world of systems: good and reversed, weak and strong, in steps or not, some with a leak."""
    n_items, n_users = int(rng.integers(8, 60)), int(rng.choice([20, 40, 60, 80]))
    flaws, graded = float(rng.choice([0, 0.005, 0.02])), bool(rng.random() < 0.5)
    liked = rng.standard_normal((n_users, n_items)) + rng.standard_normal(n_items)
    grades = [3.0, 2, 2, 1, 0, -1] if graded else [1.0] * 4
    truth: list[tuple[Any, Any, float]] = [
        (user, int(item), grade)
        for user in range(n_users)
        for item, grade in zip(np.argsort(-liked[user])[: rng.integers(0, 7)], grades, strict=False)
    ]
    truth += [(*truth[0][:2], 2.0 if graded else 1.0), (None, 1, 1.0), (0, None, 1.0), (n_users, None, 1.0)]
    history = {(int(user), int(item)) for user, item in np.argwhere(liked > np.quantile(liked, 0.85))}
    world = Messy([], truth, history | {(None, 1), (1, None)})
    for system in range(systems):
        rows = draw_system(rng, f"{system} of {number}", liked, world, flaws, descending)
        world.rec.extend(rows if rng.random() < 0.9 else (row for row in rows if row.user != 1))
    return world


def draw_system(
    rng: Rng, name: str, liked: Floats, world: Messy, flaws: float, descending: bool
) -> list[Rec]:
    """Draw the rows of one system."""
    users, items = liked.shape
    quality = float(rng.choice([-2, -1, -0.6, -0.3, 0.0, 0.3, 2]))
    length = int(rng.integers(1, min(14, items) + 1))
    has_one_list, lifts_seen = rng.random() < 0.1, rng.random() < 0.3
    leaks = str(rng.choice([*[""] * 12, "relevant", "only", "most", *["all"] * 3]))
    shift = 1_000 * int(rng.random() < 0.1)  # items that are not in truth
    own = quality * liked + rng.standard_normal(liked.shape)
    candidates = np.argsort(-liked - rng.standard_normal(liked.shape), axis=1)[:, :length]
    scores, other = SCORES[rng.integers(len(SCORES))], SCORES[rng.integers(len(SCORES))]
    rank = rng.choice(["with", "against", "either"])
    rows: list[Rec] = []
    for user in range(users + 3):  # three have no truth
        of = 0 if has_one_list or user >= users else user
        listed: list[Any] = [int(item) for item in candidates[of][np.argsort(-own[of, candidates[of]])]]
        if lifts_seen:
            listed.sort(key=lambda item: (user, item) not in world.history)
        if leaks and user < users and (leaks != "most" or rng.random() < 0.96):
            of_user = {item: grade for u, item, grade in world.truth if u == user and item is not None}
            known = [item for item in of_user if of_user[item] > 0 or leaks != "relevant"]
            known.sort(key=lambda item: -of_user[item])
            listed = known + [item for item in listed if item not in known and leaks != "only"]
        drawn = (scores if rng.random() < 0.98 else other)(rng, len(listed))
        written = [float(score) if descending else -float(score) for score in drawn]
        if leaks and rng.random() < 0.9:
            written.sort(reverse=descending)
        is_against = rank == "against" or (rank == "either" and rng.random() < 0.5)
        for at, (item, score) in enumerate(zip(listed, written, strict=True), 1):
            row = Rec(name, user, item + shift, score, float(-at if is_against else at))
            flaw = rng.random() / flaws if flaws else 1
            if flaw < 1:
                column = ["score", "score", "item", "user", "rank"][int(5 * flaw)]
                row = row._replace(**{column: math.nan if flaw < 1 / 5 else None})
                rows.append(Rec(name, user, item, written[rng.integers(len(written))], float(at)))  # a repeat
            rows.append(row)
    return rows


# --- Users with two to six relevant items, in the first columns, and the scores of systems ---

ITEMS, LENGTH, PAGE = 150, 50, 4
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


# By the strengths of systems: how far relevant items score above others, in standard deviations.
CLEAN: dict[str, Kind] = {
    **{f"strong {s} beside {o}": beside(items(s), items(o)) for s, o in ((2.7, 1.5), (4.0, 1.0), (4.5, 1.5))},
    **{f"reranker {r} of {b}": reranked(b, r) for b, r in ((1.5, 2.7), (1.5, 4.0), (2.7, 4.5))},
    **{f"pages {s} beside chunks": beside(pages(s), items(1.0)) for s in (2.7, 3.5, 4.5)},
    "three systems": beside(items(2.7), items(1.5), items(1.0)),
    **{f"strong {s} beside random": beside(items(s), random_items) for s in (2.7, 4.5)},
}
LEAKS: dict[str, Kind] = {
    f"leak of {share} in {s} beside {o}": beside(leak(share, items(s)), items(o))
    for share in (0.3, 0.5, 0.7, 0.9)
    for s, o in ((1.5, 1.0), (1.5, 1.5), (2.7, 1.5))
}
