"""Arithmetic on ragged arrays: many rows of differing length, laid end to end.

A ragged array is a flat array of values and `offsets` of length n + 1: row i is
`values[offsets[i]:offsets[i + 1]]`. Every function works on all rows at once. The result of a row depends on
that row alone, bit for bit: sums run in the row's own order, never over a running total of the batch. A
user's value is therefore the same in every batch.
"""

from typing import Any

from .arrays import Bools, Floats, Ints, NDArray, np


def offsets_of(lengths: NDArray[Any]) -> Ints:
    """Return the offsets of rows with these lengths."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def rows_of(offsets: Ints) -> Ints:
    """Return the row number of every value."""
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def positions(offsets: Ints) -> Ints:
    """Return the position of every value within its row, from 0."""
    return np.arange(offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets))


def ratio(part: NDArray[Any], whole: NDArray[Any], otherwise: float = 0.0) -> Floats:
    """Divide part by whole; the result is `otherwise` if whole is 0."""
    quotient: Floats = np.divide(part, whole, out=np.full(len(part), otherwise), where=whole > 0)
    return quotient


def count(rows: Ints, n: int) -> Ints:
    """Count the values of each of the n rows."""
    return np.bincount(rows, minlength=n)


def total(values: NDArray[Any], rows: Ints, n: int) -> Floats:
    """Sum each row's values in their order; 0 for an empty row."""
    return np.bincount(rows, weights=values, minlength=n).astype(np.float64, copy=False)


def maximum(values: Floats, rows: Ints, n: int) -> Floats:
    """Return the maximum of each row, without negative values; 0 for an empty row."""
    largest = np.zeros(n)
    np.maximum.at(largest, rows, values)
    return largest


def run_starts(*columns: NDArray[Any]) -> Bools:
    """Flag the first row of each run of equal rows, in sorted columns."""
    starts = np.ones(len(columns[0]), np.bool_)
    starts[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return starts


def count_before(flags: Bools, offsets: Ints) -> Ints:
    """Count the set flags before each value, within its row."""
    running = offsets_of(flags)
    return running[:-1] - np.repeat(running[offsets[:-1]], np.diff(offsets))


def product_before(values: Floats, offsets: Ints) -> Floats:
    """Multiply the values before each value, within its row; 1 for the first.

    Each step covers twice as many values, so there are log2(longest row) steps.
    """
    position = positions(offsets)
    product = np.ones(len(values))
    product[1:] = np.where(position[1:] > 0, values[:-1], 1.0)
    step, longest = 1, int(position.max(initial=0))
    while step <= longest:
        reach = np.flatnonzero(position >= step)
        product[reach] *= product[reach - step]
        step *= 2
    return product


def average_ranks(values: Floats, rows: Ints, n: int) -> Floats:
    """Rank values within their rows, ascending from 1; equal values have the mean of their ranks."""
    order = np.lexsort((values, rows))
    ordered, ordered_rows = values[order], rows[order]
    starts = np.flatnonzero(run_starts(ordered, ordered_rows))
    ties = np.append(starts, len(values))
    first = ties[:-1] - offsets_of(count(rows, n))[ordered_rows[ties[:-1]]]
    ranks = np.empty(len(values))
    ranks[order] = np.repeat(first + (np.diff(ties) + 1) / 2, np.diff(ties))
    return ranks


def count_distinct(values: NDArray[Any], rows: Ints, n: int) -> Ints:
    """Count the different values of each row."""
    order = np.lexsort((values, rows))
    values, rows = values[order], rows[order]
    return count(rows[run_starts(values, rows)], n)


def ordered_pairs(values: Floats, offsets: Ints) -> tuple[Floats, Floats]:
    """Count each row's pairs of values with the earlier value larger, and with the earlier value smaller.

    The time is O(n log n). Values become dense codes, which are compared bit by bit from the top. A pair is
    counted at the first differing bit, by counting the other bit before each value.
    """
    n = len(offsets) - 1
    rows = rows_of(offsets)
    codes = np.unique(values, return_inverse=True)[1].reshape(-1)
    falling, rising = np.zeros(n), np.zeros(n)
    group = rows.copy()
    for bit in reversed(range(int(codes.max(initial=0)).bit_length())):
        ones = (codes >> bit & 1).astype(np.bool_)
        groups = np.append(np.flatnonzero(np.diff(group, prepend=-1)), len(group))
        ones_before = count_before(ones, groups)
        zeros_before = positions(groups) - ones_before
        falling += total(np.where(ones, 0, ones_before), rows, n)
        rising += total(np.where(ones, zeros_before, 0), rows, n)
        group = 2 * np.repeat(np.arange(len(groups) - 1), np.diff(groups)) + ones
        order = np.argsort(group, kind="stable")
        codes, rows, group = codes[order], rows[order], group[order]
    return falling, rising
