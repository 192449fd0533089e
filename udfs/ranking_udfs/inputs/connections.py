"""Open a connection for an evaluation, or use the user's connection and leave nothing on it."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import duckdb

from ..duckdb.functions import add_missing_functions
from ..evaluation.errors import DataError
from ..options import Values
from ..quoting import identifier
from ..texts import shorten
from .catalogs import Frame
from .objects import Objects, is_one_model, kind_of

if TYPE_CHECKING:
    import pyarrow as pa

# All relations share this database in memory, and so one pool of threads. It lives as long as any relation.
# Tables and macros are TEMP, so that connections do not share them.
SHARED = ":memory:ranking_udfs"
FORMS = (
    "a data frame (pandas, Polars, Arrow), a relation, a dict such as {query: {id: score}}, a list of dicts, "
    "the name of a file or, with con, of a table"
)


@dataclass
class WorkConnection:
    """A connection, with data frames as tables on it."""

    con: duckdb.DuckDBPyConnection  # the connection
    is_own: bool  # whether the package opened it; then only the result of the caller keeps it open
    prefix: str  # the prefix of the names of all tables and views that are made
    views: list[str] = field(default_factory=list)  # the views that read data frames
    # columns of tables that were built from Python objects, by label of the table and role
    own_columns: dict[tuple[str, str], str] = field(default_factory=dict)
    # whether all numbers of these tables are integers, by label
    is_whole: dict[str, bool | None] = field(default_factory=dict)

    def recommendations(self, rec: Any, columns: Values) -> list[str | tuple[str, str]]:
        """Return the tables of `rec`, by model if it names models; DataError if it is none of FORMS."""
        if not isinstance(rec, Mapping) or is_one_model(rec, columns):
            return [self.name("rec", rec, columns, "score")]
        if not rec or not all(isinstance(name, str) and name for name in rec):
            rule = f"{FORMS}, or a dict of these by the names of models"
            raise DataError(f"rec must be {rule}, got {shorten(repr(rec))}")
        return [(name, self.name(f"rec[{name!r}]", table, columns, "score")) for name, table in rec.items()]

    def name(self, label: str, value: Any, columns: Values, number: str = "") -> str:
        """Return the name of a table or file, or register a data frame; DataError if it is none of FORMS.

        `number` is the role of the numbers of ids, as in Objects.
        """
        if isinstance(value, (str, os.PathLike)):
            return os.fspath(value)
        if is_made := isinstance(value, (Mapping, list, tuple)):
            objects = Objects(label, columns, number)
            value = objects.table(value)
            self.own_columns |= {(label, role): name for role, name in objects.own.items()}
            self.is_whole[label] = objects.is_whole
        view = f"{self.prefix}input_{len(self.views)}"
        if hasattr(value, "read_all"):  # an Arrow stream can be read only once
            value = value.read_all()
        self.views.append(view)
        try:
            self.con.register(view, value)
            self.con.execute(f"DESCRIBE FROM {identifier(view)}").fetchall()
        except (duckdb.Error, TypeError):
            if not isinstance(value, duckdb.DuckDBPyRelation):
                raise DataError(f"{label} must be {FORMS}, got {kind_of(value)}") from None
            rows, selected = to_arrow_rows(value)  # a relation of another connection
            self.con.register(view, rows)
            return Frame(label, f"(SELECT {selected} FROM {identifier(view)})")
        levels = [*filter(None, getattr(getattr(value, "index", None), "names", ()))]
        return Frame(label, identifier(view), is_made, levels)

    def clear(self) -> None:
        """Drop all tables and views that the evaluation has made."""
        for view in self.views:
            self.con.unregister(view)
        self.views.clear()
        for kind in ("table", "view"):
            made = f"FROM duckdb_{kind}s() WHERE temporary AND starts_with({kind}_name, $1)"
            for (name,) in self.con.execute(f"SELECT {kind}_name {made}", [self.prefix]).fetchall():
                self.con.execute(f"DROP {kind} temp.{identifier(name)}")

    def result(self, query: str) -> duckdb.DuckDBPyRelation:
        """Run the query, and return a relation that reads only its rows.

        A relation keeps its connection open. On our own connection, the rows are a TEMP table. On the user's
        connection no table may stay, so the rows of the table are copied to Arrow.
        """
        table = "result" if self.is_own else f"{self.prefix}result"
        self.con.execute(f"CREATE TEMP TABLE {table} AS\n{query}")
        if self.is_own:
            return self.con.table(table)
        rows, columns = to_arrow_rows(self.con.table(table))
        return self.con.from_arrow(rows).project(columns)


# Types that survive the way through Arrow unchanged. All other types are passed as VARCHAR.
PLAIN = ("VARCHAR", "BOOLEAN", "SMALLINT", "INTEGER", "BIGINT", "FLOAT", "DOUBLE", "DATE", "TIMESTAMP")


def to_arrow_rows(relation: duckdb.DuckDBPyRelation) -> "tuple[pa.Table, str]":
    """Read a relation into Arrow; return the Arrow table, and the SQL columns that restore its types."""
    to_arrow, back = [], []
    for column, kind in zip(relation.columns, map(str, relation.types), strict=True):
        name = identifier(column)
        is_plain = kind in PLAIN
        to_arrow.append(name if is_plain else f"CAST({name} AS VARCHAR) AS {name}")
        back.append(name if is_plain else f"CAST({name} AS {kind}) AS {name}")
    return relation.project(", ".join(to_arrow)).to_arrow_table(), ", ".join(back)


@contextmanager
def open_connection(caller: str, con: duckdb.DuckDBPyConnection | None) -> Iterator[WorkConnection]:
    """Open a connection or use the user's, add the functions for composed SQL, and clear it at the end."""
    if con is not None and not isinstance(con, duckdb.DuckDBPyConnection):
        raise TypeError(f"{caller}: con must be a connection of DuckDB, got {type(con).__name__}")
    connection = WorkConnection(con or duckdb.connect(SHARED), con is None, f"_ranking_{caller}_")
    try:
        add_missing_functions(connection.con)
    except ValueError as error:
        raise DataError(str(error).removeprefix("register: ")) from None
    taken = """
        SELECT 1 FROM duckdb_tables() WHERE starts_with(lower(table_name), $1)
        UNION ALL SELECT 1 FROM duckdb_views() WHERE starts_with(lower(view_name), $1) LIMIT 1
    """
    number = 1
    while connection.con.execute(taken, [connection.prefix]).fetchall():
        number += 1
        connection.prefix = f"_ranking_{caller}_{number}_"
    try:
        yield connection
    finally:
        with suppress(duckdb.TransactionException):  # an aborted transaction drops everything
            connection.clear()
