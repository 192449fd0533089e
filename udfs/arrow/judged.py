"""Judged rankings as Arrow has them: a STRUCT per row."""

import numpy as np
import pyarrow as pa

from ..measures.ragged import Floats, Ints
from ..measures.rankings import Judged
from .layouts import floats, is_list, is_number, items, sql_type

JUDGED_TYPE = pa.struct(
    {
        "ranks": pa.list_(pa.int32()),
        "grades": pa.list_(pa.float64()),
        "ideal": pa.list_(pa.float64()),
        "size": pa.int32(),
    }
)


def judged_from_arrow(name: str, array: pa.Array) -> Judged:
    """The batch that `judged_to_arrow` made, in whatever layout an engine hands it over."""
    if pa.types.is_null(array.type):
        array = pa.nulls(len(array), JUDGED_TYPE)
    ranks, offsets = numbers(name, array, "ranks")
    grades, grade_offsets = numbers(name, array, "grades")
    ideal, ideal_offsets = numbers(name, array, "ideal")
    size = array.field("size")
    if not np.array_equal(offsets, grade_offsets):
        raise ValueError(f"{name}: ranks and grades of a judged ranking must be of one length")
    if not pa.types.is_integer(size.type):
        raise TypeError(f"{name}: size of a judged ranking must be an integer, got {sql_type(size.type)}")
    return Judged(
        ranks=ranks.astype(np.int64),
        grades=grades,
        offsets=offsets,
        ideal=ideal,
        ideal_offsets=ideal_offsets,
        size=size.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64),
        valid=array.is_valid().to_numpy(zero_copy_only=False),
    )


def numbers(name: str, judged: pa.StructArray, field: str) -> tuple[Floats, Ints]:
    """The numbers in a field of judged rankings, and their offsets."""
    lists = judged.field(field)
    if not (is_list(lists.type) and is_number(lists.type.value_type)):
        got = sql_type(lists.type)
        raise TypeError(f"{name}: {field} of a judged ranking must be a LIST of numbers, got {got}")
    found, offsets = items(lists)
    values = floats(found)
    if not np.isfinite(values).all():
        raise ValueError(f"{name}: {field} of a judged ranking must hold finite numbers")
    return values, offsets


def judged_to_arrow(judged: Judged) -> pa.StructArray:
    """A STRUCT for each judged ranking."""
    offsets = pa.array(judged.offsets, pa.int32())
    return pa.StructArray.from_arrays(
        [
            pa.ListArray.from_arrays(offsets, pa.array(judged.ranks, pa.int32())),
            pa.ListArray.from_arrays(offsets, pa.array(judged.grades)),
            pa.ListArray.from_arrays(pa.array(judged.ideal_offsets, pa.int32()), pa.array(judged.ideal)),
            pa.array(judged.size, pa.int32()),
        ],
        fields=list(JUDGED_TYPE),
        mask=pa.array(~judged.valid),
    )
