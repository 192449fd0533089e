"""The functions for an engine: Arrow arrays in, one Arrow array out, all rows at once.

They do not depend on DuckDB. FUNCTIONS has each function under each of its names. It is built once at import
and never released, since engines keep bare pointers to the functions.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..measures.arrays import Floats
from ..measures.grammar import parse_options
from ..measures.registry import LIST_MEASURES, MEASURES, InputError, Measure
from .arguments import check_count, different_texts, row_cut_offs
from .batches import batch_of
from .judge import judge_lists
from .judged import JUDGED_TYPE, judged_to_arrow
from .layouts import copy_to_arrow_memory, plain_array
from .list_arguments import ARGUMENTS
from .over_judged import check_grades
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


def is_judged(arrays: list[pa.Array]) -> bool:
    """Return whether the arguments start with a judged ranking (or a NULL for it), not with rec and truth."""
    first, *others = (array.type for array in arrays)
    if pa.types.is_null(first):
        before_options = len(others) == 2 and pa.types.is_null(others[0]) and is_text(others[1])
        return not others or is_integer(others[0]) or before_options
    return pa.types.is_struct(first) and {field.name for field in first} == {
        field.name for field in JUDGED_TYPE
    }


def values_of_rankings(
    measure: Measure, name: str, ranked: int, arrays: list[pa.Array], text: str | None
) -> Floats:
    """Compute a measure of the first `ranked` arrays (rec and truth, or judged); a k may follow them."""
    if not len(arrays[0]):
        return np.zeros(0)
    batch = batch_of(name, arrays[:ranked])
    cuts = [row_cut_offs(name, k, batch.judged) for k in arrays[ranked:]]
    rankings = batch.rankings(cuts[0]) if cuts else batch.cut_at(None)
    _, options = parse_options(measure, name, text, of_judged=ranked == 1)
    if (lowest := options.pop("min_grade", None)) is not None:
        check_grades(name, lowest, arrays[:ranked])
        rankings = rankings.from_grade(lowest)
    values: Floats = measure.compute(rankings, **options)
    return np.where(batch.judged.valid, values, np.nan)  # NaN if truth is NULL


def values_of_lists(measure: Measure, name: str, arrays: list[pa.Array], text: str | None) -> Floats:
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
                (1, of_judged) if arrays and is_judged(arrays) else (2, f"{of_lists} or {of_judged}")
            )
            before_options = fewest + 1
            compute = partial(values_of_rankings, measure, name, fewest)
        check_count(name, form, len(arrays), range(fewest, before_options + 2))
        arrays, chosen = arrays[:before_options], arrays[before_options:]
        texts = different_texts(name, chosen[0]) if chosen else [None]
        try:
            if len(texts) == 1:
                values = compute(arrays, texts[0])
            else:
                values = np.full(len(arrays[0]), np.nan)
                for text in texts:
                    rows = chosen[0].is_null() if text is None else pc.equal(chosen[0], text).fill_null(False)
                    part = compute([array.filter(rows) for array in arrays], text)
                    values[rows.to_numpy(zero_copy_only=False)] = part
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
