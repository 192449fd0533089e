"""Convert the Arrow arguments of the list measures to the inputs of their formulas."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..measures import ragged
from ..measures.arrays import Ints
from ..measures.rankings import Judged
from .arguments import check_numbers
from .items import Items, check_items
from .judge import judge_lists
from .layouts import flatten_lists, valid_rows
from .types import is_list, item_type, type_name


def vectors_of(name: str, vectors: pa.Array, *, distance: str) -> tuple[NDArray[Any], Ints, Ints]:
    """Return the elements of the vectors, their offsets by vector, and the offsets of vectors by list.

    Elements are codes for distance=jaccard, otherwise the columns of a matrix.
    """
    if not is_list(vectors.type):
        raise TypeError(f"{name}: vectors must be a LIST of vectors, got {type_name(vectors.type)}")
    lists, offsets = flatten_lists(vectors)
    if not is_list(lists.type):
        raise TypeError(f"{name}: vectors must be a LIST of LISTs, got {type_name(vectors.type)}")
    if distance == "jaccard":
        check_items(name, [item_type(lists.type)])
    known = valid_rows(lists)
    rows = ragged.rows_of(offsets)[known]
    values, bounds = flatten_lists(lists.filter(pa.array(known)))
    offsets = ragged.offsets_of(ragged.count(rows, len(vectors)))
    if distance == "jaccard":
        return Items.of(name, values).codes, bounds, offsets
    lengths = np.diff(bounds)
    differ = (rows[1:] == rows[:-1]) & (lengths[1:] != lengths[:-1])
    if differ.any():
        length, next_length = lengths[int(np.argmax(differ)) :][:2]
        raise ValueError(
            f"{name}: the vectors of a list must have the same length, got {length} and {next_length}"
        )
    numbers = check_numbers(f"{name}: an element of a vector", values, "a finite number", np.isfinite)
    matrix = np.zeros((int(lengths.max(initial=0)), len(lengths)))  # shorter vectors end in zeros
    matrix[ragged.positions(bounds), ragged.rows_of(bounds)] = numbers
    return matrix, bounds, offsets


def shares_of(name: str, rec: pa.Array, popularity: pa.Array, *, missing: str) -> tuple[Judged, Ints]:
    """Return the popularity shares of rec's items, as grades, and the number of distinct items per rec."""
    if pa.types.is_map(popularity.type):
        shares, rule = flatten_lists(popularity)[0].field(1), "above 0 and at most 1"
        check_numbers(
            f"{name}: a share in popularity", shares, rule, lambda share: (share > 0) & (share <= 1)
        )
    elif not pa.types.is_null(popularity.type):
        raise TypeError(f"{name}: popularity must be a MAP(item -> share), got {type_name(popularity.type)}")
    shares = judge_lists(name, rec, popularity, known_as="popularity")
    listed, offsets = flatten_lists(rec)
    known = valid_rows(listed)
    rows = ragged.rows_of(offsets)[known]
    return shares, ragged.count_distinct(Items.of(name, listed.filter(pa.array(known))).codes, rows, len(rec))


ARGUMENTS: dict[str, Callable[..., tuple[Any, ...]]] = {
    "intra_list_diversity": vectors_of,
    "novelty": shares_of,
}
