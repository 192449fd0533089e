"""Short runs of the fuzzer, and extreme sizes at a small scale; tests/fuzz has the commands for long ones."""

import duckdb
import pytest

from tests.conftest import module_connection
from tests.fuzz import check, stress
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
con = module_connection()


@pytest.mark.slow
@pytest.mark.parametrize("what", check.CHECKS)
def test_random_batches_agree_with_the_slow_definitions(
    what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = fuzz(CASES[what], seed=7, only=[what])
    assert code == 0, capsys.readouterr().out


@pytest.mark.parametrize("what", stress.SIZES)
def test_extreme_sizes_give_the_right_numbers(con: duckdb.DuckDBPyConnection, what: str) -> None:
    stress.check_size(con, what, 50_000)
