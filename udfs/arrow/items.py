"""Items of any type: integer codes for them, equal for equal items."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..measures.ragged import Bools, Ints
from .layouts import flattened
from .types import is_integer, is_list, is_text, is_wide_integer, sql_type, type_name

UNKNOWN = -1
HEX = np.frombuffer(b"0123456789abcdef", np.uint8)


@dataclass(frozen=True)
class Items:
    """Items end to end, in a form that Arrow can hash so that items equal in SQL are equal, and no others.

    family  what may be compared: integers of all widths, all that is text (VARCHAR, ENUM, UUID), or one type
    values  int64 for integers (16 bytes where one is wider), or what `hashable` makes of the type
    kind    the type that they came in, for errors
    """

    family: str
    values: pa.Array
    kind: pa.DataType

    @staticmethod
    def of(name: str, array: pa.Array) -> "Items":
        """The items in an array; `name` is the function that errors speak of."""
        kind = array.type
        check_items(name, kind)
        if pa.types.is_dictionary(kind):
            array = array.dictionary_decode()
        if is_integer(array.type):
            return Items("integers", integers(name, array), kind)
        if is_text(array.type) or sql_type(array.type) == "UUID":
            return Items("texts", hashable(name, array), kind)
        return Items(sql_type(kind), hashable(name, array), kind)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def is_valid(self) -> Bools:
        valid: Bools = self.values.is_valid().to_numpy(zero_copy_only=False)
        return valid

    def where(self, keep: Bools) -> "Items":
        return Items(self.family, self.values.filter(pa.array(keep)), self.kind)

    @property
    def codes(self) -> Ints:
        """The place of each item among its own different ones; UNKNOWN for NULL."""
        encoded = self.values.dictionary_encode()
        places: Ints = encoded.indices.fill_null(UNKNOWN).to_numpy(zero_copy_only=False).astype(np.int64)
        return places


def check_items(name: str, kind: pa.DataType) -> None:
    """Refuse types whose equal items cannot be told: INTERVAL (a month equals thirty days) and BIGNUM.

    DuckDB hands over the address of a long BIGNUM where it hands over views.
    """
    for leaf in leaves(kind):
        is_address = sql_type(leaf) == "BIGNUM" and pa.types.is_binary_view(leaf.storage_type)
        if sql_type(leaf) == "INTERVAL" or is_address:
            raise TypeError(f"{name}: items must not be of type {sql_type(leaf)}, cast them to VARCHAR")


def comparable(name: str, rec: Items, truth: Items, known_as: str) -> tuple[pa.Array, pa.Array]:
    """The values of both in one type; `known_as` is what errors call truth."""
    if rec.family != truth.family:
        got = f"{type_name(rec.kind)} in rec and {type_name(truth.kind)} in {known_as}"
        raise TypeError(f"{name}: rec and {known_as} must hold items of one type, got {got}")
    one, other = rec.values, truth.values
    if one.type == other.type:
        return one, other
    if rec.family == "integers":
        return widened(one), widened(other)
    return one.cast(pa.large_string()), other.cast(pa.large_string())


def codes(rec: pa.Array, truth: pa.Array, rows: int) -> tuple[Ints, Ints, int]:
    """Codes of rec's items and of truth's items (which hold no NULL), and a bound that they are below.

    Both as `comparable` has made them. An item of rec that is NULL or is not in truth may be UNKNOWN. The
    bound times `rows` fits 63 bits, so that a code and a row make one int64 key.
    """
    if not len(truth):
        return np.full(len(rec), UNKNOWN), np.zeros(0, np.int64), 1
    near = distances(rec, truth, rows) if rec.type == pa.int64() else None
    return near or dictionary_codes(rec, truth)


def fingerprints(array: pa.Array) -> Ints | None:
    """64 bits of each item, the same for equal items: a number as it is, of a text the last 8 bytes.

    Anything for NULL; None for a type that has none. The array is one that `comparable` has made.
    """
    kind, types = array.type, pa.types
    if not len(array):
        return np.zeros(0, np.int64)
    if types.is_binary(kind) or types.is_string(kind):
        return last_bytes(array, np.int32)
    if types.is_large_binary(kind) or types.is_large_string(kind):
        return last_bytes(array, np.int64)
    if types.is_primitive(kind) and kind.bit_width in (32, 64):
        values = np.frombuffer(array.buffers()[1], np.int64 if kind.bit_width == 64 else np.int32)
        prints: Ints = values[array.offset : array.offset + len(array)].astype(np.int64, copy=False)
        return prints
    return None


def last_bytes(array: pa.Array, offset: type[np.signedinteger[Any]]) -> Ints:
    """The last 8 bytes of each text as a number; of a shorter one, all of them."""
    _, ends, data = array.buffers()
    ends = np.frombuffer(ends, offset)[array.offset : array.offset + len(array) + 1].astype(np.int64)
    start, end = int(ends[0]), int(ends[-1])
    padded = np.zeros(8 + end - start, np.uint8)
    if end > start:
        padded[8:] = np.frombuffer(data, np.uint8)[start:end]
    words = np.ndarray((end - start + 1,), np.uint64, padded, strides=(1,))  # one begins at each byte
    last = words[ends[1:] - start]
    missing = np.maximum(8 - np.diff(ends), 0)  # bytes that belong to the text before
    if missing.any():
        short = np.flatnonzero(missing)
        last[short] >>= (8 * missing[short]).astype(np.uint64)  # by 64: to 0
    prints: Ints = last.view(np.int64)
    return prints


def distances(rec: pa.Array, truth: pa.Array, rows: int) -> tuple[Ints, Ints, int] | None:
    """The distance from the smallest item of truth, if all of them lie close enough for one key."""
    truth_values = truth.to_numpy()
    low, high = int(truth_values.min()), int(truth_values.max())
    bound = high - low + 1
    if bound * rows >= 1 << 62:
        return None
    rec_values = (rec.fill_null(0) if rec.null_count else rec).to_numpy()
    known = (rec_values >= low) & (rec_values <= high)
    if rec.null_count:
        known &= rec.is_valid().to_numpy(zero_copy_only=False)
    # Out of range, the difference may wrap around, and is not used.
    return np.where(known, rec_values - low, UNKNOWN), truth_values - low, bound


def dictionary_codes(rec: pa.Array, truth: pa.Array) -> tuple[Ints, Ints, int]:
    """The place of each item among truth's different items."""
    encoded = truth.dictionary_encode()
    found = pc.index_in(rec, value_set=encoded.dictionary).fill_null(UNKNOWN)
    return (
        found.to_numpy(zero_copy_only=False).astype(np.int64),
        encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64),
        len(encoded.dictionary),
    )


def integers(name: str, array: pa.Array) -> pa.Array:
    """Integers of any width as int64, or all as 16 bytes if one does not fit."""
    kind = array.type
    if kind == pa.uint64():
        highest = pc.max(array).as_py()
        return array.cast(pa.int64()) if highest is None or highest < 2**63 else widened(array)
    if not is_wide_integer(kind):
        return array.cast(pa.int64())
    wide = wide_words(array)
    valid = array.is_valid().to_numpy(zero_copy_only=False)
    low, high = wide[:, 0], wide[:, 1]
    if not isinstance(kind, pa.BaseExtensionType) and (high[valid] < 0).any():
        raise ValueError(
            f"{name}: items must be at least 0 if of type HUGEINT, and below 2^127 if of type UHUGEINT, "
            "since DuckDB hands over the two alike: cast them to VARCHAR"
        )
    unsigned = sql_type(kind) == "UHUGEINT"
    fits = (high == 0) & (low >= 0) if unsigned else high == low >> 63
    if fits[valid].all():
        return pa.array(low, pa.int64(), mask=~valid)
    return sixteen_bytes(wide, valid, unsigned)


def widened(array: pa.Array) -> pa.Array:
    """Integers as 16 bytes and a sign, which is what `integers` makes of wide ones."""
    if pa.types.is_binary(array.type):
        return array
    values = array.fill_null(0).to_numpy(zero_copy_only=False)
    wide = np.zeros((len(values), 2), np.int64)
    wide[:, 0] = values.view(np.int64)
    wide[:, 1] = 0 if array.type == pa.uint64() else values >> 63
    return sixteen_bytes(wide, array.is_valid().to_numpy(zero_copy_only=False), unsigned=False)


def wide_words(array: pa.Array) -> Ints:
    """The low and the high 64 bits of HUGEINT or UHUGEINT, a row each; anything for NULL."""
    storage = array.storage if isinstance(array.type, pa.BaseExtensionType) else array
    words: Ints = np.frombuffer(storage.buffers()[1], np.int64)[2 * storage.offset :][: 2 * len(storage)]
    return words.reshape(-1, 2)


def sixteen_bytes(words: Ints, valid: Bools, unsigned: bool) -> pa.Array:
    """Wide integers as bytes: the two words, and the sign, by which 2^128 - 1 is not -1."""
    signed = np.zeros((len(words), 3), np.int64)
    signed[:, :2] = words
    signed[:, 2] = 0 if unsigned else words[:, 1] >> 63
    fixed = pa.FixedSizeBinaryArray.from_buffers(
        pa.binary(24), len(words), [None, pa.py_buffer(signed.tobytes())]
    )
    return pc.if_else(pa.array(valid), fixed.cast(pa.binary()), pa.scalar(None, pa.binary()))


def hashable(name: str, array: pa.Array) -> pa.Array:
    """The array in a type that Arrow can hash so that items equal in SQL are equal, and no others."""
    kind, types = array.type, pa.types
    if sql_type(kind) == "UUID":
        return uuid_texts(array.storage)
    if isinstance(kind, pa.BaseExtensionType):
        return hashable(name, array.storage)
    if types.is_dictionary(kind):
        return hashable(name, array.dictionary_decode())
    if types.is_floating(kind):
        values = array.fill_null(0).to_numpy(zero_copy_only=False) + 0.0  # -0.0 is 0.0
        values[np.isnan(values)] = np.nan  # every NaN is the same
        return pa.array(values, mask=array.is_null().to_numpy(zero_copy_only=False))
    if types.is_decimal(kind):
        return array.cast(pa.decimal128(kind.precision, kind.scale))
    if types.is_nested(kind):
        return pa.array(
            texts(name, array), pa.large_string(), mask=array.is_null().to_numpy(zero_copy_only=False)
        )
    return array


def uuid_texts(storage: pa.Array) -> pa.Array:
    """UUIDs, which are 16 bytes if DuckDB's setting arrow_lossless_conversion is on, as they are written."""
    n = len(storage)
    octets = np.frombuffer(storage.buffers()[1], np.uint8)[16 * storage.offset :][: 16 * n].reshape(n, 16)
    digits = np.stack((octets >> 4, octets & 15), axis=-1).reshape(n, 32)
    written = np.full((n, 36), ord("-"), np.uint8)
    written[:, [place for place in range(36) if place not in (8, 13, 18, 23)]] = HEX[digits]
    fixed = pa.FixedSizeBinaryArray.from_buffers(pa.binary(36), n, [None, pa.py_buffer(written.tobytes())])
    known = pc.if_else(storage.is_valid(), fixed.cast(pa.binary()), pa.scalar(None, pa.binary()))
    return known.cast(pa.string())


def texts(name: str, array: pa.Array) -> list[str]:
    """Items with items inside (STRUCT, LIST, MAP), each as a text of its value: slow, but right."""
    kind, types = array.type, pa.types
    if types.is_struct(kind):
        fields = [texts(name, array.field(i)) for i in range(kind.num_fields)]
        found = [f"{{{','.join(parts)}}}" for parts in zip(*fields, strict=True)] or ["{}"] * len(array)
    elif is_list(kind) or types.is_map(kind):
        parts, offsets = flattened(array)
        inside = texts(name, parts)
        found = [f"[{','.join(inside[a:b])}]" for a, b in pairwise(offsets)]
    else:
        if types.is_temporal(kind):
            array = array.view(pa.int64() if kind.bit_width == 64 else pa.int32())
        elif is_wide_integer(kind):
            array = integers(name, array)
        found = [repr(value) for value in hashable(name, array).to_pylist()]
    valid = array.is_valid().to_pylist()
    return [text if is_valid else "NULL" for text, is_valid in zip(found, valid, strict=True)]


def leaves(kind: pa.DataType) -> Iterator[pa.DataType]:
    """The types inside a nested type, or the type itself."""
    if pa.types.is_nested(kind):
        for i in range(kind.num_fields):
            yield from leaves(kind.field(i).type)
    else:
        yield kind
