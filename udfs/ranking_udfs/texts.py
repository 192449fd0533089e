"""Format values and hints on one short line, for errors and reports. Every package may import it."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

LONGEST = 200  # characters of a value, a type or a line of a DuckDB error


def printable(text: object) -> str:
    """Return the text on one line, without line breaks, escape sequences and marks of writing direction."""
    line = str(text)
    return line if line.isprintable() else "".join(c if c.isprintable() else " " for c in line)


def not_replaced(names: Sequence[str]) -> str:
    """Format the warning that functions of another origin have these names and keep them."""
    verbs = "already exists and was" if len(names) == 1 else "already exist and were"
    return f"{', '.join(names)} {verbs} not replaced"


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the known name nearest to a name, ignoring case; an empty string if none is near."""
    names = {candidate.lower(): candidate for candidate in known}
    return next((names[near] for near in get_close_matches(name.lower(), names, 1)), "")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Suggest the nearest known name, in brackets; return an empty string if none is near."""
    near = nearest(name, known)
    return f" (did you mean {near}?)" if near else ""


def shorten(text: object, longest: int = LONGEST) -> str:
    """Shorten the text to one line of at most `longest` characters."""
    line = printable(text)
    return line if len(line) <= longest else f"{line[: longest - 3]}..."
