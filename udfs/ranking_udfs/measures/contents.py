"""The columns of ranking_beyond_accuracy as measures; SQL alone computes them, of tables."""

from .arrays import Floats
from .registry import Empty, Measure, Range

HISTORY, ITEMS = ("rec", "history"), ("rec", "items")
CATALOGUE = ("rec", "history or items")
SHARE, NUMBER = Range(0, 1), Range(0)


def of_tables(*_: object) -> Floats:
    """Raise NotImplementedError: there is no function of lists."""
    raise NotImplementedError


def contents(name: str, arguments: tuple[str, ...], range: Range, title: str = "") -> Measure:
    """Return a column as a measure; `arguments` are the tables that it needs."""
    empty, source = Empty(None, "an item"), "ranking_beyond_accuracy"
    return Measure(
        name, of_tables, range, empty, source, arguments=arguments, title=title, higher_is_better=None
    )


# Those that each user has a value of, and those of all lists together.
BY_USER = (
    contents("popularity", HISTORY, SHARE),
    contents("profile_popularity", HISTORY, SHARE),
    contents("novelty", HISTORY, NUMBER, "Novelty (bits)"),
    contents("long_tail", HISTORY, SHARE),
    contents("repeats", HISTORY, SHARE),
    contents("cold", HISTORY, SHARE),
    contents("diversity", ITEMS, SHARE),
    contents("categories", ITEMS, SHARE),
    contents("miscalibration", ("rec", "history", "items"), NUMBER),
)
OF_ALL_LISTS = (
    contents("popularity_lift", HISTORY, Range(-1)),
    contents("n_items", ("rec",), NUMBER, "Different items"),
    contents("coverage", CATALOGUE, SHARE),
    contents("items_outside_catalogue", CATALOGUE, NUMBER),
    contents("gini", CATALOGUE, SHARE, "Gini index"),
    contents("entropy", CATALOGUE, NUMBER, "Entropy (bits)"),
    contents("personalization", ("rec",), SHARE),
)
CONTENTS = {one.name: one for one in (*BY_USER, *OF_ALL_LISTS)}
