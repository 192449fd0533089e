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
SUFFIXES = {"K": 1_000, "M": 1_000_000}


def number(text: str) -> int:
    """A count, with K or M for thousands and millions."""
    return int(float(text[:-1]) * SUFFIXES[text[-1]]) if text[-1:] in SUFFIXES else int(text)


def options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmark",
        description=__doc__,
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    groups = sorted({one.group for one in CONTENDERS.values()})
    for name, kind, default, text in (
        ("--recs", number, 1_000_000, "recommendations in all: 1M, 10M, ..."),
        ("--per-user", int, 100, "recommendations per user"),
        ("--truth", int, 20, "truth items per user"),
        ("--items", number, 50_000, "items in the catalogue"),
        ("--ties", number, 0, "at most so many different scores; 0: no ties"),
        ("--threads", int, 2, "that each contender may use"),
        ("--repeat", int, 5, "runs of each"),
        ("--cache", Path, None, "folder to keep the data in, in place of a temporary one"),
        ("--memory-limit", str, "", "DuckDB's memory_limit"),
        ("--contenders", lambda text: text.split(","), None, "names, separated by commas"),
    ):
        parser.add_argument(name, type=kind, default=default, help=text)
    parser.add_argument("--k", type=lambda text: [*map(int, text.split(","))], default=[10], help="cut-offs")
    parser.add_argument("--ids", choices=IDS, default="BIGINT", help="type of the ids")
    parser.add_argument(
        "--order", choices=("user", "none"), default="user", help="how rows lie in the tables"
    )
    parser.add_argument("--group", choices=groups, default="tables", help="contenders, where none is named")
    return parser


def main(arguments: Sequence[str]) -> int:
    parser = options()
    given = parser.parse_args(arguments)
    names = given.contenders or [name for name, one in CONTENDERS.items() if one.group == given.group]
    if unknown := set(names) - CONTENDERS.keys():
        parser.error(f"--contenders must be of {', '.join(CONTENDERS)}; got {', '.join(sorted(unknown))}")
    users = given.recs // given.per_user
    data = Data(users, given.items, given.per_user, given.truth, given.ids, given.ties, given.order)
    with tempfile.TemporaryDirectory(prefix="benchmark-") as made:
        folder = (given.cache or Path(made)).resolve()
        say(f"making {data}")
        files, toy = make(data, folder), make(TOY, folder)
        task = Task(files, given.k, given.threads, given.memory_limit)
        runs: dict[str, list[Run]] = {name: [] for name in names}
        for turn in range(given.repeat):  # in turns: whatever else the machine does falls on all of them
            for name, done in runs.items():
                if not (done and done[-1].error):
                    done.append(run(name, task, toy))
                    say(f"{turn + 1}/{given.repeat} {name}: {done[-1].error or f'{done[-1].seconds:.3g} s'}")
    print(heading(arguments))
    print(f"{data}; k = {given.k}; {given.threads} threads.\n\n{results(runs)}")
    differences = list(disagreements(runs))
    print("\n".join(difference for difference, _ in differences))
    return int(not all(agree for _, agree in differences))


def say(text: str) -> None:
    """A line for who waits; the report itself goes to standard output."""
    print(text, file=sys.stderr, flush=True)


def heading(arguments: Sequence[str]) -> str:
    """The command line, and what it ran with."""
    packages = "duckdb numpy numba pandas polars pyarrow pytrec-eval-terrier ranx rectools"
    found = {one.name.replace("_", "-"): one.version for one in distributions()}
    versions = ", ".join(f"{name} {found[name]}" for name in packages.split() if name in found)
    system = f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} CPUs"
    return f"`{' '.join(('python -m tests.benchmark', *arguments))}`\n\n{system}; {versions}.\n"


COLUMNS = ("contender", "seconds", "min", "max", "CPU", "load", "evaluate", "peak MB")
RATIOS = ("time", "evaluate", "CPU", "memory")


def results(runs: dict[str, list[Run]]) -> str:
    """The table of all contenders as Markdown; ratios are of medians, to the first."""
    rows, first = [], None
    for name, done in runs.items():
        if done[-1].error:
            rows.append([name, f"failed: {done[-1].error}", *[""] * (len(COLUMNS) + len(RATIOS) - 2)])
            continue
        total, cpu, load, evaluate, memory = (
            median(getattr(one, kind) for one in done)
            for kind in ("seconds", "cpu", "load", "evaluate", "megabytes")
        )
        ours = total, evaluate, cpu, memory
        first = first or ours
        times = [total, min(one.seconds for one in done), max(one.seconds for one in done)]
        cells = [f"{value:#.3g}" for value in (*times, cpu, load, evaluate)]
        ratios = [f"{value / (of_first or 1):.2f}" for value, of_first in zip(ours, first, strict=True)]
        rows.append([name, *cells, f"{memory:,.0f}", *ratios])
    head = [*COLUMNS, *(f"{name} to the first" for name in RATIOS)]
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def disagreements(runs: dict[str, list[Run]]) -> Iterator[tuple[str, bool]]:
    """How far each contender's numbers are from the first one's, and whether they are the same."""
    all_numbers = {name: done[-1].numbers for name, done in runs.items() if done[-1].numbers}
    first, *others = all_numbers or [""]
    for name in others:
        expected = all_numbers[first]
        shared = expected.keys() & all_numbers[name]
        gaps = {key: abs(all_numbers[name][key] - expected[key]) for key in sorted(shared)}
        apart = {key: gap for key, gap in gaps.items() if not gap <= SAME}
        text = f"- {name} and {first}: " + (f"differ: {apart}" if apart else f"{len(gaps)} numbers agree")
        yield f"{text} (largest difference {max(gaps.values()):.1g})", not apart


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
