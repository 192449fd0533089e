"""Checks of what a caller passes; each error names the function, the argument, the rule and the value."""

from collections.abc import Container

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..measures.ragged import Ints
from ..measures.rankings import Judged
from .layouts import wide_values
from .types import is_integer, is_text, shown, type_name

LARGEST = 2**63 - 1  # of what NumPy holds; beyond it, a k says no more to 12 digits


def cut_offs(name: str, array: pa.Array, judged: Judged) -> Ints:
    """The k of every row; NULL means the whole list."""
    if pa.types.is_null(array.type):
        return judged.size
    if not is_integer(array.type):
        raise TypeError(f"{name}: k must be an integer, got {seen(array)}")
    if pa.types.is_integer(array.type):
        lowest = pc.min(array).as_py()
        wide = array.type if array.type == pa.uint64() else pa.int64()
        array = pc.min_element_wise(array.cast(wide), pa.scalar(LARGEST, wide), skip_nulls=False)
    else:
        values = wide_values(array)
        lowest = min((value for value in values if value is not None), default=None)
        array = pa.array([None if value is None else max(min(value, LARGEST), -1) for value in values])
    if lowest is not None and lowest < 0:
        raise ValueError(f"{name}: k must be 0 or more, got {lowest}")
    given: Ints = array.cast(pa.int64()).fill_null(-1).to_numpy()
    k = np.where(given < 0, judged.size, given) if array.null_count else given
    beyond = judged.valid & (k > judged.cutoff)
    if beyond.any():
        row = int(np.argmax(beyond))
        rule = f"at most {judged.cutoff[row]}, the rank at which the judged ranking was cut"
        raise ValueError(f"{name}: k must be {rule}, got {k[row]}")
    return k


def different_texts(name: str, array: pa.Array) -> list[str | None]:
    """The different texts of options."""
    if pa.types.is_null(array.type):
        return [None]
    if not is_text(array.type):
        raise TypeError(f"{name}: options must be a VARCHAR of name=value pairs, got {seen(array)}")
    texts: list[str | None] = pc.unique(array).to_pylist()
    return texts


def seen(array: pa.Array) -> str:
    """The type of an argument, and its first value if there is one."""
    return f"{type_name(array.type)} {shown(array[0])}" if len(array) else type_name(array.type)


def check_count(name: str, form: str, count: int, valid: Container[int]) -> None:
    """Refuse a wrong number of arguments."""
    if count not in valid:
        raise TypeError(f"{name}: takes {form}, got {count} argument{'s' if count != 1 else ''}")
