"""Random batches of lists: as Arrow, and as the slow definitions read them."""

import decimal
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ranking_udfs.measures.registry import MEASURES, Number
from tests.fuzz import items
from tests.fuzz.items import Items
from tests.witnesses import WITNESSES, Options, Ranking, judge_slowly

HUGE = (2**31 - 1, 2**31, 2**32 + 1, 2**63 - 1)
WIDTHS = [
    (pa.int8(), 2**7),
    (pa.uint16(), 2**16),
    (pa.int32(), 2**31),
    (pa.int64(), 2**63),
    (pa.uint64(), 2**64),
]


@dataclass(frozen=True)
class Row:
    """One user: places in `Items` for items, None for NULL.

    rec     binary, map: places; pairs: (grade, place) or None
    truth   binary: places; map: place -> grade; pairs: grades
    """

    rec: Sequence[Any] | None
    truth: Any
    k: int | None


@dataclass(frozen=True)
class Layout:
    """How a batch is laid out in Arrow."""

    junk: int  # rows before and after it, sliced away
    lists: Callable[[pa.Array], pa.Array]
    grade: pa.DataType
    k: pa.DataType
    text: pa.DataType = pa.string()  # noqa: RUF009
    beneath: bool = False  # whether a NULL list has values in its place
    untyped: bool = False  # whether what holds NULLs alone has the type NULL, as SQL's `[]` and `NULL`


@dataclass(frozen=True)
class Batch:
    form: str
    items: Items
    rows: Sequence[Row]
    layout: Layout

    # --- as the slow definitions read it ---

    def read(self, row: Row) -> tuple[Any, Any]:
        """The row with numbers for items."""
        number = self.items.number

        def item(place: int | None) -> int | None:
            return None if place is None else number[place]

        rec: Any = row.rec
        if rec is not None and self.form == "pairs":
            rec = [pair and (pair[0], item(pair[1])) for pair in rec]
        elif rec is not None:
            rec = [item(place) for place in rec]
        truth: Any = row.truth
        if truth is not None and self.form == "map":
            truth = {item(place): grade for place, grade in truth.items()}
        elif truth is not None and self.form == "binary":
            truth = [item(place) for place in truth]
        return rec, truth

    @cached_property
    def plain(self) -> list[tuple[Any, Any]]:
        """Each row's rec and truth, with numbers for items."""
        return [self.read(row) for row in self.rows]

    @cached_property
    def rankings(self) -> list[Ranking | None]:
        return [judge_slowly(*row, self.form) for row in self.plain]

    @cached_property
    def judged(self) -> list[Any]:
        """What judge returns."""
        parts = ("ranks", "grades", "ideal", "size")
        return [
            one and {**{part: getattr(one, part) for part in parts}, "cutoff": None} for one in self.rankings
        ]

    @cached_property
    def largest_grade(self) -> float:
        return max((grade for one in self.rankings if one is not None for grade in one.ideal), default=0.0)

    def expected(self, name: str, options: Sequence[Options], judged: bool = False) -> list[float | None]:
        """With the options of each row."""
        one = WITNESSES[name]
        return [
            ranking and one.definition(ranking, row.k, **{**(one.of_judged if judged else {}), **chosen})
            for ranking, row, chosen in zip(self.rankings, self.rows, options, strict=True)
        ]

    # --- as Arrow ---

    def arrays(self) -> tuple[pa.Array, pa.Array]:
        junk = [Row(None, None, None)] * self.layout.junk
        rows = [*junk, *self.rows, *junk]
        rec, truth = self.rec_array(rows), self.truth_array(rows)
        if self.layout.junk:
            rec, truth = (array.slice(self.layout.junk, len(self.rows)) for array in (rec, truth))
        return rec, truth

    def rec_array(self, rows: Sequence[Row]) -> pa.Array:
        held = [row.rec for row in rows]
        if self.form != "pairs":
            return self.laid(held, lambda flat: taken(self.items.rec, flat))
        return self.laid(held, self.pairs, may_be_untyped=False)

    def pairs(self, flat: Sequence[Any]) -> pa.Array:
        grades = numbers([part and part[0] for part in flat], self.layout.grade)
        places = taken(self.items.rec, [part and part[1] for part in flat])
        mask = pa.array([part is None for part in flat], pa.bool_())
        return pa.StructArray.from_arrays([grades, places], ["grade", "item"], mask=mask)

    def truth_array(self, rows: Sequence[Row]) -> pa.Array:
        held = [row.truth for row in rows]
        if self.form == "pairs":
            return self.laid(held, lambda flat: numbers(flat, self.layout.grade))
        if self.form == "binary":
            return self.laid(held, lambda flat: taken(self.items.truth, flat))
        if self.layout.untyped and all(row is None for row in held):
            return pa.nulls(len(held))
        places = taken(self.items.truth, [place for row in held if row is not None for place in row])
        grades = [grade for row in held if row is not None for grade in row.values()]
        offsets = listed(held, places).offsets.to_pylist()
        values = numbers(grades, self.layout.grade)
        starts = [None if row is None else start for row, start in zip(held, offsets, strict=False)]
        return pa.MapArray.from_arrays(pa.array([*starts, offsets[-1]], pa.int32()), places, values)

    def laid(
        self, held: Sequence[Any], values: Callable[[list[Any]], pa.Array], may_be_untyped: bool = True
    ) -> pa.Array:
        """Lists in the batch's layout, `values` making one array of all that they hold."""
        untyped = self.layout.untyped and may_be_untyped
        if untyped and all(row is None for row in held):
            return pa.nulls(len(held))
        beneath: Any = next((row for row in held if row), []) if self.layout.beneath else []
        ordered = held[::-1] if self.layout.lists in BACKWARDS else held
        flat = [part for row in ordered for part in (beneath if row is None else row)]
        is_null = untyped and all(part is None for part in flat)
        array = listed(ordered, pa.nulls(len(flat)) if is_null else values(flat), len(beneath))
        return self.layout.lists(array)

    def k_array(self) -> pa.Array:
        ks = [row.k for row in self.rows]
        if pa.types.is_decimal(self.layout.k):
            return pa.array([None if k is None else decimal.Decimal(k) for k in ks], self.layout.k)
        return pa.array(ks, self.layout.k)

    def call(self, name: str, judged: bool = False) -> str:
        """What to say of a call."""
        form = "a judged ranking of " * judged
        return f"{name} of {form}{self.form} lists, {self.items.kind} ({self.types})"

    @cached_property
    def types(self) -> str:
        return ", ".join(f"{array.type}" for array in (*self.arrays(), self.k_array()))


def taken(values: pa.Array, places: Sequence[int | None]) -> pa.Array:
    """The values at these places, of any type: pyarrow cannot take from views."""
    kind = values.type
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, taken(values.storage, places))
    for is_view, other in ((pa.types.is_string_view, pa.string()), (pa.types.is_binary_view, pa.binary())):
        if is_view(kind):
            return values.cast(other).take(pa.array(places, pa.int32())).cast(kind)
    return values.take(pa.array(places, pa.int32()))


def listed(rows: Sequence[Any], values: pa.Array, beneath: int = 0) -> pa.Array:
    """A list array; a NULL row takes up no values, or so many `beneath` it."""
    offsets = [0]
    for row in rows:
        offsets.append(offsets[-1] + (beneath if row is None else len(row)))
    mask = pa.array([row is None for row in rows], pa.bool_())
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values, mask=mask)


def numbers(values: Sequence[float | None], kind: pa.DataType) -> pa.Array:
    array = pa.array(values, pa.float64())
    return array if kind == array.type else array.cast(kind)


def large(array: pa.Array) -> pa.Array:
    return array.cast(pa.large_list(array.type.value_type))


def view(array: pa.Array, is_large: bool = False) -> pa.Array:
    """A list view whose lists lie in their order."""
    kind, width = (pa.LargeListViewArray, pa.int64()) if is_large else (pa.ListViewArray, pa.int32())
    offsets = array.offsets.cast(width)
    sizes = pc.subtract(offsets[1:], offsets[:-1])
    return kind.from_arrays(offsets[:-1], sizes, array.values, mask=array.is_null())


def backward(array: pa.Array, is_large: bool = False) -> pa.Array:
    """A list view of the lists from the last to the first, which lie from the first to the last."""
    return view(array, is_large).take(pa.array(range(len(array) - 1, -1, -1), pa.int32()))


def plain(array: pa.Array) -> pa.Array:
    return array


def fixed(array: pa.Array) -> pa.Array:
    """An ARRAY, if all lists are equally long."""
    lengths = {length for length in array.value_lengths().to_pylist() if length is not None}
    if array.null_count or len(lengths) != 1 or lengths == {0}:
        return array
    return pa.FixedSizeListArray.from_arrays(array.values, lengths.pop())


BACKWARDS = (backward, partial(backward, is_large=True))
LAYOUTS = [plain, plain, plain, large, view, partial(view, is_large=True), *BACKWARDS, fixed]


SIZES: list[tuple[tuple[int, int], int, int, int]] = [  # rows, longest rec, longest truth, weight
    ((1, 40), 3, 3, 4),
    ((1, 300), 8, 6, 14),
    ((1, 100), 25, 20, 4),
    ((1, 3), 250, 100, 1),
    ((1, 1), 4_000, 300, 1),
    ((2_046, 2_050), 4, 4, 1),
    ((1, 20), 0, 5, 1),
    ((1, 20), 5, 0, 1),
]
GRADES: list[list[float]] = [
    [-1, 0, 0, 1, 1, 2, 3, 4],
    [1],
    [3],
    [0, -2],
    [0, 1],
    [x / 4 for x in range(-4, 17)],
    [1.0, math.nextafter(1, 2), math.nextafter(1, 0), 0.5],
    [-1e300, -5, -0.0, 0.0, 2.0, 3.0],
    [0, 1, 30, 100.5, 999, 1000],
]


def draw(rng: random.Random) -> Batch:
    (size,) = rng.choices(SIZES, [size[3] for size in SIZES])
    (few, many), longest, most, _ = size
    form = rng.choice(["binary", "binary", "map", "map", "pairs"])
    pool = items.draw(rng, max(2, rng.choice([2, longest, longest * 2, longest * 2])))
    grades = rng.choice([*GRADES, [rng.uniform(-1, 4) for _ in range(30)]])
    grades = [grade if grade <= 0 else max(grade, 0.01) for grade in grades]
    repeats, nulls, null_rows = (rng.choice([0, 0, 0.1, 0.5]) for _ in range(3))
    one_k = rng.random() < 0.5

    def item(places: Sequence[int], before: Sequence[Any], luck: float) -> Any:
        if luck < nulls / 2 or not places:
            return None
        if luck < nulls / 2 + repeats / 2 and before:
            return rng.choice(before)
        return rng.choice(places)

    def row() -> Row:
        rec: list[Any] = []
        if form == "map" and rng.random() < 0.5:  # without repeats but those that are asked for
            rec = rng.sample(pool.in_rec, min(len(pool.in_rec), rng.randint(0, longest)))
            rec = [None if rng.random() < nulls / 2 else place for place in rec]
        else:
            for _ in range(rng.randint(0, longest)):
                rec.append(item(pool.in_rec, rec, rng.random()))
        count = rng.randint(0, most)
        truth: Any
        if form == "binary":
            truth = [item(pool.in_truth, [], rng.random()) for _ in range(count)]
        elif form == "map":
            places = rng.sample(pool.in_truth, min(len(pool.in_truth), count))
            numbers = {pool.number[place]: place for place in places}
            truth = {place: rng.choice(grades) for place in numbers.values()}
        else:
            given = [None if rng.random() < nulls / 2 else (rng.choice(grades), place) for place in rec]
            truth = [rng.choice(grades) for _ in range(count)] if rng.random() < 0.3 else []
            truth += [pair[0] for pair in given if pair is not None and rng.random() < 0.8]
            truth = [] if not most else truth
            rec = given
        edges = (0, 1, 2, 3, len(rec) - 1, len(rec), len(rec) + 1, len(truth), len(truth) + 1, 10, 100, *HUGE)
        k = rng.choice([None, None, *(edge for edge in edges if edge >= 0)])
        return Row(
            None if rng.random() < null_rows / 4 else rec, None if rng.random() < null_rows / 4 else truth, k
        )

    rows = [row() for _ in range(rng.randint(few, many))]
    if one_k:
        rows = [replace(each, k=rows[0].k) for each in rows]
    return Batch(form, pool, rows, layout(rng, rows, grades))


def layout(rng: random.Random, rows: Sequence[Row], grades: Sequence[float]) -> Layout:
    largest = max((row.k or 0 for row in rows), default=0)
    kinds = [kind for kind, limit in WIDTHS if largest < limit]
    if all(row.k is None for row in rows):
        kinds.append(pa.null())
    if rng.random() < 0.1:
        kinds.append(pa.decimal128(38, 0))
    types: list[pa.DataType] = [pa.float64()] * 2
    if all(abs(grade) < 1e6 and (grade * 4).is_integer() for grade in map(float, grades)):
        types += [pa.float32(), pa.decimal128(9, 2)]
    if all(abs(grade) < 100 and grade == int(grade) for grade in grades):
        types += [pa.int8(), pa.int64()]
        if min(grades) >= 0:
            types.append(pa.decimal128(38, 0))
    return Layout(
        rng.choice([0, 0, 1, 7]),
        rng.choice(LAYOUTS),
        rng.choice(types),
        rng.choice(kinds),
        rng.choice([pa.string(), pa.string(), pa.large_string(), pa.string_view()]),
        beneath=rng.random() < 0.3,
        untyped=rng.random() < 0.3,
    )


def draw_for_duckdb(rng: random.Random) -> Batch:
    """A batch that DuckDB itself can scan.

    DuckDB 1.5's own scan of Arrow loses values of views, or crashes on those of pyarrow 19, before any
    function sees them. What DuckDB hands to the functions are views all the same, by its settings.
    """
    while True:
        batch = draw(rng)
        lists = batch.layout.lists if batch.layout.lists in (large, fixed) else plain
        batch = replace(batch, layout=replace(batch.layout, lists=lists, beneath=False))
        if not any("view" in str(array.type) for array in batch.arrays()):
            return batch


def options(rng: random.Random, name: str, batch: Batch | None = None, largest: float = 0) -> dict[str, Any]:
    """Some options of a measure: any of its words, and numbers within the bounds of the registry.

    Where truth has no grades, no min_grade is above 1. Of ideal=k the slow definition makes k items.
    """
    largest = batch.largest_grade if batch else largest
    rules, chosen = MEASURES[name].options, dict[str, Any]()
    for option, rule in rules.items():
        if not isinstance(rule, Number) and rng.random() < 0.75:
            words = [word for word in str(rule).split("|") if (option, word) != ("ideal", "k")]
            chosen[option] = rng.choice(words)
    for option, rule in rules.items():
        if not isinstance(rule, Number):
            continue
        other, needed = rule.only_with or ("", None)
        if other and chosen.get(other, rules[other].default) != needed:
            continue
        if option == "max_grade":
            limits = [max(largest, 1.0), 1000.0, max(largest, 4.0), 4.0]
            chosen |= {} if largest <= 4 and rng.random() < 0.3 else {option: rng.choice(limits)}
        elif rng.random() < 0.5:
            chosen[option] = number(rng, rule)
    if batch and batch.form == "binary" and chosen.get("min_grade", 0) > 1:
        chosen["min_grade"] = rng.choice([0.5, 1.0])
    return chosen


def accepted(rng: random.Random, name: str, batch: Batch) -> dict[str, Any]:
    """Options with which no grade of the batch is an error."""
    chosen = options(rng, name, batch)
    return {**chosen, "max_grade": 1000.0} if "max_grade" in chosen else chosen


def number(rng: random.Random, rule: Number) -> float:
    low = max(rule.at_least, rule.above)
    high = min(rule.at_most, rule.below, low + 20)
    found = rng.choice([rng.uniform(low, high), rng.randint(0, 10) / 10, low + 1, rng.uniform(low, low + 1)])
    in_bounds = rule.at_least <= found <= rule.at_most and rule.above + 0.01 < found < rule.below
    return found if in_bounds else low + 1 if rule.default is None else rule.default
