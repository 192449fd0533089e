"""The documents' queries on the documents' tables: as Hivemall writes them, in the default mode, per user."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

import ranking_udfs
from ranking_udfs.duckdb import statements
from tests.conftest import rows
from tests.pages import Con

DATA = Path(__file__).parent.parent / "examples" / "data"

# The documents' table of results: measure -> (top-4, top-2).
BINARY = {
    "recall": (0.6666666666666666, 0.3333333333333333),
    "precision": (0.5, 0.5),
    "average_precision": (0.5555555555555555, 0.3333333333333333),
    "auc": (0.75, 1.0),
    "mrr": (1.0, 1.0),
    "ndcg": (0.7039180890341349, 0.6131471927654585),
}
GRADED = (0.8128912838590544, 0.9187707805346093)

EXACT = 1e-15


@pytest.fixture
def tables() -> Iterator[Con]:
    """A connection with the documents' three tables, and nothing else."""
    with duckdb.connect() as con:
        for name in ("dummy_rec", "dummy_truth", "dummy_recrel"):
            con.read_csv(str(DATA / f"{name}.csv")).create(name)
        yield con


def run(con: Con, name: str) -> list[dict[str, float]]:
    """The rows of one of the pack's queries, by column name."""
    return rows(con, statements.read(f"queries/{name}.sql"))


def means(con: Con, name: str) -> dict[str, float]:
    """The means over users, as the head of such a query says."""
    query = statements.read(f"queries/{name}.sql").strip().removesuffix(";")
    (found,) = rows(con, f"SELECT avg(COLUMNS(* EXCLUDE (userid))) FROM ({query})")
    return found


def is_binary_result(row: dict[str, float]) -> bool:
    expected = {name: top_4 for name, (top_4, _) in BINARY.items()}
    expected |= {f"{name}_at_2": top_2 for name, (_, top_2) in BINARY.items()}
    return row == pytest.approx(expected, rel=0, abs=EXACT)


def test_the_documents_queries_return_the_documents_rows_in_any_order_of_rows(
    tables: Con,
) -> None:
    ranking_udfs.register(tables, hivemall=True)
    (graded,) = tables.execute(statements.read("queries/graded_response.sql")).fetchall()
    assert graded == pytest.approx(GRADED, rel=0, abs=EXACT)
    for threads in (1, 2, 8):
        (row,) = run(tables.execute(f"SET threads = {threads}"), "binary_response")
        assert is_binary_result(row)
        for name in ("dummy_rec", "dummy_truth"):
            tables.execute(f"CREATE OR REPLACE TABLE {name} AS FROM {name} ORDER BY hash(userid, itemid)")
    tables.execute("DELETE FROM dummy_rec WHERE userid = 3")
    (row,) = run(tables, "binary_response")  # without the user who has no recommendations
    assert row["recall"] == pytest.approx(2 / 3, rel=0, abs=EXACT)


def test_every_user_has_the_documents_values_and_one_without_recommendations_0(
    tables: Con,
) -> None:
    ranking_udfs.register(tables)
    assert is_binary_result(means(tables, "binary_response_by_user"))
    assert list(means(tables, "graded_response_by_user").values()) == pytest.approx(GRADED, rel=0, abs=EXACT)
    binary = run(tables, "binary_response_by_user")
    graded = run(tables, "graded_response_by_user")
    assert [row.pop("userid") for row in binary] == [1, 2, 3]
    assert [row.pop("userid") for row in graded] == [1, 2, 3]
    assert all(is_binary_result(row) for row in binary)
    assert all(list(row.values()) == pytest.approx(GRADED, rel=0, abs=EXACT) for row in graded)
    tables.execute("DELETE FROM dummy_rec WHERE userid = 3")
    assert [row["recall"] for row in run(tables, "binary_response_by_user")][2] == 0
    mean = means(tables, "binary_response_by_user")
    assert mean["recall"] == pytest.approx((2 / 3 + 2 / 3 + 0) / 3, rel=0, abs=EXACT)
