"""The documents' queries on the documents' tables: as Hivemall writes them, in the default mode, per user."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

import ranking_udfs
from ranking_udfs.duckdb import statements

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
def tables() -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection with the documents' three tables, and nothing else."""
    with duckdb.connect() as con:
        for name in ("dummy_rec", "dummy_truth", "dummy_recrel"):
            con.read_csv(str(DATA / f"{name}.csv")).create(name)
        yield con


def run(con: duckdb.DuckDBPyConnection, name: str) -> list[dict[str, float]]:
    """The rows of one of the pack's queries, by column name."""
    result = con.execute(statements.read(f"queries/{name}.sql"))
    columns = [column[0] for column in result.description]
    return [dict(zip(columns, row, strict=True)) for row in result.fetchall()]


def means(con: duckdb.DuckDBPyConnection, name: str) -> dict[str, float]:
    """The means over users, as the head of such a query says."""
    query = statements.read(f"queries/{name}.sql").strip().removesuffix(";")
    result = con.execute(f"SELECT avg(COLUMNS(* EXCLUDE (userid))) FROM ({query})")
    return dict(zip((column[0] for column in result.description), result.fetchone() or (), strict=True))


def is_binary_result(row: dict[str, float]) -> bool:
    expected = {name: top_4 for name, (top_4, _) in BINARY.items()}
    expected |= {f"{name}_at_2": top_2 for name, (_, top_2) in BINARY.items()}
    return row == pytest.approx(expected, rel=0, abs=EXACT)


def test_the_documents_binary_query_returns_the_documents_row(tables: duckdb.DuckDBPyConnection) -> None:
    (row,) = run(ranking_udfs.register(tables, hivemall=True), "binary_response")
    assert is_binary_result(row)


def test_the_documents_graded_query_returns_the_documents_row(tables: duckdb.DuckDBPyConnection) -> None:
    ranking_udfs.register(tables, hivemall=True)
    assert tables.execute(statements.read("queries/graded_response.sql")).fetchall() == [
        pytest.approx(GRADED, rel=0, abs=EXACT)
    ]


def test_every_user_has_the_documents_values_and_so_do_the_means(tables: duckdb.DuckDBPyConnection) -> None:
    ranking_udfs.register(tables)
    assert is_binary_result(means(tables, "binary_response_by_user"))
    assert list(means(tables, "graded_response_by_user").values()) == pytest.approx(GRADED, rel=0, abs=EXACT)
    binary = run(tables, "binary_response_by_user")
    graded = run(tables, "graded_response_by_user")
    assert [row.pop("userid") for row in binary] == [1, 2, 3]
    assert [row.pop("userid") for row in graded] == [1, 2, 3]
    assert all(is_binary_result(row) for row in binary)
    assert all(list(row.values()) == pytest.approx(GRADED, rel=0, abs=EXACT) for row in graded)


def test_a_user_without_recommendations_scores_0_in_the_default_mode(
    tables: duckdb.DuckDBPyConnection,
) -> None:
    ranking_udfs.register(tables)
    tables.execute("DELETE FROM dummy_rec WHERE userid = 3")
    assert [row["recall"] for row in run(tables, "binary_response_by_user")][2] == 0
    mean = means(tables, "binary_response_by_user")
    assert mean["recall"] == pytest.approx((2 / 3 + 2 / 3 + 0) / 3, rel=0, abs=EXACT)


def test_a_user_without_recommendations_is_left_out_by_the_documents_query(
    tables: duckdb.DuckDBPyConnection,
) -> None:
    ranking_udfs.register(tables, hivemall=True)
    tables.execute("DELETE FROM dummy_rec WHERE userid = 3")
    (row,) = run(tables, "binary_response")
    assert row["recall"] == pytest.approx(2 / 3, rel=0, abs=EXACT)


def test_the_order_of_the_rows_and_threads_do_not_matter(tables: duckdb.DuckDBPyConnection) -> None:
    ranking_udfs.register(tables, hivemall=True)
    for name in ("dummy_rec", "dummy_truth"):
        tables.execute(f"CREATE OR REPLACE TABLE {name} AS FROM {name} ORDER BY hash(userid, itemid)")
    for threads in (1, 2, 8):
        tables.execute(f"SET threads = {threads}")
        (row,) = run(tables, "binary_response")
        assert is_binary_result(row)
