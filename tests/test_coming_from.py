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
    """The tables, but for two that are made as the reference says."""
    reference = (Path(__file__).parents[1] / "sql" / "README.md").read_text(encoding="utf-8")
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
def ours(con: duckdb.DuckDBPyConnection) -> dict[tuple[str, str, str], float]:
    """What the pack gives, by the two tables and the measure or query."""
    found: dict[tuple[str, str, str], float] = {}
    asked: dict[tuple[str, str], set[str]] = {}
    for library in LIBRARIES:
        for row in library.rows:
            tables = library.rec, row.truth or library.truth
            if row.ours.startswith(("SELECT", "WITH")):
                ((found[*tables, row.ours],),) = con.execute(row.ours).fetchall()
            else:
                asked.setdefault(tables, set()).add(row.ours)
    for (rec, truth), texts in asked.items():
        relation = ranking_udfs.evaluate(rec, truth, sorted(texts), con=con, check=False)
        by_k = {values[0]: dict(zip(relation.columns, values, strict=True)) for values in relation.fetchall()}
        for text in texts:
            name, _, k = text.partition("@")
            found[rec, truth, text] = by_k[None if k == "all" else int(k)][name]
    return found


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.name)
def test_what_is_said_to_be_the_same_gives_their_number(
    ours: dict[tuple[str, str, str], float], library: Library
) -> None:
    for row in library.rows:
        value = ours[library.rec, row.truth or library.truth, row.ours]
        assert (abs(value - row.value) < 1e-5) is not row.differs, (row, value)


@pytest.mark.parametrize("library", [*filter(installed, LIBRARIES)], ids=lambda library: library.name)
def test_the_recorded_number_is_theirs(library: Library) -> None:
    for row in library.rows:
        if not row.theirs.startswith("ERR"):  # which runs a program in Perl
            assert library.mean(row.theirs) == pytest.approx(row.value, abs=1e-9), row
