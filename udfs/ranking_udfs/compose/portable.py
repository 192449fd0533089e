"""The rules about columns as SQL, for macros whose tables are parameters."""

from collections.abc import Mapping

from .columns import LIKE, PLAIN_NUMBER, READ
from .templates import literal, module


def column_problem(tables: Mapping[str, str], names: Mapping[str, str | None]) -> str:
    """Return the SQL of one problem of the columns of tables by role, or NULL; `names` are as in `Names`."""
    rules = [(role, *rule) for role in tables for rule in READ[role].items()]
    read = [(role, name, rule) for role, kind, rule in rules if (name := names.get(kind))]
    if "truth" in tables and names["grade"] is None:
        read.append(("truth", "rel", "grade"))
    rows = [f"({', '.join(map(literal, row))})" for row in read]
    system = "system" if names.get("system", "") is None else names.get("system")
    macros = module("tables/internal/columns.jinja")
    return str(macros.problem(tables, rows, system, {**LIKE, "number": f"{PLAIN_NUMBER}|VARCHAR"})).strip()
