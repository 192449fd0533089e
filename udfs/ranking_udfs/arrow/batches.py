"""Cache the last judged batch of each thread, with its rankings cut at the last few k.

A query with several measures calls each measure on the same rows. Comparing the rows is a hundred times
cheaper than judging them again. The cache is bounded: it holds no large batch, and few cutoffs.
"""

from typing import Any

import numpy as np
import pyarrow as pa

from ..measures.arrays import Floats, Ints
from ..measures.rankings import Rankings
from ..measures.registry import Measure
from .judge import has_grades, judge_lists
from .judged import judged_from_arrow
from .threads import PerThread

MOST_BYTES = 16 << 20  # size limit of the arguments
MOST_JUDGED = 1 << 17  # limit of the judged items of rec and truth in a batch's rankings
MOST_CUTS = 4


class Batch:
    """A batch of rows: its arguments rec and truth, the judged rankings, and rankings cut at some k."""

    def __init__(self, name: str, arguments: list[pa.Array]) -> None:
        self.arguments = arguments
        self.judged = (judged_from_arrow if len(arguments) == 1 else judge_lists)(name, *arguments)
        self.cuts: dict[int | None, Rankings] = {}

    def holds(self, arguments: list[pa.Array]) -> bool:
        return len(arguments) == len(self.arguments) and all(map(pa.Array.equals, self.arguments, arguments))

    def values(self, name: str, measure: Measure, k: Ints | None, options: dict[str, Any]) -> Floats:
        """Compute a measure at the k of each row (None: the whole list); NaN if truth is NULL."""
        is_one = k is None or k.min() == k.max()
        rankings = self.cut_at(None if k is None else int(k[0])) if is_one else Rankings(self.judged, k)
        if (lowest := options.pop("min_grade", None)) is not None:
            if len(self.arguments) == 2 and lowest > 1 and not has_grades(*self.arguments):
                rule = "min_grade must be 1 or less where truth is a LIST of items, without grades"
                raise ValueError(f"{name}: {rule}, got {lowest:g}: give it as a MAP from item to grade")
            rankings = rankings.from_grade(lowest)
        return np.where(self.judged.valid, measure.compute(rankings, **options), np.nan)

    def cut_at(self, k: int | None) -> Rankings:
        """Cut all rankings at one k (None: the whole list), and keep them for the next measure."""
        if k not in self.cuts:
            if len(self.cuts) >= MOST_CUTS:
                del self.cuts[next(iter(self.cuts))]
            cut = None if k is None else np.full(len(self.judged.size), k)
            self.cuts[k] = Rankings(self.judged, cut)
        return self.cuts[k]


class Memory:
    """Holds the last batch of a thread."""

    last: Batch | None = None


MEMORY = PerThread(Memory)


def batch_of(name: str, arguments: list[pa.Array]) -> Batch:
    """Return the thread's last batch if its arguments equal these, else judge them."""
    memory = MEMORY.get()
    if memory.last is None or not memory.last.holds(arguments):
        memory.last = None  # If the code below raises, no batch is kept.
        batch = Batch(name, arguments)
        size = sum(array.get_total_buffer_size() for array in arguments)
        if size <= MOST_BYTES and len(batch.judged.ranks) + len(batch.judged.ideal) <= MOST_JUDGED:
            memory.last = batch
        return batch
    return memory.last
