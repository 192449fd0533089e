"""The mean over users as SQL, of the template that all table functions have it from."""

from .templates import environment, indented


def mean(column: str, is_share: bool) -> str:
    """Return the mean of a column; `is_share` where all values lie from -1 to 1."""
    macros = environment().get_template("tables/internal/means.jinja").module
    return indented(str(macros.mean(column, is_share)).strip())  # type: ignore[attr-defined]
