"""Names and values as SQL: the one place that quotes them. Every package may import it."""

from collections.abc import Mapping
from decimal import Decimal
from math import isfinite
from numbers import Integral
from typing import Any

from .texts import shorten


def literal(text: str) -> str:
    """The text as a SQL string."""
    return "'" + text.replace("'", "''") + "'"


def plain(value: Any) -> Any:
    """The value, a number of NumPy's as one of Python's."""
    return value.item() if getattr(value, "shape", None) == () else value


def sql_value(value: object) -> str:
    """The value as SQL, a number of NumPy's too; TypeError if it has no such form."""
    value = plain(value)
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
        return f"MAP {{{', '.join(f'{sql_value(key)}: {sql_value(one)}' for key, one in value.items())}}}"
    raise TypeError(f"arguments must be numbers, texts, lists or dicts, got {shorten(repr(value))}")


def double(value: float) -> str:
    """The number as a DOUBLE of SQL: `0.1e0`, since `0.1` is a DECIMAL."""
    text = repr(float(value))
    return text if "e" in text else f"{text}e0"


def identifier(name: str) -> str:
    """The name as a SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def unquoted(name: str) -> str:
    """The name as it is, without the quotes of an identifier around it."""
    return name[1:-1].replace('""', '"') if name.startswith('"') else name
