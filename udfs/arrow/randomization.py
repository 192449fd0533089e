"""The randomization test as a function of Arrow arrays: what a comparison in SQL leaves to Python."""

import pyarrow as pa

from ..measures.randomization import sign_flip_p
from .layouts import flattened, floats, one_chunk


def sign_flips(*arguments: pa.Array | pa.ChunkedArray) -> pa.Array:
    """sign_flip_p of each list of differences; NULL of NULL.

    Called by the macros alone, which have checked the arguments: a LIST of DOUBLEs, and two integers.
    """
    differences, permutations, seeds = map(one_chunk, arguments)
    values, offsets = flattened(differences)
    numbers = floats(values)
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
