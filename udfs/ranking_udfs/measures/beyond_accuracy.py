"""Beyond-accuracy measures of one list: diversity and novelty of the recommended items."""

from typing import Any

from . import ragged
from .arrays import Floats, Ints, NDArray, np
from .rankings import Judged
from .registry import Empty, InputError, OneOf, Range, measure


@measure(
    arguments=("vectors",),
    options={"distance": OneOf("cosine", "euclidean", "jaccard")},
    range=Range(0, 2),
    ranges={"euclidean": Range(0), "jaccard": Range(0, 1)},
    empty=Empty(None, "a pair"),
)
def intra_list_diversity(elements: NDArray[Any], bounds: Ints, offsets: Ints, *, distance: str) -> Floats:
    """Mean distance between two items of a list, for items given as embedding vectors.

    sum over pairs of distance(a, b), divided by n(n - 1)/2. With distance=cosine, this is 1 - cos(a, b), with
    distance=euclidean the length of a - b, with distance=jaccard 1 - |a and b| / |a or b| for two lists of
    categories.

    vectors: a LIST (or ARRAY) of LISTs or ARRAYs of numbers, or of any type with distance=jaccard. NULL
    vectors are ignored. A zero vector has the cosine distance 1 to every vector, two empty sets the Jaccard
    distance 0. Vectors of different lengths are an error, as are NULL, NaN and infinite numbers. O(n) for
    cosine, else O(n^2).

    Source: Ziegler, McNee, Konstan and Lausen (2005), as intra-list similarity, which is 1 minus it.

    >>> SELECT intra_list_diversity([[1, 0], [0, 1], [1, 0]])
    0.6666666666666666
    """
    if distance == "jaccard":
        sums = jaccard(elements, bounds, offsets)
    else:
        sums = cosine(elements, offsets) if distance == "cosine" else euclidean(elements, offsets)
    size = np.diff(offsets)
    return ragged.ratio(sums, size * (size - 1) / 2, otherwise=np.nan)


def powers(largest: Floats) -> Ints:
    """Return powers of 2 by which to divide numbers, so that their squares neither overflow nor vanish."""
    return np.frexp(largest)[1].astype(np.int64)


def square_sums(matrix: Floats) -> Floats:
    """Sum the squares of each column in the order of the rows, independently of the rest of the batch."""
    sums = np.zeros(matrix.shape[1])
    for row in matrix:
        sums += row * row
    return sums


def cosine(matrix: Floats, offsets: Ints) -> Floats:
    """Sum 1 - cos over the pairs of each list; vectors are columns of the matrix.

    The cosines of unit vectors u sum to (|sum of u|^2 - sum of |u|^2) / 2.
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
    """Sum the length of the difference over the pairs of each list; vectors are columns of the matrix."""
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
    """Sum 1 - |a and b| / |a or b| over the pairs of sets of each list.

    Args:
        codes: the elements of all sets, as equal numbers for equal elements
        bounds: where each set begins in codes, (sets + 1,)
        offsets: where each list begins in sets, (lists + 1,)
    """
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
    # Pairs of sets with a common element: one entry for each common element.
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


@measure(
    arguments=("rec", "popularity"),
    options={"missing": OneOf("error", "rarest")},
    range=Range(0),
    empty=Empty(None, "an item"),
)
def novelty(shares: Judged, different: Ints, *, missing: str) -> Floats:
    """Mean self-information of the recommended items, in bits: high if few users know them.

    1/n * sum over the n different items of rec of -log2 popularity[item].

    popularity: MAP(item -> share of users or events), 0 < share <= 1. NULL items are ignored. The result is
    NULL if popularity is NULL or no item is left. An item without a share is an error, or with missing=rarest
    has the smallest share of the map. For tables, use ranking.beyond_accuracy.

    Source: Zhou, Kuscsik, Liu, Medo, Wakeling and Zhang (2010); Castells, Hurley and Vargas (2015).

    >>> SELECT novelty(['a', 'b'], MAP {'a': 0.5, 'b': 0.125})
    2.0
    """
    lacking = np.where(shares.valid, different - np.diff(shares.offsets), 0)
    n = len(lacking)
    information = ragged.total(-np.log2(shares.grades), ragged.rows_of(shares.offsets), n)
    if lacking.any():
        row = int(np.argmax(lacking > 0))
        empty = np.diff(shares.ideal_offsets)[lacking > 0].min() == 0
        if missing == "error" or empty:
            rule = "every item of rec (or pass missing=rarest and a map that is not empty)"
            got = f"{lacking[row]} of {shares.size[row]} without a share"
            raise InputError(f"popularity must hold {rule}, got {got}")
        rarest = np.ones(n)
        np.minimum.at(rarest, ragged.rows_of(shares.ideal_offsets), shares.ideal)
        information += lacking * -np.log2(rarest)
    return ragged.ratio(information, np.where(shares.valid, different, 0), otherwise=np.nan)
