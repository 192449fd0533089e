"""Functions that macros call while DuckDB plans a query: return the SQL of a call, or an error text."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..quoting import literal
from .arguments import Given, given_of, split_arguments
from .call import Call, Types
from .check import CHECKS
from .columns import Names, first_problem, parse_columns
from .comparison import COMPARISONS
from .explain import ExplainCall
from .fusing import FuseCall
from .intents import IntentsCall
from .lists import CALLS_OF_LISTS
from .split import SplitCall, events_problem
from .templates import render

PATHS = {"_ranking_users": "tables/internal/users_part.jinja"}  # templates of another name
# By function: the class of its call, if that is not `Call`.
CALLS: dict[str, type[Any]] = {
    **CALLS_OF_LISTS,
    **CHECKS,
    **COMPARISONS,
    "explain": ExplainCall,
    "fuse": FuseCall,
    "intents_by_user": IntentsCall,
    "split": SplitCall,
}


def path_of(function: str) -> str:
    """Return the path of a function's template, below `sql/`."""
    return PATHS.get(function) or f"{CALLS.get(function, Call).folder}/{function}.sql"


def compose_call(called: str, *arguments: Sequence[str | None]) -> str:
    """Compose the SQL of a call, or a query that raises the error of its arguments during planning.

    Args:
        called: the name of the table function, as called: `ranking.evaluate`.
        arguments: name, type and text of each argument.
    """
    return compose_given(called, {str(name): Given(str(kind), text) for name, kind, text in arguments})


def compose_given(
    called: str,
    arguments: Mapping[str, Given],
    types: Mapping[str, Mapping[str, str]] | None = None,
    caller: str = "",
    is_portable: bool = False,
) -> str:
    """Compose the SQL of a call with parsed arguments, or a query that raises their error.

    Args:
        called: the name of the table function; its default namespace is `ranking`.
        arguments: its arguments by name.
        types: the columns of each table, by name of the table, if they are known.
        caller: the name of the function in errors, if it differs.
        is_portable: whether to compose SQL that runs without the Python package.
    """
    namespace, _, function = called.rpartition(".")
    caller = caller or f"{namespace or 'ranking'}.{function}"
    try:
        call = CALLS.get(function, Call).parse(function, arguments)
        call = replace(call, caller=caller, is_portable=is_portable)
        return compose(call.with_types(types) if types else call)
    except ValueError as error:
        text = str(error).replace("FROM ranking.", f"FROM {namespace or 'ranking'}.")
        return failing(f"{caller}: {text}")


def compose(call: Call) -> str:
    """Compose the SQL of a call with checked arguments."""
    call = call if call.caller else replace(call, caller=f"ranking.{call.function}")
    known = call.types if isinstance(call.types, Types) else None
    if known and (problem := first_problem(call.names, known.tables, call.min_grade)):
        return failing(f"{call.caller}: {problem}")
    return render(path_of(call.function), call)


def compose_values(
    function: str,
    values: Mapping[str, Any],
    types: Mapping[str, Mapping[str, str]],
    is_portable: bool = False,
) -> str:
    """Compose the SQL of a call with Python values as arguments, or a query that raises their error.

    Args:
        function: the name of the table function.
        values: the values of all its arguments, by name.
        types: the columns of each table, by name of the table.
        is_portable: as for `compose_given`.
    """
    names, ctes = split_arguments([*values], values)
    arguments = {name: given_of(values[name]) for name in names}
    text = compose_given(function, arguments, types, is_portable=is_portable)
    return f"{ctes}FROM (\n{text}\n)" if ctes else text


def failing(text: str) -> str:
    """Return a query that raises an error during planning, for any selected columns."""
    return f"FROM query_table(error({literal(text)}))"


def column_problem(facts: str, *rows: str) -> str | None:
    """Return the problem in the columns of tables with these row types, or None."""
    fields = json.loads(facts)
    if "split" in fields:
        return events_problem(fields["split"], parse_columns(rows[0]))
    tables = dict(zip(fields.pop("tables"), map(parse_columns, rows), strict=True))
    min_grade = fields.pop("min_grade")
    return first_problem(Names(**fields), tables, min_grade)
