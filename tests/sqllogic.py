"""Read and run `tests/sql/*.test`, which are written in DuckDB's sqllogictest format.

The files use this part of it: `statement ok`; `statement error` with the message behind `----`; and
`query III`, a letter for each column, with the rows behind `----` and a tab between values. An empty line
ends a record. `onlyif LABEL` and `skipif LABEL` before a record, and `require LABEL` before all that follow,
name a DuckDB (`duckdb1` or `duckdb2`). `foreach NAME VALUE ...` to
`endloop` repeats records with each value in place of `${NAME}`; `foreach A,B 1,2 3,4` sets two names.

A message is the whole first line of the error, and a DOUBLE is compared by value (`by_value.py`). The runner
adds `FROM errors_of($$statement$$)`: each row below it has what replaces `{}`, a tab, and the message.
"""

import operator
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb

import ranking_udfs
from tests import by_value

FOLDER = Path(__file__).parent / "sql"
# A loop without a loop in it, in lines that begin with their number.
LOOP = re.compile(r"^\d+ foreach (\S+) (.+)\n((?:(?!\d+ (?:foreach|endloop)).*\n)*)\d+ endloop\n", re.M)
ERRORS_OF = re.compile(r"FROM errors_of\(\$\$(.+)\$\$\)", re.DOTALL)


@dataclass(frozen=True)
class Record:
    """A statement or query, what it must give, and for which labels."""

    line: int
    kind: str  # "ok", "error", or the letters of the columns of a query
    sql: str
    expected: list[str]
    conditions: list[list[str]]  # such as ["onlyif", "duckdb2"]

    @property
    def is_for_this_duckdb(self) -> bool:
        own = f"duckdb{duckdb.__version__[0]}"
        return all((label == own) == (word != "skipif") for word, label in self.conditions)


def repeated(loop: re.Match[str]) -> str:
    """Return what is in a loop once for each value."""
    names, values, body = loop.groups()
    copies = []
    for value in values.split():
        copies.append(body)
        parts = value.split(",") if "," in names else [value]
        for name, part in zip(names.split(","), parts, strict=True):
            copies[-1] = copies[-1].replace(f"${{{name}}}", part)
    return "".join(copies)


def read(path: Path) -> Iterator[Record]:
    """Yield the records of a file, those of a loop once for each value."""
    lines = path.read_text(encoding="utf-8").split("\n")
    numbered = "".join(f"{number} {line}\n" for number, line in enumerate(lines, 1))
    while LOOP.search(numbered):
        numbered = LOOP.sub(repeated, numbered)
    required: list[list[str]] = []
    for paragraph in re.split(r"^\d+ \n", numbered, flags=re.MULTILINE):
        conditions = [*required]
        while paragraph:
            head, _, paragraph = paragraph.partition("\n")
            number, line = head.split(" ", 1)
            match line.split():
                case ["#", *_]:
                    continue
                case ["require" | "onlyif" | "skipif" as word, "duckdb1" | "duckdb2"] as words:
                    (required if word == "require" else conditions).append(words)
                    continue
                case ["statement", "ok" | "error" as kind] | ["query", kind]:
                    text = re.sub(r"^\d+ ", "", paragraph, flags=re.MULTILINE)
                    sql, dashes, expected = text.partition("\n----\n")
                    if bool(dashes) == (kind != "ok"):
                        yield Record(int(number), kind, sql, expected.splitlines(), conditions)
                        break
            raise ValueError(f"tests/sql/{path.name}:{number}: this is no complete record: {line}")


def cell_text(cell: Any) -> str:
    """Write a value as DuckDB's own test runner does."""
    if isinstance(cell, list | tuple):
        return f"[{', '.join(map(cell_text, cell))}]"
    text = str(cell).lower() if isinstance(cell, bool) else str(cell).replace("\n", "\\n")
    return "NULL" if cell is None else text or "(empty)"


def row_text(row: tuple[Any, ...]) -> str:
    return "\t".join(map(cell_text, row))


def is_equal(letter: str, cell: Any, expected: str) -> bool:
    """Compare a value with its text, and a DOUBLE by its value, in lists too."""
    if isinstance(cell, float | Decimal):
        is_number = letter == "R" and re.fullmatch(r"-?[\d.]+(e-?\d+)?|nan", expected)
        is_equal = by_value.is_equal if isinstance(cell, float) else operator.eq
        return bool(is_number) and (is_equal(float(expected), float(cell)) or str(cell) == expected)
    is_right = cell is None or letter == ("I" if isinstance(cell, int) else "T")
    return is_right and not by_value.differences(expected, cell_text(cell))


class Runner:
    """A database with the pack, which runs each file in a schema of its own."""

    def __init__(self) -> None:
        self.con = self.database = ranking_udfs.register(duckdb.connect())

    def rows(self, record: Record) -> list[tuple[Any, ...]]:
        """Run a record and return its rows: of an error its message, of other statements none."""
        if table := ERRORS_OF.fullmatch(record.sql):
            parts = [line.partition("\t")[0] for line in record.expected]
            calls = [replace(record, kind="error", sql=table[1].replace("{}", part)) for part in parts]
            return [(part, *self.rows(call)[0]) for part, call in zip(parts, calls, strict=True)]
        try:
            rows = self.con.execute(record.sql).fetchall()
        except duckdb.Error as error:
            message = str(error).removeprefix("Invalid Input Error: ").partition("\n")[0]
            message = message.rpartition("executing the UDF: ")[2]
            return [(message if record.kind == "error" else f"an error: {error}",)]
        return rows if record.kind not in ("ok", "error") else [("no error",)] * (record.kind == "error")

    def results(self, path: Path) -> Iterator[tuple[Record, list[tuple[Any, ...]]]]:
        """Yield each record of a file with its rows, run without tables and settings of other files."""
        self.con = self.database.cursor()
        self.con.execute(f"CREATE SCHEMA \"{path.stem}\"; SET schema = '{path.stem}'")
        for record in read(path):
            if record.is_for_this_duckdb:
                yield record, self.rows(record)

    def failures(self, path: Path) -> Iterator[str]:
        """Yield each record of a file that gives something else, with what it gives."""
        for record, rows in self.results(path):
            letters = "T" if record.kind == "error" else record.kind
            cells = [line.split("\t") for line in record.expected]
            widths = [len(letters)] * len(rows)
            is_right = [*map(len, rows)] == [*map(len, cells)] == widths
            if not (
                is_right and all(all(map(is_equal, letters, *pair)) for pair in zip(rows, cells, strict=True))
            ):
                place = f"tests/sql/{path.name}:{record.line}"
                yield f"{place}\n{record.sql}\n----\n" + "\n".join(map(row_text, rows))
