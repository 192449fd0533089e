"""Render the mean over users and its interval as SQL, from the templates shared by all table functions."""

from collections.abc import Sequence
from typing import Any

from .call import Column, alpha_of
from .templates import identifier, indented, module


def render(file: str, macro: str, *arguments: Any) -> str:
    """Return the SQL of a macro."""
    return indented(str(getattr(module(f"tables/internal/{file}.jinja"), macro)(*arguments)).strip())


def mean(column: str, is_share: bool) -> str:
    """Return the mean of a column; `is_share` if all values are from -1 to 1."""
    return render("means", "mean", column, is_share)


def interval(mean: str, values: str, bottom: str, top: str, confidence: float) -> str:
    """Return the interval of a mean from a sorted LIST of all values, for `interval_ends`."""
    return render("student_t", "interval", False, mean, values, bottom, top, alpha_of(confidence))


def interval_ends(interval: str, bottom: str, top: str) -> str:
    """Return the columns low and high of an interval."""
    return render("student_t", "ends", interval, bottom, top, "low", "high")


def interval_values(column: Column, mean: str) -> str:
    """Return the columns after a mean, for `with_intervals`."""
    return render("student_t", "values", column, mean, f"list({identifier(column.name)})")


def with_intervals(rows: str, columns: Sequence[Column], confidence: float, is_portable: bool) -> str:
    """Return rows, for FROM, with the ends of intervals after each mean."""
    return render("student_t", "with_intervals", is_portable, columns, alpha_of(confidence), rows)
