"""Fisher's randomization test (NumPy alone): the share of random signs with a sum as far from 0 as theirs."""

import math
import threading

import numpy as np

from .ragged import Floats

EXACT = 20  # differences: all their signs are tried out, a million
AT_ONCE = 1 << 14  # random choices of signs that are summed together
GROUPS = 512  # of eight differences, whose tables of sums fit into a cache
STOP = threading.Event()  # set where Ctrl-C shall end a test, which DuckDB cannot while it runs
EQUAL = 1e-12  # sums as close as this share of all sizes are equal: rounding parts them by less


def sign_flip_p(differences: Floats, permutations: int, seed: int) -> float:
    """Return the two-sided p of paired differences, each of which could as well have had the other sign.

    Of up to 20 differences that are not 0, the share of all choices of signs whose sum is as far from 0 as
    the observed one, or further. Of more, (b + 1) / (permutations + 1), b of so many random choices being so.

    The same for the same seed, whatever the order of the differences and the version of NumPy: signs are raw
    bits of PCG64, and sums are made one term after another.

    Source: Fisher (1935); Phipson and Smyth (2010) for the 1 that is added.
    """
    values = np.sort(differences[differences != 0])
    observed = abs(math.fsum(values)) - EQUAL * math.fsum(np.abs(values))
    if len(values) <= EXACT:
        return float(np.count_nonzero(np.abs(signed_sums(values[None])) >= observed) / 2 ** len(values))
    generator = np.random.PCG64(seed)
    reached = 0
    for start in range(0, permutations, AT_ONCE):
        sums = random_sums(values, min(AT_ONCE, permutations - start), generator)
        reached += int(np.count_nonzero(np.abs(sums) >= observed))
    return (reached + 1) / (permutations + 1)


def random_sums(values: Floats, count: int, generator: np.random.PCG64) -> Floats:
    """Sum the values with random signs, `count` times.

    Eight signs are a byte, which is the place of their sum in a table of 256.
    """
    sums, part = np.zeros(count), np.empty(count)
    groups = np.concatenate((values, np.zeros(-len(values) % 64))).reshape(-1, 8)
    for at in range(0, len(groups), GROUPS):
        if STOP.is_set():
            raise KeyboardInterrupt
        tables = signed_sums(groups[at : at + GROUPS])
        for eight in range(0, len(tables), 8):
            signs = generator.random_raw(count).astype("<u8", copy=False).view(np.uint8).reshape(-1, 8)
            for table, byte in zip(tables[eight : eight + 8], signs.T, strict=True):
                sums += table.take(byte, out=part, mode="clip")  # "raise" would copy `part`
    return sums


def signed_sums(groups: Floats) -> Floats:
    """Sum each row of values with all choices of signs."""
    sums = np.zeros((len(groups), 1))
    for value in groups.T[:, :, None]:
        sums = np.concatenate((sums + value, sums - value), axis=1)
    return sums
