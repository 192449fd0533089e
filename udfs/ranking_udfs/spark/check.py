"""ranking_check: problems of two DataFrames, to be known before they are evaluated."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import BinaryType, NullType

from ..evaluation.columns import LIKE, ColumnNames, Columns, columns_of
from ..evaluation.defaults import LARGEST_K, K
from .columns import NUMBERS, Tables, UserFrame, cut_offs, deepest_rank, is_infinite, parse_tables

SCHEMA = "problem string, count bigint, example string"
FOUND = "place int, problem string, count bigint, example string"
GRADES, SYSTEMS = LIKE["grades"], f"{LIKE['systems']}|{LIKE['runs']}"


def ranking_check(
    rec: DataFrame,
    truth: DataFrame,
    ks: Sequence[int | None] | int | None = K,
    **columns: Unpack[ColumnNames],
) -> DataFrame:
    """List the problems of two DataFrames, as `ranking_check` of SQL does.

    Args:
        rec: as for `ranking_judged`.
        truth: as for `ranking_judged`.
        ks: the cut-offs at which to look for tied scores, and down to the largest for repeated items.
        columns: as for `ranking_judged`.

    Returns:
        A row for each kind of problem: problem, count (of rows, or of what the problem says), example; no row
        if all is well. A missing or unfit column is the only row, since nothing else can be checked then.
    """
    caller = "ranking_check"
    names = columns_of(caller, columns)
    cuts = cut_offs(caller, ks)
    given = UserFrame(caller, "rec", rec), UserFrame(caller, "truth", truth)
    try:
        found = parse_tables(caller, rec, truth, names)
    except (TypeError, ValueError) as error:
        if not str(error).startswith(f"{caller}: "):
            raise
        problem, _, example = str(error).removeprefix(f"{caller}: ").partition(", got ")
        return rec.sparkSession.createDataFrame([(problem, 1, example)], SCHEMA)
    found = replace(found, recs=with_readable_ids(found.recs), truths=with_readable_ids(found.truths))
    problems = unread_columns(found, *given)
    for more in (rec_problems(found, cuts), truth_problems(found), common_problems(found)):
        problems = problems.unionAll(more)
    problems = problems.groupBy("place", "problem").agg(
        F.expr("sum(count) AS count"), F.expr("min(example) AS example")
    )
    # A row at -place, of users without it, removes the problem at place, which counts only if all have it.
    problems = problems.selectExpr("*", "collect_list(place) OVER (PARTITION BY 1) AS places")
    shown = problems.where("place > 0 AND NOT array_contains(places, -place)")
    return shown.orderBy("place", F.expr("length(problem)"), "problem").select("problem", "count", "example")


def with_readable_ids(frame: DataFrame) -> DataFrame:
    """Write ids of bytes as digits, since examples are text."""
    for name in ("userid", "itemid"):
        if isinstance(frame.schema[name].dataType, BinaryType):
            frame = frame.withColumn(name, F.hex(name))
    return frame


# The place of a problem, and as SQL over the rows of a frame: what it is, how often it is there, an example.
# In it `user_name`, `item_name`, `score_name` and `grade_name` are what the user calls the columns.
Problem = tuple[int, str, str, str]


def problem_rows(frame: DataFrame, names: Columns, problems: Sequence[Problem]) -> DataFrame:
    """Return a row for each problem of each row of the frame."""
    called = {
        "user": names.user_col,
        "item": names.item_col,
        "score": names.score_col,
        "grade": names.grade_col or "rel",
    }
    frame = frame.select("*", *(F.lit(name).alias(f"{what}_name") for what, name in called.items()))
    rows = (
        f"struct({place} AS place, {problem} AS problem, coalesce(CAST({count} AS BIGINT), 0L) AS count,"
        f" CAST({example} AS STRING) AS example)"
        for place, problem, count, example in problems
    )
    return frame.selectExpr(f"inline(array({', '.join(rows)}))").where("count > 0")


def unread_columns(found: Tables, rec: UserFrame, truth: UserFrame) -> DataFrame:
    """List columns that nobody reads, though their names look as if somebody should."""
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


def sql_text(value: str) -> str:
    return f"coalesce(CAST({value} AS STRING), 'NULL')"


def user_text(user: str = "userid") -> str:
    return f"concat(user_name, ' ', {sql_text(user)})"


def row_text(item: str = "NULL", grade: str | None = None) -> str:
    """Return the SQL of a row's text in an example."""
    shown = f"{user_text()}, ', ', item_name, ' ', {sql_text(item)}"
    return f"concat({shown}" + (")" if grade is None else f", ', ', grade_name, ' ', {sql_text(grade)})")


def count_columns(name: str, condition: str, example: str = "itemid") -> list[Column]:
    """Count the rows that hold the condition, as n_name, with the lowest example of them, as name."""
    return [
        F.expr(f"count_if({condition}) AS n_{name}"),
        F.expr(f"min(CASE WHEN {condition} THEN {example} END) AS {name}"),
    ]


def rec_problems(found: Tables, ks: Sequence[int | None]) -> DataFrame:
    """List the problems of recommendations, user by user."""
    is_nan = found.is_nan
    number = "CAST(score AS DOUBLE)"
    by_user = found.recs.groupBy(*found.keys).agg(
        F.expr("count(*) AS n"),
        *count_columns("without_user", "userid IS NULL"),
        F.expr("count_if(itemid IS NULL) AS n_without_item"),
        *count_columns("without_score", "score IS NULL"),
        *count_columns("nan", is_nan),
        F.expr(f"min({number}) AS lowest"),
        F.expr(f"max({number}) AS highest"),
        F.expr(f"sum({number}) AS total"),
        F.expr(f"bool_and({number} = floor({number})) AS are_integers"),
    )
    # NULL where no row has a score, which is no evidence for ranks nor against them.
    are_ranks = "(lowest = 1 AND highest = n AND total = n * (n + 1) / 2 AND are_integers)"
    are_ranks = f"({str(found.names.descending).lower()} AND userid IS NOT NULL AND n > 1 AND {are_ranks})"
    like_ranks = "'rec: scores look like ranks, and the highest counts as the best'"
    problems = problem_rows(
        by_user,
        found.names,
        [
            (7, like_ranks, f"CAST({are_ranks} AND n > 2 AS INT)", user_text()),
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

    most = deepest_rank(ks)
    order = "score DESC, itemid DESC NULLS FIRST" if found.names.descending else "score, itemid NULLS LAST"
    ranking = f"PARTITION BY {', '.join(found.keys)} ORDER BY {order}"
    ranked = found.recs.where(f"userid IS NOT NULL AND score IS NOT NULL AND NOT {is_nan}")
    ranked = ranked.selectExpr("*", f"row_number() OVER ({ranking}) AS rank")
    if most is not None:
        ranked = ranked.where(f"rank <= {most + 1}")
    at = [k for k in ks if k is not None and 0 < k < LARGEST_K]
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
                user_text(),
            )
            for k in at
        ]
        scores_by_user = ranked.groupBy(*found.keys).agg(*scores)
        problems = problems.unionAll(problem_rows(scores_by_user, found.names, tied))
    within = ranked if most is None else ranked.where(f"rank <= {most}")
    where = "" if most is None else f" in the top k = {most}"
    return problems.unionAll(repeated_items(within, found.keys, found.names, 15, "rec", where))


def repeated_items(
    rows: DataFrame, keys: Sequence[str], names: Columns, place: int, table: str, where: str = ""
) -> DataFrame:
    """List items that occur again under the same keys."""
    pairs = rows.where("itemid IS NOT NULL").groupBy(*keys, "itemid").agg(F.expr("count(*) - 1 AS n"))
    by_user = pairs.where("n > 0").groupBy(*keys).agg(F.expr("sum(n) AS n"), F.expr("min(itemid) AS item"))
    what = f"concat('{table}: (', user_name, ', ', item_name, ') repeated{where}')"
    return problem_rows(by_user, names, [(place, what, "n", row_text("item"))])


def truth_problems(found: Tables) -> DataFrame:
    """List the problems of the right items, user by user."""
    grade = "grade" if found.has_grade else "1D"
    number = f"CAST({grade} AS DOUBLE)"
    infinite = is_infinite(number)
    graded = f"struct(itemid AS item, {grade} AS grade)"
    by_user = found.truths.groupBy("userid").agg(
        F.expr("count(*) AS n"),
        *count_columns("without_user", "userid IS NULL"),
        F.expr("count_if(itemid IS NULL) AS n_without_item"),
        *count_columns("without_grade", f"{grade} IS NULL"),
        *count_columns("infinite", infinite, graded),
        *count_columns("negative", f"NOT {infinite} AND {number} < 0", graded),
        F.expr(f"count_if({number} > 0) AS n_relevant"),
        F.expr(f"max({number}) AS highest"),
    )

    def is_wrong(what: str) -> str:
        return f"concat('truth: ', grade_name, ' is {what}')"

    nothing = "concat('truth: no ', grade_name, ' is above 0, so nothing is relevant')"
    problems = problem_rows(
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
    return problems.unionAll(repeated_items(of_users, ["userid"], found.names, 26, "truth"))


def common_problems(found: Tables) -> DataFrame:
    """List the problems between recommendations and right items."""
    lowest_truth, lowest_rec = sql_text("min(in_truth)"), sql_text("min(in_rec)")
    apart = [
        F.expr(
            "CASE WHEN count(in_rec) > 0 AND count_if(in_rec IS NOT NULL AND in_truth IS NOT NULL) = 0"
            " THEN count(in_truth) END AS n_apart"
        ),
        F.expr(f"concat({lowest_truth}, ' in truth, ', {lowest_rec}, ' in rec') AS apart"),
    ]
    users = matched_ids(found, "userid").agg(
        *apart,
        *count_columns("not_in_rec", "in_rec IS NULL", "in_truth"),
        *count_columns("not_in_truth", "in_truth IS NULL", "in_rec"),
    )

    return problem_rows(
        users,
        found.names,
        [
            (4, "'no user of truth is in rec'", "n_apart", "concat(user_name, ' ', apart)"),
            (31, "'users in truth that are not in rec'", "n_not_in_rec", user_text("not_in_rec")),
            (32, "'users in rec that are not in truth'", "n_not_in_truth", user_text("not_in_truth")),
        ],
    ).unionAll(
        problem_rows(
            matched_ids(found, "itemid").agg(*apart),
            found.names,
            [(5, "'no item of truth is in rec'", "n_apart", "concat(item_name, ' ', apart)")],
        )
    )


def matched_ids(found: Tables, column: str) -> DataFrame:
    """Return the different ids of both tables as text, side by side where they are the same."""

    def ids(frame: DataFrame, name: str) -> DataFrame:
        ids = frame.where(f"{column} IS NOT NULL").selectExpr(f"CAST({column} AS STRING) AS {name}")
        return ids.distinct()

    return ids(found.recs, "in_rec").join(ids(found.truths, "in_truth"), F.expr("in_rec = in_truth"), "full")
