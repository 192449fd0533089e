"""Rank models by their comparisons: the best against others, and a compact letter display of all pairs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isclose, isfinite
from string import ascii_letters

from ..measures.grammar import Choice
from .words import Row, grouped

MOST_SYSTEMS = 20  # the most models whose pairs ranking.compare compares
TURNED = {"better": "worse", "worse": "better"}


@dataclass(frozen=True)
class ModelOrder:
    """The ranking of the models by one measure at one cutoff, from one family of comparisons."""

    means: dict[str, float]  # of each model, best first
    rows: Sequence[Row]  # the comparisons of the best model, as their system, with others, best first
    letters: Mapping[str, str]  # models that share a letter do not differ significantly; {} with a baseline
    is_tied: bool  # whether the second best model is as good as the best

    @property
    def best(self) -> Row:
        """The best model against the second best, or against the baseline."""
        return self.rows[0]

    @property
    def is_significant(self) -> bool:
        """True if the best model is the only one, and significantly better in all of its comparisons."""
        return not self.is_tied and all(row["verdict"] == "better" for row in self.rows)


Orders = Mapping[tuple[str, int | None], ModelOrder | None]  # by measure and k; None without a ranking


def common_baseline(rows: Iterable[Row]) -> str | None:
    """Return the baseline of several models; None if all pairs are compared."""
    baselines, systems = ({row[side] for row in rows} for side in ("baseline", "system"))
    return baselines.pop() if len(baselines) == 1 < len(systems) else None


def order_models(rows: Sequence[Row]) -> ModelOrder | None:
    """Rank models by comparisons in one measure at one cutoff: of all pairs, or with a baseline.

    Returns None if some users have no value: the pairs are then compared over different users.
    """
    if any(row["users_undefined"] or not row["users"] for row in rows):
        return None
    sign = -1 if rows[0]["higher_is_better"] else 1
    unsorted = {row[name]: row[f"mean_{name}"] for name in ("baseline", "system") for row in rows}
    baseline = common_baseline(rows)
    by = differences_by_model(rows, baseline) or unsorted
    means = {name: unsorted[name] for name in sorted(unsorted, key=lambda name: (sign * by[name], name))}
    first, second, *_ = names = list(means)
    turned = [
        row if row["system"] == first else swap_sides(row)
        for row in rows
        if first in (row["system"], row["baseline"])
    ]
    turned.sort(key=lambda row: names.index(row["baseline"]))
    apart = [(row["baseline"], row["system"]) for row in rows if row["verdict"] in TURNED]
    letters = assign_letters(names, apart) if baseline is None else {}
    is_tied = isclose(by[first], by[second], rel_tol=1e-12, abs_tol=1e-12)
    return ModelOrder(means, turned, letters, is_tied)


def differences_by_model(rows: Sequence[Row], baseline: str | None) -> dict[str, float]:
    """Sum the differences of each model over all users, if means are over users with human labels alone."""
    if "predicted_difference" not in rows[0]:
        return {}
    by = dict.fromkeys((row[name] for name in ("baseline", "system") for row in rows), 0.0)
    for row in rows:
        by[row["system"]] += row["difference"]
        by[row["baseline"]] -= row["difference"] if baseline is None else 0
    return by


def first_order(choices: Sequence[Choice], orders: Orders) -> ModelOrder | None:
    """Return the ranking of the models by the first measure at its first cutoff, if there is one."""
    return orders.get((choices[0].name, choices[0].cuts[0])) if choices else None


def find_orders(rows: Iterable[Row]) -> Orders:
    """Rank the models by each measure and k, within which p is corrected."""
    return {at: order_models(family) for at, family in grouped(rows, "measure", "k").items()}


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
