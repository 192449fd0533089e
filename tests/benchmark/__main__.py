"""Contenders on the same tables: seconds, memory, ratio to the first one, and whether the numbers agree."""

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib.metadata import distributions
from pathlib import Path
from statistics import median

from tabulate import tabulate

from .contenders import CONTENDERS, Run, Task, run
from .data import IDS, Data, make

TOY = Data(users=200, items=500, recs=20, truth=5)
TOLERANCE = 1e-9
THREADS = 2
PACKAGES = "duckdb numpy numba pandas pyarrow pytrec-eval-terrier ranx rectools".split()  # noqa: SIM905
MEDIANS = {"seconds": "seconds", "CPU": "cpu", "peak MB": "megabytes"}
HEADINGS = ("contender", "min", "max", *MEDIANS, *(f"{heading} to the first" for heading in MEDIANS))


def number(text: str) -> int:
    return int(float(text))  # 1e7 is a number of rows


def parser() -> argparse.ArgumentParser:
    formatter = argparse.ArgumentDefaultsHelpFormatter
    parser = argparse.ArgumentParser("python -m tests.benchmark", None, __doc__, formatter_class=formatter)
    add = parser.add_argument
    add("--recs", type=number, default=1_000_000, help="recommendations in all")
    add("--per-user", type=int, default=100, help="recommendations per user")
    add("--truth", type=int, default=20, help="truth items per user")
    add("--ties", type=number, default=0, help="the most different scores; 0: no ties")
    add("--repeat", type=int, default=5, help="runs of each")
    add("--memory-limit", default="", help="DuckDB's memory_limit")
    add("--k", type=lambda text: [*map(int, text.split(","))], default=[10], help="cutoffs")
    add("--contenders", nargs="+", choices=CONTENDERS, default=[*CONTENDERS])
    add("--ids", choices=IDS, default="BIGINT", help="type of the ids")
    add("--order", choices=("user", "none"), default="user", help="order of the rows in the tables")
    return parser


def main(arguments: Sequence[str]) -> int:
    options = parser().parse_args(arguments)
    users = options.recs // options.per_user
    data = Data(users, 50_000, options.per_user, options.truth, options.ids, options.ties, options.order)
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        log(f"making {data}")
        toy = make(TOY, Path(folder) / "toy")
        task = Task(make(data, Path(folder) / "tables"), options.k, THREADS, options.memory_limit)
        runs: dict[str, list[Run]] = {name: [] for name in options.contenders}
        for turn in range(1, options.repeat + 1):  # in turns: other work of the machine affects all alike
            for name, done in runs.items():
                if not (done and done[-1].error):
                    done.append(run(name, task, toy))
                    log(f"{turn}/{options.repeat} {name}: {done[-1].error or f'{done[-1].seconds:.3g} s'}")
    installed = {package.name.replace("_", "-"): package.version for package in distributions()}
    versions = ", ".join(f"{name} {installed[name]}" for name in PACKAGES if name in installed)
    machine = f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} CPUs"
    print(f"`{' '.join(('python -m tests.benchmark', *arguments))}`\n\n{machine}; {versions}.\n")
    print(f"{data}; k = {options.k}; {THREADS} threads.\n\n{table(runs)}\n")
    differences = list(compare(runs))
    print("\n".join(line for line, _ in differences))
    return int(not all(agree for _, agree in differences))


def log(text: str) -> None:
    """Print a line of progress; the result itself goes to standard output."""
    print(text, file=sys.stderr, flush=True)


def table(runs: dict[str, list[Run]]) -> str:
    """Format the results as a table in Markdown; ratios are of medians, to the first contender."""
    rows: list[list[str]] = []
    first: dict[str, float] = {}
    for name, done in runs.items():
        if done[-1].error:
            rows.append([f"{name} failed: {done[-1].error}"])
            continue
        seconds = [run.seconds for run in done]
        medians = {heading: median(getattr(run, field) for run in done) for heading, field in MEDIANS.items()}
        first = first or medians
        cells = [f"{value:.3g}" for value in (min(seconds), max(seconds), *medians.values())]
        ratios = [f"{medians[heading] / (first[heading] or 1):.2f}" for heading in MEDIANS]
        rows.append([name, *cells, *ratios])
    return tabulate(rows, HEADINGS, "pipe")


def compare(runs: dict[str, list[Run]]) -> Iterator[tuple[str, bool]]:
    """Yield the largest difference of each contender from the first, and whether they agree."""
    numbers = {name: done[-1].numbers for name, done in runs.items() if done[-1].numbers}
    first = next(iter(numbers), "")
    for name in [*numbers][1:]:
        gap = max(
            abs(numbers[name][key] - numbers[first][key]) for key in numbers[name].keys() & numbers[first]
        )
        agree = gap <= TOLERANCE
        yield (
            f"- {name} and {first} {'agree' if agree else 'DIFFER'}: the largest difference is {gap:.1g}",
            agree,
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
