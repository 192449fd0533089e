"""Open a file or a table of a database: the SQL that reads it, and the roles of its columns.

Every external name (a path, a column, a model) enters a statement as a quoted literal or a quoted
identifier, never as SQL.
"""

import os
import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import duckdb

from ..compose.columns import BEIR, NEAR, ROW_IDS, is_number, nearest_column, nearest_columns
from ..evaluation.errors import DataError, error_summary
from ..options import ARGUMENTS
from ..quoting import identifier, literal, unquoted
from ..texts import nearest, shorten
from .catalogs import Catalog, Frame, is_database

READERS = {
    ".parquet": "read_parquet",
    ".json": "read_json",
    ".jsonl": "read_json",
    ".ndjson": "read_json",
}
TREC = (".run", ".qrels", ".trec")
AS_TREC = ":trec"  # after the path of a TREC file with another ending
ALSO = "also_"  # the prefix of the roles of columns to compare, of option also
COMPRESSIONS = (".gz", ".zst")
IN_FOLDERS = (*READERS, ".csv", ".tsv", ".txt")  # extensions of data files in a folder
STDIN = "-"
ALL_TEXT = ("read_csv", "lines")  # the readers that return all columns as VARCHAR
TEXT = ("VARCHAR", "JSON")  # the types of columns that may hold numbers as text
IDS, NUMBERS, TEXTS = ("userid", "itemid"), ("score", "rel"), ("system", "segment")
# Without these options, DuckDB keeps quotes if its sample has none, and drops ids that begin with #.
QUOTED = ", quote = '\"', comment = ''"
# Without it, DuckDB casts Parquet files to the types of the first one, and so rounds decimals to integers.
MERGED = ", union_by_name = true"
# Read unchanged lines with any line ends. Without quotes, strict_mode = false cannot change values.
LINES = (
    "columns = {'line': 'VARCHAR'}, auto_detect = false, header = false, "
    "delim = '', quote = '', escape = '', new_line = '\\n', strict_mode = false"
)
# The regular expressions of each delimiter, and of a character that is no delimiter.
DELIMITERS = {
    **{",": (",", "[^,]"), "\t": (r"\t", r"[^\t]"), ";": (";", "[^;]"), "|": (r"\|", r"[^|]")},
    "::": ("::", "[^:]|:[^:]"),
}
OF_CSV = re.compile(r"CSV (Error|Parser)|Error when sniffing|Invalid Error.*CSV")
RUN, QRELS = 6, 4  # the fields of a line: `topic Q0 doc rank score tag`, `topic 0 doc grade`
# Other usual names of columns, in qrels of BEIR and MTEB and in search logs. The key of a table of queries
# or items may also be `_id` or `id`.
OTHER_NAMES = {
    "userid": ["query-id", "query_id"],
    "itemid": ["corpus-id", "corpus_id", "doc_id", "chunk_id"],
}
# The names of columns in Elasticsearch's `_rank_eval` and OpenSearch's judgments, by role.
NO_TEXT = r" (DATE|TIME|TIMESTAMP|UUID)(?=[,)])"  # types of fields that are strings in JSON
OF_EXPORTS = {"userid": ("id", "query"), "itemid": ("_id", "docId"), "rel": ("rating",)}
JSON_KINDS = {  # names of the results of json_type; all other results are numbers
    **{"OBJECT": "an object", "ARRAY": "a list", "VARCHAR": "a string", "NULL": "null"},
    **{"BOOLEAN": "true or false", "DOUBLE": "a number with a point"},
}
BY_SHAPE = {"OBJECT": "MAP(VARCHAR, DOUBLE)", "ARRAY": "VARCHAR[]"}
OF_ITEMS = ("itemid", "score", "rank")
PLACE = "ranking_place"  # the column with the rank of an item in its list
KEYS = "each user, and each item of a user, must be one key of its object, got one twice"
BY_USER = "{user: {item: number}} or {user: [item, ...]}"
USERS = "SELECT unnest(map_keys(users)) AS userid, unnest(map_values(users)) AS items"
BLANKS = r"\S\s+\S"  # matches a string with several ids
FILE_OPTIONS = {"segment": "--segment", "category": "--items"}  # options with values FILE:COLUMN, by role
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
    is_command: bool = True  # whether errors name options of the command, or arguments of Python
    by_lines: bool = False  # whether to read a CSV file by lines, since DuckDB's reader has failed
    items_are_lists: bool = False  # whether a list of ids is one item

    def without_score(self) -> "Wanted":
        """Return the columns for rankings without scores; an optional rank is then excluded too."""
        required = {role: name for role, name in self.required.items() if role != "score"}
        optional = {role: name for role, name in self.optional.items() if role != "rank"}
        return replace(self, required=required, optional=optional)

    @property
    def is_rec(self) -> bool:
        return self.trec_fields == RUN

    @property
    def columns(self) -> dict[str, str]:
        """All columns by role."""
        return {**self.optional, **self.required}


def is_also(role: str) -> bool:
    return role.startswith(ALSO)


def is_of_numbers(role: str) -> bool:
    return role in NUMBERS or is_also(role)


def option(role: str, is_command: bool) -> str:
    """Return the option or argument for the column of a role: `--user` or `user_col`."""
    argument = "also" if is_also(role) else ARGUMENTS.get(role, f"{role}_col")
    return FILE_OPTIONS.get(role, f"--{argument.removesuffix('_col')}") if is_command else argument


def option_text(role: str, column: str, is_command: bool) -> str:
    """Return the option or argument of a role with a name of a column, as a user writes it."""
    name = option(role, is_command)
    return f"{name} {shlex.quote(column)}" if is_command else f"{name}={column!r}"


def list_files(con: duckdb.DuckDBPyConnection, path: str) -> list[str]:
    """List the files of a path, a folder or a pattern; return a URL unchanged."""
    if "://" in path or os.path.isfile(path) or (os.path.exists(path) and not os.path.isdir(path)):
        return [path]
    return [file for (file,) in con.execute("FROM glob(?)", [pattern(path)]).fetchall()]


def pattern(path: str) -> str:
    """Return the path for DuckDB's readers; escape wildcards in the path of an existing file."""
    if not os.path.exists(path):
        return path
    ending = f"/**/*{folder_ending(path)}" if os.path.isdir(path) else ""
    name = path.rstrip("/") if ending else path
    name = f"./{name}" if name.startswith("~") else name  # DuckDB would expand ~ to the home directory
    return "".join(f"[{character}]" if character in "*?[" else character for character in name) + ending


def plain_path(path: str) -> str:
    """Return a path without the suffix for a TREC file."""
    return path if os.path.exists(path) else path.removesuffix(AS_TREC)


def folder_ending(path: str) -> str:
    """Return the extension of all data files of a folder; raise DataError for several extensions."""
    all_endings = set()
    inside = f"{path.rstrip('/')}/"
    for folder, _, names in os.walk(path):
        for name in sorted(names):
            file = os.path.relpath(os.path.join(folder, name), path)
            if "_delta_log" in file.split(os.sep):
                rule = "so some of its files may be obsolete; read it with DuckDB's delta_scan"
                raise DataError(f"{path}: a Delta table, {rule}")
            if extension(name) in IN_FOLDERS:
                stem, ending = os.path.splitext(name)
                ending = os.path.splitext(stem)[1] + ending if ending.lower() in COMPRESSIONS else ending
                if any(part.startswith(("_", ".")) for part in file.split(os.sep)):
                    rule = f"is hidden or not finished: name the files, as in '{inside}*{ending}'"
                    raise DataError(f"{path}: {file} {rule}")
                all_endings.add(ending)
    if not all_endings:
        raise DataError(f"{path}: a directory without files that end in {', '.join(IN_FOLDERS)}")
    if len(all_endings) > 1:
        endings = sorted(all_endings)
        rule = f"choose one, as in '{inside}**/*{endings[0]}'"
        raise DataError(f"{path}: files of several formats ({', '.join(endings)}): {rule}")
    return all_endings.pop()


def extension(path: str) -> str:
    """Return the extension in lower case, without a compression suffix or the query of a URL."""
    path = path.partition("?")[0] if "://" in path else path
    stem, suffix = os.path.splitext(path.lower())
    return os.path.splitext(stem)[1] if suffix in COMPRESSIONS else suffix


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
            source = table_source(con, path, rows if tables[1:] else str(tables[0]), wanted)
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
            raise DataError(f"{path}: {KEYS}") from None
        message = error_summary(error).removeprefix(f"Invalid Input Error: {path}: ").replace(stdin, STDIN)
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
            return table_source(con, path, f"{function}({location}{types})", wanted)
        source = table_source(con, path, f"{function}({location}{types}{MERGED})", wanted)
        check_parts(con, location, source)
        return source
    as_text = ", hive_types_autocast = false" if folders else ""
    if function == "read_csv":
        return csv_source(con, path, f"{function}({location}{as_text}{QUOTED})", files, wanted)
    if wanted.trec_fields and (by_user := object_source(con, path, f"{function}({location}", wanted)):
        return by_user
    try:
        return table_source(con, path, f"{function}({location}{as_text})", wanted, function)
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


def csv_source(
    con: duckdb.DuckDBPyConnection, path: str, rows: str, files: Sequence[str], wanted: Wanted
) -> Source:
    """Open CSV files by DuckDB's reader, or line by line if it fails or finds only one column."""
    missing = None
    if not (wanted.by_lines and is_refused(con, rows)):
        try:
            source = table_source(con, path, rows, wanted, "read_csv", len(files) > 1)
            return replace(source, csv=pattern(files[0]) if len(files) == 1 and not source.order else "")
        except MissingColumnsError as error:
            missing = error if len(column_types(con, rows)) > 1 else None
    text = line_rows(path, files)
    try:
        return table_source(con, path, text, wanted, "lines")
    except MissingColumnsError as error:
        has_columns = missing or len(column_types(con, text)) > 1
        rule = f"write one of {' '.join(map(repr, DELIMITERS))} between columns; its first line has none"
        rule = trec_advice(con, path, files[0], wanted) or rule * (not has_columns)
        if not rule:
            raise missing or error from None
        raise MissingColumnsError(path, f"{error.problem}; {rule}", {}, wanted.is_command) from None


def trec_advice(con: duckdb.DuckDBPyConnection, path: str, file: str, wanted: Wanted) -> str:
    """Return how to read a file whose first line has the form of TREC; "" for any other file."""
    line = f"SELECT line FROM read_csv({literal(pattern(file))}, {LINES}) WHERE trim(line) <> '' LIMIT 1"
    form = literal(rf"\S+\s+Q?0(\s+\S+){{{wanted.trec_fields - 2}}}\s*")
    query = f"SELECT 1 FROM ({line}) WHERE regexp_full_match(ltrim(line), {form})"
    if not wanted.trec_fields or not con.execute(query).fetchall():
        return ""
    form = "--format-in trec" if path == STDIN else re.sub(r"( and \d+ more)?$", AS_TREC, path, count=1)
    return f"write {form} to read it as TREC"


def is_refused(con: duckdb.DuckDBPyConnection, rows: str) -> bool:
    """Return whether DuckDB's CSV reader fails at any row."""
    try:
        con.execute(f"SELECT max(COLUMNS(*)) FROM {rows.removesuffix(')')}, all_varchar = true)").fetchall()
    except duckdb.Error:
        return True
    return False


def line_rows(path: str, files: Iterable[str]) -> str:
    """Return the SQL for the rows of CSV files, split strictly by lines, with any line ends and delimiter.

    Comments are allowed before the header. Missing values at the end of a line are NULL.
    """
    parts = []
    for file in files:
        rows = f"read_csv({literal(pattern(file))}, {LINES})"
        with duckdb.connect() as con:  # its default settings preserve the order of lines
            head = [line or "" for (line,) in con.execute(f"SELECT line FROM {rows} LIMIT 50").fetchall()]
        top = next((i for i, line in enumerate(head) if line.strip() and not line.startswith("#")), 0)
        delimiter = max(DELIMITERS, key=head[top].count)
        fields = [value.strip().removeprefix('"').removesuffix('"') for value in head[top].split(delimiter)]
        has_header = not any(re.fullmatch(r"-?\d+(\.\d+)?", value) for value in fields)
        names = fields if has_header else [f"column{i}" for i in range(len(fields))]
        if len({*map(str.lower, names)}) < len(names) or not all(names):
            got = f"the line {shorten(repr(head[top]))} with the delimiter {delimiter!r}"
            raise DataError(f"{path}: its columns must have different names, got {got}")
        rows = f"read_csv({literal(pattern(file))}, {LINES}, skip = {top + has_header})"
        rule = (
            f"{path}: a line must be {len(names)} values with {delimiter!r} between them, each without quotes"
        )
        message = literal(f"{rule} or quoted whole, got ")
        columns = ", ".join(
            f"nullif(fields[{i}], '') AS {identifier(name)}" for i, name in enumerate(names, 1)
        )
        parts.append(
            f"SELECT {columns}\nFROM (SELECT CASE WHEN array_to_string(fields[{len(names) + 1}:], '') = ''\n"
            f"    THEN fields ELSE error({message} || line) END AS fields\n"
            f"FROM (SELECT line, {split_sql(delimiter, message)} AS fields\n"
            f"FROM {rows} WHERE line IS NOT NULL))"
        )
    return f"({' UNION ALL BY NAME '.join(parts)})"


def split_sql(delimiter: str, message: str) -> str:
    """Return the SQL for the values of a line; quotes are allowed only around a whole value."""
    mark, other = DELIMITERS[delimiter]
    first = other.replace("[^", '[^"', 1)
    value = f'"(?:[^"]|"")*"|(?:(?:{first})(?:{other})*)?'
    line, whole = f"{literal(delimiter)} || line", literal(f"(?:{mark}(?:{value}))*")
    values = f"regexp_extract_all({line}, {literal(f'{mark}({value})')}, 1)"
    inside = "CASE WHEN starts_with(value, '\"') THEN replace(value[2:-2], '\"\"', '\"') ELSE value END"
    return (
        f"CASE WHEN NOT contains(line, '\"') THEN string_split(line, {literal(delimiter)})\n"
        f"    WHEN NOT regexp_full_match({line}, {whole}) THEN error({message} || line)\n"
        f"    ELSE list_transform({values}, lambda value: {inside}) END"
    )


class MissingColumnsError(DataError):
    """An error for missing columns; `near` has the likely columns of each role."""

    def __init__(self, path: str, problem: str, near: Mapping[str, list[str]], is_command: bool) -> None:
        self.path, self.problem, self.near, self.is_command = path, problem, near, is_command
        super().__init__(missing_text([self]))


def missing_text(errors: Sequence[MissingColumnsError], others: Sequence[Source] = ()) -> str:
    """Return a message with the missing columns of tables and the options that name them.

    Of the likely columns, one that most tables have comes first. `others` are the tables that lack no column.
    An option names a column of one file unless all tables with the role have it.
    """
    texts, is_command = [], errors[0].is_command
    for role in dict.fromkeys(role for error in errors for role in error.near if not is_also(role)):
        likely = {error.path: error.near[role] for error in errors if role in error.near}
        having = [source for source in others if role in source.columns]
        tables = [*likely.values(), *(source.types for source in having)]
        counts = Counter(name for names in tables for name in names)
        near = {path: max(names, key=counts.__getitem__, default="...") for path, names in likely.items()}
        near |= {source.path: name for source in having for name in near.values() if name in source.types}
        path, column = next(iter(near.items()))
        has_file = is_command and role in FILE_OPTIONS
        is_everywhere = all(source.path in near for source in having)
        is_of_all = not has_file and is_everywhere and len({*near.values()}) == 1
        in_files = ",".join(f"{file}:{name}" for file, name in near.items())
        texts.append(option_text(role, column if is_of_all else in_files, is_command))
        if role == "score" and re.match("rank|pos|place", column, re.IGNORECASE):
            ascending = "--ascending" if is_of_all else f"that file as {path}:ascending"
            texts.append(ascending if is_command else "descending=False")
    indexed = [error.path for error in errors if isinstance(error.path, Frame) and error.path.levels]
    texts = [f"{path}.reset_index()" for path in indexed] or texts
    advice = f"; write {', '.join(texts)}" if texts else ""
    return "; ".join(f"{error.path}: {error.problem}" for error in errors) + advice


class Nested(NamedTuple):
    """A field of a column with structs, lists of structs, or maps."""

    column: str
    field: str
    kind: str  # the type of the field
    is_list: bool
    is_struct: bool = True

    @property
    def sql(self) -> str:
        """The SQL of the field; a list has been replaced by its elements."""
        if self.is_struct:
            return f"struct_extract({identifier(self.column)}, {literal(self.field)})"
        path = f"$.{identifier(self.field)}"
        return f"json_extract_string(to_json({identifier(self.column)}), {literal(path)})"


Fields = Mapping[str, Nested]  # fields by their name as a column


@dataclass(frozen=True)
class TableColumns:
    """The wanted columns of a table, under their names in the table."""

    names: Mapping[str, str]  # of the columns, by role
    types: Mapping[str, str]  # of all columns; for the columns `listed`, the types of elements
    nested: Fields
    listed: Sequence[str]  # the columns with lists of ids and with lists of their numbers
    order: str  # see Source.order
    score: str  # the column to make from the ranks of ids without scores, or ""

    @property
    def inside(self) -> Fields:
        """The wanted columns that are fields."""
        return {name: self.nested[name] for name in self.names.values() if name in self.nested}

    @property
    def kinds(self) -> dict[str, str]:
        """The types of the columns by role."""
        fields = {name: nested.kind for name, nested in self.inside.items()}
        return {role: fields.get(name) or self.types[name] for role, name in self.names.items()}

    @property
    def has_lists(self) -> bool:
        return bool(self.listed or list_columns(self.names, self.nested))

    @property
    def places(self) -> dict[str, str]:
        """The column with the ranks of items in their lists, by role."""
        return {"rank": PLACE} if self.has_lists and (self.order or "score" in self.names) else {}

    def without_items(self) -> "TableColumns":
        """Return the columns of lists, without those of their items."""
        names = {role: name for role, name in self.names.items() if role not in OF_ITEMS}
        return replace(self, names=names, listed=[], order="", score="")

    @property
    def texts(self) -> list[str]:
        """The roles of numbers whose columns may be text."""
        return [role for role, kind in self.kinds.items() if is_of_numbers(role) and kind in TEXT]


def column_types(con: duckdb.DuckDBPyConnection, rows: str) -> dict[str, str]:
    """Return the types of all columns by name."""
    return {name: kind for name, kind, *_ in con.execute(f"DESCRIBE FROM {rows}").fetchall()}


def nested_columns(
    con: duckdb.DuckDBPyConnection, rows: str, types: Mapping[str, str], wanted: Wanted, is_json: bool
) -> dict[str, Nested]:
    """Return the fields of columns as `column.field`, and as `field` if only one list has it.

    The types of maps and of JSON do not show their keys, so only wanted keys are returned.
    """
    fields_found: dict[str, Nested] = {}
    for column, of in types.items():
        if re.fullmatch(r"STRUCT\(.*\)(\[\])?", of):
            depth = 1 + of.endswith("]")
            fields = f"(SELECT unnest({identifier(column)}, max_depth := {depth}) FROM {rows})"
            for field, kind in column_types(con, fields).items():
                fields_found[f"{column}.{field}"] = Nested(column, field, kind, depth == 2)
    for name in wanted.columns.values():
        column, _, field = name.partition(".")
        if field and re.fullmatch(r"JSON|MAP\(.*\)", types.get(column, "")):
            fields_found[name] = Nested(column, field, "VARCHAR", False, is_json)
    counts = Counter(entry.field for entry in fields_found.values() if entry.is_list)
    fields_found |= {
        entry.field: entry for entry in [*fields_found.values()] if entry.is_list and counts[entry.field] == 1
    }
    return {name: entry for name, entry in fields_found.items() if name not in types}


def find_columns(
    con: duckdb.DuckDBPyConnection, path: str, types: dict[str, str], wanted: Wanted, nested: Fields
) -> dict[str, str]:
    """Return the names of the columns by role; MissingColumnsError for a missing or ambiguous column."""
    by_name = {name.lower(): name for name in [*types, *nested]}  # names are case-insensitive, as in SQL
    named = {
        role: matching_columns(by_name, role, name, wanted.row_id) for role, name in wanted.columns.items()
    }
    names = {role: by_name[matches[0]] for role, matches in named.items() if len(matches) == 1}
    ids = {names.get(role) for role in IDS}
    if missing := {role: name for role, name in wanted.required.items() if role not in names}:
        known = types | {name: entry.kind for name, entry in nested.items()}
        near = {}
        for role, name in missing.items():
            last = ("id", "_id") if name == "itemid" else (name.lower(),)
            # for example metadata.kind
            ends = [column for column in by_name if column.rpartition(".")[2] in last and "." in column]
            alike = nearest(name.rpartition(":")[2], by_name).lower()
            guesses = [*named[role], *ends, alike, *matching_columns(by_name, role, role, wanted.row_id)]
            if name == role or role == "time":
                others = [column for column in known if column not in ids]
                guesses += map(str.lower, nearest_columns(ARGUMENTS.get(role, ""), others))
            near[role] = [by_name[guess] for guess in dict.fromkeys(guesses) if guess]
        hidden = {entry.column for entry in nested.values()} | {entry.field for entry in nested.values()} - {
            *types
        }
        there = shorten(", ".join(name for name in known if name not in hidden))
        columns = " and ".join(f"no column {name!r}" for name in missing.values())
        raise MissingColumnsError(path, f"{columns} (there are: {there})", near, wanted.is_command)
    return names


def matching_columns(by_name: Collection[str], role: str, name: str, row_id: str) -> list[str]:
    """Return the column with this name, or with a known alias of the usual name; several if ambiguous.

    If a known alias matches, other columns that look like ids of users or items are candidates too.
    """
    if name.lower() in by_name:
        return [name.lower()]
    if role == "rel" and {*by_name} >= BEIR:
        return ["score"]  # the grade
    if name != role or role not in OTHER_NAMES:
        return []
    known = OTHER_NAMES[role] + (ROW_IDS if role == row_id else [])
    like_ids = f"(?=.*id$)({NEAR[ARGUMENTS[role]]})"
    matches = [column for column in by_name if column in known or re.fullmatch(like_ids, column)]
    return matches if {*matches} & {*known} else []


def table_source(
    con: duckdb.DuckDBPyConnection,
    path: str,
    rows: str,
    wanted: Wanted,
    function: str = "",
    has_parts: bool = False,
) -> Source:
    """Open the rows of this SQL; `function` reads CSV or JSON. DataError if a score or grade is no number.

    A CSV or JSON file has no reliable types, so the role of a column determines its type, not a sample.
    """
    types = column_types(con, rows)
    nested = nested_columns(con, rows, types, wanted, function == "read_json")
    text = f"{rows.removesuffix(')')}, all_varchar = true)" if function == "read_csv" else rows
    listed, order = lists_of_ids(con, path, text, types, wanted, function)
    try:
        names = find_columns(con, path, types, wanted.without_score() if order else wanted, nested)
    except MissingColumnsError as error:
        if has_nothing_but_empty_lists(con, error, rows, types, wanted):
            return empty_source(path, types)
        raise with_list(con, error, text, types, wanted, function) from None
    names = without_other_lists(names, nested, wanted)
    lists = {*list_columns(names, nested).values(), *(listed if order != "blanks" else ())}
    check_one_list(path, names, nested, lists)
    types |= {entry.field: entry.kind for entry in nested.values() if entry.column in lists}
    if lists and has_empty_list(con, rows, lists, wanted):
        return empty_source(path, types)
    types |= {name: types[name].removesuffix("[]") for name in listed}
    table_columns = TableColumns(
        names, types, nested, listed, order, wanted.required["score"] if order else ""
    )
    source = columns_source(con, path, text, table_columns, wanted, function, has_parts)
    if isinstance(path, Frame):
        source = replace(source, by_list=path.by_list)
    if (lists or listed) and any(map(is_also, names)):
        columns = table_columns.without_items()
        of_lists = columns_source(con, path, text, columns, wanted, function, has_parts)
        source = replace(source, by_list=of_lists.rows)
    for column in map(identifier, {*list_columns(names, nested).values()}):
        rows = f"(SELECT * EXCLUDE ({column}), unnest({column}, max_depth := 2)\nFROM {rows})"
    return replace(source, file_rows=rows)


def export_source(
    con: duckdb.DuckDBPyConnection, path: str, rows: str, wanted: Wanted, error: MissingColumnsError
) -> Source:
    """Open the rows with lists that are in a list of a single JSON object; other JSON raises `error`."""

    def with_lists(rows: str) -> list[tuple[str, str]]:
        types = column_types(con, rows).items()
        return [(name, kind) for name, kind in types if kind.startswith("STRUCT") and ")[]" in kind]

    is_one = con.execute(f"SELECT count(*) = 1 FROM (FROM {rows} LIMIT 2)").fetchone() == (True,)
    # Ids that DuckDB takes for dates or UUIDs stay as they are written.
    types = {name: re.sub(NO_TEXT, " VARCHAR", kind) for name, kind in column_types(con, rows).items()}
    rows = f"{rows.removesuffix(')')}, columns = {struct_literal(types)})"
    while is_one and len(found := with_lists(rows)) == 1:
        ((name, kind),) = found
        depth = 1 + kind.endswith("]")
        rows = f"(SELECT unnest({identifier(name)}, max_depth := {depth})\nFROM {rows})"
        if not with_lists(rows):
            break
        try:
            return table_source(con, path, rows, with_names_of_exports(con, rows, wanted))
        except MissingColumnsError as missing:
            error = missing
    raise error


def with_names_of_exports(con: duckdb.DuckDBPyConnection, rows: str, wanted: Wanted) -> Wanted:
    """Return the columns with the names of exports, where our own names are wanted and missing."""
    types = column_types(con, rows)
    there = {*types, *nested_columns(con, rows, types, wanted, False)}

    def named(columns: Mapping[str, str]) -> dict[str, str]:
        known = {role: OF_EXPORTS.get(role, ()) * (name == role) for role, name in columns.items()}
        return {
            role: next((other for other in (name, *known[role]) if other in there), name)
            for role, name in columns.items()
        }

    return replace(wanted, required=named(wanted.required), optional=named(wanted.optional))


def has_nothing_but_empty_lists(
    con: duckdb.DuckDBPyConnection,
    error: MissingColumnsError,
    rows: str,
    types: Mapping[str, str],
    wanted: Wanted,
) -> bool:
    """Return whether items and scores are missing because all lists are empty, and so have no type."""
    untyped = [name for name, kind in types.items() if kind.endswith("[]") or kind in ('"NULL"', "JSON")]
    return {*error.near} <= {"itemid", "score"} and has_empty_list(con, rows, untyped, wanted)


def list_columns(names: Mapping[str, str], nested: Fields) -> dict[str, str]:
    """Return the column of the list for each role whose column is a field of a list."""
    fields = {role: nested[name] for role, name in names.items() if name in nested}
    return {role: entry.column for role, entry in fields.items() if entry.is_list}


def without_other_lists(names: Mapping[str, str], nested: Fields, wanted: Wanted) -> dict[str, str]:
    """Drop optional columns that belong to another list than the items."""
    in_lists = list_columns(names, nested)
    optional = {*wanted.optional} & {*in_lists} - {*wanted.required}
    others = {role for role in optional if in_lists[role] != in_lists.get("itemid")}
    return {role: name for role, name in names.items() if role not in others}


def check_one_list(path: str, names: Mapping[str, str], nested: Fields, lists: Collection[str]) -> None:
    """Raise DataError if items and numbers belong to different lists."""
    in_lists = list_columns(names, nested)
    paths = {role: name for role, name in names.items() if role in ("itemid", *NUMBERS)}
    if in_lists and len({*lists} | {in_lists.get(role) for role in paths}) > 1:
        rule = f"{' and '.join(paths)} must be of one list: name each as LIST.FIELD"
        raise DataError(f"{path}: {rule}, got {', '.join(paths.values())}")


def columns_source(
    con: duckdb.DuckDBPyConnection,
    path: str,
    rows: str,
    table_columns: TableColumns,
    wanted: Wanted,
    function: str,
    has_parts: bool,
) -> Source:
    """Open the columns of `table_columns` with their types, in a row for each item."""
    names, is_json = table_columns.names, function == "read_json"
    if function not in ALL_TEXT:
        check_numbers(path, table_columns, is_json)
    rows = item_rows(path, rows, table_columns, wanted, function)
    ids = id_types(con, rows, table_columns, function)
    if function in ("", "read_json"):
        rows = json_ids(path, rows, names, table_columns.kinds) if is_json else rows
        times = {"time"} if is_json else set()
        texts = {role: name for role, name in names.items() if role in times | {*table_columns.texts}}
        rows = typed_rows(con, literal(path), rows, texts)
    else:
        file = (
            "filename"
            if has_parts and "filename" not in map(str.lower, table_columns.types)
            else literal(path)
        )
        rows = typed_rows(con, file, rows, names)
    check_fields(con, path, rows, table_columns.inside)
    called = {**names, "score": table_columns.score} if table_columns.order else names
    columns = table_columns.places | {role: identifier(name) for role, name in called.items()}
    source = Source(path, rows, columns, ids, is_text=bool(function), order=table_columns.order)
    is_filled = table_columns.has_lists and not wanted.is_rec
    types = {**table_columns.types, **{names[role]: "DOUBLE" for role in table_columns.texts}}
    return replace(source, is_filled=is_filled, types=types, names=names)


def check_numbers(path: str, table_columns: TableColumns, is_json: bool) -> None:
    """Raise DataError for a column of scores or grades that is not numeric."""
    for role, kind in table_columns.kinds.items():
        is_known = is_number(kind) or kind == "VARCHAR" or (role == "rel" and kind == "BOOLEAN")
        is_open = is_json and kind in ("JSON", '"NULL"')
        if is_of_numbers(role) and not is_known and not is_open:
            raise DataError(f"{path}: {table_columns.names[role]!r} must be a number, got {shorten(kind)}")


def item_rows(path: str, rows: str, table_columns: TableColumns, wanted: Wanted, function: str) -> str:
    """Return the SQL for the rows with the columns of `table_columns`, one row for each item of a list."""
    inside, listed = table_columns.inside, table_columns.listed
    if function == "read_json":
        rows = json_rows(rows.removesuffix(")"), table_columns.names, table_columns.kinds, inside, listed)
    elif inside and not function:
        rows = flat_rows(rows, table_columns.names, inside)
    if not listed:
        return rows
    rows = split_rows(rows, listed[0]) if function in ALL_TEXT else equal_lists(path, rows, listed)
    return unnested_rows(rows, listed, table_columns.score, wanted)


def id_types(
    con: duckdb.DuckDBPyConnection, rows: str, table_columns: TableColumns, function: str
) -> dict[str, str]:
    """Return the types of userid and itemid; the first id of a CSV file determines the type of its column."""
    ids = {role: kind for role, kind in table_columns.kinds.items() if role in IDS}
    if function in ALL_TEXT:
        texts = [role for role, kind in ids.items() if kind == "VARCHAR"]
        ids |= {role: first_id_type(con, rows, table_columns.names[role]) for role in texts}
    if function:
        ids = {role: "BIGINT" if kind == "BIGINT" else "VARCHAR" for role, kind in ids.items()}
    return ids


def check_fields(con: duckdb.DuckDBPyConnection, path: str, rows: str, inside: Fields) -> None:
    """Raise DataError for a field of a struct or map that is NULL in all rows."""
    for name in (name for name, entry in inside.items() if not entry.is_list):
        if not con.execute(f"SELECT 1 FROM {rows} WHERE {identifier(name)} IS NOT NULL LIMIT 1").fetchall():
            raise DataError(f"{path}: no row has {name!r}")


def lists_of_ids(
    con: duckdb.DuckDBPyConnection,
    path: str,
    rows: str,
    types: Mapping[str, str],
    wanted: Wanted,
    function: str,
) -> tuple[list[str], str]:
    """Return the column with lists of ids, the columns with lists of their numbers, and Source.order.

    If there is a single number for a list, the list is one item, such as an ARRAY. A string is a list if it
    has blanks and there are no scores.
    """
    item, numbers = item_and_numbers(types, wanted)
    is_ranked = wanted.is_rec and not numbers
    if not item or (
        is_ranked and nearest_column("score_col", [column for column in types if column != item])
    ):
        return [], ""  # the user must name a column that may be a score
    if is_ranked:
        check_elements(path, item, types[item])
    if is_id_list(types[item]) and all(is_number_list(types[column]) for column in numbers):
        return [item, *numbers], "list" * is_ranked
    if is_ranked and function in ALL_TEXT and has_blanks(con, path, rows, item):
        return [item], "blanks"
    return [], ""


def item_and_numbers(types: Mapping[str, str], wanted: Wanted) -> tuple[str, list[str]]:
    """Return the column of items that may have lists, or "", and the columns of their numbers."""
    by_name = {name.lower(): name for name in types}
    named = {role: matching_columns(by_name, role, name, "") for role, name in wanted.columns.items()}
    if not wanted.trec_fields or wanted.items_are_lists or len(named["itemid"]) != 1:
        return "", []
    return by_name[named["itemid"][0]], [
        by_name[column] for role in NUMBERS for column in named.get(role, [])
    ]


def check_elements(path: str, item: str, kind: str) -> None:
    """Raise DataError for nested lists in a column of items."""
    if kind.endswith("][]"):
        rule = "must be a list of ids, or of objects with an id and a score"
        raise DataError(f"{path}: {item!r} {rule}, got {shorten(kind)}")


def is_number_list(kind: str) -> bool:
    return kind == "VARCHAR[]" or (kind.endswith("[]") and is_number(kind.removesuffix("[]")))


def is_id_list(kind: str) -> bool:
    return bool(re.fullmatch(r"(?!STRUCT|MAP|UNION)(.*[^]])\[\]", kind, re.DOTALL))


def has_blanks(con: duckdb.DuckDBPyConnection, path: str, rows: str, item: str) -> bool:
    """Return whether a VARCHAR column has values with several ids and blanks between them."""
    text, problem = identifier(item), literal(r"^\s*[\[({]|[,;|]\s")
    query = f"""SELECT coalesce(bool_or(regexp_matches({text}, {literal(BLANKS)})), false),
            min({text}) FILTER (regexp_matches({text}, {problem})) FROM {rows}"""
    ((is_list, other),) = con.execute(query).fetchall()
    if is_list and other is not None:
        rule = f"{item} must be ids with nothing but blanks between them, or a list of JSON or Parquet"
        raise DataError(f"{path}: {rule}, got {shorten(repr(other))}")
    return bool(is_list)


def with_list(
    con: duckdb.DuckDBPyConnection,
    error: MissingColumnsError,
    rows: str,
    types: Mapping[str, str],
    wanted: Wanted,
    function: str,
) -> MissingColumnsError:
    """Add the only column with lists of ids to an error for missing items; lists need no scores."""
    lists = [name for name, kind in types.items() if is_id_list(kind)]
    if function in ALL_TEXT and types.get(text := next(iter(error.near.get("score", ())), "")) == "VARCHAR":
        blanks = f"SELECT 1 FROM {rows} WHERE regexp_matches({identifier(text)}, {literal(BLANKS)}) LIMIT 1"
        lists = [text] * len(con.execute(blanks).fetchall())
    if not wanted.trec_fields or "itemid" not in error.near or len(lists) != 1:
        return error
    near = {**error.near, "itemid": lists}
    if near.get("score") in ([], lists):
        del near["score"]
    problem = error.problem
    if "score" not in near and wanted.is_rec:
        problem = problem.replace(f" and no column {wanted.required['score']!r}", "")
    return MissingColumnsError(error.path, problem, near, error.is_command)


def split_rows(rows: str, item: str) -> str:
    """Return the SQL for the rows with the ids of a string, split at blanks, as a list."""
    column = identifier(item)
    return f"(SELECT * REPLACE (regexp_extract_all({column}, '\\S+') AS {column})\nFROM {rows})"


def unnested_rows(rows: str, listed: Sequence[str], score: str, wanted: Wanted) -> str:
    """Return the SQL for a row for each id of a list, with its numbers, or with its rank as a score.

    An empty list of truth becomes a row without an item, to keep the user, who has no relevant item.
    """
    lists = [identifier(name) for name in listed]
    if not wanted.is_rec:
        empty = dict(zip(lists, ("NULL", "0"), strict=False))
        filled = (
            f"CASE WHEN len({column}) > 0 THEN {column}\n"
            f"    ELSE cast_to_type([{empty[column]}], {column}) END AS {column}"
            for column in lists
        )
        rows = f"(SELECT * REPLACE (\n    {', '.join(filled)})\nFROM {rows})"
    unnested = ", ".join(f"unnest({column}) AS {column}" for column in lists)
    rank = f"generate_subscripts({lists[0]}, 1)"
    ranks = f", {rank} AS {PLACE}" + (f", -{rank} AS {identifier(score)}" if score else "")
    return f"(SELECT * REPLACE ({unnested}){ranks}\nFROM {rows})"


def equal_lists(path: str, rows: str, listed: Sequence[str]) -> str:
    """Return the SQL for the rows; it raises an error if lists of ids and of numbers differ in length."""
    if len(listed) < 2:
        return rows
    ids = identifier(listed[0])
    counts = [f"coalesce(len({identifier(name)}), 0)" for name in listed]
    message = literal(f"{path}: {' and '.join(listed)} must be lists of the same length, got ")
    problem = (
        f"CASE WHEN {' <> '.join(counts)} THEN error({message} || {counts[0]} || ' and ' || {counts[1]})"
    )
    return f"(SELECT * REPLACE ({problem}\n    ELSE {ids} END AS {ids})\nFROM {rows})"


def object_source(con: duckdb.DuckDBPyConnection, path: str, reader: str, wanted: Wanted) -> Source | None:
    """Open JSON objects {user: {item: number}} or {user: [item, ...]}, as MTEB and ranx write runs and qrels.

    Returns None for rows: a key is a column, a value is no object or list, or a list has objects.
    """
    if any("." in name for name in wanted.required.values()):
        return None  # the required columns are fields of objects in rows
    rows, shapes, keys, zeros = first_object(con, reader)
    shape = shape_of_items(shapes)
    if not shape or is_row(path, keys, zeros, wanted):
        return None
    kinds = kinds_by_user(con, rows)
    if {"in ARRAY", "OBJECT"} <= {*kinds}:
        return None
    check_by_user(path, kinds, shape, wanted)
    if wanted.is_rec and len(kinds) == 1:
        return empty_source(path, {})
    number = number_by_user(path, shape, wanted)
    has_texts = bool(number) and shape == "OBJECT" and "VARCHAR" in kinds
    values, texts = ("MAP(VARCHAR, VARCHAR)", [number]) if has_texts else (BY_SHAPE[shape], [])
    rows = rows_by_user(rows, values, number, wanted)
    rows = typed_rows(con, literal(path), rows, dict(zip(texts, texts, strict=True)))
    ids = {role: first_id_type(con, rows, role) for role in IDS}
    columns = {role: role for role in (*IDS, number) if role}
    order = "list" * (shape == "ARRAY" and wanted.is_rec)
    return Source(path, rows, columns, ids, order=order, is_filled=not wanted.is_rec)


def shape_of_items(shapes: Collection[str]) -> str:
    """Return the shape of the items of users, OBJECT or ARRAY; "" if a user has another value."""
    shape = next((kind for kind in BY_SHAPE if kind in shapes), "")
    return shape if {*shapes} <= {*BY_SHAPE, "NULL"} else ""


def is_row(path: str, keys: Collection[str], zeros: int, wanted: Wanted) -> bool:
    """Return whether the keys of an object are columns of a row; DataError for an object of columns."""
    by_name = {key.lower() for key in keys}
    if not any(matching_columns(by_name, role, wanted.required[role], "") for role in IDS):
        return False
    if zeros < len(keys):  # not all columns have the index "0" that pandas writes
        return True
    rule = "write rows, as pandas' to_json(orient='records') does"
    raise DataError(f"{path}: an object of columns: {rule}")


def kinds_by_user(con: duckdb.DuckDBPyConnection, rows: str) -> dict[str, str]:
    """Return the kinds of the values of users ("in ...") and of their items, each with an example of a user.

    The kind "twice" marks a repeated key.
    """
    query = f"""SELECT kind, min(userid) FROM (
            SELECT userid, unnest(['in ' || coalesce(json_type(items), 'NULL')]
                || coalesce(json_type(items, '$.*') || json_type(items, '$[*]'), [])
                || if(n > 1 OR len(list_distinct(json_keys(items))) < len(json_keys(items)), ['twice'], [])
                ) AS kind
            FROM (SELECT *, count(*) OVER (PARTITION BY userid) AS n
                FROM ({USERS} FROM {rows}, columns = {{'users': 'MAP(VARCHAR, JSON)'}}))))
        GROUP BY kind ORDER BY kind <> 'OBJECT', kind"""
    return dict(con.execute(query).fetchall())


def check_by_user(path: str, kinds: Mapping[str, str], shape: str, wanted: Wanted) -> None:
    """Raise DataError for a repeated key, or for a value of an invalid kind."""
    fit = {f"in {shape}", "UBIGINT", "BIGINT", "NULL"}
    fit |= {"VARCHAR"} if shape == "ARRAY" else {"VARCHAR", "DOUBLE"}
    fit |= {"BOOLEAN"} if shape == "OBJECT" and not wanted.is_rec else set()
    if "twice" in kinds:  # only DuckDB 2.0 refuses to read it
        raise DataError(f"{path}: {KEYS}")
    for kind, user in kinds.items():
        if kind not in fit:
            got = f"{JSON_KINDS.get(kind.removeprefix('in '), 'a number')} at {shorten(repr(user))}"
            advice = ": write the object inside to a file of its own" * (kind == "OBJECT")
            raise DataError(f"{path}: must be {BY_USER}, got {got}{advice}")


def number_by_user(path: str, shape: str, wanted: Wanted) -> str:
    """Return the role of numbers, or ""; raise MissingColumnsError if other columns are required."""
    has_grades = "rel" in wanted.columns and shape == "OBJECT"
    number = "score" if wanted.is_rec else "rel" * has_grades
    if missing := {*wanted.required} - {*IDS, number}:
        problem = f"no column {wanted.required[missing.pop()]!r} in {BY_USER}"
        raise MissingColumnsError(path, problem, {}, wanted.is_command)
    return number


def rows_by_user(rows: str, kind: str, number: str, wanted: Wanted) -> str:
    """Return the SQL for a row for each item of a user, with its number, or its rank as a score."""
    is_list = kind.endswith("[]")
    listed = ["itemid"] if is_list or not number else ["itemid", number]
    values = ["items" if is_list else "map_keys(items)", "map_values(items)"]
    items = ", ".join(f"{sql} AS {name}" for sql, name in zip(values, listed, strict=False))
    rows = f"{USERS}\nFROM {rows}, columns = {{'users': 'MAP(VARCHAR, {kind})'}})"
    rows = f"(SELECT userid, {items}\nFROM ({rows}))"
    return unnested_rows(rows, listed, number if is_list else "", wanted)


def first_object(con: duckdb.DuckDBPyConnection, reader: str) -> tuple[str, list[str], list[str], int]:
    """Return a reader of JSON values; the kinds and keys of the first value, and how many have a key "0".

    If an object is larger than DuckDB's buffers, the buffers are enlarged.
    """
    for bits in range(24, 32):
        rows = f"{reader}, records = 'false'" + f", maximum_object_size = {2**bits}" * (bits > 24)
        query = "SELECT json_type(users, '$.*'), json_keys(users), len(users -> '$.*.\"0\"')"
        try:
            row = con.execute(f"{query} FROM {rows}, columns = {{'users': 'JSON'}}) LIMIT 1").fetchone()
            return (rows, *row) if row else (rows, [], [], 0)
        except duckdb.Error as error:
            if "maximum_object_size" not in str(error):
                break
    return "", [], [], 0


def has_empty_list(con: duckdb.DuckDBPyConnection, rows: str, lists: Iterable[str], wanted: Wanted) -> bool:
    """Return whether recommendations have rows, and one of these columns has only empty lists."""

    def is_any(condition: str) -> bool:
        return bool(con.execute(f"SELECT 1 FROM {rows} WHERE {condition} LIMIT 1").fetchall())

    required = {role for role in wanted.required if not is_also(role)}
    columns = [identifier(column) for column in lists] if required == {"userid", "itemid", "score"} else []
    full = "coalesce(len(TRY_CAST({0} AS JSON[])), ({0} IS NOT NULL)::INTEGER) > 0"
    return not all(is_any(full.format(column)) for column in columns) and is_any("true")


def empty_source(path: str, types: Mapping[str, str]) -> Source:
    """Return the source for rankings that are all empty."""
    columns = {**dict.fromkeys(IDS, "CAST(NULL AS VARCHAR)"), "score": "CAST(NULL AS DOUBLE)"}
    return Source(path, "(SELECT 1)", columns, dict.fromkeys(IDS, "BIGINT"), is_empty=True, types=types)


def first_id_type(con: duckdb.DuckDBPyConnection, rows: str, name: str) -> str:
    """Return the type of the first id of a column; DuckDB's sample may have only NULLs."""
    query = f"SELECT {identifier(name)} FROM {rows} WHERE {identifier(name)} IS NOT NULL LIMIT 1"
    first = con.execute(query).fetchall()
    return "BIGINT" if all(re.fullmatch(r"-?\d+", value) for (value,) in first) else "VARCHAR"


def flat_rows(rows: str, names: Mapping[str, str], inside: Fields) -> str:
    """Return the SQL for the rows with these columns and fields, one row for each element of a list.

    An empty list becomes a row with the grade 0, as in `unnested_rows`, unless the table has scores.
    """
    columns = {name: f"{inside[name].sql} AS " if name in inside else "" for name in names.values()}
    if (grade := inside.get(names.get("rel", ""))) and grade.is_list:
        is_none = f"{identifier(grade.column)} IS NULL"
        columns[names["rel"]] = (
            f"CASE WHEN {is_none} THEN cast_to_type(0, {grade.sql}) ELSE {grade.sql} END AS "
        )
    for column in {identifier(entry.column) for entry in inside.values() if entry.is_list}:
        filled = f"CASE WHEN len({column}) > 0 THEN {column} ELSE cast_to_type([NULL], {column}) END"
        element = f"unnest({column if 'score' in names else filled}) AS {column}"
        rows = f"(SELECT * REPLACE ({element}), generate_subscripts({column}, 1) AS {PLACE} FROM {rows})"
        columns[PLACE] = ""
    return f"(SELECT {', '.join(sql + identifier(name) for name, sql in columns.items())}\nFROM {rows})"


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


def json_rows(
    reader: str, names: Mapping[str, str], kinds: Mapping[str, str], inside: Fields, listed: Collection[str]
) -> str:
    """Return the SQL for the rows of JSON, with DOUBLE numbers: DuckDB could round them to integers."""
    types = {
        names[role]: "DOUBLE" if is_of_numbers(role) and kind not in TEXT else "VARCHAR"
        for role, kind in kinds.items()
    }
    types |= {names[role]: "JSON" for role in IDS if kinds.get(role, "VARCHAR") != "VARCHAR"}
    types |= {name: f"{types[name]}[]" for name in listed}
    fields: dict[str, list[str]] = {}
    for name, entry in inside.items():
        fields.setdefault(entry.column, []).append(f"{identifier(entry.field)} {types.pop(name)}")
    for entry in inside.values():
        types[entry.column] = f"STRUCT({', '.join(fields[entry.column])}){'[]' * entry.is_list}"
    rows = f"{reader}, columns = {struct_literal(types)})"
    return flat_rows(rows, names, inside) if inside else rows


def json_ids(path: str, rows: str, names: Mapping[str, str], kinds: Mapping[str, str]) -> str:
    """Return the SQL for the rows with numeric ids of JSON as strings.

    It raises an error for a number with a point or an exponent, since DuckDB reads 1.10 as 1.1. A number
    begins with a digit or a sign, which sort before the colon; a string begins with a quote.
    """
    ids = []
    for role in (name for name in IDS if kinds.get(name, "VARCHAR") != "VARCHAR"):
        column = identifier(names[role])
        written = f"{column}::VARCHAR"
        refused = f"{written} < ':' AND (contains({written}, '.') OR contains({written}, 'e'))"
        message = f"{path}: {role} must be a string or an integer, got the number "
        ids.append(
            f"CASE WHEN starts_with({written}, '\"') THEN {column} ->> '$'\n"
            f"        WHEN {refused} THEN error({literal(message)} || {written})\n"
            f"        ELSE {written} END AS {column}"
        )
    replaced = ",\n    ".join(ids)
    return f"(SELECT * REPLACE (\n    {replaced})\nFROM {rows})" if ids else rows


def struct_literal(types: Mapping[str, str]) -> str:
    return f"{{{', '.join(f'{literal(name)}: {literal(kind)}' for name, kind in types.items())}}}"


def trec_source(path: str, location: str, fields: int) -> Source:
    """Open a TREC run (system, topic, document, score) or qrels (topic, document, grade) as a table."""
    shape = "topic Q0 doc rank score tag" if fields == RUN else "topic 0 doc grade"
    message = literal(f"{path}: a line must have the form `{shape}`: ")
    read_lines = f"read_csv({location}, {LINES})"
    rows = (
        f"(SELECT CASE WHEN len(words) = {fields} THEN words ELSE error({message} || line) END AS words\n"
        "FROM (SELECT line, regexp_split_to_array(trim(line, e' \\t\\r'), '\\s+') AS words\n"
        f"FROM {read_lines} WHERE trim(line, e' \\t\\r') <> ''))"
    )
    columns = {"userid": "words[1]", "itemid": "words[3]"}
    if fields == RUN:
        score = number(literal(path), "score", "words[5]", is_grade=False)
        columns |= {"system": "words[6]", "score": score, "rank": "words[4]"}
    else:
        columns["rel"] = number(literal(path), "grade", "words[4]", is_grade=True)
    return Source(path, rows, columns, {"userid": "VARCHAR", "itemid": "VARCHAR"}, is_trec=True)
