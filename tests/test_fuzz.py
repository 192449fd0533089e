"""Short runs of the fuzzer; `python -m tests.fuzz` makes long ones."""

import pytest

from tests.conftest import Captured
from tests.fuzz.__main__ import fuzz
from tests.fuzz.check import CHECKS

CASES = {"lists": 2_000, "sql": 200, "tables": 300, "ways": 150, "list measures": 2_500}
CASES |= {"judged structs": 500, "ties": 160}


@pytest.mark.parametrize(
    "check", [check if check == "ways" else pytest.param(check, marks=pytest.mark.slow) for check in CHECKS]
)
def test_random_batches_agree_with_slow_definitions(check: str, capsys: Captured) -> None:
    code = fuzz(CASES[check], seed=7, only=[check])
    assert code == 0, capsys.readouterr().out
