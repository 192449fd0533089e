"""Errors of the data or of a request, on one line."""

import re

from ..texts import printable, shorten

# Beginnings of lines of DuckDB's errors. The message is cut before the first such line.
DETAILS = (
    "The search space used was",
    "Candidate functions",
    "LINE ",
    "At:",
    "Possible",
    "Potential",
    "Try setting",
    "* ",
)

EXTENSION = re.compile(r"(?:required extension '|requires the extension |download extension \")(\w+)")
DECIMAL_COMMA = re.compile(r"must be a number, got (-?\d*,\d+(?:[eE][-+]?\d+)?)$", re.MULTILINE)


class DataError(Exception):
    """An error of the data or of a request, on one line."""


class UsageError(DataError):
    """An error in a request, such as an unknown baseline."""


def error_summary(error: Exception) -> str:
    """Return the error's message on one line, without its usual kind, hints, quoted SQL and tracebacks."""
    if isinstance(error, DataError):
        return printable(error)
    text = str(error).removeprefix("Invalid Input Error: ")
    text = text.partition(" while executing the UDF: ")[2].partition(": ")[2] or text
    if match := EXTENSION.search(text):
        name = match[1]
        rule = f"run INSTALL {name} in DuckDB on this machine, with a network, or copy the file to it"
        return f"DuckDB's extension {name} is not installed here: {rule}"
    lines = [line.strip() for line in text.partition("\n\n")[0].splitlines() if line.strip()]
    lines = lines[: next((i for i, line in enumerate(lines) if line.startswith(DETAILS)), None)]
    lines += [line.strip() for line in text.splitlines() if line.startswith("  file = ")]
    if match := DECIMAL_COMMA.search(text):
        if re.fullmatch(r"-?[1-9]\d{0,2}(,\d{3})+", match[1]):  # the comma may separate thousands
            lines.append(f"{shorten(match[1])} has a comma: write 1234.5, without one")
        else:
            copy = "COPY (FROM read_csv('FILE', decimal_separator = ',')) TO 'point.csv' in DuckDB"
            lines.append(f"{shorten(match[1])} has a decimal comma: write a point, as by {copy}")
    return "; ".join(map(shorten, lines)) or type(error).__name__
