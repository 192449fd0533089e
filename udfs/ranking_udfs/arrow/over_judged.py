"""The function that the measures' macros call, with rec, truth and k, or with a judged ranking and k."""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from ..measures.arrays import Floats
from ..measures.grammar import check_companion
from ..measures.registry import MEASURES, InputError, Measure, Number
from ..texts import shorten
from .arguments import compute_groups, cut_offs, groups
from .batches import batch_of
from .hugeint import WIDE
from .judged import is_judged
from .layouts import copy_to_arrow_memory, plain_array

NULL = '"NULL"'
OPTION = "gain := 'linear'"  # the example of an option in errors
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
        is_null = name and pa.types.is_null(rec.type) and re.fullmatch(INTEGER, second_kind[0].as_py())
        if is_null or (name and is_judged(rec.type)):  # NULL before a k stands for a judged ranking
            ranked = [rec]
            if second_kind[0].as_py() != NULL:
                if kind[0].as_py() != NULL:
                    rule = f"takes (judged, k) or (rec, truth, k), and options by name ({OPTION})"
                    raise TypeError(f"{name}: {rule}, got (judged, {second_kind[0]}, {kind[0]})")
                kind, k = second_kind, truth if pa.types.is_nested(truth.type) else second
        chosen = groups(options[0]) if options else [({}, None)] * bool(name)
        results = compute_groups(chosen, [kind, k, *ranked], partial(values, name))
    except (ValueError, TypeError) as error:
        problem = str(error)
    texts = pa.array([problem] * len(called), pa.string())
    structs = pa.StructArray.from_arrays(
        [pa.array(results, mask=np.isnan(results)), texts], ["value", "problem"]
    )
    return copy_to_arrow_memory(structs)


def values(name: str, options: Mapping[str, Any], arrays: Sequence[pa.Array]) -> Floats:
    """Compute the measure with the same options for all rows; NaN means NULL."""
    measure, (kind, texts, *ranked) = MEASURES[name.rpartition(".")[2]], arrays
    batch, chosen = batch_of(name, ranked), choose(measure, name, options)
    if not re.fullmatch(INTEGER, kind[0].as_py()):
        raise TypeError(f"{name}: k must be an integer, got {kind[0]} {shorten(str(texts[0].as_py()))}")
    distinct = texts.dictionary_encode()
    k = cut_offs(name, distinct.dictionary.cast(WIDE).take(distinct.indices), batch.judged)
    try:
        results = batch.values(name, measure, k, chosen)
    except InputError as error:
        message = re.sub(r"\((\w+)=(\w+) ", r"(\1 := '\2' ", str(error))  # options in the macro's syntax
        raise ValueError(f"{name}: {message}") from None
    if measure.empty.both is not None:  # 0 if truth is empty; Hivemall may have 1
        is_empty = batch.judged.valid & (np.diff(batch.judged.ideal_offsets) == 0)
        results = np.where(is_empty, 0, results)
    return results


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
