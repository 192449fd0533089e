"""Register Python functions in a DuckDB instance; the functions that macros call come first."""

import contextlib
import inspect
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import duckdb
from duckdb.func import FunctionNullHandling, PythonUDFType

from ..measures.registry import LIST_MEASURES, MEASURES
from ..quoting import literal
from ..version import version

FIRST_FUNCTION = "_ranking_version"
# The user has no functions in this schema. DuckDB would otherwise treat ours as overloads of the user's.
NOWHERE = "SET search_path = 'temp.main'"

# DuckDB 1.5 has no such error: each statement ends the previous result.
UNFINISHED: type[Exception] | tuple[()] = getattr(duckdb, "ResourceInUseException", ())

LOCK = threading.Lock()


def renew_lock() -> None:
    """Create a new lock in a forked process, since a thread of its parent may hold the old one."""
    global LOCK
    LOCK = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=renew_lock)


@dataclass(frozen=True)
class Udf:
    """A function and its return type in DuckDB."""

    call: Callable[..., Any]
    returns: str
    is_arrow: bool = True


def imported(path: str, returns: str, is_arrow: bool = True) -> Udf:
    """Return a function that imports its module, and pyarrow or Jinja2 with it, on the first call."""
    module, _, name = path.rpartition(".")

    def call(*arguments: Any) -> Any:
        return getattr(import_module(f"..{module}", __package__), name)(*arguments)

    return Udf(call, returns, is_arrow)


def function_of_lists(name: str) -> Callable[..., Any]:
    """Return the function over lists of this name, imported on the first call."""

    def call(*arguments: Any) -> Any:
        from ..arrow.functions import FUNCTIONS

        return FUNCTIONS[name].call(*arguments)

    return call


COMPARED_COLUMNS = (
    "STRUCT(problem VARCHAR, measures STRUCT(measure VARCHAR, value_place BIGINT, predicted_place BIGINT, "
    "higher_is_better BOOLEAN, is_share BOOLEAN, seems_lower_is_better BOOLEAN)[])"
)
SIGN_FLIPS = "STRUCT(p DOUBLE, tried BIGINT, reached BIGINT, summed BIGINT, sums DOUBLE[])"
# The type that `judge` returns.
JUDGED = "STRUCT(ranks INTEGER[], grades DOUBLE[], ideal DOUBLE[], size INTEGER, cutoff INTEGER)"
# The function that identifies our own functions, followed by the functions that macros call.
OF_MACROS = {
    FIRST_FUNCTION: Udf(version, f"ENUM({literal(version())})", is_arrow=False),
    "_ranking_compose": imported("compose.functions.compose_call", "VARCHAR", is_arrow=False),
    "_ranking_column_problem": imported("compose.functions.column_problem", "VARCHAR", is_arrow=False),
    "_ranking_compared_columns": imported(
        "compose.comparison.compared_columns", COMPARED_COLUMNS, is_arrow=False
    ),
    "_ranking_judge": Udf(function_of_lists("judge"), JUDGED),
    "_ranking_measure": imported("arrow.over_judged.measure", "STRUCT(value DOUBLE, problem VARCHAR)"),
    "_ranking_arrow_t_p": imported("arrow.student_t.t_p", "DOUBLE"),
    "_ranking_arrow_t_quantile": imported("arrow.student_t.t_quantile", "DOUBLE"),
    "_ranking_column_findings": imported("compose.check.column_findings", "VARCHAR[][]", is_arrow=False),
    "_ranking_sign_flips": imported("arrow.randomization.sign_flips", SIGN_FLIPS),
}
OF_LISTS = {"judge": Udf(function_of_lists("judge"), JUDGED)} | {
    name: Udf(function_of_lists(name), "DOUBLE")
    for measure in (*MEASURES.values(), *LIST_MEASURES.values())
    for name in measure.names
}
# Functions have no annotations: DuckDB inspects them for types, which takes longer than all else here.
SIGNATURE = inspect.signature(lambda *arguments: ...)


def add_functions(
    con: duckdb.DuckDBPyConnection, udfs: Mapping[str, Udf], in_transaction: bool = False
) -> None:
    """Register these functions in their order.

    Outside a transaction, use a new cursor: DuckDB's client remembers registrations per connection, and is
    wrong about them after a rollback. Inside a transaction, use the connection itself, since it would not see
    functions that a cursor adds.
    """
    with contextlib.closing(con.cursor()) as cursor:
        cursor.execute(NOWHERE)
        types = {text: cursor.type(text) for text in {udf.returns for udf in udfs.values()}}
        for name, udf in udfs.items():
            if name != FIRST_FUNCTION:
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


def add_missing_functions(con: duckdb.DuckDBPyConnection) -> None:
    """Add the functions that composed SQL calls, if they are missing."""
    with LOCK, usable():
        if not has_functions(con):
            add_functions(con, OF_MACROS, is_in_transaction(con))


def has_functions(con: duckdb.DuckDBPyConnection) -> bool:
    """Return whether this connection has the functions, without an error that would end a transaction."""
    if is_in_transaction(con):
        query = f"SELECT count(*) FROM duckdb_functions() WHERE function_name = '{FIRST_FUNCTION}'"
        return con.execute(query).fetchall() != [(0,)]
    try:
        con.execute(f"SELECT system.main.{FIRST_FUNCTION}()").fetchall()
    except duckdb.CatalogException:
        return False
    return True


def is_in_transaction(con: duckdb.DuckDBPyConnection) -> bool:
    first, second = (con.execute("SELECT txid_current()").fetchall() for _ in range(2))
    return first == second


@contextlib.contextmanager
def usable() -> Iterator[None]:
    """Raise ValueError if a connection is closed or has a result that was not read to its end."""
    try:
        yield
    except duckdb.ConnectionException as error:
        raise ValueError(f"register: con must be an open connection, got a closed one ({error})") from None
    except UNFINISHED as error:
        raise ValueError(
            "register: con must have no unfinished result, got one: fetch it to its end first, "
            f"or pass con.cursor() ({error})"
        ) from None
