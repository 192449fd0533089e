"""A connection to evaluate on: a new one, or the user's, on which nothing is left or replaced."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import duckdb

from ..duckdb.functions import add_missing_functions
from ..evaluation.errors import DataError
from ..evaluation.options import ColumnNames
from ..quoting import identifier
from ..texts import shorten
from .catalogs import Frame
from .objects import Objects, is_one_model, kind_of

if TYPE_CHECKING:
    import pyarrow as pa

# A database in memory that lives as long as a relation does, so that many relations share a pool of threads.
# Their tables and macros are TEMP, and so apart.
SHARED = ":memory:ranking_udfs"
FORMS = (
    "a data frame (pandas, Polars, Arrow), a relation, a dict such as {query: {id: score}}, a list of dicts, "
    "the name of a file or, with con, of a table"
)


@dataclass
class WorkConnection:
    """A connection, with data frames as tables on it."""

    con: duckdb.DuckDBPyConnection  # the connection
    is_own: bool  # whether the package opened it, so that only the caller's result keeps it open
    prefix: str  # the beginning of the names of all tables and views that are made
    views: list[str] = field(default_factory=list)  # the views that read data frames
    # the columns of tables made of Python's objects, by the label of each and their role
    own_columns: dict[tuple[str, str], str] = field(default_factory=dict)
    # whether their numbers are whole, by label
    is_whole: dict[str, bool | None] = field(default_factory=dict)

    def recommendations(
        self, given: Any, columns: ColumnNames, directions: Mapping[str, bool]
    ) -> list[str | tuple[str, str]]:
        """Return the tables that `rec` stands for, by models if named; DataError if it is none of FORMS."""
        usual = columns["descending"]
        if not isinstance(given, Mapping) or is_one_model(given, columns):
            return [self.name("rec", given, columns, "score", usual)]
        if not given or not all(isinstance(name, str) and name for name in given):
            rule = f"{FORMS}, or a dict of these by the names of models"
            raise DataError(f"rec must be {rule}, got {shorten(repr(given))}")
        named = ((name, one, directions.get(name, usual)) for name, one in given.items())
        return [(name, self.name(f"rec[{name!r}]", one, columns, "score", best)) for name, one, best in named]

    def name(
        self, label: str, given: Any, columns: ColumnNames, number: str = "", descending: bool = True
    ) -> str:
        """Name a table or file, or put a data frame into the connection; DataError if it is none of FORMS.

        `number` is the role of numbers beside ids, as of Objects.
        """
        if isinstance(given, (str, os.PathLike)):
            return os.fspath(given)
        objects = Objects(label, columns, number, descending)
        is_made = isinstance(given, (Mapping, list, tuple))
        if is_made:
            given = objects.table(given)
            self.own_columns |= {(label, role): name for role, name in objects.own.items()}
            self.is_whole[label] = objects.is_whole
        view = f"{self.prefix}input_{len(self.views)}"
        if hasattr(given, "read_all"):  # a stream of Arrow's, which can be read once
            given = given.read_all()
        self.views.append(view)
        try:
            self.con.register(view, given)
            self.con.execute(f"DESCRIBE FROM {identifier(view)}").fetchall()
        except (duckdb.Error, TypeError):
            if not isinstance(given, duckdb.DuckDBPyRelation):
                raise DataError(f"{label} must be {FORMS}, got {kind_of(given)}") from None
            rows, selected = to_arrow_rows(given)  # of another connection
            self.con.register(view, rows)
            return Frame(label, f"(SELECT {selected} FROM {identifier(view)})")
        return Frame(label, identifier(view), is_made, objects.is_ordered, objects.is_filled)

    def clear(self) -> None:
        """Drop all tables and views that were made."""
        for view in self.views:
            self.con.unregister(view)
        self.views.clear()
        for kind in ("table", "view"):
            made = f"FROM duckdb_{kind}s() WHERE temporary AND starts_with({kind}_name, $1)"
            for (name,) in self.con.execute(f"SELECT {kind}_name {made}", [self.prefix]).fetchall():
                self.con.execute(f"DROP {kind} temp.{identifier(name)}")

    def result(self, query: str) -> duckdb.DuckDBPyRelation:
        """Compute the query, and return a relation that reads nothing but its rows.

        A relation keeps its connection open. On one of the package's own, the rows are a table; on the
        user's, in which nothing may be left, they are Arrow's, of a table, so that the query is planned once.
        """
        table = "result" if self.is_own else f"{self.prefix}result"
        self.con.execute(f"CREATE TEMP TABLE {table} AS\n{query}")
        if self.is_own:
            return self.con.table(table)
        rows, columns = to_arrow_rows(self.con.table(table))
        return self.con.from_arrow(rows).project(columns)


# Types that Arrow has too, and DuckDB as the same; the others go through it as text.
PLAIN = ("VARCHAR", "BOOLEAN", "SMALLINT", "INTEGER", "BIGINT", "FLOAT", "DOUBLE", "DATE", "TIMESTAMP")


def to_arrow_rows(relation: duckdb.DuckDBPyRelation) -> "tuple[pa.Table, str]":
    """Read a relation into Arrow; return that, and the SQL columns that restore its types."""
    to_arrow, back = [], []
    for column, kind in zip(relation.columns, map(str, relation.types), strict=True):
        name = identifier(column)
        is_plain = kind in PLAIN
        to_arrow.append(name if is_plain else f"CAST({name} AS VARCHAR) AS {name}")
        back.append(name if is_plain else f"CAST({name} AS {kind}) AS {name}")
    return relation.project(", ".join(to_arrow)).to_arrow_table(), ", ".join(back)


@contextmanager
def open_connection(caller: str, con: duckdb.DuckDBPyConnection | None) -> Iterator[WorkConnection]:
    """Open a connection, or take the user's; add the functions of composed SQL, and clear it at the end."""
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
        with suppress(duckdb.TransactionException):  # one that is aborted takes all with it
            connection.clear()
