"""The pack in Apache Spark (pyspark; what evaluates is DuckDB, in the Python of Spark's executors).

`tables` has the table functions, DataFrames in and out, and `split` ranking_split; `workers` is what their
executors run, over `ranking_udfs.partitions`; `functions` makes those over arrays functions of Spark SQL.
"""

OLDEST = (3, 5)  # of the table functions
OLDEST_OF_FUNCTIONS = (4, 1)  # the first with arrow_udf


def _check_pyspark() -> None:
    hint = "pip install 'duckdb-ranking-udfs[spark]'"
    try:
        from pyspark import __version__ as found
    except ImportError as error:
        if error.name and error.name.partition(".")[0] != "pyspark":
            raise
        raise ImportError(f"ranking_udfs.spark: pyspark must be installed ({hint})", name="pyspark") from None
    if tuple(int(part) for part in found.split(".")[:2]) < OLDEST:
        raise ImportError(
            f"ranking_udfs.spark: pyspark must be 3.5 or later ({hint}), got {found}", name="pyspark"
        )


_check_pyspark()

from .functions import register  # noqa: E402  (only now is it known that there is a pyspark that will do)
from .split import ranking_split  # noqa: E402
from .tables import (  # noqa: E402
    ranking_beyond_accuracy,
    ranking_beyond_accuracy_by_user,
    ranking_by_user,
    ranking_check,
    ranking_compare,
    ranking_compare_by_user,
    ranking_distribution,
    ranking_fuse,
    ranking_judged,
    ranking_summary,
)

__all__ = [
    "ranking_beyond_accuracy",
    "ranking_beyond_accuracy_by_user",
    "ranking_by_user",
    "ranking_check",
    "ranking_compare",
    "ranking_compare_by_user",
    "ranking_distribution",
    "ranking_fuse",
    "ranking_judged",
    "ranking_split",
    "ranking_summary",
    "register",
]
