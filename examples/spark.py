"""Evaluate two models on Spark, from Parquet files to a table with the values of every user.

    pip install 'duckdb-ranking-udfs[spark]'       # and Java 17 or later
    python examples/spark.py FOLDER

The script writes its Parquet files and `by_user.parquet` to FOLDER. On a cluster, choose a folder that all
workers can read.
"""

import sys
from pathlib import Path

import ranking_udfs
import ranking_udfs.spark

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "spark-example")
spark = ranking_udfs.spark.register()  # the existing session, or a new one on this machine

# Recommendations of two models for 100 users, and the items that each user liked, with grades from 1 to 5.
users = spark.range(100).selectExpr("id AS userid")
liked = users.selectExpr("userid", "explode(sequence(0, 6)) AS n").selectExpr(
    "userid", "concat('film-', (userid * 7 + n * n) % 50) AS itemid", "1 + (userid + n) % 5 AS rel"
)
listed = users.selectExpr("userid", "explode(sequence(0, 19)) AS n")
popular = listed.selectExpr(
    "'popular' AS system", "userid", "concat('film-', n) AS itemid", "1.0 / (n + 1) AS score"
)
similar = listed.selectExpr(
    "'similar' AS system",
    "userid",
    "concat('film-', (userid * 7 + n) % 50) AS itemid",
    "1.0 / (n + 1) AS score",
)
popular.union(similar).write.mode("overwrite").parquet(str(folder / "rec.parquet"))
liked.write.mode("overwrite").parquet(str(folder / "truth.parquet"))

rec, truth = (
    spark.read.parquet(str(folder / "rec.parquet")),
    spark.read.parquet(str(folder / "truth.parquet")),
)
sample = "hash(userid) % 10 = 0"  # some of the users, the same in both tables
ranking_udfs.check(rec.where(sample).toArrow(), truth.where(sample).toArrow(), 10).show()
ranking_udfs.spark.evaluate(rec, truth, ["recall", "mrr", "ndcg"], [5, 10]).show()

by_user = ranking_udfs.spark.by_user(rec, truth, ["ndcg", "ndcg(gain=linear)"], 10)
by_user.write.mode("overwrite").parquet(str(folder / "by_user.parquet"))

# Call the functions in SQL: the share of lists with a relevant first film.
spark.sql(
    """
    SELECT system, avg(precision(judged, 1)) AS precision_at_1
    FROM {judged} GROUP BY system ORDER BY system
""",
    judged=ranking_udfs.spark.judged(rec, truth, 1),
).show()
print(f"{spark.read.parquet(str(folder / 'by_user.parquet')).count()} values in {folder / 'by_user.parquet'}")
