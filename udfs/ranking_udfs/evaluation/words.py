"""Format numbers, cutoffs, counts and verdicts for people."""

import re
from collections.abc import Iterable, Mapping, Sequence
from math import floor, log10
from typing import Any

from ..texts import shorten
from .defaults import DIGITS

DIGITS_OF_P, SMALLEST_P = 2, 0.0001
MOST_DECIMALS = 9

MARKS = {"better": "+", "worse": "-", "same": "=", "unclear": "?", "higher": ">", "lower": "<", "error": "!"}
WITHOUT_RELEVANT = "users_without_relevant"
COUNTS = {
    "users": "{Units} evaluated",
    "users_without_rec": "{Units} without recommendations (scored as an empty list)",
    "users_without_truth": "{Units} without truth (excluded)",
    WITHOUT_RELEVANT: "{Units} without a relevant item (scored as if nothing was found)",
}
LEFT_OUT = "(excluded)"
BUT_GAINS = "(scored as if nothing was found; gains, as in NDCG, also count lower grades)"
OF_LISTS = {  # counts of users added by ranking.beyond_accuracy
    "users_with_rec": "{Units} with recommendations (with or without truth)",
    "users_without_history": "Of these, {units} without a history (excluded from measures that need it)",
}
GONE = "no longer in the corpus"  # an item that is missing from the catalog
Row = Mapping[str, Any]  # a row of a result, by column


def grouped(rows: Iterable[Row], *names: str) -> dict[Any, list[Row]]:
    """Group rows by the values of these columns, None if they lack one; keep the order of first rows."""
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(map(row.get, names)), []).append(row)
    return groups


def with_text(name: object, text: str | None) -> str:
    """Return an id with its title, if it has one."""
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


def exponent_of(number: float) -> int:
    """Return the power of ten of the first digit of a number, which is not 0."""
    return floor(log10(abs(number)))


def decimals_of(half: float, digits: int = DIGITS) -> int:
    """Return the decimals of a mean such that half of its interval has two digits."""
    return max(digits - 2, DIGITS_OF_P) - 1 - exponent_of(half) if half > 0 else MOST_DECIMALS + 1


def format_fixed(numbers: Sequence[float], decimals: int, digits: int = DIGITS) -> list[str]:
    """Format numbers with the same decimals, so that the largest has at most `digits` significant digits.

    Each has its own format if there are more than MOST_DECIMALS.
    """
    if decimals > MOST_DECIMALS or (largest := max(map(abs, numbers))) >= 10**MOST_DECIMALS:
        return [format_number(number, digits) for number in numbers]
    decimals = min(decimals, digits - 1 - exponent_of(largest)) if largest else decimals
    return [f"{number:,.{max(decimals, 0)}f}" for number in numbers]


def half_of(low: float | None, high: float | None) -> float | None:
    """Return half of the width of an interval."""
    return None if low is None or high is None else (high - low) / 2


def format_mean(
    mean: float, low: float | None, high: float | None, decimals: int | None = None, digits: int = DIGITS
) -> tuple[str, str]:
    """Format a mean and its interval, with the decimals of the interval: 0.344 and ± 0.074.

    An asymmetric interval, as at an end of a measure's range, is written from low to high: (0.87 to 1.00).
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


def column_decimals(
    numbers: Iterable[float | None], halves: Iterable[float | None] = (), digits: int = DIGITS
) -> int:
    """Return the decimals of a column: from its narrowest interval, or from its largest number.

    The largest number has all but one of the digits even if its interval is wide.

    A result above MOST_DECIMALS means that the numbers need individual formats.
    """
    widths = [half for half in halves if half]
    largest = exponent_of(max((abs(number) for number in numbers if number), default=1.0))
    if widths:
        return max(digits - 2 - largest, *(decimals_of(half, digits) for half in widths))
    return max(digits - 1 - largest, 0)


def format_cut_off(k: int | None) -> str:
    """Format a cutoff: `10`, or `all` for the whole list."""
    return "all" if k is None else str(k)


def join_names(names: Sequence[str], word: str = "and", most: int = 3) -> str:
    """Join names for a sentence: a, b, c and 2 more."""
    shown = [*names[:most], *([f"{len(names) - most} more"] if len(names) > most else [])]
    return f" {word} ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def cut_off_key(k: int | None) -> tuple[bool, int]:
    """Return the sort key of a cutoff, the whole list last."""
    return k is None, k or 0
