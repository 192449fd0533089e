"""Shared by the tests: connections with the pack, and Python values as SQL and as Arrow arrays."""

import math
import os
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
    """End the run if a worker crashes: with `loadfile` the next one would run the same test forever."""
    if getattr(config.option, "maxworkerrestart", "") is None:  # pytest-xdist is there, its option is not
        config.option.maxworkerrestart = "0"
    if config.option.markexpr == "quick" and getattr(config.option, "dist", "") == "load":
        config.option.dist = "loadfile"  # each of two workers would make the same connections


# `-m quick` runs these files without slow tests: measures, contract, errors, a call of each entry point.
QUICK = ("calls", "documents", "entry_points", "errors", "grammar", "judge", "measures", "sql_measures")
# Tests of these files that take seconds, and are left out.
NOT_QUICK = (
    "test_batches_agree_with_the_slow_definition",
    "test_documented_queries_return_documented_rows_in_any_order",
)


def is_quick(path: Path) -> bool:
    return path.stem.removeprefix("test_") in QUICK


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip the other files for `-m quick`, since importing them takes longer than the quick tests."""
    is_other = collection_path.name.startswith("test_") and not is_quick(collection_path)
    return True if is_other and config.option.markexpr == "quick" else None


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    for item in items:
        marks = {mark.name for mark in item.iter_markers()}
        is_left_out = item.name.partition("[")[0] in NOT_QUICK or marks & {"slow", "newest"}
        if is_quick(item.path) and not is_left_out:
            item.add_marker(pytest.mark.quick)


@pytest.fixture(scope="session", autouse=True)
def package_for_processes() -> Iterator[None]:
    """Make processes of the tests import the package under test, not another one that is installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(ranking_udfs.__file__).resolve().parent.parent), os.pathsep)
        yield


@pytest.fixture
def bare() -> Iterator[Con]:
    """Open a connection without the pack."""
    with duckdb.connect() as connection:
        yield connection


@pytest.fixture
def con() -> Iterator[Con]:
    """Open a connection with the pack, which the test may change."""
    with duckdb.connect() as connection:
        yield ranking_udfs.register(connection)


@pytest.fixture(scope="session")
def shared() -> Iterator[Con]:
    """Share a connection among tests that only SELECT, since registering takes longer than such a test."""
    with duckdb.connect() as connection:
        yield ranking_udfs.register(connection)


def module_connection(tables: str = "", is_script: bool = False) -> Any:
    """Return a fixture: one connection for a module, with these tables and the pack, or only the script."""

    @pytest.fixture(scope="module")
    def connection() -> Iterator[Con]:
        with duckdb.connect() as con:
            con = con.execute(SCRIPT.read_text("utf-8")) if is_script else ranking_udfs.register(con)
            yield con.execute(tables) if tables else con

    return connection


def value(con: Con, sql: str) -> Any:
    """Return the only value of a query."""
    ((cell,),) = con.execute(sql).fetchall()
    return cell


def rows(con: Con, sql: str) -> list[dict[str, Any]]:
    """Return the rows of a query, by the names of its columns."""
    result = con.execute(sql)
    names = [name for name, *_ in result.description or ()]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def refusal(con: Con, sql: str) -> str:
    """Return the first line of a macro's error, without DuckDB's prefix."""
    with pytest.raises(duckdb.Error) as raised:
        con.execute(sql).fetchall()
    return str(raised.value).removeprefix("Invalid Input Error: ").partition("\n")[0]


def said(con: Con, sql: str) -> str:
    """Return a Python function's error as `TypeName: message`, without DuckDB's prefix."""
    with pytest.raises(duckdb.InvalidInputException) as raised:
        con.execute(sql).fetchall()
    return str(raised.value).partition("executing the UDF: ")[2].partition("\n")[0]


def literal(thing: Any) -> str:
    """Write a Python value as SQL: lists as LIST, dicts as MAP, tuples as STRUCT(grade, item, ...)."""
    if thing is None:
        return "NULL"
    if isinstance(thing, str):
        return "'" + thing.replace("'", "''") + "'"
    if isinstance(thing, Mapping):
        return "MAP {" + ", ".join(f"{literal(key)}: {literal(part)}" for key, part in thing.items()) + "}"
    if isinstance(thing, tuple):
        names = ["grade", "item", *(f"part_{i}" for i in range(2, len(thing)))]
        fields = (f"'{name}': {literal(part)}" for name, part in zip(names, thing, strict=False))
        return "{" + ", ".join(fields) + "}"
    return "[" + ", ".join(map(literal, thing)) + "]" if isinstance(thing, Sequence) else repr(thing)


def option_text(options: Mapping[str, Any]) -> str | None:
    """Write options as the argument `options` takes them, or None for none."""
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


def judged_array(rows: Sequence[Any]) -> pa.Array:
    doubles = pa.list_(pa.float64())
    fields = {"ranks": pa.list_(pa.int32()), "grades": doubles, "ideal": doubles}
    return pa.array(rows, pa.struct(fields | {"size": pa.int32(), "cutoff": pa.int32()}))


def call(name: str, *columns: pa.Array) -> list[Any]:
    """Call the function on a batch, as an engine does."""
    results: list[Any] = FUNCTIONS[name].call(*columns).to_pylist()
    return results


def evaluate(
    name: str, rec: pa.Array, truth: pa.Array, k: Any = None, options: Mapping[str, Any] | None = None
) -> list[float | None]:
    """Call a measure on a batch; k is the same for all rows, or a list with one for each."""
    ks = k if isinstance(k, list) else [k] * len(rec)
    texts = pa.array([option_text(options or {})] * len(rec), pa.string())
    return call(name, rec, truth, pa.array(ks, pa.int64()), texts)


def is_close(value: float | None, expected: float | None, tolerance: float) -> bool:
    """Compare with a tolerance that is absolute up to 1 and relative above; NULL is close to NULL only."""
    if value is None or expected is None:
        return value is expected
    return math.isclose(value, expected, rel_tol=tolerance, abs_tol=tolerance)


def within(measure: Measure, value: float | None) -> bool:
    """Check that the registry's range of a measure, or its value for the empty case, allows the value."""
    return measure.empty.value is None if value is None else value in measure.range


def create_users(con: Con, users: Sequence[tuple[Sequence[Any], Mapping[Any, Any]]]) -> None:
    """Create rows of item and score as `given`, and grades as `judged`; an empty truth has a NULL item."""
    given = [(user, *row) for user, (of_rec, _) in enumerate(users) for row in of_rec]
    judged = [(user, *row) for user, (_, truth) in enumerate(users) for row in truth.items() or [(None, 1)]]
    kinds = pa.int32(), pa.int32(), pa.float64()
    for name, column, of in (("given", "score", given), ("judged", "rel", judged)):
        cells = zip([*zip(*of, strict=True)] or [()] * 3, kinds, strict=True)
        columns = [pa.array(values, kind) for values, kind in cells]
        con.register("rows", pa.table(columns, ["userid", "itemid", column]))
        con.execute(f"CREATE OR REPLACE TABLE {name} AS FROM rows").unregister("rows")
