"""The functions as an engine calls them: Arrow arrays in, one Arrow array out, all rows at once.

They know nothing of DuckDB. FUNCTIONS holds each of them under each of its names, built once at import and
held for ever, since engines keep bare pointers to them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..measures.formulas import GradeError
from ..measures.grammar import parse_options
from ..measures.ragged import Floats
from ..measures.rankings import Rankings
from ..measures.registry import BY_NAME, LIST_MEASURES, MEASURES, Measure
from . import beyond_accuracy as beyond_accuracy  # fills the registry, as the measures do
from .arguments import check_count, cut_offs, different_texts
from .batches import batch_of
from .judge import judge_lists
from .judged import JUDGED_TYPE, judged_to_arrow
from .layouts import one_chunk, owned_by_arrow
from .types import is_integer, is_text

Function = Callable[..., pa.Array]


@dataclass(frozen=True)
class ScalarFunction:
    """A function to register: its SQL name, what to call, and the type that it returns."""

    name: str
    call: Function
    returns: pa.DataType


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
    return owned_by_arrow(judged_to_arrow(judge_lists("judge", *map(one_chunk, arguments))))


def is_judged(arrays: list[pa.Array]) -> bool:
    """Whether the arguments start with a judged ranking, or a NULL in its place, not with rec and truth."""
    first, *others = (array.type for array in arrays)
    if pa.types.is_null(first):
        before_options = len(others) == 2 and pa.types.is_null(others[0]) and is_text(others[1])
        return not others or is_integer(others[0]) or before_options
    return pa.types.is_struct(first) and {field.name for field in first} == {
        field.name for field in JUDGED_TYPE
    }


def by_options(
    name: str,
    arrays: list[pa.Array],
    chosen: pa.Array | None,
    compute: Callable[[list[pa.Array], str | None], Floats],
) -> pa.Array:
    """What `compute` makes of the arrays and the text of options; rows with different texts by themselves."""
    texts = [None] if chosen is None else different_texts(name, chosen)
    if chosen is None or len(texts) == 1:
        values = compute(arrays, texts[0])
    else:
        values = np.full(len(chosen), np.nan)
        for text in texts:
            rows = chosen.is_null() if text is None else pc.equal(chosen, text).fill_null(False)
            part = compute([array.filter(rows) for array in arrays], text)
            values[rows.to_numpy(zero_copy_only=False)] = part
    return owned_by_arrow(pa.array(values, mask=np.isnan(values)))


def evaluated(measure: Measure, name: str, rankings: Rankings, options: Mapping[str, Any]) -> Floats:
    """The measure of every row, with these options; NaN where truth is NULL."""
    try:
        values: Floats = measure.compute(rankings, **options)
    except GradeError as error:
        raise ValueError(f"{name}: {error}") from None
    valid = rankings.judged.valid
    return values if valid.all() else np.where(valid, values, np.nan)


def measure_function(measure: Measure, name: str) -> Function:
    """The measure as a function of Arrow arrays, under one of its names."""

    def call(*arguments: pa.Array | pa.ChunkedArray) -> pa.Array:
        arrays = list(map(one_chunk, arguments))
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
                rankings = batch.rankings(cut_offs(name, part[ranked], batch.judged))
            return evaluated(measure, name, rankings, parse_options(measure, name, text))

        chosen = arrays[ranked + 1] if len(arrays) > ranked + 1 else None
        return by_options(name, arrays[: ranked + 1], chosen, compute)

    call.__name__ = name
    call.__doc__ = measure.compute.__doc__
    return call


def list_function(measure: Measure, name: str) -> Function:
    """The list measure as a function of Arrow arrays, under one of its names."""
    count = len(measure.arguments)

    def call(*arguments: pa.Array | pa.ChunkedArray) -> pa.Array:
        check_count(
            name, f"({', '.join(measure.arguments)}[, options])", len(arguments), range(count, count + 2)
        )

        def compute(part: list[pa.Array], text: str | None) -> Floats:
            values: Floats = measure.compute(*part, **parse_options(measure, name, text))
            return values

        arrays = list(map(one_chunk, arguments))
        return by_options(name, arrays[:count], arrays[count] if len(arrays) > count else None, compute)

    call.__name__ = name
    call.__doc__ = measure.compute.__doc__
    return call


FUNCTIONS = {
    function.name: function
    for function in (
        ScalarFunction("judge", judge, JUDGED_TYPE),
        *(
            ScalarFunction(name, measure_function(measure, name), pa.float64())
            for name, measure in BY_NAME.items()
        ),
        *(
            ScalarFunction(name, list_function(measure, name), pa.float64())
            for measure in LIST_MEASURES.values()
            for name in measure.names
        ),
    )
}

TABLE_HEADER = ("name", "aliases", "arguments", "options", "range", "empty", "source", "description")


def measure_table() -> list[tuple[str | Sequence[str], ...]]:
    """What there is to say of each measure, a row for each, by TABLE_HEADER."""
    return [
        (
            one.name,
            one.aliases,
            one.arguments,
            one.option_texts,
            one.range_text,
            str(one.empty),
            one.source,
            one.description,
        )
        for one in (*MEASURES.values(), *LIST_MEASURES.values())
    ]
