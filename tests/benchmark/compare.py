"""Every contender on the same tables: seconds, memory, ratio to this pack, and whether the numbers agree."""

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from .contenders import CONTENDERS, Task
from .data import IDS, Data, Files, make
from .process import Run, run
from .report import heading, median, say, seconds, spread, table

TOY = Data(users=200, items=500, recs=20, truth=5)
SAME = 1e-9
SUFFIXES = {"K": 1_000, "M": 1_000_000}


def number(text: str) -> int:
    """A count, with K or M for thousands and millions."""
    return int(float(text[:-1]) * SUFFIXES[text[-1]]) if text[-1:] in SUFFIXES else int(text)


def numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def parser(description: str) -> argparse.ArgumentParser:
    """The options that the commands share."""
    options = argparse.ArgumentParser(
        description=description, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    options.add_argument(
        "--recs", type=number, default=1_000_000, help="recommendations in all: 1M, 10M, ..."
    )
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--repeat", type=int, default=5, help="runs of each")
    options.add_argument("--cache", type=Path, help="folder to keep the data in (default: a temporary one)")
    options.add_argument("--seed", type=int, default=1)
    return options


def cache_folder(given: Path | None) -> tuple[Path, tempfile.TemporaryDirectory[str] | None]:
    """The folder for data, and what to clean up in the end."""
    if given is not None:
        return given.resolve(), None
    made = tempfile.TemporaryDirectory(prefix="benchmark-")
    return Path(made.name), made


def main(arguments: Sequence[str]) -> int:
    options = parser(__doc__)
    options.add_argument("--k", type=numbers, default=[10], help="cut-offs: 10 or 5,10,20,50,100")
    options.add_argument("--ids", choices=IDS, default="BIGINT", help="type of the ids")
    options.add_argument("--per-user", type=int, default=100, help="recommendations per user")
    options.add_argument("--truth", type=int, default=20, help="truth items per user")
    options.add_argument("--items", type=number, default=50_000, help="items in the catalogue")
    options.add_argument("--skew", type=float, default=1.0, help="Zipf exponent of the catalogue")
    options.add_argument(
        "--ties", type=number, default=0, help="at most so many different scores; 0: no ties"
    )
    options.add_argument(
        "--order", choices=("user", "none"), default="user", help="how rows lie in the tables"
    )
    options.add_argument(
        "--source", choices=("duckdb", "parquet"), default="duckdb", help="what DuckDB reads"
    )
    options.add_argument("--memory-limit", default="", help="DuckDB's memory_limit")
    options.add_argument(
        "--hot", action="store_true", help="an untimed run in each process before the timed one"
    )
    options.add_argument("--timeout", type=float, help="seconds after which a run is given up")
    options.add_argument(
        "--budget", type=float, default=300, help="no further run of a contender that took this many seconds"
    )
    options.add_argument(
        "--contenders",
        type=lambda text: text.split(","),
        default=list(CONTENDERS),
        help="names, separated by commas",
    )
    given = options.parse_args(arguments)
    if unknown := set(given.contenders) - CONTENDERS.keys():
        options.error(f"--contenders must be of {', '.join(CONTENDERS)}; got {', '.join(sorted(unknown))}")
    data = Data(
        given.recs // given.per_user, given.items, given.per_user, given.truth, given.ids,
        given.skew, given.ties, given.order, given.seed,
    )  # fmt: skip
    folder, temporary = cache_folder(given.cache)
    say(f"making {data}")
    files, toy = make(data, folder), make(TOY, folder)
    task = Task(files, given.k, given.threads, given.source, given.memory_limit)
    runs = rounds(given.contenders, task, toy, given)
    if temporary:
        temporary.cleanup()
    packages = [package for name in given.contenders for package in CONTENDERS[name].packages]
    print(heading("tests.benchmark", arguments, packages))
    print(f"{data}; k = {given.k}; {given.threads} threads.\n")
    print(results(runs))
    differences = list(disagreements(runs))
    print("\n".join(difference for difference, _ in differences))
    return int(any(undeclared for _, undeclared in differences))


def rounds(names: Sequence[str], task: Task, toy: Files, given: argparse.Namespace) -> dict[str, list[Run]]:
    """The runs of each contender, in turns, so that whatever else the machine does falls on all of them."""
    runs: dict[str, list[Run]] = {name: [] for name in names}
    for turn in range(given.repeat):
        for name, done in runs.items():
            if any(one.error for one in done) or sum(one.seconds for one in done) > given.budget:
                continue
            done.append(run(name, task, toy, given.hot, given.timeout))
            say(f"{turn + 1}/{given.repeat} {name}: {done[-1].error or seconds(done[-1].seconds) + ' s'}")
    return runs


def results(runs: dict[str, list[Run]]) -> str:
    """The table of all contenders; ratios are of medians."""
    rows = []
    ours = next((done for name, done in runs.items() if name == "ranking_udfs" and not done[-1].error), None)
    for name, done in runs.items():
        if done[-1].error:
            rows.append([name, f"failed: {done[-1].error}", *[""] * 11])
            continue
        total, cpu = median([one.seconds for one in done]), median([one.cpu for one in done])
        memory = max(one.megabytes for one in done)
        apart = CONTENDERS[name].separates
        rows.append(
            [
                name,
                *spread([one.seconds for one in done]),
                *spread([one.cpu for one in done]),
                seconds(median([one.load for one in done])) if apart else "",
                seconds(median([one.evaluate for one in done])) if apart else "",
                f"{memory:,.0f}",
                f"{total / median([one.seconds for one in ours]):.2f}" if ours else "",
                f"{cpu / median([one.cpu for one in ours]):.2f}" if ours else "",
                f"{memory / max(one.megabytes for one in ours):.2f}" if ours else "",
                str(len(done)),
            ]
        )
    columns = (
        "contender",
        "seconds",
        "min",
        "max",
        "CPU seconds",
        "min",
        "max",
        "load",
        "evaluate",
        "peak MB",
    )
    return table((*columns, "time to ours", "CPU to ours", "memory to ours", "runs"), rows)


def disagreements(runs: dict[str, list[Run]]) -> Iterator[tuple[str, bool]]:
    """Where each contender's numbers differ from the first one's; whether that is against its definitions."""
    all_numbers = {name: done[-1].numbers for name, done in runs.items() if done[-1].numbers}
    first, *others = all_numbers or [""]
    for name in others:
        found, expected = all_numbers[name], all_numbers[first]
        shared = [key for key in expected if key in found]
        missing = sorted({measure for measure, k in expected if (measure, k) not in found})
        gaps: dict[str, float] = {}
        for measure, k in shared:
            gap = abs(found[measure, k] - expected[measure, k])
            gaps[measure] = max(gaps.get(measure, 0.0), gap)
        apart = {measure: gap for measure, gap in gaps.items() if not gap <= SAME}
        agree = [gap for measure, gap in gaps.items() if measure not in apart]
        text = f"- {name} and {first}: {len(agree)} measures agree"
        text += f" (largest difference {max(agree):.1g})" if agree else ""
        text += f"; it has no {', '.join(missing)}" if missing else ""
        undeclared = False
        for measure, gap in apart.items():
            why = CONTENDERS[name].departs.get(measure)
            text += f"; {measure} differs by up to {gap:.3g}: {why or '**not expected**'}"
            undeclared |= why is None
        yield text, undeclared
