"""register: add the functions over arrays to the SQL functions of a Spark session."""

import os
import sys
import warnings

import pyarrow as pa
from pyspark.sql import SparkSession

from ..arrow.functions import FUNCTIONS, ScalarFunction
from ..texts import not_replaced
from . import OLDEST_OF_FUNCTIONS

REGISTERED = "ranking_udfs.spark.registered"  # the session's setting with the names of our functions


def register(spark: SparkSession | None = None, *, prefix: str = "") -> SparkSession:
    """Register `judge` and all measures over lists in Spark SQL, each under all of its names.

    The forms are `recall(rec, truth[, k[, options]])` and `recall(judge(rec, truth)[, k[, options]])`. rec is
    an ARRAY of items, best first, and truth is an ARRAY of items or a MAP from item to grade. Or rec is an
    ARRAY of STRUCT(grade, item) and truth an ARRAY of grades. The functions belong to the session. You can
    register them again. Your own functions are never replaced; a warning names them. Install this package on
    the executors, too.

    Args:
        spark: the session. None is the active session or, if there is none, a new one whose executors run
            this Python.
        prefix: start of the names, to avoid clashes with yours: `prefix="udf_"` registers `udf_recall`.

    Raises:
        TypeError: spark is not a session, or prefix is not a string.
        RuntimeError: Spark is older than 4.1, or (raised by Spark) there is no Java to start it.
    """
    if spark is None and (spark := SparkSession.getActiveSession()) is None:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        spark = SparkSession.builder.appName("duckdb-ranking-udfs").getOrCreate()
    if not isinstance(spark, SparkSession) and type(spark).__name__ != "SparkSession":
        raise TypeError(f"register: spark must be a SparkSession, got {type(spark).__name__}")
    if tuple(int(part) for part in spark.version.split(".")[:2]) < OLDEST_OF_FUNCTIONS:
        raise RuntimeError(f"register: Spark must be 4.1 or later, got {spark.version}")
    if not isinstance(prefix, str):
        raise TypeError(f"register: prefix must be a string, got {prefix!r}")
    existing = {row[0].rpartition(".")[2].lower() for row in spark.sql("SHOW FUNCTIONS").collect()}
    ours = set((spark.conf.get(REGISTERED, "") or "").split())
    named = {(prefix + name).lower(): function for name, function in FUNCTIONS.items()}
    left = sorted(named.keys() & existing - ours)
    for name in named.keys() - left:
        register_function(spark, named[name], name)
    spark.conf.set(REGISTERED, " ".join(sorted(ours | named.keys() - left)))
    if left:
        hint = "use prefix='udf_' to register all as udf_..."
        warnings.warn(f"register: {not_replaced(left)}; {hint}", stacklevel=2)
    return spark


def register_function(spark: SparkSession, function: ScalarFunction, name: str) -> None:
    from pyspark.sql.functions import arrow_udf  # type: ignore[attr-defined, unused-ignore]
    from pyspark.sql.pandas.types import from_arrow_type

    called = function.name

    def call(*columns: pa.Array) -> pa.Array:  # Spark sends this function, so it imports on the executor.
        from ranking_udfs.arrow.functions import FUNCTIONS

        return FUNCTIONS[called].call(*columns)

    call.__name__, call.__doc__ = called, function.call.__doc__
    spark.udf.register(name, arrow_udf(call, from_arrow_type(function.returns)))
