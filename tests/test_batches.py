"""What a thread remembers of the last batch: enough for the next measure, and never much."""

import pyarrow as pa
import pytest

from tests.conftest import call, lists
from udfs.arrow import batches
from udfs.arrow.batches import MEMORY, MOST_CUTS, MOST_JUDGED


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
