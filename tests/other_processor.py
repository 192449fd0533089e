"""Run pytest as on another processor: `python -m tests.other_processor [ARGUMENT OF PYTEST ...]`.

NumPy and the C library choose code by the features of the processor, with other last digits for each. This
switches off the features that not all processors have, and fails if no value of NumPy's exp differs then.
"""

import os
import subprocess
import sys

from numpy._core._multiarray_umath import (  # type: ignore[import-not-found]
    __cpu_dispatch__,
    __cpu_features__,
)

WITHOUT = {
    "NPY_DISABLE_CPU_FEATURES": " ".join(name for name in __cpu_dispatch__ if __cpu_features__.get(name)),
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA",
}
CODE = "import numpy; print(*(numpy.exp(numpy.arange(1, 30_001) / 1_000).view(int)))"


def main(arguments: list[str]) -> int | str:
    command = [sys.executable, "-c", CODE]
    here, there = (
        subprocess.run(command, env=os.environ | features, stdout=subprocess.PIPE, check=True).stdout
        for features in ({}, WITHOUT)
    )
    print(*(f"{name}='{value}'" for name, value in WITHOUT.items()))
    if here == there:
        return "other_processor: no value differs, so the tests would show nothing"
    return subprocess.run([sys.executable, "-m", "pytest", *arguments], env=os.environ | WITHOUT).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
