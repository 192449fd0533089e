"""Arrow's types in the words of SQL: their names, and which of them are lists, texts, numbers."""

import pyarrow as pa

from ..texts import shorten
from .hugeint import is_hugeint

LISTS = (pa.ListType, pa.LargeListType, pa.FixedSizeListType, pa.ListViewType, pa.LargeListViewType)
TEXTS = (pa.string(), pa.large_string(), pa.string_view())


def is_list(kind: pa.DataType) -> bool:
    """Return whether this is a LIST or an ARRAY in any of Arrow's layouts, or NULL."""
    return isinstance(kind, LISTS) or kind == pa.null()


def item_type(kind: pa.DataType) -> pa.DataType:
    """Return the type of the items in a list, or of the keys of a MAP."""
    if pa.types.is_null(kind):
        return kind
    return kind.key_type if pa.types.is_map(kind) else kind.value_type


def is_text(kind: pa.DataType) -> bool:
    """Return whether this is VARCHAR in any of Arrow's layouts."""
    return kind in TEXTS


def is_integer(kind: pa.DataType) -> bool:
    """Return whether this is one of SQL's integer types."""
    return bool(pa.types.is_integer(kind) or is_hugeint(kind))


def is_boolean(kind: pa.DataType) -> bool:
    """Return whether this is BOOLEAN: bytes if DuckDB's setting arrow_lossless_conversion is on."""
    return bool(pa.types.is_boolean(kind) or getattr(kind, "extension_name", "") == "arrow.bool8")


def is_number(kind: pa.DataType) -> bool:
    """Return whether this is a type of numbers, BOOLEAN (true is 1) among them, or NULL."""
    types = pa.types
    checks = (is_integer, is_boolean, types.is_floating, types.is_decimal, types.is_null)
    return any(is_kind(kind) for is_kind in checks)


def value_text(value: pa.Scalar) -> str:
    """Write a value as SQL users read it in an error."""
    if not value.is_valid:
        return "NULL"
    return shorten(repr(value.as_py()) if is_text(value.type) else str(value.as_py()))


def type_name(kind: pa.DataType) -> str:
    """Return the SQL name of a type, short enough for an error."""
    return shorten(sql_type(kind))


def sql_type(kind: pa.DataType) -> str:
    """Return the SQL name of a type."""
    types = pa.types
    if is_boolean(kind):
        return "BOOLEAN"
    if isinstance(kind, pa.BaseExtensionType):
        return str(getattr(kind, "type_name", kind.extension_name.rpartition(".")[2])).upper()
    if types.is_map(kind):
        return f"MAP({sql_type(kind.key_type)}, {sql_type(kind.item_type)})"
    if types.is_null(kind):
        return "NULL"
    if is_list(kind):
        size = kind.list_size if types.is_fixed_size_list(kind) else ""
        return f"{sql_type(kind.value_type)}[{size}]"
    if types.is_struct(kind) or types.is_union(kind):
        members = ", ".join(f"{field.name} {sql_type(field.type)}" for field in kind)
        return f"{'STRUCT' if types.is_struct(kind) else 'UNION'}({members})"
    if types.is_dictionary(kind):
        return "ENUM"
    if types.is_decimal(kind):
        return "HUGEINT" if is_hugeint(kind) else f"DECIMAL({kind.precision}, {kind.scale})"
    if types.is_timestamp(kind):
        suffix = {"s": "_S", "ms": "_MS", "us": "", "ns": "_NS"}[kind.unit]
        return "TIMESTAMPTZ" if kind.tz else f"TIMESTAMP{suffix}"
    if types.is_time(kind):
        return "TIME"
    if is_text(kind):
        return "VARCHAR"
    names = {
        "int8": "TINYINT",
        "int16": "SMALLINT",
        "int32": "INTEGER",
        "int64": "BIGINT",
        "uint8": "UTINYINT",
        "uint16": "USMALLINT",
        "uint32": "UINTEGER",
        "uint64": "UBIGINT",
        "float": "FLOAT",
        "double": "DOUBLE",
        "binary": "BLOB",
        "large_binary": "BLOB",
        "binary_view": "BLOB",
        "date32[day]": "DATE",
        "month_day_nano_interval": "INTERVAL",
    }
    return names.get(str(kind), str(kind))
