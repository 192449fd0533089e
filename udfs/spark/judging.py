"""Judged rankings, made by Spark alone with one shuffle: the rows of both tables, end to end, user by user.

No list of items is made anywhere: what is collected of a user are ranks and grades. Rows are ranked in a
window and joined by an aggregation, which spill to disk, so no user is too large for an executor.
"""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

from .columns import FLOATS, Tables, shortened


def rankings(tables: Tables, max_k: int | None, tied: bool = False) -> DataFrame:
    """A judged ranking for each system and user, cut at max_k; for users without truth a row too.

    Columns: [system,] userid, has_truth, n_rec, n_truth, judged (NULL without truth). With `tied` it has the
    first rank of the tie that each item stands in, the last in `lasts`, and the tie at max_k as a whole.
    """
    rows = ranked(tables, tied)
    if max_k is not None:  # of each ranking, one row stays at least: that there is such a user
        rows = rows.where(~F.col("is_rec") | (F.col("first") <= max(max_k, 1)))
    is_listed = F.col("is_rec") & (F.lit(True) if max_k is None else F.col("first") <= max_k)
    places = ["first", "last"] if tied else ["first"]
    items = rows.groupBy(*tables.keys, "itemid").agg(
        # Of an item that is there twice, the first.
        *(F.min(F.when(is_listed, F.col(place))).alias(place) for place in places),
        F.max("grade").alias("grade"),
        F.max("n_rec").alias("n_rec"),
        F.bool_or(~F.col("is_rec")).alias("has_truth"),
    )
    is_hit = F.col("itemid").isNotNull() & F.col("first").isNotNull() & F.col("grade").isNotNull()
    users = items.groupBy(*tables.keys).agg(
        F.sort_array(F.collect_list(F.when(is_hit, F.struct(*places, "grade")))).alias("hits"),
        F.sort_array(F.collect_list("grade"), asc=False).alias("ideal"),
        F.max("n_rec").alias("n_rec"),
        F.bool_or("has_truth").alias("has_truth"),
    )
    n_rec = F.col("n_rec")
    size = n_rec if max_k is None or tied else F.least(n_rec, F.lit(max_k))
    fields = {
        "ranks": F.col("hits.first"),
        **({"lasts": F.col("hits.last")} if tied else {}),
        "grades": F.col("hits.grade"),
        "ideal": F.col("ideal"),
        "size": size.cast("int"),
        **({} if tied else {"cutoff": F.lit(max_k).cast("int")}),
    }
    judged = F.struct(*(value.alias(name) for name, value in fields.items()))
    return users.select(
        *tables.keys,
        "has_truth",
        "n_rec",
        F.size(F.filter("ideal", lambda grade: grade > 0)).cast("bigint").alias("n_truth"),
        F.when(F.col("has_truth"), judged).alias("judged"),
    )


def ranked(tables: Tables, tied: bool) -> DataFrame:
    """The rows of both tables that have a user, and for each its rank, or the first and the last of its tie.

    Ranking is by score, ties by itemid, ascending, NULL and NaN scores last; the rows of truth come after,
    once for each system. n_rec is how many rows of rec the user has.
    """
    kind = tables.recs.schema["score"].dataType
    score = F.when(~F.isnan("score"), F.col("score")) if isinstance(kind, FLOATS) else F.col("score")
    none = F.lit(None).cast("double")
    recs = tables.recs.where("userid IS NOT NULL").select(
        *tables.keys, "itemid", score.alias("score"), none.alias("grade"), F.lit(True).alias("is_rec")
    )
    truths = tables.truths.where("userid IS NOT NULL")
    if tables.has_system:
        truths = truths.crossJoin(F.broadcast(tables.recs.select("system").distinct()))
    none = F.lit(None).cast(kind)
    truths = truths.select(
        *tables.keys,
        "itemid",
        none.alias("score"),
        grade(tables).alias("grade"),
        F.lit(False).alias("is_rec"),
    )
    rows = recs.unionAll(truths)

    by_score = F.desc_nulls_last("score") if tables.names.descending else F.asc_nulls_last("score")
    order = [F.desc("is_rec"), by_score, *([] if tied else [F.asc_nulls_last("itemid")])]
    ranking = Window.partitionBy(*tables.keys).orderBy(*order)
    whole = ranking.rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)
    rows = rows.withColumn("first", (F.rank() if tied else F.row_number()).over(ranking))
    if tied:  # all rows down to those of the same score
        rows = rows.withColumn("last", F.count("*").over(ranking).cast("int"))
    return rows.withColumn("n_rec", F.count_if("is_rec").over(whole))


def grade(tables: Tables) -> Column:
    """The grade of an item as DOUBLE, an error of the job if it is no finite number; NULL without an item."""
    is_item = F.col("itemid").isNotNull()
    if not tables.has_grade:
        return F.when(is_item, 1.0)
    number = F.col("grade").cast("double")
    rule = f"{tables.caller}: {shortened(tables.names.grade or 'rel')} must be a finite number, got "
    got = F.coalesce(F.col("grade").cast("string"), F.lit("NULL"))
    error = F.raise_error(F.concat(F.lit(rule), got)).cast("double")
    is_finite = number.isNotNull() & ~F.isnan(number) & (F.abs(number) != float("inf"))
    return F.when(is_item, F.when(is_finite, number).otherwise(error))
