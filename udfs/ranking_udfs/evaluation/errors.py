"""Errors of the data or of a request, on one line."""

from ..texts import printable, shorten

# Beginnings of the lines of DuckDB's errors from which on they are of no use on one line.
DETAILS = ("The search space used was", "Candidate functions", "LINE ", "At:", "Possible solutions")


class DataError(Exception):
    """An error of the data or of a request, on one line."""


class NothingInCommonError(DataError):
    """An error of recommendations and truth without a user or an item in common."""


def error_summary(error: Exception) -> str:
    """Return the error's message on one line, without hints, quoted SQL and tracebacks."""
    if isinstance(error, DataError):
        return printable(error)
    text = str(error)
    text = text.partition(" while executing the UDF: ")[2].partition(": ")[2] or text
    lines = [line.strip() for line in text.partition("\n\n")[0].splitlines() if line.strip()]
    lines = lines[: next((i for i, line in enumerate(lines) if line.startswith(DETAILS)), None)]
    lines += [line.strip() for line in text.splitlines() if line.startswith("  file = ")]
    return "; ".join(map(shorten, lines)) or type(error).__name__
