"""Format values and hints on one short line, for errors and reports. Every package may import it."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches
from types import MappingProxyType

LONGEST = 200  # characters of a value, a type or a line of a DuckDB error


def words_of(unit: str) -> Mapping[str, str]:
    """Return the forms of the word for a user, by placeholder; {Unit} and {Units} begin a sentence."""
    plural = re.sub("([sxz]|[cs]h)s$", r"\1es", re.sub("(?<=[^aeiou])y$", "ie", unit) + "s")
    forms = {"unit": unit, "units": plural}
    begin = {name.capitalize(): word[0].upper() + word[1:] for name, word in forms.items()}
    article = "an" if re.match("(?i)[aeio]|u(?!s|ni)", unit) else "a"
    return MappingProxyType({**forms, **begin, "a_unit": f"{article} {unit}"})


UNIT = ContextVar("unit", default=words_of("user"))  # noqa: B039  (nothing can change it)


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


def filled(text: str, words: Mapping[str, str]) -> str:
    """Fill in words for the placeholders of a string; other placeholders stay."""
    return re.sub(r"\{(\w+)\}", lambda word: words.get(word[1], word[0]), text)


@contextmanager
def using_unit(unit: str) -> Iterator[None]:
    """Use this word for a user in sentences, within a `with` block."""
    before = UNIT.set(words_of(unit))
    try:
        yield
    finally:
        UNIT.reset(before)


def units(count: int = 2) -> str:
    """Return the word for a user, in the plural unless the count is 1."""
    return UNIT.get()["unit" if count == 1 else "units"]


def user_label(column: str) -> str:
    """Return what an example calls a user: the column of ids, or the word that --unit names."""
    return column if units(1) == "user" else units(1)


def with_unit(text: str) -> str:
    """Fill in the word for a user: {unit}, {a_unit} and {units}; {Unit} and {Units} begin a sentence."""
    return filled(text, UNIT.get())
