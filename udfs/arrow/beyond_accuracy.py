"""Measures over more than a ranking and its truth: how different and how new the recommended items are.

Each takes Arrow arrays, one row per user, and returns one number per row; NaN stands for SQL NULL.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..measures import ragged
from ..measures.ragged import Floats, Ints
from ..measures.registry import Empty, OneOf, Range, list_measure
from .items import item_codes
from .judge import first_of_equals, judge_lists
from .layouts import floats, is_list, is_number, items, shown, sql_type

BLOCK = 1 << 22  # numbers held at a time while pairs are compared


@list_measure(
    arguments=("vectors",),
    options={"distance": OneOf("cosine", "euclidean", "jaccard")},
    range=Range(0, 2),
    ranges={"euclidean": Range(0), "jaccard": Range(0, 1)},
    empty=Empty(None, "a pair"),
    source="Ziegler et al. 2005",
)
def intra_list_diversity(vectors: pa.Array, *, distance: str) -> Floats:
    """Mean distance between two items of a list, each item given as its embedding vector.

    sum over pairs of distance(a, b), divided by n(n - 1)/2. distance=cosine is 1 - cos(a, b),
    distance=euclidean the length of a - b, distance=jaccard 1 - |a and b| / |a or b| of two lists of
    categories.

    vectors: a LIST (or ARRAY) of LISTs or ARRAYs of numbers, or with distance=jaccard of any type. A NULL
    vector is left out; NULL with fewer than two vectors. A zero vector has cosine distance 1 to everything;
    two empty sets have Jaccard distance 0. Vectors of different lengths, and NULL, NaN and infinite numbers
    in a vector, are errors. O(n) for cosine, else O(n^2).

    Source: Ziegler, McNee, Konstan and Lausen (2005), who define 1 minus it, intra-list similarity.

    >>> SELECT intra_list_diversity([[1, 0], [0, 1], [1, 0]])
    0.6666666666666666
    """
    name = "intra_list_diversity"
    if not is_list(vectors.type):
        raise TypeError(f"{name}: vectors must be a LIST of vectors, got {sql_type(vectors.type)}")
    lists, offsets = items(vectors)
    if not is_list(lists.type):
        raise TypeError(f"{name}: vectors must be a LIST of LISTs, got {sql_type(vectors.type)}")
    known = lists.is_valid()
    rows = ragged.rows_of(offsets)[known.to_numpy(zero_copy_only=False)]
    values, bounds = items(lists.filter(known))
    offsets = ragged.offsets_of(ragged.count(rows, len(vectors)))
    if distance == "jaccard":
        sums = jaccard(item_codes(values), bounds, offsets)
    else:
        matrix = components(name, values, bounds, offsets)
        sums = cosine(matrix, offsets) if distance == "cosine" else euclidean(matrix, offsets)
    size = np.diff(offsets)
    pairs = size * (size - 1) / 2
    return mean(sums, pairs)


def mean(sums: Floats, counts: NDArray[Any]) -> Floats:
    """Divide sums by counts, with NaN where the count is 0."""
    means: Floats = np.divide(sums, counts, out=np.full(len(sums), np.nan), where=counts > 0)
    return means


def components(name: str, values: pa.Array, bounds: Ints, offsets: Ints) -> Floats:
    """The vectors as the rows of a matrix, shorter lists' vectors padded with 0."""
    lengths = np.diff(bounds)
    rows = ragged.rows_of(offsets)
    differ = (rows[1:] == rows[:-1]) & (lengths[1:] != lengths[:-1])
    if differ.any():
        at = int(np.argmax(differ))
        got = f"{lengths[at]} and {lengths[at + 1]}"
        raise ValueError(f"{name}: the vectors of a list must be of one length, got {got}")
    if not is_number(values.type):
        raise TypeError(f"{name}: a vector must hold numbers, got {sql_type(values.type)}")
    numbers = floats(values)
    wrong = ~np.isfinite(numbers)
    if wrong.any():
        got = shown(values[int(np.argmax(wrong))])
        raise ValueError(f"{name}: a vector must hold finite numbers, got {got}")
    matrix = np.zeros((len(lengths), int(lengths.max(initial=0))))
    matrix[ragged.rows_of(bounds), ragged.positions(bounds)] = numbers
    return matrix


def blocks(offsets: Ints, width: int) -> Iterator[tuple[int, int]]:
    """The first and the last row, exclusive, of runs of rows that hold about BLOCK numbers each."""
    full = offsets * max(width, 1) // BLOCK
    cuts = np.flatnonzero(np.diff(full[:-1], prepend=-1))
    yield from zip(cuts, [*cuts[1:], len(offsets) - 1], strict=True)


def cosine(matrix: Floats, offsets: Ints) -> Floats:
    """Per list, the sum over its pairs of 1 - cos: of unit vectors u, (n^2 - |sum of u|^2) / 2, less what a
    vector has with itself.
    """
    length = np.sqrt(np.einsum("ij,ij->i", matrix, matrix))
    unit = np.divide(matrix, length[:, None], out=np.zeros_like(matrix), where=length[:, None] > 0)
    n = len(offsets) - 1
    size = np.diff(offsets)
    whole = np.zeros((n, matrix.shape[1]))
    some = np.flatnonzero(size)
    if len(some):
        whole[some] = np.add.reduceat(unit, offsets[some], axis=0)
    itself = ragged.total(np.einsum("ij,ij->i", unit, unit), ragged.rows_of(offsets), n)
    alike = (np.einsum("ij,ij->i", whole, whole) - itself) / 2
    sums: Floats = np.maximum(size * (size - 1) / 2 - alike, 0)
    return sums


def euclidean(matrix: Floats, offsets: Ints) -> Floats:
    """Per list, the sum over its pairs of the length of the difference."""
    n = len(offsets) - 1
    sums = np.zeros(n)
    for start, stop in blocks(offsets, matrix.shape[1]):
        first, last = offsets[start], offsets[stop]
        rows, part = ragged.rows_of(offsets[start : stop + 1] - first), matrix[first:last]
        for apart in range(1, int(np.diff(offsets[start : stop + 1]).max(initial=0))):
            same = np.flatnonzero(rows[apart:] == rows[:-apart])
            difference = part[same + apart] - part[same]
            lengths = np.sqrt(np.einsum("ij,ij->i", difference, difference))
            sums[start:stop] += ragged.total(lengths, rows[same], stop - start)
    return sums


def jaccard(codes: Ints, bounds: Ints, offsets: Ints) -> Floats:
    """Per list, the sum over its pairs of sets of 1 - |a and b| / |a or b|."""
    n = len(offsets) - 1
    rows = ragged.rows_of(offsets)  # of each set
    span = int(codes.max(initial=-1)) + 2
    # Each set's different elements, in order of list, element, set.
    sets = ragged.rows_of(bounds)
    elements = np.unique(sets * span + codes + 1)
    sets, codes = elements // span, elements % span
    sizes = ragged.count(sets, len(rows))
    order = np.lexsort((sets, codes, rows[sets]))
    sets, groups = sets[order], (rows[sets] * span + codes)[order]
    # Pairs of sets that share an element: one entry for each element that they share.
    shared = [np.zeros(0, np.int64)]
    apart = 1
    while len(same := np.flatnonzero(groups[apart:] == groups[:-apart])):
        shared.append(sets[same] * len(rows) + sets[same + apart])
        apart += 1
    pairs, both = np.unique(np.concatenate(shared), return_counts=True)
    one, other = pairs // max(len(rows), 1), pairs % max(len(rows), 1)
    alike = ragged.total(both / (sizes[one] + sizes[other] - both), rows[one], n)
    empty = ragged.count(rows[sizes == 0], n)
    size = np.diff(offsets)
    sums: Floats = size * (size - 1) / 2 - alike - empty * (empty - 1) / 2
    return sums


@list_measure(
    arguments=("rec", "popularity"),
    options={"missing": OneOf("error", "rarest")},
    range=Range(0),
    empty=Empty(None, "an item"),
    source="Zhou et al. 2010",
)
def novelty(rec: pa.Array, popularity: pa.Array, *, missing: str) -> Floats:
    """Mean self-information of the recommended items, in bits: high if few users know them.

    1/n * sum over the n different items of rec of -log2 popularity[item].

    popularity: MAP(item -> share of users or events), 0 < share <= 1. NULL items are left out; NULL where
    popularity is NULL or no item is left. An item that popularity lacks is an error, or has the smallest
    share of the map with missing=rarest. For a large catalogue do not pass a map per row: join, and take
    avg(-log2(share)).

    Source: Zhou, Kuscsik, Liu, Medo, Wakeling and Zhang (2010); Castells, Hurley and Vargas (2015).

    >>> SELECT novelty(['a', 'b'], MAP {'a': 0.5, 'b': 0.125})
    2.0
    """
    if not (pa.types.is_map(popularity.type) or pa.types.is_null(popularity.type)):
        raise TypeError(f"novelty: popularity must be a MAP(item -> share), got {sql_type(popularity.type)}")
    if pa.types.is_map(popularity.type):
        given = items(popularity)[0].field(1)
        shares = np.asarray(given.to_numpy(zero_copy_only=False), np.float64)
        wrong = ~((shares > 0) & (shares <= 1))
        if wrong.any():
            got = shown(given[int(np.argmax(wrong))])
            raise ValueError(f"novelty: a share in popularity must be above 0 and at most 1, got {got}")
    judged = judge_lists("novelty", rec, popularity)
    n = len(judged.size)
    listed, offsets = items(rec)
    known = listed.is_valid()
    rows = ragged.rows_of(offsets)[known.to_numpy(zero_copy_only=False)]
    codes = item_codes(listed.filter(known))
    keys = np.sort(rows * (len(codes) + 1) + codes)
    different = ragged.count(keys[first_of_equals(keys)] // (len(codes) + 1), n)
    lacking = np.where(judged.valid, different - np.diff(judged.offsets), 0)
    information = ragged.total(-np.log2(judged.grades), ragged.rows_of(judged.offsets), n)
    if lacking.any():
        row = int(np.argmax(lacking > 0))
        empty = np.diff(judged.ideal_offsets)[lacking > 0].min() == 0
        if missing == "error" or empty:
            got = pc.list_value_length(rec)[row]
            raise ValueError(
                f"novelty: popularity must hold every item of rec (or pass missing=rarest and a map that is "
                f"not empty), got {lacking[row]} of {got} without a share"
            )
        rarest = np.ones(n)
        np.minimum.at(rarest, ragged.rows_of(judged.ideal_offsets), judged.ideal)
        information += lacking * -np.log2(rarest)
    return mean(information, np.where(judged.valid, different, 0))
