"""Convert HUGEINT and UHUGEINT, which arrive as DECIMAL(38, 0), or as 16 bytes (arrow_lossless_conversion).

DuckDB copies their 128 bits into the decimal. A negative decimal can therefore also be a UHUGEINT of 2^127 or
more, so negative items and grades are refused. With the 16 bytes, the two types can be distinguished.
"""

import numpy as np
import pyarrow as pa

from ..measures.arrays import Ints

DECIMAL = pa.decimal128(38, 0)
WIDE = pa.decimal256(39, 0)  # holds both types


def is_hugeint(kind: pa.DataType) -> bool:
    """Return whether a type is HUGEINT or UHUGEINT."""
    if isinstance(kind, pa.BaseExtensionType):
        return getattr(kind, "type_name", "") in ("hugeint", "uhugeint")
    return bool(kind == DECIMAL)


def is_signed(kind: pa.DataType) -> bool:
    """Return whether the highest bit is a sign bit."""
    return getattr(kind, "type_name", "hugeint") == "hugeint"


def low_and_high_bits(array: pa.Array) -> Ints:
    """Return rows of the low and the high 64 bits; the bits of NULL are undefined."""
    storage = array.storage if isinstance(array.type, pa.BaseExtensionType) else array
    bits: Ints = np.frombuffer(storage.buffers()[1], np.int64)[2 * storage.offset :][: 2 * len(storage)]
    return bits.reshape(-1, 2)


def refuse_negative(name: str, what: str, array: pa.Array, cast: str) -> None:
    """Raise an error for decimals with the highest bit set. The error names the value as `what`."""
    if array.type == DECIMAL:
        wrong = array.is_valid().to_numpy(zero_copy_only=False) & (low_and_high_bits(array)[:, 1] < 0)
        if wrong.any():
            rule = "0 or more as a HUGEINT, below 2^127 as a UHUGEINT, which look alike here"
            got = array[int(np.argmax(wrong))].as_py()
            raise ValueError(f"{name}: {what} must be {rule}, got {got}: cast it to {cast}")


def integers_from_hugeint(array: pa.Array) -> pa.Array:
    """Convert to int64, or all values to WIDE if one does not fit."""
    valid = array.is_valid().to_numpy(zero_copy_only=False)
    low, high = low_and_high_bits(array).T
    sign = high >> 63 if is_signed(array.type) else np.zeros_like(high)
    if ((high == sign) & (low >> 63 == sign))[valid].all():
        return pa.array(low, pa.int64(), mask=~valid)
    data = pa.py_buffer(np.stack((low, high, sign, sign), axis=1).tobytes())
    return pa.Array.from_buffers(WIDE, len(array), [pa.array(valid).buffers()[1], data])
