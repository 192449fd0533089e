"""What is generated from the registry is up to date."""

import duckdb
import pytest

from tests.generate import ROOT, generated
from udfs import register
from udfs.arrow.functions import measure_table
from udfs.measures.registry import LIST_MEASURES, MEASURES


@pytest.mark.parametrize("path", generated(), ids=lambda path: str(path.relative_to(ROOT)))
def test_generated_text_is_fresh(path):
    assert path.read_text() == generated()[path], "run `python -m tests.generate`"


def test_ranking_functions_is_the_table_of_measures():
    rows = register(duckdb.connect()).execute("FROM ranking_functions()").fetchall()
    assert rows == [
        tuple(cell if isinstance(cell, str) else list(cell) for cell in row) for row in measure_table()
    ]
    assert [row[0] for row in rows] == [*MEASURES, *LIST_MEASURES]
