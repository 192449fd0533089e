"""The functions as an engine calls them: Arrow arrays in, one Arrow array out, all rows at once.

They know nothing of DuckDB. FUNCTIONS holds each of them under each of its names, built once at import and
held for ever, since engines keep bare pointers to them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..measures.arrays import Floats
from ..measures.grammar import parse_options
from ..measures.registry import BY_NAME, LIST_MEASURES, InputError, Measure
from .arguments import check_count, different_texts, row_cut_offs
from .batches import batch_of
from .judge import has_grades, judge_lists
from .judged import JUDGED_TYPE, judged_to_arrow
from .layouts import copy_to_arrow_memory, plain_array
from .list_arguments import ARGUMENTS
from .types import is_integer, is_text


@dataclass(frozen=True)
class ScalarFunction:
    """A function to register: its SQL name, what to call, and the type that it returns."""

    name: str
    call: Callable[..., pa.Array]
    returns: pa.DataType

    @classmethod
    def of_measure(cls, measure: Measure, name: str, call: Callable[..., pa.Array]) -> "ScalarFunction":
        """Make the function of a measure under one of its names."""
        call.__name__, call.__doc__ = name, measure.compute.__doc__
        return cls(name, call, pa.float64())


def judge(*arguments: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Judge rankings: which ranks of rec hold an item that truth knows.

    judge(rec, truth), both LISTs of items, or truth a MAP(item -> grade), or rec a LIST of
    STRUCT(grade, item, ...) and truth a LIST of grades. Returns STRUCT(ranks INTEGER[], grades DOUBLE[],
    ideal DOUBLE[], size INTEGER, cutoff INTEGER): the 1-based ranks of the items that truth knows, their
    grades, the grades of all truth items in descending order, the length of rec, and NULL, since all of rec
    was looked at: `ranking_judged` says there at which rank it stopped. NULL where truth is NULL.

    >>> SELECT judge([1, 3, 2, 6], [1, 2, 4])
    {'ranks': [1, 3], 'grades': [1.0, 1.0], 'ideal': [1.0, 1.0, 1.0], 'size': 4, 'cutoff': None}
    """
    check_count("judge", "(rec, truth)", len(arguments), (2,))
    return copy_to_arrow_memory(judged_to_arrow(judge_lists("judge", *map(plain_array, arguments))))


def is_judged(arrays: list[pa.Array]) -> bool:
    """Return whether the arguments start with a judged ranking, or NULL in its place, not rec and truth."""
    first, *others = (array.type for array in arrays)
    if pa.types.is_null(first):
        before_options = len(others) == 2 and pa.types.is_null(others[0]) and is_text(others[1])
        return not others or is_integer(others[0]) or before_options
    return pa.types.is_struct(first) and {field.name for field in first} == {
        field.name for field in JUDGED_TYPE
    }


def compute_by_options(
    name: str,
    arrays: list[pa.Array],
    chosen: pa.Array | None,
    compute: Callable[[list[pa.Array], str | None], Floats],
) -> pa.Array:
    """Compute a measure of the arrays, separately for each text of options."""
    texts = [None] if chosen is None else different_texts(name, chosen)
    if chosen is None or len(texts) == 1:
        values = compute(arrays, texts[0])
    else:
        values = np.full(len(chosen), np.nan)
        for text in texts:
            rows = chosen.is_null() if text is None else pc.equal(chosen, text).fill_null(False)
            part = compute([array.filter(rows) for array in arrays], text)
            values[rows.to_numpy(zero_copy_only=False)] = part
    return copy_to_arrow_memory(pa.array(values, mask=np.isnan(values)))


def compute_measure(
    measure: Measure, name: str, arguments: tuple[Any, ...], options: Mapping[str, Any]
) -> Floats:
    """Compute the measure of its arguments.

    Raises:
        ValueError: an argument that it cannot take, with the name it was called by
    """
    try:
        values: Floats = measure.compute(*arguments, **options)
    except InputError as error:
        raise ValueError(f"{name}: {error}") from None
    return values


def measure_function(measure: Measure, name: str) -> ScalarFunction:
    """Make a function of Arrow arrays of the measure, under one of its names."""

    def call(*arguments: pa.Array | pa.ChunkedArray) -> pa.Array:
        arrays = list(map(plain_array, arguments))
        if arrays and is_judged(arrays):
            ranked = 1
            check_count(name, "(judged[, k[, options]])", len(arrays), range(1, 4))
        else:
            ranked = 2
            form = "(rec, truth[, k[, options]]) or (judged[, k[, options]])"
            check_count(name, form, len(arrays), range(2, 5))

        def compute(part: list[pa.Array], text: str | None) -> Floats:
            if not len(part[0]):
                return np.zeros(0)
            batch = batch_of(name, part[:ranked])
            if len(part) == ranked:
                rankings = batch.cut_at(None)
            else:
                rankings = batch.rankings(row_cut_offs(name, part[ranked], batch.judged))
            options = parse_options(measure, name, text, of_judged=ranked == 1)
            if ranked == 2 and (lowest := options.get("min_grade") or 0) > 1 and not has_grades(*part[:2]):
                rule = "min_grade must be 1 or less where truth is a LIST of items, without grades"
                raise ValueError(f"{name}: {rule}, got {lowest:g}: give it as a MAP from item to grade")
            values = compute_measure(measure, name, (rankings,), options)
            valid = batch.judged.valid  # NaN where truth is NULL
            return values if valid.all() else np.where(valid, values, np.nan)

        chosen = arrays[ranked + 1] if len(arrays) > ranked + 1 else None
        return compute_by_options(name, arrays[: ranked + 1], chosen, compute)

    return ScalarFunction.of_measure(measure, name, call)


def list_function(measure: Measure, name: str) -> ScalarFunction:
    """Make a function of Arrow arrays of the list measure, under one of its names."""
    count = len(measure.arguments)

    def call(*arguments: pa.Array | pa.ChunkedArray) -> pa.Array:
        check_count(
            name, f"({', '.join(measure.arguments)}[, options])", len(arguments), range(count, count + 2)
        )

        def compute(part: list[pa.Array], text: str | None) -> Floats:
            options = parse_options(measure, name, text)
            return compute_measure(measure, name, ARGUMENTS[measure.name](name, *part, **options), options)

        arrays = list(map(plain_array, arguments))
        chosen = arrays[count] if len(arrays) > count else None
        return compute_by_options(name, arrays[:count], chosen, compute)

    return ScalarFunction.of_measure(measure, name, call)


FUNCTIONS = {
    function.name: function
    for function in (
        ScalarFunction("judge", judge, JUDGED_TYPE),
        *(measure_function(measure, name) for name, measure in BY_NAME.items()),
        *(list_function(measure, name) for measure in LIST_MEASURES.values() for name in measure.names),
    )
}
