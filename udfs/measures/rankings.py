"""Judged rankings: the one form that every measure reads."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import ragged
from .ragged import Bools, Floats, Ints


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
