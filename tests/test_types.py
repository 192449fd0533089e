"""Hostile data: enormous strings, names and options that look like SQL, ids of every type in tables."""

from collections.abc import Iterator

import duckdb
import pytest

import ranking_udfs
from tests.conftest import value

MEGABYTE = 2**20


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    """One connection for all tests here, with a table that is still there in the end."""
    with ranking_udfs.register(duckdb.connect()) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 1 AS one")
        yield connection
        assert value(connection, "SELECT one FROM kept") == 1


def test_strings_of_a_megabyte_are_told_apart_by_their_last_letter(con: duckdb.DuckDBPyConnection) -> None:
    long = f"repeat('x', {MEGABYTE})"
    rec, truth = f"[{long} || 'a', {long}, {long} || 'b']", f"[{long} || 'b', {long} || 'c']"
    assert value(con, f"SELECT first_hit_rank({rec}, {truth})") == 3
    assert value(con, f"SELECT hits(judge({rec}, {truth}))") == 1
    assert value(con, f"SELECT dcg([{long}::BLOB], MAP {{{long}::BLOB: 1}})") == 1


QUOTE = [] if duckdb.__version__.startswith("1.") else ['quo"te']  # no such name for 1.5's query_table
NAMES = ["it's", *QUOTE, "two\nlines", "$1", "?", "x); DROP TABLE kept; --", "é 日本", "SELECT", "a.b"]


def test_tables_of_any_name_are_evaluated_as_names(con: duckdb.DuckDBPyConnection) -> None:
    """`query_table` takes a quoted name; the text of the argument is data to it, not SQL."""
    quoted = ['"' + name.replace('"', '""') + '"' for name in NAMES]
    for name in quoted:
        con.execute(f"CREATE TABLE {name} AS SELECT 1 AS userid, 2 AS itemid, 3 AS score")
    for rec, truth in zip(quoted[::2], [*quoted[1::2], quoted[0]], strict=False):
        summary = f"ranking_summary($${rec}$$, $${truth}$$, [1], measures := 'recall')"
        assert value(con, f"SELECT recall FROM {summary}") == 1, (rec, truth)


def test_the_name_of_a_table_is_never_sql(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE OR REPLACE TABLE rec AS SELECT 1 AS userid, 2 AS itemid, 3 AS score")
    for name in (
        "rec; DROP TABLE kept",
        "rec WHERE 1 = 0",
        "rec, kept",
        'rec" UNION SELECT 1, 2, 3 --',
        "",
        "rec)",
    ):
        for arguments in (f"$${name}$$, 'rec'", f"'rec', $${name}$$"):
            with pytest.raises(duckdb.Error):
                con.execute(f"FROM ranking_judged({arguments}, 1)").fetchall()


def test_what_a_system_is_called_is_data(con: duckdb.DuckDBPyConnection) -> None:
    systems = ["", "'; DROP TABLE kept; --", "NULL", 'quo"te', "two\nlines"]
    con.execute(
        "CREATE OR REPLACE TABLE rec AS SELECT unnest(?) AS system, 1 AS userid, 2 AS itemid, 3 AS score",
        [systems],
    )
    query = "SELECT system, recall FROM ranking_summary('rec', 'rec', [1], measures := 'recall')"
    assert sorted(con.execute(query).fetchall()) == [(system, 1) for system in systems]


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        ("VARCHAR", "''", "'a;b'"),
        ("UUID", "'00000000-0000-0000-0000-000000000001'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"),
        ("UHUGEINT", "'340282366920938463463374607431768211455'", "0"),
        ("BLOB", "'\\x00'", "'\\x00\\x00'"),
        ("DOUBLE", "'nan'", "'-inf'"),
        ("ENUM ('b', 'a')", "'b'", "'a'"),
        ("STRUCT(a INTEGER, b VARCHAR)", "{'a': 1, 'b': NULL}", "{'a': NULL, 'b': 'NULL'}"),
        ("INTEGER[]", "[]", "[NULL]"),
    ],
)
def test_ids_of_users_and_items_in_tables_may_be_of_any_type(
    con: duckdb.DuckDBPyConnection, kind: str, one: str, other: str
) -> None:
    a, b = f"{one}::{kind}", f"{other}::{kind}"
    rows = f"({a}, {b}, 2), ({a}, {a}, 1), ({b}, {a}, 1), ({b}, {b}, 1), (NULL, {a}, 1), ({a}, NULL, 0)"
    con.execute(f"CREATE OR REPLACE TABLE rec AS FROM (VALUES {rows}) t(userid, itemid, score)")
    truth = f"({a}, {a}), ({b}, {b}), (NULL, {b})"
    con.execute(f"CREATE OR REPLACE TABLE truth AS FROM (VALUES {truth}) t(userid, itemid)")
    by_user = "ranking_by_user('rec', 'truth', [5], measures := 'first_hit_rank')"
    query = f"SELECT n_rec, n_truth, first_hit_rank FROM {by_user} ORDER BY n_rec"
    (second, first) = con.execute(query).fetchall()
    assert first == (3, 1, 2)  # item b is above item a by its score
    smaller = value(con, f"SELECT {b} < {a}")  # equal scores are ordered by item
    assert second == (2, 1, 1 if smaller else 2)


@pytest.mark.parametrize(
    ("kind", "is_refused"),
    [
        ("STRUCT(a INTERVAL[])", True),
        ("INTEGER[2]", True),  # DuckDB 2.0.0 mixes up lists of these, or takes all memory
        ("STRUCT(a VARCHAR[1][])", True),
        ('STRUCT("a[2]" INTEGER, "INTERVAL" INTEGER)', False),
        ("ENUM ('a[2]', 'it''s[3]', '\"', 'INTERVAL')", False),
    ],
)
def test_items_that_cannot_be_matched_are_refused_in_tables(
    con: duckdb.DuckDBPyConnection, kind: str, is_refused: bool
) -> None:
    con.execute(f"CREATE OR REPLACE TABLE rec AS SELECT 1 AS userid, NULL::{kind} AS itemid, 1 AS score")
    query = "SELECT hits FROM ranking_summary('rec', 'rec', [1], measures := 'hits')"
    if is_refused:
        error = "ranking_summary: itemid must not be or hold an ARRAY or INTERVAL"
        with pytest.raises(duckdb.Error, match=error):
            con.execute(query).fetchall()
    else:
        assert value(con, query) == 0


@pytest.mark.parametrize("kind", ["INTEGER[2]", "INTERVAL"])
def test_users_may_be_of_types_that_items_may_not(con: duckdb.DuckDBPyConnection, kind: str) -> None:
    users = {"INTEGER[2]": "array_value(i, 1)", "INTERVAL": "to_days(i)"}[kind]
    con.execute(
        f"CREATE OR REPLACE TABLE rec AS SELECT ({users})::{kind} AS userid, i // 2 AS itemid, i AS score, "
        f"({users})::{kind} AS system FROM (SELECT (i % 99)::INTEGER AS i FROM range(200) t(i))"
    )
    sums = "sum(users_without_rec), round(sum(hits), 9)"
    query = f"SELECT count(*), {sums} FROM ranking_summary('rec', 'rec', [1], measures := 'hits')"
    assert con.execute(query).fetchall() == [(99, 99 * 98, 1.0)]
