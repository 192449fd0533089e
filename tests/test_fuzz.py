"""Short runs of the fuzzer; `python -m tests.fuzz` makes long ones."""

import pytest

from tests.conftest import Captured
from tests.fuzz import check
from tests.fuzz.__main__ import fuzz

CASES = {
    "lists": 2_000,
    "sql": 200,
    "tables": 150,
    "list measures": 2_500,
    "refusals": 60,
    "judged structs": 500,
    "csv ids": 30,
    "ties": 160,
}


@pytest.mark.slow
@pytest.mark.parametrize("what", check.CHECKS)
def test_random_batches_agree_with_the_slow_definitions(what: str, capsys: Captured) -> None:
    code = fuzz(CASES[what], seed=7, only=[what])
    assert code == 0, capsys.readouterr().out
