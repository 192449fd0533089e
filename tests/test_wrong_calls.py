"""Every wrong call with what is said of it, by wrong_calls.txt: with Python, and by the script alone.

There a line that begins with `>` is a call, for each of whose lines `arguments => error` the asterisk stands
for the arguments. Of several calls the first is made with all lines, each of the others with one of them in
turn, since what is common to them is one macro. The error begins with the name of the function unless with
`!`. MEASURE is each name of each measure. Wrong calls of the command and of Python's functions have tests of
their own.
"""

import re
from collections.abc import Iterator

import duckdb
import pytest

import ranking_udfs
from ranking_udfs.macros import portable
from ranking_udfs.measures.registry import MEASURES
from tests.calls import table_functions
from tests.conftest import file_text

MAKE = file_text("tables/wrong_calls.sql")
WITH_PYTHON = """
    CREATE TABLE fruits AS FROM (VALUES (5, 'apple'), (3, 'banana'), (4, 'candy')) AS t(key, value);
    CREATE TABLE lists AS FROM (VALUES ([1, 2]), ([3])) AS t(rec)
"""
NAMES = [name for measure in MEASURES.values() for name in measure.names]


def read() -> Iterator[tuple[str, bool, list[tuple[str, str]]]]:
    """Yield each call, whether the script is asked, and its arguments with their errors.

    The script is asked once for each table function, of which a call takes long to plan.
    """
    asked: set[str] = set()
    sections = file_text("wrong_calls.txt").split("\n# ")
    for place, section in enumerate(sections):
        for block in section.split("\n\n")[1:]:
            lines = block.strip().split("\n")
            calls = [line.removeprefix("> ") for line in lines if line.startswith(">")]
            rows = [tuple(line.split(" => ")) for line in lines[len(calls) :]]
            for turn, call in enumerate(calls):
                functions = {*re.findall(r"\b(ranking\.\w+)\(", call)} & table_functions()
                in_script = place > 0 and (not functions or not functions <= asked)
                asked |= functions
                chosen = [rows[turn % len(rows)]] if turn else rows
                yield call, in_script, [(arguments, error) for arguments, error in chosen]


CALLS = [pytest.param(*one, id=one[0]) for one in read()]


@pytest.fixture(scope="module")
def editions() -> Iterator[list[duckdb.DuckDBPyConnection]]:
    """A connection with the pack, and one with the script of the macros instead."""
    with duckdb.connect() as con, duckdb.connect() as other:
        ranking_udfs.register(con).execute(MAKE).execute(WITH_PYTHON)
        yield [con, other.execute(portable.script()).execute(MAKE)]


def said(con: duckdb.DuckDBPyConnection, call: str) -> str:
    """What is said of a call, without DuckDB's words around it."""
    name = call.partition("(")[0]
    before = "FROM " if name in table_functions() else "SELECT "
    with pytest.raises(duckdb.InvalidInputException) as raised:
        con.execute(call if call.startswith("WITH") else before + call).fetchall()
    text = str(raised.value).removeprefix("Invalid Input Error: ")
    return text.rpartition("executing the UDF: ")[2].partition("\n")[0]


def wanted(call: str, error: str) -> str:
    """The error with its function's name, behind the type of an error of Python's."""
    (name,) = re.findall(r"^(?:WITH.* FROM )?\"?([\w.]+)\"?\(", call)
    kind, colon, rule = error.rpartition("Error: ")
    return error[1:] if error[0] == "!" else f"{kind}{colon}{name}: {rule}"


@pytest.mark.parametrize(("call", "in_script", "rows"), CALLS)
def test_a_wrong_call_is_an_error_that_says_what_to_write(
    editions: list[duckdb.DuckDBPyConnection], call: str, in_script: bool, rows: list[tuple[str, str]]
) -> None:
    con, script = editions
    if call.startswith("to_ordered"):
        con = ranking_udfs.register(con.cursor(), hivemall=True)
    calls = [call.replace("MEASURE", f'"{name}"') for name in NAMES] if "MEASURE" in call else [call]
    for one in calls:
        found = {arguments: said(con, one.replace("*", arguments)) for arguments, _ in rows}
        assert found == {arguments: wanted(one, error) for arguments, error in rows}
    for arguments, error in rows[:1] if in_script else ():
        assert said(script, call.replace("*", arguments)) == wanted(call, error)
