"""Arrow's types in the words of SQL: what they are called, and which of them are lists, texts, numbers."""

import pyarrow as pa

LONGEST = 200  # characters of a type or of a value in an error


def is_list(kind: pa.DataType) -> bool:
    """Whether this is a LIST or an ARRAY in any of Arrow's layouts, or NULL."""
    types = pa.types
    return bool(
        types.is_list(kind)
        or types.is_large_list(kind)
        or types.is_fixed_size_list(kind)
        or types.is_list_view(kind)
        or types.is_large_list_view(kind)
        or types.is_null(kind)
    )


def is_text(kind: pa.DataType) -> bool:
    """Whether this is VARCHAR in any of Arrow's layouts."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def is_integer(kind: pa.DataType) -> bool:
    """Whether this is one of SQL's integer types."""
    return bool(pa.types.is_integer(kind) or is_wide_integer(kind))


def is_wide_integer(kind: pa.DataType) -> bool:
    """Whether this is HUGEINT or UHUGEINT.

    They arrive as DECIMAL(38, 0), or as 16 opaque bytes if DuckDB's setting arrow_lossless_conversion is on.
    """
    if isinstance(kind, pa.BaseExtensionType):
        return getattr(kind, "type_name", "") in ("hugeint", "uhugeint")
    return bool(kind == pa.decimal128(38, 0))


def is_boolean(kind: pa.DataType) -> bool:
    """Whether this is BOOLEAN, which arrives as bytes if DuckDB's setting arrow_lossless_conversion is on."""
    return bool(pa.types.is_boolean(kind) or getattr(kind, "extension_name", "") == "arrow.bool8")


def is_number(kind: pa.DataType) -> bool:
    """Whether this is a type of numbers, BOOLEAN (true is 1) among them, or NULL."""
    types = pa.types
    return bool(
        is_integer(kind)
        or is_boolean(kind)
        or types.is_floating(kind)
        or types.is_decimal(kind)
        or types.is_null(kind)
    )


def shown(value: pa.Scalar) -> str:
    """A value as a SQL user reads it in an error."""
    if not value.is_valid:
        return "NULL"
    return cut(repr(value.as_py()) if is_text(value.type) else str(value.as_py()))


def type_name(kind: pa.DataType) -> str:
    """What a SQL user calls this type, for an error."""
    return cut(sql_type(kind))


def cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def sql_type(kind: pa.DataType) -> str:
    """What a SQL user calls this type."""
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
    if types.is_struct(kind):
        return f"STRUCT({', '.join(f'{field.name} {sql_type(field.type)}' for field in kind)})"
    if types.is_dictionary(kind):
        return "ENUM"
    if types.is_decimal(kind):
        return "HUGEINT" if is_wide_integer(kind) else f"DECIMAL({kind.precision}, {kind.scale})"
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
