"""SQL names of Arrow's types, and tests for lists, strings and numbers."""

from collections.abc import Callable

import pyarrow as pa

from ..texts import shorten
from .hugeint import is_hugeint

LISTS = (pa.ListType, pa.LargeListType, pa.FixedSizeListType, pa.ListViewType, pa.LargeListViewType)
TEXTS = (pa.string(), pa.large_string(), pa.string_view())


def is_list(kind: pa.DataType) -> bool:
    """Return whether a type is a LIST or an ARRAY in any of Arrow's layouts, or NULL."""
    return isinstance(kind, LISTS) or kind == pa.null()


def item_type(kind: pa.DataType) -> pa.DataType:
    """Return the type of the items in a list, or of the keys of a MAP."""
    if pa.types.is_null(kind):
        return kind
    return kind.key_type if pa.types.is_map(kind) else kind.value_type


def is_text(kind: pa.DataType) -> bool:
    """Return whether a type is VARCHAR in any of Arrow's layouts."""
    return kind in TEXTS


def is_integer(kind: pa.DataType) -> bool:
    """Return whether a type is one of SQL's integer types."""
    return bool(pa.types.is_integer(kind) or is_hugeint(kind))


def is_boolean(kind: pa.DataType) -> bool:
    """Return whether a type is BOOLEAN: bytes if DuckDB's setting arrow_lossless_conversion is on."""
    return bool(pa.types.is_boolean(kind) or getattr(kind, "extension_name", "") == "arrow.bool8")


def is_number(kind: pa.DataType) -> bool:
    """Return whether a type is numeric, BOOLEAN (true is 1) or NULL."""
    types = pa.types
    checks = (is_integer, is_boolean, types.is_floating, types.is_decimal, types.is_null)
    return any(is_kind(kind) for is_kind in checks)


def value_text(value: pa.Scalar) -> str:
    """Format a value for an error in SQL."""
    if not value.is_valid:
        return "NULL"
    return shorten(repr(value.as_py()) if is_text(value.type) else str(value.as_py()))


def type_name(kind: pa.DataType) -> str:
    """Return the SQL name of a type, short enough for an error."""
    return shorten(sql_type(kind))


def sql_type(kind: pa.DataType) -> str:
    """Return the SQL name of a type."""
    for is_kind, name in NAMED_KINDS:
        if is_kind(kind):
            return name if isinstance(name, str) else name(kind)
    return NAMES.get(str(kind), str(kind))


def list_type(kind: pa.DataType) -> str:
    size = kind.list_size if pa.types.is_fixed_size_list(kind) else ""
    return f"{sql_type(kind.value_type)}[{size}]"


def members_type(kind: pa.DataType) -> str:
    members = ", ".join(f"{field.name} {sql_type(field.type)}" for field in kind)
    return f"{'STRUCT' if pa.types.is_struct(kind) else 'UNION'}({members})"


def timestamp_type(kind: pa.DataType) -> str:
    suffix = {"s": "_S", "ms": "_MS", "us": "", "ns": "_NS"}[kind.unit]
    return "TIMESTAMPTZ" if kind.tz else f"TIMESTAMP{suffix}"


# The SQL name of each kind of types, or the function that returns it.
NAMED_KINDS: tuple[tuple[Callable[[pa.DataType], bool], str | Callable[[pa.DataType], str]], ...] = (
    (is_boolean, "BOOLEAN"),
    (
        lambda kind: isinstance(kind, pa.BaseExtensionType),
        lambda kind: str(getattr(kind, "type_name", kind.extension_name.rpartition(".")[2])).upper(),
    ),
    (pa.types.is_map, lambda kind: f"MAP({sql_type(kind.key_type)}, {sql_type(kind.item_type)})"),
    (pa.types.is_null, "NULL"),
    (is_list, list_type),
    (lambda kind: pa.types.is_struct(kind) or pa.types.is_union(kind), members_type),
    (pa.types.is_dictionary, "ENUM"),
    (is_hugeint, "HUGEINT"),
    (pa.types.is_decimal, lambda kind: f"DECIMAL({kind.precision}, {kind.scale})"),
    (pa.types.is_timestamp, timestamp_type),
    (pa.types.is_time, "TIME"),
    (is_text, "VARCHAR"),
)
NAMES = {  # names of all other types, by their names in Arrow
    **{"int8": "TINYINT", "int16": "SMALLINT", "int32": "INTEGER", "int64": "BIGINT"},
    **{"uint8": "UTINYINT", "uint16": "USMALLINT", "uint32": "UINTEGER", "uint64": "UBIGINT"},
    **{"float": "FLOAT", "double": "DOUBLE", "date32[day]": "DATE", "month_day_nano_interval": "INTERVAL"},
    **dict.fromkeys(("binary", "large_binary", "binary_view"), "BLOB"),
}
