"""A file, or a table of a database: how DuckDB reads it, and which of its columns are what.

Every name that comes from outside (a path, a column, a model) enters a statement as a quoted literal or a
quoted identifier, never as SQL.
"""

import os
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

import duckdb

from ..duckdb.statements import identifier, literal
from .messages import DataError, one_line, shortened
from .session import is_database

READERS = {
    ".parquet": "read_parquet",
    ".json": "read_json",
    ".jsonl": "read_json",
    ".ndjson": "read_json",
}
COMPRESSIONS = (".gz", ".zst")
IN_FOLDERS = (*READERS, ".csv", ".tsv", ".txt")  # which of a folder's files are data
STDIN = "-"
IDS, NUMBERS, TEXTS = ("userid", "itemid"), ("score", "rel"), ("system", "segment")
RUN, QRELS = 6, 4  # the fields of a line: `topic Q0 doc rank score tag`, `topic 0 doc grade`


@dataclass(frozen=True)
class Source:
    """A file, all files of a pattern, a folder or a list, or a table of a database, as a table.

    path     as the user wrote it, or the first of them
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


def relations(con: duckdb.DuckDBPyConnection, database: str) -> dict[tuple[str, str], str]:
    """The tables and views of an attached database, by schema and name in lower case, as SQL calls them."""
    query = """
        SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = $1 AND NOT internal
        UNION ALL
        SELECT schema_name, view_name FROM duckdb_views() WHERE database_name = $1 AND NOT internal
        ORDER BY ALL
    """
    return {
        (schema.lower(), name.lower()): ".".join(map(identifier, (database, schema, name)))
        for schema, name in con.execute(query, [database]).fetchall()
    }


def relation(con: duckdb.DuckDBPyConnection, database: str, text: str) -> str | None:
    """The table or view that is named `name`, `schema.name` or `database.schema.name`, if there is one."""
    if not re.fullmatch(r'(?:"(?:[^"]|"")+"|[^".]+)(?:\.(?:"(?:[^"]|"")+"|[^".]+)){0,2}', text):
        return None
    parts = re.findall(r'"(?:[^"]|"")+"|[^".]+', text)
    parts = [part[1:-1].replace('""', '"') if part.startswith('"') else part for part in parts]
    there = relations(con, database)
    *outer, name = (part.lower() for part in parts)
    if outer[:1] == [database.lower()] and (len(outer) == 2 or (*outer, name) not in there):
        outer = outer[1:]
    return there.get((outer[0] if outer else "main", name)) if len(outer) < 2 else None


def no_relation(con: duckdb.DuckDBPyConnection, database: str, text: str) -> DataError:
    """What to say of a name that is neither a table nor a file."""
    names = {".".join(key if key[0] != "main" else key[1:]): key for key in relations(con, database)}
    called = text.lower()
    near = [name for name, (_, table) in names.items() if table in (called, called.rpartition(".")[2])]
    near = near or get_close_matches(called, names, 1)
    there = f"did you mean {near[0]}?" if near else f"there are: {', '.join(names) or 'none'}"
    return DataError(f"{text}: no such table or view, and no such file ({shortened(there)})")


def files_of(con: duckdb.DuckDBPyConnection, path: str) -> list[str]:
    """The files that a path, a folder or a pattern stands for; a URL is left to DuckDB."""
    if "://" in path or os.path.isfile(path) or (os.path.exists(path) and not os.path.isdir(path)):
        return [path]
    return [file for (file,) in con.execute("FROM glob(?)", [pattern(path)]).fetchall()]


def pattern(path: str) -> str:
    """The path as DuckDB's readers take it: of one that exists, no character is a wildcard."""
    if not os.path.exists(path):
        return path
    ending = f"/**/*{folder_ending(path)}" if os.path.isdir(path) else ""
    name = path.rstrip("/") if ending else path
    return "".join(f"[{character}]" if character in "*?[" else character for character in name) + ending


def folder_ending(path: str) -> str:
    """What the names of all data files of a folder end in; DataError if that is not one."""
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
    """The extension in lower case, without that of a compression."""
    stem, suffix = os.path.splitext(path.lower())
    return os.path.splitext(stem)[1] if suffix in COMPRESSIONS else suffix


def open_source(
    con: duckdb.DuckDBPyConnection,
    paths: Sequence[str],
    form: str,
    trec_fields: int,
    required: Mapping[str, str],
    optional: Mapping[str, str],
    database: str | None = None,
    stdin: str = STDIN,
) -> Source:
    """The files, as one table with these columns, each given by our name and the file's.

    `form` is "table", "trec" or "auto": a TREC file if it has the shape of one. A path is a table or view of
    the attached database, if there is one, and else a file; the file `stdin` holds what standard input held.
    """
    path = paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
    tables = [relation(con, database, one) if database else None for one in paths]
    try:
        if all(tables):
            rows = f"({' UNION ALL BY NAME '.join(f'FROM {one}' for one in tables)})"
            source = typed_source(con, path, rows if tables[1:] else str(tables[0]), required, optional)
        else:
            read = [(one, stdin if one == STDIN else one) for one in paths]
            files = [file for one, place in read for file in checked_files(con, database, one, place)]
            places = [pattern(place) for _, place in read]
            source = file_source(con, path, places, files, form, trec_fields, required, optional)
        columns = ", ".join(source.columns.values())
        first = con.execute(f"SELECT {columns} FROM {source.rows} LIMIT 1").fetchone()
    except (duckdb.Error, ValueError) as error:
        told = one_line(error).removeprefix(f"Invalid Input Error: {path}: ").replace(stdin, STDIN)
        raise DataError(f"{path}: {told}") from None
    if first is None:
        raise DataError(f"{path}: no rows")
    return source


def checked_files(con: duckdb.DuckDBPyConnection, database: str | None, path: str, place: str) -> list[str]:
    """The files of a path, which is read at `place`; DataError if there are none, or it is no table."""
    files = files_of(con, place)
    if not files:
        raise no_relation(con, database, path) if database else DataError(f"{path}: no such file")
    if os.path.isfile(place):
        if not os.path.getsize(place):
            raise DataError(f"{path}: no rows")
        if is_database(place):
            example = f"--database {path} rec truth"
            raise DataError(f"{path}: a database, not a table: name its tables, as in {example}")
    return files


def file_source(
    con: duckdb.DuckDBPyConnection,
    path: str,
    places: Sequence[str],
    files: Sequence[str],
    form: str,
    trec_fields: int,
    required: Mapping[str, str],
    optional: Mapping[str, str],
) -> Source:
    """All files of these places, which are paths and patterns, as one table."""
    kinds = {extension(place) for place in places}
    if len({READERS.get(kind, "read_csv") for kind in kinds}) > 1:
        raise DataError(f"{path}: parts must be of one format, got {' and '.join(sorted(kinds)[:2])}")
    place = literal(places[0]) if len(places) == 1 else f"[{', '.join(map(literal, places))}]"
    may_be_trec = form == "auto" and not kinds & {*READERS}
    if form == "trec" or (may_be_trec and is_trec(con, place, trec_fields)):
        return trec_source(path, place, trec_fields)
    function = READERS.get(kinds.pop(), "read_csv")
    folders = {part.partition("=")[0].lower() for file in files for part in folder_names(file) if "=" in part}
    if function == "read_parquet":
        names = {**optional, **required}
        texts = {names[ours]: "VARCHAR" for ours in TEXTS if names.get(ours, "").lower() in folders}
        types = f", hive_types = {struct(texts)}" if texts else ""
        return typed_source(con, path, f"{function}({place}{types})", required, optional)
    reader = f"{function}({place}" + (", hive_types_autocast = false" if folders else "")
    return text_source(con, path, function, reader, required, optional)


def folder_names(file: str) -> list[str]:
    return re.split(r"[/\\]", os.path.dirname(file))


def described(
    con: duckdb.DuckDBPyConnection,
    path: str,
    rows: str,
    required: Mapping[str, str],
    optional: Mapping[str, str],
) -> tuple[dict[str, str], dict[str, str], str]:
    """What our columns are called there, the type of each, and that of a whole row."""
    types = {name: kind for name, kind, *_ in con.execute(f"DESCRIBE FROM {rows}").fetchall()}
    by_name = {name.lower(): name for name in types}  # as in SQL, upper and lower case are the same
    names = {}
    for ours, column in {**optional, **required}.items():
        if column.lower() in by_name:
            names[ours] = by_name[column.lower()]
        elif ours in required:
            there = shortened(", ".join(types))
            raise DataError(f"{path}: no column {column!r} (there are: {there})")
    row = f"STRUCT({', '.join(f'{identifier(name)} {kind}' for name, kind in types.items())})"
    return names, {ours: types[name] for ours, name in names.items()}, row


def not_a_number(path: str, column: str, kind: str) -> DataError:
    return DataError(f"{path}: {column!r} must be a number, got {shortened(kind)}")


def typed_source(
    con: duckdb.DuckDBPyConnection,
    path: str,
    rows: str,
    required: Mapping[str, str],
    optional: Mapping[str, str],
) -> Source:
    """What has types of its own: a Parquet file, a table."""
    names, kinds, row = described(con, path, rows, required, optional)
    for ours in (name for name in NUMBERS if name in names):
        if not is_number(con, ours, kinds[ours]):
            raise not_a_number(path, names[ours], kinds[ours])
    columns = {ours: identifier(name) for ours, name in names.items()}
    ids = {ours: kind for ours, kind in kinds.items() if ours in IDS}
    return Source(path, rows, columns, ids, is_text=False, type=row)


def text_source(
    con: duckdb.DuckDBPyConnection,
    path: str,
    function: str,
    reader: str,
    required: Mapping[str, str],
    optional: Mapping[str, str],
) -> Source:
    """A CSV or JSON file, which `reader`, a call without its last bracket, reads."""
    names, kinds, row = described(con, path, f"{reader})", required, optional)
    numbers = [ours for ours in NUMBERS if ours in names and is_number(con, ours, kinds[ours])]
    for ours in (name for name in NUMBERS if name in names and name not in numbers):
        if function != "read_csv" and kinds[ours] not in ("JSON", '"NULL"'):
            raise not_a_number(path, names[ours], kinds[ours])
    columns = {ours: identifier(name) for ours, name in names.items()}
    ids = {ours: "BIGINT" if kinds[ours] == "BIGINT" else "VARCHAR" for ours in IDS if ours in kinds}
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


def lines_of(place: str) -> str:
    """What yields the lines of files, which are named in SQL."""
    return (
        f"read_csv({place}, columns = {{'line': 'VARCHAR'}}, auto_detect = false, "
        "header = false, delim = '', quote = '', escape = '')"
    )


def is_trec(con: duckdb.DuckDBPyConnection, place: str, fields: int) -> bool:
    """Whether the first lines have the shape of a TREC run or of qrels."""
    try:
        found = con.execute(f"SELECT line FROM {lines_of(place)} WHERE trim(line) <> '' LIMIT 10").fetchall()
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


def trec_source(path: str, place: str, fields: int) -> Source:
    """A TREC run (system, topic, document, score) or qrels (topic, document, grade) as a table."""
    shape = "topic Q0 doc rank score tag" if fields == RUN else "topic 0 doc grade"
    message = literal(f"{path}: a line is not of the shape `{shape}`: ")
    rows = (
        f"(SELECT CASE WHEN len(words) = {fields} THEN words ELSE error({message} || line) END AS words\n"
        "FROM (SELECT line, regexp_split_to_array(trim(line, e' \\t\\r'), '\\s+') AS words\n"
        f"FROM {lines_of(place)} WHERE trim(line, e' \\t\\r') <> ''))"
    )
    columns = {"userid": "words[1]", "itemid": "words[3]"}
    if fields == RUN:
        columns |= {"system": "words[6]", "score": "CAST(words[5] AS DOUBLE)"}
    else:
        columns["rel"] = "CAST(words[4] AS DOUBLE)"
    return Source(path, rows, columns, {"userid": "VARCHAR", "itemid": "VARCHAR"}, is_trec=True)
