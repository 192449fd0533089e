"""ranking-udfs in Apache Spark (pyspark). DuckDB evaluates, in the Python workers of Spark's executors.

`tables` has the table functions, with DataFrames in and out. `workers` has the code for executors, which uses
`ranking_udfs.partitions`. `functions` registers the functions over arrays in Spark SQL.
"""

OLDEST = (3, 5)  # for the table functions
OLDEST_OF_FUNCTIONS = (4, 1)  # for the functions over arrays: the first version with arrow_udf
_RULE = "ranking_udfs.spark: pyspark must be 3.5 or later (pip install 'duckdb-ranking-udfs[spark]'), got "

try:
    from pyspark import __version__ as _found
except ModuleNotFoundError as error:
    if error.name != "pyspark":
        raise
    raise ImportError(f"{_RULE}none", name="pyspark") from None
if tuple(int(part) for part in _found.split(".")[:2]) < OLDEST:
    raise ImportError(_RULE + _found, name="pyspark")

# Imported after the check that pyspark is recent enough.
from .functions import register as register  # noqa: E402
from .tables import table_function  # noqa: E402

judged = table_function("judged")
by_user = table_function("by_user")
evaluate = table_function("evaluate")
distribution = table_function("distribution")
compare = table_function("compare")
compare_by_user = table_function("compare_by_user")
beyond_accuracy_by_user = table_function("beyond_accuracy_by_user")
fuse = table_function("fuse")
