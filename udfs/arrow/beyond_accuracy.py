"""Measures over more than a ranking and its truth: how different and how new the recommended items are.

Each takes Arrow arrays, one row per user, and returns one number per row; NaN stands for SQL NULL.
"""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..measures import ragged
from ..measures.ragged import Floats, Ints
from ..measures.registry import Empty, OneOf, Range, list_measure
from .items import Items
from .judge import judge_lists
from .layouts import flattened, floats
from .types import is_list, is_number, shown, type_name


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
        raise TypeError(f"{name}: vectors must be a LIST of vectors, got {type_name(vectors.type)}")
    lists, offsets = flattened(vectors)
    if not is_list(lists.type):
        raise TypeError(f"{name}: vectors must be a LIST of LISTs, got {type_name(vectors.type)}")
    known = lists.is_valid()
    rows = ragged.rows_of(offsets)[known.to_numpy(zero_copy_only=False)]
    values, bounds = flattened(lists.filter(known))
    offsets = ragged.offsets_of(ragged.count(rows, len(vectors)))
    if distance == "jaccard":
        sums = jaccard(Items.of(name, values).codes, bounds, offsets)
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
    """The vectors as the columns of a matrix, shorter lists' vectors padded with 0."""
    lengths = np.diff(bounds)
    rows = ragged.rows_of(offsets)
    differ = (rows[1:] == rows[:-1]) & (lengths[1:] != lengths[:-1])
    if differ.any():
        at = int(np.argmax(differ))
        got = f"{lengths[at]} and {lengths[at + 1]}"
        raise ValueError(f"{name}: the vectors of a list must be of one length, got {got}")
    if not is_number(values.type):
        raise TypeError(f"{name}: a vector must hold numbers, got {type_name(values.type)}")
    numbers = floats(values)
    wrong = ~np.isfinite(numbers)
    if wrong.any():
        got = shown(values[int(np.argmax(wrong))])
        raise ValueError(f"{name}: a vector must hold finite numbers, got {got}")
    matrix = np.zeros((int(lengths.max(initial=0)), len(lengths)))
    matrix[ragged.positions(bounds), ragged.rows_of(bounds)] = numbers
    return matrix


def powers(largest: Floats) -> Ints:
    """The powers of 2 by which to divide numbers so that their squares neither overflow nor vanish."""
    exponents: Ints = np.frexp(largest)[1].astype(np.int64)
    return exponents


def square_sums(matrix: Floats) -> Floats:
    """The sum of the squares of each column, in the order of the rows: whatever else is in the batch."""
    sums = np.zeros(matrix.shape[1])
    for row in matrix:
        sums += row * row
    return sums


def cosine(matrix: Floats, offsets: Ints) -> Floats:
    """Per list, the sum over its pairs of 1 - cos: of unit vectors u, (n^2 - |sum of u|^2) / 2, less what a
    vector has with itself.
    """
    n, rows = len(offsets) - 1, ragged.rows_of(offsets)
    scaled = np.ldexp(matrix, -powers(np.abs(matrix).max(axis=0, initial=0)))
    length = np.sqrt(square_sums(scaled))
    unit = np.divide(scaled, length, out=np.zeros_like(scaled), where=length > 0)
    size = np.diff(offsets)
    whole = np.array([ragged.total(row, rows, n) for row in unit]).reshape(len(unit), n)
    itself = ragged.total(square_sums(unit), rows, n)
    alike = (square_sums(whole) - itself) / 2
    sums: Floats = np.maximum(size * (size - 1) / 2 - alike, 0)
    return sums


def euclidean(matrix: Floats, offsets: Ints) -> Floats:
    """Per list, the sum over its pairs of the length of the difference."""
    n, rows = len(offsets) - 1, ragged.rows_of(offsets)
    power = powers(ragged.maximum(np.abs(matrix).max(axis=0, initial=0), rows, n))
    scaled = np.ldexp(matrix, -power[rows])
    sums = np.zeros(n)
    for apart in range(1, int(np.diff(offsets).max(initial=0))):
        same = np.flatnonzero(rows[apart:] == rows[:-apart])
        squares = np.zeros(len(same))
        for row in scaled:
            difference = row[same + apart] - row[same]
            squares += difference * difference
        sums += ragged.total(np.sqrt(squares), rows[same], n)
    return np.ldexp(sums, power)


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
        raise TypeError(f"novelty: popularity must be a MAP(item -> share), got {type_name(popularity.type)}")
    if pa.types.is_map(popularity.type):
        given = flattened(popularity)[0].field(1)
        if not is_number(given.type):
            got = type_name(given.type)
            raise TypeError(f"novelty: a share in popularity must be a number, got {got}")
        shares = floats(given)
        wrong = ~((shares > 0) & (shares <= 1))
        if wrong.any():
            got = shown(given[int(np.argmax(wrong))])
            raise ValueError(f"novelty: a share in popularity must be above 0 and at most 1, got {got}")
    judged = judge_lists("novelty", rec, popularity, known_as="popularity")
    n = len(judged.size)
    listed, offsets = flattened(rec)
    known = listed.is_valid()
    rows = ragged.rows_of(offsets)[known.to_numpy(zero_copy_only=False)]
    codes = Items.of("novelty", listed.filter(known)).codes
    keys = np.sort(rows * (len(codes) + 1) + codes)
    different = ragged.count(keys[ragged.run_starts(keys)] // (len(codes) + 1), n)
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
