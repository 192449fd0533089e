"""The owner of a name: the pack's own functions and macros on a connection, told apart from others.

DuckDB's catalog does not say where a function or a macro comes from, so the pack leaves two marks.
The function `udf_version` is registered before all others and returns a type that no other function has: an
older function is not the pack's. The macro `_ranking_macros` holds the version and the names of the macros
beside it, and is made after them: other names are not the pack's, nor is a younger TEMP macro, which must
have replaced one of them.
"""

from dataclasses import dataclass, field
from functools import cache

import duckdb

from ..arrow.functions import FUNCTIONS
from ..arrow.types import sql_type
from ..quoting import literal
from ..version import PACK, version
from .functions import FIRST_FUNCTION, OF_MACROS, Udf
from .statements import LAST_MACRO, macros, parsed

SHORT = {name: Udf(function.call, sql_type(function.returns)) for name, function in FUNCTIONS.items()}
# In the order of registration: a short name is never there without the one that is the pack's alone.
UDFS = OF_MACROS | {f"udf_{name}": udf for name, udf in SHORT.items()} | SHORT


@cache
def permanent_names() -> dict[str, str]:
    """Return every name that a connection gets, with the one that always means the pack's."""
    functions = {name: f"udf_{name}" if f"udf_{name}" in UDFS else name for name in UDFS}
    public = {name: macro.always for name, macro in macros().items() if not name.startswith("_")}
    return {LAST_MACRO: LAST_MACRO} | functions | public


def is_table(name: str) -> bool:
    return name in macros() and macros()[name].is_table


@dataclass
class InUse:
    """The functions and macros that a connection has under the names of the pack."""

    functions: set[str] = field(default_factory=set)  # the pack's
    macros: set[str] = field(default_factory=set)  # the pack's TEMP macros
    are_current: bool = True  # whether this version of the pack made those
    taken: set[str] = field(default_factory=set)  # someone else's
    others: set[str] = field(default_factory=set)  # of the other kind, scalar or table


def names_in_use(con: duckdb.DuckDBPyConnection) -> InUse:
    """Ask the catalog, once, since that takes as long as 50 small macros.

    ValueError if a name that must be the pack's is someone else's.
    """
    names = f"unnest(string_split({literal(' '.join(permanent_names()))}, ' '))"  # one text is quick to parse
    query = f"""
        SELECT
            database_name, schema_name, lower(function_name), function_type LIKE 'table%', function_oid,
            coalesce(macro_definition, return_type, '')
        FROM duckdb_functions() WHERE lower(function_name) IN (SELECT {names})"""
    rows = con.execute(*parsed(con, [query])).fetchall()
    first, last, found = float("inf"), {}, InUse()
    for database, schema, name, _, oid, text in rows:
        if name == FIRST_FUNCTION and text.startswith(f"ENUM('{PACK} "):
            first = oid
        elif name == LAST_MACRO and text.startswith(f"'{PACK} "):
            last[database, schema] = oid, text.strip("'").split()
            if database == "temp":
                found.are_current = text.startswith(f"'{version()} ")
    for database, schema, name, as_table, oid, _ in rows:
        if as_table != is_table(name):
            found.others.add(name)
            continue  # DuckDB tells the two kinds apart
        made_last, beside = last.get((database, schema), (0, []))
        if database == "system":
            owned = oid >= first
        else:
            owned = name in beside and (oid <= made_last or database != "temp")
        if not owned:
            if permanent_names()[name] == name:
                where = f"{database}.{schema}"
                raise ValueError(f"register: con must have no {name} of another origin, got one in {where}")
            found.taken.add(name)
        elif database == "system":
            found.functions.add(name)
        elif database == "temp":
            found.macros.add(name)
    return found
