"""The table functions: from DataFrames of rec and truth to judged rankings, values by user, and means."""

from collections.abc import Sequence
from math import isinf
from typing import Any, Unpack

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.functions import arrow_udf  # type: ignore[attr-defined, unused-ignore]

from ..evaluation.columns import ColumnNames, Columns, columns_of
from ..measures.grammar import Choice, merge_choices, parse_measures
from ..measures.registry import MEASURES
from ..texts import shorten
from .columns import Tables, check_cut_off, cut_offs, deepest_rank, parse_tables
from .judging import rankings
from .kernels import measures_kernel


def ranking_judged(
    rec: DataFrame,
    truth: DataFrame,
    max_k: int | None,
    **columns: Unpack[ColumnNames],
) -> DataFrame:
    """Judge the ranking of every user with truth, as `ranking_judged` of SQL does.

    Nothing runs before the result is asked for. A grade that is NULL, NaN or infinite, and a truth without a
    user, are errors of the job.

    Args:
        rec: userid, itemid, score; with a column `system`, each system is scored over the same users.
        truth: userid, itemid and, if there are grades, rel.
        max_k: the rank at which to cut the ranking; None for all of it.
        columns: user_col, item_col, score_col, grade_col, system_col: names of the columns, in any case, by
            default as above; descending=False where the lowest score is the best, as of ranks.

    Returns:
        [system,] userid, n_rec (rows in rec), n_truth (relevant items), judged, a STRUCT that the functions
        of `register` take: `ndcg(judged, 10, 'gain=linear')`.

    Raises:
        ValueError: a column is missing, or max_k is below 0.
        TypeError: a column or an argument is of a type that does not fit.
    """
    caller = "ranking_judged"
    check_cut_off(caller, "max_k", max_k)
    names = columns_of(caller, columns)
    found = parse_tables(caller, rec, truth, names)
    judged = rankings(found, deepest_rank([max_k])).where("has_truth")
    return require_users(found, judged.selectExpr(*key_columns(found), "n_rec", "n_truth", "judged"))


def ranking_by_user(
    rec: DataFrame,
    truth: DataFrame,
    ks: Sequence[int | None] | int | None,
    measures: Sequence[str] | str | None = None,
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
    names = columns_of("ranking_by_user", columns)
    found, chosen, values = measured_values("ranking_by_user", rec, truth, ks, measures, ties, names)
    values = values.where("has_truth")
    shown = [f"m{place} AS `{choice.name}`" for place, choice in enumerate(chosen)]
    return require_users(found, values.selectExpr(*key_columns(found), "k", "n_rec", "n_truth", *shown))


def ranking_summary(
    rec: DataFrame,
    truth: DataFrame,
    ks: Sequence[int | None] | int | None,
    measures: Sequence[str] | str | None = None,
    ties: str = "item",
    **columns: Unpack[ColumnNames],
) -> DataFrame:
    """Average the measures over the users with truth for every k, as `ranking_summary` of SQL does.

    All arguments and errors: as for `ranking_by_user`.

    Returns [system,] k, users (all with truth), users_without_rec (of them; they score as an empty list),
    users_without_truth (in rec, left out), a DOUBLE for each measure: the same on any number of partitions.
    """
    names = columns_of("ranking_summary", columns)
    found, chosen, values = measured_values("ranking_summary", rec, truth, ks, measures, ties, names)
    keys = [key for key in found.keys if key != "userid"]
    means = values.groupBy(*keys, "k").agg(
        F.expr("count_if(has_truth) AS users"),
        F.expr("count_if(has_truth AND n_rec = 0) AS users_without_rec"),
        F.expr("count_if(NOT has_truth) AS users_without_truth"),
        *(F.expr(f"{mean_expression(f'm{place}', one)} AS `{one.name}`") for place, one in enumerate(chosen)),
    )
    shown = [f"`{name}`" for name in means.columns[len(keys) :]]
    summary = require_users(found, means.selectExpr(*key_columns(found, keys), *shown))
    return summary.orderBy(*(F.col(name).asc_nulls_last() for name in [*keys, "k"]))


def measured_values(
    caller: str, rec: Any, truth: Any, ks: Any, measures: Any, ties: Any, names: Columns
) -> tuple[Tables, list[Choice], DataFrame]:
    """Return the tables, the measures, and their values: `rankings` with k and columns m0, m1, ..."""
    if ties not in ("item", "expected"):
        raise ValueError(f"{caller}: ties must be item|expected, got {shorten(repr(ties))}")
    chosen = parse_choices(caller, measures, ties)
    given = cut_offs(caller, ks, needed=not all(choice.cuts for choice in chosen))
    chosen = merge_choices(chosen, given)
    cuts = sorted({k for choice in chosen for k in choice.cuts} | set(given), key=lambda k: (k is None, k))
    found = parse_tables(caller, rec, truth, names)
    judged = rankings(found, deepest_rank(cuts), tied=ties == "expected")
    fields = ", ".join(f"m{place}: double" for place in range(len(chosen)))
    compute = arrow_udf(
        measures_kernel(caller, [choice.text for choice in chosen], cuts, ties == "expected"),
        f"array<struct<k: bigint, {fields}>>",
    )
    return found, chosen, judged.select("*", F.inline(compute("judged")))


def parse_choices(caller: str, measures: Any, ties: str) -> list[Choice]:
    """Parse the measures, by default all that there are."""
    if measures is None:
        usual = (one for one in MEASURES.values() if (one.expected if ties == "expected" else one.column))
        measures = [one.name for one in usual]
    texts = list(measures) if isinstance(measures, (list, tuple)) else [measures]
    if not texts or not all(isinstance(one, str) for one in texts):
        raise TypeError(f"{caller}: measures must be names of measures, got {shorten(repr(measures))}")
    try:
        chosen = [choice for one in texts for choice in parse_measures(one)]
    except ValueError as error:
        raise ValueError(f"{caller}: {error}") from None
    for choice in chosen:
        if ties == "expected" and not choice.measure.expected:
            rule = "must be one whose expected value over ties has a closed form"
            raise ValueError(f"{caller}: with ties=expected a measure {rule}, got {choice.name}")
    return chosen


def mean_expression(value: str, choice: Choice) -> str:
    """Return the SQL of a mean of what is not NULL, by sums of integers, which no row order changes.

    A value is split into its multiples of 2^-10, of 2^-40 and of 2^-70; of measures without bounds, those
    from 2^20 on are added in their own order instead.
    """
    scaled = f"(CASE WHEN abs({value}) < {2**20} THEN {value} END * {2**10})"
    middle = f"(({scaled} - floor({scaled})) * {2**30})"
    low = f"(({middle} - floor({middle})) * {2**30})"
    parts = {scaled: 2**10, middle: 2**40, low: 2**70}
    high, *rest = (f"sum(floor({part})) / {unit}D" for part, unit in parts.items())
    total = f"({high} + ({' + '.join(rest)}))"
    if isinf(choice.measure.range.high):
        large = f"array_sort(collect_list(CASE WHEN abs({value}) >= {2**20} THEN {value} END))"
        total = f"(coalesce({total}, 0D) + aggregate({large}, 0D, (so_far, one) -> so_far + one))"
    return f"{total} / nullif(count({value}), 0)"


def key_columns(found: Tables, keys: Sequence[str] | None = None) -> list[str]:
    """Return the columns of a row's keys, as the user sees them."""
    keys = found.keys if keys is None else keys
    return ["system.system AS system" if key == "system" else key for key in keys]


def require_users(found: Tables, frame: DataFrame) -> DataFrame:
    """Add an error of the job for a truth without a user, whatever is asked of the frame."""
    users = found.truths.where("userid IS NOT NULL").limit(1).groupBy().agg(F.expr("count(*) AS n"))
    error = f"raise_error('{found.caller}: truth must have a user, got none')"
    none = users.where(f"CASE WHEN n = 0 THEN {error} END IS NOT NULL")
    return frame.unionAll(none.selectExpr(*(f"NULL AS `{name}`" for name in frame.columns)))
