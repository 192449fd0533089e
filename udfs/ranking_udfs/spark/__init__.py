"""The pack in Apache Spark (pyspark; tables by Spark's own functions, measures by the functions of `arrow`).

`columns` checks a call and gives the columns the pack's names, `judging` makes judged rankings of them with
joins and windows, `kernels` is what runs in Python on the executors, `tables` and `check` are what a user
calls.
"""

MINIMUM = (4, 1)  # the first with arrow_udf


def _check_pyspark() -> None:
    hint = "pip install 'duckdb-ranking-udfs[spark]'"
    try:
        from pyspark import __version__ as found
    except ImportError as error:
        if error.name and error.name.partition(".")[0] != "pyspark":
            raise
        raise ImportError(f"ranking_udfs.spark: pyspark must be installed ({hint})", name="pyspark") from None
    if tuple(int(part) for part in found.split(".")[:2]) < MINIMUM:
        raise ImportError(
            f"ranking_udfs.spark: pyspark must be 4.1 or later ({hint}), got {found}", name="pyspark"
        )


_check_pyspark()

from .check import ranking_check  # noqa: E402  (only now is it known that there is a pyspark that will do)
from .functions import register  # noqa: E402
from .tables import ranking_by_user, ranking_judged, ranking_summary  # noqa: E402

__all__ = ["ranking_by_user", "ranking_check", "ranking_judged", "ranking_summary", "register"]
