"""Print a call of a table function as a macro: `ranking-udfs sql FUNCTION ... --macro NAME`."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import click
import duckdb

from ..duckdb.macros import macros
from ..evaluation.options import Option
from ..evaluation.queries import given_in_sql
from ..macros.files import signature
from ..macros.frozen import TABLES, frozen_macro
from ..quoting import literal, sql_value
from .options import EVERY, SHORT, Once, Value

# The options of other names than the arguments.
NAMES = {"max_k": "ks", "k": "ks", "descending": "ascending"}
LISTS = ("systems", "lower_is_better")
# The options whose number is given as text, and the type of another text.
NUMBERS = {"alpha": "", "test_size": "INTERVAL", "gap": "INTERVAL", "test_from": "TIMESTAMP"}


def print_macro(ctx: click.Context, args: Sequence[str]) -> None:
    """Print the macro of the function in the arguments, and exit."""
    functions = [name for name, macro in macros().items() if "_ranking_compose(" in macro.sql]
    function = next((argument for argument in args if argument in functions), None)
    if function is None:
        raise click.UsageError(f"sql: --macro requires a FUNCTION, one of {', '.join(functions)}", ctx)
    rest = [*args]
    rest.remove(function)
    own = parameters(function)
    command = Once(f"sql {function}", params=own, callback=lambda **given: statement(function, given))
    try:
        with command.make_context(command.name, rest, parent=ctx.parent) as inner:
            click.echo(command.invoke(inner), nl=False)
    except click.UsageError as error:
        raise click.UsageError(error.format_message(), ctx) from None
    except ValueError as error:
        flags = {str(parameter.name): parameter.opts[0] for parameter in own}
        text = re.sub(r"^\w+(?= must )", lambda name: flags.get(name[0], name[0]), str(error))
        raise click.UsageError(f"sql: {text}", ctx) from None
    ctx.exit()


def parameters(function: str) -> list[click.Parameter]:
    """Return the options for a function's arguments in SQL."""
    arguments = (text.partition(" := ") for text in signature(function))
    given = (pair[::2] for pair in arguments if pair[2] or pair[0] not in (*TABLES, "user"))
    name = click.Option(["--macro", "name"], metavar="NAME", required=True)
    return [name, *(option(argument, default) for argument, default in given)]


def option(argument: str, default: str) -> click.Option:
    """Return the option for an argument, named and parsed as in other commands."""
    name = NAMES.get(argument, argument.removesuffix("_col"))
    known = EVERY.get(name, Option("", value="VALUE"))
    flags = [SHORT.get(name), None if name == "ks" else f"--{name.replace('_', '-')}", argument]
    names, help_text = [*filter(None, flags)], re.split(r"; | \(for |, as for ", known.help)[0]
    if argument in TABLES:
        help_text = f"take a table of {argument}, as the next parameter"
    if argument in TABLES or default in ("true", "false"):
        return click.Option(names, is_flag=True, help=help_text)
    parse = None if name == "measures" else known.parse
    kind = click.Choice(known.choices) if known.choices else Value(name, parse)
    return click.Option(names, type=kind, help=help_text, metavar=known.value or None)


def statement(function: str, given: Mapping[str, Any]) -> str:
    """Return the statement that makes the macro."""
    values = {name: value for name, value in given.items() if value is not None and value is not False}
    name, tables = values.pop("name"), [table for table in TABLES if values.pop(table, None)]
    arguments = {argument: to_sql(function, argument, value) for argument, value in values.items()}
    with duckdb.connect() as con:
        try:
            parsed = given_in_sql(con, arguments)
        except duckdb.Error as error:  # an INTERVAL or TIMESTAMP that is none
            raise ValueError(str(error).partition("\n")[0]) from None
    return frozen_macro(function, name, parsed, tables)


def to_sql(function: str, argument: str, value: Any) -> str:
    """Return the value of an option as SQL, of the type that the function expects."""
    if argument == "descending":
        return "false"
    if argument in ("max_k", "k") and len(value) == 1:
        return sql_value(value[0])
    if argument in LISTS or (argument == "measures" and function == "compare_by_user"):
        return sql_value(value.split(","))
    if argument in NUMBERS and re.fullmatch(r"-?\d+(\.\d+)?", value):
        return str(value)
    return f"{NUMBERS[argument]} {literal(value)}" if NUMBERS.get(argument) else sql_value(value)
