"""Items of any type: integer codes for them, equal for equal items."""

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
    """Items end to end, in a form that Arrow can hash so that items equal in SQL are equal, and no others."""

    family: str  # what may be compared: integers of all widths, all text (VARCHAR, ENUM, UUID), or one type
    values: pa.Array  # int64 for integers (WIDE where one does not fit), or what `hashable` makes of the type
    kind: pa.DataType  # the type that they came in, for errors

    @staticmethod
    def of(name: str, array: pa.Array) -> "Items":
        """Make Items of an array; `name` is the function that errors speak of."""
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
        """The number of each item among the different ones; UNKNOWN for NULL."""
        encoded = self.values.dictionary_encode()
        places: Ints = encoded.indices.fill_null(UNKNOWN).to_numpy(zero_copy_only=False).astype(np.int64)
        return places


def check_items(name: str, kinds: Iterable[pa.DataType]) -> None:
    """Refuse nested types, INTERVAL (a month equals thirty days) and BIGNUM by its address.

    DuckDB hands over the address of a long BIGNUM where it hands over views. By the types alone: Arrow aborts
    the process where it filters some of DuckDB's UNIONs.
    """
    for kind in kinds:
        is_address = sql_type(kind) == "BIGNUM" and pa.types.is_binary_view(kind.storage_type)
        if pa.types.is_nested(kind) or sql_type(kind) == "INTERVAL" or is_address:
            raise TypeError(f"{name}: items must not be of type {type_name(kind)}, cast them to VARCHAR")


def unify_types(name: str, rec: Items, truth: Items, known_as: str) -> tuple[pa.Array, pa.Array]:
    """Return the values of both in one type; a TypeError, which calls truth `known_as`, if types differ."""
    if rec.family != truth.family:
        got = f"{type_name(rec.kind)} in rec and {type_name(truth.kind)} in {known_as}"
        raise TypeError(f"{name}: rec and {known_as} must hold items of the same type, got {got}")
    one, other = rec.values, truth.values
    if one.type == other.type:
        return one, other
    common = WIDE if rec.family == "integers" else pa.large_string()
    return one.cast(common), other.cast(common)


def codes(rec: pa.Array, truth: pa.Array, rows: int) -> tuple[Ints, Ints, int]:
    """Return codes from 0 for the items of rec and truth, and a bound above them; truth holds no NULL.

    Both are of one type. UNKNOWN for an item of rec that is NULL or not in truth. The bound times `rows` fits
    63 bits, so that a code and a row make one int64 key.
    """
    if not len(truth):
        return np.full(len(rec), UNKNOWN), np.zeros(0, np.int64), 1
    if rec.type == pa.int64():
        numbers, known_numbers = fingerprints(rec), fingerprints(truth)
        low, high = int(known_numbers.min()), int(known_numbers.max())
        bound = high - low + 1
        if bound * rows < 1 << 62:
            known = (numbers >= low) & (numbers <= high) & valid_rows(rec)
            # Of other numbers the difference may wrap.
            return np.where(known, numbers - low, UNKNOWN), known_numbers - low, bound
    encoded = truth.dictionary_encode()
    found = pc.index_in(rec, value_set=encoded.dictionary).fill_null(UNKNOWN)
    rec_codes, truth_codes = (one.to_numpy(zero_copy_only=False) for one in (found, encoded.indices))
    return rec_codes.astype(np.int64), truth_codes.astype(np.int64), len(encoded.dictionary)


def fingerprints(array: pa.Array) -> Ints:
    """Return 64 bits of each item, the same for equal items: a number as it is, of a text the last 8 bytes.

    Anything for NULL, and of a text that is shorter all its bytes.
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
    words = np.ndarray((end - start + 1,), np.uint64, padded, strides=(1,))  # one begins at each byte
    last = words[ends[1:] - start]
    missing = np.maximum(8 - np.diff(ends), 0)  # bytes that belong to the text before
    short = np.flatnonzero(missing)
    last[short] >>= (8 * missing[short]).astype(np.uint64)  # by 64: to 0
    return last.view(np.int64)


def to_integers(name: str, array: pa.Array) -> pa.Array:
    """Convert integers of any width to int64, or all to WIDE if one does not fit."""
    if is_hugeint(array.type):
        refuse_negative(name, "an item", array, "VARCHAR")
        return integers_from_hugeint(array)
    fits = array.type != pa.uint64() or (pc.max(array).as_py() or 0) < 2**63
    return array.cast(pa.int64() if fits else WIDE)


def hashable(array: pa.Array) -> pa.Array:
    """Convert to a type that Arrow can hash so that items equal in SQL are equal, and no others."""
    kind, types = array.type, pa.types
    if sql_type(kind) == "UUID":
        return uuid_texts(array.storage)
    if isinstance(kind, pa.BaseExtensionType):
        return hashable(array.storage)
    if types.is_floating(kind):
        values = array.fill_null(0).to_numpy(zero_copy_only=False) + 0.0  # -0.0 is 0.0
        values[np.isnan(values)] = np.nan  # every NaN is the same
        values = values.astype(np.float64).view(np.int64)
        return pa.array(values, mask=array.is_null().to_numpy(zero_copy_only=False))
    if types.is_temporal(kind):
        return array.view(pa.int64() if kind.bit_width == 64 else pa.int32()).cast(pa.int64())
    if types.is_decimal(kind):
        return array.cast(pa.decimal128(kind.precision, kind.scale))
    return array


def uuid_texts(storage: pa.Array) -> pa.Array:
    """Write UUIDs as text; they are 16 bytes if DuckDB's setting arrow_lossless_conversion is on."""
    n = len(storage)
    digits = np.frombuffer(storage.buffers()[1].slice(16 * storage.offset, 16 * n).hex().lower(), np.uint8)
    written = np.full((n, 36), ord("-"), np.uint8)
    written[:, [place for place in range(36) if place not in (8, 13, 18, 23)]] = digits.reshape(n, 32)
    fixed = pa.FixedSizeBinaryArray.from_buffers(pa.binary(36), n, [None, pa.py_buffer(written.tobytes())])
    known = pc.if_else(storage.is_valid(), fixed.cast(pa.binary()), pa.scalar(None, pa.binary()))
    return known.cast(pa.string())
