"""Judged rankings: the one form that every measure reads, and its passage from and to Arrow."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from . import ragged
from .arrays import floats, is_list, is_number, items, sql_type
from .ragged import Bools, Floats, Ints

JUDGED_SQL = "STRUCT(ranks INTEGER[], grades DOUBLE[], ideal DOUBLE[], size INTEGER)"
JUDGED_ARROW = pa.struct(
    {
        "ranks": pa.list_(pa.int32()),
        "grades": pa.list_(pa.float64()),
        "ideal": pa.list_(pa.float64()),
        "size": pa.int32(),
    }
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


@dataclass(frozen=True)
class Judged:
    """A batch of n judged rankings; a row that is not `valid` (its truth was NULL) is empty.

    ranks   ragged by `offsets`: 1-based positions in rec of the items that truth knows, ascending
    grades  ragged by `offsets`: the grade of each of them
    ideal   ragged by `ideal_offsets`: the grades of all truth items, descending
    size    n: the length of rec
    valid   n
    """

    ranks: Ints
    grades: Floats
    offsets: Ints
    ideal: Floats
    ideal_offsets: Ints
    size: Ints
    valid: Bools

    @staticmethod
    def from_arrow(name: str, array: pa.Array) -> "Judged":
        """The batch that `to_arrow` made, in whatever layout an engine hands it over."""
        if pa.types.is_null(array.type):
            array = pa.nulls(len(array), JUDGED_ARROW)
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

    def to_arrow(self) -> pa.StructArray:
        offsets = pa.array(self.offsets, pa.int32())
        return pa.StructArray.from_arrays(
            [
                pa.ListArray.from_arrays(offsets, pa.array(self.ranks, pa.int32())),
                pa.ListArray.from_arrays(offsets, pa.array(self.grades)),
                pa.ListArray.from_arrays(pa.array(self.ideal_offsets, pa.int32()), pa.array(self.ideal)),
                pa.array(self.size, pa.int32()),
            ],
            fields=list(JUDGED_ARROW),
            mask=pa.array(~self.valid),
        )


class Rankings:
    """A batch of n judged rankings, cut at k: what a measure is computed from.

    Per ranking (arrays of length n):
        k         the cut-off; where the caller gave none, the length of rec
        top       min(k, length of rec), the ranks that are looked at
        relevant  |truth|: how many truth items have a grade above 0
        hits      how many of them stand in the top k
    Per hit, that is per relevant item in the top k, best rank first within its ranking:
        row       the ranking that it belongs to
        rank      its rank, from 1
        grade     its grade, above 0
        number    1 for the first hit of its ranking, 2 for the second, ...
    """

    def __init__(self, judged: Judged, k: Ints | None) -> None:
        self.judged = judged
        self.n = len(judged.size)
        self.k = judged.size if k is None else k
        self.top = np.minimum(self.k, judged.size)

    @cached_property
    def seen(self) -> "Hits":
        """All judged items in the top k, those of grade 0 or less too."""
        offsets = self.judged.offsets
        hits = Hits(ragged.rows_of(offsets), self.judged.ranks, self.judged.grades, offsets)
        return hits.where(hits.rank <= self.k[hits.row])

    @cached_property
    def found(self) -> "Hits":
        """The hits."""
        return self.seen.where(self.seen.grade > 0)

    @cached_property
    def best(self) -> "Hits":
        """The relevant items of the best possible list, cut at k, as if they were its hits."""
        offsets = ragged.offsets_of(np.minimum(self.relevant, self.k))
        row, place = ragged.rows_of(offsets), ragged.positions(offsets)
        return Hits(row, place + 1, self.judged.ideal[self.judged.ideal_offsets[row] + place], offsets)

    @cached_property
    def relevant(self) -> Ints:
        judged = self.judged
        if judged.ideal.min(initial=1.0) > 0:
            return np.diff(judged.ideal_offsets)
        return ragged.count(ragged.rows_of(judged.ideal_offsets)[judged.ideal > 0], self.n)

    @cached_property
    def hits(self) -> Ints:
        return np.diff(self.found.offsets)

    def cut(self, k: Ints) -> "Rankings":
        """The same rankings, looked at no further than rank k."""
        return Rankings(self.judged, np.minimum(self.k, k))

    def total(self, values: NDArray[Any]) -> Floats:
        """Per ranking, the sum of a value per hit."""
        return ragged.total(values, self.found.row, self.n)


@dataclass(frozen=True)
class Hits:
    """Ranked items of n rankings, best rank first within each: row, rank and grade of each item."""

    row: Ints
    rank: Ints
    grade: Floats
    offsets: Ints

    @cached_property
    def number(self) -> Ints:
        """1 for the first of its ranking, 2 for the second, ..."""
        return ragged.positions(self.offsets) + 1

    def where(self, keep: Bools) -> "Hits":
        if keep.all():
            return self
        row = self.row[keep]
        offsets = ragged.offsets_of(ragged.count(row, len(self.offsets) - 1))
        return Hits(row, self.rank[keep], self.grade[keep], offsets)
