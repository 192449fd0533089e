"""No number depends on threads, on the order of rows, or on settings, of any table function or aggregate."""

from collections.abc import Callable

import duckdb
import pytest

import ranking_udfs
from tests.calls import CALLS, CONSTANT, MAKE, TABLES, table_functions

AGGREGATES = """
    SELECT g, personalization(rec), gini_coverage(rec), catalog_coverage(rec, 20), collect_set(u),
        to_ordered_list(u, rec), to_ordered_list(u, rec, '-k 9'), to_ordered_list(u, rec, '-k -9 -reverse'),
        to_ordered_map(u, rec), to_ordered_map(u, rec, true), ranking_mean(p), ranking_mean(p * 1e9)
    FROM lists GROUP BY g
"""


def texts(con: duckdb.DuckDBPyConnection) -> dict[str, list[str]]:
    """The rows of every call as texts, in an order of their own."""
    randomized = "FROM ranking_compare_by_user('by_user', test := 'randomization', permutations := 300)"
    queries = {**CALLS, "aggregates": AGGREGATES, "randomization": randomized}
    return {name: sorted(map(str, con.execute(query).fetchall())) for name, query in queries.items()}


@pytest.fixture(scope="module")
def expected() -> dict[str, list[str]]:
    with ranking_udfs.register(duckdb.connect(config={"threads": 1})) as con:
        return texts(con.execute(MAKE))


def shuffle(con: duckdb.DuckDBPyConnection) -> None:
    for table in TABLES:
        con.execute(f"CREATE OR REPLACE TABLE {table} AS FROM {table} ORDER BY hash(COLUMNS(*)::VARCHAR)")


def other_settings(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(
        "SET default_order = 'DESC'; SET default_null_order = 'NULLS FIRST'; SET integer_division = true"
    )


@pytest.mark.parametrize("change", [shuffle, other_settings], ids=lambda change: str(change.__name__))
def test_every_bit_is_the_same(
    expected: dict[str, list[str]], change: Callable[[duckdb.DuckDBPyConnection], None]
) -> None:
    with ranking_udfs.register(duckdb.connect(config={"threads": 4})) as con:
        change(con.execute(MAKE))
        found = texts(con)
    for name, rows in expected.items():
        assert found[name] == rows != [], name


def test_no_table_function_is_left_out() -> None:
    assert {*CALLS, *CONSTANT} == table_functions()


def test_a_collation_is_an_error_of_every_table_function_and_a_problem_of_the_check() -> None:
    rule = "default_collation must be binary (SET default_collation = 'binary'), got nocase"
    with ranking_udfs.register(duckdb.connect()) as con:
        con.execute(MAKE).execute("SET default_collation = 'nocase'")
        for name, query in CALLS.items():
            if name == "ranking_check":
                found = con.execute(f"SELECT example {query}").fetchall()
                assert found[0] == (rule,)
            else:
                with pytest.raises(duckdb.InvalidInputException) as raised:
                    con.execute(query).fetchall()
                assert str(raised.value).endswith(f"{name.removeprefix('ranking_')}: {rule}"), name
