"""The pack in Apache Spark (pyspark; what evaluates is DuckDB, in the Python of Spark's executors).

`tables` has the table functions, DataFrames in and out; `workers` is what their executors run, over
`ranking_udfs.partitions`; `functions` makes those over arrays functions of Spark SQL.
"""

OLDEST = (3, 5)  # of the table functions
OLDEST_OF_FUNCTIONS = (4, 1)  # the first with arrow_udf
_RULE = "ranking_udfs.spark: pyspark must be 3.5 or later (pip install 'duckdb-ranking-udfs[spark]'), got "

try:
    from pyspark import __version__ as _found
except ModuleNotFoundError as error:
    if error.name != "pyspark":
        raise
    raise ImportError(f"{_RULE}none", name="pyspark") from None
if tuple(int(part) for part in _found.split(".")[:2]) < OLDEST:
    raise ImportError(_RULE + _found, name="pyspark")

# Only now is it known that there is a pyspark that will do.
from .functions import register as register  # noqa: E402
from .tables import *  # noqa: E402, F403
