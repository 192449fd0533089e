"""Items of every type: numbered things, each with its representations as Arrow values.

The slow definitions see only the numbers, so that they need not know what is equal in SQL.
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
    """Representations of items. Those with the same `number` are the same item.

    rec, truth     the representations in the types of rec and truth
    in_rec         the representations that rec's type can hold; likewise in_truth
    """

    kind: str
    number: Sequence[int]
    rec: pa.Array
    truth: pa.Array
    in_rec: Sequence[int]
    in_truth: Sequence[int]


INTEGERS: dict[str, tuple[pa.DataType, int, int]] = {}  # type, lowest and highest
for bits, name in ((8, "TINYINT"), (16, "SMALLINT"), (32, "INTEGER"), (64, "BIGINT")):
    INTEGERS[name] = (getattr(pa, f"int{bits}")(), -(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    INTEGERS[f"U{name}"] = (getattr(pa, f"uint{bits}")(), 0, 2**bits - 1)
HUGEINT = pa.opaque(pa.binary(16), "hugeint", "DuckDB")
INTEGERS["HUGEINT"] = (pa.decimal128(38, 0), 0, 10**38 - 1)  # below 0, it might be a UHUGEINT


def integers(rng: random.Random, count: int) -> Items:
    """Draw integers of two widths: some equal in their low bits, at the ends of the types, or in a row."""
    rec, truth = rng.choice(list(INTEGERS)), rng.choice(list(INTEGERS))
    if rng.random() < 0.5:
        truth = rec
    (rec_type, low, high), (truth_type, truth_low, truth_high) = INTEGERS[rec], INTEGERS[truth]
    start = rng.choice([0, low, max(high - count, low), rng.randint(low, high)])
    drawn = {start + i for i in range(count)} if rng.random() < 0.6 else set[int]()
    for _ in range(0 if drawn else count):
        edge = rng.choice([low, high, truth_low, truth_high, 0, 2**63, 2**64, 2**32, 2**31, 255, 127])
        drawn.add(rng.choice([edge, edge - 1, edge + 1, -edge, rng.randint(low, high)]))
    values = [value for value in drawn if low <= value <= high or truth_low <= value <= truth_high]
    in_rec = [i for i, value in enumerate(values) if low <= value <= high]
    in_truth = [i for i, value in enumerate(values) if truth_low <= value <= truth_high]
    lossless = rng.random() < 0.3

    def array(kind: pa.DataType, lowest: int, highest: int) -> pa.Array:
        fitting = [value if lowest <= value <= highest else None for value in values]
        if pa.types.is_decimal(kind) and lossless:  # DuckDB's HUGEINT with arrow_lossless_conversion
            words = [of if of is None else of.to_bytes(16, "little", signed=True) for of in fitting]
            return pa.ExtensionArray.from_storage(HUGEINT, pa.array(words, HUGEINT.storage_type))
        return pa.array(fitting, kind)

    arrays = array(rec_type, low, high), array(truth_type, truth_low, truth_high)
    return Items(f"{rec} and {truth}", range(len(values)), *arrays, in_rec, in_truth)


WORDS = [*" aA'\";\n0é🙂", "", "a\0", "a\0b", "e\u0301", "日本語", "NULL", "00", "-1"]


def texts(rng: random.Random, count: int) -> list[str]:
    """Draw words that are easily confused: prefixes of each other, long ones with one letter apart."""
    long = rng.choice(["x" * 12, "x" * 300, "ü" * 11, ""])
    words = rng.sample(WORDS, rng.randint(0, len(WORDS)))
    words += [long + str(i) for i in range(count)] + [long[: i % 5] + str(i) for i in range(count)]
    return list(dict.fromkeys(words))[: max(count, 1)]


def same(kind: str, arrow: pa.DataType, values: Sequence[Any], number: Sequence[int] | None = None) -> Items:
    """Make items of one type on both sides."""
    array, everywhere = pa.array(values, arrow), range(len(values))
    return Items(kind, everywhere if number is None else number, array, array, everywhere, everywhere)


def string_type(rng: random.Random) -> pa.DataType:
    return rng.choice([pa.string(), pa.large_string(), pa.string_view()])


def strings(rng: random.Random, count: int) -> Items:
    kind = string_type(rng)
    return same(str(kind), kind, texts(rng, count))


def blobs(rng: random.Random, count: int) -> Items:
    values = [text.encode() for text in texts(rng, count)]
    return same("BLOB", rng.choice([pa.binary(), pa.large_binary(), pa.binary_view()]), values)


def uuids(rng: random.Random, count: int) -> Items:
    drawn = [uuid.UUID(int=rng.choice([i, 2**127 + i, (2**128 - 1) - i])) for i in range(count)]
    values = list(dict.fromkeys(drawn))
    if rng.random() < 0.5:  # as from DuckDB without arrow_lossless_conversion
        return same("UUID as text", string_type(rng), [str(value) for value in values])
    return same("UUID", pa.uuid(), [value.bytes for value in values])


def floats(rng: random.Random, count: int) -> Items:
    """Draw floats. Zero and NaN have two representations each."""
    kind = rng.choice([pa.float64(), pa.float32()])
    least, large = (5e-324, 1e300) if kind == pa.float64() else (2.0**-149, 2.0**100)
    values = [0.0, -0.0, math.nan, -math.nan, math.inf, -math.inf, least, 1.5, -1.5, large]
    values += [float(i) + 100 for i in range(count)]
    return same(str(kind), kind, values, [0, 0, 1, 1, *range(2, 8 + count)])


def decimals(rng: random.Random, count: int) -> Items:
    width, scale = rng.choice([(4, 2), (9, 2), (18, 3), (38, 2), (38, 10)])
    values = [decimal.Decimal(rng.choice([-1, 1]) * i).scaleb(-scale) for i in range(count)]
    return same("DECIMAL", pa.decimal128(width, scale), values)


DAY, MICROSECOND = datetime.timedelta(days=1), datetime.timedelta(microseconds=1)
MOMENTS: list[tuple[str, pa.DataType, Any, datetime.timedelta]] = [  # type, first value, and step
    ("DATE", pa.date32(), datetime.date(1, 1, 1), DAY),
    ("DATE", pa.date32(), datetime.date(1969, 12, 20), DAY),
    ("TIMESTAMP", pa.timestamp("us"), datetime.datetime(1969, 12, 31, 23, 59, 59), MICROSECOND),
    ("TIMESTAMP", pa.timestamp("us"), datetime.datetime(2024, 1, 1), MICROSECOND),
    ("TIME", pa.time64("us"), datetime.datetime(2024, 1, 1, 12), MICROSECOND),
]


def moments(rng: random.Random, count: int) -> Items:
    name, kind, first, step = rng.choice(MOMENTS)
    values = [first + i * step for i in range(count)]
    return same(name, kind, [value.time() for value in values] if name == "TIME" else values)


def booleans(rng: random.Random, _: int) -> Items:
    if rng.random() < 0.5:  # as from DuckDB with arrow_lossless_conversion
        return same("BOOLEAN", pa.bool8(), [0, 1])
    return same("BOOLEAN", pa.bool_(), [False, True])


def enums(rng: random.Random, count: int) -> Items:
    """Make a dictionary for each side, with the words in different orders."""
    words = texts(rng, min(count, 100))
    kind, everywhere = string_type(rng), range(len(words))

    def array(order: list[str]) -> pa.Array:
        codes = pa.array([order.index(word) for word in words], pa.uint8())
        return pa.DictionaryArray.from_arrays(codes, pa.array(order, kind))

    return Items("ENUM", everywhere, array(words), array(words[::-1]), everywhere, everywhere)


KINDS: dict[Callable[[random.Random, int], Items], int] = {  # and how often
    **{integers: 8, strings: 4, floats: 3, moments: 3, enums: 2},
    **dict.fromkeys((blobs, uuids, decimals, booleans), 1),
}


def draw(rng: random.Random, count: int) -> Items:
    """Draw some `count` items of a random type."""
    (make,) = rng.choices([*KINDS], [*KINDS.values()])
    return make(rng, count)
