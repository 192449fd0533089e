"""Items of every type: numbered things, each with its representations as Arrow values.

The slow definitions see only the numbers, so that they need no idea of what equals what in SQL.
"""

import datetime
import decimal
import math
import random
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa


@dataclass(frozen=True)
class Items:
    """Representations of items: `number` says which of them are the same item.

    rec, truth     the representations in the types that rec and truth have
    in_rec         the representations that rec's type can hold; likewise in_truth
    """

    kind: str
    number: Sequence[int]
    rec: pa.Array
    truth: pa.Array
    in_rec: Sequence[int]
    in_truth: Sequence[int]


INTEGERS: dict[str, tuple[pa.DataType, int, int]] = {
    f"{'U' if unsigned else ''}{name}": (
        getattr(pa, f"{'u' if unsigned else ''}int{bits}")(),
        0 if unsigned else -(2 ** (bits - 1)),
        2**bits - 1 if unsigned else 2 ** (bits - 1) - 1,
    )
    for name, bits in (("TINYINT", 8), ("SMALLINT", 16), ("INTEGER", 32), ("BIGINT", 64))
    for unsigned in (False, True)
}
HUGEINT = pa.opaque(pa.binary(16), "hugeint", "DuckDB")
INTEGERS["HUGEINT"] = (pa.decimal128(38, 0), 0, 10**38 - 1)  # below 0, it might be a UHUGEINT


def integers(rng: random.Random, count: int) -> Items:
    """Integers of two widths, some of them equal in their low bits, at the ends of the types, or in a row."""
    rec, truth = rng.choice(list(INTEGERS)), rng.choice(list(INTEGERS))
    if rng.random() < 0.5:
        truth = rec
    (rec_type, low, high), (truth_type, truth_low, truth_high) = INTEGERS[rec], INTEGERS[truth]
    start = rng.choice([0, low, max(high - count, low), rng.randint(low, high)])
    found = {start + i for i in range(count)} if rng.random() < 0.6 else set[int]()
    for _ in range(0 if found else count):
        edge = rng.choice([low, high, truth_low, truth_high, 0, 2**63, 2**64, 2**32, 2**31, 255, 127])
        found.add(rng.choice([edge, edge - 1, edge + 1, -edge, rng.randint(low, high)]))
    values = [value for value in found if low <= value <= high or truth_low <= value <= truth_high]
    in_rec = [i for i, value in enumerate(values) if low <= value <= high]
    in_truth = [i for i, value in enumerate(values) if truth_low <= value <= truth_high]

    lossless = rng.random() < 0.3

    def array(kind: pa.DataType, places: list[int]) -> pa.Array:
        held = [values[i] if i in set(places) else None for i in range(len(values))]
        if not pa.types.is_decimal(kind):
            return pa.array(held, kind)
        if lossless:  # as DuckDB hands over a HUGEINT with arrow_lossless_conversion
            words = [None if value is None else value.to_bytes(16, "little", signed=True) for value in held]
            return pa.ExtensionArray.from_storage(HUGEINT, pa.array(words, HUGEINT.storage_type))
        return pa.array([None if value is None else decimal.Decimal(value) for value in held], kind)

    arrays = array(rec_type, in_rec), array(truth_type, in_truth)
    return Items(f"{rec} and {truth}", range(len(values)), *arrays, in_rec, in_truth)


WORDS = [*" aA'\";\n0é🙂", "", "a\0", "a\0b", "e\u0301", "日本語", "NULL", "00", "-1"]


def texts(rng: random.Random, count: int) -> list[str]:
    """Words that are easily taken for each other: prefixes of each other, long ones with one letter apart."""
    long = rng.choice(["x" * 12, "x" * 300, "ü" * 11, ""])
    found = rng.sample(WORDS, rng.randint(0, len(WORDS)))
    found += [long + str(i) for i in range(count)] + [long[: i % 5] + str(i) for i in range(count)]
    return list(dict.fromkeys(found))[: max(count, 1)]


def same(kind: str, arrow: pa.DataType, values: Sequence[Any], number: Sequence[int] | None = None) -> Items:
    """Items of one type on both sides."""
    array, places = pa.array(values, arrow), range(len(values))
    return Items(kind, places if number is None else number, array, array, places, places)


def strings(rng: random.Random, count: int) -> Items:
    kind = rng.choice([pa.string(), pa.large_string(), pa.string_view()])
    return same(str(kind), kind, texts(rng, count))


def blobs(rng: random.Random, count: int) -> Items:
    values = [text.encode() for text in texts(rng, count)]
    return same("BLOB", rng.choice([pa.binary(), pa.large_binary(), pa.binary_view()]), values)


def uuids(rng: random.Random, count: int) -> Items:
    values = [uuid.UUID(int=rng.choice([i, 2**127 + i, (2**128 - 1) - i])) for i in range(count)]
    values = list(dict.fromkeys(values))
    if rng.random() < 0.5:  # as DuckDB hands it over without arrow_lossless_conversion
        kind = rng.choice([pa.string(), pa.large_string(), pa.string_view()])
        return same("UUID as text", kind, [str(value) for value in values])
    return same("UUID", pa.uuid(), [value.bytes for value in values])


def floats(rng: random.Random, count: int) -> Items:
    """Zero and NaN have two representations each."""
    values = [0.0, -0.0, math.nan, -math.nan, math.inf, -math.inf, 5e-324, 1.5, -1.5, 1e300]
    number = [0, 0, 1, 1, 2, 3, 4, 5, 6, 7]
    kind = rng.choice([pa.float64(), pa.float32()])
    if kind == pa.float32():
        values[6], values[9] = 2.0**-149, 2.0**100
    values += [float(i) + 100 for i in range(count)]
    return same(str(kind), kind, values, [*number, *range(8, 8 + count)])


def decimals(rng: random.Random, count: int) -> Items:
    width, scale = rng.choice([(4, 2), (9, 2), (18, 3), (38, 2), (38, 10)])
    values = [decimal.Decimal(rng.choice([-1, 1]) * i).scaleb(-scale) for i in range(count)]
    return same("DECIMAL", pa.decimal128(width, scale), values)


DAY, MICROSECOND = datetime.timedelta(days=1), datetime.timedelta(microseconds=1)
# Type, the first, and from one to the next.
MOMENTS: list[tuple[str, pa.DataType, Any, datetime.timedelta]] = [
    ("DATE", pa.date32(), datetime.date(1, 1, 1), DAY),
    ("DATE", pa.date32(), datetime.date(1969, 12, 20), DAY),
    ("TIMESTAMP", pa.timestamp("us"), datetime.datetime(1969, 12, 31, 23, 59, 59), MICROSECOND),
    ("TIMESTAMP", pa.timestamp("us"), datetime.datetime(2024, 1, 1), MICROSECOND),
    ("TIME", pa.time64("us"), datetime.datetime(2024, 1, 1, 12), MICROSECOND),
]


def moments(rng: random.Random, count: int) -> Items:
    name, kind, first, step = rng.choice(MOMENTS)
    values = [first + i * step for i in range(count)]
    values = [value.time() for value in values] if name == "TIME" else values
    return same(name, kind, values)


def booleans(rng: random.Random, count: int) -> Items:
    if rng.random() < 0.5:  # as DuckDB hands it over with arrow_lossless_conversion
        return same("BOOLEAN", pa.bool8(), [0, 1])
    return same("BOOLEAN", pa.bool_(), [False, True])


def enums(rng: random.Random, count: int) -> Items:
    """A dictionary per side, with the words in different orders."""
    words = texts(rng, min(count, 100))
    kind = rng.choice([pa.string(), pa.large_string(), pa.string_view()])

    def array(order: list[str]) -> pa.Array:
        codes = pa.array([order.index(word) for word in words], pa.uint8())
        return pa.DictionaryArray.from_arrays(codes, pa.array(order, kind))

    places = range(len(words))
    return Items("ENUM", places, array(words), array(words[::-1]), places, places)


KINDS: dict[Callable[[random.Random, int], Items], int] = {  # and how often
    **{integers: 8, strings: 4, floats: 3, moments: 3, enums: 2},
    **dict.fromkeys((blobs, uuids, decimals, booleans), 1),
}


def draw(rng: random.Random, count: int) -> Items:
    """Some `count` items of a type that is drawn too."""
    (make,) = rng.choices([*KINDS], [*KINDS.values()])
    return make(rng, count)
