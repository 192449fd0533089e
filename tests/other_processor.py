"""Run pytest as on another processor: `python -m tests.other_processor [ARGUMENT OF PYTEST ...]`.

NumPy and the C library choose code by the features of the processor, with other last digits for each. This
switches off the features that not all processors have. It prints how many values of each function differ
then, and fails if none do.
"""

import json
import os
import subprocess
import sys

import duckdb
import numpy as np
from numpy._core._multiarray_umath import (  # type: ignore[import-not-found]
    __cpu_dispatch__,
    __cpu_features__,
)

WITHOUT = {
    "NPY_DISABLE_CPU_FEATURES": " ".join(name for name in __cpu_dispatch__ if __cpu_features__.get(name)),
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA",
}
FUNCTIONS = ("exp", "ln", "log2", "pow", "lgamma", "sin")


def values() -> dict[str, list[float]]:
    """Compute functions of the same numbers by NumPy and by DuckDB, which calls the C library."""
    numbers = np.arange(1, 30_001) / 1_000
    with np.errstate(all="raise"):
        found = {f"NumPy's {call.__name__}": call(numbers) for call in (np.exp, np.log, np.log2, np.sin)}
        found["NumPy's power"] = np.power(numbers, 1.37)
    calls = ", ".join(f"{name}(x{', 1.37' * (name == 'pow')})" for name in FUNCTIONS)
    with duckdb.connect() as con:
        columns = con.execute(
            f"SELECT {calls} FROM (SELECT i / 1000 AS x FROM range(1, 30001) t(i))"
        ).fetchnumpy()
    found |= {f"DuckDB's {name}": column for name, column in zip(FUNCTIONS, columns.values(), strict=True)}
    return {name: column.tolist() for name, column in found.items()}


def main(arguments: list[str]) -> int | str:
    code = "import json, tests.other_processor as it; print(json.dumps(it.values()))"
    command = [sys.executable, "-c", code]
    printed = [
        subprocess.run(command, env=os.environ | features, stdout=subprocess.PIPE, check=True).stdout
        for features in ({}, WITHOUT)
    ]
    here, there = map(json.loads, printed)
    changed = {name: sum(a != b for a, b in zip(here[name], there[name], strict=True)) for name in here}
    print(*(f"{name}='{value}'" for name, value in WITHOUT.items()))
    print(
        "Values with other last digits, of 30,000:", ", ".join(f"{n} {count}" for n, count in changed.items())
    )
    if not any(changed.values()):
        return "other_processor: no value differs, so the tests would show nothing"
    return subprocess.run([sys.executable, "-m", "pytest", *arguments], env=os.environ | WITHOUT).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
