"""One run of one contender in a process of its own: `python -m tests.benchmark.process TASK`, TASK as JSON.

Prints, as its last line, JSON with the seconds of both steps, the seconds that all cores worked, the peak
memory and the numbers.
"""

import json
import os
import resource
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .contenders import CONTENDERS, Numbers, Task
from .data import Files

ROOT = Path(__file__).parents[2]
THREAD_VARIABLES = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS")


@dataclass
class Run:
    """What came of a run, or why nothing did.

    Seconds to load and to evaluate, CPU seconds of both, megabytes at the peak, and the numbers.
    """

    load: float = 0.0
    evaluate: float = 0.0
    cpu: float = 0.0
    megabytes: float = 0.0
    numbers: Numbers = field(default_factory=dict)
    error: str = ""

    @property
    def seconds(self) -> float:
        return self.load + self.evaluate


def run(name: str, task: Task, toy: Files, hot: bool = False, timeout: float | None = None) -> Run:
    """Run the contender in a fresh interpreter: on the toy tables first, then, timed, on the task's."""
    what = {"contender": name, "toy": str(toy.folder), "hot": hot, **asdict(task)}
    what["files"] = str(task.files.folder)
    environment = os.environ | dict.fromkeys(THREAD_VARIABLES, str(task.threads))
    try:
        done = subprocess.run(
            [sys.executable, "-m", f"{__package__}.process", json.dumps(what)],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=timeout,
        )
    except subprocess.TimeoutExpired:
        return Run(error=f"more than {timeout:g} s")
    if done.returncode:
        return Run(error=error_of(done.stderr) or f"ended with code {done.returncode}")
    found = json.loads(done.stdout.strip().splitlines()[-1])
    numbers = {(name, k): value for name, k, value in found.pop("numbers")}
    return Run(**found, numbers=numbers)


def error_of(text: str) -> str:
    """The line of a traceback that says what went wrong."""
    after = text.rpartition("Traceback (most recent call last)")[2].splitlines()[1:]
    said = [line for line in after if line[:1].strip()]
    return (said[0] if said else text.strip()[-200:])[:200].replace("|", "/")


def steps(name: str, task: Task) -> Run:
    """Both steps of a contender, timed."""
    started, worked = time.perf_counter(), time.process_time()
    work = CONTENDERS[name].run(task)
    next(work)
    loaded = time.perf_counter()
    try:
        next(work)
    except StopIteration as end:
        numbers = end.value
    ended, cpu = time.perf_counter(), time.process_time() - worked
    return Run(loaded - started, ended - loaded, cpu, peak(), numbers)


def peak() -> float:
    """Megabytes that this process held at most. Linux' ru_maxrss may be that of the process before exec."""
    status = Path("/proc/self/status")
    if status.exists():
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(lines["VmHWM"].split()[0]) / 1024
    unit = 1024 * 1024 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def main(what: dict[str, Any]) -> None:
    name, toy, hot = what.pop("contender"), Files(Path(what.pop("toy"))), what.pop("hot")
    task = Task(**what | {"files": Files(Path(what["files"]))})
    steps(name, Task(**vars(task) | {"files": toy, "memory_limit": ""}))
    if hot:
        steps(name, task)
    found = asdict(steps(name, task))
    found["numbers"] = [[*key, value] for key, value in found["numbers"].items()]
    print(json.dumps(found))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
