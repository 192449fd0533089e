"""A thread remembers its last batch for the next measure; results are in Arrow's memory."""

import gc

import pyarrow as pa
import pytest

from ranking_udfs.arrow import batches
from ranking_udfs.arrow.batches import MEMORY, MOST_CUTS, MOST_JUDGED
from ranking_udfs.arrow.functions import FUNCTIONS
from tests.conftest import call, lists


def remembered() -> batches.Batch | None:
    return MEMORY.get().last


def test_the_last_few_cut_offs_of_a_batch_are_kept() -> None:
    rec, truth = lists([[1, 2, 3]] * 10), lists([[2]] * 10)
    for k in range(2_000):
        assert call("recall", rec, truth, pa.array([k] * 10)) == [1.0 if k >= 2 else 0.0] * 10
    last = remembered()
    assert last is not None
    assert list(last.cuts) == list(range(2_000 - MOST_CUTS, 2_000))


def test_a_large_batch_is_judged_and_not_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    assert call("recall", lists([[1]]), lists([[1]])) == [1.0]
    assert remembered() is not None
    n = MOST_JUDGED // 2 + 1
    assert call("recall", lists([range(n)]), lists([range(n)])) == [1.0]
    assert remembered() is None
    monkeypatch.setattr(batches, "MOST_BYTES", 1_000)
    assert call("recall", lists([range(500)]), lists([[1]])) == [1.0]
    assert remembered() is None


@pytest.mark.parametrize("name", ["judge", "ndcg", "hits", "intra_list_diversity"])
def test_results_are_in_memory_of_arrow(name: str) -> None:
    """A thread of pyarrow may release a result after the end of Python, when NumPy cannot."""
    rec, truth = lists([[1, 2, 3]] * 1_000), lists([[2]] * 1_000)
    vectors = pa.array([[[1, 0], [0, 1]]] * 1_000)
    arguments = [vectors] if name == "intra_list_diversity" else [rec, truth]
    MEMORY.get().last = None  # remove what another test left there
    gc.collect()  # nor does anything else let go of memory meanwhile
    before = pa.total_allocated_bytes()
    result = FUNCTIONS[name].call(*arguments)
    MEMORY.get().last = None
    assert pa.total_allocated_bytes() - before >= result.get_total_buffer_size() >= 8_000
