"""Checks of what a caller passes; each error names the function, the argument, the rule and the value."""

from collections.abc import Container

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..measures.ragged import Ints
from .layouts import is_integer, is_string, shown, sql_type, wide_integer


def cut_offs(name: str, array: pa.Array, size: Ints) -> Ints:
    """The k of every row; NULL means the whole list."""
    if pa.types.is_null(array.type):
        return size
    if not is_integer(array.type):
        got = f"{sql_type(array.type)} {shown(array[0])}" if len(array) else sql_type(array.type)
        raise TypeError(f"{name}: k must be an integer, got {got}")
    longest = 2**63 - 1  # of what NumPy holds; beyond it, a k says no more to 12 digits
    if pa.types.is_integer(array.type):
        lowest = pc.min(array).as_py()
        wide = array.type if array.type == pa.uint64() else pa.int64()
        array = pc.min_element_wise(array.cast(wide), pa.scalar(longest, wide), skip_nulls=False)
    else:
        values = [None if value is None else wide_integer(value) for value in array.to_pylist()]
        lowest = min((value for value in values if value is not None), default=None)
        array = pa.array([None if value is None else max(min(value, longest), -1) for value in values])
    if lowest is not None and lowest < 0:
        raise ValueError(f"{name}: k must be 0 or more, got {lowest}")
    k: Ints = array.cast(pa.int64()).fill_null(-1).to_numpy()
    return np.where(k < 0, size, k) if array.null_count else k


def different_texts(
    name: str, array: pa.Array, argument: str = "options", form: str = "a VARCHAR of name=value pairs"
) -> list[str | None]:
    """The different texts in an argument."""
    if pa.types.is_null(array.type):
        return [None]
    if not is_string(array.type):
        got = f"{sql_type(array.type)} {shown(array[0])}"
        raise TypeError(f"{name}: {argument} must be {form}, got {got}")
    texts: list[str | None] = pc.unique(array).to_pylist()
    return texts


def check_count(name: str, form: str, count: int, valid: Container[int]) -> None:
    """Refuse a wrong number of arguments."""
    if count not in valid:
        raise TypeError(f"{name}: takes {form}, got {count} argument{'s' if count != 1 else ''}")
