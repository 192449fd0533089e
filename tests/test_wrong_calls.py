"""Every wrong call with what is said of it, by wrong_calls.txt: with Python, and by the script alone.

There a line that begins with `>` is a call, for each of whose lines `arguments => error` the asterisk stands
for the arguments. Of several calls the first is made with all lines, each of the others with one of them in
turn, since what is common to them is one macro. The error begins with the name of the function unless with
`!`. MEASURE is each name of each measure. Wrong calls of the command and of Python's functions have tests of
their own.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

import ranking_udfs
from ranking_udfs.duckdb import portable
from ranking_udfs.duckdb.statements import macros
from ranking_udfs.measures.registry import MEASURES
from tests.calls import CONSTANT, always, table_functions

MAKE = """
    CREATE TABLE rec AS FROM (VALUES
        ('a', 1, 'p', 9.0), ('a', 1, 'q', 8.0), ('a', 2, 'p', 2.0), ('b', 1, 'p', 3.0), ('b', 2, 'x', 2.0)
    ) AS t(system, userid, itemid, score);
    CREATE TABLE truth AS FROM (VALUES (1, 'q', 1), (1, 'p', 0), (2, 'x', 3)) AS t(userid, itemid, rel);
    CREATE TABLE plain_rec AS FROM (VALUES (1, 10, 9.0), (2, 50, 1.0)) t(userid, itemid, score);
    CREATE TABLE plain_truth AS FROM (VALUES
        (1, 10), (1, 20), (1, 40), (2, 50), (2, 20), (2, NULL), (3, 10)
    ) AS t(userid, itemid);
    CREATE TABLE intents AS FROM (VALUES
        (1, 'a', 'p', 1), (1, 'x', 'q', 0), (2, 'a', 'p', 1), (3, 'a', NULL, 0), (4, NULL, 'p', 1)
    ) AS t(userid, itemid, intent, rel);
    CREATE TABLE history AS SELECT userid, itemid FROM rec;
    CREATE TABLE items AS SELECT itemid, 'x' AS category FROM rec;
    CREATE TABLE nothing AS SELECT 1 AS userid, NULL::VARCHAR AS itemid;
    CREATE TABLE no_items AS FROM items WHERE false;
    CREATE TABLE texts AS SELECT 1 AS itemid, 'b' AS category;
    CREATE TABLE models AS SELECT * RENAME (system AS model) FROM rec;
    CREATE VIEW cased AS SELECT *, 'a' AS "Model" FROM plain_rec;
    CREATE VIEW seeded AS SELECT *, 7 AS seed FROM plain_rec;
    CREATE VIEW of_systems AS SELECT *, 'a' AS system FROM seeded;
    CREATE VIEW starred AS SELECT userid, itemid, 5 AS stars FROM truth;
    CREATE TABLE by_user AS
    SELECT system, userid, k, 'text' AS note, userid / 9 AS ndcg, k / 20 AS "Recall", 2.0 AS ideal_dcg,
        userid AS clicks
    FROM (SELECT unnest(['a', 'b']) AS system), (SELECT unnest([5, 10]) AS k), range(4) u(userid);
    CREATE TABLE one AS FROM by_user WHERE system = 'a';
    CREATE TABLE nobody AS FROM by_user WHERE false;
    CREATE TABLE no_number AS SELECT system, userid, k, note FROM by_user;
    CREATE TABLE text_k AS SELECT * REPLACE ('top ' || k AS k) FROM by_user;
    CREATE TABLE twice AS FROM by_user UNION ALL (FROM by_user WHERE system = 'b' AND userid = 1 AND k = 5);
    CREATE TABLE many AS SELECT 'system ' || s AS system, 1 AS userid, 1 AS ndcg FROM range(10, 31) t(s);
    CREATE TABLE unknown AS SELECT * REPLACE ('nan'::DOUBLE AS ndcg) FROM by_user;
    CREATE TABLE compared AS FROM ranking_compare_by_user('by_user');
    CREATE TABLE no_comparison AS FROM compared WHERE false;
    CREATE TABLE at_0 AS SELECT * REPLACE (0 AS k) FROM compared;
    CREATE TABLE runs AS FROM (VALUES
        ('a', 1, 'p', 9.5), ('a', 1, 'q', 7.5), ('b', 1, 'r', 0.9), ('c', 1, 's', 100), ('c', 2, 't', 12)
    ) AS t(system, userid, itemid, score);
    CREATE VIEW no_runs AS FROM runs WHERE false;
    CREATE TABLE events AS FROM (VALUES
        (1, 'a', DATE '2026-01-01'), (1, 'b', DATE '2026-01-05'), (2, 'a', DATE '2026-01-06'),
        (2, 'a', DATE '2026-01-07'), (2, 'c', DATE '2026-01-09'), (1, 'b', DATE '2026-01-09'),
        (NULL, 'c', DATE '2026-01-09'), (3, NULL, DATE '2026-01-01'), (3, 'a', NULL),
        (4, 'a', DATE 'infinity')
    ) AS t(userid, itemid, time);
    CREATE TABLE days AS SELECT 1 AS userid, i AS itemid, i AS time FROM range(10) t(i);
    CREATE TABLE taken AS SELECT 1 AS Part, *, 2 AS dropped FROM events;
"""
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
    sections = Path(__file__).with_name("wrong_calls.txt").read_text(encoding="utf-8").split("\n# ")
    for place, section in enumerate(sections):
        for block in section.split("\n\n")[1:]:
            lines = block.strip().split("\n")
            calls = [line.removeprefix("> ") for line in lines if line.startswith(">")]
            rows = [tuple(line.split(" => ")) for line in lines[len(calls) :]]
            for turn, call in enumerate(calls):
                functions = {*re.findall(r"\b(\w+)\(", always(call))} & table_functions()
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
    before = "FROM " if name in macros() and macros()[name].is_table else "SELECT "
    with pytest.raises(duckdb.InvalidInputException) as raised:
        con.execute(call if call.startswith("WITH") else before + call).fetchall()
    text = str(raised.value).removeprefix("Invalid Input Error: ")
    return text.rpartition("executing the UDF: ")[2].partition("\n")[0]


def wanted(call: str, error: str) -> str:
    """The error with its function's name, behind the type of an error of Python's."""
    (name,) = re.findall(r"^(?:WITH.* FROM )?\"?(\w+)\"?\(", call)
    kind, colon, rule = error.rpartition("Error: ")
    return error[1:] if error[0] == "!" else f"{kind}{colon}{name}: {rule}"


def test_each_table_function_has_wrong_calls() -> None:
    named = " ".join(call for call, *_ in read())
    lacking = {name for name in table_functions() if name.removeprefix("ranking_") not in named}
    assert lacking == {*CONSTANT}


@pytest.mark.parametrize(("call", "in_script", "rows"), CALLS)
def test_a_wrong_call_is_an_error_that_says_what_to_write(
    editions: list[duckdb.DuckDBPyConnection], call: str, in_script: bool, rows: list[tuple[str, str]]
) -> None:
    con, script = editions
    calls = [call.replace("MEASURE", f'"{name}"') for name in NAMES] if "MEASURE" in call else [call]
    for one in calls:
        found = {arguments: said(con, one.replace("*", arguments)) for arguments, _ in rows}
        assert found == {arguments: wanted(one, error) for arguments, error in rows}
    for arguments, error in rows[:1] if in_script else ():
        assert said(script, always(call).replace("*", arguments)) == wanted(call, error)
