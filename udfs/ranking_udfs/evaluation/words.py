"""Numbers, cut-offs, counts and verdicts as people read them."""

import re
from collections.abc import Mapping
from math import floor, log10
from typing import Any

from .defaults import DIGITS

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
OF_LISTS = {  # counts of users that ranking_beyond_accuracy adds
    "users_with_rec": "Users with recommendations (with truth or without)",
    "users_without_history": "Of these without a history (left out of what needs their own)",
}
Row = Mapping[str, Any]  # of a result, by column


def format_number(number: float | None, digits: int = DIGITS) -> str:
    """Format a number for people: 0.012, 2e-9; integers in full."""
    if number is None or isinstance(number, int):
        return "" if number is None else str(number)
    return re.sub(r"e([+-])0*", r"e\1", f"{number:.{digits}g}").replace("e+", "e")


def format_p(p: float | None, digits: int = DIGITS) -> str:
    """Format a probability: 0.012, or < 0.0001."""
    is_small = p is not None and p < SMALLEST_P
    return f"< {SMALLEST_P:f}".rstrip("0") if is_small else format_number(p, digits)


def format_with_half(number: float, half: float | None, digits: int = DIGITS) -> str:
    """Format a mean and half of its interval with the same decimals: 0.344 ± 0.074."""
    if half is None:
        return format_number(number, digits)
    decimals = max(digits - 2, DIGITS_OF_P) - 1 - floor(log10(half)) if half > 0 else MOST_DECIMALS + 1
    if decimals > MOST_DECIMALS or half >= 10**MOST_DECIMALS:
        return f"{format_number(number, digits)} ± {format_number(half, digits)}"
    return " ± ".join(f"{one:.{max(decimals, 0)}f}" for one in (number, half))


def format_cut_off(k: int | None) -> str:
    """Format a cut-off: `10`, or `all` for the whole list."""
    return "all" if k is None else str(k)


def cut_off_key(k: int | None) -> tuple[bool, int]:
    """Return the key that sorts cut-offs, the whole list last."""
    return k is None, k or 0
