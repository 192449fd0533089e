"""Columns that are compared in addition to measures, such as latency, and dominated models."""

import re
from collections.abc import Sequence

from ..compose.comparison import KEYS, KNOWN, LOWER
from ..measures.contents import own_column
from ..measures.grammar import Choice
from ..texts import printable, shorten, with_unit
from .pairs import common_baseline
from .words import Row, join_names

WAYS = {"lower": False, "higher": True}  # the suffix of a column: whether higher values are better


def parse_column(text: str) -> Choice:
    """Parse a column, with its file if named and its better direction, which some names imply.

    Raises:
        ValueError: The column breaks a rule; the message states the rule.
    """
    name, _, way = text.rpartition(":")
    if way not in WAYS or not name:
        name, way = text, "lower" if re.search(LOWER, text.rpartition(":")[2].lower()) else ""
    file, _, name = name.rpartition(":")
    if not name:
        raise ValueError("must be the names of columns, got ''")
    if re.split("[(@]", name.lower())[0] in {*KNOWN, *KEYS}:
        raise ValueError(f"must be columns that no measure or key is called, got {shorten(repr(name))}")
    if not way:
        rule = f"must say whether lower or higher is better, as in {shorten(name)}:lower"
        raise ValueError(f"{rule}, got {shorten(repr(name))}")
    return Choice(own_column(name, WAYS[way]), {}, {"file": file}, (None,))


def find_dominated(rows: Sequence[Row]) -> dict[str, list[str]]:
    """Return the dominated models, each with the models that dominate it, among the compared pairs.

    A model dominates another if it is better in at least one comparison, and in the others better, the same
    within the margin, or equal for every user.
    """
    compared: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        is_equal = row["verdict"] == "same" or row["ties"] == row["users"] > 0
        for way, pair in {"better": ("system", "baseline"), "worse": ("baseline", "system")}.items():
            outcome = "better" if row["verdict"] == way else "equal" if is_equal else "unknown"
            compared.setdefault((row[pair[0]], row[pair[1]]), set()).add(outcome)
    dominated: dict[str, list[str]] = {}
    for (model, other), verdicts in compared.items():
        if "better" in verdicts and "unknown" not in verdicts:
            dominated.setdefault(other, []).append(model)
    return dominated


def dominated_sentences(rows: Sequence[Row]) -> list[str]:
    """Name the dominated models among those that the rows compare: all pairs, or each with a baseline."""
    rows = [row for row in rows if row["higher_is_better"] is not None]
    baseline = common_baseline(rows)
    none = (
        "is dominated by another"
        if baseline is None
        else f"dominates {printable(baseline)} or is dominated by it"
    )
    texts = [
        f"{printable(name)} is dominated by {join_names([*map(printable, others)])}."
        for name, others in find_dominated(rows).items()
    ]
    rule = "A model dominates another if it is significantly better in at least one measure or column. "
    rule += "In each of the others it is better too, equal for every {unit}, or the same within the margin."
    return [*(texts or [f"No model {none}."]), with_unit(rule)]
