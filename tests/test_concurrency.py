"""Test that values are the same in many threads, and that nothing is leaked.

The long form of the first test is `python -m tests.stress 60`.
"""

import subprocess
import sys
import threading
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

import ranking_udfs
from ranking_udfs.arrow import batches
from ranking_udfs.arrow.judge import judge_lists
from ranking_udfs.arrow.threads import MOST_THREADS, PerThread
from ranking_udfs.measures.rankings import Judged
from tests import stress
from tests.conftest import Patch

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.slow
def test_cursors_in_16_threads_give_the_answers_of_one() -> None:
    ran, wrong = stress.threads(seconds=1, count=16, users=300)
    assert wrong == []
    assert ran >= 16


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="memory and files are read from /proc")
def test_closed_connections_free_their_memory_and_files() -> None:
    """Measure memory in a new process; the bound is some 100 KB for each of 36 connections.

    One run in four exceeds the bound once by chance; a leak exceeds it in every run.
    """
    code = "from tests import stress; print(*stress.connections(45))"
    grown, runs = 1.0, 0
    while grown >= 0.02 and runs < 5:
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        grown, files = map(float, done.stdout.split())
        runs += 1
    assert grown < 0.02
    assert files == 0


MANY_BATCHES = """
CREATE TABLE lists AS SELECT list_transform(range(30), lambda x: (x * i) % 97) AS rec,
    list_transform(range(5), lambda x: (x * 7 * i) % 97) AS truth FROM range(300_000) AS numbers(i)
"""
SEVERAL = "SELECT sum(recall(rec, truth, 10)), sum(ndcg(rec, truth, 10)), sum(auc(rec, truth)) FROM lists"


@pytest.mark.slow
def test_measures_of_one_query_judge_each_batch_once(monkeypatch: Patch) -> None:
    judged: list[int] = []

    def count(*arguments: pa.Array) -> Judged:
        judged.append(1)
        return judge_lists(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(batches, "judge_lists", count)
    with duckdb.connect(config={"threads": 4}) as con:
        ranking_udfs.register(con).execute(MANY_BATCHES)
        con.execute(SEVERAL).fetchall()
    expected = 300_000 / 2_048
    assert expected < len(judged) < 1.1 * expected


def test_the_oldest_thread_is_forgotten_first() -> None:
    kept = PerThread(object)
    others = {-number: object() for number in range(1, MOST_THREADS + 1)}
    kept.values = dict(others)
    assert kept.get() is kept.get()
    assert list(kept.values) == [*list(others)[1:], threading.get_ident()]
