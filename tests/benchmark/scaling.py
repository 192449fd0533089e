"""How time and memory grow: with users, lists, truth, threads and rows, and under a memory limit."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from .compare import TOY, cache_folder, numbers, parser
from .contenders import CONTENDERS, Task
from .data import Data, make
from .process import Run, run
from .report import heading, median, say, seconds, table


@dataclass(frozen=True)
class Case:
    """A size, the case that it is held against, and the ratio of times that would be linear."""

    name: str
    data: Data
    against: str = ""
    linear: float = 1.0
    threads: int = 0
    memory_limit: str = ""


def cases(recs: int, threads: int, seed: int, large: bool, memory: bool) -> Iterator[Case]:
    base = Data(users=recs // 100, seed=seed)
    tenth = replace(base, users=base.users // 10)
    yield Case("base", base)
    yield Case("users x 2", replace(base, users=base.users * 2), "base", 2)
    yield Case("lists x 10, users / 10", replace(tenth, recs=1000), "base")
    yield Case("users / 10", tenth, "base", 0.1)
    yield Case("users / 10, lists x 10", replace(tenth, recs=1000), "users / 10", 10)
    # Truth grows from a fifth of the recommendations to twenty times as many: 1.2 rows to 21.
    yield Case("users / 10, truth x 100", replace(tenth, truth=2000), "users / 10", 21 / 1.2)
    yield Case("1 thread", base, "base", threads, threads=1)
    if large:
        yield Case("rows x 10", replace(base, users=base.users * 10), "base", 10)
    if memory:
        yield Case("memory_limit 1GB", base, "base", memory_limit="1GB")
        five = replace(base, users=base.users * 5)
        yield Case("rows x 5, memory_limit 4GB", five, "base", 5, memory_limit="4GB")


def main(arguments: Sequence[str]) -> int:
    options = parser(__doc__)
    options.add_argument("--k", type=numbers, default=[10], help="cut-offs: 10 or 5,10,20,50,100")
    options.add_argument("--contender", choices=CONTENDERS, default="ranking_udfs")
    options.add_argument("--large", action="store_true", help="also ten times the rows")
    options.add_argument("--memory", action="store_true", help="also under limits of memory")
    given = options.parse_args(arguments)
    folder, temporary = cache_folder(given.cache)
    toy = make(TOY, folder)
    wanted = list(cases(given.recs, given.threads, given.seed, given.large, given.memory))
    runs: dict[str, list[Run]] = {case.name: [] for case in wanted}
    for turn in range(given.repeat):
        for case in wanted:
            files = make(case.data, folder)
            task = Task(files, given.k, case.threads or given.threads, memory_limit=case.memory_limit)
            done = runs[case.name]
            if not (done and done[-1].error):
                done.append(run(given.contender, task, toy))
                say(f"{turn + 1}/{given.repeat} {case.name}: {done[-1].error or seconds(done[-1].seconds)}")
    if temporary:
        temporary.cleanup()
    print(heading("tests.benchmark.scaling", arguments, CONTENDERS[given.contender].packages))
    print(f"{given.contender}, k = {given.k}; base: {wanted[0].data}; {given.threads} threads.\n")
    rows = []
    for case in wanted:
        done, base = runs[case.name], runs[case.against or case.name]
        if done[-1].error or base[-1].error:
            rows.append([case.name, f"failed: {done[-1].error or base[-1].error}", *[""] * 5])
            continue
        took = [one.seconds for one in done]
        rows.append(
            [
                case.name,
                seconds(median(took)),
                seconds(min(took)),
                f"{max(one.megabytes for one in done):,.0f}",
                case.against,
                f"{median(took) / median([one.seconds for one in base]):.2f}",
                f"{case.linear:.3g}",
            ]
        )
    columns = ("case", "seconds", "min", "peak MB", "against", "ratio", "if linear")
    print(table(columns, rows))
    return int(any(one.error for done in runs.values() for one in done))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
