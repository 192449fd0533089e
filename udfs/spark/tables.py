"""The table functions: DataFrames of rec and truth to judged rankings, values by user, and means."""

from collections.abc import Sequence
from math import isinf
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.functions import arrow_udf  # type: ignore[attr-defined, unused-ignore]

from ..measures.grammar import Choice, each_once, parse_measures
from ..measures.registry import MEASURES
from .columns import Names, Tables, check_cut_off, cut_offs, longest, shortened, tables
from .judging import rankings
from .kernels import measures_kernel


def ranking_judged(
    rec: DataFrame,
    truth: DataFrame,
    max_k: int | None,
    *,
    user_col: str = "userid",
    item_col: str = "itemid",
    score_col: str = "score",
    grade_col: str | None = None,
    system_col: str | None = None,
    descending: bool = True,
) -> DataFrame:
    """A judged ranking for every user with truth, as `ranking_judged` of SQL gives it.

    rec         userid, itemid, score; with a column `system` (several models in one), each is scored over the
                same users
    truth       userid, itemid and, if there are grades, rel
    max_k       how far to look down the ranking; None for all of it
    user_col, item_col, score_col, grade_col, system_col
                what the columns are called, in whatever case; by default as above
    descending  whether the highest score is the best; False where it is a rank

    Returns [system,] userid, n_rec (rows in rec), n_truth (relevant items), judged, a STRUCT of ranks,
    grades, ideal, size and cutoff, which the functions that `register` makes take: `ndcg(judged, 10,
    'gain=linear')`.

    Nothing runs before the result is asked for. A column that is missing or of a type that does not fit is a
    ValueError or TypeError at once; a grade that is NULL, NaN or infinite, and a truth without a user, are
    errors of the job.
    """
    caller = "ranking_judged"
    check_cut_off(caller, "max_k", max_k)
    names = Names(user_col, item_col, score_col, grade_col, system_col, descending)
    found = tables(caller, rec, truth, names)
    judged = rankings(found, longest([max_k])).where("has_truth")
    return with_users(found, judged.selectExpr(*shown_keys(found), "n_rec", "n_truth", "judged"))


def ranking_by_user(
    rec: DataFrame,
    truth: DataFrame,
    ks: Sequence[int | None] | int | None,
    measures: Sequence[str] | str | None = None,
    ties: str = "item",
    *,
    user_col: str = "userid",
    item_col: str = "itemid",
    score_col: str = "score",
    grade_col: str | None = None,
    system_col: str | None = None,
    descending: bool = True,
) -> DataFrame:
    """The measures for every user with truth and every k, as `ranking_by_user` of SQL gives them.

    rec, truth, user_col, ..., descending: as for `ranking_judged`
    ks          cut-offs; None among them means the whole list, 0 the empty one
    measures    which, as `ndcg,recall`, `ndcg(gain=linear)` or `ndcg@5,10` (NULL at other k); by default
                all with their default options, but `err`, which refuses grades above its max_grade
    ties        "item" orders equal scores by itemid; "expected" gives each measure's expected value over all
                orders of the items that tie, and by default only the measures for which there is one

    Returns [system,] userid, k, n_rec (rows in rec), n_truth (relevant items), a DOUBLE for each measure.

    Raises as `ranking_judged`, and ValueError or TypeError for a wrong k, measure or option.
    """
    names = Names(user_col, item_col, score_col, grade_col, system_col, descending)
    found, chosen, values = measured("ranking_by_user", rec, truth, ks, measures, ties, names)
    values = values.where("has_truth")
    shown = [f"m{place} AS `{choice.name}`" for place, choice in enumerate(chosen)]
    return with_users(found, values.selectExpr(*shown_keys(found), "k", "n_rec", "n_truth", *shown))


def ranking_summary(
    rec: DataFrame,
    truth: DataFrame,
    ks: Sequence[int | None] | int | None,
    measures: Sequence[str] | str | None = None,
    ties: str = "item",
    *,
    user_col: str = "userid",
    item_col: str = "itemid",
    score_col: str = "score",
    grade_col: str | None = None,
    system_col: str | None = None,
    descending: bool = True,
) -> DataFrame:
    """The means of the measures over the users with truth, for every k, as `ranking_summary` of SQL.

    All arguments and errors: as for `ranking_by_user`.

    Returns [system,] k, users (all with truth), users_without_rec (of them; they score as an empty list),
    users_without_truth (in rec, left out), a DOUBLE for each measure: the same on any number of partitions.
    """
    names = Names(user_col, item_col, score_col, grade_col, system_col, descending)
    found, chosen, values = measured("ranking_summary", rec, truth, ks, measures, ties, names)
    keys = [key for key in found.keys if key != "userid"]
    means = values.groupBy(*keys, "k").agg(
        F.expr("count_if(has_truth) AS users"),
        F.expr("count_if(has_truth AND n_rec = 0) AS users_without_rec"),
        F.expr("count_if(NOT has_truth) AS users_without_truth"),
        *(F.expr(f"{mean(f'm{place}', one)} AS `{one.name}`") for place, one in enumerate(chosen)),
    )
    shown = [f"`{name}`" for name in means.columns[len(keys) :]]
    summary = with_users(found, means.selectExpr(*shown_keys(found, keys), *shown))
    return summary.orderBy(*(F.col(name).asc_nulls_last() for name in [*keys, "k"]))


def measured(
    caller: str, rec: Any, truth: Any, ks: Any, measures: Any, ties: Any, names: Names
) -> tuple[Tables, list[Choice], DataFrame]:
    """The tables, the measures, their values: what `rankings` gives, k, and a column m0, m1, ... for each."""
    if ties not in ("item", "expected"):
        raise ValueError(f"{caller}: ties must be item|expected, got {shortened(repr(ties))}")
    chosen = choices(caller, measures, ties)
    given = cut_offs(caller, ks, needed=not all(choice.cuts for choice in chosen))
    chosen = each_once(chosen, given)
    cuts = sorted({k for choice in chosen for k in choice.cuts} | set(given), key=lambda k: (k is None, k))
    found = tables(caller, rec, truth, names)
    judged = rankings(found, longest(cuts), tied=ties == "expected")
    fields = ", ".join(f"m{place}: double" for place in range(len(chosen)))
    compute = arrow_udf(
        measures_kernel(caller, [choice.text for choice in chosen], cuts, ties == "expected"),
        f"array<struct<k: bigint, {fields}>>",
    )
    return found, chosen, judged.select("*", F.inline(compute("judged")))


def choices(caller: str, measures: Any, ties: str) -> list[Choice]:
    """The measures that are asked for, or all that there are."""
    if measures is None:
        usual = (one for one in MEASURES.values() if (one.expected if ties == "expected" else one.column))
        measures = [one.name for one in usual]
    texts = list(measures) if isinstance(measures, (list, tuple)) else [measures]
    if not texts or not all(isinstance(one, str) for one in texts):
        raise TypeError(f"{caller}: measures must be names of measures, got {shortened(repr(measures))}")
    try:
        chosen = [choice for one in texts for choice in parse_measures(one)]
    except ValueError as error:
        raise ValueError(f"{caller}: {error}") from None
    for choice in chosen:
        if ties == "expected" and not choice.measure.expected:
            rule = "must be one whose expected value over ties has a closed form"
            raise ValueError(f"{caller}: with ties=expected a measure {rule}, got {choice.name}")
    return chosen


def mean(value: str, choice: Choice) -> str:
    """The mean over all rows that are not NULL: sums of integers, which no order of the rows changes.

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


def shown_keys(found: Tables, keys: Sequence[str] | None = None) -> list[str]:
    """The columns that say what a row is of, as the user sees them."""
    keys = found.keys if keys is None else keys
    return ["system.system AS system" if key == "system" else key for key in keys]


def with_users(found: Tables, frame: DataFrame) -> DataFrame:
    """The frame; an error of the job if truth has no user, whatever is asked of it."""
    users = found.truths.where("userid IS NOT NULL").limit(1).groupBy().agg(F.expr("count(*) AS n"))
    error = f"raise_error('{found.caller}: truth must have a user, got none')"
    none = users.where(f"CASE WHEN n = 0 THEN {error} END IS NOT NULL")
    return frame.unionAll(none.selectExpr(*(f"NULL AS `{name}`" for name in frame.columns)))
