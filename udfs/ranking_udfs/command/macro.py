"""Print a call of a table function as a macro: `ranking-udfs sql FUNCTION ... --macro NAME`."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import click
import duckdb

from ..compose.arguments import IN_MACRO
from ..duckdb.macros import macros
from ..kinds import BOOLEAN, CUTOFF, CUTOFFS, TABLE, Typed
from ..macros.frozen import frozen_macro
from ..options import FLAGS, FUNCTIONS, Option
from ..quoting import literal
from .options import EVERY, SHORT, Once, value_type

# The options whose value is of the type of a time: an integer, or else a value of this type.
TIMES = {"test_size": "INTERVAL", "gap": "INTERVAL", "test_from": "TIMESTAMP"}


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
    name = click.Option(["--macro", "name"], metavar="NAME", required=True)
    return [
        name,
        *(
            option(argument, taken)
            for argument, taken in FUNCTIONS[function].items()
            if argument not in IN_MACRO and (taken.kind is not TABLE or taken.default is not ...)
        ),
    ]


def option(argument: str, taken: Option) -> click.Option:
    """Return the option for an argument, named and parsed as in other commands."""
    name = {"max_k": "ks", "category_col": "category"}.get(argument) or FLAGS.get(argument) or argument
    flags = [SHORT.get(name), None if name == "ks" else f"--{name.replace('_', '-')}", argument]
    names, help_text = [*filter(None, flags)], re.split(r"; | \(for |, as for ", taken.text)[0]
    if taken.kind is TABLE or taken.kind is BOOLEAN:
        help_text = f"take a table of {argument}, as the next parameter" if taken.kind is TABLE else help_text
        return click.Option(names, is_flag=True, help=help_text)
    kind = value_type(name, EVERY["ks"] if taken.kind in (CUTOFF, CUTOFFS) else taken)
    return click.Option(names, type=kind, help=help_text, metavar=taken.value or None)


def statement(function: str, given: Mapping[str, Any]) -> str:
    """Return the statement that makes the macro."""
    options = FUNCTIONS[function]
    values = {name: value for name, value in given.items() if value is not None and value is not False}
    name = values.pop("name")
    tables = [table for table in values if options[table].kind is TABLE]
    values = {argument: value for argument, value in values.items() if argument not in tables}
    if "descending" in values:
        values["descending"] = False
    for argument in TIMES.keys() & values.keys():
        values[argument] = time_of(argument, values[argument])
    return frozen_macro(function, name, values, tables)


def time_of(argument: str, text: str) -> int | Typed:
    """Return a time or a span of time; ValueError if it is none."""
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    with duckdb.connect() as con:
        try:
            ((value,),) = con.execute(f"SELECT {TIMES[argument]} {literal(text)}::VARCHAR").fetchall()
        except duckdb.Error as error:
            raise ValueError(str(error).partition("\n")[0]) from None
    return Typed(TIMES[argument], value)
