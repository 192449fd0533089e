"""The randomization test as a function of Arrow arrays, for the macros of a comparison."""

import pyarrow as pa

from ..measures.randomization import sign_flip_p
from .layouts import flatten_lists, plain_array, to_floats


def sign_flips(*arguments: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return sign_flip_p of each list of differences, NULL of NULL.

    Called by the macros alone, which have checked the arguments: a LIST of DOUBLEs, and two integers.
    """
    differences, permutations, seeds = map(plain_array, arguments)
    values, offsets = flatten_lists(differences)
    numbers = to_floats(values)
    found = [
        sign_flip_p(numbers[start:end], count, seed) if known else None
        for start, end, count, seed, known in zip(
            offsets[:-1],
            offsets[1:],
            permutations.to_pylist(),
            seeds.to_pylist(),
            differences.is_valid().to_pylist(),
            strict=True,
        )
    ]
    return pa.array(found, pa.float64())
