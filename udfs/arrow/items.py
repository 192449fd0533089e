"""Matching of items: integer codes for items of any type, equal for equal items."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..measures.ragged import Ints
from .layouts import is_integer, is_list, items, sql_type

UNKNOWN = -1


def check_items(name: str, kind: pa.DataType) -> None:
    """Refuse types whose equal items cannot be told: INTERVAL (a month equals thirty days) and BIGNUM.

    DuckDB hands over the address of a long BIGNUM where it hands over views.
    """
    for leaf in leaves(kind):
        is_address = sql_type(leaf) == "BIGNUM" and pa.types.is_binary_view(leaf.storage_type)
        if sql_type(leaf) == "INTERVAL" or is_address:
            raise TypeError(f"{name}: items must not be of type {sql_type(leaf)}, cast them to VARCHAR")


def comparable(name: str, rec: pa.Array, truth: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Both in one type that Arrow can hash so that items equal in SQL are equal, and no others."""
    kinds = family(rec.type), family(truth.type)
    if kinds[0] != kinds[1]:
        got = f"{sql_type(rec.type)} in rec and {sql_type(truth.type)} in truth"
        raise TypeError(f"{name}: rec and truth must hold items of one type, got {got}")
    if pa.types.is_integer(rec.type) and pa.types.is_integer(truth.type):
        if pa.uint64() not in (rec.type, truth.type):
            return rec.cast(pa.int64()), truth.cast(pa.int64())
        if rec.type == truth.type:
            return rec, truth
    return plain(rec), plain(truth)


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


def family(kind: pa.DataType) -> str:
    """Items of one family may be compared; integers of all widths are one family."""
    return "INTEGER" if is_integer(kind) else sql_type(kind)


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


def item_codes(array: pa.Array) -> Ints:
    """The place of each item among the array's own different items; UNKNOWN for NULL."""
    encoded = plain(array).dictionary_encode()
    places: Ints = encoded.indices.fill_null(UNKNOWN).to_numpy(zero_copy_only=False).astype(np.int64)
    return places


def dictionary_codes(rec: pa.Array, truth: pa.Array) -> tuple[Ints, Ints, int]:
    """The place of each item among truth's different items."""
    encoded = truth.dictionary_encode()
    found = pc.index_in(rec, value_set=encoded.dictionary).fill_null(UNKNOWN)
    return (
        found.to_numpy(zero_copy_only=False).astype(np.int64),
        encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64),
        len(encoded.dictionary),
    )


def plain(array: pa.Array) -> pa.Array:
    """The array in a type that Arrow can hash so that items equal in SQL are equal, and no others."""
    kind, types = array.type, pa.types
    if is_integer(kind):
        return wide_integers(array)
    if isinstance(kind, pa.BaseExtensionType):
        return plain(array.storage)
    if types.is_dictionary(kind):
        return array.dictionary_decode()
    if types.is_floating(kind):
        values = array.fill_null(0).to_numpy(zero_copy_only=False) + 0.0  # -0.0 is 0.0
        values[np.isnan(values)] = np.nan  # every NaN is the same
        return pa.array(values, mask=array.is_null().to_numpy(zero_copy_only=False))
    if types.is_decimal(kind):
        return array.cast(pa.decimal128(kind.precision, kind.scale))
    if types.is_nested(kind):
        return pa.array(texts(array), pa.large_string(), mask=array.is_null().to_numpy(zero_copy_only=False))
    return array


def wide_integers(array: pa.Array) -> pa.Array:
    """Integers of any width as 16 bytes, in two's complement."""
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        return array.storage.cast(pa.binary())
    if pa.types.is_decimal(kind):
        words = np.frombuffer(array.buffers()[1], np.int64)[2 * array.offset :][: 2 * len(array)]
    else:
        values = array.fill_null(0).to_numpy(zero_copy_only=False)
        words = np.zeros((len(values), 2), np.int64)
        words[:, 0] = values.astype(np.uint64).view(np.int64)
        words[:, 1] = 0 if kind == pa.uint64() else values.astype(np.int64) >> 63
    fixed = pa.FixedSizeBinaryArray.from_buffers(
        pa.binary(16), len(array), [None, pa.py_buffer(words.tobytes())]
    )
    return pc.if_else(array.is_valid(), fixed.cast(pa.binary()), pa.scalar(None, pa.binary()))


def texts(array: pa.Array) -> list[str]:
    """Items with items inside (STRUCT, LIST, MAP), each as a text of its value: slow, but right."""
    kind, types = array.type, pa.types
    if types.is_struct(kind):
        fields = [texts(array.field(i)) for i in range(kind.num_fields)]
        found = [f"{{{','.join(parts)}}}" for parts in zip(*fields, strict=True)] or ["{}"] * len(array)
    elif is_list(kind) or types.is_map(kind):
        parts, offsets = items(array)
        inside = texts(parts)
        found = [f"[{','.join(inside[a:b])}]" for a, b in pairwise(offsets)]
    else:
        if types.is_temporal(kind):
            array = array.view(pa.int64() if kind.bit_width == 64 else pa.int32())
        found = [repr(value) for value in plain(array).to_pylist()]
    valid = array.is_valid().to_pylist()
    return [text if is_valid else "NULL" for text, is_valid in zip(found, valid, strict=True)]


def leaves(kind: pa.DataType) -> Iterator[pa.DataType]:
    """The types inside a nested type, or the type itself."""
    if pa.types.is_nested(kind):
        for i in range(kind.num_fields):
            yield from leaves(kind.field(i).type)
    else:
        yield kind
