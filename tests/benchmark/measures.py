"""What each measure costs: microseconds per 1,000 lists of 100 ranked items and 20 truth items.

plain   m(rec, truth), judging included      judged   m(judgement), as after judge(rec, truth)
graded  as judged, with grades from 0 to 4 in place of relevant or not
"""

import argparse
import math
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import cycle
from typing import Any

import numpy as np
import pyarrow as pa

from ranking_udfs.arrow.functions import FUNCTIONS
from ranking_udfs.measures.registry import LIST_MEASURES, MEASURES

from .report import heading, table

CATALOGUE = 400


def lists(rng: np.random.Generator, rows: int, length: int) -> pa.Array:
    """Lists of different items."""
    drawn = rng.random((rows, CATALOGUE)).argpartition(length, axis=1)[:, :length]
    return pa.ListArray.from_arrays(np.arange(rows + 1, dtype=np.int32) * length, pa.array(drawn.ravel()))


def mapped(keys: pa.Array, values: Any) -> pa.Array:
    return pa.MapArray.from_arrays(keys.offsets, keys.values, pa.array(values))


def batches(rows: int, ranked: int, relevant: int, seed: int) -> dict[str, list[pa.Array]]:
    """The arguments of each form."""
    rng = np.random.default_rng(seed)
    rec, truth = lists(rng, rows, ranked), lists(rng, rows, relevant)
    graded = mapped(truth, rng.integers(0, 5, rows * relevant).astype(float))
    judge = FUNCTIONS["judge"].call
    vectors = pa.FixedSizeListArray.from_arrays(rng.random(rows * ranked * 8), 8)
    starts = np.arange(rows + 1, dtype=np.int32) * CATALOGUE
    catalogue = pa.ListArray.from_arrays(starts, np.tile(np.arange(CATALOGUE), rows))
    return {
        "plain": [rec, truth],
        "judged": [judge(rec, truth)],
        "graded": [judge(rec, graded)],
        "vectors": [pa.ListArray.from_arrays(rec.offsets, vectors)],
        "rec, popularity": [rec, mapped(catalogue, np.full(rows * CATALOGUE, 0.5))],
    }


def costs(
    calls: Mapping[tuple[str, str], Callable[..., pa.Array]],
    arguments: Sequence[Mapping[str, list[pa.Array]]],
    repeat: int,
) -> dict[tuple[str, str], float]:
    """Seconds of each call on arguments of its form: the least of several, taken in turns.

    Never twice in turn on the same batch, since functions remember the last one.
    """
    least = dict.fromkeys(calls, math.inf)
    batch = cycle(arguments)
    for _ in range(repeat):
        for (name, form), call in calls.items():
            given = next(batch)[form]
            started = time.perf_counter()
            call(*given)
            least[name, form] = min(least[name, form], time.perf_counter() - started)
    return least


def main(arguments: Sequence[str]) -> int:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--rows", type=int, default=2048, help="lists in a batch")
    options.add_argument("--ranked", type=int, default=100, help="items of a list")
    options.add_argument("--truth", type=int, default=20, help="truth items of a list")
    options.add_argument("--repeat", type=int, default=20, help="calls of each, of which the fastest counts")
    given = options.parse_args(arguments)
    both = [batches(given.rows, given.ranked, given.truth, seed) for seed in (1, 2)]
    forms = ("plain", "judged", "graded")
    calls = {(name, form): FUNCTIONS[name].call for name in MEASURES for form in forms}
    others = {name: ", ".join(measure.arguments) for name, measure in LIST_MEASURES.items()}
    found = costs(calls, both, given.repeat)
    calls = {(name, form): FUNCTIONS[name].call for name, form in others.items()}
    found |= costs(calls, both, max(given.repeat // 5, 2))

    def cells(name: str, form: str, against: str) -> list[str]:
        took, base = (found[key] / given.rows * 1e9 for key in ((name, form), ("recall", against)))
        return [f"{took:,.0f}", f"{took / base:.2f}"]

    rows = [[name, *(cell for form in forms for cell in cells(name, form, form))] for name in MEASURES]
    rows += [[name, *cells(name, form, "plain"), *[""] * 4] for name, form in others.items()]
    print(heading("tests.benchmark.measures", arguments, ("duckdb", "pyarrow", "numpy")))
    print(f"Microseconds per 1,000 lists of {given.ranked} ranked and {given.truth} truth items.\n")
    columns = ("measure", "plain", "to recall", "judged", "to recall", "graded", "to recall")
    print(table(columns, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
