"""Quote names and values as SQL. Every package may import this module, and no other module quotes."""

from collections.abc import Mapping
from decimal import Decimal
from math import isfinite
from numbers import Integral
from typing import Any

from .texts import shorten


def literal(text: str) -> str:
    """Return the string as a SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def plain(value: Any) -> Any:
    """Convert a number of NumPy to one of Python; return any other value as it is."""
    return value.item() if getattr(value, "shape", None) == () else value


def sql_value(value: object) -> str:
    """Return a value of Python or NumPy as SQL; TypeError if it has no form in SQL."""
    if value is None or isinstance(value, bool):
        return "NULL" if value is None else str(value).lower()
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, (float, Decimal)):
        return repr(float(value)) if isfinite(value) else f"'{float(value)}'::DOUBLE"
    if isinstance(value, str):
        return literal(value)
    if isinstance(value, (list, tuple, range)):
        return f"[{', '.join(map(sql_value, value))}]"
    if isinstance(value, Mapping):
        return f"MAP {{{', '.join(f'{sql_value(key)}: {sql_value(item)}' for key, item in value.items())}}}"
    if (number := plain(value)) is not value:
        return sql_value(number)
    raise TypeError(f"arguments must be numbers, texts, lists or dicts, got {shorten(repr(value))}")


class Double(float):
    """A number that a template prints as a DOUBLE of SQL: `0.1e0`, since `0.1` is a DECIMAL."""

    def __str__(self) -> str:
        text = repr(float(self))
        return text if "e" in text else f"{text}e0"


def identifier(name: str) -> str:
    """Return the name as a SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def unquoted(name: str) -> str:
    """Remove the quotes of an identifier from a name."""
    return name[1:-1].replace('""', '"') if name.startswith('"') else name
