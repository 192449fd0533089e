"""Rank models by comparisons of all pairs: the best against the second best, and a compact letter display."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from string import ascii_letters

import duckdb

from .comparison import can_be_paired
from .queries import Request
from .words import Row

MOST_SYSTEMS = 20  # the most models whose pairs ranking.compare compares
TURNED = {"better": "worse", "worse": "better"}


@dataclass(frozen=True)
class ModelOrder:
    """The ranking of the models by one measure at one cutoff."""

    measure: str  # as in the rows of a comparison
    k: int | None
    means: dict[str, float]  # of each model, best first
    letters: dict[str, str]  # of each model; models that share a letter do not differ significantly
    best: Row  # the best against the second best, as a row of a comparison of all pairs

    @property
    def leaders(self) -> list[str]:
        """The best model, and the models that share a letter with it."""
        best = next(iter(self.letters.values()))
        return [system for system, letters in self.letters.items() if set(letters) & set(best)]


def order_models(rows: Sequence[Row]) -> ModelOrder | None:
    """Rank models by the comparisons of all pairs in one measure at one cutoff.

    Returns None if some users have no value: the pairs are then compared over different users.
    """
    if any(row["users_undefined"] or not row["users"] for row in rows):
        return None
    sign = -1 if rows[0]["higher_is_better"] else 1
    unsorted = {row[name]: row[f"mean_{name}"] for name in ("baseline", "system") for row in rows}
    by = unsorted
    if "predicted_difference" in rows[0]:  # means are over users with human labels, differences over all
        by = dict.fromkeys(unsorted, 0.0)
        for row in rows:
            by[row["system"]] += row["difference"]
            by[row["baseline"]] -= row["difference"]
    means = {name: unsorted[name] for name in sorted(unsorted, key=lambda name: (sign * by[name], name))}
    first, second, *_ = means
    (best,) = (row for row in rows if {row["baseline"], row["system"]} == {first, second})
    apart = [(row["baseline"], row["system"]) for row in rows if row["verdict"] in TURNED]
    letters = assign_letters(list(means), apart)
    if best["system"] != first:
        best = swap_sides(best)
    return ModelOrder(best["measure"], best["k"], means, letters, best)


def families(rows: Iterable[Row]) -> list[list[Row]]:
    """Group the rows by measure and k; p is corrected within each group."""
    groups: dict[tuple[str, int | None], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["measure"], row["k"]), []).append(row)
    return list(groups.values())


def find_pairs(
    con: duckdb.DuckDBPyConnection,
    request: Request,
    systems: int,
    compared: Sequence[Row],
    fetch_pairs: Callable[[], Sequence[Row]],
    needs_users: bool = True,
) -> list[Row]:
    """Return the comparisons of all pairs of models by measures with a direction; none for too many models.

    `compared` are the comparisons over all users. If these are with a baseline, `fetch_pairs` computes the
    comparisons of all pairs. With `needs_users`, there are none if two models have no common user.
    """
    if systems > MOST_SYSTEMS:
        return []
    if systems > 2 and request.comparison["baseline"] is not None:
        return [*fetch_pairs()] if not needs_users or can_be_paired(con, request, systems) else []
    ranked = {choice.name for choice in (*request.choices, *request.also)}  # not beyond accuracy
    return [row for row in compared if row["measure"] in ranked]


def find_orders(pairs: Iterable[Row]) -> list[ModelOrder | None]:
    """Rank the models by each measure and k; None if they cannot be ranked."""
    return list(map(order_models, families(pairs)))


def swap_sides(row: Row) -> Row:
    """Exchange baseline and system in a row of a comparison, in the columns that sentences use."""
    relative = (0 - row["difference"]) / row["mean_system"] if row["mean_system"] else None
    exchanged = {
        f"{name}{side}": row[f"{name}{other}"]
        for name in ("", "mean_", "users_without_rec_")
        for side, other in (("baseline", "system"), ("system", "baseline"))
    }
    return {
        **row,
        **exchanged,
        # Use 0 - x, since -0.0 is printed as -0.
        "difference": 0 - row["difference"],
        "low": None if row["high"] is None else 0 - row["high"],
        "high": None if row["low"] is None else 0 - row["low"],
        "relative": relative if relative is not None and isfinite(relative) else None,
        "wins": row["losses"],
        "losses": row["wins"],
        "verdict": TURNED.get(row["verdict"], row["verdict"]),
    }


def assign_letters(systems: Sequence[str], apart: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Give two systems a common letter if and only if they are not a pair of `apart`.

    Each letter is a maximal group without such a pair; letters are in the order of `systems`. The algorithm
    is insert-and-absorb (Piepho 2004).
    """
    groups = [frozenset(systems)]
    for pair in map(frozenset, apart):
        parts = [
            part
            for group in groups
            for part in ([group - {name} for name in pair] if pair <= group else [group])
        ]
        groups = [group for group in dict.fromkeys(parts) if not any(group < other for other in parts)]
    groups.sort(key=lambda group: sorted(map(list(systems).index, group)))
    names = [*ascii_letters, *(chr(0x3B1 + i) for i in range(len(groups)))]
    return {
        system: "".join(name for name, group in zip(names, groups, strict=False) if system in group)
        for system in systems
    }
