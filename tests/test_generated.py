"""What is generated from the registry is up to date."""

import duckdb
import pytest

from tests.generate import ROOT, checked_against, generated
from tests.witnesses import WITNESSES
from udfs.measures.registry import LIST_MEASURES, MEASURES


def test_generated_text_is_fresh() -> None:
    for path, text in generated().items():
        assert path.read_text() == text, f"{path.relative_to(ROOT)}: run `python -m tests.generate`"


def test_a_measure_may_be_generated_before_its_witness_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(WITNESSES, "recall")
    assert checked_against(MEASURES["recall"]) == ""
    assert generated()


def test_ranking_functions_lists_every_measure_once(shared: duckdb.DuckDBPyConnection) -> None:
    rows = shared.execute("SELECT name, aliases FROM ranking_functions()").fetchall()
    expected = {measure.name: list(measure.aliases) for measure in (MEASURES | LIST_MEASURES).values()}
    assert len(rows) == len(expected)
    assert dict(rows) == expected
