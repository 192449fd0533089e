"""Judged rankings, made by Spark alone with one shuffle: the rows of both tables, end to end, user by user.

No list of items is made anywhere: what is collected of a user are ranks and grades. Rows are ranked in a
window and joined by an aggregation, which spill to disk, so no user is too large for an executor.
"""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from ..texts import shorten
from .columns import Tables, is_infinite


def rankings(tables: Tables, max_k: int | None, tied: bool = False) -> DataFrame:
    """Return a judged ranking for each system and user, cut at max_k; also for users without truth.

    Columns: [system,] userid, has_truth, n_rec, n_truth, judged (NULL without truth). With `tied` it has the
    first rank of the tie that each item stands in, the last in `lasts`, and the tie at max_k as a whole.
    """
    rows = ranked_rows(tables, tied)
    if max_k is not None:  # at least one row of each ranking stays, so that its user is known
        rows = rows.where(f"NOT is_rec OR first <= {max(max_k, 1)}")
    is_listed = "is_rec" if max_k is None else f"is_rec AND first <= {max_k}"
    places = ["first", "last"] if tied else ["first"]
    items = rows.groupBy(*tables.keys, "itemid").agg(
        # The first occurrence of an item counts.
        *(F.expr(f"min(CASE WHEN {is_listed} THEN {place} END) AS {place}") for place in places),
        F.expr("max(grade) AS grade"),
        F.expr("max(n_rec) AS n_rec"),
        F.expr("bool_or(NOT is_rec) AS has_truth"),
    )
    is_hit = "itemid IS NOT NULL AND first IS NOT NULL AND grade IS NOT NULL"
    hit = f"CASE WHEN {is_hit} THEN struct({', '.join(places)}, grade) END"
    users = items.groupBy(*tables.keys).agg(
        F.expr(f"sort_array(collect_list({hit})) AS hits"),
        F.expr("sort_array(collect_list(grade), false) AS ideal"),
        F.expr("max(n_rec) AS n_rec"),
        F.expr("bool_or(has_truth) AS has_truth"),
    )
    size = "n_rec" if max_k is None or tied else f"least(n_rec, {max_k})"
    fields = {
        "ranks": "hits.first",
        **({"lasts": "hits.last"} if tied else {}),
        "grades": "hits.grade",
        "ideal": "ideal",
        "size": f"CAST({size} AS INT)",
        **({} if tied else {"cutoff": f"CAST({'NULL' if max_k is None else max_k} AS INT)"}),
    }
    judged = ", ".join(f"{value} AS {name}" for name, value in fields.items())
    return users.selectExpr(
        *tables.keys,
        "has_truth",
        "n_rec",
        "CAST(size(filter(ideal, one -> one > 0)) AS BIGINT) AS n_truth",
        f"CASE WHEN has_truth THEN struct({judged}) END AS judged",
    )


def ranked_rows(tables: Tables, tied: bool) -> DataFrame:
    """Rank the rows of both tables that have a user, by the rank or by the first and last of its tie.

    Ranking is by score, ties by itemid, ascending, NULL and NaN scores last; the rows of truth come after,
    once for each system. n_rec is how many rows of rec the user has.
    """
    recs = tables.recs.where("userid IS NOT NULL").selectExpr(
        *tables.keys,
        "itemid",
        f"CASE WHEN NOT {tables.is_nan} THEN score END AS score",
        "CAST(NULL AS DOUBLE) AS grade",
        "true AS is_rec",
    )
    truths = tables.truths.where("userid IS NOT NULL")
    if tables.has_system:
        truths = truths.crossJoin(F.broadcast(tables.recs.select("system").distinct()))
    kind = tables.recs.schema["score"].dataType.simpleString()
    none = F.expr(f"CAST(NULL AS {kind}) AS score")
    rows = recs.unionAll(
        truths.select(*tables.keys, "itemid", none, grade_column(tables), F.expr("false AS is_rec"))
    )

    by_item = "" if tied else ", itemid ASC NULLS LAST"
    direction = "DESC" if tables.names.descending else "ASC"
    order = f"is_rec DESC, score {direction} NULLS LAST{by_item}"
    ranking = f"PARTITION BY {', '.join(tables.keys)} ORDER BY {order}"
    places = {"first": f"{'rank' if tied else 'row_number'}() OVER ({ranking})"}
    if tied:  # all rows down to those of the same score
        places["last"] = f"CAST(count(*) OVER ({ranking}) AS INT)"
    whole = f"{ranking} ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
    places["n_rec"] = f"count_if(is_rec) OVER ({whole})"
    return rows.selectExpr("*", *(f"{value} AS {name}" for name, value in places.items()))


def grade_column(tables: Tables) -> Column:
    """Return the grade of an item as DOUBLE, an error of the job if not finite; NULL without an item."""
    if not tables.has_grade:
        return F.expr("CASE WHEN itemid IS NOT NULL THEN 1D END AS grade")
    number = "CAST(grade AS DOUBLE)"
    is_finite = f"{number} IS NOT NULL AND NOT {is_infinite(number)}"
    rule = f"{tables.caller}: {shorten(tables.names.grade_col or 'rel')} must be a finite number, got "
    error = F.raise_error(F.concat(F.lit(rule), F.expr("coalesce(CAST(grade AS STRING), 'NULL')")))
    value = F.when(F.expr(f"itemid IS NOT NULL AND {is_finite}"), F.expr(number))
    return value.when(F.expr("itemid IS NOT NULL"), error.cast("double")).alias("grade")
