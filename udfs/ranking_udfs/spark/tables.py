"""The table functions for Spark: DataFrames in and out, evaluated by DuckDB in the executors' Python."""

import re
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any, Unpack

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  (as all of Spark's users call it)
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_type

from ..evaluation.columns import ColumnNames
from ..evaluation.defaults import K
from ..partitions import IDS, TABLES, Partitioned, partition
from ..texts import shorten
from .workers import PACKED, SHARED, on_executors

CutOffs = Sequence[int | None] | int | None
Measures = Sequence[str] | str | None


class Options(ColumnNames, total=False):
    """The arguments that name columns, and the options of some functions, as in SQL."""

    category_col: str | None
    time_col: str | None
    head: float
    divergence: str
    confidence: float
    margin: float | None
    correction: str
    test: str
    permutations: int
    seed: int


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
    return evaluate("ranking_judged", rec, truth, ks=max_k, **columns)


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
    return evaluate("ranking_by_user", rec, truth, ks=ks, measures=measures, ties=ties, **columns)


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
    return evaluate("ranking_summary", rec, truth, ks=ks, measures=measures, ties=ties, **columns)


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
    return evaluate("ranking_distribution", rec, truth, ks=ks, measures=measures, ties=ties, **columns)


def ranking_compare(
    rec: DataFrame,
    truth: DataFrame,
    ks: CutOffs,
    baseline: str | None = None,
    measures: Sequence[str] | None = None,
    **arguments: Unpack[Options],
) -> DataFrame:
    """Say whether one system is better than another, as `ranking_compare` of SQL does, with its arguments.

    One executor gets 8 bytes for each user, system, k and measure, and the userid.
    """
    return evaluate("ranking_compare", rec, truth, ks=ks, baseline=baseline, measures=measures, **arguments)


def ranking_compare_by_user(
    by_user: DataFrame,
    baseline: str | None = None,
    measures: Sequence[str] | None = None,
    **options: Unpack[Options],
) -> DataFrame:
    """Compare systems by any table with a row per user, as `ranking_compare_by_user` of SQL does.

    by_user has system, userid [, k] [, segment] and columns of numbers: what `ranking_by_user` gives, with
    any options, or clicks, or revenue. One executor gets all of it. All else is as of `ranking_compare`.
    """
    function = "ranking_compare_by_user"
    given: dict[str, Any] = {"baseline": baseline, "measures": measures, **options}
    return merge(by_user, partition(function, schema(function, "by_user", by_user), **given))


def ranking_check(
    rec: DataFrame,
    truth: DataFrame,
    ks: CutOffs = K,
    history: DataFrame | None = None,
    **columns: Unpack[Options],
) -> DataFrame:
    """List the problems of two DataFrames, as `ranking_check` of SQL does: a row for each kind of problem.

    `ks` are the cut-offs at which to look for tied scores, and down to the largest for repeated items. One
    executor gets all userids and all itemids, each once of each partition.
    """
    return evaluate("ranking_check", rec, truth, history, ks=ks, **columns)


def ranking_beyond_accuracy_by_user(
    rec: DataFrame,
    ks: CutOffs,
    history: DataFrame | None = None,
    items: DataFrame | None = None,
    **options: Unpack[Options],
) -> DataFrame:
    """Say what is in each user's list, as `ranking_beyond_accuracy_by_user` of SQL does, with its arguments.

    Each executor gets all of `items`, and the number of users of each item of `history`.
    """
    return evaluate("ranking_beyond_accuracy_by_user", rec, history, items, ks=ks, **options)


def ranking_beyond_accuracy(
    rec: DataFrame,
    ks: CutOffs,
    history: DataFrame | None = None,
    items: DataFrame | None = None,
    **options: Unpack[Options],
) -> DataFrame:
    """Say what is in all lists, as `ranking_beyond_accuracy` of SQL does: as of each user, and the means.

    One executor gets 8 bytes for each user, system, k and measure, and the lists down to the largest k.
    """
    return evaluate("ranking_beyond_accuracy", rec, history, items, ks=ks, **options)


def ranking_fuse(
    rec: DataFrame,
    method: str = "rrf",
    weights: Mapping[str, float] | None = None,
    rrf_k: float = 60,
    normalize: str = "min_max",
    depth: int | None = None,
    systems: Sequence[str] | None = None,
    **columns: Unpack[ColumnNames],
) -> DataFrame:
    """Join the rankings of several systems into one, as `ranking_fuse` of SQL does, with its arguments.

    Weights or systems that rec does not have are errors of the job, and so are infinite scores.

    Returns userid, itemid, score and n_systems.
    """
    given = {"method": method, "weights": weights, "rrf_k": rrf_k, "normalize": normalize, "depth": depth}
    return evaluate("ranking_fuse", rec, systems=systems, **given, **columns)


def evaluate(function: str, *tables: Any, **arguments: Any) -> DataFrame:
    """Plan a table function of its tables, in the order of `TABLES`, and return the DataFrame of its rows."""
    named = zip(TABLES[function], tables, strict=True)
    frames = {name: frame for name, frame in named if frame is not None or name in ("rec", "truth")}
    schemas = {name: schema(function, name, frame) for name, frame in frames.items()}
    job = partition(function, **schemas, **arguments)
    rows = {name: read(frame, name, job) for name, frame in frames.items()}
    shared = share(rows, job)
    parts = map_in_arrow(by_user(rows, job, shared), "evaluate", job, "part")
    if job.merge_sql:
        return merge(parts, job, shared)
    if "truth" not in rows:
        return parts
    # No partition by user can know that all of truth has no user.
    counts = rows["truth"].selectExpr("count(1) AS truth_rows", "count(truth.user) AS truth_users")
    return parts.unionAll(map_in_arrow(counts, "require_users", job, "part"))


def merge(parts: DataFrame, job: Partitioned, shared: DataFrame | None = None) -> DataFrame:
    """Merge the rows of all partitions and the one of what they share."""
    if shared is not None:
        parts = parts.unionByName(shared, allowMissingColumns=True)
    return map_in_arrow(parts.repartition(1), "merge", job, "result")


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
        except Exception:  # of another class in each version of Spark; 4.3 wants a time zone for a timestamp
            is_moment = field.dataType.typeName() == "timestamp"
            kind = pa.timestamp("us", "UTC") if is_moment else pa.string()
        fields.append((field.name, kind))
    return pa.schema(fields)


def by_place(frame: DataFrame) -> DataFrame:
    """Name columns by place, since a name may hold dots, or occur twice where nobody asks for it."""
    return frame.toDF(*(f"column_{place}" for place in range(len(frame.columns))))


def read(frame: DataFrame, table: str, job: Partitioned) -> DataFrame:
    """Return the columns that are read, by what they are, as one, a struct with the name of the table."""
    columns = []
    for role, name in job.columns[table].items():
        place = frame.columns.index(name)
        kind = frame.schema[place].dataType
        # Spark cannot hand out rows by these, or Arrow has no type for them.
        if role in IDS and re.search(r'(?:^|ype":)"(?:map|variant|interval|calendar)', kind.json()):
            rule = "must not be or hold a MAP, VARIANT or INTERVAL (cast it to STRING)"
            got = shorten(kind.simpleString())
            raise TypeError(f"{job.function}: {shorten(name)} {rule}, got {got}")
        columns.append(F.col(f"column_{place}").alias(role))
    return by_place(frame).select(F.struct(*(columns or [F.lit(0)])).alias(table))


def share(tables: Mapping[str, DataFrame], job: Partitioned) -> DataFrame | None:
    """Return what each partition needs of all of them: a row with the bytes of all such tables."""
    found = []
    for name in (one for one in SHARED if one in job.schemas):
        if name == "systems":
            frame = tables["rec"].select("rec.system").distinct()
        elif name == "counts":
            pairs = tables["history"].where("history.user IS NOT NULL AND history.item IS NOT NULL")
            counted = F.countDistinct("history.user").alias("n")
            frame = pairs.rollup(F.col("history.item").alias("itemid")).agg(counted)
        elif name == "first":
            frame = tables["truth"].selectExpr("min(truth.time) AS time")
        else:
            frame = tables["items"].select("items.*")
        found.append(frame.agg(F.collect_list(F.struct("*")).alias(name)))
    if not found:
        return None
    row = reduce(lambda one, other: one.crossJoin(other), found)
    return row.mapInArrow(on_executors("pack", job), f"{PACKED} binary")


def by_user(tables: Mapping[str, DataFrame], job: Partitioned, shared: DataFrame | None) -> DataFrame:
    """Return all rows, all of a user in one partition, whose first row has what all partitions share."""
    frames = [tables[table] for table in job.columns if table != "items"]
    rows = reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), frames)
    users = [F.col(f"{table}.user") for table in rows.columns if "user" in job.columns[table]]
    if len({field.dataType.simpleString() for field in rows.select(*users).schema}) > 1:
        users = [user.cast("string") for user in users]
    rows = rows.repartition(F.coalesce(*users, F.lit(None)))
    if shared is None:
        return rows
    first = F.expr("(monotonically_increasing_id() & 8589934591L) = 0")
    shared = F.broadcast(shared.withColumn("is_first", F.lit(True)))
    return rows.withColumn("is_first", first).join(shared, "is_first", "left").drop("is_first")
