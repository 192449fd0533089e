"""Render results: text for people by tabulate; CSV, JSON and Parquet for programs by DuckDB's COPY."""

import itertools
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from html import escape
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import fill
from typing import Any

import duckdb

from ..evaluation.defaults import DIGITS, FORMULA
from ..evaluation.errors import DataError
from ..evaluation.queries import fetch_rows
from ..evaluation.words import Row, format_number
from ..inputs.manifest import METADATA
from ..inputs.paths import extension
from ..inputs.sources import column_types
from ..quoting import identifier, literal
from ..texts import printable, shorten
from ..writing import atomic_file
from .messages import WRITABLE
from .values import COPY_OPTIONS, TREC

WIDTH = 80  # of text
LENGTHS = (36, 28, 22, 16, 12)  # of ids in text that is too wide, tried in order; a UUID has 36 characters
IDS = (("system", "baseline"), ("segment",), ("itemid",), ("label",))  # fields of rows with the same ids
STYLES = {"table": "simple", "markdown": "github", "html": "html", "latex": "latex_booktabs"}  # tabulate's
COPIED = ("csv", "json", "parquet")
RESULT = "_ranking_command_result"  # the TEMP table with the rows of a result
LINES = {TREC: "FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '\t'"}  # lines without any quoting
DOCUMENT = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>ranking-udfs</title>
<style>
body {{ font-family: sans-serif }}
table {{ border-collapse: collapse }}
th, td {{ border-bottom: 1px solid #ccc; padding: 0.2em 0.8em; text-align: left }}
</style>
{}</html>
"""
# Characters with a meaning in Markdown or in its HTML. An underscore within a word has no meaning.
MARKUP = re.compile(r"[\\`*\[\]<>&|~]|(?<!\w)_|_(?!\w)")
NUMBER = re.compile(r"(-?\d+(\.\d*)?(e-?\d+)?)?")  # or an empty string
# VARCHAR columns; if all values are NULL, the values do not show the type.
TEXTS = ("segment", "system", "baseline", "measure", "method", "verdict", "caveats")
Column = str | Callable[[Row], Any]  # a field of a row, or a function of the row
Columns = list[tuple[str, Column]]  # each with its heading


@dataclass(frozen=True)
class Table:
    """A table to show: columns of rows, by heading.

    Text that is wider than WIDTH drops columns, then has a block for each value of a column, and then shorter
    ids.
    """

    rows: Sequence[Row]
    columns: Sequence[tuple[str, Column]]
    title: str = ""
    dispensable: Sequence[str] = ()  # headings of columns to drop, in order
    block: str = ""  # heading of the column whose values are the titles of blocks
    otherwise: "Callable[[], list[Table]] | None" = None  # tables to try instead; the last one last of all

    def without(self, *headings: str) -> "Table":
        return replace(self, columns=[column for column in self.columns if column[0] not in headings])


@dataclass(frozen=True)
class Folded:
    """Parts that a reader opens in Markdown."""

    title: str
    parts: "Sequence[Part]"


Part = Sequence[str] | Table | Folded  # sentences, a table or folded parts


@dataclass(frozen=True)
class Result:
    """A result: parts to show to people, or the rows in RESULT for programs, whose parts are not made."""

    parts: Iterable[Part]
    names: Sequence[str] = ()  # the columns for programs; all if there are none
    failed: Sequence[str] = ()  # a line for each condition of --fail-if that fails


def fields_table(rows: Sequence[Row], names: Iterable[str]) -> Table:
    return Table(rows, [(name, name) for name in names])


def keep(con: duckdb.DuckDBPyConnection, *queries: str) -> list[dict[str, Any]]:
    """Keep the rows of queries in RESULT, in their order, and return them."""
    numbered = (
        f"SELECT *, {i * 10**9} + row_number() OVER () AS _row FROM (\n{query}\n)"
        for i, query in enumerate(queries)
    )
    rows = "\nUNION ALL BY NAME ".join(numbered)
    con.execute(f"CREATE OR REPLACE TEMP TABLE {RESULT} AS\n{rows}")
    return kept_rows(con)


def kept_rows(con: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    return fetch_rows(con, f"SELECT * EXCLUDE (_row) FROM {RESULT} ORDER BY _row")


def keep_rows(con: duckdb.DuckDBPyConnection, rows: Sequence[Row], names: Iterable[str] = ()) -> None:
    """Keep rows that Python has made in RESULT; `names` are their columns if there may be none."""
    kinds = {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE", Decimal: "DOUBLE"}
    types = {name: "VARCHAR" if name in TEXTS else "DOUBLE" for name in names or rows[0]}
    for row in rows:
        types |= {name: kinds.get(type(value), "VARCHAR") for name, value in row.items() if value is not None}
    fields = ", ".join(f"{identifier(name)} {kind}" for name, kind in types.items())
    values = [{**{name: row.get(name) for name in types}, "_row": i} for i, row in enumerate(rows)]
    query = f"SELECT unnest($1::STRUCT({fields}, _row BIGINT)[], max_depth := 2)"
    con.execute(f"CREATE OR REPLACE TEMP TABLE {RESULT} AS {query}", [values])


def pivot(
    rows: Sequence[Row], keys: Iterable[tuple[str, str]], heading: Callable[[Row], str], **more: Any
) -> Table:
    """Return a table with a row for each value of the keys, and a column of values for each heading."""
    keys, lines = [*keys], dict[Any, dict[str, Any]]()
    key_of = itemgetter(*[name for _, name in keys])
    for row in rows:
        line = lines.setdefault(key_of(row), {**row})
        line[f"={heading(row)}"] = row["value"]
    headings = dict.fromkeys(map(heading, rows))
    return Table([*lines.values()], [*keys, *((name, f"={name}") for name in headings)], **more)


def render(con: duckdb.DuckDBPyConnection, options: Any, result: Result, manifest: str = "") -> str | None:
    """Return the text of a result; for programs, write the rows to the output file and return None."""
    form, path = options.format, options.output
    if form not in COPIED:
        text = rendered(form, result.parts, options.digits or DIGITS)
        return DOCUMENT.format(text) if form == "html" else text
    query = copied_query(con, result.names, options.digits, form == "csv" and options.safe_csv)
    if path is not None and form != "json":
        write_rows(con, query, path, manifest, f".{form}")
        return None
    with TemporaryDirectory() as folder:
        file = os.path.join(folder, f"rows.{form}")
        write_rows(con, query, file)
        text = Path(file).read_bytes().decode()
    if form == "json":  # escape control characters, since a terminal would execute them
        text = text.replace("\n\t\n", "").replace("\n\t", "\n  ")
        return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)
    return text


def copied_query(
    con: duckdb.DuckDBPyConnection, names: Sequence[str], digits: int | None, is_safe: bool
) -> str:
    """Return the query for columns of RESULT, with so many digits, and if `is_safe` without formulas."""
    types, columns = column_types(con, RESULT), []
    for name in names or [name for name in types if name != "_row"]:
        column = value = identifier(name)
        if digits is not None and types[name] == "DOUBLE":
            value = f"format('{{:.{digits}g}}', {column})::DOUBLE"
        elif is_safe and types[name] == "VARCHAR":
            quote = f"CASE WHEN regexp_matches({column}, {literal(FORMULA)}) THEN '''' ELSE '' END"
            value = f"{quote} || {column}"
        columns.append(f"{value} AS {column}")
    return f"SELECT {', '.join(columns)} FROM {RESULT} ORDER BY _row"


def rendered(form: str, parts: Iterable[Part], digits: int = DIGITS) -> str:
    """Render parts, with blank lines between them."""
    texts = []
    for part in parts:
        if isinstance(part, Folded):
            inner = rendered(form, part.parts, digits)
            texts.append(f"<details><summary>{escape(part.title)}</summary>\n\n{inner}\n</details>\n")
        elif isinstance(part, Table):
            for table in fitting(form, part, digits):
                title = f"{sentence_text(form, table.title)}\n" if table.title else ""
                texts.append(title + tabulated(form, table, digits))
        else:
            texts.append("".join(sentence_text(form, line) for line in part))
    return "\n".join(filter(None, texts))


def fitting(form: str, table: Table, digits: int) -> list[Table]:
    """Return what is shown for a table: text drops, parts or shortens what does not fit."""
    if table.otherwise and fits(table, digits):
        return [table]
    shown = tables = [table, *(table.otherwise() if table.otherwise else [])]
    if form != "table":
        return [tables[len(tables) > 1]]
    for group in (tables[:-1], tables[-1:]):
        for longest in (None, *LENGTHS):
            for shown in itertools.chain.from_iterable(map(layouts, group)):
                shown = [shorter(one, longest) for one in shown] if longest else shown
                if all(fits(one, digits) for one in shown):
                    return shown
    return shown


def layouts(table: Table) -> Iterator[list[Table]]:
    """Yield ways to show a table, the widest first."""
    for count in range(len(table.dispensable) + 1):
        yield [table.without(*table.dispensable[:count])]
    if table.block:
        column, blocks = dict(table.columns)[table.block], dict[str, list[Row]]()
        for row in table.rows:
            blocks.setdefault(str(value_of(row, column)), []).append(row)
        one = table.without(table.block, *table.dispensable)
        yield [
            replace(one, rows=rows, title=", ".join(filter(None, [table.title, f"{table.block}: {name}"])))
            for name, rows in blocks.items()
        ]


def fits(table: Table, digits: int) -> bool:
    return max(map(len, tabulated("table", table, digits).splitlines())) <= WIDTH


def shorter(table: Table, longest: int) -> Table:
    """Return the table with ids and headings of at most so many characters, and titles of half as many."""
    short = {
        name: cut(
            (row[name] for row in table.rows for name in names if isinstance(row.get(name), str)), longest
        )
        for names in IDS
        for name in names
    }
    headings = cut((heading for heading, _ in table.columns), longest)
    rows = [
        {name: short.get(name, {}).get(value, value) for name, value in row.items()}
        | ({"title": shorten(row["title"], longest // 2)} if row.get("title") else {})
        for row in table.rows
    ]
    return replace(table, rows=rows, columns=[(headings[name], column) for name, column in table.columns])


def cut(texts: Iterable[str], longest: int) -> dict[str, str]:
    """Return each text with at most so many characters, among them the first that no other text has there."""
    known, room = sorted({*texts}), longest - 3
    same = [0, *(len(os.path.commonprefix(pair)) for pair in itertools.pairwise(known)), 0]  # noqa: RUF071
    short = dict(zip(known, known, strict=True))
    for i, text in enumerate(known):
        if len(text) > longest:
            different = max(same[i : i + 2])
            start = min(different - longest // 4, len(text) - room)
            short[text] = f"{text[:room]}..." if different < room else shorten(f"...{text[start:]}", longest)
    return short


def value_of(row: Row, column: Column) -> Any:
    return row.get(column, "") if isinstance(column, str) else column(row)


def tabulated(form: str, table: Table, digits: int) -> str:
    """Render a table; text aligns the decimal points."""
    from tabulate import tabulate  # The import takes 15 ms, and no other form needs it.

    cells = [
        [cell_text(form, value_of(row, column), digits) for _, column in table.columns] for row in table.rows
    ]
    header = [cell_text(form, heading, digits) for heading, _ in table.columns]
    columns = list(zip(*cells, strict=True)) if form == "table" else []
    sides = [
        "decimal" if all(map(NUMBER.fullmatch, column)) and any(column) else "left" for column in columns
    ]
    return str(tabulate(cells, header, STYLES[form], disable_numparse=True, colalign=sides or None)) + "\n"


def cell_text(form: str, cell: Any, digits: int) -> str:
    if cell is None:
        return "NULL"
    text = format_number(cell, digits) if isinstance(cell, float) else printable(cell)
    return MARKUP.sub(r"\\\g<0>", text) if form == "markdown" else text


def sentence_text(form: str, line: str) -> str:
    if form == "latex":
        return f"% {line}\n"
    if form == "markdown":
        return f"- {cell_text(form, line, 0)}\n"
    if form == "html":
        return f"<p>{escape(printable(line))}</p>\n"
    whole = re.sub(r"\bp ([=<]) (?=\d)", "p\N{NO-BREAK SPACE}\\1\N{NO-BREAK SPACE}", line)
    lines = fill(whole, WIDTH, subsequent_indent="  ", break_on_hyphens=False)
    return re.sub("p\N{NO-BREAK SPACE}([=<])\N{NO-BREAK SPACE}", r"p \1 ", lines) + "\n"


def check_outputs(outputs: Sequence[str], inputs: Sequence[str]) -> None:
    """Raise DataError if an output cannot be written, or would overwrite an input or another output."""
    for i, path in enumerate(outputs):
        folder = os.path.dirname(path) or "."
        if not os.path.isdir(folder):
            raise DataError(f"{path}: no such directory: {folder}")
        if os.path.isdir(path):
            raise DataError(f"{path}: a directory, not a file")
        if os.path.isfile(path) or not os.path.exists(path):  # devices and pipes need no folder
            check_folder(os.path.dirname(os.path.realpath(path)))
        for other in (*inputs, *outputs[:i]):
            if is_same(path, other):
                raise DataError(f"{path}: would overwrite {other}; both are the same file")


def check_folder(path: str) -> None:
    """Raise DataError if files cannot be written to the folder; it need not exist yet."""
    there = os.path.abspath(path)
    while not os.path.exists(there):
        there = os.path.dirname(there)
    if not os.path.isdir(there):
        raise DataError(f"{os.path.relpath(there)}: a file, not a directory")
    if not os.access(there, os.W_OK):
        raise DataError(f"{there}: no permission to write there")


def is_same(path: str, other: str) -> bool:
    if os.path.exists(path) and os.path.exists(other):
        return os.path.samefile(path, other)
    return os.path.realpath(path) == os.path.realpath(other)


def copy_statement(query: str, path: str, options: str = "", manifest: str = "", ending: str = "") -> str:
    """Return the COPY statement that writes the rows of a query; `ending` is by default that of the file."""
    ending = ending or extension(path)
    if manifest and ending == ".parquet":
        options += f", KV_METADATA {{{METADATA}: {literal(manifest)}}}"
    return f"COPY (\n{query}\n) TO {literal(path)} ({(COPY_OPTIONS | LINES)[ending]}{options})"


def write_rows(
    con: duckdb.DuckDBPyConnection, query: str, path: str, manifest: str = "", ending: str = ""
) -> None:
    """Write the rows of a query to a file, atomically."""
    with atomic_file(path) as temporary:
        con.execute(copy_statement(query, temporary, ", USE_TMP_FILE false", manifest, ending))


def write_output(path: str | None, text: str | bytes | None) -> None:
    """Print the text, or write it to the file; None is written already."""
    if text is None:
        return
    if path is None:
        text = text if isinstance(text, str) else text.decode()
        if sys.stdout is None:
            raise DataError("standard output is closed")
        if sys.stdout.isatty():  # a terminal would execute escape sequences in names
            text = "".join(f"{printable(line)}\n" for line in text.splitlines())
        sys.stdout.write(text)
        return
    with atomic_file(path) as temporary, open(temporary, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode(errors=WRITABLE))
