"""Resolve names of tables: in a database, in the user's connection, or labels of data frames."""

import os
import re
from collections.abc import Sequence

import duckdb

from ..compose.columns import QUERY
from ..evaluation.errors import DataError
from ..quoting import identifier, literal, unquoted
from ..texts import nearest, shorten

RESERVED = ("memory", "system", "temp")  # names that DuckDB reserves for its own databases


class Catalog:
    """A catalog without tables: each path is a file."""

    path: str | None = None  # of a database; attach_statement attaches it

    def find(self, con: duckdb.DuckDBPyConnection, text: str) -> str | None:
        """Return the SQL after FROM for the table with this name, or None if there is none."""
        return None

    def missing_error(self, con: duckdb.DuckDBPyConnection, text: str) -> DataError:
        """Return the error for a name that is neither a table nor a file."""
        is_query = "; of a query, make a file, or a view, and pass --database" if QUERY.match(text) else ""
        return DataError(f"{text}: no such file{is_query}")


class Database(Catalog):
    """The tables and views of an attached database file."""

    def __init__(self, path: str) -> None:
        self.path, self.name = path, database_name(path)

    def relations(self, con: duckdb.DuckDBPyConnection) -> dict[tuple[str, str], str]:
        """Return the SQL name of each table and view, by schema and name in lower case."""
        query = """
            SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = $1 AND NOT internal
            UNION ALL
            SELECT schema_name, view_name FROM duckdb_views() WHERE database_name = $1 AND NOT internal
            ORDER BY ALL
        """
        return {
            (schema.lower(), name.lower()): ".".join(map(identifier, (self.name, schema, name)))
            for schema, name in con.execute(query, [self.name]).fetchall()
        }

    def find(self, con: duckdb.DuckDBPyConnection, text: str) -> str | None:
        """Return the table or view with the name `name`, `schema.name` or `database.schema.name`."""
        if not re.fullmatch(r'(?:"(?:[^"]|"")+"|[^".]+)(?:\.(?:"(?:[^"]|"")+"|[^".]+)){0,2}', text):
            return None
        parts = re.findall(r'"(?:[^"]|"")+"|[^".]+', text)
        parts = [unquoted(part) for part in parts]
        there = self.relations(con)
        *outer, name = (part.lower() for part in parts)
        if outer[:1] == [self.name.lower()] and (len(outer) == 2 or (*outer, name) not in there):
            outer = outer[1:]
        return there.get((outer[0] if outer else "main", name)) if len(outer) < 2 else None

    def missing_error(self, con: duckdb.DuckDBPyConnection, text: str) -> DataError:
        """Return the error, with a suggestion."""
        if QUERY.match(text):
            return DataError(f"{text}: no such table or view; of a query, make a view in {self.path}")
        names = {".".join(key if key[0] != "main" else key[1:]): key for key in self.relations(con)}
        called = text.lower()
        near = [name for name, (_, table) in names.items() if table in (called, called.rpartition(".")[2])]
        meant = near[0] if near else nearest(called, names)
        there = f"did you mean {meant}?" if meant else f"there are: {', '.join(names) or 'none'}"
        return DataError(f"{text}: no such table or view, and no such file ({shorten(there)})")


class Frame(str):
    """The label of a data frame in errors, such as `rec`; `rows` is the SQL after FROM."""

    rows: str
    is_made: bool  # whether it was built from Python objects
    levels: Sequence[str]  # the names of the index of pandas, which are no columns

    def __new__(cls, label: str, rows: str, is_made: bool = False, levels: Sequence[str] = ()) -> "Frame":
        """Make a label with these attributes."""
        frame = super().__new__(cls, label)
        frame.rows, frame.is_made, frame.levels = rows, is_made, levels
        return frame


def is_made(path: str) -> bool:
    """Return whether a table was built from Python objects."""
    return isinstance(path, Frame) and path.is_made


class Connection(Catalog):
    """The tables and views of the user's connection, and data frames by label."""

    def __init__(self, has_tables: bool) -> None:
        self.has_tables = has_tables

    def find(self, con: duckdb.DuckDBPyConnection, text: str) -> str | None:
        """Return the rows of a data frame, or the table or view with this name on the connection."""
        if isinstance(text, Frame):
            return text.rows
        name = text.rpartition(".")[2].strip('"').lower()
        query = """
            SELECT 1 FROM duckdb_tables() WHERE lower(table_name) = $1
            UNION ALL SELECT 1 FROM duckdb_views() WHERE lower(view_name) = $1 LIMIT 1
        """
        if not self.has_tables or not con.execute(query, [name]).fetchall():
            return None
        try:
            con.table(text)
        except duckdb.ProgrammingError:
            return None
        return f"query_table({literal(text)})"

    def missing_error(self, con: duckdb.DuckDBPyConnection, text: str) -> DataError:
        if QUERY.match(text):
            return DataError(
                f"{text}: no such table, view or file; of a query, give the relation con.sql('...')"
            )
        if self.has_tables:
            return DataError(f"{text}: no such table or view, and no such file")
        return DataError(f"{text}: no such file (to name a table, pass con=)")


def is_database(path: str) -> bool:
    """Return whether a file is a database of DuckDB or SQLite."""
    with open(path, "rb") as file:
        head = file.read(16)
    return head[8:12] == b"DUCK" or head.startswith(b"SQLite format 3")


def database_name(path: str) -> str:
    """Return the name for attaching a database: DuckDB's default name, since its views may use that."""
    stem = os.path.splitext(os.path.basename(path))[0]
    return "database" if not stem or stem.lower() in RESERVED else stem


def attach_statement(path: str) -> str:
    """Return the statement that attaches a database."""
    return f"ATTACH IF NOT EXISTS {literal(path)} AS {identifier(database_name(path))} (READ_ONLY)"
