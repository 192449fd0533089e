"""Files as tables: how DuckDB reads them, and which of their columns are what.

Every name that comes from outside (a path, a column, a model) enters a statement as a quoted literal or a
quoted identifier, never as SQL.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import duckdb

from ..duckdb.statements import identifier, literal

READERS = {
    ".parquet": "read_parquet",
    ".json": "read_json",
    ".jsonl": "read_json",
    ".ndjson": "read_json",
}
COMPRESSIONS = (".gz", ".zst")
INTEGERS = {
    sign + kind for sign in ("", "U") for kind in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
}
# Where the part of an error begins that is of no use on one line.
DETAILS = ("The search space used was", "Candidate functions", "LINE ", "At:", "Possible solutions")
RUN, QRELS = 6, 4  # the fields of a line: `topic Q0 doc rank score tag`, `topic 0 doc grade`


class DataError(Exception):
    """What is wrong with the data, in one line."""


def one_line(error: Exception) -> str:
    """What the error says, without the hints, the quoted SQL and the traceback that may follow."""
    text = str(error)
    lines = [line.strip() for line in text.partition("\n\n")[0].splitlines() if line.strip()]
    lines = lines[: next((i for i, line in enumerate(lines) if line.startswith(DETAILS)), None)]
    lines += [line.strip() for line in text.splitlines() if line.startswith("  file = ")]
    message = "; ".join(lines)
    function_error = message.partition(" while executing the UDF: ")[2]
    return function_error.partition(": ")[2] or message or type(error).__name__


@dataclass(frozen=True)
class Source:
    """A file, or all files of a pattern, as a table.

    path       as the user wrote it
    reader     what yields its rows, up to the closing bracket
    columns    each of our column names: the SQL that yields it
    kinds      each of our column names: its SQL type
    names      each of our column names: what the file calls it; none for a TREC file
    types      of a CSV file, the file's column names: the types to read them as
    """

    path: str
    reader: str
    columns: Mapping[str, str]
    kinds: Mapping[str, str]
    names: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_csv(self) -> bool:
        """Whether its types are DuckDB's guess, and may be had otherwise."""
        return bool(self.names) and self.reader.startswith("read_csv")

    @property
    def is_text(self) -> bool:
        """Whether reading it a second time means parsing it a second time."""
        return not self.reader.startswith("read_parquet")

    def select(self, columns: Mapping[str, str]) -> str:
        """The query for these columns, each given as our name and the SQL that yields it."""
        types = ", ".join(f"{literal(name)}: {literal(kind)}" for name, kind in self.types.items())
        table = f"{self.reader}, types = {{{types}}})" if types else f"{self.reader})"
        return f"SELECT {', '.join(f'{sql} AS {name}' for name, sql in columns.items())}\nFROM {table}"

    def read_as(self, name: str, kind: str) -> "Source":
        """The same CSV file with this column read as this type."""
        return replace(self, kinds={**self.kinds, name: kind}, types={**self.types, self.names[name]: kind})


def exists(con: duckdb.DuckDBPyConnection, path: str) -> bool:
    """Whether there is such a file, or a file that the pattern matches; a URL is left to DuckDB."""
    return (
        "://" in path or os.path.exists(path) or bool(con.execute("FROM glob(?) LIMIT 1", [path]).fetchone())
    )


def pattern(path: str) -> str:
    """The path as DuckDB's readers take it: of a file that exists, no character is a wildcard."""
    if not os.path.exists(path):
        return path
    return "".join(f"[{character}]" if character in "*?[" else character for character in path)


def extension(path: str) -> str:
    """The extension in lower case, without that of a compression."""
    stem, suffix = os.path.splitext(path.lower())
    return os.path.splitext(stem)[1] if suffix in COMPRESSIONS else suffix


def lines_of(path: str) -> str:
    """The table function for a file's lines, up to the closing bracket."""
    return (
        f"read_csv({literal(pattern(path))}, columns = {{'line': 'VARCHAR'}}, auto_detect = false, "
        "header = false, delim = '', quote = '', escape = ''"
    )


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
    if not exists(con, path):
        raise DataError(f"{path}: no such file")
    if os.path.isdir(path):
        raise DataError(
            f"{path}: a directory, not a file (for all files in it: {os.path.join(path, '*.csv')})"
        )
    if os.path.isfile(path) and not os.path.getsize(path):
        raise DataError(f"{path}: no rows")
    try:
        function = READERS.get(extension(path))
        if form == "trec" or (form == "auto" and not function and is_trec(con, path, trec_fields)):
            return trec_source(path, trec_fields)
        reader = f"{function or 'read_csv'}({literal(pattern(path))}"
        found = con.execute(f"DESCRIBE FROM {reader})").fetchall()
    except (duckdb.Error, ValueError) as error:
        raise DataError(f"{path}: {one_line(error)}") from None
    described = {name: kind for name, kind, *_ in found}
    wanted = {**required, **{name: optional[name] for name in optional if name not in required}}
    names = {name: match(column, described) for name, column in wanted.items()}
    for name, column in required.items():
        if names[name] is None:
            raise DataError(f"{path}: no column {column!r} (there are: {', '.join(described)})")
    known = {name: column for name, column in names.items() if column is not None}
    return Source(
        path,
        reader,
        columns={name: identifier(column) for name, column in known.items()},
        kinds={name: described[column] for name, column in known.items()},
        names=known,
    )


def check_rows(con: duckdb.DuckDBPyConnection, source: Source) -> None:
    """DataError if the table has no rows, or none that can be read."""
    try:
        row = con.execute(f"{source.select(source.columns)} LIMIT 1").fetchone()
    except duckdb.Error as error:
        raise DataError(f"{source.path}: {one_line(error)}") from None
    if row is None:
        raise DataError(f"{source.path}: no rows")


def match(column: str, columns: Iterable[str]) -> str | None:
    """The column of this name; as in SQL, upper and lower case are the same."""
    by_name = {name.lower(): name for name in columns}
    return by_name.get(column.lower())


def is_trec(con: duckdb.DuckDBPyConnection, path: str, fields: int) -> bool:
    """Whether the first lines have the shape of a TREC run or of qrels."""
    try:
        found = con.execute(f"SELECT line FROM {lines_of(path)}) WHERE trim(line) <> '' LIMIT 10").fetchall()
    except duckdb.Error:
        return False
    lines = [line.split() for (line,) in found]
    return bool(lines) and all(
        len(line) == fields and is_number(line[3]) and (fields == QRELS or is_number(line[4]))
        for line in lines
    )


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def trec_source(path: str, fields: int) -> Source:
    """A TREC run (system, topic, document, score) or qrels (topic, document, grade) as a table."""
    shape = "topic Q0 doc rank score tag" if fields == RUN else "topic 0 doc grade"
    message = literal(f"{path}: a line is not of the shape `{shape}`: ")
    reader = (
        f"(SELECT CASE WHEN len(words) = {fields} THEN words ELSE error({message} || line) END AS words\n"
        "FROM (SELECT line, regexp_split_to_array(trim(line, e' \\t\\r'), '\\s+') AS words\n"
        f"FROM {lines_of(path)}) WHERE trim(line, e' \\t\\r') <> '')"
    )
    columns = {"userid": "words[1]", "itemid": "words[3]"}
    if fields == RUN:
        return Source(
            path,
            reader,
            columns={"system": "words[6]", **columns, "score": "CAST(words[5] AS DOUBLE)"},
            kinds={"system": "VARCHAR", "userid": "VARCHAR", "itemid": "VARCHAR", "score": "DOUBLE"},
        )
    return Source(
        path,
        reader,
        columns={**columns, "rel": "CAST(words[4] AS DOUBLE)"},
        kinds={"userid": "VARCHAR", "itemid": "VARCHAR", "rel": "DOUBLE"},
    )


def with_numbers(source: Source) -> Source:
    """The source with its score or grade as a number, or an error."""
    for name in ("score", "rel"):
        kind = source.kinds.get(name, "DOUBLE")
        if kind in INTEGERS or kind in ("FLOAT", "DOUBLE", "BIGNUM") or kind.startswith("DECIMAL"):
            continue
        if source.is_csv:
            source = source.read_as(name, "DOUBLE")  # names the line that is wrong, and takes empty ones
        else:
            raise DataError(f"{source.path}: {source.names[name]!r} must be a number, got {kind}")
    return source


def with_equal_ids(sources: list[Source]) -> list[Source]:
    """The sources with ids that can be compared, or an error.

    A CSV file has no types: where an id is text elsewhere, it is text here too, whatever it looks like.
    """
    for name in ("userid", "itemid"):
        if any(source.kinds.get(name) == "VARCHAR" for source in sources):
            sources = [
                source.read_as(name, "VARCHAR")
                if source.is_csv and source.kinds.get(name, "VARCHAR") != "VARCHAR"
                else source
                for source in sources
            ]
        kinds = {
            "an integer" if kind in INTEGERS else kind: (source.path, kind)
            for source in sources
            if (kind := source.kinds.get(name))
        }
        if len(kinds) > 1:
            (a, kind_a), (b, kind_b) = list(kinds.values())[:2]
            raise DataError(f"{name} must be of one type, got {kind_a} in {a} and {kind_b} in {b}")
    return sources
