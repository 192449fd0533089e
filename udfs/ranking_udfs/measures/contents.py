"""Columns as measures: those of ranking.beyond_accuracy, and the user's own; only SQL reads them."""

from .arrays import Floats
from .registry import SHARE, Empty, Measure, Range

HISTORY, ITEMS, CATALOGUE = ("rec", "history"), ("rec", "items"), ("rec", "history or items")
NUMBER = Range(0)


def of_tables(*_: object) -> Floats:
    """Raise NotImplementedError: there is no function of lists."""
    raise NotImplementedError


def contents(name: str, arguments: tuple[str, ...], range: Range = SHARE, title: str = "") -> Measure:
    """Return a column as a measure; `arguments` are the tables that it needs."""
    empty = Empty(None, "an item")
    return Measure(
        name, of_tables, range=range, empty=empty, arguments=arguments, title=title, higher_is_better=None
    )


def own_column(name: str, higher_is_better: bool | None = None) -> Measure:
    """Return a column of the user's as a measure; it may have any values."""
    return Measure(
        name, of_tables, range=Range(), title=name, higher_is_better=higher_is_better, has_cutoff=False
    )


# Those that each user has a value of, and those of all lists together.
BY_USER = (
    contents("popularity", HISTORY),
    contents("profile_popularity", HISTORY),
    contents("novelty", HISTORY, NUMBER, "Novelty (bits)"),
    contents("long_tail", HISTORY),
    contents("repeats", HISTORY),
    contents("cold", HISTORY),
    contents("diversity", ITEMS),
    contents("categories", ITEMS),
    contents("miscalibration", ("rec", "history", "items"), NUMBER),
)
OF_ALL_LISTS = (
    contents("popularity_lift", HISTORY, Range(-1)),
    contents("n_items", ("rec",), NUMBER, "Different items"),
    contents("coverage", CATALOGUE),
    contents("items_outside_catalog", CATALOGUE, NUMBER),
    contents("gini", CATALOGUE, SHARE, "Gini index"),
    contents("entropy", CATALOGUE, NUMBER, "Entropy (bits)"),
    contents("personalization", ("rec",)),
)
CONTENTS = {one.name: one for one in (*BY_USER, *OF_ALL_LISTS)}
