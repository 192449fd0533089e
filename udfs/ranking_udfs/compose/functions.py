"""Functions that macros call while DuckDB plans a query: return the SQL of a call, or an error text."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..quoting import literal
from .arguments import checked, split_arguments, value_of
from .call import Call
from .check import CHECKS
from .columns import Names, first_problem, parse_columns
from .comparison import COMPARISONS
from .explain import ExplainCall
from .fusing import FuseCall
from .lists import CALLS_OF_LISTS
from .split import SplitCall, column_problems
from .templates import render

# By function: the class of its call, if that is not `Call`.
CALLS: dict[str, type[Any]] = {
    **CALLS_OF_LISTS,
    **CHECKS,
    **COMPARISONS,
    "explain": ExplainCall,
    "fuse": FuseCall,
    "split": SplitCall,
}


# The functions whose templates are in the folder `comparison`, not in `tables`.
COMPARING = ("abstention", "compare", "compare_by_user", "gate", "overlap", "overlap_by_user")


def path_of(function: str) -> str:
    """Return the path of a function's template, below `sql/`."""
    return f"{'comparison' if function in COMPARING else 'tables'}/{function}.sql"


def compose_call(called: str, *arguments: Sequence[str | None]) -> str:
    """Compose the SQL of a call, or a query that raises the error of its arguments during planning.

    Args:
        called: the name of the table function, as called: `ranking.evaluate`.
        arguments: name, type and text of each argument.
    """
    values = {str(name): value_of(str(name), str(kind), text) for name, kind, text in arguments}
    return compose_values(called, values)


def read_call(
    function: str, arguments: Mapping[str, Any], kind: type[Any] | None = None, **facts: Any
) -> Any:
    """Return the call of a table function with these values as arguments; `kind` is its class, if it differs.

    Raises:
        ValueError: the first broken rule, with the value
    """
    read = (kind or CALLS.get(function, Call)).from_arguments
    return read(function, checked(function, arguments), **facts)


def compose_values(
    called: str,
    arguments: Mapping[str, Any],
    types: Mapping[str, Mapping[str, str]] | None = None,
    **facts: Any,
) -> str:
    """Compose the SQL of a call with these values, or a query that raises their error during planning.

    Args:
        called: the name of the table function; its default namespace is `ranking`.
        arguments: values by name; those left out have their defaults.
        types: the columns of each table, by name of the table, if they are known.
        facts: `caller`, the name of the function in errors, if it differs; `is_part`, `is_merge` or
            `is_portable`.
    """
    namespace, _, function = called.rpartition(".")
    namespace = namespace or "ranking"
    caller = facts.pop("caller", f"{namespace}.{function}")
    _, ctes = split_arguments([*arguments], arguments)
    try:
        call = read_call(function, arguments, caller=caller, **facts)
        text = compose(call.with_types(types) if types else call)
    except ValueError as error:
        text = failing(f"{caller}: {str(error).replace('FROM ranking.', f'FROM {namespace}.')}")
    return f"{ctes}FROM (\n{text}\n)" if ctes else text


def compose(call: Call) -> str:
    """Compose the SQL of a call with checked arguments."""
    known = call.types if isinstance(call, Call) else None
    if known and (problem := first_problem(call, known)):
        return failing(f"{call.caller}: {problem}")
    return render(path_of(call.function), call)


def failing(text: str) -> str:
    """Return a query that raises an error during planning, for any selected columns."""
    return f"FROM query_table(error({literal(text)}))"


def column_problem(facts: str, *rows: str) -> str | None:
    """Return the problem in the columns of tables with these row types, or None."""
    fields = json.loads(facts)
    if "split" in fields:
        return next(column_problems(fields["split"], parse_columns(rows[0])), None)
    tables = dict(zip(fields.pop("tables"), map(parse_columns, rows), strict=True))
    return first_problem(Names(**fields), tables)
