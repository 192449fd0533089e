"""The function that the measures' macros call, with rec, truth and k, or with a judged ranking and k."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..measures.arrays import Floats, Ints
from ..measures.grammar import check_companion
from ..measures.rankings import WHOLE, Judged
from ..measures.registry import MEASURES, InputError, Measure, Number
from ..texts import shorten
from .batches import batch_of
from .judge import has_grades
from .judged import JUDGED_TYPE
from .layouts import copy_to_arrow_memory, plain_array

NULL = '"NULL"'
OPTION = "gain := 'linear'"  # the example of an option in errors
FIELDS = {field.name for field in JUDGED_TYPE}
INTEGER = r'"NULL"|U?((TINY|SMALL|BIG|HUGE)INT|INTEGER)'  # types of k


def measure(*arguments: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return a STRUCT per row: the value of the measure, and an error text for the macro to raise.

    Args:
        arguments: columns with the measure's name, as called; rec and truth, or a judged ranking and k; type
            and text of the third argument, k; type and text of the second argument, if it is not a list; and
            a STRUCT of options, if the measure has any. Names and types are the same in all rows.
    """
    called, rec, truth, kind, k, second_kind, second, *options = map(plain_array, arguments)
    results, problem = np.full(len(called), np.nan), None
    try:
        name, ranked = called[0].as_py() if len(called) else "", [rec, truth]
        if name and is_judged(rec, second_kind[0].as_py()):
            ranked = [rec]
            if second_kind[0].as_py() != NULL:
                if kind[0].as_py() != NULL:
                    rule = f"takes (judged, k) or (rec, truth, k), and options by name ({OPTION})"
                    raise TypeError(f"{name}: {rule}, got (judged, {second_kind[0]}, {kind[0]})")
                kind, k = second_kind, truth if pa.types.is_nested(truth.type) else second
        for chosen, rows in groups(options[0]) if options else [({}, None)] * bool(name):
            if rows is None:
                results = values(name, chosen, ranked, kind, k)
            else:
                *taken, kinds, ks = (array.take(pa.array(rows)) for array in (*ranked, kind, k))
                results[rows] = values(name, chosen, taken, kinds, ks)
    except (ValueError, TypeError) as error:
        problem = str(error)
    texts = pa.array([problem] * len(called), pa.string())
    structs = pa.StructArray.from_arrays(
        [pa.array(results, mask=np.isnan(results)), texts], ["value", "problem"]
    )
    return copy_to_arrow_memory(structs)


def is_judged(first: pa.Array, second_kind: str) -> bool:
    """Return whether the first argument is a judged ranking, or NULL before a k, and not a list."""
    if pa.types.is_null(first.type):
        return re.fullmatch(INTEGER, second_kind) is not None
    return pa.types.is_struct(first.type) and {field.name for field in first.type} == FIELDS


def values(
    name: str, options: Mapping[str, Any], ranked: list[pa.Array], kind: pa.Array, k: pa.Array
) -> Floats:
    """Compute the measure with the same options for all rows; NaN means NULL."""
    measure = MEASURES[name.rpartition(".")[2]]
    batch, chosen = batch_of(name, ranked), choose(measure, name, options)
    rankings = batch.rankings(cut_offs(name, kind[0].as_py(), k, batch.judged))
    if (lowest := chosen.pop("min_grade", None)) is not None:
        check_grades(name, lowest, ranked)
        rankings = rankings.from_grade(lowest)
    try:
        results: Floats = measure.compute(rankings, **chosen)
    except InputError as error:
        message = re.sub(r"\((\w+)=(\w+) ", r"(\1 := '\2' ", str(error))  # options in the macro's syntax
        raise ValueError(f"{name}: {message}") from None
    if measure.empty.both is not None:  # 0 if truth is empty; Hivemall may have 1
        results = np.where(np.diff(batch.judged.ideal_offsets) == 0, 0, results)
    return np.where(batch.judged.valid, results, np.nan)  # NaN if truth is NULL


def check_grades(name: str, lowest: float, ranked: Sequence[pa.Array]) -> None:
    """Raise ValueError for a lowest grade above 1 if truth has no grades, since each item has grade 1."""
    if len(ranked) == 2 and lowest > 1 and not has_grades(*ranked):
        rule = "min_grade must be 1 or less where truth is a LIST of items, without grades"
        raise ValueError(f"{name}: {rule}, got {lowest:g}: give it as a MAP from item to grade")


def cut_offs(name: str, kind: str, texts: pa.Array, judged: Judged) -> Ints:
    """Parse the k of every row from integers as strings; NULL becomes the length of the list."""
    if not re.fullmatch(INTEGER, kind):
        raise TypeError(f"{name}: k must be an integer, got {kind} {shorten(str(texts[0].as_py()))}")
    encoded = texts.dictionary_encode()
    distinct = encoded.dictionary.to_pylist()
    numbers = list(map(int, distinct))
    for text in (text for text, number in zip(distinct, numbers, strict=True) if number < 0):
        raise ValueError(f"{name}: k must be 0 or more, got {text}")
    indices = encoded.indices.fill_null(len(numbers)).to_numpy(zero_copy_only=False)
    k = np.array([*(min(number, WHOLE) for number in numbers), -1])[indices]
    k = np.where(k < 0, judged.size, k)
    beyond = judged.valid & (k > judged.cutoff)
    if beyond.any():
        row = int(np.argmax(beyond))
        rule = f"at most {judged.cutoff[row]}, the rank at which the judged ranking was cut"
        raise ValueError(f"{name}: k must be {rule}, got {texts[row]}")
    return k


def groups(options: pa.StructArray) -> list[tuple[dict[str, Any], Ints | None]]:
    """Return the distinct options with their rows; None for all rows."""
    if not len(options):
        return []
    if all(map(is_constant, options.flatten())):
        return [(options[0].as_py(), None)]
    rows = defaultdict(list)
    for row, chosen in enumerate(options.to_pylist()):
        rows[repr(chosen)].append(row)
    return [(options[group[0]].as_py(), np.array(group)) for group in rows.values()]


def is_constant(column: pa.Array) -> bool:
    try:
        return len(pc.unique(column)) == 1
    except pa.ArrowNotImplementedError:  # a type that no option has
        return False


def choose(measure: Measure, name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return all options for the measure's function, from values in Python."""
    chosen = measure.defaults(of_judged=True)
    passed = {
        option: value
        for option, value in options.items()
        if value is not None or not may_lack(measure, option)
    }
    for option, value in passed.items():
        rule = measure.options[option]
        if (parsed := rule.parse(str(value))) is None:
            raise ValueError(f"{name}: {option} must be {rule}, got {shorten(shown(value))}")
        chosen[option] = parsed
    for option in passed:
        check_companion(f"{name}: {option}", measure.options[option], chosen)
    return chosen


def shown(value: Any) -> str:
    """Format a value for an error in SQL, with quotes around a string."""
    if value is None or isinstance(value, bool):
        return "NULL" if value is None else str(value).lower()
    return f"'{value}'" if isinstance(value, str) else str(value)


def may_lack(measure: Measure, option: str) -> bool:
    """Return true for an option that may be NULL: it depends on another option, or has no default."""
    rule = measure.options[option]
    return isinstance(rule, Number) and (rule.default is None or rule.only_with is not None)
