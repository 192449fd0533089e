"""A file, or a table of a database: the SQL that reads it, and the roles of its columns.

Every name that comes from outside (a path, a column, a model) enters a statement as a quoted literal or a
quoted identifier, never as SQL.
"""

import os
import re
import shlex
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import duckdb

from ..duckdb.internal import COLUMN_TEXTS, IS_NUMBER, NEAREST_COLUMN
from ..duckdb.statements import identifier, literal
from ..evaluation.errors import DataError, error_summary
from ..evaluation.options import ARGUMENTS
from ..texts import nearest, shorten
from .catalogs import Catalog, is_database

READERS = {
    ".parquet": "read_parquet",
    ".json": "read_json",
    ".jsonl": "read_json",
    ".ndjson": "read_json",
}
TREC = (".run", ".qrels", ".trec")
COMPRESSIONS = (".gz", ".zst")
IN_FOLDERS = (*READERS, ".csv", ".tsv", ".txt")  # which of a folder's files are data
STDIN = "-"
IDS, NUMBERS, TEXTS = ("userid", "itemid"), ("score", "rel"), ("system", "segment")
RUN, QRELS = 6, 4  # the fields of a line: `topic Q0 doc rank score tag`, `topic 0 doc grade`


@dataclass(frozen=True)
class Source:
    """The files of a path, pattern, folder or list, or a table of a database, as one table."""

    path: str  # the path as the user wrote it, or the first of them
    rows: str  # the SQL behind FROM that yields its rows
    # the SQL of each column by role: userid, itemid, score, rel, system, segment, time
    columns: Mapping[str, str]
    ids: Mapping[str, str]  # the types to give to userid and itemid, as far as it has them
    is_text: bool = True  # whether ids are read as text, and cast to that type
    is_trec: bool = False  # whether `system` is but the tag of a TREC run
    is_negated: bool = False  # whether `score` has the opposite sign of what the file has
    type: str = ""  # the type of a row, as typeof writes it; "" for a TREC file

    def select(self, names: Iterable[str]) -> str:
        """Return the query for the columns of these roles."""
        columns = ",\n".join(f"    {self.typed_column(name)} AS {name}" for name in names)
        return f"SELECT\n{columns}\nFROM {self.rows}"

    def typed_column(self, name: str) -> str:
        """Return the SQL of a column; an error for an id that is not written as its type is."""
        column, kind = self.columns[name], self.ids.get(name, "VARCHAR")
        if kind == "VARCHAR" or not self.is_text:
            return column
        value = f"TRY_CAST({column} AS {kind})"
        return (
            f"CASE WHEN {column} = {value}::VARCHAR THEN {value}\n"
            f"        WHEN {column} IS NOT NULL THEN error({literal(self.id_error(name))} || {column}) END"
        )

    def id_error(self, name: str) -> str:
        """Return the error for an id that is not written as its type is, up to the id."""
        return f"{self.path}: {name} must be written as {self.ids[name]}, got "

    def with_type(self, name: str, kind: str) -> "Source":
        return replace(self, ids={**self.ids, name: kind})


@dataclass(frozen=True)
class Wanted:
    """The columns to read of a table, by role, and the kind of its files."""

    required: Mapping[str, str]  # the columns that must be there
    optional: Mapping[str, str] = field(default_factory=dict)  # those that may be
    form: str = "table"  # "table", "trec" or "auto": a TREC file if its name says so
    trec_fields: int = 0  # the number of fields of its lines if it is one
    is_command: bool = True  # whether errors name options of the command, and not arguments of Python

    @property
    def columns(self) -> dict[str, str]:
        """All columns by role."""
        return {**self.optional, **self.required}


def option(role: str, is_command: bool) -> str:
    """Return what names the column of this role: `--user`, or `user_col`."""
    argument = ARGUMENTS[role]
    return f"--{argument.removesuffix('_col')}" if is_command else argument


def written(role: str, column: str, is_command: bool) -> str:
    """Return the option or argument of a role with the name of a column, as a user writes it."""
    name = option(role, is_command)
    return f"{name} {shlex.quote(column)}" if is_command else f"{name}={column!r}"


def list_files(con: duckdb.DuckDBPyConnection, path: str) -> list[str]:
    """List the files of a path, a folder or a pattern; a URL is left to DuckDB."""
    if "://" in path or os.path.isfile(path) or (os.path.exists(path) and not os.path.isdir(path)):
        return [path]
    return [file for (file,) in con.execute("FROM glob(?)", [pattern(path)]).fetchall()]


def pattern(path: str) -> str:
    """Return the path as DuckDB's readers take it; of one that exists, no character is a wildcard."""
    if not os.path.exists(path):
        return path
    ending = f"/**/*{folder_ending(path)}" if os.path.isdir(path) else ""
    name = path.rstrip("/") if ending else path
    name = f"./{name}" if name.startswith("~") else name  # else DuckDB looks in the user's home
    return "".join(f"[{character}]" if character in "*?[" else character for character in name) + ending


def folder_ending(path: str) -> str:
    """Return the ending that all data files of a folder share; raise DataError if there are several."""
    found = set()
    inside = f"{path.rstrip('/')}/"
    for folder, _, names in os.walk(path):
        for name in sorted(names):
            file = os.path.relpath(os.path.join(folder, name), path)
            if "_delta_log" in file.split(os.sep):
                rule = "of which not every file counts: DuckDB's delta_scan reads it"
                raise DataError(f"{path}: a Delta table, {rule}")
            if extension(name) in IN_FOLDERS:
                stem, ending = os.path.splitext(name)
                ending = os.path.splitext(stem)[1] + ending if ending.lower() in COMPRESSIONS else ending
                if any(part.startswith(("_", ".")) for part in file.split(os.sep)):
                    rule = f"is hidden or not finished: name the files, as in '{inside}*{ending}'"
                    raise DataError(f"{path}: {file} {rule}")
                found.add(ending)
    if not found:
        raise DataError(f"{path}: a directory without files that end in {', '.join(IN_FOLDERS)}")
    if len(found) > 1:
        endings = sorted(found)
        rule = f"say which, as in '{inside}**/*{endings[0]}'"
        raise DataError(f"{path}: files of several formats ({', '.join(endings)}): {rule}")
    return found.pop()


def extension(path: str) -> str:
    """Return the extension in lower case, without that of a compression."""
    stem, suffix = os.path.splitext(path.lower())
    return os.path.splitext(stem)[1] if suffix in COMPRESSIONS else suffix


def open_source(
    con: duckdb.DuckDBPyConnection, paths: Sequence[str], wanted: Wanted, catalog: Catalog, stdin: str = STDIN
) -> Source:
    """Open the files as one table with the columns that are wanted.

    A path is what the catalog finds under it, and else a file; `stdin` holds what standard input held.
    """
    path = paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
    tables = [catalog.find(con, one) for one in paths]
    try:
        if all(tables):
            rows = f"({' UNION ALL BY NAME '.join(f'FROM {one}' for one in tables)})"
            source = table_source(con, path, rows if tables[1:] else str(tables[0]), wanted)
        else:
            read = [(one, stdin if one == STDIN else one) for one in paths]
            files = [file for one, location in read for file in checked_files(con, catalog, one, location)]
            locations = [pattern(location) for _, location in read]
            source = file_source(con, path, locations, files, wanted)
        columns = ", ".join(source.columns.values())
        # Hashed, so that no value becomes an object, which of a TIMESTAMPTZ wants pytz on DuckDB 1.5.
        first = con.execute(f"SELECT hash({columns}) FROM {source.rows} LIMIT 1").fetchone()
    except (duckdb.Error, ValueError) as error:
        message = error_summary(error).removeprefix(f"Invalid Input Error: {path}: ").replace(stdin, STDIN)
        raise DataError(f"{path}: {message}") from None
    if first is None:
        raise DataError(f"{path}: no rows")
    return source


def checked_files(con: duckdb.DuckDBPyConnection, catalog: Catalog, path: str, location: str) -> list[str]:
    """Return the files of a path that is read at `location`; DataError without any, or if it is no table."""
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
    """Open all files of these locations, which are paths and patterns, as one table."""
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
        return table_source(con, path, f"{function}({location}{types})", wanted)
    as_text = ", hive_types_autocast = false" if folders else ""
    return table_source(con, path, f"{function}({location}{as_text})", wanted, function)


def describe_columns(
    con: duckdb.DuckDBPyConnection, path: str, rows: str, wanted: Wanted
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the names of the columns by role, and the types of all columns by name.

    Raises:
        DataError: columns are missing, with the options or arguments that name those likely meant.
    """
    types = {name: kind for name, kind, *_ in con.execute(f"DESCRIBE FROM {rows}").fetchall()}
    by_name = {name.lower(): name for name in types}  # as in SQL, upper and lower case are the same
    names = {role: by_name[name.lower()] for role, name in wanted.columns.items() if name.lower() in by_name}
    if missing := {role: name for role, name in wanted.required.items() if role not in names}:
        row = f"STRUCT({', '.join(f'{identifier(name)} {kind}' for name, kind in types.items())})"
        query = f"SELECT coalesce({NEAREST_COLUMN}({COLUMN_TEXTS}(?), ?), '')"
        near = {role: nearest(name, types) for role, name in missing.items()}
        for role in [role for role, column in near.items() if missing[role] == role and not column]:
            ((near[role],),) = con.execute(query, [row, ARGUMENTS.get(role)]).fetchall()
        # The column of segments is named beside its file.
        texts = [written(role, near[role] or "...", wanted.is_command) for role in near if role in ARGUMENTS]
        if re.match("rank|pos|place", near.get("score", ""), re.IGNORECASE):
            texts.append("--ascending" if wanted.is_command else "descending=False")
        columns = " and ".join(f"no column {name!r}" for name in missing.values())
        advice = f"; write {', '.join(texts)}" if texts else ""
        raise DataError(f"{path}: {columns} (there are: {shorten(', '.join(types))}){advice}")
    return names, types


def table_source(
    con: duckdb.DuckDBPyConnection, path: str, rows: str, wanted: Wanted, function: str = ""
) -> Source:
    """Open what this SQL reads, of a text file by `function`; DataError if a score or grade is no number.

    A CSV or JSON file has no types of its own: ids are read as they are written, and numbers as DOUBLE.
    """
    names, types = describe_columns(con, path, rows, wanted)
    kinds, numbers = {role: types[name] for role, name in names.items()}, []
    for role in (one for one in NUMBERS if one in names):
        ((is_number,),) = con.execute(f"SELECT {IS_NUMBER}(?)", [kinds[role]]).fetchall()
        if is_number or (role == "rel" and kinds[role] == "BOOLEAN"):
            numbers.append(role)
        elif not function or (function == "read_json" and kinds[role] not in ("JSON", '"NULL"')):
            raise DataError(f"{path}: {names[role]!r} must be a number, got {shorten(kinds[role])}")
    ids = {role: kind for role, kind in kinds.items() if role in IDS}
    if function:
        ids = {role: "BIGINT" if kind == "BIGINT" else "VARCHAR" for role, kind in ids.items()}
        reader = rows.removesuffix(")")
        is_csv = function == "read_csv"
        rows = csv_rows(reader, names, kinds, numbers) if is_csv else json_rows(path, reader, names, kinds)
    columns = {role: identifier(name) for role, name in names.items()}
    row = f"STRUCT({', '.join(f'{identifier(name)} {kind}' for name, kind in types.items())})"
    return Source(path, rows, columns, ids, is_text=bool(function), type=row)


def csv_rows(reader: str, names: Mapping[str, str], kinds: Mapping[str, str], numbers: Container[str]) -> str:
    """Return the rows of a CSV file, with types for all columns but those that have them."""
    typed = {role for role, kind in kinds.items() if kind == "VARCHAR" and role not in NUMBERS} | {"time"}
    types = {
        name: "DOUBLE" if role in NUMBERS else "VARCHAR"  # DuckDB's error names the line without a number
        for role, name in names.items()
        if role not in typed and role not in numbers
    }
    return f"{reader}, types = {struct_literal(types)})" if types else f"{reader})"


def json_rows(path: str, reader: str, names: Mapping[str, str], kinds: Mapping[str, str]) -> str:
    """Return the rows of a JSON file, with numbers as DOUBLE: DuckDB would round later ones to integers.

    An id that is a number with a point or an exponent is refused, since DuckDB reads 1.10 as 1.1. A number
    begins with a digit or a sign, which ASCII has before the colon, and is no text in quotes.
    """
    types = {names[role]: "DOUBLE" if role in NUMBERS else "VARCHAR" for role in kinds}
    types |= {names["time"]: kinds["time"]} if "time" in kinds else {}
    ids = []
    for role in (name for name in IDS if kinds.get(name, "VARCHAR") != "VARCHAR"):
        types[names[role]] = "JSON"
        column = identifier(names[role])
        written = f"{column}::VARCHAR"
        refused = f"{written} < ':' AND (contains({written}, '.') OR contains({written}, 'e'))"
        message = f"{path}: {role} must be text or an integer, got the number "
        ids.append(
            f"CASE WHEN starts_with({written}, '\"') THEN {column} ->> '$'\n"
            f"        WHEN {refused} THEN error({literal(message)} || {written})\n"
            f"        ELSE {written} END AS {column}"
        )
    rows = f"{reader}, columns = {struct_literal(types)})"
    replaced = ",\n    ".join(ids)
    return f"(SELECT * REPLACE (\n    {replaced})\nFROM {rows})" if ids else rows


def struct_literal(types: Mapping[str, str]) -> str:
    return f"{{{', '.join(f'{literal(name)}: {literal(kind)}' for name, kind in types.items())}}}"


def trec_source(path: str, location: str, fields: int) -> Source:
    """Open a TREC run (system, topic, document, score) or qrels (topic, document, grade) as a table."""
    shape = "topic Q0 doc rank score tag" if fields == RUN else "topic 0 doc grade"
    message = literal(f"{path}: a line is not of the shape `{shape}`: ")
    read_lines = (
        f"read_csv({location}, columns = {{'line': 'VARCHAR'}}, auto_detect = false, "
        "header = false, delim = '', quote = '', escape = '')"
    )
    rows = (
        f"(SELECT CASE WHEN len(words) = {fields} THEN words ELSE error({message} || line) END AS words\n"
        "FROM (SELECT line, regexp_split_to_array(trim(line, e' \\t\\r'), '\\s+') AS words\n"
        f"FROM {read_lines} WHERE trim(line, e' \\t\\r') <> ''))"
    )
    columns = {"userid": "words[1]", "itemid": "words[3]"}
    if fields == RUN:
        columns |= {"system": "words[6]", "score": "CAST(words[5] AS DOUBLE)", "rank": "words[4]"}
    else:
        columns["rel"] = "CAST(words[4] AS DOUBLE)"
    return Source(path, rows, columns, {"userid": "VARCHAR", "itemid": "VARCHAR"}, is_trec=True)
