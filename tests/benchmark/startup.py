"""What importing and registering the pack costs a fresh interpreter."""

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence

from .process import ROOT
from .report import heading, median, table

NEEDED = "import duckdb, pyarrow, numpy"
CONNECTED = f"{NEEDED}; con = duckdb.connect(); con.execute('SELECT 1').fetchall()"
STEPS = {
    "an empty interpreter": "pass",
    NEEDED: NEEDED,
    "... and duckdb.connect(), SELECT 1": CONNECTED,
    "... and import udfs": f"{CONNECTED}; import udfs",
    "... and udfs.register(con)": f"{CONNECTED}; import udfs; udfs.register(con)",
}


def main(arguments: Sequence[str]) -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--repeat", type=int, default=21, help="fresh interpreters of each")
    given = options.parse_args(arguments)
    found: dict[str, list[float]] = {name: [] for name in STEPS}
    for turn in range(given.repeat + 1):
        for name, code in STEPS.items():
            started = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
            if turn:  # the first fills caches
                found[name].append((time.perf_counter() - started) * 1000)
    rows, before = [], 0.0
    for name, values in found.items():
        rows.append([name, *(f"{value:.0f}" for value in (median(values), min(values), max(values)))])
        rows[-1].append(f"{median(values) - before:.0f}")
        before = median(values)
    print(heading("tests.benchmark.startup", arguments, ("duckdb", "pyarrow", "numpy")))
    print(table(("milliseconds", "median", "min", "max", "more than the line above"), rows))
    *_, before_udfs, _, registered = map(median, found.values())
    print(f"`import udfs` and `udfs.register(con)` together: {registered - before_udfs:.0f} ms.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
