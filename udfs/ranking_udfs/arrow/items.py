"""Integer codes for items of any type: equal items have equal codes."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..measures.arrays import Ints
from .hugeint import WIDE, integers_from_hugeint, is_hugeint, refuse_negative
from .layouts import valid_rows
from .types import is_integer, is_text, sql_type, type_name

UNKNOWN = -1


@dataclass(frozen=True)
class Items:
    """Items end to end, in a form that Arrow can hash: exactly the items equal in SQL are equal."""

    family: str  # comparable types: all integers, all strings (VARCHAR, ENUM, UUID), or one type
    values: pa.Array  # int64 for integers (WIDE if one does not fit), or the result of `hashable`
    kind: pa.DataType  # the original type, for errors

    @staticmethod
    def of(name: str, array: pa.Array) -> "Items":
        """Create Items from an array; errors name the function `name`."""
        kind = array.type
        check_items(name, [kind])
        if pa.types.is_dictionary(kind):
            array = array.dictionary_decode()
        if is_integer(array.type):
            return Items("integers", to_integers(name, array), kind)
        if is_text(array.type) or sql_type(array.type) == "UUID":
            return Items("texts", hashable(array), kind)
        return Items(sql_type(kind), hashable(array), kind)

    @property
    def codes(self) -> Ints:
        """Code of each item; UNKNOWN for NULL."""
        encoded = self.values.dictionary_encode()
        indices: Ints = encoded.indices.fill_null(UNKNOWN).to_numpy(zero_copy_only=False).astype(np.int64)
        return indices


def check_items(name: str, kinds: Iterable[pa.DataType]) -> None:
    """Raise TypeError for nested types, INTERVAL (a month equals thirty days) and BIGNUM.

    DuckDB passes the address of a long BIGNUM if it passes views. Only types are checked, since Arrow aborts
    the process when it filters some of DuckDB's UNIONs.
    """
    for kind in kinds:
        is_address = sql_type(kind) == "BIGNUM" and pa.types.is_binary_view(kind.storage_type)
        if pa.types.is_nested(kind) or sql_type(kind) == "INTERVAL" or is_address:
            raise TypeError(f"{name}: items must not be of type {type_name(kind)}, cast them to VARCHAR")


def unify_types(name: str, rec: Items, truth: Items, known_as: str) -> tuple[pa.Array, pa.Array]:
    """Convert the values of both to one type; TypeError, with truth named `known_as`, if types differ."""
    if rec.family != truth.family:
        got = f"{type_name(rec.kind)} in rec and {type_name(truth.kind)} in {known_as}"
        raise TypeError(f"{name}: rec and {known_as} must hold items of the same type, got {got}")
    rec_values, truth_values = rec.values, truth.values
    if rec_values.type == truth_values.type:
        return rec_values, truth_values
    common = WIDE if rec.family == "integers" else pa.large_string()
    return rec_values.cast(common), truth_values.cast(common)


def codes(rec: pa.Array, truth: pa.Array, rows: int) -> tuple[Ints, Ints, int]:
    """Return codes from 0 for the items of rec and truth, and an upper bound of the codes.

    Both have one type, and truth has no NULL. The code of an item of rec that is NULL or not in truth is
    UNKNOWN. The bound times `rows` fits in 63 bits, so that a code and a row fit in one int64 key.
    """
    if not len(truth):
        return np.full(len(rec), UNKNOWN), np.zeros(0, np.int64), 1
    if rec.type == pa.int64():
        numbers, known_numbers = fingerprints(rec), fingerprints(truth)
        low, high = int(known_numbers.min()), int(known_numbers.max())
        bound = high - low + 1
        if bound * rows < 1 << 62:
            known = (numbers >= low) & (numbers <= high) & valid_rows(rec)
            # Outside of the range, the difference can overflow.
            return np.where(known, numbers - low, UNKNOWN), known_numbers - low, bound
    encoded = truth.dictionary_encode()
    indices = pc.index_in(rec, value_set=encoded.dictionary).fill_null(UNKNOWN)
    rec_codes, truth_codes = (column.to_numpy(zero_copy_only=False) for column in (indices, encoded.indices))
    return rec_codes.astype(np.int64), truth_codes.astype(np.int64), len(encoded.dictionary)


def fingerprints(array: pa.Array) -> Ints:
    """Return 64 bits per item, equal for equal items: a number itself, or the last 8 bytes of a string.

    A shorter string contributes all its bytes. The bits of NULL are undefined.
    """
    if array.type == pa.int64():
        numbers: Ints = (array.fill_null(0) if array.null_count else array).to_numpy()
        return numbers
    array = array.cast(pa.large_binary())
    _, buffer, data = array.buffers()
    ends = np.frombuffer(buffer, np.int64)[array.offset : array.offset + len(array) + 1]
    start, end = int(ends[0]), int(ends[-1])
    padded = np.zeros(8 + end - start, np.uint8)
    if end > start:
        padded[8:] = np.frombuffer(data, np.uint8)[start:end]
    words = np.ndarray((end - start + 1,), np.uint64, padded, strides=(1,))  # a word starts at each byte
    last = words[ends[1:] - start]
    missing = np.maximum(8 - np.diff(ends), 0)  # bytes of the previous string
    short = np.flatnonzero(missing)
    last[short] >>= (8 * missing[short]).astype(np.uint64)  # A shift by 64 gives 0.
    return last.view(np.int64)


def to_integers(name: str, array: pa.Array) -> pa.Array:
    """Convert integers of any width to int64, or all integers to WIDE if one does not fit."""
    if is_hugeint(array.type):
        refuse_negative(name, "an item", array, "VARCHAR")
        return integers_from_hugeint(array)
    fits = array.type != pa.uint64() or (pc.max(array).as_py() or 0) < 2**63
    return array.cast(pa.int64() if fits else WIDE)


def hashable(array: pa.Array) -> pa.Array:
    """Convert to a type that Arrow can hash: exactly the items equal in SQL are equal."""
    kind, types = array.type, pa.types
    if sql_type(kind) == "UUID":
        return uuid_texts(array.storage)
    if isinstance(kind, pa.BaseExtensionType):
        return hashable(array.storage)
    if types.is_floating(kind):
        values = array.fill_null(0).to_numpy(zero_copy_only=False) + 0.0  # -0.0 becomes 0.0
        values[np.isnan(values)] = np.nan  # all NaNs become the same bits
        values = values.astype(np.float64).view(np.int64)
        return pa.array(values, mask=array.is_null().to_numpy(zero_copy_only=False))
    if types.is_temporal(kind):
        return array.view(pa.int64() if kind.bit_width == 64 else pa.int32()).cast(pa.int64())
    if types.is_decimal(kind):
        return array.cast(pa.decimal128(kind.precision, kind.scale))
    return array


def uuid_texts(storage: pa.Array) -> pa.Array:
    """Convert UUIDs to strings. They are 16 bytes if DuckDB's setting arrow_lossless_conversion is on."""
    n = len(storage)
    digits = np.frombuffer(storage.buffers()[1].slice(16 * storage.offset, 16 * n).hex().lower(), np.uint8)
    written = np.full((n, 36), ord("-"), np.uint8)
    written[:, [position for position in range(36) if position not in (8, 13, 18, 23)]] = digits.reshape(
        n, 32
    )
    fixed = pa.FixedSizeBinaryArray.from_buffers(pa.binary(36), n, [None, pa.py_buffer(written.tobytes())])
    known = pc.if_else(storage.is_valid(), fixed.cast(pa.binary()), pa.scalar(None, pa.binary()))
    return known.cast(pa.string())
