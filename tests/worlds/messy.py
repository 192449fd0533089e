"""Random small worlds with all that tables may hold: ties, NaN, NULLs, repeats, grades, ranks, a history."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tests.worlds.generators import Rng
from tests.worlds.slowly import Rec


class Messy(NamedTuple):
    """Tables by rows."""

    rec: list[Rec]
    truth: list[tuple[Any, Any, float]]
    history: set[tuple[Any, Any]]


Scores = Sequence[float]
# What a model writes for scores, of n rows, best first by its own order.
SCORES: list[Callable[[Rng, int], Scores]] = [
    lambda rng, n: range(n, 0, -1),
    lambda rng, n: range(n - 1, -1, -1),
    lambda rng, n: [*range(n + 1, 0, -1)][rng.integers(2) :][:n],
    lambda rng, n: [place / 20 for place in range(n, 0, -1)],
    lambda rng, n: sorted(rng.standard_normal(n), reverse=True),
    lambda rng, n: sorted(rng.integers(0, 4, n).tolist(), reverse=True),
    lambda rng, n: [1.5] * n,
]


def messy(seed: int, worlds: int, descending: bool) -> Messy:
    """Some worlds beside each other: users and systems of each are its own."""
    whole = Messy([], [], set())
    for world in range(worlds):
        one = draw_world(np.random.default_rng([seed, world]), world, descending)

        def own(user: Any, first: int = 1_000 * world) -> Any:
            return None if user is None else first + user

        whole.rec.extend(row._replace(user=own(row.user)) for row in one.rec)
        whole.truth.extend((own(user), *row) for user, *row in one.truth)
        whole.history.update((own(user), item) for user, item in one.history)
    return whole


def draw_world(rng: Rng, number: int, descending: bool, systems: int = 25) -> Messy:
    """One world: systems good and reversed, weak and strong, in steps or not, some with truth in them."""
    n_items, n_users = int(rng.integers(8, 60)), int(rng.choice([20, 40, 60, 80]))
    flaws, graded = float(rng.choice([0, 0.005, 0.02])), bool(rng.random() < 0.5)
    liked = rng.standard_normal((n_users, n_items)) + rng.standard_normal(n_items)
    truth: list[tuple[Any, Any, float]] = [
        (user, int(item), float(grade) if graded else 1.0)
        for user in range(n_users)
        for item, grade in zip(
            np.argsort(-liked[user])[: rng.integers(0, 7)], [3, 2, 2, 1, 0, -1], strict=False
        )
        if (graded or grade > 0)
    ]
    truth += [(*truth[0][:2], 2.0 if graded else 1.0), (None, 1, 1.0), (0, None, 1.0), (n_users, None, 1.0)]
    history = {(int(user), int(item)) for user, item in np.argwhere(liked > np.quantile(liked, 0.85))}
    history |= {(None, 1), (1, None)}
    rec = [
        row
        for name in range(systems)
        for row in draw_system(rng, f"{name} of {number}", liked, truth, history, flaws, descending)
    ]
    return Messy(rec, truth, history)


def draw_system(
    rng: Rng,
    name: str,
    liked: np.ndarray[Any, Any],
    truth: Sequence[tuple[Any, Any, float]],
    history: set[tuple[Any, Any]],
    flaws: float,
    descending: bool,
) -> list[Rec]:
    """The rows of one system."""
    users, items = liked.shape
    quality, length = (
        float(rng.choice([-2, -1, -0.6, -0.3, 0.0, 0.3, 2])),
        int(rng.integers(1, min(14, items) + 1)),
    )
    has_one_list, lifts_seen = rng.random() < 0.1, rng.random() < 0.3
    leaks = str(rng.choice([*[""] * 12, "relevant", "only", "most", *["all"] * 3]))
    shift = 1_000 * int(rng.random() < 0.1)  # items that truth has never heard of
    own = quality * liked + rng.standard_normal(liked.shape)
    candidates = np.argsort(-liked - rng.standard_normal(liked.shape), axis=1)[:, :length]
    scores, other = SCORES[rng.integers(len(SCORES))], SCORES[rng.integers(len(SCORES))]
    rank = rng.choice(["with", "against", "either"])
    rows: list[Rec] = []
    for user in range(users + 3):  # three have no truth
        at = 0 if has_one_list or user >= users else user
        listed: list[Any] = [int(item) for item in candidates[at][np.argsort(-own[at, candidates[at]])]]
        if lifts_seen:
            listed.sort(key=lambda item: (user, item) not in history)
        if leaks and user < users and (leaks != "most" or rng.random() < 0.96):
            of_user = {item: grade for one, item, grade in truth if one == user and item is not None}
            known = sorted(
                (item for item in of_user if of_user[item] > 0 or leaks != "relevant"),
                key=lambda i: -of_user[i],
            )
            listed = known + [item for item in listed if item not in known and leaks != "only"]
        given = (scores if rng.random() < 0.98 else other)(rng, len(listed))
        given = [float(score) if descending else -float(score) for score in given]
        if leaks and rng.random() < 0.9:
            given.sort(reverse=descending)
        turned = rank == "against" or (rank == "either" and rng.random() < 0.5)
        for place, (item, score) in enumerate(zip(listed, given, strict=True), 1):
            row = Rec(name, user, item + shift, score, float(-place if turned else place))
            flaw = rng.random() / flaws if flaws else 1
            if flaw < 1:
                lacking = ["score", "score", "item", "user", "rank"][int(5 * flaw)]
                row = row._replace(**{lacking: math.nan if flaw < 1 / 5 else None})
                again = given[rng.integers(len(given))]
                rows.append(Rec(name, user, item, again, float(place)))  # a repeated item
            rows.append(row)
    return rows if rng.random() < 0.9 else [row for row in rows if row.user != 1]
