"""register: everything that the pack has, put into a DuckDB connection."""

import contextlib
import inspect
import os
import threading
import warnings
from collections.abc import Iterator, Mapping
from types import ModuleType

import duckdb
from duckdb.func import FunctionNullHandling, PythonUDFType

from ..arrow.judged import JUDGED_TYPE
from ..arrow.types import sql_type
from ..measures.registry import BY_NAME
from . import portable
from .names import LAST_MACRO, PACK, UDFS, always_there, is_table, names_in_use
from .statements import Macro, code, identifier, macros, parsed, read

LOCK = threading.Lock()


def renew_lock() -> None:
    """Give a forked process a lock that no thread holds."""
    global LOCK
    LOCK = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=renew_lock)


def register(
    con: duckdb.DuckDBPyConnection | ModuleType, hivemall: bool = False, temp: bool = True
) -> duckdb.DuckDBPyConnection:
    """Make the pack's functions and macros usable on this connection, and return the connection.

    The functions go to `system.main`, where every cursor and every attached database of the same DuckDB
    instance sees them. The macros are TEMP macros: they belong to this connection alone, so a further cursor
    registers for itself. Nothing is written into a database file, and a read-only one will do. May be called
    again at any time.

    A function or macro of another origin stays what it is: the pack leaves its name alone, and says so in a
    warning. What the pack has under a short name is always there under a second one too (`udf_recall`).

    What was registered inside a transaction that is rolled back goes with it: register again.

    Where a query may run on any cursor, as in a pool of connections, `temp=False` puts the macros into a
    database in memory, attached as `ranking`, once for all cursors of the instance, those that are there and
    those to come: `FROM ranking.ranking_summary('rec', 'truth', [10])`. The tables named are those that the
    cursor itself would find, its TEMP tables and CTEs included.

    Args:
        con: an open connection or cursor; or the module `duckdb`, for the default connection, which
            `duckdb.sql(...)` takes.
        hivemall: also shadow each measure with a TEMP macro `avg(...)` of its name, since in Hivemall these
            names are aggregates. `hivemall=False` takes such macros away again.
        temp: whether the macros are TEMP macros of this connection; else they are in the database `ranking`.

    Raises:
        TypeError: con is something else, such as what SQLAlchemy has around a connection.
        ValueError: the connection is closed, or holds a result that was not read to its end (DuckDB 2 allows
            no other statement then; on DuckDB 1.5 the statement ends that result, as any other would), or
            something of another origin has a name that is the pack's alone (`udf_recall`, `ranking_summary`,
            with temp=False a database or schema `ranking`), or hivemall is true and temp is not.
    """
    con = duckdb_connection(con)
    if hivemall and not temp:
        raise ValueError("register: temp must be true with hivemall=True, whose macros are TEMP, got False")
    try:
        taken = add(con, hivemall, temp)
    except duckdb.ConnectionException as error:
        raise ValueError(f"register: con must be an open connection, got a closed one ({error})") from None
    except UNFINISHED as error:
        raise ValueError(
            "register: con must have no unfinished result, got one: fetch it to its end first, "
            f"or pass con.cursor() ({error})"
        ) from None
    if taken:
        warnings.warn(
            f"register: left alone, since there are others of these names: {', '.join(taken)}; "
            f"the pack's are {', '.join(always_there()[name] for name in taken)}",
            stacklevel=2,
        )
    return con


# DuckDB 1.5 has no such error: there any statement ends the result before it.
UNFINISHED: type[Exception] | tuple[()] = getattr(duckdb, "ResourceInUseException", ())


def duckdb_connection(con: object) -> duckdb.DuckDBPyConnection:
    """The connection that is meant."""
    if con is duckdb:
        return duckdb.default_connection()
    if isinstance(con, duckdb.DuckDBPyConnection):
        return con
    got = con.__name__ if isinstance(con, ModuleType) else type(con).__name__
    if type(con).__module__.partition(".")[0] in ("sqlalchemy", "duckdb_engine"):
        got += " (pass engine.raw_connection().duplicate(), with temp=False)"
    raise TypeError(f"register: con must be a connection of DuckDB or the module duckdb, got {got}")


def add(con: duckdb.DuckDBPyConnection, hivemall: bool, temp: bool) -> list[str]:
    """Add what the connection does not have yet. Returns the names that are someone else's."""
    transactions = {con.execute("SELECT txid_current()").fetchone() for _ in range(2)}
    in_transaction = len(transactions) == 1
    with LOCK:
        found = names_in_use(con)
        add_functions(con, UDFS.keys() - found.functions - found.taken, in_transaction)
        if not temp:
            add_database(con)
            return sorted(found.taken & UDFS.keys())
    wanted = macros() | (aggregates() if hivemall else {})
    wanted = {name: macro for name, macro in wanted.items() if name not in found.taken}
    add_macros(con, wanted, found.macros, in_transaction)
    return sorted(found.taken)


# DuckDB would look for types in the annotations of each function, which takes longer than all else.
SIGNATURE = inspect.signature(lambda *arguments: ...)


def add_functions(con: duckdb.DuckDBPyConnection, missing: set[str], in_transaction: bool) -> None:
    """Add these functions.

    Outside a transaction by a cursor of their own, since DuckDB's client remembers per connection what it
    registered, and is wrong about it after a rollback. Inside one on the connection itself, which would not
    see what a cursor adds.
    """
    with contextlib.closing(con.cursor()) as cursor:
        types = {text: cursor.type(text) for text in {UDFS[name].returns for name in missing}}
        for name in filter(missing.__contains__, UDFS):
            udf = UDFS[name]
            if udf.is_arrow:
                vars(udf.call)["__signature__"] = SIGNATURE
            try:
                (con if in_transaction else cursor).create_function(
                    name,
                    udf.call,
                    None,
                    types[udf.returns],
                    type=PythonUDFType.ARROW if udf.is_arrow else PythonUDFType.NATIVE,
                    null_handling=FunctionNullHandling.SPECIAL,
                )
            except duckdb.NotImplementedException:
                raise ValueError(
                    "register: con must not be in a transaction if an earlier one in which it registered was "
                    "rolled back, got one: end it and register again"
                ) from None


def aggregates() -> dict[str, Macro]:
    """The macros that make the measures aggregates, as in Hivemall."""
    template = code(read("hivemall/templates/measure.sql")).replace("JUDGED", sql_type(JUDGED_TYPE))
    return {
        name: Macro(
            template.replace("udf_MEASURE", f"udf_{name}").replace("MEASURE", identifier(name)),
            f"udf_{name}",
            f"Mean over the rows: {measure.description}",
        )
        for name, measure in BY_NAME.items()
    }


def add_macros(
    con: duckdb.DuckDBPyConnection, wanted: Mapping[str, Macro], made: set[str], in_transaction: bool
) -> None:
    """Add the TEMP macros that are not there, drop those that are not wanted: all or none."""
    missing = [name for name in (*wanted, LAST_MACRO) if name not in made]
    unwanted = made - wanted.keys() - {LAST_MACRO}
    if not missing and not unwanted:
        return
    with contextlib.nullcontext() if in_transaction else transaction(con):
        for name in unwanted:
            con.execute(f"DROP MACRO {'TABLE' if is_table(name) else ''} temp.main.{identifier(name)}")
        for statement in parsed(
            con, statements_of({name: wanted[name] for name in missing if name in wanted})
        ):
            con.execute(statement)
        con.execute(
            f"CREATE OR REPLACE TEMP MACRO {LAST_MACRO}() AS '{' '.join([PACK, *wanted, LAST_MACRO])}'"
        )


def statements_of(made: Mapping[str, Macro]) -> Iterator[str]:
    """What makes these TEMP macros, and what says of the public ones what they are."""
    for name, macro in made.items():
        yield macro.sql
        if macro.description:
            yield macro.comment(f"temp.main.{identifier(name)}")


def add_database(con: duckdb.DuckDBPyConnection) -> None:
    """Attach the database of macros if it is not there.

    By a cursor of its own, since a transaction writes to one database only, which may be the user's.
    """
    name, statements = portable.DATABASE, portable.in_database()
    question = f"""
        SELECT 'database', coalesce(path, 'memory') FROM duckdb_databases() WHERE database_name ILIKE '{name}'
        UNION ALL
        SELECT 'schema', database_name FROM duckdb_schemas() WHERE schema_name ILIKE '{name}'"""
    mark = f"""
        SELECT 'CREATE MACRO {name}.main.{LAST_MACRO}() AS ' || macro_definition
        FROM duckdb_functions() WHERE database_name = '{name}' AND function_name = '{LAST_MACRO}'"""
    with contextlib.closing(con.cursor()) as cursor:
        there = cursor.execute(question).fetchall()
        if len(there) == 1 and (statements[LAST_MACRO],) in cursor.execute(mark).fetchall():
            return
        for what, where in there:
            found = f"{what} {name} of another origin with temp=False, got one in {where}"
            raise ValueError(f"register: con must have no {found}")
        cursor.execute(f"ATTACH ':memory:' AS {name} (READ_WRITE)")  # else it is what the user's database is
        try:
            with transaction(cursor):
                for statement in parsed(cursor, statements.values()):
                    cursor.execute(statement)
        except BaseException:
            cursor.execute(f"DETACH {name}")
            raise


@contextlib.contextmanager
def transaction(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    con.begin()
    try:
        yield
    except BaseException:
        con.rollback()
        raise
    con.commit()
