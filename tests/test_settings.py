"""Every macro returns the same, to the bit, on any threads, order of rows and settings.

test_properties.py has the table functions.
"""

import duckdb
import pytest

import ranking_udfs
from ranking_udfs.duckdb.macros import macros
from tests.calls import CONSTANT, HELPERS, MAKE, PREDICTED, QUERIES, TABLES, table_functions
from tests.entries import CALLS, take_all_short_names

ALL = QUERIES | {
    "helpers": HELPERS,
    "aggregates": """
        SELECT g, ranking.personalization(rec), ranking.gini_coverage(rec), ranking.catalog_coverage(rec, 20),
            collect_set(u), to_ordered_list(u, rec), to_ordered_list(u, rec, '-k 9'),
            to_ordered_list(u, rec, '-k -9 -reverse'), to_ordered_map(u, rec),
            to_ordered_map(u, rec, true), ranking.mean(p), ranking.mean(p * 1e9)
        FROM lists GROUP BY g""",
    "randomization": "FROM ranking.compare_by_user('by_user', test := 'randomization', permutations := 300)",
    "predicted": PREDICTED,
}
SETTINGS = "SET default_order = 'DESC'; SET default_null_order = 'NULLS FIRST'; SET integer_division = true"


def reorder_and_set(con: duckdb.DuckDBPyConnection) -> None:
    """Replace the tables by variables of this module, Arrow tables in another order, and change settings.

    Arrow tables that are freed too early are found where freed memory is overwritten, as in .ci/run.
    """
    for table in TABLES:
        query = f"FROM {table} ORDER BY hash(COLUMNS(*)::VARCHAR)"
        globals()[table] = con.sql(query).to_arrow_table()
        con.execute(f"DROP TABLE {table}")
    con.execute(SETTINGS)


def answer(con: duckdb.DuckDBPyConnection, query: str) -> list[str]:
    """Return the rows of a query as texts, in an order of their own."""
    return sorted(map(repr, con.execute(query).fetchall()))


@pytest.fixture(scope="module")
def expected() -> dict[str, list[str]]:
    with duckdb.connect(config={"threads": 1}) as con:
        ranking_udfs.register(con, hivemall=True).execute(MAKE)
        return {name: answer(con, query) for name, query in ALL.items()}


@pytest.mark.slow
def test_every_bit_is_the_same(expected: dict[str, list[str]]) -> None:
    """Names of others, Arrow tables in another order, threads and settings change nothing."""
    with duckdb.connect(config={"threads": 4}) as con:
        take_all_short_names(con)
        con.execute(MAKE)
        reorder_and_set(con)
        for name, query in ALL.items():
            assert answer(con, query) == expected[name] != [], name


def test_no_macro_that_a_user_may_call_is_left_out() -> None:
    tables = {f"ranking.{name}" for name in CALLS if " " not in name}
    assert {*tables, *CONSTANT} == table_functions()
    named = {macro.called for macro in macros().values() if not macro.is_temp}
    assert {*QUERIES, *tables, "ranking.version"} == named
