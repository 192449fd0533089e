"""Register the functions and macros in a DuckDB connection (the command is not imported here)."""

import re

import duckdb

# As in pyproject.toml. With arrow_lossless_conversion, DuckDB 1.5.3 and earlier pass BOOLEAN items in a form
# that would give wrong scores.
OLDEST = "1.5.4"


def release(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)[:3]]


if release(duckdb.__version__) < release(OLDEST):
    raise ImportError(
        f"ranking_udfs: duckdb must be {OLDEST} or later, got {duckdb.__version__}, "
        "which lacks functions that ranking_udfs needs: pip install --upgrade duckdb",
        name="duckdb",
    )
