"""What is generated from the registry is up to date."""

import duckdb
import pytest

from tests.generate import ROOT, checked_against, generated, portable_script
from tests.witnesses import WITNESSES
from udfs.arrow.functions import measure_table
from udfs.measures.registry import LIST_MEASURES, MEASURES


def test_generated_text_is_fresh() -> None:
    for path, text in [*generated().items(), portable_script()]:
        assert path.read_text() == text, f"{path.relative_to(ROOT)}: run `python -m tests.generate`"


def test_a_measure_may_be_generated_before_its_witness_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(WITNESSES, "recall")
    assert checked_against(MEASURES["recall"]) == ""
    assert generated()


def test_ranking_functions_is_the_table_of_measures(shared: duckdb.DuckDBPyConnection) -> None:
    rows = shared.execute("FROM ranking_functions()").fetchall()
    assert rows == [
        tuple(cell if isinstance(cell, str) else list(cell) for cell in row) for row in measure_table()
    ]
    assert [row[0] for row in rows] == [*MEASURES, *LIST_MEASURES]
