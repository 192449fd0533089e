"""Freeze a call of a table function as a macro, for clients without Python: its tables are the parameters."""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ..compose.arguments import IN_MACRO
from ..compose.functions import path_of, read_call
from ..compose.templates import Sql, render
from ..kinds import TABLE
from ..options import FUNCTIONS

NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


def frozen_macro(function: str, name: str, values: Mapping[str, Any], tables: Collection[str] = ()) -> str:
    """Return the statement of a macro of a table function; ValueError for options that it cannot have.

    `values` are options as in SQL, `tables` the optional tables that are parameters, too.
    """
    if not NAME.fullmatch(name):
        raise ValueError(f"the macro must have a name such as evaluate_shop, got {name}")
    call, parameters = parse_frozen(function, values, tables, name)
    return f"CREATE OR REPLACE MACRO {name}{freeze(call, parameters)};\n"


def parse_frozen(
    function: str,
    values: Mapping[str, Any],
    tables: Collection[str],
    caller: str,
    kind: type[Any] | None = None,
) -> tuple[Any, list[str]]:
    """Return a call whose tables are parameters, and the parameters. `kind` is its class, if it differs."""
    parameters = parameters_of(function, tables)
    named = {name: Sql(text) for name, text in parameters.items() if name not in IN_MACRO}
    call = read_call(function, {**values, **named}, kind, caller=caller, is_portable=True)
    if getattr(call, "randomizes", False):
        raise ValueError("test must be t in a macro, since randomization needs Python, got randomization")
    if function == "compare_by_user" and call.measures is None:
        raise ValueError("measures must name the columns to compare in a macro, got none")
    return call, [*parameters.values()]


def parameters_of(function: str, tables: Collection[str]) -> dict[str, str]:
    """Return the parameters by argument: the tables that are required or named, and a user.

    Except for `rec` and `truth`, the names differ from the arguments: in the body of a macro, DuckDB replaces
    each column that has the name of a parameter.
    """
    chosen = {}
    for name, option in FUNCTIONS[function].items():
        if name in IN_MACRO:
            chosen[name] = f"{name}_id"
        elif option.kind is TABLE and (option.default is ... or name in tables):
            chosen[name] = name if name in ("rec", "truth") else f"{name}_table"
    return chosen


def freeze(call: Any, parameters: Iterable[str]) -> str:
    """Return the macro of a call after its name: the parameters and the body."""
    text = render(path_of(call.function), call)
    if call.function == "explain":
        text = f"WITH {IN_MACRO['user']} AS (SELECT user_id AS id)\nFROM (\n{text}\n)"
    return f"({', '.join(parameters)}) AS TABLE (\n{text}\n)"
