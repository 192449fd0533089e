"""What is generated from the registry is up to date."""

import duckdb
import pytest

from tests.generate import ROOT, generated
from udfs import register
from udfs.measures.registry import LIST_MEASURES, MEASURES


@pytest.mark.parametrize("path", generated(), ids=lambda path: str(path.relative_to(ROOT)))
def test_generated_text_is_fresh(path):
    assert path.read_text() == generated()[path], "run `python -m tests.generate`"


def test_ranking_functions_lists_every_measure_once():
    rows = register(duckdb.connect()).execute("SELECT name, aliases FROM ranking_functions()").fetchall()
    expected = {measure.name: list(measure.aliases) for measure in (MEASURES | LIST_MEASURES).values()}
    assert len(rows) == len(expected)
    assert dict(rows) == expected
