"""Fisher's randomization test: the share of random sign choices with a sum at least as far from 0.

`sign_flips` is the function of Arrow arrays that the macros of a comparison call.
"""

import math
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ..measures.arrays import Floats
from .layouts import flatten_lists, plain_array, to_floats

EXACT = 20  # number of differences up to which all signs are tried, a million choices
AT_ONCE = 1 << 14  # number of random sign choices that are summed together
GROUPS = 512  # groups of eight differences: their tables of sums fit into a cache
EQUAL = 1e-12  # relative tolerance of equal sums, above rounding errors
SECONDS = 0.4  # time limit of a call: DuckDB handles an interrupt only after the call
FLIPS = pa.struct(
    {"p": pa.float64()}
    | dict.fromkeys(("tried", "reached", "summed"), pa.int64())
    | {"sums": pa.list_(pa.float64())}
)


class Flips(NamedTuple):
    """The state of a randomization test: its p-value, or the data to continue with."""

    p: float | None = None
    tried: int = 0  # number of random sign choices so far
    reached: int = 0  # number of those with a sum at least as far from 0 as the observed sum
    summed: int = 0  # number of differences in the sums of the next choices
    sums: Sequence[float] | Floats = ()


def flip_signs(
    differences: Floats, permutations: int, seed: int, flips: Flips | None = None, until: float = math.inf
) -> Flips:
    """Return the two-sided p-value of paired differences, if each sign is equally likely.

    For up to 20 non-zero differences, p is the share of all sign choices with a sum at least as far from 0 as
    the observed sum. For more, p is (b + 1) / (permutations + 1), with b the number of such random choices.

    The result depends only on the seed and the differences, not on their order or the version of NumPy: signs
    are raw bits of PCG64, and terms are added one after another. A test in parts has the same result: once
    time.monotonic() is past `until`, this function returns the state to continue with.

    Source: Fisher (1935); Phipson and Smyth (2010) for the added 1.
    """
    values = np.sort(differences[differences != 0])
    if len(values) <= EXACT:
        return Flips(as_far(signed_sums(values[None]), values) / 2 ** len(values))
    _, tried, reached, summed, sums_so_far = flips or Flips()
    sums = np.array(sums_so_far)
    generator = np.random.PCG64(seed)
    generator.advance(-(-len(values) // 64) * tried + summed // 64 * min(AT_ONCE, permutations - tried))
    while tried < permutations:
        count = min(AT_ONCE, permutations - tried)
        sums = sums if summed else np.zeros(count)
        add_random(sums, values[summed : summed + 8 * GROUPS], generator)
        summed += 8 * GROUPS
        if summed >= len(values):
            tried, reached, summed = tried + count, reached + as_far(sums, values), 0
        if tried < permutations and time.monotonic() > until:
            return Flips(None, tried, reached, summed, sums if summed else ())
    return Flips((reached + 1) / (permutations + 1))


def as_far(sums: Floats, values: Floats) -> int:
    """Count the sums that are at least as far from 0 as the sum of the values."""
    observed = abs(math.fsum(values)) - EQUAL * math.fsum(np.abs(values))
    return int(np.count_nonzero(np.abs(sums) >= observed))


def add_random(sums: Floats, values: Floats, generator: np.random.PCG64) -> None:
    """Add the values to each sum with random signs.

    A byte holds eight signs. It is the index of their sum in a table of 256.
    """
    part = np.empty(len(sums))
    tables = signed_sums(np.concatenate((values, np.zeros(-len(values) % 64))).reshape(-1, 8))
    for eight in range(0, len(tables), 8):
        signs = generator.random_raw(len(sums)).astype("<u8", copy=False).view(np.uint8).reshape(-1, 8)
        for table, byte in zip(tables[eight : eight + 8], signs.T, strict=True):
            sums += table.take(byte, out=part, mode="clip")  # mode="raise" would copy `part`


def signed_sums(groups: Floats) -> Floats:
    """Sum each row of values with all sign choices."""
    sums = np.zeros((len(groups), 1))
    for value in groups.T[:, :, None]:
        sums = np.concatenate((sums + value, sums - value), axis=1)
    return sums


def sign_flips(*arguments: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Continue the test of each list of differences, until p is known or the time limit is reached.

    Only macros call this function, with checked arguments: a LIST of DOUBLEs, two integers, and the previous
    result of this function or NULL.
    """
    until = time.monotonic() + SECONDS
    differences, *rest = map(plain_array, arguments)
    values, offsets = flatten_lists(differences)
    numbers = to_floats(values)
    states: list[dict[str, Any]] = []
    for start, end, permutations, seed, fields in zip(
        offsets[:-1], offsets[1:], *(column.to_pylist() for column in rest), strict=True
    ):
        flips = Flips(**fields) if fields else Flips()
        if not states or time.monotonic() < until:
            flips = flip_signs(numbers[start:end], permutations, seed, flips, until)
        states.append(flips._asdict())
    return pa.array(states, FLIPS)
