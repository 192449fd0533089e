"""Short runs of the fuzzer; `python -m tests.fuzz` makes long ones."""

import pytest

from tests.conftest import Captured
from tests.fuzz import CHECKS, fuzz

CASES = {"lists": 10_000, "tables": 400, "ways": 600, "list measures": 2_500}


@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKS)
def test_random_batches_agree_with_slow_definitions(check: str, capsys: Captured) -> None:
    code = fuzz(CASES[check], seed=8, only=[check])
    assert code == 0, capsys.readouterr().out
