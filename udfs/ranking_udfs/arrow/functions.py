"""The functions for an engine: Arrow arrays in, one Arrow array out, all rows at once.

They do not depend on DuckDB. FUNCTIONS has each function under each of its names. It is built once at import
and never released, since engines keep bare pointers to the functions.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ..measures.arrays import Floats
from ..measures.grammar import parse_options
from ..measures.registry import LIST_MEASURES, MEASURES, InputError, Measure
from .arguments import check_count, compute_groups, describe, groups, row_cut_offs
from .batches import batch_of
from .judge import judge_lists
from .judged import JUDGED_TYPE, is_judged, judged_to_arrow
from .layouts import copy_to_arrow_memory, plain_array
from .list_arguments import ARGUMENTS
from .types import is_integer, is_text


class ScalarFunction(NamedTuple):
    """A function to register: its SQL name, its implementation and its return type."""

    name: str
    call: Callable[..., pa.Array]
    returns: pa.DataType


def judge(*arguments: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Judge a ranking: find the ranks of rec with a judged item, and their grades.

    rec and truth are LISTs of items, or truth is a MAP(item -> grade), or rec is a LIST of
    STRUCT(grade, item, ...) and truth a LIST of grades.

    Returns a judged ranking, as ranking.judge does, or NULL if truth is NULL.

    >>> SELECT judge([1, 3, 2, 6], [1, 2, 4])
    {'ranks': [1, 3], 'grades': [1.0, 1.0], 'ideal': [1.0, 1.0, 1.0], 'size': 4, 'cutoff': None}
    """
    check_count("judge", "(rec, truth)", len(arguments), (2,))
    return copy_to_arrow_memory(judged_to_arrow(judge_lists("judge", *map(plain_array, arguments))))


def starts_with_judged(arrays: list[pa.Array]) -> bool:
    """Return whether the arguments start with a judged ranking (or a NULL for it), not with rec and truth."""
    first, *others = (array.type for array in arrays)
    if pa.types.is_null(first):
        before_options = len(others) == 2 and pa.types.is_null(others[0]) and is_text(others[1])
        return not others or is_integer(others[0]) or before_options
    return is_judged(first)


def values_of_rankings(
    measure: Measure, name: str, ranked: int, text: str | None, arrays: Sequence[pa.Array]
) -> Floats:
    """Compute a measure of the first `ranked` arrays (rec and truth, or judged); a k may follow them."""
    if not len(arrays[0]):
        return np.zeros(0)
    batch = batch_of(name, [*arrays[:ranked]])
    k = row_cut_offs(name, arrays[ranked], batch.judged) if len(arrays) > ranked else None
    _, options = parse_options(measure, name, text, of_judged=ranked == 1)
    return batch.values(name, measure, k, options)


def values_of_lists(measure: Measure, name: str, text: str | None, arrays: Sequence[pa.Array]) -> Floats:
    """Compute a list measure."""
    _, options = parse_options(measure, name, text, of_judged=False)
    values: Floats = measure.compute(*ARGUMENTS[measure.name](name, *arrays, **options), **options)
    return values


def measure_function(measure: Measure, name: str) -> ScalarFunction:
    """Create the measure's function of Arrow arrays, under one of its names."""

    def call(*arguments: pa.Array | pa.ChunkedArray) -> pa.Array:
        arrays = list(map(plain_array, arguments))
        if measure.name in LIST_MEASURES:
            fewest = before_options = len(measure.arguments)
            form = f"({', '.join(measure.arguments)}[, options])"
            compute = partial(values_of_lists, measure, name)
        else:
            of_judged, of_lists = "(judged[, k[, options]])", "(rec, truth[, k[, options]])"
            fewest, form = (
                (1, of_judged) if arrays and starts_with_judged(arrays) else (2, f"{of_lists} or {of_judged}")
            )
            before_options = fewest + 1
            compute = partial(values_of_rankings, measure, name, fewest)
        check_count(name, form, len(arrays), range(fewest, before_options + 2))
        arrays, chosen = arrays[:before_options], arrays[before_options:]
        if chosen and not (is_text(chosen[0].type) or pa.types.is_null(chosen[0].type)):
            rule = "options must be a VARCHAR of name=value pairs"
            raise TypeError(f"{name}: {rule}, got {describe(chosen[0])}")
        try:
            values = compute_groups(groups(chosen[0]) if chosen else [(None, None)], arrays, compute)
        except InputError as error:
            raise ValueError(f"{name}: {error}") from None
        return copy_to_arrow_memory(pa.array(values, mask=np.isnan(values)))

    call.__name__, call.__doc__ = name, measure.compute.__doc__
    return ScalarFunction(name, call, pa.float64())


FUNCTIONS = {
    "judge": ScalarFunction("judge", judge, JUDGED_TYPE),
    **{
        name: measure_function(entry, name)
        for entry in (*MEASURES.values(), *LIST_MEASURES.values())
        for name in entry.names
    },
}
