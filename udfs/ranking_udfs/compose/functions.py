"""Functions that macros call while DuckDB plans a query: they return the SQL of a call, or an error text."""

import json
from collections.abc import Sequence

from ..quoting import literal
from .arguments import Given
from .call import Call
from .columns import Names, columns_problem, parse_columns
from .templates import render

PATHS = {
    "_ranking_users": "tables/internal/users.sql",
    "_ranking_compared": "comparison/internal/compared.sql",
}  # of templates that are no file of their function's name
CALLS: dict[str, type[Call]] = {}  # by function, of those that are no `Call` itself


def path_of(function: str) -> str:
    """Return the path of a function's template below `sql/`."""
    return PATHS.get(function) or f"{CALLS.get(function, Call).folder}/{function}.sql"


def compose_call(function: str, *arguments: Sequence[str | None]) -> str:
    """Compose the SQL of a call, or a query that raises the error of its arguments while it is planned.

    Args:
        function: the name of the table function.
        arguments: of each its name, its type and its text.
    """
    given = {str(name): Given(str(kind), text) for name, kind, text in arguments}
    try:
        return compose(CALLS.get(function, Call).parse(function, given))
    except ValueError as error:
        caller = given["caller"].text if "caller" in given else function
        return failing(f"{caller}: {error}")


def compose(call: Call) -> str:
    """Compose the SQL of a call whose arguments have been checked."""
    if call.types:
        types = call.types
        if problem := columns_problem(call.names, types.rec, types.truth, types.users, call.min_grade):
            return failing(f"{call.caller}: {problem}")
    return render(path_of(call.function), call)


def failing(text: str) -> str:
    """Return a query that raises an error while it is planned, whatever is selected of it."""
    return f"FROM query_table(error({literal(text)}))"


def column_problem(facts: str, rec: str, truth: str, users: str | None = None) -> str | None:
    """Return what is wrong with the columns of tables, whose rows have these types; None for nothing."""
    given = json.loads(facts)
    min_grade = given.pop("min_grade")
    of_users = None if users is None else parse_columns(users)
    return columns_problem(Names(**given), parse_columns(rec), parse_columns(truth), of_users, min_grade)
