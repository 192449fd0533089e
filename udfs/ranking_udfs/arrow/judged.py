"""Judged rankings in Arrow: a STRUCT per row, made by `judge` or by the user."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..measures import ragged
from ..measures.arrays import Bools, Floats, Ints
from ..measures.rankings import WHOLE, Judged
from .layouts import flatten_lists, to_floats, valid_rows
from .types import is_list, is_number, item_type, type_name

JUDGED_TYPE = pa.struct(
    {
        "ranks": pa.list_(pa.int32()),
        "grades": pa.list_(pa.float64()),
        "ideal": pa.list_(pa.float64()),
        "size": pa.int32(),
        "cutoff": pa.int32(),
    }
)

FIELDS = {field.name for field in JUDGED_TYPE}
INVALID = "judged is not a valid judged ranking"


def is_judged(kind: pa.DataType) -> bool:
    """Return whether a type is that of judged rankings."""
    return pa.types.is_struct(kind) and {field.name for field in kind} == FIELDS


def judged_from_arrow(name: str, array: pa.Array) -> Judged:
    """Read and check judged rankings in any layout of an engine.

    The checks ensure that no measure leaves its range, whatever the source of the rankings.

    Raises:
        TypeError: a field has another type
        ValueError: a row is not a valid judged ranking; for example, its ranks do not ascend
    """
    if pa.types.is_null(array.type):
        array = pa.nulls(len(array), JUDGED_TYPE)
    valid = valid_rows(array)
    fields = dict(zip((field.name for field in array.type), array.flatten(), strict=True))
    size = integer_field(name, fields, "size", 0)
    cutoff = integer_field(name, fields, "cutoff", WHOLE)
    lists = (number_field(name, fields, field) for field in ("ranks", "grades", "ideal"))
    (ranks, offsets), (grades, grade_offsets), (ideal, ideal_offsets) = lists
    rows, ideal_rows = ragged.rows_of(offsets), ragged.rows_of(ideal_offsets)

    check_rule(name, "size must be from 0 to cutoff", (size >= 0) & (size <= cutoff), size)
    lengths = np.diff(offsets), np.diff(grade_offsets)
    check_rule(name, "ranks and grades must have the same length", np.equal(*lengths), *lengths)
    before = np.where(ragged.run_starts(rows), 0, np.append(0, ranks[:-1]))
    is_rank = (ranks > before) & (ranks <= size[rows]) & (ranks == np.floor(ranks))
    check_rule(name, "ranks must be ascending integers from 1 to size", is_rank, ranks)
    descends = ragged.run_starts(ideal_rows) | (ideal <= np.append(0, ideal[:-1]))
    check_rule(name, "ideal must be descending", descends, ideal)
    n_hits = ragged.count(rows[grades > 0], len(array))
    n_relevant = ragged.count(ideal_rows[ideal > 0], len(array))
    check_rule(name, "ideal must hold a grade above 0 for each of grades", n_hits <= n_relevant, n_hits)
    return Judged(ranks.astype(np.int64), grades, offsets, ideal, ideal_offsets, size, cutoff, valid)


def check_rule(name: str, rule: str, holds: Bools, *values: NDArray[Any]) -> None:
    """Raise ValueError with the first value, or pair of values, that breaks the rule."""
    if not holds.all():
        got = " and ".join(f"{array[int(np.argmin(holds))]:g}" for array in values)
        raise ValueError(f"{name}: {INVALID}: {rule}, got {got}")


def integer_field(name: str, fields: Mapping[str, pa.Array], field: str, missing: int) -> Ints:
    """Return a field with one integer per row; NULL becomes `missing`."""
    values = fields[field]
    if not (pa.types.is_integer(values.type) or pa.types.is_null(values.type)):
        raise TypeError(f"{name}: {INVALID}: {field} must be an integer, got {type_name(values.type)}")
    integers: Ints = values.cast(pa.int64()).fill_null(missing).to_numpy(zero_copy_only=False)
    return integers


def number_field(name: str, fields: Mapping[str, pa.Array], field: str) -> tuple[Floats, Ints]:
    """Return the numbers in a field of judged rankings, and their offsets."""
    lists = fields[field]
    if not (is_list(lists.type) and is_number(item_type(lists.type))):
        raise TypeError(f"{name}: {INVALID}: {field} must be a LIST of numbers, got {type_name(lists.type)}")
    items, offsets = flatten_lists(lists)
    values = to_floats(items)
    if not np.isfinite(values).all():
        raise ValueError(f"{name}: {INVALID}: {field} must hold finite numbers")
    return values, offsets


def judged_to_arrow(judged: Judged) -> pa.StructArray:
    """Convert to one STRUCT per judged ranking."""
    offsets = pa.array(judged.offsets, pa.int32())
    return pa.StructArray.from_arrays(
        [
            pa.ListArray.from_arrays(offsets, pa.array(judged.ranks, pa.int32())),
            pa.ListArray.from_arrays(offsets, pa.array(judged.grades)),
            pa.ListArray.from_arrays(pa.array(judged.ideal_offsets, pa.int32()), pa.array(judged.ideal)),
            pa.array(judged.size, pa.int32()),
            pa.array(judged.cutoff, pa.int64(), mask=judged.cutoff == WHOLE).cast(pa.int32()),
        ],
        fields=list(JUDGED_TYPE),
        mask=pa.array(~judged.valid),
    )
