"""Open files or tables of a database as one table.

Every external name (a path, a column, a model) enters a statement as a quoted literal or a quoted
identifier, never as SQL.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import replace

import duckdb

from ..evaluation.errors import DataError, error_summary
from ..quoting import literal, unquoted
from ..texts import with_unit
from .catalogs import Catalog, is_database
from .delimited import csv_source
from .json_objects import KEYS, export_source, object_source
from .paths import READERS, STDIN, TREC, extension, list_files, pattern
from .rows import table_source
from .sources import QUOTED, TEXTS, MissingColumnsError, Reader, Source, Wanted, struct_literal
from .trec import plain_path, trec_source

# Without it, DuckDB casts Parquet files to the types of the first one, and so rounds decimals to integers.
MERGED = ", union_by_name = true"
OF_CSV = re.compile(r"CSV (Error|Parser)|Error when sniffing|Invalid Error.*CSV")


def open_source(
    con: duckdb.DuckDBPyConnection, paths: Sequence[str], wanted: Wanted, catalog: Catalog, stdin: str = STDIN
) -> Source:
    """Open the files as one table with the wanted columns.

    A path is a table of the catalog, or else a file. `stdin` is the file with the content of standard input.
    """
    path = paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
    tables = [catalog.find(con, part) for part in paths]
    try:
        if all(tables):
            rows = f"({' UNION ALL BY NAME '.join(f'FROM {table}' for table in tables)})"
            source = table_source(Reader(con, path, rows if tables[1:] else str(tables[0]), wanted))
        else:
            plain = [plain_path(part) if wanted.trec_fields else part for part in paths]
            wanted = wanted if plain == [*paths] else replace(wanted, form="trec")
            read = [(part, stdin if part == STDIN else file) for part, file in zip(paths, plain, strict=True)]
            files = [file for part, location in read for file in checked_files(con, catalog, part, location)]
            locations = [pattern(location) for _, location in read]
            source = file_source(con, path, locations, files, wanted)
        columns = ", ".join(source.columns.values())
        # Fetch a hash instead of values, since DuckDB 1.5 needs pytz to convert a TIMESTAMPTZ.
        first = con.execute(f"SELECT hash({columns}) FROM {source.rows} LIMIT 1").fetchall()
    except (duckdb.Error, ValueError) as error:
        if OF_CSV.search(str(error)) and not wanted.by_lines:
            return open_source(con, paths, replace(wanted, by_lines=True), catalog, stdin)
        if "Map keys must be unique" in str(error):
            raise DataError(f"{path}: {with_unit(KEYS)}") from None
        message = error_summary(error).removeprefix(f"{path}: ").replace(stdin, STDIN)
        raise DataError(f"{path}: {message}") from None
    if not first:
        raise DataError(f"{path}: no rows")
    return source


def checked_files(con: duckdb.DuckDBPyConnection, catalog: Catalog, path: str, location: str) -> list[str]:
    """Return the files at `location`, where `path` is read; DataError for no file, or a database."""
    files = list_files(con, location)
    if not files:
        raise catalog.missing_error(con, path)
    if os.path.isfile(location):
        if not os.path.getsize(location):
            raise DataError(f"{path}: no rows")
        if is_database(location):
            example = f"--database {path} rec truth"
            raise DataError(f"{path}: a database, not a table: name its tables, as in {example}")
    return files


def file_source(
    con: duckdb.DuckDBPyConnection, path: str, locations: Sequence[str], files: Sequence[str], wanted: Wanted
) -> Source:
    """Open all files at these locations (paths and patterns) as one table."""
    kinds = {extension(location) for location in locations}
    if len({"TREC" if kind in TREC else READERS.get(kind, "read_csv") for kind in kinds}) > 1:
        raise DataError(f"{path}: parts must be of one format, got {' and '.join(sorted(kinds)[:2])}")
    location = literal(locations[0]) if len(locations) == 1 else f"[{', '.join(map(literal, locations))}]"
    if wanted.form == "trec" or (wanted.form == "auto" and wanted.trec_fields and kinds <= {*TREC}):
        return trec_source(path, location, wanted.trec_fields)
    function = READERS.get(kinds.pop(), "read_csv")
    folders = {
        part.partition("=")[0].lower()
        for file in files
        for part in re.split(r"[/\\]", os.path.dirname(file))
        if "=" in part
    }
    if function == "read_parquet":
        names = wanted.columns
        texts = {names[role]: "VARCHAR" for role in TEXTS if names.get(role, "").lower() in folders}
        types = f", hive_types = {struct_literal(texts)}" if texts else ""
        if len(files) == 1 and not re.search(r"[*?[]", files[0]):
            return table_source(Reader(con, path, f"{function}({location}{types})", wanted))
        source = table_source(Reader(con, path, f"{function}({location}{types}{MERGED})", wanted))
        check_parts(con, location, source)
        return source
    as_text = ", hive_types_autocast = false" if folders else ""
    if function == "read_csv":
        return csv_source(con, path, f"{function}({location}{as_text}{QUOTED})", files, wanted)
    if wanted.trec_fields and (by_user := object_source(con, path, f"{function}({location}", wanted)):
        return by_user
    try:
        return table_source(Reader(con, path, f"{function}({location}{as_text})", wanted, function))
    except MissingColumnsError as error:
        return export_source(con, path, f"{function}({location}{as_text})", wanted, error)


def check_parts(con: duckdb.DuckDBPyConnection, location: str, source: Source) -> None:
    """Raise DataError for a Parquet file that lacks a column which is read and which other files have."""
    query = f"""WITH parts AS (
            SELECT file_name, list(name) AS names FROM parquet_schema({location}) GROUP BY file_name)
        SELECT file_name, unnest(list_filter(
            list_intersect(?, (SELECT flatten(list(names)) FROM parts)),
            lambda name: NOT list_contains(names, name)))
        FROM parts ORDER BY ALL LIMIT 1"""
    columns = [unquoted(column) for column in source.columns.values()]
    for file, name in con.execute(query, [columns]).fetchall():
        raise DataError(f"{file}: no column {name!r}; other parts have it")
