"""The fuzzer's command: `python -m tests.fuzz --cases 1000000 --seed 1`.

A case is one user: two lists (or their rows in two tables) and a k. All measures get it, each with its own
options, in the plain and in the judged form. Exit code 1 on the first difference. The same seed and batch
reproduce it: `python -m tests.fuzz --seed 1 --batch 17`. Two seeds at once use two processors.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from itertools import count

from tests.fuzz.check import CHECKS, run


def fuzz(cases: int, seed: int, only: Sequence[str] = (), batch: int | None = None) -> int:
    """Run at least so many cases, print the result and return the exit code."""
    began, done = time.perf_counter(), 0
    for number in count() if batch is None else [batch]:
        n, difference = run(seed, only, number)
        if difference is not None:
            which = f" --only {' '.join(map(repr, only))}" if only else ""
            print(f"python -m tests.fuzz --seed {seed}{which} --batch {number}:\n{difference}")
            return 1
        done += n
        if sys.stderr.isatty() and number % 10 == 0:
            print(f"\r{done:,} cases ", end="", file=sys.stderr, flush=True)
        if done >= cases:
            break
    seconds = time.perf_counter() - began
    print(
        f"seed {seed}: {done:,} cases in {number + 1:,} batches, {seconds:.0f} s, no difference above 1e-12"
    )
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--cases", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", choices=CHECKS, default=(), help="only these checks")
    parser.add_argument("--batch", type=int, help="run only this batch")
    chosen = parser.parse_args(arguments)
    return fuzz(chosen.cases, chosen.seed, chosen.only, chosen.batch)


if __name__ == "__main__":
    sys.exit(main())
