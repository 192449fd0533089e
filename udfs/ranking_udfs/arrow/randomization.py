"""The randomization test as a function of Arrow arrays, for the macros of a comparison."""

import time
from typing import Any

import pyarrow as pa

from ..measures.randomization import Flips, flip_signs
from .layouts import flatten_lists, plain_array, to_floats

SECONDS = 0.4  # of a call: DuckDB hears an interrupt only after it
FLIPS = pa.struct(
    {"p": pa.float64()}
    | dict.fromkeys(("tried", "reached", "summed"), pa.int64())
    | {"sums": pa.list_(pa.float64())}
)


def sign_flips(*arguments: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Go on with the test of each list of differences, to p or as far as there is time.

    Called by the macros alone, which have checked the arguments: a LIST of DOUBLEs, two integers, and what
    this function returned before, or NULL.
    """
    until = time.monotonic() + SECONDS
    differences, *rest = map(plain_array, arguments)
    values, offsets = flatten_lists(differences)
    numbers = to_floats(values)
    found: list[dict[str, Any]] = []
    for start, end, permutations, seed, fields in zip(
        offsets[:-1], offsets[1:], *(column.to_pylist() for column in rest), strict=True
    ):
        flips = Flips(**fields) if fields else Flips()
        if not found or time.monotonic() < until:
            flips = flip_signs(numbers[start:end], permutations, seed, flips, until)
        found.append(flips._asdict())
    return pa.array(found, FLIPS)
