"""Every call in tests/calls/*.txt has its value or its error, on each connection that the file is for."""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from decimal import Decimal
from functools import cache
from itertools import groupby
from typing import Any

import duckdb
import pytest

import ranking_udfs
from ranking_udfs.macros.script import script
from ranking_udfs.measures.grammar import parse_measures
from ranking_udfs.measures.registry import MEASURES
from tests.conftest import Con, value
from tests.read_calls import FOLDER, Case, read

VIEWS = ["arrow_output_version = '1.5'", "arrow_output_list_view = true", "produce_arrow_string_view = true"]
LAYOUTS = {
    "default": [],
    "large buffers, lossless": ["arrow_large_buffer_size = true", "arrow_lossless_conversion = true"],
    "version 1.5": ["arrow_output_version = '1.5'"],
    "views, lossless": [*VIEWS, "arrow_lossless_conversion = true"],
    "large views": [*VIEWS, "arrow_large_buffer_size = true"],
}
RARE = ["version 1.5", "views, lossless", "large views"]
# The connections of each file; measures.txt has tests of its own, on all surfaces of a measure.
CONNECTIONS = {
    "aggregates": ["pack", "script"],
    "errors": ["pack"],
    "hivemall": ["hivemall"],
    "judging": ["pack"],
    "layouts": [*LAYOUTS],
    "lossless": ["large buffers, lossless", "views, lossless"],
    "lossy": ["default", "version 1.5", "large views"],
    "macros": ["pack", "script"],
    "names": ["parse_measures"],
}
FILES = [FOLDER / f"{file}.txt" for file in CONNECTIONS]
NAMES = [f'"{name}"' for measure in MEASURES.values() for name in measure.names]


@contextmanager
def connected(to: str) -> Iterator[Con]:
    """Connect to DuckDB with the pack in one layout of Arrow, with Hivemall's names, or with the script."""
    with duckdb.connect() as con:
        for setting in LAYOUTS.get(to, []):
            con.execute(f"SET {setting}")
        if to == "script":
            yield con.execute(script())
        else:
            yield ranking_udfs.register(con, hivemall=to == "hivemall")


def error_of(con: Con, case: Case) -> str:
    """Return the error of a call, without the name of its function; `!` shows that the name is missing."""
    try:
        if case.file == "names":
            parse_measures(case.call)
        else:
            con.execute(f"SELECT {case.call}").fetchall()
    except ValueError as error:
        return str(error)
    except duckdb.Error as error:
        whole = str(error).removeprefix("Invalid Input Error: ").rpartition("executing the UDF: ")[2]
        text, (function,) = whole.partition("\n")[0], re.findall(r'^"?([\w.]+)"?\(', case.call)
        rule = re.sub(rf"^(\w+Error: )?{re.escape(function)}: ", r"\1", text)
        return rule if rule != text else f"!{text}"
    return ""


def values_of(con: Con, calls: Sequence[str]) -> list[Any]:
    """Return the values of calls, or their errors: in one query for calls without a FROM and an error."""
    together = [call for call in dict.fromkeys(calls) if " FROM " not in call or call.startswith("(")]
    values = dict[str, Any]()
    with suppress(duckdb.Error):
        found = con.execute(f"SELECT {', '.join([*together, 'NULL'])}").fetchall()[0]
        values = dict(zip(together, found, strict=False))
    return [values[call] if call in values else value_of(con, call) for call in calls]


def value_of(con: Con, call: str) -> Any:
    try:
        return value(con, call if call.startswith("WITH") else f"SELECT {call}")
    except duckdb.Error as error:
        return error


def is_same(found: Any, expected: Any) -> bool:
    """Compare fractions but for their last digits, else exactly, and the entries of a MAP in their order."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return is_same([*found.items()], [*expected.items()])
    if isinstance(expected, list | tuple) and isinstance(found, list | tuple):
        return len(found) == len(expected) and all(map(is_same, found, expected))
    if isinstance(expected, float | Decimal) and isinstance(found, float) and expected % 1:
        return math.isclose(found, expected, rel_tol=1e-12)
    return bool(found == expected and isinstance(found, bool) == isinstance(expected, bool))


PARAMETERS = [
    pytest.param(to, [*cases], id=f"{file}, {to}: {rule}", marks=pytest.mark.newest if to in RARE else [])
    for file, connections in CONNECTIONS.items()
    for to in connections
    for rule, cases in groupby(read(file, NAMES), key=lambda case: case.rule)
]


@pytest.fixture(scope="module")
def connection() -> Iterator[Callable[[str], Con]]:
    """Connect once to each."""
    with ExitStack() as stack:
        yield cache(lambda to: stack.enter_context(connected(to)))


@pytest.mark.parametrize(("to", "cases"), PARAMETERS)
def test_a_call_has_its_value_or_its_error(
    connection: Callable[[str], Con], to: str, cases: list[Case]
) -> None:
    con = connection(to)
    right = [case for case in cases if case.sign == "="]
    values = values_of(con, [case.call for case in right])
    expected = values_of(con, [case.expected for case in right])
    wrong = [
        f"{case.place}: {case.call} is {found}, not {case.expected}"
        for case, found, want in zip(right, values, expected, strict=True)
        if not is_same(found, want)
    ]
    wrong += [
        f"{case.place}: {case.call} has the error {error!r}, not {case.expected!r}"
        for case in cases
        if case.sign == "!" and (error := error_of(con, case)) != case.expected
    ]
    assert not wrong, "\n".join(wrong)


def test_each_file_is_run() -> None:
    assert {*FOLDER.glob("*.txt")} == {*FILES, FOLDER / "measures.txt"}
