"""ranking_check: what is wrong, or worth knowing, about two DataFrames before they are evaluated."""

import re
from collections.abc import Sequence
from dataclasses import replace

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import BinaryType, NullType

from .columns import FLOATS, NUMBERS, Found, Names, Tables, cut_offs, longest, tables

SCHEMA = "problem string, count bigint, example string"
FOUND = "place int, problem string, count bigint, example string"
# What columns are called that look like grades or systems and are not read: as in sql/tables/internal.
GRADES = (
    "(?:user_?)?ratings?|stars?|grades?|relevance|relevancy|relevant|gain|label|score|points|weight|value"
)
SYSTEMS = "(?:model|algorithm|algo|variant|recommender|method|run|experiment|strategy|arm)(?:_?(?:id|name))?"


def ranking_check(
    rec: DataFrame,
    truth: DataFrame,
    ks: Sequence[int | None] | int | None = 10,
    *,
    user_col: str = "userid",
    item_col: str = "itemid",
    score_col: str = "score",
    grade_col: str | None = None,
    system_col: str | None = None,
    descending: bool = True,
) -> DataFrame:
    """What is wrong, or worth knowing, about two DataFrames, as `ranking_check` of SQL finds it.

    rec, truth, user_col, ..., descending: as for `ranking_judged`
    ks  the cut-offs at which tied scores are looked for, and above the largest of which repeated items are

    Returns a row for each kind of problem that there is: problem, count (of rows, or of what the problem
    says), example; no row if all is well. A column that is missing or does not fit is the one row, since
    nothing else can be looked at then.
    """
    caller = "ranking_check"
    names = Names(user_col, item_col, score_col, grade_col, system_col, descending)
    cuts = cut_offs(caller, ks)
    names.check(caller)  # a wrong argument is no problem of the data
    given = Found(caller, "rec", rec), Found(caller, "truth", truth)
    try:
        found = tables(caller, rec, truth, names)
    except (TypeError, ValueError) as error:
        if not str(error).startswith(f"{caller}: "):
            raise
        problem, _, example = str(error).removeprefix(f"{caller}: ").partition(", got ")
        return rec.sparkSession.createDataFrame([(problem, 1, example)], SCHEMA)
    found = replace(found, recs=readable(found.recs), truths=readable(found.truths))
    problems = not_read(found, *given)
    for more in (rec_problems(found, cuts), truth_problems(found), common_problems(found)):
        problems = problems.unionAll(more)
    problems = problems.groupBy("place", "problem").agg(
        F.sum("count").alias("count"), F.min("example").alias("example")
    )
    # A problem that there is only if nobody is without it has the opposite of its place for those who are.
    places = F.collect_list("place").over(Window.partitionBy(F.lit(1)))
    problems = problems.where("count > 0").withColumn("places", places)
    shown = problems.where((F.col("place") > 0) & ~F.array_contains("places", -F.col("place")))
    return shown.orderBy("place", F.length("problem"), "problem").select("problem", "count", "example")


def readable(frame: DataFrame) -> DataFrame:
    """The same with ids of bytes as digits, since examples are text."""
    for name in ("userid", "itemid"):
        if isinstance(frame.schema[name].dataType, BinaryType):
            frame = frame.withColumn(name, F.hex(name))
    return frame


Problem = tuple[int, str | Column, Column, Column]  # place, problem, count, example


def listed(frame: DataFrame, problems: Sequence[Problem]) -> DataFrame:
    """A row for each problem of each row of the frame."""
    rows = [
        F.struct(
            F.lit(place).alias("place"),
            F.lit(problem).alias("problem"),
            F.coalesce(count.cast("bigint"), F.lit(0).cast("bigint")).alias("count"),
            example.cast("string").alias("example"),
        )
        for place, problem, count, example in problems
    ]
    return frame.select(F.inline(F.array(*rows))).where("count > 0")


def not_read(found: Tables, rec: Found, truth: Found) -> DataFrame:
    """The columns that nobody reads, though they look as if somebody should."""
    grades = [
        name
        for name, kind in zip(truth.names, truth.types, strict=True)
        if re.fullmatch(GRADES, name, re.IGNORECASE)
        and isinstance(kind, NUMBERS)
        and not isinstance(kind, NullType)
    ]
    systems = [name for name in rec.names if re.fullmatch(SYSTEMS, name, re.IGNORECASE)]
    rows = [
        (
            2,
            "truth: columns that look like grades are not read",
            len(grades),
            ", ".join(grades),
            found.has_grade,
        ),
        (
            3,
            "rec: columns that look like systems are not read",
            len(systems),
            ", ".join(systems),
            found.has_system,
        ),
    ]
    session = found.recs.sparkSession
    return session.createDataFrame([row[:4] for row in rows if row[2] and not row[4]], FOUND)


def row_text(names: Names, user: Column | None, item: Column | None, more: Column | None = None) -> Column:
    """A row, as an example shows it."""
    parts = [F.lit(f"{names.user} "), text(user), F.lit(f", {names.item} "), text(item)]
    return F.concat(*parts, *([] if more is None else [F.lit(f", {names.grade or 'rel'} "), text(more)]))


def text(value: Column | None) -> Column:
    return F.lit("NULL") if value is None else F.coalesce(value.cast("string"), F.lit("NULL"))


def rec_problems(found: Tables, ks: Sequence[int | None]) -> DataFrame:
    """What is wrong with recommendations, user by user."""
    names, user, item, score = found.names, F.col("userid"), F.col("itemid"), F.col("score")
    is_nan = F.isnan(score) if isinstance(found.recs.schema["score"].dataType, FLOATS) else F.lit(False)
    number = score.cast("double")
    by_user = found.recs.groupBy(*found.keys).agg(
        F.count("*").alias("n"),
        F.count("itemid").alias("n_items"),
        F.count("score").alias("n_scores"),
        F.count_if(is_nan).alias("n_nan"),
        F.min(F.when(user.isNull(), item)).alias("item"),
        F.min(F.when(score.isNull(), item)).alias("without_score"),
        F.min(F.when(is_nan, item)).alias("nan"),
        F.min(number).alias("lowest"),
        F.max(number).alias("highest"),
        F.sum(number).alias("total"),
        F.bool_and(number == F.floor(number)).alias("are_integers"),
    )
    n = F.col("n")
    are_ranks = (  # NULL without a score, which speaks neither for it nor against it
        F.lit(names.descending)
        & user.isNotNull()
        & (n > 1)
        & (F.col("lowest") == 1)
        & (F.col("highest") == n)
        & (F.col("total") == n * (n + 1) / 2)
        & F.col("are_integers")
    )
    like_ranks = "rec: scores look like ranks, and the highest counts as the best"
    of_user = F.concat(F.lit(f"{names.user} "), text(user))
    problems = listed(
        by_user,
        [
            (7, like_ranks, (are_ranks & (n > 2)).cast("int"), of_user),
            (-7, "", (user.isNotNull() & (n > 1) & ~are_ranks).cast("int"), F.lit(None)),
            (
                11,
                f"rec: {names.user} is NULL",
                F.when(user.isNull(), n),
                row_text(names, user, F.col("item")),
            ),
            (12, f"rec: {names.item} is NULL", n - F.col("n_items"), row_text(names, user, None)),
            (
                13,
                f"rec: {names.score} is NULL",
                n - F.col("n_scores"),
                row_text(names, user, F.col("without_score")),
            ),
            (14, f"rec: {names.score} is NaN", F.col("n_nan"), row_text(names, user, F.col("nan"))),
        ],
    )

    most = longest(ks)
    order = (
        (score.desc(), item.desc_nulls_first()) if names.descending else (score.asc(), item.asc_nulls_last())
    )
    ranking = Window.partitionBy(*found.keys).orderBy(*order)
    ranked = found.recs.where(user.isNotNull() & score.isNotNull() & ~is_nan)
    ranked = ranked.withColumn("rank", F.row_number().over(ranking))
    if most is not None:
        ranked = ranked.where(F.col("rank") <= most + 1)
    at = [k for k in ks if k is not None and 0 < k < 2**31 - 1]
    if at:
        scores = [
            F.max(F.when(F.col("rank") == rank, score)).alias(f"score_{rank}")
            for rank in sorted({*at, *(k + 1 for k in at)})
        ]
        tied = [
            (
                16,
                f"rec: users with tied scores at k = {k}",
                (F.col(f"score_{k}") == F.col(f"score_{k + 1}")).cast("int"),
                of_user,
            )
            for k in at
        ]
        problems = problems.unionAll(listed(ranked.groupBy(*found.keys).agg(*scores), tied))
    within = ranked if most is None else ranked.where(F.col("rank") <= most)
    what = f"rec: ({names.user}, {names.item}) repeated" + ("" if most is None else f" in the top k = {most}")
    return problems.unionAll(repeated(within, found.keys, names, 15, what))


def repeated(rows: DataFrame, keys: Sequence[str], names: Names, place: int, what: str) -> DataFrame:
    """Items that are there again in what the keys tell apart."""
    pairs = rows.where("itemid IS NOT NULL").groupBy(*keys, "itemid").agg((F.count("*") - 1).alias("n"))
    by_user = pairs.where("n > 0").groupBy(*keys).agg(F.sum("n").alias("n"), F.min("itemid").alias("item"))
    return listed(by_user, [(place, what, F.col("n"), row_text(names, F.col("userid"), F.col("item")))])


def truth_problems(found: Tables) -> DataFrame:
    """What is wrong with the right items, user by user."""
    names, user, item = found.names, F.col("userid"), F.col("itemid")
    grade_name = names.grade or "rel"
    raw = F.col("grade") if found.has_grade else F.lit(1.0)
    number = raw.cast("double")
    is_finite = ~F.isnan(number) & (F.abs(number) != float("inf"))
    no_grade, infinite, negative = raw.isNull(), ~is_finite, is_finite & (number < 0)
    by_user = found.truths.groupBy("userid").agg(
        F.count("*").alias("n"),
        F.count("itemid").alias("n_items"),
        F.count_if(no_grade).alias("n_without_grade"),
        F.count_if(infinite).alias("n_infinite"),
        F.count_if(negative).alias("n_negative"),
        F.count_if(number > 0).alias("n_relevant"),
        F.max(number).alias("highest"),
        F.min(F.when(user.isNull(), item)).alias("item"),
        F.min(F.when(no_grade, item)).alias("without_grade"),
        F.min(F.when(infinite, F.struct(item.alias("item"), raw.alias("grade")))).alias("infinite"),
        F.min(F.when(negative, F.struct(item.alias("item"), raw.alias("grade")))).alias("negative"),
    )
    n, infinite, negative = F.col("n"), F.col("infinite"), F.col("negative")
    nothing = f"truth: no {grade_name} is above 0, so nothing is relevant"
    problems = listed(
        by_user,
        [
            (6, nothing, n, F.concat(F.lit(f"{grade_name} "), F.col("highest").cast("string"))),
            (-6, "", F.col("n_relevant"), F.lit(None)),
            (
                21,
                f"truth: {names.user} is NULL",
                F.when(user.isNull(), n),
                row_text(names, user, F.col("item")),
            ),
            (22, f"truth: {names.item} is NULL", n - F.col("n_items"), row_text(names, user, None)),
            (
                23,
                f"truth: {grade_name} is NULL",
                F.col("n_without_grade"),
                row_text(names, user, F.col("without_grade")),
            ),
            (
                24,
                f"truth: {grade_name} is NaN or infinite",
                F.col("n_infinite"),
                row_text(names, user, infinite["item"], infinite["grade"]),
            ),
            (
                25,
                f"truth: {grade_name} is negative",
                F.col("n_negative"),
                row_text(names, user, negative["item"], negative["grade"]),
            ),
        ],
    )
    what = f"truth: ({names.user}, {names.item}) repeated"
    return problems.unionAll(repeated(found.truths.where(user.isNotNull()), ["userid"], names, 26, what))


def common_problems(found: Tables) -> DataFrame:
    """What is wrong between recommendations and right items."""
    names = found.names
    users, items = both(found, "userid"), both(found, "itemid")
    rec, truth = F.col("in_rec"), F.col("in_truth")

    def apart(name: str) -> tuple[Column, Column]:
        count = F.when(
            (F.count(rec) > 0) & (F.count_if(rec.isNotNull() & truth.isNotNull()) == 0), F.count(truth)
        )
        parts = [
            F.lit(f"{name} "),
            text(F.min(truth)),
            F.lit(" in truth, "),
            text(F.min(rec)),
            F.lit(" in rec"),
        ]
        return count, F.concat(*parts)

    def missing(one: Column, other: Column) -> tuple[Column, Column]:
        lowest = F.min(F.when(one.isNull(), other))
        return F.count_if(one.isNull()), F.concat(F.lit(f"{names.user} "), text(lowest))

    return listed(
        users.agg(
            *named(apart(names.user), 4), *named(missing(rec, truth), 31), *named(missing(truth, rec), 32)
        ),
        [
            (4, "no user of truth is in rec", F.col("count_4"), F.col("example_4")),
            (31, "users in truth that are not in rec", F.col("count_31"), F.col("example_31")),
            (32, "users in rec that are not in truth", F.col("count_32"), F.col("example_32")),
        ],
    ).unionAll(
        listed(
            items.agg(*named(apart(names.item), 5)),
            [(5, "no item of truth is in rec", F.col("count_5"), F.col("example_5"))],
        )
    )


def named(columns: tuple[Column, Column], place: int) -> list[Column]:
    return [columns[0].alias(f"count_{place}"), columns[1].alias(f"example_{place}")]


def both(found: Tables, column: str) -> DataFrame:
    """The different ids of both tables as text, side by side where they are the same."""

    def ids(frame: DataFrame, name: str) -> DataFrame:
        return (
            frame.where(F.col(column).isNotNull()).select(F.col(column).cast("string").alias(name)).distinct()
        )

    rec, truth = ids(found.recs, "in_rec"), ids(found.truths, "in_truth")
    return rec.join(truth, F.col("in_rec") == F.col("in_truth"), "full")
