"""Columns that are compared beside the measures, such as latency, and the models that others dominate."""

import re
from collections.abc import Sequence

from ..compose.comparison import KEYS, KNOWN, LOWER
from ..measures.contents import own_column
from ..measures.grammar import Choice
from ..texts import printable, shorten
from .words import Row, in_unit, join_names

WAYS = {"lower": False, "higher": True}  # of the better values, as written behind a name


def parse_also(text: str) -> list[Choice]:
    """Read `latency_ms,tokens:lower`.

    Raises:
        ValueError: the rule that the text breaks
    """
    return [parse_column(one.strip()) for one in text.split(",")]


def parse_column(text: str) -> Choice:
    """Read a column, and whether its lower or higher values are better, where its name does not say it."""
    name, _, way = text.rpartition(":")
    if way not in WAYS or not name:
        name, way = text, "lower" if re.search(LOWER, text.lower()) else ""
    if not name:
        raise ValueError("must be the names of columns, got ''")
    if re.split("[(@]", name.lower())[0] in {*KNOWN, *KEYS}:
        raise ValueError(f"must be columns that no measure or key is called, got {shorten(repr(name))}")
    if not way:
        rule = f"must say whether lower or higher is better, as in {shorten(name)}:lower"
        raise ValueError(f"{rule}, got {shorten(repr(name))}")
    return Choice(own_column(name, WAYS[way]), {}, {}, (None,))


def find_dominated(rows: Sequence[Row]) -> dict[str, list[str]]:
    """Return the models that others dominate, each with these, by comparisons of all pairs of models.

    A model dominates another if in every comparison of the two it is better, the same within the margin, or
    equal for every user, and if it is better in one or more.
    """
    compared: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        is_equal = row["verdict"] == "same" or row["ties"] == row["users"] > 0
        for way, pair in {"better": ("system", "baseline"), "worse": ("baseline", "system")}.items():
            said = "better" if row["verdict"] == way else "equal" if is_equal else "unknown"
            compared.setdefault((row[pair[0]], row[pair[1]]), set()).add(said)
    found: dict[str, list[str]] = {}
    for (one, other), verdicts in compared.items():
        if "better" in verdicts and "unknown" not in verdicts:
            found.setdefault(other, []).append(one)
    return found


def dominated_sentences(rows: Sequence[Row], most: int) -> list[str]:
    """Say which models are dominated; `rows` compare all pairs, none where models are more than `most`."""
    if not rows:
        rule = f"needs {most} models or fewer, and users with lists of each two"
        return [in_unit(f"Which models are dominated is not known: that {rule}.")]
    texts = [
        f"{printable(name)} is dominated by {join_names([*map(printable, others)])}."
        for name, others in find_dominated(rows).items()
    ]
    rule = "A model dominates another if it is significantly better in at least one measure or column. "
    rule += "In each of the others it is better too, equal for every user, or the same within the margin."
    return [*(texts or ["No model is dominated by another."]), in_unit(rule)]
