"""judge: which ranks of rec hold an item that truth knows.

Three forms of arguments (Arrow arrays of one row per user) become one `Judged` batch:

    binary        rec LIST of items          truth LIST of relevant items
    graded map    rec LIST of items          truth MAP(item -> grade)
    graded pairs  rec LIST of STRUCT(grade, item, ...)   truth LIST of grades
"""

import numpy as np
import pyarrow as pa

from ..measures import ragged
from ..measures.ragged import Bools, Floats, Ints
from ..measures.rankings import Judged
from .items import UNKNOWN, check_items, codes, comparable, fingerprints, item_codes
from .layouts import floats, is_list, is_number, is_string, items, shown, sql_type
from .threads import PerThread

TABLE_BITS = 21


def judge_lists(name: str, rec: pa.Array, truth: pa.Array) -> Judged:
    """Judge every row's rec by its truth; `name` is the function that errors speak of."""
    if not is_list(rec.type):
        raise TypeError(f"{name}: rec must be a LIST of items, got {sql_type(rec.type)}")
    if not (is_list(truth.type) or pa.types.is_map(truth.type)):
        raise TypeError(f"{name}: truth must be a LIST or a MAP, got {sql_type(truth.type)}")
    valid: Bools = truth.is_valid().to_numpy(zero_copy_only=False)
    rec_items, rec_offsets = items(rec)
    truth_items, truth_offsets = items(truth)
    if pa.types.is_map(truth.type):
        keys, grades = truth_items.field(0), grade_values(name, "truth", truth_items.field(1))
        return judged(name, rec_items, rec_offsets, keys, grades, truth_offsets, valid)
    is_graded = len(truth_items) and not pa.types.is_struct(truth_items.type)
    if pa.types.is_struct(rec_items.type) and is_graded:
        return judged_pairs(name, rec_items, rec_offsets, truth_items, truth_offsets, valid)
    return judged(name, rec_items, rec_offsets, truth_items, None, truth_offsets, valid)


def grade_values(name: str, argument: str, values: pa.Array) -> Floats:
    """Grades as float64, each of them a finite number."""
    if not is_number(values.type):
        raise TypeError(f"{name}: a grade in {argument} must be a number, got {sql_type(values.type)}")
    grades = floats(values)
    wrong = ~np.isfinite(grades)
    if wrong.any():
        got = shown(values[int(np.argmax(wrong))])
        raise ValueError(f"{name}: a grade in {argument} must be a finite number, got {got}")
    return grades


def judged(
    name: str,
    rec: pa.Array,
    rec_offsets: Ints,
    truth: pa.Array,
    grades: Floats | None,
    truth_offsets: Ints,
    valid: Bools,
) -> Judged:
    """Judge items by the set (grades None) or the map of truth items."""
    n = len(valid)
    check_items(name, rec.type)
    check_items(name, truth.type)
    truth_rows = ragged.rows_of(truth_offsets)
    if truth.null_count:
        known = truth.is_valid()
        mask = known.to_numpy(zero_copy_only=False)
        truth, truth_rows = truth.filter(known), truth_rows[mask]
        grades = None if grades is None else grades[mask]
    rec_rows = ragged.rows_of(rec_offsets)
    if rec.null_count == len(rec) or not len(truth):  # lists without an item fit any type
        rec, rec_rows = truth[:0], rec_rows[:0]
    rec, truth = comparable(name, rec, truth)
    hits = candidates(rec, rec_rows, truth, truth_rows)
    hit_rows = rec_rows[hits]
    maybe = rec if len(hits) == len(rec) else rec.take(pa.array(hits))
    rec_codes, truth_codes, bound = codes(maybe, truth, n)

    # One key per (row, item), below 0 for an item that truth does not know.
    rec_keys = np.where(rec_codes == UNKNOWN, UNKNOWN, hit_rows * bound + rec_codes)
    truth_keys = truth_rows * bound + truth_codes
    if not (truth_keys[1:] > truth_keys[:-1]).all():
        order = np.argsort(truth_keys, kind="stable")
        order = order[first_of_equals(truth_keys[order])]
        truth_keys, truth_rows = truth_keys[order], truth_rows[order]
        grades = None if grades is None else grades[order]

    # `places` are indices into truth_keys, `hits` into rec.
    places = np.searchsorted(truth_keys, rec_keys)
    found = np.append(truth_keys, UNKNOWN - 1)[places] == rec_keys
    hits, hit_rows, places = hits[found], hit_rows[found], places[found]
    first = np.unique(places, return_index=True)[1]  # of an item twice in rec, the better rank
    if len(first) < len(places):
        first.sort()
        hits, hit_rows, places = hits[first], hit_rows[first], places[first]

    if grades is None:
        grades = ideal = np.ones(len(truth_keys))
    else:
        ideal = grades[np.lexsort((-grades, truth_rows))]
    return Judged(
        ranks=hits - rec_offsets[hit_rows] + 1,
        grades=grades[places],
        offsets=ragged.offsets_of(ragged.count(hit_rows, n)),
        ideal=ideal,
        ideal_offsets=ragged.offsets_of(ragged.count(truth_rows, n)),
        size=np.diff(rec_offsets),
        valid=valid,
    )


def judged_pairs(
    name: str, rec: pa.Array, rec_offsets: Ints, truth: pa.Array, truth_offsets: Ints, valid: Bools
) -> Judged:
    """Judge items that bring their grades along; truth is the list of grades.

    The best possible list holds each grade as often as truth does, or as often as rec does if that is more:
    truth built by `map_keys` has lost equal grades, and no measure may exceed its range for that.
    """
    n = len(valid)
    truth_grades = grade_values(name, "truth", truth)
    truth_rows = ragged.rows_of(truth_offsets)
    rows = ragged.rows_of(rec_offsets)
    known = rec.is_valid().to_numpy(zero_copy_only=False) & valid[rows]
    hits = np.flatnonzero(known)
    rec = rec.filter(pa.array(known))
    grades = grade_values(name, "rec", rec.field(0))
    hit_rows = rows[hits]

    keep = np.diff(truth_offsets)[hit_rows] > 0  # without truth, nothing is known
    if rec.type.num_fields > 1:
        item = (
            rec.field(1)
            if rec.type.num_fields == 2
            else pa.StructArray.from_arrays(
                [rec.field(i) for i in range(1, rec.type.num_fields)],
                [str(i) for i in range(1, rec.type.num_fields)],
            )
        )
        keys = hit_rows * (len(item) + 1) + item_codes(item)
        order = np.argsort(keys, kind="stable")
        first = np.zeros(len(keys), np.bool_)
        first[order[first_of_equals(keys[order])]] = True
        keep &= first
    hits, grades, hit_rows = hits[keep], grades[keep], hit_rows[keep]

    rows = np.concatenate((truth_rows, hit_rows))
    values = np.concatenate((truth_grades, grades))
    from_truth = np.arange(len(values)) < len(truth_grades)
    order = np.lexsort((-values, rows))
    rows, values, from_truth = rows[order], values[order], from_truth[order]
    change = np.ones(len(values), np.bool_)
    change[1:] = (rows[1:] != rows[:-1]) | (values[1:] != values[:-1])
    group = np.cumsum(change) - 1
    in_truth = np.bincount(group, weights=from_truth)
    copies = np.maximum(in_truth, np.bincount(group) - in_truth).astype(np.int64)
    ideal_rows = np.repeat(rows[change], copies)
    return Judged(
        ranks=hits - rec_offsets[hit_rows] + 1,
        grades=grades,
        offsets=ragged.offsets_of(ragged.count(hit_rows, n)),
        ideal=np.repeat(values[change], copies),
        ideal_offsets=ragged.offsets_of(ragged.count(ideal_rows, n)),
        size=np.diff(rec_offsets),
        valid=valid,
    )


def first_of_equals(ordered: Ints) -> Bools:
    """Of ordered values, the first of each run of equal ones."""
    first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return first


# A table of marks, all off between calls: to make one anew costs more than its use.
MARKS = PerThread(lambda: np.zeros(1 << TABLE_BITS, np.bool_))


def candidates(rec: pa.Array, rec_rows: Ints, truth: pa.Array, truth_rows: Ints) -> Ints:
    """The places in rec of items that their row's truth may hold: all that it does, and few others."""
    prints = None if is_string(rec.type) and len(rec) < 2 * len(truth) else fingerprints(rec)
    known = None if prints is None else fingerprints(truth)
    if prints is None or known is None:
        return np.arange(len(rec))
    table, marked = MARKS.get(), slots(known, truth_rows)
    table[marked] = True
    found = np.flatnonzero(table.take(slots(prints, rec_rows)))
    table[marked] = False
    return found


def slots(prints: Ints, rows: Ints) -> Ints:
    """The slot in that table of each pair of a fingerprint and a row: the top bits of their hash."""
    spread = rows * 0x9E3779B1
    spread += prints
    bits = spread.view(np.uint64)
    bits *= np.uint64(0x9E3779B97F4A7C15)
    bits >>= np.uint64(64 - TABLE_BITS)
    return bits.view(np.int64)
