"""The contenders of the benchmark agree on the numbers, on tables small enough for a test."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.benchmark.__main__ import disagreements
from tests.benchmark.contenders import Task, steps
from tests.benchmark.data import Data, make


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("ks", [[5, 10], [3, 50]], ids=str)
def test_all_contenders_agree(ks: list[int], tmp_path: Path) -> None:
    """The SQL by hand has a plan for small k and one for others."""
    # Without ranx and RecTools, which take long to import.
    names = ["ranking_udfs", "SQL by hand", *["pytrec-eval-terrier"] * bool(find_spec("pytrec_eval"))]
    folder = make(Data(users=100, items=60, recs=20, truth=5, ids="VARCHAR"), tmp_path)
    told = list(disagreements({name: [steps(name, Task(folder, ks, threads=2))] for name in names}))
    assert len(told) == len(names) - 1
    assert all(agree for _, agree in told), told
