"""Columns as measures: those of ranking.beyond_accuracy and the user's own. Only SQL reads them."""

from .arrays import Floats
from .registry import SHARE, Empty, Measure, Range

HISTORY, ITEMS, CATALOGUE = ("rec", "history"), ("rec", "items"), ("rec", "history or items")
NUMBER = Range(0)


def of_tables(*_: object) -> Floats:
    """Raise NotImplementedError, since these measures have no function over lists."""
    raise NotImplementedError


def column_measure(name: str, arguments: tuple[str, ...], range: Range = SHARE, title: str = "") -> Measure:
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
    column_measure("popularity", HISTORY),
    column_measure("profile_popularity", HISTORY),
    column_measure("novelty", HISTORY, NUMBER, "Novelty (bits)"),
    column_measure("long_tail", HISTORY),
    column_measure("repeats", HISTORY),
    column_measure("cold", HISTORY),
    column_measure("diversity", ITEMS),
    column_measure("categories", ITEMS),
    column_measure("miscalibration", ("rec", "history", "items"), NUMBER),
)
OF_ALL_LISTS = (
    column_measure("popularity_lift", HISTORY, Range(-1)),
    column_measure("n_items", ("rec",), NUMBER, "Different items"),
    column_measure("coverage", CATALOGUE),
    column_measure("items_outside_catalog", CATALOGUE, NUMBER),
    column_measure("gini", CATALOGUE, SHARE, "Gini index"),
    column_measure("entropy", CATALOGUE, NUMBER, "Entropy (bits)"),
    column_measure("personalization", ("rec",)),
)
CONTENTS = {measure.name: measure for measure in (*BY_USER, *OF_ALL_LISTS)}
