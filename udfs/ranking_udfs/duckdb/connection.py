"""register: put everything that the pack has into a DuckDB connection."""

import contextlib
import warnings
from collections.abc import Mapping
from types import ModuleType

import duckdb

from ..arrow.judged import JUDGED_TYPE
from ..arrow.types import sql_type
from ..folder import read
from ..measures.registry import BY_NAME
from ..quoting import identifier
from ..texts import not_replaced
from . import hosting
from .functions import Udf, add_functions
from .hosting import attach_for_all, attach_host, comments, in_full, public, transaction
from .names import UDFS, InUse, is_table, names_in_use, permanent_names
from .statements import LAST_MACRO, Macro, code, mark, parsed


def register(
    con: duckdb.DuckDBPyConnection | ModuleType, hivemall: bool = False, temp: bool = True
) -> duckdb.DuckDBPyConnection:
    """Make the pack's functions and macros usable on this connection, and return the connection.

    The functions go to `system.main`, where every cursor and every attached database of the same DuckDB
    instance sees them. The macros are TEMP macros: they belong to this connection alone, so a further cursor
    registers for itself. Nothing is written into a database file, and a read-only one will do. May be called
    again at any time.

    A function or macro of another origin is not replaced; a warning says so. What the pack has under a short
    name is always there under a second one too (`udf_recall`).

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
    taken = add_missing(con, hivemall, temp)
    if taken:
        warnings.warn(
            f"register: {not_replaced(taken)}; use {', '.join(permanent_names()[name] for name in taken)}",
            stacklevel=2,
        )
    return con


# DuckDB 1.5 has no such error: there any statement ends the result before it.
UNFINISHED: type[Exception] | tuple[()] = getattr(duckdb, "ResourceInUseException", ())


def duckdb_connection(con: object) -> duckdb.DuckDBPyConnection:
    """Return the connection that `con` is or stands for, or raise TypeError."""
    if con is duckdb:
        return duckdb.default_connection()
    if isinstance(con, duckdb.DuckDBPyConnection):
        return con
    got = con.__name__ if isinstance(con, ModuleType) else type(con).__name__
    if type(con).__module__.partition(".")[0] in ("sqlalchemy", "duckdb_engine"):
        got += " (pass engine.raw_connection().duplicate(), with temp=False)"
    raise TypeError(f"register: con must be a connection of DuckDB or the module duckdb, got {got}")


def add_missing(con: duckdb.DuckDBPyConnection, hivemall: bool | None = None, temp: bool = True) -> list[str]:
    """Add what the connection does not have yet; return the names that are someone else's.

    Arguments and errors are those of `register`; hivemall=None leaves measures as they are.
    """
    try:
        return add_all(con, hivemall, temp)
    except duckdb.ConnectionException as error:
        raise ValueError(f"register: con must be an open connection, got a closed one ({error})") from None
    except UNFINISHED as error:
        raise ValueError(
            "register: con must have no unfinished result, got one: fetch it to its end first, "
            f"or pass con.cursor() ({error})"
        ) from None


def add_all(con: duckdb.DuckDBPyConnection, hivemall: bool | None, temp: bool) -> list[str]:
    """Add what the connection does not have yet, as `add_missing` does, with the errors of DuckDB."""
    transactions = {con.execute("SELECT txid_current()").fetchone() for _ in range(2)}
    in_transaction = len(transactions) == 1
    with hosting.LOCK:
        found = names_in_use(con)
        add_functions(con, missing_functions(found), in_transaction)
        attach_host(con)
        if not temp:
            attach_for_all(con)
            return sorted(found.taken & UDFS.keys())
    # DuckDB 2.0.0 makes no macro that only calls the hosted one where a user has another kind of the name.
    wanted = public() | {name: in_full(name) for name in found.others & public().keys()}
    if hivemall is None:
        hivemall = bool(found.macros & BY_NAME.keys())
    wanted |= aggregates() if hivemall else {}
    wanted = {name: macro for name, macro in wanted.items() if name not in found.taken}
    add_macros(con, wanted, found, in_transaction)
    return sorted(found.taken)


def missing_functions(found: InUse) -> dict[str, Udf]:
    """Return the functions that are not there and whose names are free."""
    return {name: udf for name, udf in UDFS.items() if name not in found.functions | found.taken}


def put_on_search_path(con: duckdb.DuckDBPyConnection) -> None:
    """Add the functions, once for the instance, and let this connection find the hosted macros."""
    with hosting.LOCK:
        if not hosting.is_hosted(con):
            add_functions(con, missing_functions(names_in_use(con)))
    hosting.find_hosted(con)


def aggregates() -> dict[str, Macro]:
    """Make the macros that turn the measures into aggregates, as in Hivemall."""
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
    con: duckdb.DuckDBPyConnection, wanted: Mapping[str, Macro], found: InUse, in_transaction: bool
) -> None:
    """Add the wanted TEMP macros that are missing and drop the unwanted ones: all or none."""
    current = found.macros if found.are_current else set()
    missing = [name for name in (*wanted, LAST_MACRO) if name not in current]
    unwanted = found.macros - wanted.keys() - {LAST_MACRO}
    if not missing and not unwanted:
        return
    with contextlib.nullcontext() if in_transaction else transaction(con):
        for name in unwanted:
            con.execute(f"DROP MACRO {'TABLE' if is_table(name) else ''} temp.main.{identifier(name)}")
        new = {name: wanted[name] for name in missing if name in wanted}
        for statement in parsed(con, [*(macro.sql for macro in new.values()), *comments(new, "temp.main")]):
            con.execute(statement)
        con.execute(f"CREATE OR REPLACE TEMP MACRO {LAST_MACRO}() AS {mark(wanted)}")
