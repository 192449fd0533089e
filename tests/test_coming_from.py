"""Each row of the table "Coming from another library" gives the number of the other library."""

import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

import ranking_udfs
from tests.coming_from import LIBRARIES, REC, TRUTH, Library, installed


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    """Make the tables, two of them as the reference says."""
    reference = (Path(__file__).parents[1] / "sql" / "migrating.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```sql\n(CREATE TEMP VIEW liked AS.*?)```", reference, re.DOTALL)
    with duckdb.connect() as connection:
        ranking_udfs.register(connection)
        for tables, column in ((REC, "score"), (TRUTH, "rel")):
            for name in tables.keys() - {"liked", "every_item"}:
                connection.execute(f"CREATE TABLE {name} (userid VARCHAR, itemid VARCHAR, {column} DOUBLE)")
                rows = [(user, *row) for user, items in tables[name].items() for row in items.items()]
                connection.executemany(f"INSERT INTO {name} VALUES (?, ?, ?)", rows)
        yield connection.execute(block)


@pytest.fixture(scope="module")
def ours(con: duckdb.DuckDBPyConnection) -> dict[tuple[tuple[str, str], str], float]:
    """Return the pack's value for each pair of tables and measure or query."""
    asked = {(library.tables_of(row), row.ours) for library in LIBRARIES for row in library.rows}
    queries = {key for key in asked if key[1].startswith(("SELECT", "WITH"))}
    values = {key: con.execute(key[1]).fetchall()[0][0] for key in queries}
    for tables in {tables for tables, _ in asked - queries}:
        measures = sorted(text for of, text in asked - queries if of == tables)
        relation = ranking_udfs.evaluate(*tables, measures, con=con, check=False)
        by_k = {row[0]: dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()}
        for text in measures:
            name, _, k = text.partition("@")
            values[tables, text] = by_k[None if k == "all" else int(k)][name]
    return values


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.name)
def test_ours_gives_the_number_of_theirs(
    ours: dict[tuple[tuple[str, str], str], float], library: Library
) -> None:
    for row in library.rows:
        value = ours[library.tables_of(row), row.ours]
        assert (abs(value - row.value) < 1e-5) is not row.differs, (row, value)


@pytest.mark.parametrize("library", [*filter(installed, LIBRARIES)], ids=lambda library: library.name)
def test_the_recorded_number_is_theirs(library: Library) -> None:
    for row in library.rows:
        if not row.theirs.startswith("ERR"):  # which runs a program in Perl
            assert library.mean(row) == pytest.approx(row.value, abs=1e-9), row
