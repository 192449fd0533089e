"""Register all functions and macros in a DuckDB instance."""

import contextlib
import warnings
from collections.abc import Container, Iterator, Sequence
from functools import cache
from types import ModuleType

import duckdb

from ..folder import read
from ..measures.registry import BY_NAME
from ..quoting import identifier, literal
from ..texts import not_replaced, shorten
from ..version import PACK, version
from . import functions
from .functions import (
    FIRST_FUNCTION,
    JUDGED,
    NOWHERE,
    OF_LISTS,
    OF_MACROS,
    add_functions,
    is_in_transaction,
    usable,
)
from .macros import NAMESPACE, Macro, macros

# In the order of registration: functions that macros call come before all others.
UDFS = OF_MACROS | OF_LISTS
RESERVED = ("main", "temp", "system", "pg_catalog", "information_schema")  # names with a meaning in DuckDB


def register(
    con: duckdb.DuckDBPyConnection | ModuleType, hivemall: bool = False, name: str = NAMESPACE
) -> duckdb.DuckDBPyConnection:
    """Register the functions and macros in this DuckDB instance, and return the connection.

    Every cursor and thread of the instance can then call them. The list functions (`recall(rec, truth, k)`)
    are in `system.main`. All others are in an in-memory database, attached as `ranking`. A function of your
    own with the name of a list function is kept, with a warning; call `ranking.recall` instead. A rollback of
    the transaction undoes the registration.

    Args:
        con: an open connection or cursor; or the module `duckdb`, for the default connection of
            `duckdb.sql(...)`.
        hivemall: whether to add Hivemall's `collect_set`, `to_ordered_map`, `to_ordered_list` and `struct`,
            and each measure as an aggregate, as TEMP macros of this connection.
        name: name of the attached database, if `ranking` is the name of your own database or schema.

    Raises:
        TypeError: con is not a DuckDB connection, for example a connection of SQLAlchemy.
        ValueError: the connection is closed. On DuckDB 2: it has a result that is not read to its end
            (DuckDB 1.5 discards that result). Another database, or a schema of the current one, already has
            the name.
    """
    con = duckdb_connection(con)
    if not isinstance(name, str) or not name:
        raise ValueError(f"register: name must be the name of a database, got {shorten(repr(name))}")
    if not isinstance(hivemall, bool):
        raise ValueError(f"register: hivemall must be True or False, got {shorten(repr(hivemall))}")
    taken = add_missing(con, hivemall, name)
    if taken:
        named = dict.fromkeys(BY_NAME[alias].name if alias in BY_NAME else alias for alias in taken)
        hint = ", ".join(f"{name}.{new}" for new in named if new in macros() and not macros()[new].is_temp)
        warnings.warn(f"register: {not_replaced(taken)}{f'; use {hint}' if hint else ''}", stacklevel=2)
    return con


def duckdb_connection(con: object) -> duckdb.DuckDBPyConnection:
    """Return the connection for `con`, which may be the module `duckdb`; TypeError for other objects."""
    if con is duckdb:
        return duckdb.default_connection()
    if isinstance(con, duckdb.DuckDBPyConnection):
        return con
    got = con.__name__ if isinstance(con, ModuleType) else type(con).__name__
    if type(con).__module__.partition(".")[0] in ("sqlalchemy", "duckdb_engine"):
        got += " (pass engine.raw_connection().duplicate())"
    raise TypeError(f"register: con must be a connection of DuckDB or the module duckdb, got {got}")


def add_missing(
    con: duckdb.DuckDBPyConnection, hivemall: bool = False, database: str | None = NAMESPACE
) -> list[str]:
    """Add missing functions, and macros to the `database`; return names taken. Errors: as in `register`."""
    with functions.LOCK, usable():
        in_transaction, wanted = is_in_transaction(con), hivemall_macros() if hivemall else {}
        if database is not None and not wanted and not in_transaction and is_registered(con, database):
            check_name(con, database, [database.lower()])
            return []
        in_use = names_in_use(con, [*UDFS, *wanted])
        if database is not None:
            check_name(con, database, in_use["database"])
        existing = in_use["function"] | in_use["taken"]
        if in_transaction:  # In a transaction, create_function finds a macro of this name first, and fails.
            existing |= in_use["other"] | in_use["elsewhere"]
        missing = {name: udf for name, udf in UDFS.items() if name not in existing}
        if missing:
            add_functions(con, missing, in_transaction)
        if database is not None and database.lower() not in in_use["database"]:
            attach(con, database)
        others = in_use["other"] | in_use["taken"]
        if wanted:  # TEMP macros take precedence over those of any schema.
            others |= in_use["elsewhere"]
        if new := [
            macro.made_in(NAMESPACE) for name, macro in wanted.items() if name not in in_use["macro"] | others
        ]:
            with contextlib.nullcontext() if in_transaction else transaction(con):
                execute(con, new)
    return sorted(others)


def is_registered(con: duckdb.DuckDBPyConnection, database: str) -> bool:
    """Return whether the database has our macros, which are made last, and the instance our functions."""
    query = f"SELECT system.main.{FIRST_FUNCTION}()::VARCHAR, {identifier(database)}.main.version()"
    # Without the database, DuckDB would look for similar names of functions, which takes 3 ms.
    if not con.execute("FROM duckdb_databases() WHERE database_name ILIKE $1", [database]).fetchall():
        return False
    try:
        return con.execute(query).fetchall() == [(version(), version())]
    except (duckdb.BinderException, duckdb.CatalogException):
        return False


@cache
def hivemall_macros() -> dict[str, Macro]:
    """Return the TEMP macros by name: Hivemall's helpers, and the measures as aggregates."""
    template = read("hivemall/templates/measure.sql").partition("CREATE ")
    sql = "".join(template[1:]).replace("JUDGED", JUDGED).strip()
    return {name: macro for name, macro in macros().items() if macro.is_temp} | {
        name: Macro(
            identifier(name),
            sql.replace("MEASURE", identifier(name)),
            f"Mean over the rows: {measure.description}",
        )
        for name, measure in BY_NAME.items()
    }


def names_in_use(con: duckdb.DuckDBPyConnection, names: Sequence[str]) -> dict[str, set[str]]:
    """Find the names in use by our functions, by our TEMP macros and by others; and our databases.

    A function is ours if it is not older than our first one, which has a type that no other function has. A
    TEMP macro is ours by its comment, and a database by its `version`. Others are `other` if the bare name
    finds them, `taken` if they are in `system.main`, and otherwise `elsewhere`.
    """
    query = f"""
        WITH every AS MATERIALIZED (
            SELECT *, database_name = 'system' AS is_system, lower(function_name) AS name
            FROM duckdb_functions()
        ), of_pack AS MATERIALIZED (
            SELECT database_name, schema_name, macro_definition = {literal(literal(version()))} AS is_this
            FROM every
            WHERE name = 'version' AND starts_with(macro_definition, '''{PACK} ')
        ), first AS MATERIALIZED (
            SELECT min(function_oid) AS oid FROM every
            WHERE is_system AND name = '{FIRST_FUNCTION}' AND starts_with(return_type, 'ENUM(''{PACK} ')
        )
        SELECT DISTINCT name, CASE
            WHEN is_system AND function_oid >= oid THEN 'function'
            WHEN is_system THEN 'taken'
            WHEN database_name IN ('temp', current_database())
                AND list_contains(current_schemas(true), schema_name) THEN 'other'
            ELSE 'elsewhere'
        END, CASE WHEN database_name = 'temp' THEN comment END
        FROM every CROSS JOIN first ANTI JOIN of_pack USING (database_name, schema_name)
        WHERE list_contains($1, name) AND NOT function_type LIKE 'table%'
        UNION ALL
        SELECT lower(database_name), 'database', NULL FROM of_pack WHERE schema_name = 'main' AND is_this"""
    kinds = ("function", "taken", "macro", "other", "elsewhere", "database")
    in_use: dict[str, set[str]] = {kind: set() for kind in kinds}
    for name, kind, comment in con.execute(query, [[*names]]).fetchall():
        in_use["macro" if comment is not None and is_ours(comment) else kind].add(name)
    return in_use


def is_ours(comment: str) -> bool:
    """Return whether a TEMP macro with this comment is ours."""
    return any(comment == macro.description for macro in hivemall_macros().values())


def check_name(con: duckdb.DuckDBPyConnection, database: str, ours: Container[str]) -> None:
    """Raise ValueError if this is the name of a schema, or of a database that we did not attach."""
    if database.lower() in RESERVED:
        raise ValueError(f"register: name must be none of {', '.join(RESERVED)}, got {database}")
    query = """
        SELECT
            (SELECT list(coalesce(path, 'memory')) FROM duckdb_databases()
             WHERE lower(database_name) = lower($1)),
            (SELECT list(database_name) FROM duckdb_schemas()
             WHERE lower(schema_name) = lower($1) AND database_name = current_database())"""
    ((databases, schemas),) = con.execute(query, [database]).fetchall()
    advice = "write name='rk'" if database == NAMESPACE else "write another name"
    if schemas:
        raise ValueError(
            f"register: con must have no schema {database} in the current database, where DuckDB would call "
            f"{database}.evaluate ambiguous, got one in {schemas[0]}: {advice}, "
            f"or DROP SCHEMA {database} CASCADE"
        )
    if databases and database.lower() not in ours:
        rule = f"register: con must have no database {database} of another origin"
        raise ValueError(f"{rule}, got one of {shorten(databases[0])}: {advice}")


def attach(con: duckdb.DuckDBPyConnection, database: str) -> None:
    """Attach a database in memory with the macros.

    A new cursor does it, since a transaction writes to one database only, and that may be the user's.
    """
    with contextlib.closing(con.cursor()) as cursor:
        # Without READ_WRITE, the database has the access mode of the user's database.
        cursor.execute(f"ATTACH ':memory:' AS {identifier(database)} (READ_WRITE)")
        try:
            cursor.execute(NOWHERE)
            with transaction(cursor):
                execute(cursor, [macro.made_in(database) for macro in macros().values() if not macro.is_temp])
        except BaseException:
            cursor.execute(f"DETACH {identifier(database)}")
            raise


PARSED: dict[str, list[duckdb.Statement]] = {}


def execute(con: duckdb.DuckDBPyConnection, statements: Sequence[str]) -> None:
    """Execute statements, which are parsed once per process.

    The parser applies the setting integer_division to `/`, but our SQL needs true division. A separate
    connection therefore parses if the setting differs, even if the configuration is locked.
    """
    text = "\n".join(statements)
    if text not in PARSED:
        (as_integers,) = con.execute("SELECT 1 / 2 = 0").fetchone() or (True,)
        with duckdb.connect() if as_integers else contextlib.nullcontext(con) as parser:
            PARSED[text] = parser.extract_statements(text)
    for statement in PARSED[text]:
        con.execute(statement)


@contextlib.contextmanager
def transaction(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Commit the changes of the block, or roll them back if it fails."""
    con.begin()
    try:
        yield
    except BaseException:
        con.rollback()
        raise
    con.commit()
