"""register: put everything that the pack has into a DuckDB connection."""

import contextlib
import warnings
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from types import ModuleType
from typing import Any

import duckdb

from ..folder import read
from ..measures.registry import BY_NAME
from ..quoting import identifier, literal
from ..texts import not_replaced
from ..version import PACK
from . import functions
from .functions import (
    FIRST_FUNCTION,
    JUDGED,
    NOWHERE,
    OF_LISTS,
    OF_MACROS,
    add_functions,
    has_functions,
    is_in_transaction,
    usable,
)
from .macros import Macro, macros

DATABASE = "ranking"
HOST = "_ranking"  # the same for dbt, whose database may be called ranking
OF_SCRIPT = "_ranking_macros"  # a macro of the script, which names all of them
# In the order of registration: a short name is never there without the one that is the pack's alone.
UDFS = OF_MACROS | {f"udf_{name}": udf for name, udf in OF_LISTS.items()} | OF_LISTS


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
            f"register: {not_replaced(taken)}; use {', '.join(map(permanent_name, taken))}",
            stacklevel=2,
        )
    return con


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
    with usable():
        return add_all(con, hivemall, "" if temp else DATABASE)


def add_all(con: duckdb.DuckDBPyConnection, hivemall: bool | None, database: str) -> list[str]:
    """Add what the connection does not have yet, as `add_missing` does, with the errors of DuckDB.

    The macros go into a database of this name, or are TEMP macros where it is "".
    """
    in_transaction = is_in_transaction(con)
    with functions.LOCK:
        ours, there, taken = names_in_use(con)
        missing = {name: udf for name, udf in UDFS.items() if name not in ours | taken}
        add_functions(con, missing, in_transaction)
        if database:
            attach_for_all(con, database)
            return sorted(taken & UDFS.keys())
    if hivemall is None:
        hivemall = bool(there & BY_NAME.keys())
    wanted = {
        name: one
        for name, one in (macros() | (aggregates() if hivemall else {})).items()
        if name not in taken
    }
    new = {name: macro for name, macro in wanted.items() if name not in there}
    unwanted = there - wanted.keys()
    if new or unwanted:
        with contextlib.nullcontext() if in_transaction else transaction(con):
            for name in unwanted:
                con.execute(f"DROP MACRO temp.main.{identifier(name)}")
            make_macros(con, new, "temp.main")
    return sorted(taken)


def put_on_search_path(con: duckdb.DuckDBPyConnection) -> None:
    """Let a connection find the macros behind all that it finds itself, in a database of the instance.

    Whatever sets the search path again, such as USE, takes that back.
    """
    with usable():
        sql = f"SELECT count(*) FROM duckdb_databases() WHERE database_name = '{HOST}'"
        if not has_functions(con) or con.execute(sql).fetchall() == [(0,)]:
            add_all(con, None, HOST)
    sql = "SELECT current_setting('search_path'), current_database(), current_schema()"
    ((path, *current),) = con.execute(sql).fetchall()
    if not {HOST, f"{HOST}.main"} & {one.strip() for one in path.split(",")}:
        path = path or ".".join(map(identifier, current))
        con.execute(f"SET search_path = {literal(f'{path},{HOST}.main')}")


@cache
def aggregates() -> dict[str, Macro]:
    """Return the macros that turn the measures into aggregates, as in Hivemall."""
    template = read("hivemall/templates/measure.sql").partition("CREATE ")
    sql = "".join(template[1:]).replace("JUDGED", JUDGED).strip()
    return {
        name: Macro(
            name,
            sql.replace("udf_MEASURE", f"udf_{name}").replace("MEASURE", identifier(name)),
            f"Mean over the rows: {measure.description}",
        )
        for name, measure in BY_NAME.items()
    }


def permanent_name(name: str) -> str:
    """Return the name that always means the pack's function or macro of this name."""
    if name in macros():
        return macros()[name].always
    return f"udf_{name}" if f"udf_{name}" in UDFS else name


def names_in_use(con: duckdb.DuckDBPyConnection) -> tuple[set[str], set[str], set[str]]:
    """Return which names the pack's functions have, which its TEMP macros have, and which are someone else's.

    A function is the pack's if it is not older than the first one, whose type no other has; a macro, if its
    comment is the pack's, or if a script's macro `_ranking_macros` names it. ValueError if a name that must
    be the pack's is someone else's.
    """
    descriptions = {name: macro.description for name, macro in aggregates().items()}
    descriptions |= {name: macro.description for name, macro in macros().items()}
    query = f"""
        SELECT
            database_name, schema_name, lower(function_name), function_type LIKE 'table%', function_oid,
            coalesce(macro_definition, return_type), comment
        FROM duckdb_functions()
        WHERE lower(function_name) IN (SELECT unnest({[OF_SCRIPT, *{*UDFS, *descriptions}]}))"""
    rows = con.execute(query).fetchall()
    of_scripts, first = names_of_scripts(rows), first_of_pack(rows)
    ours, there, taken = set[str](), set[str](), set[str]()
    for database, schema, name, is_table, oid, _, comment in rows:
        is_ours = name == OF_SCRIPT or (database, schema, name) in of_scripts
        if is_ours or is_table != (name in macros() and macros()[name].is_table):
            continue  # DuckDB tells the two kinds apart
        if database == "system" and oid >= first:
            ours.add(name)
        elif database != "system" and comment and comment == descriptions.get(name):
            there |= {name} if database == "temp" else set()
        elif permanent_name(name) == name:
            where = f"{database}.{schema}"
            raise ValueError(f"register: con must have no {name} of another origin, got one in {where}")
        else:
            taken.add(name)
    return ours, there, taken


def names_of_scripts(rows: Iterable[tuple[Any, ...]]) -> set[tuple[str, str, str]]:
    """Return the macros of scripts, by database and schema, of the rows of `names_in_use`."""
    return {
        (database, schema, name)
        for database, schema, known, *_, text, _ in rows
        if known == OF_SCRIPT and database != "temp" and text.startswith(f"'{PACK} ")
        for name in text.strip("'").split()
    }


def first_of_pack(rows: Iterable[tuple[Any, ...]]) -> float:
    """Return the number of the pack's first function; infinity if it has none."""
    mark = f"ENUM('{PACK} "
    found = [row[4] for row in rows if row[2] == FIRST_FUNCTION and str(row[5]).startswith(mark)]
    return min(found, default=float("inf"))


def attach_for_all(con: duckdb.DuckDBPyConnection, name: str) -> None:
    """Attach the database of this name if it is not there; ValueError if there is one of another origin."""
    question = f"""
        SELECT 'database', coalesce(path, 'memory') FROM duckdb_databases()
        WHERE database_name ILIKE '{name}'
        UNION ALL
        SELECT 'schema', database_name FROM duckdb_schemas() WHERE schema_name ILIKE '{name}'"""
    ours = f"""
        SELECT count(*) FROM duckdb_functions()
        WHERE database_name = '{name}' AND comment = {literal(macros()["ranking_summary"].description)}"""
    # By a cursor, since a transaction writes to one database only, which may be the user's.
    with contextlib.closing(con.cursor()) as cursor:
        there = cursor.execute(question).fetchall()
        if there == [("database", "memory")] and cursor.execute(ours).fetchone() == (1,):
            return
        for what, where in there:
            found = f"{what} {name} of another origin with temp=False, got one in {where}"
            raise ValueError(f"register: con must have no {found}")
        cursor.execute(f"ATTACH ':memory:' AS {name} (READ_WRITE)")  # else as the user's database
        try:
            cursor.execute(NOWHERE)
            with transaction(cursor):
                make_macros(cursor, macros(), f"{name}.main")
        except BaseException:
            cursor.execute(f"DETACH {name}")
            raise


PARSED: dict[str, list[duckdb.Statement]] = {}


def make_macros(con: duckdb.DuckDBPyConnection, new: Mapping[str, Macro], schema: str) -> None:
    """Make macros in a schema, with their descriptions; they are parsed once in a process.

    The parser, not the planner, reads `/` as the setting integer_division says; in the pack's SQL it divides.
    Where the setting says otherwise, which a locked configuration keeps, a connection of its own parses.
    """
    text = "\n".join(macro.made_in(schema) for macro in new.values())
    if text not in PARSED:
        (as_integers,) = con.execute("SELECT 1 / 2 = 0").fetchone() or (True,)
        with duckdb.connect() if as_integers else contextlib.nullcontext(con) as parser:
            PARSED[text] = parser.extract_statements(text)
    for statement in PARSED[text]:
        con.execute(statement)


@contextlib.contextmanager
def transaction(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Commit what the block does, or roll it back where it fails."""
    con.begin()
    try:
        yield
    except BaseException:
        con.rollback()
        raise
    con.commit()
