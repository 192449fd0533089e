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

from .contenders import CONTENDERS, Run, Task, run
from .data import IDS, Data, make

TOY = Data(users=200, items=500, recs=20, truth=5)
SAME = 1e-9
THREADS = 2


def number(text: str) -> int:
    return int(float(text))  # such as 1e7


def options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmark",
        description=__doc__,
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    for name, kind, default, text in (
        ("--recs", number, 1_000_000, "recommendations in all"),
        ("--per-user", int, 100, "recommendations per user"),
        ("--truth", int, 20, "truth items per user"),
        ("--ties", number, 0, "at most so many different scores; 0: no ties"),
        ("--repeat", int, 5, "runs of each"),
        ("--memory-limit", str, "", "DuckDB's memory_limit"),
        ("--k", lambda text: [*map(int, text.split(","))], [10], "cut-offs"),
    ):
        parser.add_argument(name, type=kind, default=default, help=text)
    parser.add_argument("--contenders", nargs="+", choices=CONTENDERS, default=[*CONTENDERS])
    parser.add_argument("--ids", choices=IDS, default="BIGINT", help="type of the ids")
    parser.add_argument(
        "--order", choices=("user", "none"), default="user", help="how rows lie in the tables"
    )
    return parser


def main(arguments: Sequence[str]) -> int:
    given = options().parse_args(arguments)
    users = given.recs // given.per_user
    data = Data(users, 50_000, given.per_user, given.truth, given.ids, given.ties, given.order)
    with tempfile.TemporaryDirectory(prefix="benchmark-") as made:
        say(f"making {data}")
        toy = make(TOY, Path(made) / "toy")
        task = Task(make(data, Path(made) / "tables"), given.k, THREADS, given.memory_limit)
        runs: dict[str, list[Run]] = {name: [] for name in given.contenders}
        for turn in range(given.repeat):  # in turns: whatever else the machine does falls on all of them
            for name, done in runs.items():
                if not (done and done[-1].error):
                    done.append(run(name, task, toy))
                    say(f"{turn + 1}/{given.repeat} {name}: {done[-1].error or f'{done[-1].seconds:.3g} s'}")
    print(heading(arguments))
    print(f"{data}; k = {given.k}; {THREADS} threads.\n\n{results(runs)}")
    differences = list(disagreements(runs))
    print("\n".join(difference for difference, _ in differences))
    return int(not all(agree for _, agree in differences))


def say(text: str) -> None:
    """A line for who waits; the report itself goes to standard output."""
    print(text, file=sys.stderr, flush=True)


def heading(arguments: Sequence[str]) -> str:
    """The command line, and what it ran with."""
    packages = "duckdb numpy numba pandas pyarrow pytrec-eval-terrier ranx rectools"
    found = {one.name.replace("_", "-"): one.version for one in distributions()}
    versions = ", ".join(f"{name} {found[name]}" for name in packages.split() if name in found)
    system = f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} CPUs"
    return f"`{' '.join(('python -m tests.benchmark', *arguments))}`\n\n{system}; {versions}.\n"


COLUMNS = ["contender", "seconds", "min", "max", "CPU", "load", "evaluate", "peak MB"]
RATIOS = [f"{kind} to the first" for kind in ("seconds", "evaluate", "CPU", "peak MB")]


def results(runs: dict[str, list[Run]]) -> str:
    """The table of all contenders as Markdown; ratios are of medians, to the first."""
    lines, first = [[*COLUMNS, *RATIOS], ["---", *["--:"] * (len(COLUMNS) + len(RATIOS) - 1)]], None
    for name, done in runs.items():
        if done[-1].error:
            lines.append([name, f"failed: {done[-1].error}"])
            continue
        seconds, load, evaluate, cpu, memory = (
            median(getattr(one, kind) for one in done)
            for kind in ("seconds", "load", "evaluate", "cpu", "megabytes")
        )
        ours = seconds, evaluate, cpu, memory
        first = first or ours
        times = sorted(one.seconds for one in done)
        cells = [f"{value:#.3g}" for value in (seconds, times[0], times[-1], cpu, load, evaluate)]
        ratios = [f"{value / (of_first or 1):.2f}" for value, of_first in zip(ours, first, strict=True)]
        lines.append([name, *cells, f"{memory:,.0f}", *ratios])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def disagreements(runs: dict[str, list[Run]]) -> Iterator[tuple[str, bool]]:
    """How far each contender's numbers are from the first one's, and whether they are the same."""
    found = [(name, done[-1].numbers) for name, done in runs.items() if done[-1].numbers]
    (first, expected), *others = found or [("", {})]
    for name, numbers in others:
        gaps = [abs(numbers[key] - expected[key]) for key in numbers.keys() & expected]
        agree = all(gap <= SAME for gap in gaps)
        told = "agree" if agree else "DIFFER"
        yield f"- {name} and {first}: {told}, the largest difference is {max(gaps):.1g}", agree


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
