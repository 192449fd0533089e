"""The table functions for Spark, with DataFrames in and out. DuckDB evaluates in the executors' Python."""

import inspect
import re
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  (its usual name in Spark)
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_type

from ..duckdb.macros import macros
from ..options import FUNCTIONS, check_keywords, sentences
from ..partitions import ROLES, UNREAD, Partitioned, partition
from ..texts import shorten
from .workers import PACKED, on_executors

IDS = ("user", "item", "system")
DOC = """{description}

This function works as `{function}` in SQL, but with DataFrames. The SQL reference lists all arguments and
columns. Spark evaluates the result lazily. It is bit-identical for any number of partitions on
executors of one kind.

Args:
{options}

Raises:
    ValueError: a column is missing or has an invalid type, or an argument is not valid. While the job runs:
        a grade is NULL, NaN or infinite, or truth has no users.
    TypeError: rec or truth is not a DataFrame, or Spark cannot partition by the type of an id.
"""


def table_function(function: str) -> Callable[..., DataFrame]:
    """Create a table function with the arguments of SQL."""
    options = {name: option for name, option in FUNCTIONS[function].items() if name not in UNREAD}
    defaults = {name: option.default for name, option in options.items() if option.default is not ...}
    place = inspect.Parameter.POSITIONAL_OR_KEYWORD
    empty = inspect.Parameter.empty
    parameters = inspect.Signature(
        [inspect.Parameter(name, place, default=defaults.get(name, empty)) for name in options]
    )

    def call(*positional: Any, **named: Any) -> DataFrame:
        check_keywords(function, named, options)
        return planned(function, parameters.bind(*positional, **named).arguments)

    call.__name__ = function
    call.__doc__ = DOC.format(
        description=macros()[function].description,
        function=function,
        options="\n".join(f"    {name}: {text}." for name, text in sentences(options).items()),
    )
    vars(call)["__signature__"] = parameters
    return call


def planned(function: str, arguments: dict[str, Any]) -> DataFrame:
    """Plan a table function with these tables and arguments, and return the DataFrame of its rows."""
    if function == "compare_by_user":
        by_user = arguments.pop("by_user")
        return merge(by_user, partition(function, schema(function, "by_user", by_user), **arguments))
    frames = {name: arguments.pop(name) for name in ROLES if arguments.get(name) is not None}
    schemas = {name: schema(function, name, frame) for name, frame in frames.items()}
    job = partition(function, **schemas, **arguments)
    rows = {name: read(frame, name, job) for name, frame in frames.items()}
    parts = map_in_arrow(rows_by_user(rows, job), "evaluate", job, "part")
    if job.merge_sql:
        return merge(parts, job)
    if "truth" not in rows:
        return parts
    # A partition cannot detect that the whole truth has no user.
    users = rows["truth"].select(F.count(column(job, "truth", "user")).alias("users"))
    return parts.unionAll(map_in_arrow(users, "require_users", job, "part"))


def merge(parts: DataFrame, job: Partitioned) -> DataFrame:
    """Merge the rows of all partitions."""
    return map_in_arrow(parts.repartition(1), "merge", job, "result")


def map_in_arrow(frame: DataFrame, step: str, job: Partitioned, kind: str) -> DataFrame:
    rows = from_arrow_schema(job.schemas[kind], prefer_timestamp_ntz=True)
    return frame.mapInArrow(on_executors(step, job), rows)


def schema(function: str, table: str, frame: Any) -> pa.Schema:
    """Return the Arrow schema of a DataFrame; columns without an Arrow type become strings."""
    if not callable(getattr(frame, "mapInArrow", None)):
        raise TypeError(f"{function}: {table} must be a DataFrame of Spark, got {type(frame).__name__}")
    fields = []
    for field in frame.schema.fields:
        try:
            kind = to_arrow_type(field.dataType)
        except Exception:  # Its class depends on Spark's version; 4.3 needs a time zone here.
            is_moment = field.dataType.typeName() == "timestamp"
            kind = pa.timestamp("us", "UTC") if is_moment else pa.string()
        fields.append((field.name, kind))
    return pa.schema(fields)


def read(frame: DataFrame, table: str, job: Partitioned) -> DataFrame:
    """Return the columns to read as one struct column with the name of the table."""
    columns = []
    for role, name in job.columns[table].items():
        position = frame.columns.index(name)
        kind = frame.schema[position].dataType
        # Spark cannot partition by these types, or Arrow does not have them.
        if role in IDS and re.search(r'(?:^|ype":)"(?:map|variant|interval|calendar)', kind.json()):
            rule = "must not be or hold a MAP, VARIANT or INTERVAL (cast it to STRING)"
            got = shorten(kind.simpleString())
            raise TypeError(f"{job.function}: {shorten(name)} {rule}, got {got}")
        columns.append(F.col(f"column_{position}").alias(name))
    # By position, since names can contain dots, and unused names can occur twice.
    by_position = frame.toDF(*(f"column_{position}" for position in range(len(frame.columns))))
    return by_position.select(F.struct(*columns).alias(table))


def column(job: Partitioned, table: str, role: str) -> Column:
    """Return the column of this role from the struct of a table."""
    return F.col(table).getField(job.columns[table][role])


def share(tables: Mapping[str, DataFrame], job: Partitioned) -> DataFrame | None:
    """Return the tables that all partitions share, as one row with their bytes."""
    frames = {}
    if "systems" in job.schemas:
        frames["systems"] = tables["rec"].select(column(job, "rec", "system").alias("system")).distinct()
    if "counts" in job.schemas:
        user, item = (column(job, "history", role) for role in ("user", "item"))
        pairs = tables["history"].where(user.isNotNull() & item.isNotNull())
        frames["counts"] = pairs.rollup(item.alias("itemid")).agg(F.countDistinct(user).alias("n"))
    if "items" in job.schemas:
        frames["items"] = tables["items"].select("items.*")
    if not frames:
        return None
    listed = (frame.agg(F.collect_list(F.struct("*")).alias(name)) for name, frame in frames.items())
    row = reduce(lambda left, right: left.crossJoin(right), listed)
    return row.mapInArrow(on_executors("pack", job), f"{PACKED} binary")


def rows_by_user(tables: Mapping[str, DataFrame], job: Partitioned) -> DataFrame:
    """Return all rows partitioned by user; the first row of a partition also has the shared tables."""
    frames = [tables[table] for table in job.columns if table != "items"]
    rows = reduce(lambda left, right: left.unionByName(right, allowMissingColumns=True), frames)
    users = [column(job, table, "user") for table in rows.columns]
    if len({field.dataType.simpleString() for field in rows.select(*users).schema}) > 1:
        users = [user.cast("string") for user in users]
    rows = rows.repartition(F.coalesce(*users, F.lit(None)))
    if (shared := share(tables, job)) is None:
        return rows
    first = F.expr("(monotonically_increasing_id() & 8589934591L) = 0")
    shared = F.broadcast(shared.withColumn("is_first", F.lit(True)))
    return rows.withColumn("is_first", first).join(shared, "is_first", "left").drop("is_first")
