"""Tables and queries with their rows, by right_tables.txt: with Python, and by the script alone."""

import decimal
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import ranking_udfs
from ranking_udfs.duckdb import portable
from tests.calls import always, table_functions


def read() -> Iterator[Any]:
    """Yield of each rule its statements, its queries with their rows, and those for the script, all as SQL.

    The script is asked for each argument of each table function once.
    """
    asked: set[tuple[str, str]] = set()
    text = Path(__file__).with_name("right_tables.txt").read_text(encoding="utf-8")
    for section in re.sub(r"\n +", " ", text).split("\n# ")[1:]:
        title, *blocks = section.strip().split("\n\n")
        of_all = [line[2:] for line in title.split("\n") if line.startswith("$")]
        for block in blocks:
            rule, *lines = block.split("\n")
            made = of_all + [line[2:] for line in lines if line.startswith("$")]
            calls = [line[2:] for line in lines if line.startswith(">")] or ["{}"]
            rows = [line.split(" => ") for line in lines if line[0] not in "$>-"]
            found = [(call.replace("{}", given), expected) for call in calls for given, expected in rows]
            new = arguments(found[0][0]) - asked
            asked |= new
            of_script = found[:1] if new else []
            yield pytest.param(made, found, of_script, id=f"{title.partition(chr(10))[0]}: {rule}")


def arguments(query: str) -> set[tuple[str, str]]:
    """Each table function of the query, by itself and with each name of an argument."""
    names = ["", *re.findall(r"\b(\w+) :=", query)]
    functions = table_functions() & {*re.findall(r"\b(\w+)\(", always(query))}
    return {(function, name) for function in functions for name in names}


@pytest.fixture(scope="module")
def editions() -> Iterator[list[duckdb.DuckDBPyConnection]]:
    """A connection with the pack, and one with the script of the macros instead."""
    with duckdb.connect() as con, duckdb.connect() as other:
        yield [ranking_udfs.register(con), other.execute(portable.script())]


def plain(cell: Any) -> Any:
    """A cell as Python has it: 0.5 is a DECIMAL in SQL."""
    if isinstance(cell, list):
        return [plain(one) for one in cell]
    return float(cell) if isinstance(cell, decimal.Decimal) else cell


def select(con: duckdb.DuckDBPyConnection, query: str) -> list[list[Any]]:
    return [[plain(cell) for cell in row] for row in con.execute(query).fetchall()]


@pytest.mark.parametrize(("made", "queries", "of_script"), [*read()])
def test_a_rule_of_tables_holds(
    editions: list[duckdb.DuckDBPyConnection],
    made: list[str],
    queries: list[tuple[str, str]],
    of_script: list[tuple[str, str]],
) -> None:
    assert queries
    for con, asked in zip(editions, (queries, of_script), strict=True):
        con.begin()
        try:
            con.execute("; ".join(made) if made else "SELECT 1")
            for query, rows in asked:
                expected = [] if rows == "none" else select(con, f"FROM (VALUES {rows})")
                named = always(query) if con is editions[1] else query
                assert select(con, named) == expected, query
        finally:
            con.rollback()
