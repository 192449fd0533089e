"""register: the functions as SQL functions of a Spark session."""

import os
import shutil
import sys
import warnings
from collections.abc import Callable
from functools import partial

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.functions import arrow_udf  # type: ignore[attr-defined, unused-ignore]

from ..arrow.functions import FUNCTIONS, ScalarFunction
from . import MINIMUM
from .hivemall import HELPERS, helpers_of
from .kernels import function_kernel

REGISTERED = "udfs.spark.registered"  # in the session's configuration: the names that are ours


def register(spark: SparkSession | None = None, *, prefix: str = "", hivemall: bool = False) -> SparkSession:
    """Make `judge` and all measures over lists functions of Spark SQL, each under all of its names.

    spark   the session; None for the active one or, if there is none, a new one, in which the executors run
            the Python that runs this
    prefix  what the names begin with, where yours are others: `prefix="udf_"` makes `udf_recall`
    hivemall
            whether to add `to_ordered_map` and `to_ordered_list` (not over Spark Connect), with which
            Hivemall's documented queries run as written but for `avg` around the measures

    All argument forms: `recall(rec, truth)`, `recall(rec, truth, k)`, `recall(rec, truth, k, options)` and
    the same of a judged ranking, `recall(judge(rec, truth), k)`. rec is an ARRAY of items, best first; truth
    an ARRAY of items, or a MAP from item to grade; or rec an ARRAY of STRUCT(grade, item) and truth one of
    grades.

    Returns the session. The functions are the session's own, and may be registered again. A function of yours
    with one of these names stays as it is, with a warning. The executors need this package: install it there,
    or see the README.

    Raises TypeError and RuntimeError: no session, a Spark before 4.1, no Java to start one with.
    """
    spark = started() if spark is None else spark
    if not isinstance(spark, SparkSession) and type(spark).__name__ != "SparkSession":
        raise TypeError(f"register: spark must be a SparkSession, got {type(spark).__name__}")
    if tuple(int(part) for part in spark.version.split(".")[:2]) < MINIMUM:
        raise RuntimeError(f"register: Spark must be 4.1 or later, got {spark.version}")
    if not isinstance(prefix, str):
        raise TypeError(f"register: prefix must be a text, got {prefix!r}")
    there = {row[0].rpartition(".")[2].lower() for row in spark.sql("SHOW FUNCTIONS").collect()}
    ours = set((spark.conf.get(REGISTERED, "") or "").split())
    makers: dict[str, Callable[[str], object]] = {
        (prefix + name).lower(): partial(register_function, spark, function)
        for name, function in FUNCTIONS.items()
    }
    if hivemall:
        makers |= dict.fromkeys(HELPERS, helpers_of(spark))
    left = sorted(makers.keys() & there - ours)
    for name in makers.keys() - left:
        makers[name](name)
    spark.conf.set(REGISTERED, " ".join(sorted(ours | makers.keys() - left)))
    if left:
        others = f"left alone, since there are others of these names: {', '.join(left)}"
        warnings.warn(f"register: {others} (prefix='udf_' registers all as udf_...)", stacklevel=2)
    return spark


def register_function(spark: SparkSession, function: ScalarFunction, name: str) -> None:
    spark.udf.register(name, arrow_udf(function_kernel(function.name), ddl(function.returns)))


def started() -> SparkSession:
    """The active session, or a new one."""
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    if not (os.environ.get("SPARK_REMOTE") or os.environ.get("JAVA_HOME") or shutil.which("java")):
        raise RuntimeError(
            "register: Java 17 or later must be installed to start Spark, got no JAVA_HOME and no java"
        )
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    return SparkSession.builder.appName("duckdb-ranking-udfs").getOrCreate()


def ddl(kind: pa.DataType) -> str:
    """The type as Spark writes it."""
    if pa.types.is_struct(kind):
        return f"struct<{', '.join(f'{field.name}: {ddl(field.type)}' for field in kind)}>"
    if pa.types.is_list(kind):
        return f"array<{ddl(kind.value_type)}>"
    return {pa.int32(): "int", pa.float64(): "double"}[kind]
