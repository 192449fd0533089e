"""The table functions for Spark: DataFrames in and out, evaluated by DuckDB in the executors' Python."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Unpack

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  (as all of Spark's users call it)
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_type
from pyspark.sql.types import DataType, NullType

from ..evaluation.columns import ColumnNames
from ..evaluation.defaults import K
from ..partitions import IDS, OPTIONS, Partitioned, partition, partition_by_user
from ..texts import shorten
from .workers import on_executors


class ComparisonOptions(TypedDict, total=False):
    """The options of a comparison, as in SQL."""

    confidence: float
    margin: float | None
    correction: str
    test: str
    permutations: int
    seed: int


class ComparisonArguments(ColumnNames, ComparisonOptions, total=False):
    """Those, and the arguments that name columns."""


CutOffs = Sequence[int | None] | int | None
Measures = Sequence[str] | str | None


def ranking_judged(
    rec: DataFrame, truth: DataFrame, max_k: int | None, **columns: Unpack[ColumnNames]
) -> DataFrame:
    """Judge the ranking of every user with truth, as `ranking_judged` of SQL does.

    Nothing runs before the result is asked for. A grade that is NULL, NaN or infinite, and a truth without a
    user, are errors of the job.

    Args:
        rec: userid, itemid, score; with a column `system`, each system is scored over the same users.
        truth: userid, itemid and, if there are grades, rel.
        max_k: the rank at which to cut the ranking; None for all of it.
        columns: user_col, item_col, score_col, grade_col, system_col: names of the columns, in any case, by
            default as above; descending=False where the lowest score is the best, as of ranks; min_grade, the
            lowest grade that is relevant; unjudged="skip" leaves out items that truth has no row for.

    Returns:
        [system,] userid, n_rec (rows in rec), n_truth (relevant items), judged, a STRUCT that the functions
        of `register` take: `ndcg(judged, 10, 'gain=linear')`.

    Raises:
        ValueError: a column is missing or does not fit, or an argument is not valid.
        TypeError: rec or truth is no DataFrame, or an id is of a type that Spark cannot hand out by.
    """
    return evaluate("ranking_judged", rec, truth, max_k, columns=columns)


def ranking_by_user(
    rec: DataFrame,
    truth: DataFrame,
    ks: CutOffs,
    measures: Measures = None,
    ties: str = "item",
    **columns: Unpack[ColumnNames],
) -> DataFrame:
    """Measure every user with truth at every k, as `ranking_by_user` of SQL does.

    Args:
        rec: as for `ranking_judged`.
        truth: as for `ranking_judged`.
        ks: cut-offs; None among them means the whole list, 0 the empty one.
        measures: as `ndcg,recall`, `ndcg(gain=linear)` or `ndcg@5,10` (NULL at other k); by default all with
            their default options, but `err`, which refuses grades above its max_grade.
        ties: "item" orders equal scores by itemid; "expected" gives expected values over all orders of the
            items that tie, and by default only the measures that have them.
        columns: as for `ranking_judged`.

    Returns:
        [system,] userid, k, n_rec (rows in rec), n_truth (relevant items), a DOUBLE for each measure. Errors
        as of `ranking_judged`, and ValueError or TypeError for a wrong k, measure or option.
    """
    return evaluate("ranking_by_user", rec, truth, ks, measures, ties, columns=columns)


def ranking_summary(
    rec: DataFrame,
    truth: DataFrame,
    ks: CutOffs,
    measures: Measures = None,
    ties: str = "item",
    **columns: Unpack[ColumnNames],
) -> DataFrame:
    """Average the measures over the users with truth for every k, as `ranking_summary` of SQL does.

    All arguments and errors: as for `ranking_by_user`.

    Returns [system,] k, users (all with truth), users_without_rec (of them; they score as an empty list),
    users_without_truth (in rec, left out), users_without_relevant (whose truth has no relevant item), a
    DOUBLE for each measure: the same on any number of partitions.
    """
    return evaluate("ranking_summary", rec, truth, ks, measures, ties, columns=columns)


def ranking_distribution(
    rec: DataFrame,
    truth: DataFrame,
    ks: CutOffs,
    measures: Measures = None,
    ties: str = "item",
    **columns: Unpack[ColumnNames],
) -> DataFrame:
    """Describe the distribution of the measures over the users with truth, as `ranking_distribution` of SQL.

    All arguments and errors: as for `ranking_by_user`. One executor gets 8 bytes for each user, system, k and
    measure, and the userid.
    """
    return evaluate("ranking_distribution", rec, truth, ks, measures, ties, columns=columns)


def ranking_compare(
    rec: DataFrame,
    truth: DataFrame,
    ks: CutOffs,
    baseline: str | None = None,
    measures: Sequence[str] | None = None,
    **arguments: Unpack[ComparisonArguments],
) -> DataFrame:
    """Say whether one system is better than another, as `ranking_compare` of SQL does, with its arguments.

    One executor gets 8 bytes for each user, system, k and measure, and the userid.
    """
    options = {name: value for name, value in arguments.items() if name in OPTIONS}
    columns = {name: value for name, value in arguments.items() if name not in OPTIONS}
    options = {"baseline": baseline, **options}
    return evaluate("ranking_compare", rec, truth, ks, measures, columns=columns, options=options)


def ranking_compare_by_user(
    by_user: DataFrame,
    baseline: str | None = None,
    measures: Sequence[str] | None = None,
    **options: Unpack[ComparisonOptions],
) -> DataFrame:
    """Compare systems by any table with a row per user, as `ranking_compare_by_user` of SQL does.

    by_user has system, userid [, k] [, segment] and columns of numbers: what `ranking_by_user` gives, with
    any options, or clicks, or revenue. One executor gets all of it. All else is as of `ranking_compare`.
    """
    names = schema("ranking_compare_by_user", "by_user", by_user)
    given = {"baseline": baseline, "measures": measures, **options}
    return one_partition(by_user, partition_by_user(names, given))


def ranking_check(
    rec: DataFrame, truth: DataFrame, ks: CutOffs = K, **columns: Unpack[ColumnNames]
) -> DataFrame:
    """List the problems of two DataFrames, as `ranking_check` of SQL does: a row for each kind of problem.

    `ks` are the cut-offs at which to look for tied scores, and down to the largest for repeated items. One
    executor gets all userids and all itemids, each once of each partition. `history` is not on Spark.
    """
    return evaluate("ranking_check", rec, truth, ks, columns=columns)


def evaluate(
    function: str,
    rec: Any,
    truth: Any,
    ks: Any,
    measures: Any = None,
    ties: Any = "item",
    *,
    columns: Any,
    options: Mapping[str, Any] | None = None,
) -> DataFrame:
    """Plan a table function, and return the DataFrame of its rows."""
    schemas = schema(function, "rec", rec), schema(function, "truth", truth)
    job = partition(function, *schemas, ks, measures, ties, options=options, **columns)
    if job.known:
        rows = [tuple(row.values()) for row in job.known]
        found: DataFrame = rec.sparkSession.createDataFrame(rows, from_arrow_schema(job.schemas["result"]))
        return found
    parts = map_in_arrow(by_user(rec, truth, job), "evaluate", job, "part")
    if job.merge_sql:
        return one_partition(parts, job)
    # What comes by user says of no partition that all of truth has no user.
    columns, right = by_place(truth)
    user = columns[job.columns["truth"]["user"]][0]
    counts = right.selectExpr("count(1) AS truth_rows", f"count({user}) AS truth_users")
    return parts.unionAll(map_in_arrow(counts, "require_users", job, "part"))


def one_partition(frame: DataFrame, job: Partitioned) -> DataFrame:
    return map_in_arrow(frame.repartition(1), "merge", job, "result")


def map_in_arrow(frame: DataFrame, step: str, job: Partitioned, kind: str) -> DataFrame:
    rows = from_arrow_schema(job.schemas[kind], prefer_timestamp_ntz=True)
    return frame.mapInArrow(on_executors(step, job), rows)


def schema(function: str, table: str, frame: Any) -> pa.Schema:
    """Return the schema of a DataFrame in Arrow; a column that has no type there is text."""
    if not callable(getattr(frame, "mapInArrow", None)):
        raise TypeError(f"{function}: {table} must be a DataFrame of Spark, got {type(frame).__name__}")
    fields = []
    for field in frame.schema.fields:
        try:
            kind = to_arrow_type(field.dataType)
        except Exception:  # of another class in each version of Spark
            kind = pa.string()
        fields.append((field.name, kind))
    return pa.schema(fields)


def by_place(frame: DataFrame) -> tuple[dict[str, tuple[str, DataType]], DataFrame]:
    """Rename columns by place, since a name may hold dots, or occur twice where nobody asks for it.

    Returns the new name and the type of each column, and the DataFrame.
    """
    fields = frame.schema.fields
    names = [f"column_{place}" for place in range(len(fields))]
    columns = {field.name: (name, field.dataType) for field, name in zip(fields, names, strict=True)}
    return columns, frame.toDF(*names)


def by_user(rec: DataFrame, truth: DataFrame, job: Partitioned) -> DataFrame:
    """Return the rows of both tables that are read, all of a user in one partition.

    A column has the name of what it is, and of truth's table too where the types differ. The first row of
    each partition lists all systems.
    """
    of_rec, recs = by_place(rec)
    of_truth, truths = by_place(truth)
    columns = {"rec": of_rec, "truth": of_truth}
    found: dict[str, dict[str, Column]] = {"rec": {}, "truth": {}}
    types: dict[str, DataType | str] = {}
    for table, other in (("rec", "truth"), ("truth", "rec")):
        for what, name in job.columns[table].items():
            place, kind = columns[table][name]
            if what in IDS:
                check_id(job.function, name, kind)
            twin = columns[other][job.columns[other][what]][1] if what in job.columns[other] else kind
            label = what if kind == twin or NullType() in (kind, twin) else f"{table}_{what}"
            found[table][label] = F.col(place)
            types[label] = twin if isinstance(kind, NullType) else kind
            if isinstance(types[label], NullType):
                types[label] = "string" if what in IDS else "double"
    recs, truths = (
        frame.select(
            F.lit(table == "rec").alias("is_rec"),
            *(found[table].get(label, F.lit(None)).cast(kind).alias(label) for label, kind in types.items()),
        )
        for table, frame in (("rec", recs), ("truth", truths))
    )
    key = "user" if "user" in types else "coalesce(CAST(rec_user AS STRING), CAST(truth_user AS STRING))"
    rows = recs.unionAll(truths).repartition(F.expr(key))
    if "system" not in types:
        return rows
    systems = recs.select(F.struct("system").alias("one")).distinct()
    systems = systems.agg(F.collect_list("one").alias("systems")).withColumn("is_first", F.lit(True))
    first = F.expr("(monotonically_increasing_id() & 8589934591L) = 0")
    systems = F.broadcast(systems)
    return rows.withColumn("is_first", first).join(systems, "is_first", "left").drop("is_first")


def check_id(function: str, name: str, kind: DataType) -> None:
    """Raise TypeError for an id by which Spark cannot hand out rows, or for which Arrow has no type."""
    if re.search(r'(?:^|ype":)"(?:map|variant|interval|calendar)', kind.json()):
        rule = "must not be or hold a MAP, VARIANT or INTERVAL (cast it to STRING)"
        raise TypeError(f"{function}: {shorten(name)} {rule}, got {shorten(kind.simpleString())}")
