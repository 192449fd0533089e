"""A file of events as files of train and test."""

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

import duckdb

from ..evaluation.errors import DataError, UsageError
from ..evaluation.options import ARGUMENTS
from ..evaluation.queries import composed_call
from ..inputs import files
from ..quoting import identifier, literal, sql_value
from ..texts import shorten
from .output import check_folder, check_outputs, write_rows

READERS = {".csv": "read_csv", ".tsv": "read_csv", ".parquet": "read_parquet"}
SPANS = ("test_from", "test_size", "gap")  # arguments of the kind that time is
OTHERS = ("last", "folds", "cold_users", "cold_items", "seen")
SUMMARY = """
    SELECT fold, part, dropped,
        count(*) AS events, count(DISTINCT {user}) AS users, count(DISTINCT {item}) AS items
    FROM ranking_command_split GROUP BY ALL
    ORDER BY fold ASC NULLS LAST, part DESC NULLS LAST, dropped ASC NULLS LAST
"""


def split_events(con: duckdb.DuckDBPyConnection, given: Any) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Write train and test of each fold into a folder; return a header and how many events are where.

    `given` has the command's options. In a CSV file all but the time stays as it is written.
    """
    path, kind = given.events, files.extension(given.events)
    columns = {"userid": given.user_col, "itemid": given.item_col, "time": given.time}
    if kind not in READERS:
        raise DataError(f"{path}: events must be a file that ends in {', '.join(READERS)}")
    parts = files.list_files(con, path)
    if not parts:
        raise DataError(f"{path}: no such file")
    check_folder(given.output)
    rows, names, time = read_events(con, path, kind, parts, columns)
    arguments = {"events": "'ranking_command_events'"}
    arguments |= {ARGUMENTS[role]: literal(column) for role, column in names.items()}
    arguments |= {name: sql_value(getattr(given, name)) for name in OTHERS}
    arguments |= {name: span_literal(con, name, getattr(given, name), time) for name in SPANS}
    con.execute(f"CREATE TEMP VIEW ranking_command_events AS FROM {rows}")
    con.execute(f"CREATE TEMP TABLE ranking_command_split AS\n{composed_call(con, 'split', arguments)}")
    write_parts(con, path, given.output, path[path.lower().rindex(kind) :])
    found = con.execute(SUMMARY.format(user=identifier(names["userid"]), item=identifier(names["itemid"])))
    return [name for name, *_ in found.description or ()], found.fetchall()


def read_events(
    con: duckdb.DuckDBPyConnection, path: str, kind: str, parts: Sequence[str], columns: Mapping[str, str]
) -> tuple[str, dict[str, str], str]:
    """Return the SQL of the rows of events, their columns by role, and the type of their time."""
    is_csv = READERS[kind] == "read_csv"
    options = files.QUOTED if is_csv else files.MERGED if len(parts) > 1 else ""
    rows = f"{READERS[kind]}({literal(files.pattern(path))}{options})"
    if is_csv and (files.is_refused(con, rows) or len(files.column_types(con, rows)) == 1):
        rows = files.line_rows(path, parts)
    elif is_csv:
        rows = f"{rows[:-1]}, all_varchar = true)"
    types = files.column_types(con, rows)
    names = files.find_columns(con, path, types, files.Wanted(columns), {})
    if is_csv:
        rows = files.typed_rows(con, literal(path), rows, {"time": names["time"]})
        types = files.column_types(con, rows)
    time = types[names["time"]]
    if time == "DOUBLE":
        column = identifier(names["time"])
        wrong = f"SELECT {column} FROM {rows} WHERE {column} <> trunc({column}) OR abs({column}) >= 1e18"
        (value,) = con.execute(wrong).fetchone() or (time,)
        rule = "must be an integer, a date or a timestamp"
        raise DataError(f"{path}: {names['time']} {rule}, got {value}; write whole numbers")
    return rows, names, time


def span_literal(con: duckdb.DuckDBPyConnection, name: str, text: str | None, time: str) -> str:
    """Return the SQL of an argument whose type follows from that of the time, or raise UsageError."""
    if text is None:
        return "NULL"
    is_calendar = time.startswith(("DATE", "TIMESTAMP"))
    kind = time if name == "test_from" else "INTERVAL" if is_calendar else "BIGINT"
    if time == "TIMESTAMP WITH TIME ZONE":
        con.execute("SET TimeZone = 'UTC'")
    option = f"--{name.replace('_', '-')}"
    if kind == "INTERVAL" and not re.search(r"[a-z:]", text, re.IGNORECASE):  # DuckDB takes seconds
        raise UsageError(f"{option} must have a unit, such as '7 days', got {shorten(repr(text))}")
    if con.execute(f"SELECT TRY_CAST({literal(text)} AS {kind})").fetchone() == (None,):
        raise UsageError(
            f"{option} must be of type {kind}, for a time of type {time}, got {shorten(repr(text))}"
        )
    return f"{literal(text)}::{kind}"


def write_parts(con: duckdb.DuckDBPyConnection, path: str, output: str, ending: str) -> None:
    """Write a file for train and one for test, of several folds into a folder for each."""
    query = "SELECT DISTINCT fold FROM ranking_command_split ORDER BY fold ASC NULLS LAST"
    folds = [fold for (fold,) in con.execute(query).fetchall()]
    if not folds:
        raise DataError(f"{path}: no rows")
    paths: dict[tuple[int, str], str] = {}
    for fold in folds:
        folder = os.path.join(output, f"fold_{fold}") if len(folds) > 1 else output
        os.makedirs(folder, exist_ok=True)
        paths |= {(fold, part): os.path.join(folder, f"{part}{ending}") for part in ("train", "test")}
    check_outputs(list(paths.values()), [path])
    for (fold, part), file in paths.items():
        rows = f"FROM ranking_command_split WHERE fold = {fold} AND part = {literal(part)}"
        write_rows(con, f"SELECT * EXCLUDE (fold, part, dropped) {rows}", file)
