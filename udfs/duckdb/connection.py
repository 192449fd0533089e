"""register: everything that the pack has, put into a DuckDB connection."""

import contextlib
import threading

import duckdb
from duckdb.func import FunctionNullHandling, PythonUDFType

from ..arrow.functions import FUNCTIONS
from ..arrow.types import sql_type
from ..measures.registry import BY_NAME
from . import statements

LOCK = threading.Lock()


def register(con: duckdb.DuckDBPyConnection, hivemall: bool = False) -> duckdb.DuckDBPyConnection:
    """Make the pack's functions and macros usable on this connection, and return the connection.

    The functions go to `system.main`, where every cursor and every attached database of the same DuckDB
    instance sees them. The macros are TEMP macros: they belong to this connection alone, so a further cursor
    registers for itself. Nothing is written into a database file, and a read-only one will do. May be called
    again at any time.

    What was registered inside a transaction that is rolled back goes with it: register again.

    Args:
        con: an open connection or cursor.
        hivemall: also shadow each measure with a TEMP macro `avg(...)` of its name, since in Hivemall these
            names are aggregates. `hivemall=False` takes such macros away again.

    Raises:
        ValueError: the connection is closed, or holds a result that was not read to its end (DuckDB 2 allows
            no other statement then; on DuckDB 1.5 the statement ends that result, as any other would), or a
            function of one of the names exists that is not the pack's.
    """
    try:
        add_functions(con)
        add_macros(con, hivemall)
    except duckdb.ConnectionException as error:
        raise ValueError(f"register: con must be an open connection, got a closed one ({error})") from None
    except UNFINISHED as error:
        raise ValueError(
            "register: con must have no unfinished result, got one: fetch it to its end first, "
            f"or pass con.cursor() ({error})"
        ) from None
    return con


# DuckDB 1.5 has no such error: there any statement ends the result before it.
UNFINISHED: type[Exception] | tuple[()] = getattr(duckdb, "ResourceInUseException", ())


def add_functions(con: duckdb.DuckDBPyConnection) -> None:
    """Add the functions that the DuckDB instance does not have yet.

    Outside a transaction by a cursor of their own, since DuckDB's client remembers per connection what it
    registered, and is wrong about it after a rollback. Inside one on the connection itself, since it might
    not see what a cursor adds.
    """
    transactions = {con.execute("SELECT txid_current()").fetchone() for _ in range(2)}
    with LOCK, contextlib.closing(con.cursor()) as cursor:
        for name in missing(con):
            try:
                create(con if len(transactions) == 1 else cursor, name)
            except duckdb.NotImplementedException:  # registered in a transaction that was rolled back
                create(cursor, name)
        if len(transactions) == 1 and missing(con):
            raise ValueError(
                "register: con must not be in a transaction if an earlier one in which it registered was "
                "rolled back, got one: end it and register again"
            )


def missing(con: duckdb.DuckDBPyConnection) -> list[str]:
    """The names of functions that this connection does not see; ValueError if one is not the pack's."""
    query = (
        "SELECT function_name, varargs FROM duckdb_functions() "
        "WHERE database_name = 'system' AND list_contains(?, function_name)"
    )
    there = dict(con.execute(query, [list(FUNCTIONS)]).fetchall())
    for name, varargs in there.items():
        if varargs != "ANY":  # the pack's take any number of arguments of any type
            raise foreign(name)
    return [name for name in FUNCTIONS if name not in there]


def foreign(name: str) -> ValueError:
    return ValueError(f"register: con must have no function of another origin named {name}, got one")


def create(con: duckdb.DuckDBPyConnection, name: str) -> None:
    """Create one function."""
    function = FUNCTIONS[name]
    try:
        con.create_function(
            name,
            function.call,
            None,
            sql_type(function.returns),
            type=PythonUDFType.ARROW,
            null_handling=FunctionNullHandling.SPECIAL,
        )
    except duckdb.CatalogException:  # a macro of this name in the user's database
        raise foreign(name) from None


def add_macros(con: duckdb.DuckDBPyConnection, hivemall: bool) -> None:
    """Create the TEMP macros, and add or remove those that make the measures aggregates as in Hivemall."""
    for statement in statements.macros().values():
        con.execute(statements.code(statement))
    if hivemall:
        template = statements.code(statements.read("hivemall/templates/measure.sql"))
        for name in BY_NAME:
            con.execute(template.replace("MEASURE", f'"{name}"'))
        return
    query = (
        "SELECT DISTINCT function_name FROM duckdb_functions() WHERE database_name = 'temp' "
        "AND list_contains(?, function_name) AND regexp_matches(macro_definition, 'avg\\(\"?system\"?\\.')"
    )
    for (name,) in con.execute(query, [list(BY_NAME)]).fetchall():
        con.execute(f'DROP MACRO temp.main."{name}"')
