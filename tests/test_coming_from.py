"""Each row of the table "Coming from another library" gives the number of the other library."""

from collections.abc import Iterator

import duckdb
import pytest

import ranking_udfs
from tests.coming_from import LIBRARIES, REC, TRUTH, Library

IN_TESTS = ("trec_eval", "ir_measures", "scikit-learn")  # installed with the tests, and soon computed


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        ranking_udfs.register(connection)
        for tables, column in ((REC, "score"), (TRUTH, "rel")):
            for name, users in tables.items():
                connection.execute(f"CREATE TABLE {name} (userid VARCHAR, itemid VARCHAR, {column} DOUBLE)")
                rows = [(user, *row) for user, items in users.items() for row in items.items()]
                connection.executemany(f"INSERT INTO {name} VALUES (?, ?, ?)", rows)
        yield connection


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.name)
def test_what_is_said_to_be_the_same_gives_their_number(
    con: duckdb.DuckDBPyConnection, library: Library
) -> None:
    measures: dict[str, list[str]] = {}
    found: dict[tuple[str, str], float] = {}
    for row in library.rows:
        truth = row.truth or library.truth
        if row.ours.startswith(("SELECT", "WITH")):
            ((found[truth, row.ours],),) = con.execute(row.ours).fetchall()
        else:
            measures.setdefault(truth, []).append(row.ours)
    for truth, texts in measures.items():
        relation = ranking_udfs.evaluate(library.rec, truth, texts, con=con, check=False)
        by_k = {values[0]: dict(zip(relation.columns, values, strict=True)) for values in relation.fetchall()}
        for text in texts:
            name, _, k = text.partition("@")
            found[truth, text] = by_k[None if k == "all" else int(k)][name]
    for row in library.rows:
        ours = found[row.truth or library.truth, row.ours]
        assert (abs(ours - row.value) < 1e-5) is not row.differs, (row, ours)


@pytest.mark.newest
@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.name)
def test_the_recorded_number_is_theirs(library: Library) -> None:
    if library.name in IN_TESTS:
        assert library.compute is not None
        pytest.importorskip(
            {"trec_eval": "pytrec_eval", "scikit-learn": "sklearn"}.get(library.name, library.name)
        )
        for row in library.rows:
            if not row.theirs.startswith("ERR"):  # which runs a program in Perl
                assert library.compute(row.theirs) == pytest.approx(row.value, abs=1e-9), row
