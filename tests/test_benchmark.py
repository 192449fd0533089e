"""The contenders of the benchmark agree on the numbers, on tables small enough for a test."""

from pathlib import Path

import pytest

from tests.benchmark.__main__ import compare
from tests.benchmark.contenders import Task, timed
from tests.benchmark.data import Data, make


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("ks", [[5, 10], [3, 50]], ids=["small k", "large k"])
def test_contenders_agree(ks: list[int], tmp_path: Path) -> None:
    """The handwritten SQL has a plan for each. ranx and RecTools take too long to import."""
    task = Task(make(Data(users=100, items=60, recs=20, truth=5, ids="VARCHAR"), tmp_path), ks, threads=2)
    names = ("ranking_udfs", "SQL by hand", "pytrec-eval-terrier")
    lines = list(compare({name: [timed(name, task)] for name in names}))
    assert [agree for _, agree in lines] == [True, True], lines
