"""CSV files: by DuckDB's reader, or line by line."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

import duckdb

from ..evaluation.errors import DataError
from ..quoting import identifier, literal
from ..texts import shorten
from .paths import pattern
from .rows import table_source
from .sources import LINES, MissingColumnsError, Reader, Source, Wanted, column_types
from .trec import trec_advice

# The regular expressions of each delimiter, and of a character that is no delimiter.
DELIMITERS = {
    **{",": (",", "[^,]"), "\t": (r"\t", r"[^\t]"), ";": (";", "[^;]"), "|": (r"\|", r"[^|]")},
    "::": ("::", "[^:]|:[^:]"),
}


def csv_source(
    con: duckdb.DuckDBPyConnection, path: str, rows: str, files: Sequence[str], wanted: Wanted
) -> Source:
    """Open CSV files by DuckDB's reader, or line by line if it fails or finds only one column."""
    missing = None
    if not (wanted.by_lines and is_refused(con, rows)):
        try:
            source = table_source(Reader(con, path, rows, wanted, "read_csv", len(files) > 1))
            return replace(source, csv=pattern(files[0]) if len(files) == 1 and not source.order else "")
        except MissingColumnsError as error:
            missing = error if len(column_types(con, rows)) > 1 else None
    text = line_rows(path, files)
    try:
        return table_source(Reader(con, path, text, wanted, "lines"))
    except MissingColumnsError as error:
        has_columns = missing or len(column_types(con, text)) > 1
        rule = f"write one of {' '.join(map(repr, DELIMITERS))} between columns; its first line has none"
        rule = trec_advice(con, path, files[0], wanted) or rule * (not has_columns)
        if not rule:
            raise missing or error from None
        raise MissingColumnsError(path, f"{error.problem}; {rule}", {}, wanted.way) from None


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
