"""A slow, obvious definition of the problems of ranking.check that decide by a statistical test.

Written from the rules in the head of sql/tables/check.sql, not from its SQL.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from statistics import fmean, stdev
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

CODES = ("upside_down", "seen_first", "unknown_end", "truth_in_rec")
System = str | None  # None: rec has no column for it
Problem = tuple[str, System, str, int, int]  # severity, system, code, count, of


class Rec(NamedTuple):
    """A row of rec; rank is the rank in a TREC run, None where rec has no such column."""

    system: System
    user: Any
    item: Any
    score: float | None
    rank: float | None = None


class Listed(NamedTuple):
    """A row of one list. Scores are negated if the lowest one is the best."""

    item: Any
    score: float
    rank: float | None


Lists = Mapping[Any, Sequence[Listed]]  # by user
Grades = Mapping[Any, float]  # by item
Relevant = Mapping[Any, set[Any]]  # by user: the relevant items
History = Collection[tuple[Any, Any]]


def check(
    rec: Sequence[Rec],
    truth: Sequence[tuple[Any, Any, float]],
    history: History | None = None,
    descending: bool = True,
    min_grade: float | None = None,
) -> set[Problem]:
    """Return the rows of these codes."""
    grades: dict[Any, dict[Any, float]] = defaultdict(dict)
    for user, item, grade in truth:
        if user is not None:  # a user in truth counts even without an item
            of_user = grades[user]
            if item is not None:
                of_user[item] = max(grade, of_user.get(item, -math.inf))
    least = math.ulp(0) if min_grade is None else min_grade
    relevant = {u: {i for i, grade in of.items() if grade >= least} for u, of in grades.items()}
    lists: dict[System, dict[Any, list[Listed]]] = defaultdict(lambda: defaultdict(list))
    items: dict[System, dict[Any, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for system, user, item, score, rank in rec:
        if user is not None:
            items[system][user].append(item)
            listed = lists[system][user]  # a list without a score is a list
            if score is not None and not math.isnan(score):
                listed.append(Listed(item, score if descending else -score, rank))
    problems: set[Problem] = set()
    for system, of_users in lists.items():
        problems |= {*check_direction(system, of_users, relevant, history, descending)}
        problems |= {*check_leak(system, of_users, items[system], grades, relevant)}
    return problems


# --- Direction of the scores ---


def check_direction(
    system: System, lists: Lists, relevant: Relevant, history: History | None, descending: bool
) -> Iterator[Problem]:
    """Compare the direction of a system's scores with truth."""
    by_user, by_item = deviations(lists, relevant)
    n, below, above = len(by_user), sum(x < 0 for x in by_user), sum(x > 0 for x in by_user)
    long = [listed for listed in lists.values() if len(listed) > 2]
    enough = max(0.95 * len(long), 1)
    has_steps = descending and sum(map(is_in_steps, long)) >= enough
    is_against = sum(map(runs_against_rank, lists.values())) > len(lists) / 2
    seems_reversed = (descending and sum(map(is_numbered, long)) >= enough) or is_against
    limit = -1.65 if has_steps or is_against else -3.3
    if n >= 30 and z(by_user) < limit and len(by_item) >= 10 and z_of_items(by_item) < -3.3:
        code = "upside_down"
        if history is not None:
            unseen = {u: [row for row in of if (u, row.item) not in history] for u, of in lists.items()}
            of_unseen, _ = deviations(unseen, relevant)
            if of_unseen and not z(of_unseen) < -1.65:
                code = "seen_first"
        yield ("error", system, code, below, n)
    elif seems_reversed and below > above:
        yield ("warning", system, "upside_down", below, n)
    elif seems_reversed and not z(by_user) > 1.65:
        yield ("warning", system, "unknown_end", len(lists), len(lists))


def deviations(lists: Lists, relevant: Relevant) -> tuple[list[Fraction], list[list[Fraction]]]:
    """Return the AUC less 0.5 of each list, and by relevant item those of the item in each list.

    A list counts if it has a relevant item, another item, and scores that are not all equal. A repeated
    relevant item counts once, with its best score. Other repeated items count each time: each has a rank.
    """
    by_user: list[Fraction] = []
    by_item: dict[Any, list[Fraction]] = defaultdict(list)
    for user, listed in lists.items():
        hits: dict[Any, float] = {}
        others = []
        for item, score, _ in listed:
            if item in relevant.get(user, ()):
                hits[item] = max(score, hits.get(item, -math.inf))
            else:
                others.append(score)
        if hits and others and len({row.score for row in listed}) > 1:
            by_user.append(deviation([*hits.values()], others))
            for item, score in hits.items():
                by_item[item].append(deviation([score], others))
    return by_user, [*by_item.values()]


def deviation(hits: Sequence[float], others: Sequence[float]) -> Fraction:
    """Return the AUC less 0.5: half of the share of ordered pairs less that of reversed ones."""
    ordered = sum((hit > other) - (hit < other) for hit in hits for other in others)
    return Fraction(ordered, 2 * len(hits) * len(others))


def z(values: Sequence[Fraction | float]) -> float:
    """Return how many standard errors the mean is from 0; 0 for a single value."""
    if len(values) < 2:
        return 0.0
    mean, error = fmean(values), stdev(map(float, values)) / math.sqrt(len(values))
    return mean / error if error else math.copysign(math.inf, mean) if mean else 0.0


def z_of_items(by_item: Sequence[Sequence[Fraction]]) -> float:
    """Return how many standard errors the mean over items is from 0, weighted by the root of the users.

    Return 0 if a few items have most of the users.
    """
    weights, means = [math.sqrt(len(of)) for of in by_item], [fmean(of) for of in by_item]
    if sum(weights) ** 2 < 6 * sum(map(len, by_item)):
        return 0.0
    total = sum(weight * mean for weight, mean in zip(weights, means, strict=True))
    center = total / sum(weights)
    squares = sum((weight * (mean - center)) ** 2 for weight, mean in zip(weights, means, strict=True))
    if squares < 1e-12:
        return math.copysign(math.inf, center) if center else 0.0
    return total / math.sqrt(squares * len(by_item) / (len(by_item) - 1))


def is_in_steps(listed: Sequence[Listed]) -> bool:
    """Check whether the scores of a list have equal steps, except for rounding."""
    scores = sorted(row.score for row in listed)
    first, width = scores[0], scores[-1] - scores[0]
    step = width / (len(scores) - 1)
    return width > 0 and all(abs(x - first - i * step) <= 1e-6 * width for i, x in enumerate(scores))


def is_numbered(listed: Sequence[Listed]) -> bool:
    """Check whether scores are 1..n or 0..n-1. Negated ones are not."""
    scores = sorted(row.score for row in listed)
    return scores in ([*range(1, len(scores) + 1)], [*range(len(scores))])


def runs_against_rank(listed: Sequence[Listed]) -> bool:
    """Check whether the highest score of a list has a higher rank than the lowest."""
    rows = sorted((row.score, row.rank) for row in listed if row.rank is not None)
    return bool(rows) and rows[-1][1] > rows[0][1]


# --- Truth in a model's lists ---


def check_leak(
    system: System,
    lists: Lists,
    items: Mapping[Any, Sequence[Any]],
    truth: Mapping[Any, Grades],
    relevant: Relevant,
) -> Iterator[Problem]:
    """Check whether lists start with all relevant items, as they do if truth was joined into them."""
    users = [user for user in lists if user in truth]
    has_others = any(item not in truth[user] for user in users for item in items[user])
    several = [user for user in users if len(relevant[user]) > 1]
    first = sum(starts_with_relevant(lists[user], truth[user], relevant[user]) for user in several)
    orders = [is_irrelevant_in_order(lists[user], truth[user], relevant[user]) for user in users]
    n_orders = len(orders) - orders.count(None)
    if has_others and len(several) >= 20 and first >= 0.95 * len(several):
        is_error = n_orders >= 20 and orders.count(True) >= 0.95 * n_orders
        yield ("error" if is_error else "warning", system, "truth_in_rec", first, len(several))


def best_first(listed: Sequence[Listed], grades: Grades) -> list[Listed]:
    """Sort a list by scores. Among equal scores, higher grades come first."""
    return sorted(listed, key=lambda row: (-row.score, -grades.get(row.item, -math.inf)))


def starts_with_relevant(listed: Sequence[Listed], grades: Grades, relevant: set[Any]) -> bool:
    """Check whether the first n rows are the n relevant items, by grades, and score above all others."""
    rows, n = best_first(listed, grades), len(relevant)
    top = [row.item for row in rows[:n]]
    if len(top) < n or {*top} != relevant:
        return False
    is_above = all(row.score < rows[n - 1].score for row in rows[n:])
    return is_above and all(grades[a] >= grades[b] for a, b in pairwise(top))


def is_irrelevant_in_order(listed: Sequence[Listed], grades: Grades, relevant: set[Any]) -> bool | None:
    """Check whether truth's order holds too for items of several irrelevant grades; None without these."""
    ranked = dict.fromkeys(row.item for row in best_first(listed, grades) if row.item in grades)
    in_order = [grades[item] for item in ranked]
    several = len({grades[item] for item in ranked if item not in relevant}) > 1
    return in_order == sorted(in_order, reverse=True) if several else None


def partial_leaks(relevant: NDArray[np.bool_], systems: Sequence[NDArray[np.float64]]) -> list[bool]:
    """Decide for each system whether truth leaked into some of its lists.

    Arrays are by user and item; the first columns are relevant items. Scores are -inf outside a list.
    """
    n, n_relevant = len(relevant), relevant.sum(1)
    tops, recalls, patterns = [], [], []
    for scores in systems:
        hits = np.where(relevant & np.isfinite(scores), scores, np.nan)[:, : n_relevant.max()]
        ranks = (scores[:, None, :] >= hits[:, :, None]).sum(2)  # 0 outside the list
        n_found, last = (ranks > 0).sum(1), ranks.max(1)
        first = np.where(ranks > 0, ranks, relevant.shape[1]).min(1)
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
