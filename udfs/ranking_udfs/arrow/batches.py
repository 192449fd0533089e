"""The last batch of rows of each thread, judged, and its rankings cut at the last few k.

A query with several measures calls each of them on the same rows; comparing the rows is a hundred times
cheaper than judging them again. What is remembered is bounded: no large batch, and few cutoffs.
"""

import numpy as np
import pyarrow as pa

from ..measures.arrays import Ints
from ..measures.rankings import Rankings
from .judge import judge_lists
from .judged import judged_from_arrow
from .threads import PerThread

MOST_BYTES = 16 << 20  # of the arguments
MOST_JUDGED = 1 << 17  # items of rec and truth together that a batch's rankings hold numbers for
MOST_CUTS = 4


class Batch:
    """A batch of rows: the arguments that say what was ranked, judged, and the rankings cut at some k."""

    def __init__(self, name: str, arguments: list[pa.Array]) -> None:
        self.arguments = arguments
        self.judged = (judged_from_arrow if len(arguments) == 1 else judge_lists)(name, *arguments)
        self.cuts: dict[int | None, Rankings] = {}

    def holds(self, arguments: list[pa.Array]) -> bool:
        return len(arguments) == len(self.arguments) and all(map(pa.Array.equals, self.arguments, arguments))

    def rankings(self, cut: Ints) -> Rankings:
        """Cut the rankings, each at its k."""
        return self.cut_at(int(cut[0])) if cut.min() == cut.max() else Rankings(self.judged, cut)

    def cut_at(self, k: int | None) -> Rankings:
        """Cut the rankings at the same k (None: the whole list), and keep them for the next measure."""
        if k not in self.cuts:
            if len(self.cuts) >= MOST_CUTS:
                del self.cuts[next(iter(self.cuts))]
            cut = None if k is None else np.full(len(self.judged.size), k)
            self.cuts[k] = Rankings(self.judged, cut)
        return self.cuts[k]


class Memory:
    """The last batch of a thread."""

    last: Batch | None = None


MEMORY = PerThread(Memory)


def batch_of(name: str, arguments: list[pa.Array]) -> Batch:
    """Return the thread's last batch if its arguments equal these, else judge them."""
    memory = MEMORY.get()
    if memory.last is None or not memory.last.holds(arguments):
        memory.last = None  # if what follows raises, nothing is remembered
        batch = Batch(name, arguments)
        size = sum(one.get_total_buffer_size() for one in arguments)
        if size <= MOST_BYTES and len(batch.judged.ranks) + len(batch.judged.ideal) <= MOST_JUDGED:
            memory.last = batch
        return batch
    return memory.last
