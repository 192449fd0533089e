"""Render the mean over users and its interval as SQL, from the templates shared by all table functions."""

from .templates import indented, module


def mean(column: str, is_share: bool) -> str:
    """Return the mean of a column; `is_share` if all values are from -1 to 1."""
    return indented(str(module("tables/internal/means.jinja").mean(column, is_share)).strip())


def mean_interval(
    *,
    mean: str,
    standard_error: str,
    users: str,
    is_constant: str,
    is_binary: str,
    bottom: str,
    top: str,
    alpha: str,
) -> str:
    """Return the confidence interval of a mean, from the SQL of its parts."""
    parts = (mean, standard_error, users, is_constant, is_binary, bottom, top, alpha)
    return str(module("comparison/internal/student_t.jinja").mean_interval(*parts)).strip()
