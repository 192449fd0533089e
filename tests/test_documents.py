"""Run Hivemall's documented queries on its tables: as Hivemall writes them, and per user."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import ranking_udfs
from ranking_udfs import folder
from tests.conftest import Con, rows

DATA = Path(__file__).parent.parent / "examples" / "data"

# The documents' table of results: measure -> (top-4, top-2).
RESULTS = {
    "recall": (0.6666666666666666, 0.3333333333333333),
    "precision": (0.5, 0.5),
    "average_precision": (0.5555555555555555, 0.3333333333333333),
    "auc": (0.75, 1.0),
    "mrr": (1.0, 1.0),
    "ndcg": (0.7039180890341349, 0.6131471927654585),
}
BINARY = {
    f"{name}{at}": value for name, of in RESULTS.items() for at, value in zip(("", "_at_2"), of, strict=True)
}
GRADED = {"ndcg_at_2": 0.8128912838590544, "ndcg_at_3": 0.9187707805346093}


@pytest.fixture
def tables() -> Iterator[Con]:
    """Connect to a database with the three tables of the documents, and nothing else."""
    with duckdb.connect() as con:
        for name in ("dummy_rec", "dummy_truth", "dummy_recrel"):
            con.read_csv(str(DATA / f"{name}.csv")).create(name)
        yield con


def close(expected: Any) -> Any:
    return pytest.approx(expected, rel=0, abs=1e-12)


def query(name: str) -> str:
    return folder.read(f"queries/{name}.sql").strip().removesuffix(";")


def test_documented_queries_return_documented_rows_in_any_order(tables: Con) -> None:
    ranking_udfs.register(tables, hivemall=True)
    assert tables.execute(query("graded_response")).fetchall() == [close(tuple(GRADED.values()))]
    for threads in (1, 2, 8):
        tables.execute(f"SET threads = {threads}")
        assert rows(tables, query("binary_response")) == [close(BINARY)]
        for name in ("dummy_rec", "dummy_truth"):
            tables.execute(f"CREATE OR REPLACE TABLE {name} AS FROM {name} ORDER BY hash(userid, itemid)")
    tables.execute("DELETE FROM dummy_rec WHERE userid = 3")
    (row,) = rows(tables, query("binary_response"))  # without the user who has no recommendations
    assert row["recall"] == close(2 / 3)
