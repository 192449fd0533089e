"""The macros of an instance in a database of their own, and what a connection calls them by.

The database `_ranking` holds all macros, once for all connections of an instance, and is hidden: DuckDB
lists it nowhere (`SHOW DATABASES`, `duckdb_functions()`). Its macros call each other by whole names. It is a
file that is kept, attached read-only, which takes a tenth of the time; where that cannot be, it is in memory.
What a connection or the database `ranking` gets under the public names are macros that only call those.
"""

import contextlib
import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import duckdb

from ..kept import keep, place
from ..quoting import identifier, literal
from ..version import PACK, version
from .functions import FIRST_FUNCTION, NOWHERE, OF_MACROS, add_functions
from .statements import LAST_MACRO, Macro, macros, mark, parsed, stamp_of_sql, with_whole_names

HOST = "_ranking"
DATABASE = "ranking"


LOCK = threading.Lock()


def renew_lock() -> None:
    """Give a forked process a lock that no thread holds."""
    global LOCK
    LOCK = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=renew_lock)


@cache
def hosted() -> dict[str, str]:
    """Return the statements that fill the database `_ranking`, by name, the mark last."""
    made = {
        name: with_whole_names(macro.sql, HOST).replace("TEMP MACRO ", f"MACRO {HOST}.main.", 1)
        for name, macro in macros().items()
    }
    return made | {LAST_MACRO: f"CREATE OR REPLACE MACRO {HOST}.main.{LAST_MACRO}() AS {mark(made)}"}


@cache
def public() -> dict[str, Macro]:
    """Return each public macro as a TEMP macro that calls the hosted one of its name.

    Where DuckDB takes no such macro, as with OVER, it is in full.
    """
    return {
        name: replace(macro, sql=forward(name, macro)) if macro.may_forward else in_full(name)
        for name, macro in macros().items()
        if not name.startswith("_")
    }


def in_full(name: str) -> Macro:
    """Return the macro as a TEMP macro that calls hosted ones."""
    return replace(macros()[name], sql=with_whole_names(macros()[name].sql, HOST))


def forward(name: str, macro: Macro) -> str:
    """Return the statement of a TEMP macro that passes its arguments on to the hosted one."""
    before, after = ("TABLE (FROM ", ")") if macro.is_table else ("", "")
    overloads = (
        f"({', '.join(signature)}) AS "
        f"{before}{HOST}.main.{identifier(name)}({', '.join(map(passed, signature))}){after}"
        for signature in macro.signatures()
    )
    return f"CREATE OR REPLACE TEMP MACRO {identifier(name)}{', '.join(overloads)}"


def passed(parameter: str) -> str:
    """Return a parameter as an argument of a call: by name where it has a default."""
    name, default, _ = parameter.partition(" := ")
    return f"{name} := {name}" if default else name.split()[0]


@cache
def for_all() -> list[str]:
    """Return the statements that fill the database `ranking`, the mark last."""
    made = [macro.sql.replace("TEMP MACRO ", f"MACRO {DATABASE}.main.", 1) for macro in public().values()]
    last = f"CREATE MACRO {DATABASE}.main.{LAST_MACRO}() AS {mark(public())}"
    return [*made, *comments(public(), f"{DATABASE}.main"), last]


def comments(made: Mapping[str, Macro], schema: str) -> list[str]:
    """Return the statements that describe those macros of a schema that have a description."""
    return [
        macro.comment(f"{schema}.{identifier(name)}") for name, macro in made.items() if macro.description
    ]


def attach_host(con: duckdb.DuckDBPyConnection) -> None:
    """Attach the database `_ranking` if it is not there, or is another version's; ValueError if not ours.

    By a cursor of its own, since a transaction writes to one database only, which may be the user's.
    """
    with contextlib.closing(con.cursor()) as cursor:
        found = said_mark(cursor, HOST)
        if found.startswith(f"{version()} "):
            return
        if found.startswith(f"{PACK} "):
            cursor.execute(f"DETACH {HOST}")
        if not attach_kept(cursor):
            attach(cursor, HOST, hosted().values(), "HIDDEN, READ_WRITE")


def attach_kept(con: duckdb.DuckDBPyConnection) -> bool:
    """Attach the file of the hosted macros, written where there is none. Returns whether that went."""
    prefix = f"hosted-duckdb{duckdb.__version__}"
    path = place(prefix, stamp_of_sql(), ".duckdb")
    if path is None:
        return False
    statement = f"ATTACH {literal(str(path))} AS {HOST} (HIDDEN, READ_ONLY)"
    try:
        con.execute(statement)
    except (duckdb.PermissionException, duckdb.BinderException):  # no external access, or the name is taken
        return False
    except duckdb.Error:  # no such file, or a damaged one
        try:
            keep(path, prefix, write_hosted)
            con.execute(statement)
        except (duckdb.Error, OSError):
            return False
    return True


def write_hosted(path: Path) -> None:
    """Write the file of the hosted macros, by an instance that has no settings of a user's."""
    with contextlib.closing(duckdb.connect()) as con:
        # DuckDB 2.0.0 loses names of arguments where it writes for older versions, as it does by default.
        con.execute(f"ATTACH {literal(str(path))} AS {HOST} (STORAGE_VERSION 'latest')")
        fill(con, hosted().values())
        con.execute(f"DETACH {HOST}")


def find_hosted(con: duckdb.DuckDBPyConnection, has_functions: bool = True) -> None:
    """Let this connection find the hosted macros, behind all that it finds itself.

    Without `has_functions`, those that call Python's functions will not work in this instance: DuckDB imports
    NumPy to make one.

    That takes a hundredth of the time of TEMP macros; but whatever sets the search path again, such as USE,
    takes it back.
    """
    with LOCK:
        if not is_hosted(con):
            try:
                con.execute(f"SELECT {FIRST_FUNCTION}()")
            except duckdb.CatalogException:
                add_functions(con, OF_MACROS if has_functions else {})
            attach_host(con)
    sql = "SELECT current_setting('search_path'), current_database(), current_schema()"
    ((path, *current),) = con.execute(sql).fetchall()
    if not {HOST, f"{HOST}.main"} & {one.strip() for one in path.split(",")}:
        path = path or ".".join(map(identifier, current))
        con.execute(f"SET search_path = {literal(f'{path},{HOST}.main')}")


def is_hosted(con: duckdb.DuckDBPyConnection) -> bool:
    """Say whether this version's database `_ranking` is attached."""
    with contextlib.closing(con.cursor()) as cursor:
        return said_mark(cursor, HOST).startswith(f"{version()} ")


def attach_for_all(con: duckdb.DuckDBPyConnection) -> None:
    """Attach the database `ranking` if it is not there; ValueError if there is one of another origin."""
    question = f"""
        SELECT 'database', coalesce(path, 'memory') FROM duckdb_databases()
        WHERE database_name ILIKE '{DATABASE}'
        UNION ALL
        SELECT 'schema', database_name FROM duckdb_schemas() WHERE schema_name ILIKE '{DATABASE}'"""
    with contextlib.closing(con.cursor()) as cursor:
        there = cursor.execute(question).fetchall()
        if there == [("database", "memory")] and said_mark(cursor, DATABASE) == mark(public()).strip("'"):
            return
        for what, where in there:
            found = f"{what} {DATABASE} of another origin with temp=False, got one in {where}"
            raise ValueError(f"register: con must have no {found}")
        attach(cursor, DATABASE, for_all(), "READ_WRITE")


def said_mark(con: duckdb.DuckDBPyConnection, database: str) -> str:
    """Return what the macro `_ranking_macros` of a database says, or nothing where there is none."""
    try:
        ((found,),) = con.execute(f"SELECT {database}.main.{LAST_MACRO}()").fetchall()
    except (duckdb.CatalogException, duckdb.BinderException):
        return ""
    return str(found)


def attach(con: duckdb.DuckDBPyConnection, database: str, statements: Iterable[str], options: str) -> None:
    """Attach a database in memory and fill it, or leave none behind."""
    try:
        con.execute(f"ATTACH ':memory:' AS {database} ({options})")  # READ_WRITE, else as the user's database
    except duckdb.BinderException:
        found = f"database {database} of another origin, got one"
        raise ValueError(f"register: con must have no {found}: attach it under another name") from None
    try:
        fill(con, statements)
    except BaseException:
        con.execute(f"DETACH {database}")
        raise


def fill(con: duckdb.DuckDBPyConnection, statements: Iterable[str]) -> None:
    """Run the statements, all or none, where no macro of a user is found."""
    con.execute(NOWHERE)
    with transaction(con):
        for statement in parsed(con, statements):
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
