"""Whose a name is: what a connection has under the names of the pack, told apart from what is someone else's.

DuckDB's catalog does not say where a function or a macro comes from, so the pack leaves two marks.
The function `udf_version` is registered before all others and returns a type that nobody else's does: what is
older is not the pack's. The macro `_ranking_macros` names those beside it and is made after all of them: what
it does not name is not the pack's, nor is a TEMP macro that is younger, which replaced another.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import duckdb

from .. import __version__
from ..arrow.functions import FUNCTIONS
from ..arrow.randomization import sign_flips
from ..arrow.types import sql_type
from .statements import literal, macros, parsed

PACK = "duckdb-ranking-udfs"
FIRST_FUNCTION = "udf_version"
LAST_MACRO = "_ranking_macros"


def version() -> str:
    """The name and the version of the pack."""
    return f"{PACK} {__version__}"


@dataclass(frozen=True)
class Udf:
    """A function as DuckDB takes it."""

    call: Callable[..., Any]
    returns: str
    is_arrow: bool = True


# In the order of registration: a short name is never there without the one that is the pack's alone.
UDFS = {
    FIRST_FUNCTION: Udf(version, f"ENUM({literal(version())})", is_arrow=False),
    "_ranking_sign_flips": Udf(sign_flips, "DOUBLE"),
    **{f"udf_{name}": Udf(function.call, sql_type(function.returns)) for name, function in FUNCTIONS.items()},
    **{name: Udf(function.call, sql_type(function.returns)) for name, function in FUNCTIONS.items()},
}


@cache
def always_there() -> dict[str, str]:
    """Every name that the pack uses, and the name under which the same thing is always there."""
    functions = {name: f"udf_{name}" if f"udf_{name}" in UDFS else name for name in UDFS}
    return {LAST_MACRO: LAST_MACRO} | functions | {name: macro.always for name, macro in macros().items()}


def is_table(name: str) -> bool:
    """Whether the name is that of a table function."""
    return name in macros() and macros()[name].is_table


@dataclass
class InUse:
    """What a connection has under the names of the pack."""

    functions: set[str] = field(default_factory=set)  # the pack's
    macros: set[str] = field(default_factory=set)  # the pack's that are TEMP
    taken: set[str] = field(default_factory=set)  # someone else's


@cache
def question() -> str:
    names = f"unnest(string_split({literal(' '.join(always_there()))}, ' '))"  # one text is quick to parse
    return f"""
        SELECT
            database_name, schema_name, lower(function_name), function_type LIKE 'table%', function_oid,
            coalesce(macro_definition, return_type, '')
        FROM duckdb_functions() WHERE lower(function_name) IN (SELECT {names})"""


def names_in_use(con: duckdb.DuckDBPyConnection) -> InUse:
    """Ask the catalog, which takes as long as 50 small macros: once.

    Raises:
        ValueError: a name that must be the pack's is someone else's.
    """
    rows = con.execute(*parsed(con, [question()])).fetchall()
    first, last = float("inf"), {}
    for database, schema, name, _, oid, text in rows:
        if name == FIRST_FUNCTION and text.startswith(f"ENUM('{PACK} "):
            first = oid
        elif name == LAST_MACRO and text.startswith(f"'{PACK} "):
            last[database, schema] = oid, text.strip("'").split()
    found = InUse()
    for database, schema, name, as_table, oid, _ in rows:
        if as_table != is_table(name):
            continue  # DuckDB does not take the one for the other
        mark, beside = last.get((database, schema), (0, []))
        if database == "system":
            owned = oid >= first
        else:
            owned = name in beside and (oid <= mark or database != "temp")
        if not owned:
            if always_there()[name] == name:
                where = f"{database}.{schema}"
                raise ValueError(f"register: con must have no {name} of another origin, got one in {where}")
            found.taken.add(name)
        elif database == "system":
            found.functions.add(name)
        elif database == "temp":
            found.macros.add(name)
    return found
