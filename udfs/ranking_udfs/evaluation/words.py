"""Numbers, cut-offs, counts and verdicts as people read them."""

import re
from collections.abc import Mapping
from typing import Any

from .defaults import DIGITS

MARKS = {"better": "+", "worse": "-", "same": "=", "unclear": "?"}
COUNTS = {
    "users": "Users evaluated",
    "users_without_rec": "Users without recommendations (scored as an empty list)",
    "users_without_truth": "Users without truth (left out)",
}
Row = Mapping[str, Any]  # of a result, by column


def format_number(number: float | None, digits: int = DIGITS) -> str:
    """Format a number for people: 0.012, 2e-9; integers in full."""
    if number is None or isinstance(number, int):
        return "" if number is None else str(number)
    return re.sub(r"e([+-])0*", r"e\1", f"{number:.{digits}g}").replace("e+", "e")


def format_cut_off(k: int | None) -> str:
    """Format a cut-off: `10`, or `all` for the whole list."""
    return "all" if k is None else str(k)


def cut_off_key(k: int | None) -> tuple[bool, int]:
    """Return the key that sorts cut-offs, the whole list last."""
    return k is None, k or 0
