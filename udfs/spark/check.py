"""ranking_check: what is wrong, or worth knowing, about two DataFrames before they are evaluated."""

import re
from collections.abc import Sequence
from dataclasses import replace

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import BinaryType, NullType

from .columns import NUMBERS, Found, Names, Tables, cut_offs, is_infinite, longest, tables

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
        F.expr("sum(count) AS count"), F.expr("min(example) AS example")
    )
    # A problem that there is only if nobody is without it has the opposite of its place for those who are.
    problems = problems.selectExpr("*", "collect_list(place) OVER (PARTITION BY 1) AS places")
    shown = problems.where("place > 0 AND NOT array_contains(places, -place)")
    return shown.orderBy("place", F.expr("length(problem)"), "problem").select("problem", "count", "example")


def readable(frame: DataFrame) -> DataFrame:
    """The same with ids of bytes as digits, since examples are text."""
    for name in ("userid", "itemid"):
        if isinstance(frame.schema[name].dataType, BinaryType):
            frame = frame.withColumn(name, F.hex(name))
    return frame


# The place of a problem, and as SQL over the rows of a frame: what it is, how often it is there, an example.
# In it `user_name`, `item_name`, `score_name` and `grade_name` are what the user calls the columns.
Problem = tuple[int, str, str, str]


def listed(frame: DataFrame, names: Names, problems: Sequence[Problem]) -> DataFrame:
    """A row for each problem of each row of the frame."""
    called = {"user": names.user, "item": names.item, "score": names.score, "grade": names.grade or "rel"}
    frame = frame.select("*", *(F.lit(name).alias(f"{what}_name") for what, name in called.items()))
    rows = (
        f"struct({place} AS place, {problem} AS problem, coalesce(CAST({count} AS BIGINT), 0L) AS count,"
        f" CAST({example} AS STRING) AS example)"
        for place, problem, count, example in problems
    )
    return frame.selectExpr(f"inline(array({', '.join(rows)}))").where("count > 0")


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


def text(value: str) -> str:
    return f"coalesce(CAST({value} AS STRING), 'NULL')"


def of_user(user: str = "userid") -> str:
    return f"concat(user_name, ' ', {text(user)})"


def row_text(item: str = "NULL", grade: str | None = None) -> str:
    """A row, as an example shows it."""
    shown = f"{of_user()}, ', ', item_name, ' ', {text(item)}"
    return f"concat({shown})" if grade is None else f"concat({shown}, ', ', grade_name, ' ', {text(grade)})"


def counted(name: str, condition: str, example: str = "itemid") -> list[Column]:
    """How many rows hold the condition, as n_name, and the lowest example among them, as name."""
    return [
        F.expr(f"count_if({condition}) AS n_{name}"),
        F.expr(f"min(CASE WHEN {condition} THEN {example} END) AS {name}"),
    ]


def rec_problems(found: Tables, ks: Sequence[int | None]) -> DataFrame:
    """What is wrong with recommendations, user by user."""
    is_nan = found.is_nan
    number = "CAST(score AS DOUBLE)"
    by_user = found.recs.groupBy(*found.keys).agg(
        F.expr("count(*) AS n"),
        *counted("without_user", "userid IS NULL"),
        F.expr("count_if(itemid IS NULL) AS n_without_item"),
        *counted("without_score", "score IS NULL"),
        *counted("nan", is_nan),
        F.expr(f"min({number}) AS lowest"),
        F.expr(f"max({number}) AS highest"),
        F.expr(f"sum({number}) AS total"),
        F.expr(f"bool_and({number} = floor({number})) AS are_integers"),
    )
    # NULL without a score, which speaks neither for it nor against it.
    are_ranks = "(lowest = 1 AND highest = n AND total = n * (n + 1) / 2 AND are_integers)"
    are_ranks = f"({str(found.names.descending).lower()} AND userid IS NOT NULL AND n > 1 AND {are_ranks})"
    like_ranks = "'rec: scores look like ranks, and the highest counts as the best'"
    problems = listed(
        by_user,
        found.names,
        [
            (7, like_ranks, f"CAST({are_ranks} AND n > 2 AS INT)", of_user()),
            (-7, "''", f"CAST(userid IS NOT NULL AND n > 1 AND NOT {are_ranks} AS INT)", "NULL"),
            (
                11,
                "concat('rec: ', user_name, ' is NULL')",
                "n_without_user",
                row_text("without_user"),
            ),
            (12, "concat('rec: ', item_name, ' is NULL')", "n_without_item", row_text()),
            (
                13,
                "concat('rec: ', score_name, ' is NULL')",
                "n_without_score",
                row_text("without_score"),
            ),
            (14, "concat('rec: ', score_name, ' is NaN')", "n_nan", row_text("nan")),
        ],
    )

    most = longest(ks)
    order = "score DESC, itemid DESC NULLS FIRST" if found.names.descending else "score, itemid NULLS LAST"
    ranking = f"PARTITION BY {', '.join(found.keys)} ORDER BY {order}"
    ranked = found.recs.where(f"userid IS NOT NULL AND score IS NOT NULL AND NOT {is_nan}")
    ranked = ranked.selectExpr("*", f"row_number() OVER ({ranking}) AS rank")
    if most is not None:
        ranked = ranked.where(f"rank <= {most + 1}")
    at = [k for k in ks if k is not None and 0 < k < 2**31 - 1]
    if at:
        scores = [
            F.expr(f"max(CASE WHEN rank = {rank} THEN score END) AS score_{rank}")
            for rank in sorted({*at, *(k + 1 for k in at)})
        ]
        tied = [
            (
                16,
                f"'rec: users with tied scores at k = {k}'",
                f"CAST(score_{k} = score_{k + 1} AS INT)",
                of_user(),
            )
            for k in at
        ]
        problems = problems.unionAll(listed(ranked.groupBy(*found.keys).agg(*scores), found.names, tied))
    within = ranked if most is None else ranked.where(f"rank <= {most}")
    where = "" if most is None else f" in the top k = {most}"
    return problems.unionAll(repeated(within, found.keys, found.names, 15, "rec", where))


def repeated(
    rows: DataFrame, keys: Sequence[str], names: Names, place: int, table: str, where: str = ""
) -> DataFrame:
    """Items that are there again in what the keys tell apart."""
    pairs = rows.where("itemid IS NOT NULL").groupBy(*keys, "itemid").agg(F.expr("count(*) - 1 AS n"))
    by_user = pairs.where("n > 0").groupBy(*keys).agg(F.expr("sum(n) AS n"), F.expr("min(itemid) AS item"))
    what = f"concat('{table}: (', user_name, ', ', item_name, ') repeated{where}')"
    return listed(by_user, names, [(place, what, "n", row_text("item"))])


def truth_problems(found: Tables) -> DataFrame:
    """What is wrong with the right items, user by user."""
    grade = "grade" if found.has_grade else "1D"
    number = f"CAST({grade} AS DOUBLE)"
    infinite = is_infinite(number)
    graded = f"struct(itemid AS item, {grade} AS grade)"
    by_user = found.truths.groupBy("userid").agg(
        F.expr("count(*) AS n"),
        *counted("without_user", "userid IS NULL"),
        F.expr("count_if(itemid IS NULL) AS n_without_item"),
        *counted("without_grade", f"{grade} IS NULL"),
        *counted("infinite", infinite, graded),
        *counted("negative", f"NOT {infinite} AND {number} < 0", graded),
        F.expr(f"count_if({number} > 0) AS n_relevant"),
        F.expr(f"max({number}) AS highest"),
    )

    def is_wrong(what: str) -> str:
        return f"concat('truth: ', grade_name, ' is {what}')"

    nothing = "concat('truth: no ', grade_name, ' is above 0, so nothing is relevant')"
    problems = listed(
        by_user,
        found.names,
        [
            (6, nothing, "n", "concat(grade_name, ' ', CAST(highest AS STRING))"),
            (-6, "''", "n_relevant", "NULL"),
            (
                21,
                "concat('truth: ', user_name, ' is NULL')",
                "n_without_user",
                row_text("without_user"),
            ),
            (22, "concat('truth: ', item_name, ' is NULL')", "n_without_item", row_text()),
            (23, is_wrong("NULL"), "n_without_grade", row_text("without_grade")),
            (
                24,
                is_wrong("NaN or infinite"),
                "n_infinite",
                row_text("infinite.item", "infinite.grade"),
            ),
            (25, is_wrong("negative"), "n_negative", row_text("negative.item", "negative.grade")),
        ],
    )
    of_users = found.truths.where("userid IS NOT NULL")
    return problems.unionAll(repeated(of_users, ["userid"], found.names, 26, "truth"))


def common_problems(found: Tables) -> DataFrame:
    """What is wrong between recommendations and right items."""
    apart = [
        F.expr(
            "CASE WHEN count(in_rec) > 0 AND count_if(in_rec IS NOT NULL AND in_truth IS NOT NULL) = 0"
            " THEN count(in_truth) END AS n_apart"
        ),
        F.expr(f"concat({text('min(in_truth)')}, ' in truth, ', {text('min(in_rec)')}, ' in rec') AS apart"),
    ]
    users = both(found, "userid").agg(
        *apart,
        *counted("not_in_rec", "in_rec IS NULL", "in_truth"),
        *counted("not_in_truth", "in_truth IS NULL", "in_rec"),
    )

    return listed(
        users,
        found.names,
        [
            (4, "'no user of truth is in rec'", "n_apart", "concat(user_name, ' ', apart)"),
            (31, "'users in truth that are not in rec'", "n_not_in_rec", of_user("not_in_rec")),
            (32, "'users in rec that are not in truth'", "n_not_in_truth", of_user("not_in_truth")),
        ],
    ).unionAll(
        listed(
            both(found, "itemid").agg(*apart),
            found.names,
            [(5, "'no item of truth is in rec'", "n_apart", "concat(item_name, ' ', apart)")],
        )
    )


def both(found: Tables, column: str) -> DataFrame:
    """The different ids of both tables as text, side by side where they are the same."""

    def ids(frame: DataFrame, name: str) -> DataFrame:
        ids = frame.where(f"{column} IS NOT NULL").selectExpr(f"CAST({column} AS STRING) AS {name}")
        return ids.distinct()

    return ids(found.recs, "in_rec").join(ids(found.truths, "in_truth"), F.expr("in_rec = in_truth"), "full")
