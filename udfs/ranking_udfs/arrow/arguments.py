"""Check a caller's arguments. Each error names the function, the argument, the rule and the value."""

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..measures.arrays import Bools, Floats, Ints
from ..measures.rankings import WHOLE, Judged
from .hugeint import WIDE, integers_from_hugeint, is_hugeint
from .layouts import to_floats
from .types import is_integer, is_number, type_name, value_text


def row_cut_offs(name: str, array: pa.Array, judged: Judged) -> Ints:
    """Return the k of every row, (n,). NULL becomes the length of the list.

    Raises:
        TypeError: k is not an integer
        ValueError: k is below 0, or above the rank at which a judged ranking was cut
    """
    if pa.types.is_null(array.type):
        return judged.size
    if not is_integer(array.type):
        raise TypeError(f"{name}: k must be an integer, got {describe(array)}")
    return cut_offs(name, integers_from_hugeint(array) if is_hugeint(array.type) else array, judged)


def cut_offs(name: str, array: pa.Array, judged: Judged) -> Ints:
    """Return the k of every row from an array of integers; the errors are those of `row_cut_offs`."""
    lowest = pc.min(array).as_py()
    if lowest is not None and lowest < 0:
        raise ValueError(f"{name}: k must be 0 or more, got {lowest}")
    kind = array.type if array.type in (pa.uint64(), WIDE) else pa.int64()
    limited = pc.min_element_wise(array.cast(kind), pa.scalar(WHOLE, kind), skip_nulls=False)
    ks: Ints = limited.cast(pa.int64()).fill_null(-1).to_numpy()
    k = np.where(ks < 0, judged.size, ks) if array.null_count else ks
    beyond = judged.valid & (k > judged.cutoff)
    if beyond.any():
        row = int(np.argmax(beyond))
        rule = f"at most {judged.cutoff[row]}, the rank at which the judged ranking was cut"
        raise ValueError(f"{name}: k must be {rule}, got {array[row]}")
    return k


def groups(options: pa.Array) -> list[tuple[Any, Ints | None]]:
    """Return the distinct values with their rows; None for all rows."""
    if not len(options):
        return []
    columns = options.flatten() if pa.types.is_struct(options.type) else [options]
    if all(map(is_constant, columns)):
        return [(options[0].as_py(), None)]
    rows = defaultdict(list)
    for row, chosen in enumerate(options.to_pylist()):
        rows[repr(chosen)].append(row)
    return [(options[group[0]].as_py(), np.array(group)) for group in rows.values()]


def is_constant(column: pa.Array) -> bool:
    try:
        return len(pc.unique(column)) == 1
    except pa.ArrowNotImplementedError:  # a type that no option has
        return False


def compute_groups(
    groups: Iterable[tuple[Any, Ints | None]],
    arrays: Sequence[pa.Array],
    compute: Callable[[Any, Sequence[pa.Array]], Floats],
) -> Floats:
    """Compute the rows of each group of `groups` by its value; other rows are NaN."""
    results = np.full(len(arrays[0]), np.nan)
    for value, rows in groups:
        taken = arrays if rows is None else [array.take(pa.array(rows)) for array in arrays]
        results[slice(None) if rows is None else rows] = compute(value, taken)
    return results


def check_numbers(what: str, values: pa.Array, rule: str, is_right: Callable[[Floats], Bools]) -> Floats:
    """Convert numbers to float64. Errors name a number as `what`, with the broken rule.

    Raises:
        TypeError: the values are not of a numeric type
        ValueError: a value breaks the rule
    """
    if not is_number(values.type):
        raise TypeError(f"{what} must be a number, got {type_name(values.type)}")
    numbers = to_floats(values)
    right = is_right(numbers)
    if not right.all():
        raise ValueError(f"{what} must be {rule}, got {value_text(values[int(np.argmin(right))])}")
    return numbers


def describe(array: pa.Array) -> str:
    """Format the type of an argument, and its first value if there is one."""
    return f"{type_name(array.type)} {value_text(array[0])}" if len(array) else type_name(array.type)


def check_count(name: str, form: str, count: int, valid: Container[int]) -> None:
    """Raise TypeError for a wrong number of arguments."""
    if count not in valid:
        raise TypeError(f"{name}: takes {form}, got {count} argument{'s' if count != 1 else ''}")
