"""Values and hints in the text of an error or a report, on one short line. Every package may import it."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

LONGEST = 200  # characters of a value, of a type, or of a line of DuckDB's errors


def printable(text: object) -> str:
    """Put the text on one line: no line breaks, no escape sequences, no marks that reverse the writing."""
    return "".join(character if character.isprintable() else " " for character in str(text))


def not_replaced(names: Sequence[str]) -> str:
    """Say that functions of another origin have these names and keep them."""
    verbs = "already exists and was" if len(names) == 1 else "already exist and were"
    return f"{', '.join(names)} {verbs} not replaced"


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the known name that is nearest to one, in whatever case; an empty text if none is near."""
    names = {one.lower(): one for one in known}
    return next((names[near] for near in get_close_matches(name.lower(), names, 1)), "")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Suggest the nearest of the known names, in brackets; an empty text if none is near."""
    near = nearest(name, known)
    return f" (did you mean {near}?)" if near else ""


def shorten(text: object, longest: int = LONGEST) -> str:
    """Put the text on one line of at most so many characters."""
    line = printable(text)
    return line if len(line) <= longest else f"{line[: longest - 3]}..."
