"""Columns as measures: those of ranking.beyond_accuracy and the user's own. Only SQL reads them."""

from .arrays import Floats
from .registry import SHARE, Empty, Measure, Range

HISTORY, ITEMS, CATALOGUE = ("rec", "history"), ("rec", "items"), ("rec", "history or items")
NUMBER = Range(0)


def of_tables(*_: object) -> Floats:
    """Raise NotImplementedError, since these measures have no function over lists."""
    raise NotImplementedError


def contents(name: str, arguments: tuple[str, ...], range: Range = SHARE, title: str = "") -> Measure:
    """Return a column as a measure; `arguments` are the required tables."""
    empty = Empty(None, "an item")
    return Measure(
        name, of_tables, range=range, empty=empty, arguments=arguments, title=title, higher_is_better=None
    )


def own_column(name: str, higher_is_better: bool | None = None) -> Measure:
    """Return the user's own column as a measure, which can have any values."""
    return Measure(
        name, of_tables, range=Range(), title=name, higher_is_better=higher_is_better, has_cutoff=False
    )


# Measures with a value per user, and measures of all lists together.
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
