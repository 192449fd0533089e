"""Numbers, cut-offs, counts and verdicts as people read them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from math import floor, log10
from typing import Any

from ..texts import shorten
from .defaults import DIGITS
from .errors import DataError

DIGITS_OF_P, SMALLEST_P = 2, 0.0001
MOST_DECIMALS = 9

MARKS = {"better": "+", "worse": "-", "same": "=", "unclear": "?", "higher": ">", "lower": "<"}
WITHOUT_RELEVANT = "users_without_relevant"
COUNTS = {
    "users": "Users evaluated",
    "users_without_rec": "Users without recommendations (scored as an empty list)",
    "users_without_truth": "Users without truth (left out)",
    WITHOUT_RELEVANT: "Users without a relevant item (scored as finding none)",
}
LEFT_OUT = "(left out)"
BUT_GAINS = (
    "(scored as finding none, but for gains, as of NDCG, which count lower grades too)"  # with min_grade
)
OF_LISTS = {  # counts of users that ranking.beyond_accuracy adds
    "users_with_rec": "Users with recommendations (with truth or without)",
    "users_without_history": "Of these without a history (left out of what needs their own)",
}
GONE = "no longer in the corpus"  # of an item that the catalogue does not have
Row = Mapping[str, Any]  # of a result, by column
UNIT = ContextVar("unit", default="user")  # what sentences call those who are evaluated
# In a text of the pack's own, but for names of columns, options and files.
USER = re.compile(r"(?<![-\w./])(a )?(user)(s?)(?![-\w/=]|\.\w)( who\b)?", re.IGNORECASE)


def parse_unit(unit: object) -> str:
    """Read a word for those who are evaluated."""
    if not isinstance(unit, str) or not re.fullmatch(r"[^\W\d_]+([ -][^\W\d_]+)*", unit):
        raise ValueError(f"must be a word such as query, got {shorten(repr(unit))}")
    return unit


@contextmanager
def speaking_of(unit: str) -> Iterator[None]:
    """Let sentences say this word in place of user."""
    try:
        before = UNIT.set(parse_unit(unit))
    except ValueError as error:
        raise DataError(f"unit {error}") from None
    try:
        yield
    finally:
        UNIT.reset(before)


def in_unit(text: str) -> str:
    """Say query, or another unit, for user in a text of the pack's own, in which are no names of the data."""
    unit = UNIT.get()

    def said(found: re.Match[str]) -> str:
        article, user, is_plural, who = found.groups()
        if article and unit[0].lower() in "aeiou":
            article = f"{article[0]}n "
        word = re.sub("(?<=[^aeiou])y$", "ie", unit) + "s" if is_plural else unit
        word = re.sub("([sxz]|[cs]h)s$", r"\1es", word) if is_plural else word
        word = word[0].upper() + word[1:] if user[0].isupper() else word
        return f"{article or ''}{word}{' that' if who else ''}"

    return text if unit == "user" else USER.sub(said, text)


def with_text(name: object, text: str | None) -> str:
    """Return an id with its title or text, if it has one."""
    return shorten(f"{name}: {text}" if text else name)


def format_number(number: float | None, digits: int = DIGITS) -> str:
    """Format a number for people: 0.012, 2e-9; integers in full."""
    if number is None or isinstance(number, int):
        return "" if number is None else str(number)
    return re.sub(r"e([+-])0*", r"e\1", f"{number:.{digits}g}").replace("e+", "e")


def format_p(p: float | None) -> str:
    """Format a probability: 0.012, or < 0.0001."""
    is_small = p is not None and p < SMALLEST_P
    return f"< {SMALLEST_P:f}".rstrip("0") if is_small else format_number(p, DIGITS_OF_P)


def decimals_of(half: float, digits: int = DIGITS) -> int:
    """Return the decimals that half of an interval leaves a mean: so many that half itself has two digits."""
    return max(digits - 2, DIGITS_OF_P) - 1 - floor(log10(half)) if half > 0 else MOST_DECIMALS + 1


def format_fixed(numbers: Sequence[float], decimals: int, digits: int = DIGITS) -> list[str]:
    """Format numbers with the same decimals; more than MOST_DECIMALS stand for none in common."""
    if decimals > MOST_DECIMALS or max(map(abs, numbers)) >= 10**MOST_DECIMALS:
        return [format_number(one, digits) for one in numbers]
    return [f"{one:.{max(decimals, 0)}f}" for one in numbers]


def half_of(low: float | None, high: float | None) -> float | None:
    """Return half of the width of an interval."""
    return None if low is None or high is None else (high - low) / 2


def format_mean(
    mean: float, low: float | None, high: float | None, decimals: int | None = None, digits: int = DIGITS
) -> tuple[str, str]:
    """Format a mean and its interval, with the decimals of the interval: 0.344 and ± 0.074.

    What is not symmetric, as at an end of a measure's range, goes from low to high: 0.98 and (0.87 to 1.00).
    """
    half = half_of(low, high)
    if decimals is None:
        decimals = decimals_of(half or 0, digits)
    if low is None or high is None or half is None:
        return format_fixed([mean], decimals, digits)[0], ""
    if abs(high - mean - half) <= half * 1e-6:
        middle, shown = format_fixed([mean, half], decimals, digits)
        return middle, f"± {shown}"
    middle, *ends = format_fixed([mean, low, high], decimals, digits)
    return middle, f"({' to '.join(ends)})"


def mean_text(mean: float | None, low: float | None, high: float | None, digits: int = DIGITS) -> str:
    """Format a mean with its interval in one text; empty for none."""
    return "" if mean is None else " ".join(filter(None, format_mean(mean, low, high, digits=digits)))


def column_decimals(
    numbers: Iterable[float | None], halves: Iterable[float | None] = (), digits: int = DIGITS
) -> int:
    """Return the decimals of a column: its narrowest interval's, or by its largest number.

    More than MOST_DECIMALS stand for none in common.
    """
    found = [half for half in halves if half]
    if found:
        return max(decimals_of(half, digits) for half in found)
    largest = max((abs(number) for number in numbers if number), default=1.0)
    return max(digits - 1 - floor(log10(largest)), 0)


def format_cut_off(k: int | None) -> str:
    """Format a cut-off: `10`, or `all` for the whole list."""
    return "all" if k is None else str(k)


def join_names(names: Sequence[str], word: str = "and", most: int = 3) -> str:
    """Join names for a sentence: a, b, c and 2 more."""
    shown = [*names[:most], *([f"{len(names) - most} more"] if len(names) > most else [])]
    return f" {word} ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def cut_off_key(k: int | None) -> tuple[bool, int]:
    """Return the key that sorts cut-offs, the whole list last."""
    return k is None, k or 0
