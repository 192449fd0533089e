"""Names and values as SQL: the one place that quotes them. Every package may import it."""

from collections.abc import Mapping
from decimal import Decimal
from math import isfinite
from numbers import Integral

from .texts import shorten


def literal(text: str) -> str:
    """The text as a SQL string."""
    return "'" + text.replace("'", "''") + "'"


def sql_value(value: object) -> str:
    """The value as SQL, a number of NumPy's too; TypeError if it has no such form."""
    if getattr(value, "shape", None) == ():  # of NumPy's
        value = value.item()  # type: ignore[attr-defined]
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


def identifier(name: str) -> str:
    """The name as a SQL identifier."""
    return '"' + name.replace('"', '""') + '"'
