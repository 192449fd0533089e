"""A slow, obvious definition of upside_down, seen_first, unknown_end and truth_in_rec of ranking.check.

Written from what the rules are to be (the head of sql/tables/check.sql), not from the SQL.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from statistics import fmean, stdev
from typing import Any, NamedTuple

CODES = ("upside_down", "seen_first", "unknown_end", "truth_in_rec")
# A system has no name where rec has no column for it.
System = str | None
Found = tuple[str, System, str, int, int]  # severity, system, code, count, of


class Rec(NamedTuple):
    """A row of rec; rank is that of a TREC run, None where rec has no such column."""

    system: System
    user: Any
    item: Any
    score: float | None
    rank: float | None = None


class Listed(NamedTuple):
    """A row of one list, with the score turned so that the highest is the best."""

    item: Any
    score: float
    rank: float | None


Lists = Mapping[Any, Sequence[Listed]]  # by user
Grades = Mapping[Any, float]  # by item
Relevant = Mapping[Any, set[Any]]  # by user: the items that truth finds relevant


def check(
    rec: Sequence[Rec],
    truth: Sequence[tuple[Any, Any, float]],
    history: Collection[tuple[Any, Any]] | None = None,
    descending: bool = True,
    min_grade: float | None = None,
) -> set[Found]:
    """The rows of these codes."""
    grades: dict[Any, dict[Any, float]] = defaultdict(dict)
    for user, item, grade in truth:
        if user is not None:  # a user of truth without an item is one
            of_user = grades[user]
            if item is not None:
                of_user[item] = max(grade, of_user.get(item, -math.inf))
    relevant = {
        user: {i for i, grade in one.items() if (grade > 0 if min_grade is None else grade >= min_grade)}
        for user, one in grades.items()
    }
    lists: dict[System, dict[Any, list[Listed]]] = defaultdict(lambda: defaultdict(list))
    items: dict[System, dict[Any, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for one in rec:
        if one.user is not None:
            items[one.system][one.user].append(one.item)
            listed = lists[one.system][one.user]  # a list without a score is a list
            if one.score is not None and not math.isnan(one.score):
                listed.append(Listed(one.item, one.score if descending else -one.score, one.rank))
    found = set()
    for system, of_users in lists.items():
        found |= set(which_end(system, of_users, relevant, history, descending))
        found |= set(leaked(system, of_users, items[system], grades, relevant))
    return found


# --- Which end is up ---


def which_end(
    system: System,
    lists: Lists,
    relevant: Relevant,
    history: Collection[tuple[Any, Any]] | None,
    descending: bool,
) -> Iterator[Found]:
    """Ask truth which end of a system's scores is up."""
    by_user, by_item = deviations(lists, relevant)
    n, below, above = len(by_user), sum(one < 0 for one in by_user), sum(one > 0 for one in by_user)
    long = [one for one in lists.values() if len(one) > 2]
    has_steps = descending and sum(is_in_steps(one) for one in long) >= max(0.95 * len(long), 1)
    has_ranks = descending and sum(is_numbered(one) for one in long) >= max(0.95 * len(long), 1)
    is_against = sum(runs_against_rank(one) for one in lists.values()) > len(lists) / 2
    if (
        n >= 30
        and z(by_user) < (-1.65 if has_steps or is_against else -3.3)
        and len(by_item) >= 10
        and z_of_items(by_item) < -3.3
    ):
        code = "upside_down"
        if history is not None:
            unseen = {
                user: [row for row in one if (user, row.item) not in history] for user, one in lists.items()
            }
            of_unseen, _ = deviations(unseen, relevant)
            if of_unseen and not z(of_unseen) < -1.65:
                code = "seen_first"
        yield ("error", system, code, below, n)
    elif (has_ranks or is_against) and below > above:
        yield ("warning", system, "upside_down", below, n)
    elif (has_ranks or is_against) and n == 0:
        yield ("info", system, "unknown_end", len(lists), len(lists))


def deviations(lists: Lists, relevant: Relevant) -> tuple[list[Fraction], list[list[Fraction]]]:
    """The AUC less 0.5 of each list that can tell, and that of each relevant item in its lists.

    A list can tell that has a relevant item, another, and scores that are not all equal. Of a relevant item
    that is there twice the best score counts; of another each does, as it takes up a rank in a measure.
    """
    by_user: list[Fraction] = []
    by_item: dict[Any, list[Fraction]] = defaultdict(list)
    for user, listed in lists.items():
        hits: dict[Any, float] = {}
        others = []
        for row in listed:
            if row.item in relevant.get(user, ()):
                hits[row.item] = max(row.score, hits.get(row.item, -math.inf))
            else:
                others.append(row.score)
        if hits and others and len({row.score for row in listed}) > 1:
            by_user.append(auc(list(hits.values()), others) - Fraction(1, 2))
            for item, score in hits.items():
                by_item[item].append(auc([score], others) - Fraction(1, 2))
    return by_user, [*by_item.values()]


def auc(hits: Sequence[float], others: Sequence[float]) -> Fraction:
    """The Mann-Whitney statistic by midranks, as a share of all pairs."""
    ascending = sorted([*hits, *others])

    def midrank(score: float) -> Fraction:
        first = ascending.index(score) + 1
        return Fraction(2 * first + ascending.count(score) - 1, 2)

    least = Fraction(len(hits) * (len(hits) + 1), 2)
    return (sum(map(midrank, hits), Fraction(0)) - least) / (len(hits) * len(others))


def z(values: Sequence[Fraction | float]) -> float:
    """How many standard errors the mean is from 0; of one value there is no telling."""
    if len(values) < 2:
        return 0.0
    mean, deviation = fmean(values), stdev(map(float, values))
    if deviation == 0:
        return math.copysign(math.inf, mean) if mean else 0.0
    return mean / (deviation / math.sqrt(len(values)))


def is_in_steps(listed: Sequence[Listed]) -> bool:
    """Whether the scores of a list, of repeated items too, are in equal steps, but for rounding."""
    scores = sorted(row.score for row in listed)
    whole = scores[-1] - scores[0]
    step = whole / (len(scores) - 1)
    return whole > 0 and all(
        abs(score - scores[0] - i * step) <= 1e-6 * whole for i, score in enumerate(scores)
    )


def is_numbered(listed: Sequence[Listed]) -> bool:
    """Whether scores are 1..n or 0..n-1; where the lowest is the best they are negative here, and are not."""
    scores = sorted(row.score for row in listed)
    return scores in ([*range(1, len(scores) + 1)], [*range(len(scores))])


def runs_against_rank(listed: Sequence[Listed]) -> bool:
    """Whether the highest score of a list has a higher rank than the lowest."""
    rows = sorted((row.score, row.rank) for row in listed if row.rank is not None)
    return bool(rows) and rows[-1][1] > rows[0][1]


# --- Truth in a model's lists ---


def z_of_items(by_item: Sequence[Sequence[Fraction]]) -> float:
    """How many standard errors the mean over items is from 0, each weighed by the root of its users.

    Where few items have most of the users there is no telling.
    """
    weights = [math.sqrt(len(of_one)) for of_one in by_item]
    means = [fmean(of_one) for of_one in by_item]
    if sum(weights) ** 2 < 6 * sum(map(len, by_item)):
        return 0.0
    total = sum(w * one for w, one in zip(weights, means, strict=True))
    mean = total / sum(weights)
    squares = sum((w * (one - mean)) ** 2 for w, one in zip(weights, means, strict=True))
    if squares < 1e-12:
        return math.copysign(math.inf, mean) if mean else 0.0
    return total / math.sqrt(squares * len(by_item) / (len(by_item) - 1))


def leaked(
    system: System,
    lists: Lists,
    items: Mapping[Any, Sequence[Any]],
    truth: Mapping[Any, Grades],
    relevant: Relevant,
) -> Iterator[Found]:
    """Look whether lists begin with all that is relevant, as they do where truth was joined into them."""
    several, first, telling, ordered, has_others = 0, 0, 0, 0, False
    for user, listed in lists.items():
        if user not in truth:
            continue
        grades = truth[user]
        has_others = has_others or any(item not in grades for item in items[user])
        if len(relevant[user]) > 1:
            several += 1
            first += begins_with_relevant(listed, grades, relevant[user])
        order = irrelevant_in_order(listed, grades, relevant[user])
        telling += order is not None
        ordered += order is True
    if has_others and several >= 20 and first >= 0.95 * several:
        is_wrong = telling >= 20 and ordered >= 0.95 * telling
        yield ("error" if is_wrong else "warning", system, "truth_in_rec", first, several)


def best_first(listed: Sequence[Listed], grades: Grades) -> list[Listed]:
    """A list in the order of its scores; of equal ones, what truth rates higher is first."""
    return sorted(listed, key=lambda row: (-row.score, -grades.get(row.item, -math.inf)))


def begins_with_relevant(listed: Sequence[Listed], grades: Grades, relevant: set[Any]) -> bool:
    """Whether the first n rows are the n relevant items in the order of grades, and above all others."""
    rows, n = best_first(listed, grades), len(relevant)
    top = [grades[row.item] for row in rows[:n] if row.item in relevant]
    return (
        len(top) == n
        and {row.item for row in rows[:n]} == relevant
        and top == sorted(top, reverse=True)
        and all(row.score < rows[n - 1].score for row in rows[n:])
    )


def irrelevant_in_order(listed: Sequence[Listed], grades: Grades, relevant: set[Any]) -> bool | None:
    """Whether items of two irrelevant grades or more are in truth's order too; None where there are none."""
    rows: dict[Any, Listed] = {}
    for row in best_first(listed, grades):
        if row.item in grades:
            rows.setdefault(row.item, row)  # of one that is there twice, the first
    found = [grades[item] for item in rows]
    irrelevant = {grades[item] for item in rows if item not in relevant}
    return found == sorted(found, reverse=True) if len(irrelevant) > 1 else None
