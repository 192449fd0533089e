"""ranking_split for Spark: DuckDB finds the windows by the first and the last event, Spark fills them."""

import datetime
import re
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  (as all of Spark's users call it)

from ..duckdb.internal import SPLIT_WINDOWS
from ..duckdb.statements import sql_value
from ..partitions import cursor, plain_errors, value_of
from ..texts import shorten
from .tables import by_position, schema

DAY = 86_400_000_000
MOMENTS = {  # by Spark's type: what _ranking_moment of SQL gives
    "date": f"unix_date({{0}}) * {DAY}L",
    "timestamp": "unix_micros({0})",
    "timestamp_ntz": f"unix_date(CAST({{0}} AS DATE)) * {DAY}L + hour({{0}}) * 3600000000L"
    " + minute({0}) * 60000000L + CAST(extract(SECOND FROM {0}) * 1000000 AS BIGINT)",
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), "CAST({0} AS BIGINT)"),
}
DROPPED = """
    CASE
        WHEN moment < fold.train_until THEN NULL
        WHEN {user} IS NULL THEN 'no user'
        WHEN {item} IS NULL THEN 'no item'
        WHEN moment IS NULL THEN 'no time'
        WHEN moment >= fold.test_until THEN 'after test'
        WHEN moment < fold.test_from THEN 'gap'
        WHEN cold_users_since >= fold.train_until THEN 'cold user'
        WHEN cold_items_since >= fold.train_until THEN 'cold item'
        WHEN seen_since < fold.train_until THEN 'seen'
    END AS dropped"""
DROPS = ("cold_users", "cold_items", "seen")
WINDOW = ("train_until", "test_from", "test_until")
Span = int | str | datetime.timedelta | None


def ranking_split(
    events: DataFrame,
    test_from: int | datetime.date | None = None,
    test_size: Span = None,
    folds: int = 1,
    gap: Span = None,
    last: None = None,
    cold_users: str = "keep",
    cold_items: str = "keep",
    seen: str = "keep",
    user_col: str = "userid",
    item_col: str = "itemid",
    time_col: str = "time",
) -> DataFrame:
    """Split events by time into train and test, fold by fold, as `ranking_split` of SQL does.

    One job finds the first and the last time at once; all else runs when the result is asked for.

    Args:
        events: a DataFrame with userid, itemid and time.
        test_from: where the test begins: an integer, a date or a datetime, as the time is. With a TIMESTAMP
            of Spark, which is a moment, it must have a time zone.
        test_size: how long a test is: an integer, a timedelta, or a text such as "7 days" or "1 month".
        folds: how many tests, each ending where the next one begins.
        gap: how long before a test its train ends, as test_size.
        last: not on Spark.
        cold_users: "keep", or "drop" rows of a test whose user is not in its train.
        cold_items: likewise of an item.
        seen: likewise of a user and an item that are in its train together.
        user_col: the name of the column, in any case.
        item_col: likewise.
        time_col: likewise.

    Returns:
        The columns of events, fold, part and dropped: a row per event and fold.

    Raises:
        ValueError, TypeError: events is no DataFrame, a column does not fit, or an argument is not valid.
    """
    if last is not None:
        rule = "must be None on Spark, where a split is by time (test_from or test_size)"
        raise ValueError(f"ranking_split: last {rule}, got {shorten(repr(last))}")
    kinds = schema("ranking_split", "events", events)
    names = {"user_col": user_col, "item_col": item_col, "time_col": time_col}
    spans = {"test_from": test_from, "test_size": test_size, "folds": folds, "gap": gap, "last": None}
    drops = {"cold_users": cold_users, "cold_items": cold_items, "seen": seen}
    given = {name: argument_sql(name, value) for name, value in (spans | names | drops).items()}
    find_windows(kinds, given, (None, None))  # the errors that need no job
    rows = by_position(events)
    columns = rows.columns
    positions = {name.lower(): position for name, position in zip(kinds.names, columns, strict=True)}
    user, item, time = (positions[name.lower()] for name in names.values())
    moment = MOMENTS[dict(rows.dtypes)[time]].format(time)
    known = f"{user} IS NOT NULL AND {item} IS NOT NULL"
    rows = rows.selectExpr("*", f"CASE WHEN {known} THEN {moment} END AS moment")
    (extremes,) = rows.selectExpr("min(moment)", "max(moment)").collect()
    windows = find_windows(kinds, given, extremes)
    timed = rows.where("moment IS NOT NULL")
    for what, keys in zip(DROPS, ([user], [item], [user, item]), strict=True):
        since = f"{what}_since"
        if drops[what] == "drop":
            rows = rows.join(timed.groupBy(*keys).agg(F.min("moment").alias(since)), keys, "left")
        else:
            rows = rows.withColumn(since, F.lit(None).cast("bigint"))
    found = rows.selectExpr("*", f"explode(array({', '.join(windows)})) AS fold")
    found = found.selectExpr("*", DROPPED.format(user=user, item=item))
    part = "IF(dropped IS NOT NULL, NULL, IF(moment < fold.train_until, 'train', 'test')) AS part"
    added = "fold", "part", "dropped"
    return found.selectExpr(*columns, "fold.number AS fold", part, "dropped").toDF(*kinds.names, *added)


def find_windows(kinds: pa.Schema, given: dict[str, str], extremes: Sequence[int | None]) -> list[str]:
    """Return the windows of the folds as Spark's SQL, of events at these moments, or a ValueError."""
    moments = [one for one in extremes if one is not None]
    arrays = []
    for field in kinds:
        if sql_value(field.name.lower()) != given["time_col"].lower():
            arrays.append(pa.array(["x"] * len(moments), pa.string()))
        elif not moments:
            arrays.append(pa.nulls(0, field.type))
        elif pa.types.is_date(field.type):
            arrays.append(pa.array([one // DAY for one in moments], pa.int32()).cast(field.type))
        else:
            arrays.append(pa.array(moments, pa.int64()).cast(field.type))
    with cursor() as con, plain_errors():
        con.register("events", pa.Table.from_arrays(arrays, names=kinds.names))
        arguments = {name: f"{name} := {value}" for name, value in given.items()}
        # For its errors alone, so that no row becomes an object, which of a TIMESTAMPTZ wants pytz.
        con.execute(f"SELECT count(*) FROM ranking_split('events', {', '.join(arguments.values())})")
        of_windows = ", ".join(one for name, one in arguments.items() if name not in DROPS)
        fields = "".join(f", '{name}', CAST(%s AS BIGINT)" for name in WINDOW)
        values = ", ".join(f"coalesce(ranking_{name}::VARCHAR, 'NULL')" for name in WINDOW)
        windows = f"{SPLIT_WINDOWS}('events', {of_windows}, misfit := NULL)"
        found = con.execute(f"SELECT ranking_fold, {values} FROM {windows}")
        return [f"named_struct('number', %sL{fields})" % row for row in found.fetchall()]


def argument_sql(name: str, value: Any) -> str:
    """Return an argument as SQL; a text is a span where one is wanted."""
    if isinstance(value, datetime.datetime):
        return f"TIMESTAMP{'' if value.tzinfo is None else 'TZ'} '{value.isoformat(' ')}'"
    if isinstance(value, datetime.date):
        return f"DATE '{value.isoformat()}'"
    if isinstance(value, datetime.timedelta):
        return f"to_microseconds({value // datetime.timedelta(microseconds=1)})"
    text = value_of(f"ranking_split: {name}", value)
    if name not in ("test_size", "gap") or not isinstance(value, str):
        return text
    with cursor() as con:
        is_span = con.execute(f"SELECT TRY_CAST({text} AS INTERVAL) IS NOT NULL").fetchone() == (True,)
    if not (is_span and re.search("[a-z:]", value, re.IGNORECASE)):  # DuckDB takes 7 for seconds
        raise ValueError(f"ranking_split: {name} must be a span such as '7 days', got {shorten(repr(value))}")
    return f"{text}::INTERVAL"
