"""The functions as an engine calls them: Arrow arrays in, one Arrow array out, all rows at once.

They know nothing of DuckDB. FUNCTIONS holds each of them under each of its names, built once at import and
held for ever, since engines keep bare pointers to them.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from . import lists  # noqa: F401  (fills the registry, as measures does)
from .arguments import check_count, cut_offs, different_texts, options
from .arrays import is_integer, is_string, one_chunk
from .judge import judge_lists
from .measures import GradeError
from .ragged import Floats
from .rankings import JUDGED_ARROW, JUDGED_SQL, Judged, Rankings
from .registry import LIST_MEASURES, MEASURES, Measure
from .threads import PerThread

Function = Callable[..., pa.Array]


@dataclass(frozen=True)
class ScalarFunction:
    """A function to register: its SQL name, what to call, and the SQL type that it returns."""

    name: str
    call: Function
    returns: str


class Batch:
    """One batch of rows: the arguments that say what was ranked, judged, and the rankings cut at some k."""

    def __init__(self, name: str, arguments: list[pa.Array]) -> None:
        self.arguments = arguments
        self.judged = (
            Judged.from_arrow(name, arguments[0]) if len(arguments) == 1 else judge_lists(name, *arguments)
        )
        self.cuts: dict[int | None, Rankings] = {}

    def holds(self, arguments: list[pa.Array]) -> bool:
        return len(arguments) == len(self.arguments) and all(map(pa.Array.equals, self.arguments, arguments))

    def rankings(self, name: str, k: pa.Array | None) -> Rankings:
        """The rankings cut at k, kept where k is the same for all rows."""
        cut = None if k is None else cut_offs(name, k, self.judged.size)
        if cut is not None and cut.min() != cut.max():
            return Rankings(self.judged, cut)
        key = None if cut is None else int(cut[0])
        if key not in self.cuts:
            self.cuts[key] = Rankings(self.judged, cut)
        return self.cuts[key]


class LastBatch:
    """The last batch of this thread.

    A query with several measures calls each of them on the same rows; comparing the rows is a hundred times
    cheaper than judging them again.
    """

    batch: Batch | None = None

    def of(self, name: str, arguments: list[pa.Array]) -> Batch:
        if self.batch is None or not self.batch.holds(arguments):
            self.batch = None  # if what follows raises, nothing is remembered
            self.batch = Batch(name, arguments)
        return self.batch


LAST = PerThread(LastBatch)


def judge(*arguments: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Judge rankings: which ranks of rec hold an item that truth knows.

    judge(rec, truth), both LISTs of items, or truth a MAP(item -> grade), or rec a LIST of
    STRUCT(grade, item, ...) and truth a LIST of grades. Returns STRUCT(ranks INTEGER[], grades DOUBLE[],
    ideal DOUBLE[], size INTEGER): the 1-based ranks of the items that truth knows, their grades, the grades
    of all truth items in descending order, and the length of rec. NULL where truth is NULL.

    >>> SELECT judge([1, 3, 2, 6], [1, 2, 4])
    {'ranks': [1, 3], 'grades': [1.0, 1.0], 'ideal': [1.0, 1.0, 1.0], 'size': 4}
    """
    check_count("judge", "(rec, truth)", len(arguments), (2,))
    return judge_lists("judge", *map(one_chunk, arguments)).to_arrow()


def is_judged(arrays: list[pa.Array]) -> bool:
    """Whether the arguments start with a judged ranking, or a NULL in its place, not with rec and truth."""
    first, *others = (array.type for array in arrays)
    if pa.types.is_null(first):
        before_options = len(others) == 2 and pa.types.is_null(others[0]) and is_string(others[1])
        return not others or is_integer(others[0]) or before_options
    return pa.types.is_struct(first) and {field.name for field in first} == {
        field.name for field in JUDGED_ARROW
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
    return pa.array(values, mask=np.isnan(values))


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
            batch = LAST.get().of(name, part[:ranked])
            rankings = batch.rankings(name, part[ranked] if len(part) > ranked else None)
            try:
                values: Floats = measure.compute(rankings, **options(measure, name, text))
            except GradeError as error:
                raise ValueError(f"{name}: {error}") from None
            return values if batch.judged.valid.all() else np.where(batch.judged.valid, values, np.nan)

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
            values: Floats = measure.compute(*part, **options(measure, name, text))
            return values

        arrays = list(map(one_chunk, arguments))
        return by_options(name, arrays[:count], arrays[count] if len(arrays) > count else None, compute)

    call.__name__ = name
    call.__doc__ = measure.compute.__doc__
    return call


FUNCTIONS = {
    function.name: function
    for function in (
        ScalarFunction("judge", judge, JUDGED_SQL),
        *(
            ScalarFunction(name, measure_function(measure, name), "DOUBLE")
            for measure in MEASURES.values()
            for name in measure.names
        ),
        *(
            ScalarFunction(name, list_function(measure, name), "DOUBLE")
            for measure in LIST_MEASURES.values()
            for name in measure.names
        ),
    )
}
