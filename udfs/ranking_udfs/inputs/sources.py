"""The SQL that reads a table, the roles of its columns, and the casts of their values."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import duckdb

from ..compose.columns import BEIR, COMMAND, NEAR, ROW_IDS, option
from ..evaluation.errors import DataError
from ..options import ARGUMENTS
from ..quoting import identifier, literal
from ..texts import shorten
from .catalogs import Frame

ALL_TEXT = ("read_csv", "lines", "by_user")  # the readers that return all columns as VARCHAR
ALSO = "also_"  # the prefix of the roles of columns to compare, of option also
# Without these options, DuckDB keeps quotes if its sample has none, and drops ids that begin with #.
QUOTED = ", quote = '\"', comment = ''"
# Read unchanged lines with any line ends. Without quotes, strict_mode = false cannot change values.
LINES = (
    "columns = {'line': 'VARCHAR'}, auto_detect = false, header = false, "
    "delim = '', quote = '', escape = '', new_line = '\\n', strict_mode = false"
)
IDS, NUMBERS, TEXTS = ("userid", "itemid"), ("score", "rel"), ("system", "segment")
RUN, QRELS = 6, 4  # the fields of a line: `topic Q0 doc rank score tag`, `topic 0 doc grade`
# Other usual names of columns, in qrels of BEIR and MTEB and in search logs. The key of a table of queries
# or items may also be `_id` or `id`.
OTHER_NAMES = {
    "userid": ["query-id", "query_id"],
    "itemid": ["corpus-id", "corpus_id", "doc_id", "chunk_id"],
}
FILE_OPTIONS = {"segment": "segments", "category": "items"}  # options with values FILE:COLUMN, by role
# The type of times in a text file is the first type that fits all values. A pattern excludes values that
# DuckDB's cast would truncate.
TIMES = {
    "BIGINT": r"\s*[-+]?\d+\s*",
    "DOUBLE": ".*",
    "DATE": "[^:]*",
    "TIMESTAMP": "[^:]*(:[^-+A-Za-z]*)?",  # without a zone
    "TIMESTAMP WITH TIME ZONE": ".*",
}


@dataclass(frozen=True)
class Source:
    """One table: the files of a path, pattern, folder or list, or a table of a database."""

    path: str  # the path as the user wrote it, or the first path
    rows: str  # the SQL after FROM that returns its rows
    # the SQL of each column by role: userid, itemid, score, rel, system, segment, time
    columns: Mapping[str, str]
    ids: Mapping[str, str]  # the types of userid and itemid, if it has these columns
    is_text: bool = True  # whether ids are read as VARCHAR and cast to that type
    is_trec: bool = False  # whether `system` is only the tag of a TREC run
    is_negated: bool = False  # whether `score` is the negated score of the file
    is_empty: bool = False  # whether all its lists are empty; it then has one row without ids
    order: str = ""  # source of ranks without scores: a "list" of ids, or "blanks" between ids
    is_filled: bool = False  # whether an empty list of truth became a row without an item
    types: Mapping[str, str] = field(default_factory=dict)  # of all columns; empty for a TREC file
    names: Mapping[str, str] = field(default_factory=dict)  # of its columns by role
    file_rows: str = ""  # the SQL after FROM that returns its rows with all columns, as they are in the file
    csv: str = ""  # the escaped path of a single CSV file that DuckDB's reader accepts
    by_list: str = ""  # the SQL after FROM that returns a row per list, since `rows` lack empty lists

    def select(self, names: Iterable[str]) -> str:
        """Return the query for the columns with these roles."""
        columns = ",\n".join(f"    {self.typed_column(name)} AS {name}" for name in names)
        return f"SELECT\n{columns}\nFROM {self.rows}"

    def typed_column(self, name: str) -> str:
        """Return the SQL of a column; it raises an error for an id that is not the text of its type."""
        column, kind = self.columns[name], self.ids.get(name, "VARCHAR")
        if not self.is_text:
            is_text = self.types.get(self.names.get(name, "")) == "VARCHAR"
            return f"{column} COLLATE C" if is_text else column  # strings are compared by their bytes
        if kind == "VARCHAR":
            return column
        value = f"TRY_CAST({column} AS {kind})"
        return (
            f"CASE WHEN {column} = {value}::VARCHAR THEN {value}\n"
            f"        WHEN {column} IS NOT NULL THEN error({literal(self.id_error(name))} || {column}) END"
        )

    def id_error(self, name: str) -> str:
        """Return the beginning of the error for an id that is not the text of its type."""
        return f"{self.path}: {name} must be written as {self.ids[name]}, got "

    def with_type(self, name: str, kind: str) -> "Source":
        return replace(self, ids={**self.ids, name: kind})

    def with_named_types(self, con: duckdb.DuckDBPyConnection, kinds: Mapping[str, str]) -> "Source":
        """Return a CSV source whose reader names the dialect and the types of columns instead of guessing.

        `kinds` are the types by role. All other columns are VARCHAR.
        """
        query = f"SELECT * EXCLUDE (Prompt) FROM sniff_csv({literal(self.csv)}{QUOTED})"
        ((delimiter, quote, escape, _, _, skip, has_header, sniffed, *_),) = con.execute(query).fetchall()
        types = {column["name"]: "VARCHAR" for column in sniffed}
        types |= {name: kinds[role] for role, name in self.names.items() if role in kinds}
        dialect = {"delim": delimiter, "quote": quote, "escape": escape}
        options = ["auto_detect = false", f"header = {str(has_header).lower()}"]
        options += [f"{name} = {literal(text)}" for name, text in dialect.items() if text != "(empty)"]
        options += [f"skip = {skip}"] * bool(skip) + ["comment = ''"]
        columns = ",\n    ".join(f"{literal(name)}: {literal(kind)}" for name, kind in types.items())
        rows = f"read_csv({literal(self.csv)}, {', '.join(options)}, columns = {{\n    {columns}}})"
        return replace(self, rows=rows, ids={})


@dataclass(frozen=True)
class Wanted:
    """The columns to read of a table, by role, and the kind of its files."""

    required: Mapping[str, str]  # the required columns
    optional: Mapping[str, str] = field(default_factory=dict)  # the optional columns
    row_id: str = ""  # the role of `_id`: userid in a table of queries, itemid in a table of items
    form: str = "table"  # "table", "trec" or "auto": a TREC file if its name says so
    trec_fields: int = 0  # the number of fields of a line of a TREC file
    way: str = COMMAND  # the form in which errors name options: that of the command or of Python
    by_lines: bool = False  # whether to read a CSV file by lines, since DuckDB's reader has failed
    items_are_lists: bool = False  # whether a list of ids is one item

    def without_score(self) -> "Wanted":
        """Return the columns for rankings without scores; an optional rank is then excluded too."""
        required = {role: name for role, name in self.required.items() if role != "score"}
        optional = {role: name for role, name in self.optional.items() if role != "rank"}
        return replace(self, required=required, optional=optional)

    def matching(self, names: Collection[str]) -> dict[str, list[str]]:
        """Return the columns that may have each role."""
        return {role: matching_columns(names, role, name, self.row_id) for role, name in self.columns.items()}

    @property
    def is_rec(self) -> bool:
        return self.trec_fields == RUN

    @property
    def is_truth(self) -> bool:
        return self.trec_fields == QRELS

    @property
    def columns(self) -> dict[str, str]:
        """All columns by role."""
        return {**self.optional, **self.required}


@dataclass(frozen=True)
class Reader:
    """The rows of a table or of files, and the columns to read of them."""

    con: duckdb.DuckDBPyConnection
    path: str  # the path in errors
    rows: str  # the SQL after FROM
    wanted: Wanted
    # the function that reads the files: one of ALL_TEXT, or `read_json`; "" for a table with types
    function: str = ""
    has_parts: bool = False  # whether there are several files

    @property
    def is_text(self) -> bool:
        return self.function in ALL_TEXT

    def has_row(self, condition: str) -> bool:
        return bool(self.con.execute(f"SELECT 1 FROM {self.rows} WHERE {condition} LIMIT 1").fetchall())


def is_also(role: str) -> bool:
    return role.startswith(ALSO)


def is_of_numbers(role: str) -> bool:
    return role in NUMBERS or is_also(role)


def option_text(role: str, column: str | None, way: str) -> str:
    """Return the option for the column of a role, with a name of a column as a user writes it."""
    name = "also" if is_also(role) else ARGUMENTS.get(role, f"{role}_col")
    return option(FILE_OPTIONS.get(role, name) if way == COMMAND else name, column, way)


class MissingColumnsError(DataError):
    """An error for missing columns; `near` has the likely columns of each role."""

    def __init__(self, path: str, problem: str, near: Mapping[str, list[str]], way: str) -> None:
        self.path, self.problem, self.near, self.way = path, problem, near, way
        super().__init__(missing_text([self]))


def missing_text(errors: Sequence[MissingColumnsError], others: Sequence[Source] = ()) -> str:
    """Return a message with the missing columns of tables and the options that name them.

    Of the likely columns, one that most tables have comes first. `others` are the tables that lack no column.
    An option names a column of one file unless all tables with the role have it.
    """
    texts, way = [], errors[0].way
    for role in dict.fromkeys(role for error in errors for role in error.near if not is_also(role)):
        likely = {error.path: error.near[role] for error in errors if role in error.near}
        having = [source for source in others if role in source.columns]
        tables = [*likely.values(), *(source.types for source in having)]
        counts = Counter(name.lower() for names in tables for name in names)
        near = {
            path: max(names, key=lambda name: counts[name.lower()], default="...")
            for path, names in likely.items()
        }
        near |= {source.path: name for source in having for name in near.values() if name in source.types}
        path, column = next(iter(near.items()))
        has_file = way == COMMAND and role in FILE_OPTIONS
        is_everywhere = all(source.path in near for source in having)
        is_of_all = not has_file and is_everywhere and len({*map(str.lower, near.values())}) == 1
        in_files = ",".join(f"{file}:{name}" for file, name in near.items())
        texts.append(option_text(role, column if is_of_all else in_files, way))
        if role == "score" and re.match("rank|pos|place", column, re.IGNORECASE):
            ascending = "--ascending" if is_of_all else f"that file as {path}:ascending"
            texts.append(ascending if way == COMMAND else "descending=False")
    indexed = [error.path for error in errors if isinstance(error.path, Frame) and error.path.levels]
    texts = [f"{path}.reset_index()" for path in indexed] or texts
    advice = f"; write {', '.join(texts)}" if texts else ""
    return "; ".join(f"{error.path}: {error.problem}" for error in errors) + advice


def column_types(con: duckdb.DuckDBPyConnection, rows: str) -> dict[str, str]:
    """Return the types of all columns by name."""
    return {name: kind for name, kind, *_ in con.execute(f"DESCRIBE FROM {rows}").fetchall()}


def matching_columns(names: Iterable[str], role: str, name: str, row_id: str = "") -> list[str]:
    """Return the column with this name, or with a known alias of the usual name; several if ambiguous.

    If a known alias matches, other columns that look like ids of users or items are candidates too.
    """
    by_name = {column.lower(): column for column in names}
    if name.lower() in by_name:
        return [by_name[name.lower()]]
    if role == "rel" and {*by_name} >= BEIR:
        return [by_name["score"]]  # the grade
    if name != role or role not in OTHER_NAMES:
        return []
    known = OTHER_NAMES[role] + (ROW_IDS if role == row_id else [])
    like_ids = f"(?=.*id$)({NEAR[ARGUMENTS[role]]})"
    matches = [column for column in by_name if column in known or re.fullmatch(like_ids, column)]
    return [by_name[column] for column in matches] if {*matches} & {*known} else []


def empty_source(path: str, types: Mapping[str, str]) -> Source:
    """Return the source for rankings that are all empty."""
    columns = {**dict.fromkeys(IDS, "CAST(NULL AS VARCHAR)"), "score": "CAST(NULL AS DOUBLE)"}
    return Source(path, "(SELECT 1)", columns, dict.fromkeys(IDS, "BIGINT"), is_empty=True, types=types)


def first_id_type(con: duckdb.DuckDBPyConnection, rows: str, name: str) -> str:
    """Return the type of the first id of a column; DuckDB's sample may have only NULLs."""
    query = f"SELECT {identifier(name)} FROM {rows} WHERE {identifier(name)} IS NOT NULL LIMIT 1"
    first = con.execute(query).fetchall()
    return "BIGINT" if all(re.fullmatch(r"-?\d+", value) for (value,) in first) else "VARCHAR"


def typed_rows(con: duckdb.DuckDBPyConnection, file: str, rows: str, names: Mapping[str, str]) -> str:
    """Cast the numbers and times of VARCHAR rows to their types; `file` is SQL for the path in errors."""
    typed = {
        name: f"CAST({identifier(name)} AS {time_type(con, file, rows, name)})"
        if role == "time"
        else number(file, name, identifier(name), is_grade=role == "rel")
        for role, name in names.items()
        if is_of_numbers(role) or role == "time"
    }
    columns = ",\n    ".join(f"{sql} AS {identifier(name)}" for name, sql in typed.items())
    return f"(SELECT * REPLACE (\n    {columns})\nFROM {rows})" if typed else rows


def number(file: str, name: str, text: str, is_grade: bool) -> str:
    """Return the SQL that casts a string to DOUBLE or raises an error; for a grade, true is 1, false is 0."""
    grade = f"CASE lower({text}) WHEN 'true' THEN 1 WHEN 'false' THEN 0 END, " if is_grade else ""
    message = f"{file} || {literal(f': {name} must be a number, got ')} || {text}"
    return (
        f"coalesce(TRY_CAST({text} AS DOUBLE), {grade}CASE WHEN {text} IS NOT NULL THEN error({message}) END)"
    )


def time_type(con: duckdb.DuckDBPyConnection, file: str, rows: str, name: str) -> str:
    """Return the first of TIMES that fits all values of a VARCHAR column; raise DataError if none does."""
    text = identifier(name)
    fits = {
        kind: f"(TRY_CAST({text} AS {kind}) IS NOT NULL AND regexp_full_match({text}, {literal(pattern)}))"
        for kind, pattern in TIMES.items()
    }
    for kind, fit in fits.items():
        if not con.execute(f"SELECT 1 FROM {rows} WHERE {text} IS NOT NULL AND NOT {fit} LIMIT 1").fetchall():
            return kind
    order = " + ".join(f"{fit}::INTEGER" for fit in fits.values())
    query = f"SELECT {file}, {text} FROM {rows} WHERE {text} IS NOT NULL ORDER BY {order}, {text} LIMIT 1"
    ((path, value),) = con.execute(query).fetchall()
    rule = "must be integers, numbers, dates or timestamps such as 2026-05-22 10:00:00, and all of one kind"
    raise DataError(f"{path}: {name} {rule}, got {shorten(repr(value))}")


def struct_literal(types: Mapping[str, str]) -> str:
    return f"{{{', '.join(f'{literal(name)}: {literal(kind)}' for name, kind in types.items())}}}"
