"""Judged rankings, the input of every measure."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from . import ragged
from .arrays import Bools, Floats, Ints, NDArray, np

WHOLE = 2**63 - 1  # the largest k; larger ones become it. The cutoff of a whole list.


@dataclass(frozen=True)
class Judged:
    """A batch of n judged rankings. A row that is not `valid` (its truth is NULL) is empty."""

    ranks: Ints  # ragged by `offsets`: 1-based positions in rec of the judged items, ascending
    grades: Floats  # ragged by `offsets`: the grade of each judged item
    offsets: Ints  # n + 1
    ideal: Floats  # ragged by `ideal_offsets`: the grades of all truth items, descending
    ideal_offsets: Ints  # n + 1
    size: Ints  # n: the length of rec
    cutoff: Ints  # n: the rank at which rec was cut, WHOLE for the whole list; the largest valid k
    valid: Bools  # n


class Rankings:
    """A batch of n judged rankings, cut at k: the input of a measure."""

    def __init__(self, judged: Judged, k: Ints | None) -> None:
        self.judged = judged
        self.n = len(judged.size)
        self.k = judged.size if k is None else k  # for each ranking; without a cutoff, the length of rec
        self.top = np.minimum(self.k, judged.size)  # the number of evaluated ranks, for each ranking

    @cached_property
    def seen(self) -> "Ranked":
        """Judged items in the top k, of any grade, including grades of 0 or less."""
        offsets = self.judged.offsets
        judged = Ranked(ragged.rows_of(offsets), self.judged.ranks, self.judged.grades, offsets)
        return judged.where(judged.rank <= self.k[judged.row])

    @cached_property
    def hits(self) -> "Ranked":
        """Relevant items in the top k."""
        return self.seen.where(self.seen.grade > 0)

    @cached_property
    def best(self) -> "Ranked":
        """Relevant items of the ideal ranking, cut at k, in the form of hits."""
        return self.best_to(np.minimum(self.n_relevant, self.k))

    def best_to(self, n: Ints) -> "Ranked":
        """Return the first n relevant items of the ideal ranking, in the form of hits."""
        offsets = ragged.offsets_of(n)
        row, position = ragged.rows_of(offsets), ragged.positions(offsets)
        return Ranked(
            row, position + 1, self.judged.ideal[self.judged.ideal_offsets[row] + position], offsets
        )

    @cached_property
    def n_relevant(self) -> Ints:
        """|truth|: number of truth items with a grade above 0, for each ranking."""
        judged = self.judged
        if judged.ideal.min(initial=1.0) > 0:
            return np.diff(judged.ideal_offsets)
        return ragged.count(ragged.rows_of(judged.ideal_offsets)[judged.ideal > 0], self.n)

    @cached_property
    def n_hits(self) -> Ints:
        """Number of relevant items in the top k, for each ranking."""
        return np.diff(self.hits.offsets)

    def from_grade(self, min_grade: float) -> "Rankings":
        """Return the rankings with items below this grade as judged but not relevant."""
        judged = self.judged
        grades, ideal = (np.where(of >= min_grade, of, 0.0) for of in (judged.grades, judged.ideal))
        return Rankings(replace(judged, grades=grades, ideal=ideal), self.k)

    def total(self, values: NDArray[Any]) -> Floats:
        """Sum a value per hit for each ranking."""
        return ragged.total(values, self.hits.row, self.n)


@dataclass(frozen=True)
class Ranked:
    """Ranked items of n rankings, best rank first within each: row, rank and grade of each item."""

    row: Ints
    rank: Ints
    grade: Floats
    offsets: Ints

    @cached_property
    def number(self) -> Ints:
        """Number of each item within its ranking, from 1."""
        return ragged.positions(self.offsets) + 1

    def where(self, keep: Bools) -> "Ranked":
        if keep.all():
            return self
        row = self.row[keep]
        offsets = ragged.offsets_of(ragged.count(row, len(self.offsets) - 1))
        return Ranked(row, self.rank[keep], self.grade[keep], offsets)
