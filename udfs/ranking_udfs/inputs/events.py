"""Read events from a file or a table, and split them into train and test."""

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import duckdb

from ..compose.columns import COMMAND
from ..compose.functions import compose_values
from ..evaluation.errors import DataError, UsageError
from ..kinds import Typed
from ..options import ARGUMENTS, column_of
from ..quoting import identifier, literal
from ..texts import shorten
from .catalogs import Catalog
from .files import open_source
from .paths import extension, list_files
from .sources import Wanted, column_types

FILES = Catalog()
ENDINGS = (".csv", ".tsv", ".parquet")
SPANS = ("test_from", "test_size", "gap")  # arguments whose type depends on the type of time
OTHERS = ("last", "folds", "cold_users", "cold_items", "seen")


def read_events(
    con: duckdb.DuckDBPyConnection,
    path: str,
    columns: Mapping[str, str],
    catalog: Catalog = FILES,
    way: str = COMMAND,
) -> tuple[str, Mapping[str, str], str]:
    """Return the SQL for the rows of events, their columns by role, and the type of the time."""
    is_file = catalog.find(con, path) is None and list_files(con, path)
    if is_file and extension(path) not in ENDINGS:
        raise DataError(f"{path}: events must be a file that ends in {', '.join(ENDINGS)}")
    columns = {role: column_of(column, path, role) for role, column in columns.items()}
    wanted = Wanted(columns, way=way, by_lines=True, items_are_lists=True)
    source = open_source(con, [path], wanted, catalog)
    for name in (name for name in source.names.values() if name not in source.types):
        raise DataError(f"{path}: {name!r} must be a column, not a field of one")
    types = column_types(con, source.rows)
    return source.rows, source.names, check_time(con, path, source.rows, source.names["time"], types)


def check_time(
    con: duckdb.DuckDBPyConnection, path: str, rows: str, name: str, types: Mapping[str, str]
) -> str:
    """Return the type of the time; raise DataError for a DOUBLE, as of numbers with a decimal point."""
    time = types[name]
    if time == "DOUBLE":
        column = identifier(name)
        wrong = f"SELECT {column} FROM {rows} WHERE {column} <> trunc({column}) OR abs({column}) >= 1e18"
        ((value,), *_) = con.execute(f"{wrong} LIMIT 1").fetchall() or [(time,)]
        rule = "must be an integer, a date or a timestamp"
        raise DataError(f"{path}: {name} {rule}, got {value}; write whole numbers")
    return time


def split_query(
    con: duckdb.DuckDBPyConnection,
    view: str,
    rows: str,
    names: Mapping[str, str],
    time: str,
    options: Mapping[str, Any],
    dashes: str = "--",
) -> str:
    """Make a view of these rows, and return the query that splits it; `dashes` is the prefix of options."""
    con.execute(f"CREATE TEMP VIEW {view} AS FROM {rows}")
    arguments: dict[str, Any] = {ARGUMENTS[role]: column for role, column in names.items()}
    arguments["events"] = view
    arguments |= {name: options[name] for name in OTHERS}
    for name in SPANS:
        option = f"{dashes}{name.replace('_', '-') if dashes else name}"
        value = options[name]
        if isinstance(value, timedelta):
            value = f"{value.total_seconds():f} seconds"
        if value is not None:
            arguments[name] = span(con, option, str(value), time, is_span=name != "test_from")
    return compose_values("split", arguments)


def span(con: duckdb.DuckDBPyConnection, option: str, text: str, time: str, is_span: bool) -> Typed:
    """Return an argument whose type depends on the type of the time, or raise UsageError."""
    is_calendar = time.startswith(("DATE", "TIMESTAMP"))
    kind = time if not is_span else "INTERVAL" if is_calendar else "BIGINT"
    if kind == "INTERVAL" and not re.search(r"[a-z:]", text, re.IGNORECASE):  # DuckDB would assume seconds
        raise UsageError(f"{option} must have a unit, such as '7 days', got {shorten(repr(text))}")
    ((value,),) = con.execute(f"SELECT TRY_CAST({literal(text)} AS {kind})::VARCHAR").fetchall()
    if value is None:
        raise UsageError(
            f"{option} must be of type {kind}, for a time of type {time}, got {shorten(repr(text))}"
        )
    return Typed(kind, value)
