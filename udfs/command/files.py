"""A file as a table: how DuckDB reads it, and which of its columns are what.

Every name that comes from outside (a path, a column, a model) enters a statement as a quoted literal or a
quoted identifier, never as SQL.
"""

import os
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace

import duckdb

from ..duckdb.statements import identifier, literal
from .messages import DataError, one_line, shortened

READERS = {
    ".parquet": "read_parquet",
    ".json": "read_json",
    ".jsonl": "read_json",
    ".ndjson": "read_json",
}
COMPRESSIONS = (".gz", ".zst")
IDS, NUMBERS = ("userid", "itemid"), ("score", "rel")  # the other two are text
RUN, QRELS = 6, 4  # the fields of a line: `topic Q0 doc rank score tag`, `topic 0 doc grade`


@dataclass(frozen=True)
class Source:
    """A file, or all files of a pattern, as a table.

    path     as the user wrote it
    rows     what yields its rows, as it stands behind FROM
    columns  each of our column names: the SQL that yields it
    ids      userid and itemid, as far as it has them: the type that they shall have
    is_text  whether ids are read as text, and cast to that type
    is_trec  whether `system` is but a tag
    type     what all of its columns are, as typeof gives a row's; "" for a TREC file
    """

    path: str
    rows: str
    columns: Mapping[str, str]
    ids: Mapping[str, str]
    is_text: bool = True
    is_trec: bool = False
    type: str = ""

    def select(self, names: Iterable[str]) -> str:
        """The query for these of our columns."""
        columns = ",\n".join(f"    {self.typed(name)} AS {name}" for name in names)
        return f"SELECT\n{columns}\nFROM {self.rows}"

    def typed(self, name: str) -> str:
        """The SQL that yields this column; an error for an id that is not written as its type is."""
        column, kind = self.columns[name], self.ids.get(name, "VARCHAR")
        if kind == "VARCHAR" or not self.is_text:
            return column
        value = f"TRY_CAST({column} AS {kind})"
        return (
            f"CASE WHEN {column} = {value}::VARCHAR THEN {value}\n"
            f"        WHEN {column} IS NOT NULL THEN error({literal(self.complaint(name))} || {column}) END"
        )

    def complaint(self, name: str) -> str:
        """What is said of an id that is not written as its type is, in front of the id."""
        return f"{self.path}: {name} must be written as {self.ids[name]}, got "

    def with_id(self, name: str, kind: str) -> "Source":
        """The same with this type of an id."""
        return replace(self, ids={**self.ids, name: kind})


def family(con: duckdb.DuckDBPyConnection, kind: str) -> str:
    """What ids of this type may be compared with."""
    ((found,),) = con.execute("SELECT _ranking_family(?)", [kind]).fetchall()
    return str(found)


def files_of(con: duckdb.DuckDBPyConnection, path: str) -> list[str]:
    """The files that a path or a pattern stands for; a URL is left to DuckDB."""
    if "://" in path or os.path.exists(path):
        return [path]
    return [file for (file,) in con.execute("FROM glob(?)", [path]).fetchall()]


def pattern(path: str) -> str:
    """The path as DuckDB's readers take it: of a file that exists, no character is a wildcard."""
    if not os.path.exists(path):
        return path
    return "".join(f"[{character}]" if character in "*?[" else character for character in path)


def extension(path: str) -> str:
    """The extension in lower case, without that of a compression."""
    stem, suffix = os.path.splitext(path.lower())
    return os.path.splitext(stem)[1] if suffix in COMPRESSIONS else suffix


def open_source(
    con: duckdb.DuckDBPyConnection,
    path: str,
    form: str,
    trec_fields: int,
    required: Mapping[str, str],
    optional: Mapping[str, str],
) -> Source:
    """The file as a table with these columns, each given by our name and the file's.

    `form` is "table", "trec" or "auto": a TREC file if it has the shape of one.
    """
    files = files_of(con, path)
    if not files:
        raise DataError(f"{path}: no such file")
    if os.path.isdir(path):
        raise DataError(
            f"{path}: a directory, not a file (for all files in it: {os.path.join(path, '*.csv')})"
        )
    if os.path.isfile(path) and not os.path.getsize(path):
        raise DataError(f"{path}: no rows")
    try:
        may_be_trec = form == "auto" and extension(path) not in READERS
        if form == "trec" or (may_be_trec and is_trec(con, path, trec_fields)):
            source = trec_source(path, trec_fields)
        else:
            is_by_folder = any("=" in os.path.dirname(file) for file in files)
            source = table_source(con, path, is_by_folder, required, optional)
        columns = ", ".join(source.columns.values())
        first = con.execute(f"SELECT {columns} FROM {source.rows} LIMIT 1").fetchone()
    except (duckdb.Error, ValueError) as error:
        told = one_line(error).removeprefix(f"Invalid Input Error: {path}: ")
        raise DataError(f"{path}: {told}") from None
    if first is None:
        raise DataError(f"{path}: no rows")
    return source


def table_source(
    con: duckdb.DuckDBPyConnection,
    path: str,
    is_by_folder: bool,
    required: Mapping[str, str],
    optional: Mapping[str, str],
) -> Source:
    """A file with names of columns; some may be those of folders, as in `system=a/rec.csv`."""
    function = READERS.get(extension(path), "read_csv")
    is_text = function != "read_parquet"
    reader = f"{function}({literal(pattern(path))}"
    reader += ", hive_types_autocast = false" if is_text and is_by_folder else ""
    found = con.execute(f"DESCRIBE FROM {reader})").fetchall()
    described = {name: kind for name, kind, *_ in found}
    by_name = {name.lower(): name for name in described}  # as in SQL, upper and lower case are the same
    names = {}
    for ours, column in {**optional, **required}.items():
        if column.lower() in by_name:
            names[ours] = by_name[column.lower()]
        elif ours in required:
            there = shortened(", ".join(described))
            raise DataError(f"{path}: no column {column!r} (there are: {there})")
    kinds = {ours: described[name] for ours, name in names.items()}
    numbers = [ours for ours in NUMBERS if ours in names and is_number(con, ours, kinds[ours])]
    for ours in (name for name in NUMBERS if name in names):
        may_hold_numbers = function == "read_csv" or (is_text and kinds[ours] in ("JSON", '"NULL"'))
        if not (ours in numbers or may_hold_numbers):
            raise DataError(f"{path}: {names[ours]!r} must be a number, got {shortened(kinds[ours])}")

    columns = {ours: identifier(name) for ours, name in names.items()}
    ids = {ours: kind for ours, kind in kinds.items() if ours in IDS}
    row = f"STRUCT({', '.join(f'{identifier(name)} {kind}' for name, kind in described.items())})"
    if not is_text:
        return Source(path, f"{reader})", columns, ids, is_text=False, type=row)
    ids = {ours: "BIGINT" if kind == "BIGINT" else "VARCHAR" for ours, kind in ids.items()}
    if function == "read_csv":
        texts = [ours for ours, kind in kinds.items() if kind == "VARCHAR" and ours not in NUMBERS]
        return Source(path, csv_rows(reader, names, [*numbers, *texts]), columns, ids, type=row)
    return Source(path, json_rows(path, reader, names, kinds), columns, ids, type=row)


def is_number(con: duckdb.DuckDBPyConnection, ours: str, kind: str) -> bool:
    """Whether values of this type are scores or grades, as they are."""
    ((found,),) = con.execute("SELECT _ranking_is_number(?)", [kind]).fetchall()
    return bool(found) or (ours == "rel" and kind == "BOOLEAN")


def csv_rows(reader: str, names: Mapping[str, str], typed: Container[str]) -> str:
    """The rows of a CSV file, with all columns but these, whose types will do, read anew."""
    types = {
        name: "DOUBLE" if ours in NUMBERS else "VARCHAR"  # which names the line that is no number
        for ours, name in names.items()
        if ours not in typed
    }
    return f"{reader}, types = {struct(types)})" if types else f"{reader})"


def json_rows(path: str, reader: str, names: Mapping[str, str], kinds: Mapping[str, str]) -> str:
    """The rows of a JSON file, with numbers as DOUBLE: as integers, DuckDB would round what comes later.

    An id that is a number with a point or an exponent is refused, since DuckDB reads 1.10 as 1.1. Numbers are
    what begins before the colon in ASCII, as digits and signs do, and is no text in quotes.
    """
    types = {names[ours]: "DOUBLE" if ours in NUMBERS else "VARCHAR" for ours in kinds}
    ids = []
    for ours in (name for name in IDS if kinds.get(name, "VARCHAR") != "VARCHAR"):
        types[names[ours]] = "JSON"
        column = identifier(names[ours])
        written = f"{column}::VARCHAR"
        refused = f"{written} < ':' AND (contains({written}, '.') OR contains({written}, 'e'))"
        message = f"{path}: {ours} must be text or an integer, got the number "
        ids.append(
            f"CASE WHEN starts_with({written}, '\"') THEN {column} ->> '$'\n"
            f"        WHEN {refused} THEN error({literal(message)} || {written})\n"
            f"        ELSE {written} END AS {column}"
        )
    rows = f"{reader}, columns = {struct(types)})"
    replaced = ",\n    ".join(ids)
    return f"(SELECT * REPLACE (\n    {replaced})\nFROM {rows})" if ids else rows


def struct(types: Mapping[str, str]) -> str:
    return f"{{{', '.join(f'{literal(name)}: {literal(kind)}' for name, kind in types.items())}}}"


def lines_of(path: str) -> str:
    """What yields a file's lines."""
    return (
        f"read_csv({literal(pattern(path))}, columns = {{'line': 'VARCHAR'}}, auto_detect = false, "
        "header = false, delim = '', quote = '', escape = '')"
    )


def is_trec(con: duckdb.DuckDBPyConnection, path: str, fields: int) -> bool:
    """Whether the first lines have the shape of a TREC run or of qrels."""
    try:
        found = con.execute(f"SELECT line FROM {lines_of(path)} WHERE trim(line) <> '' LIMIT 10").fetchall()
    except duckdb.Error:
        return False
    lines = [line.split() for (line,) in found]
    return bool(lines) and all(
        len(line) == fields and is_float(line[3]) and (fields == QRELS or is_float(line[4])) for line in lines
    )


def is_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def trec_source(path: str, fields: int) -> Source:
    """A TREC run (system, topic, document, score) or qrels (topic, document, grade) as a table."""
    shape = "topic Q0 doc rank score tag" if fields == RUN else "topic 0 doc grade"
    message = literal(f"{path}: a line is not of the shape `{shape}`: ")
    rows = (
        f"(SELECT CASE WHEN len(words) = {fields} THEN words ELSE error({message} || line) END AS words\n"
        "FROM (SELECT line, regexp_split_to_array(trim(line, e' \\t\\r'), '\\s+') AS words\n"
        f"FROM {lines_of(path)} WHERE trim(line, e' \\t\\r') <> ''))"
    )
    columns = {"userid": "words[1]", "itemid": "words[3]"}
    if fields == RUN:
        columns |= {"system": "words[6]", "score": "CAST(words[5] AS DOUBLE)"}
    else:
        columns["rel"] = "CAST(words[4] AS DOUBLE)"
    return Source(path, rows, columns, {"userid": "VARCHAR", "itemid": "VARCHAR"}, is_trec=True)
