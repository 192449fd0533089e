"""What the tests share: a connection with the pack, and Python values as SQL text and as Arrow arrays."""

import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import hypothesis
import pyarrow as pa
import pytest

import ranking_udfs
from ranking_udfs.arrow.functions import FUNCTIONS
from ranking_udfs.folder import folder
from ranking_udfs.measures.registry import Measure

SCRIPT = folder() / "ranking_udfs.sql"  # which test_generated says is fresh
Con = duckdb.DuckDBPyConnection
Patch = pytest.MonkeyPatch
Captured = pytest.CaptureFixture[str]

pytest_plugins = ("tests.command", "tests.pages")  # fixtures of the command and of reports

# The same examples on every run; `pytest --hypothesis-profile=explore` draws new ones, and more.
hypothesis.settings.register_profile(
    "repeatable", deadline=None, max_examples=40, derandomize=True, database=None
)
hypothesis.settings.register_profile("explore", deadline=None, max_examples=1_000)
hypothesis.settings.load_profile("repeatable")


def pytest_configure(config: pytest.Config) -> None:
    """End the tests where a worker crashes: the next one would run the same test, by `loadfile` for ever."""
    if getattr(config.option, "maxworkerrestart", "") is None:  # with pytest-xdist, and not given
        config.option.maxworkerrestart = "0"
    if config.option.markexpr == "quick" and getattr(config.option, "dist", "") == "load":
        config.option.dist = "loadfile"  # each of two workers would make the same connections


# All tests of these files but the slow ones: measures, contract, errors, one call of each entry point.
QUICK = ("documents", "entry_points", "errors", "grammar", "judge", "measures", "sql_measures")
# Tests of these files that take seconds, and are left out.
NOT_QUICK = (
    "test_a_batch_of_any_size_agrees_with_the_slow_definition",
    "test_columns_may_have_the_names_of_parameters_and_of_lambda_variables",
    "test_the_documents_queries_return_the_documents_rows_in_any_order_of_rows",
)


def is_quick(path: Path) -> bool:
    return path.stem.removeprefix("test_") in QUICK


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no other file for `-m quick`, which takes longer than these tests."""
    is_other = collection_path.name.startswith("test_") and not is_quick(collection_path)
    return True if is_other and config.option.markexpr == "quick" else None


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    for item in items:
        is_left_out = item.name.partition("[")[0] in NOT_QUICK or item.get_closest_marker("slow")
        if is_quick(item.path) and not is_left_out:
            item.add_marker(pytest.mark.quick)


@pytest.fixture(scope="session", autouse=True)
def package_for_processes() -> Iterator[None]:
    """Let processes that a test starts import the package under test, whichever checkout is installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(ranking_udfs.__file__).resolve().parent.parent), os.pathsep)
        yield


@pytest.fixture
def bare() -> Iterator[Con]:
    """A connection without the pack."""
    with duckdb.connect() as connection:
        yield connection


@pytest.fixture
def con() -> Iterator[Con]:
    """A connection for one test, which may do with it what it likes."""
    with duckdb.connect() as connection:
        yield ranking_udfs.register(connection)


@pytest.fixture(scope="session")
def shared() -> Iterator[Con]:
    """One connection for all tests that only SELECT, since to register takes longer than such a test."""
    with duckdb.connect() as connection:
        yield ranking_udfs.register(connection)


def module_connection(tables: str = "", is_script: bool = False) -> Any:
    """Return a fixture: a module's connection, with the pack or with the script alone, and these tables."""

    @pytest.fixture(scope="module")
    def connection() -> Iterator[Con]:
        with duckdb.connect() as con:
            con = con.execute(SCRIPT.read_text("utf-8")) if is_script else ranking_udfs.register(con)
            yield con.execute(tables) if tables else con

    return connection


def file_text(name: str) -> str:
    """The text of a file beside the tests."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def text_cases(name: str) -> list[dict[str, str]]:
    """The paragraphs of a text file but the first, each line `name: text`; an indented line goes on."""
    blocks = re.sub(r"^#.*\n", "", file_text(name), flags=re.MULTILINE).replace("\n  ", " ").split("\n\n")
    return [dict(line.split(": ", 1) for line in block.strip().split("\n")) for block in blocks[1:]]


def text_rows(section: str) -> list[list[str]]:
    """The rows of a section of cases.txt, by its first words."""
    text = re.sub(r"\n  +", " ", file_text("cases.txt"))
    (rows,) = re.findall(rf"^# {re.escape(section)} \(.*\n((?:.+\n)*)", text, re.MULTILINE)
    return [[cell.strip() for cell in row.split(" =>")] for row in rows.splitlines()]


def value(con: Con, sql: str) -> Any:
    """The one value that a query returns."""
    ((found,),) = con.execute(sql).fetchall()
    return found


def rows(con: Con, sql: str) -> list[dict[str, Any]]:
    """The rows of a query, by the names of its columns."""
    result = con.execute(sql)
    names = [name for name, *_ in result.description or ()]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def refusal(con: Con, sql: str) -> str:
    """What a user reads of the error in a macro, without what DuckDB puts around."""
    with pytest.raises(duckdb.Error) as raised:
        con.execute(sql).fetchall()
    return str(raised.value).removeprefix("Invalid Input Error: ").partition("\n")[0]


def said(con: Con, sql: str) -> str:
    """What a user reads of the error in a function: `TypeName: message`, without what DuckDB puts around."""
    with pytest.raises(duckdb.InvalidInputException) as raised:
        con.execute(sql).fetchall()
    return str(raised.value).partition("executing the UDF: ")[2].partition("\n")[0]


def literal(thing: Any) -> str:
    """A Python value as SQL: lists as LIST, dicts as MAP, tuples as STRUCT(grade, item, ...)."""
    if thing is None:
        return "NULL"
    if isinstance(thing, str):
        return "'" + thing.replace("'", "''") + "'"
    if isinstance(thing, Mapping):
        return "MAP {" + ", ".join(f"{literal(key)}: {literal(part)}" for key, part in thing.items()) + "}"
    if isinstance(thing, tuple):
        names = ["grade", "item", *(f"part_{i}" for i in range(2, len(thing)))]
        fields = zip(names, thing, strict=False)
        return "{" + ", ".join(f"'{name}': {literal(part)}" for name, part in fields) + "}"
    if isinstance(thing, Sequence):
        return "[" + ", ".join(map(literal, thing)) + "]"
    return repr(thing)


def option_text(options: Mapping[str, Any]) -> str | None:
    """Options as the argument `options` takes them; None for none."""
    return " ".join(f"{name}={choice}" for name, choice in options.items()) or None


def lists(rows: Sequence[Any], item: pa.DataType | None = None) -> pa.Array:
    return pa.array(rows, pa.list_(item or pa.int64()))


def maps(rows: Sequence[Mapping[Any, float] | None], item: pa.DataType | None = None) -> pa.Array:
    entries = [None if row is None else list(row.items()) for row in rows]
    return pa.array(entries, pa.map_(item or pa.int64(), pa.float64()))


def pairs(rows: Sequence[Any], item: pa.DataType | None = None) -> pa.Array:
    fields = pa.struct({"grade": pa.float64(), "item": item or pa.int64()})
    dicts = [row and [pair and {"grade": pair[0], "item": pair[1]} for pair in row] for row in rows]
    return pa.array(dicts, pa.list_(fields))


JUDGED = pa.struct(
    {
        "ranks": pa.list_(pa.int32()),
        "grades": pa.list_(pa.float64()),
        "ideal": pa.list_(pa.float64()),
        "size": pa.int32(),
        "cutoff": pa.int32(),
    }
)


def judged_array(rows: Sequence[Any]) -> pa.Array:
    return pa.array(rows, JUDGED)


def call(name: str, *columns: pa.Array) -> list[Any]:
    """What the function makes of a batch, called as an engine calls it."""
    found: list[Any] = FUNCTIONS[name].call(*columns).to_pylist()
    return found


def evaluate(
    name: str, rec: pa.Array, truth: pa.Array, k: Any = None, options: Mapping[str, Any] | None = None
) -> list[float | None]:
    """A measure over a batch; k is one for all rows, or a list of one for each."""
    ks = k if isinstance(k, list) else [k] * len(rec)
    texts = pa.array([option_text(options or {})] * len(rec), pa.string())
    return call(name, rec, truth, pa.array(ks, pa.int64()), texts)


def is_close(found: float | None, expected: float | None, tolerance: float) -> bool:
    """Equal to the tolerance, absolute up to 1 and relative above; NULL is close to NULL alone."""
    if found is None or expected is None:
        return found is expected
    return math.isclose(found, expected, rel_tol=tolerance, abs_tol=tolerance)


def within(measure: Measure, found: float | None) -> bool:
    """Whether the registry's range and its word on NULL allow the value."""
    return measure.empty.value is None if found is None else found in measure.range
