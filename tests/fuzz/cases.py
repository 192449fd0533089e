"""Random batches of lists: as Arrow arrays, and as the slow definitions read them."""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import accumulate
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ranking_udfs.measures.registry import MEASURES, Number
from tests.fuzz import items
from tests.fuzz.items import Items
from tests.witnesses import WITNESSES, Options, Ranking, judge_slowly

HUGE = (2**31 - 1, 2**31, 2**32 + 1, 2**63 - 1)
WIDTHS = {pa.int8(): 2**7, pa.uint16(): 2**16, pa.int32(): 2**31, pa.int64(): 2**63, pa.uint64(): 2**64}
PARTS = ("ranks", "grades", "ideal", "size")  # of a judged ranking


@dataclass(frozen=True)
class Row:
    """One user. Items are positions in `Items`, None for NULL.

    rec     binary, map: positions; pairs: (grade, position) or None
    truth   binary: positions; map: position -> grade; pairs: grades
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
    text: pa.DataType
    beneath: bool  # whether a NULL list has values in its place
    untyped: bool  # whether lists of NULLs have the type NULL, like SQL's `[]` and `NULL`


@dataclass(frozen=True)
class Batch:
    form: str
    items: Items
    rows: Sequence[Row]
    layout: Layout

    # --- as the slow definitions read it ---

    @cached_property
    def plain(self) -> list[tuple[Any, Any]]:
        """Each row's rec and truth, with numbers for items."""
        number: dict[Any, Any] = {None: None, **dict(enumerate(self.items.number))}

        def numbered(held: Any) -> Any:
            if isinstance(held, dict):
                return {number[item]: grade for item, grade in held.items()}
            return held and [number[item] for item in held]

        if self.form != "pairs":
            return [(numbered(row.rec), numbered(row.truth)) for row in self.rows]
        recs = [row.rec and [pair and (pair[0], number[pair[1]]) for pair in row.rec] for row in self.rows]
        return [(rec, row.truth) for rec, row in zip(recs, self.rows, strict=True)]

    @cached_property
    def rankings(self) -> list[Ranking | None]:
        return [judge_slowly(*row, self.form) for row in self.plain]

    @cached_property
    def judged(self) -> list[Any]:
        """What judge returns."""
        return [
            ranking and {**{part: getattr(ranking, part) for part in PARTS}, "cutoff": None}
            for ranking in self.rankings
        ]

    @cached_property
    def largest_grade(self) -> float:
        return max((grade for ranking in self.rankings if ranking for grade in ranking.ideal), default=0.0)

    def expected(self, name: str, options: Sequence[Options], judged: bool = False) -> list[float | None]:
        """Return the value of each row with its options."""
        witness = WITNESSES[name]
        defaults = witness.of_judged if judged else {}
        return [
            ranking and witness.definition(ranking, row.k, **{**defaults, **chosen})
            for ranking, row, chosen in zip(self.rankings, self.rows, options, strict=True)
        ]

    # --- as Arrow ---

    def arrays(self) -> tuple[pa.Array, pa.Array]:
        junk = [Row(None, None, None)] * self.layout.junk
        rows = [*junk, *self.rows, *junk]
        recs, truths = [row.rec for row in rows], [row.truth for row in rows]
        if self.form == "pairs":
            arrays = self.lists(recs, self.pairs, may_be_untyped=False), self.lists(truths, self.grades)
        else:
            rec = self.lists(recs, partial(take, self.items.rec))
            is_map = self.form == "map"
            truth = self.maps(truths) if is_map else self.lists(truths, partial(take, self.items.truth))
            arrays = rec, truth
        rec, truth = (array.slice(self.layout.junk, len(self.rows)) for array in arrays)
        return rec, truth

    def grades(self, values: Sequence[float | None]) -> pa.Array:
        return pa.array(values, pa.float64()).cast(self.layout.grade)

    def pairs(self, flat: Sequence[Any]) -> pa.Array:
        grades = self.grades([pair and pair[0] for pair in flat])
        taken = take(self.items.rec, [pair and pair[1] for pair in flat])
        mask = pa.array([pair is None for pair in flat], pa.bool_())
        return pa.StructArray.from_arrays([grades, taken], ["grade", "item"], mask=mask)

    def maps(self, rows: Sequence[Any]) -> pa.Array:
        if self.layout.untyped and all(row is None for row in rows):
            return pa.nulls(len(rows))
        keys = take(self.items.truth, [item for row in rows for item in row or ()])
        values = self.grades([grade for row in rows for grade in (row or {}).values()])
        *starts, end = list_array(rows, keys).offsets.to_pylist()
        starts = [None if row is None else start for row, start in zip(rows, starts, strict=True)]
        return pa.MapArray.from_arrays(pa.array([*starts, end], pa.int32()), keys, values)

    def lists(
        self, rows: Sequence[Any], values: Callable[[list[Any]], pa.Array], may_be_untyped: bool = True
    ) -> pa.Array:
        """Lay out lists. `values` makes one array of all that they contain."""
        untyped = self.layout.untyped and may_be_untyped
        if untyped and all(row is None for row in rows):
            return pa.nulls(len(rows))
        beneath: Any = next((row for row in rows if row), []) if self.layout.beneath else []
        ordered = rows[::-1] if self.layout.lists in BACKWARDS else rows
        flat = [part for row in ordered for part in (beneath if row is None else row)]
        is_null = untyped and all(part is None for part in flat)
        return self.layout.lists(
            list_array(ordered, pa.nulls(len(flat)) if is_null else values(flat), len(beneath))
        )

    def k_array(self) -> pa.Array:
        return pa.array([row.k for row in self.rows], self.layout.k)

    def call(self, name: str, judged: bool = False) -> str:
        """Describe a call."""
        types = ", ".join(f"{array.type}" for array in (*self.arrays(), self.k_array()))
        return f"{name} of {'a judged ranking of ' * judged}{self.form} lists, {self.items.kind} ({types})"


def take(values: pa.Array, positions: Sequence[int | None]) -> pa.Array:
    """Return the values at these positions, of any type: pyarrow cannot take from views."""
    kind = values.type
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, take(values.storage, positions))
    for is_view, other in ((pa.types.is_string_view, pa.string()), (pa.types.is_binary_view, pa.binary())):
        if is_view(kind):
            return take(values.cast(other), positions).cast(kind)
    return values.take(pa.array(positions, pa.int32()))


def list_array(rows: Sequence[Any], values: pa.Array, beneath: int = 0) -> pa.Array:
    """Make a list array. A NULL row has `beneath` values."""
    offsets = accumulate((beneath if row is None else len(row) for row in rows), initial=0)
    mask = pa.array([row is None for row in rows], pa.bool_())
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values, mask=mask)


def large(array: pa.Array) -> pa.Array:
    return array.cast(pa.large_list(array.type.value_type))


def view(array: pa.Array, is_large: bool = False) -> pa.Array:
    """Make a list view whose lists are in order."""
    kind, width = (pa.LargeListViewArray, pa.int64()) if is_large else (pa.ListViewArray, pa.int32())
    offsets = array.offsets.cast(width)
    sizes = pc.subtract(offsets[1:], offsets[:-1])
    return kind.from_arrays(offsets[:-1], sizes, array.values, mask=array.is_null())


def backward(array: pa.Array, is_large: bool = False) -> pa.Array:
    """Make a list view of the lists from the last to the first. In memory the first comes first."""
    return view(array, is_large).take(pa.array(range(len(array) - 1, -1, -1), pa.int32()))


def plain(array: pa.Array) -> pa.Array:
    return array


def fixed(array: pa.Array) -> pa.Array:
    """Make an ARRAY if all lists have the same length."""
    lengths = {length for length in array.value_lengths().to_pylist() if length is not None}
    if array.null_count or len(lengths) != 1 or lengths == {0}:
        return array
    return pa.FixedSizeListArray.from_arrays(array.values, lengths.pop())


BACKWARDS = (backward, partial(backward, is_large=True))
LAYOUTS = [plain, plain, plain, large, view, partial(view, is_large=True), *BACKWARDS, fixed]


SIZES: list[tuple[tuple[int, int], int, int, int]] = [  # rows, longest rec, longest truth, weight
    *(((1, 40), 3, 3, 4), ((1, 300), 8, 6, 14), ((1, 100), 25, 20, 4), ((1, 3), 250, 100, 1)),
    *(((1, 1), 4_000, 300, 1), ((2_046, 2_050), 4, 4, 1), ((1, 20), 0, 5, 1), ((1, 20), 5, 0, 1)),
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
        return rng.choice(before if luck < nulls / 2 + repeats / 2 and before else places)

    def row() -> Row:
        rec: list[Any] = []
        if form == "map" and rng.random() < 0.5:  # no repeats
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
            truth = {place: rng.choice(grades) for place in {pool.number[i]: i for i in places}.values()}
        else:
            rec = [None if rng.random() < nulls / 2 else (rng.choice(grades), place) for place in rec]
            truth = [rng.choice(grades) for _ in range(count)] if rng.random() < 0.3 else []
            truth += [pair[0] for pair in rec if pair is not None and rng.random() < 0.8]
            truth = truth if most else []
        edges = (0, 1, 2, 3, len(rec) - 1, len(rec), len(rec) + 1, len(truth), len(truth) + 1, 10, 100, *HUGE)
        k = rng.choice([None, None, *(edge for edge in edges if edge >= 0)])
        rec_or_null, truth_or_null = (None if rng.random() < null_rows / 4 else side for side in (rec, truth))
        return Row(rec_or_null, truth_or_null, k)

    rows = [row() for _ in range(rng.randint(few, many))]
    if one_k:
        rows = [replace(each, k=rows[0].k) for each in rows]
    return Batch(form, pool, rows, layout(rng, rows, grades))


def layout(rng: random.Random, rows: Sequence[Row], grades: Sequence[float]) -> Layout:
    largest = max((row.k or 0 for row in rows), default=0)
    kinds = [kind for kind, limit in WIDTHS.items() if largest < limit]
    if all(row.k is None for row in rows):
        kinds.append(pa.null())
    if rng.random() < 0.1:
        kinds.append(pa.decimal128(38, 0))
    types: list[pa.DataType] = [pa.float64()] * 2
    if all(abs(grade) < 1e6 and (grade * 4).is_integer() for grade in map(float, grades)):
        types += [pa.float32(), pa.decimal128(9, 2)]
    if all(abs(grade) < 100 and grade == int(grade) for grade in grades):
        types += [pa.int8(), pa.int64()] + [pa.decimal128(38, 0)] * (min(grades) >= 0)
    texts = [pa.string(), pa.string(), pa.large_string(), pa.string_view()]
    choices = [rng.choice(choice) for choice in ([0, 0, 1, 7], LAYOUTS, types, kinds, texts)]
    return Layout(*choices, beneath=rng.random() < 0.3, untyped=rng.random() < 0.3)


def draw_for_duckdb(rng: random.Random) -> Batch:
    """Draw a batch that DuckDB itself can scan.

    DuckDB 1.5's own scan of Arrow loses values of views, or crashes on those of pyarrow 19, before any
    function sees them. With some settings DuckDB still passes views to the functions.
    """
    while True:
        batch = draw(rng)
        lists = batch.layout.lists if batch.layout.lists in (large, fixed) else plain
        batch = replace(batch, layout=replace(batch.layout, lists=lists, beneath=False))
        if not any("view" in str(array.type) for array in batch.arrays()):
            return batch


def options(rng: random.Random, name: str, batch: Batch | None = None, largest: float = 0) -> dict[str, Any]:
    """Draw options of a measure: any of its words, and numbers within the bounds of the registry.

    Without grades in truth, no min_grade is above 1. With ideal=k, the slow definition makes k items.
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
    """Draw options with which no grade of the batch is an error."""
    chosen = options(rng, name, batch)
    return {**chosen, "max_grade": 1000.0} if "max_grade" in chosen else chosen


def number(rng: random.Random, rule: Number) -> float:
    low = max(rule.at_least, rule.above)
    high = min(rule.at_most, rule.below, low + 20)
    drawn = rng.choice([rng.uniform(low, high), rng.randint(0, 10) / 10, low + 1, rng.uniform(low, low + 1)])
    in_bounds = rule.at_least <= drawn <= rule.at_most and rule.above + 0.01 < drawn < rule.below
    return drawn if in_bounds else low + 1 if rule.default is None else rule.default
