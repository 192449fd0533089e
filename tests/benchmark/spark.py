"""`python -m tests.benchmark.spark`: the table functions on Spark beside Spark's own, by hand, and DuckDB.

One session of Spark on `local[2]`, in which every contender runs once untimed on small tables and then in
turns. The floor is what each of them needs: the top 10 of each user as a list, the truth as a set, joined,
without a measure.
"""

import argparse
import itertools
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

import duckdb
from pyspark.ml.evaluation import RankingEvaluator
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812

import ranking_udfs
import ranking_udfs.spark

from .data import Data, Files, make

MEASURES = ["recall", "precision", "average_precision", "mrr", "ndcg", "hit_rate"]
OWN = ["recallAtK", "precisionAtK", "meanAveragePrecisionAtK", "ndcgAtK"]
K = 10


def lists(rec: DataFrame, truth: DataFrame, kind: str) -> DataFrame:
    """The lists and sets: arrays of this type, as `RankingEvaluator` wants them of DOUBLE."""
    keys = ["userid", *(["system"] if "system" in rec.columns else [])]
    window = Window.partitionBy(*keys).orderBy(F.col("score").desc_nulls_last(), "itemid")
    top = rec.withColumn("rank", F.row_number().over(window)).where(F.col("rank") <= K)
    item = F.col("itemid").cast(kind)
    listed = top.groupBy(*keys).agg(
        F.sort_array(F.collect_list(F.struct("rank", item.alias("item")))).alias("rec")
    )
    known = truth.groupBy("userid").agg(F.collect_set(item).alias("truth"))
    empty = F.array().cast(f"array<{kind}>")
    joined = known.join(listed, "userid", "left")
    return joined.select(F.coalesce(F.col("rec.item"), empty).alias("rec"), "truth")


def of_systems(files: Files, systems: int) -> Path:
    """Return a file of the recommendations in which each user's rows are dealt out to several systems."""
    if systems == 1:
        return files.rec
    path = files.folder / f"rec-{systems}.parquet"
    if not path.exists():
        rows = f"SELECT *, 's' || hash(itemid) % {systems} AS system FROM '{files.rec}'"
        duckdb.sql(f"COPY ({rows}) TO '{path}.tmp' (FORMAT parquet)")
        os.replace(f"{path}.tmp", path)
    return path


def contenders(spark: SparkSession, files: Files, systems: int) -> dict[str, Callable[[], object]]:
    path = of_systems(files, systems)
    rec, truth = spark.read.parquet(str(path)), spark.read.parquet(str(files.truth))
    named: dict[str, Any] = {"system_col": "system"} if systems > 1 else {}

    is_text = rec.schema["itemid"].dataType.simpleString() == "string"

    def own() -> list[float]:
        found = lists(rec, truth, "double")
        one = RankingEvaluator(predictionCol="rec", labelCol="truth", k=K)
        return [one.evaluate(found, {one.metricName: name}) for name in OWN]

    def floor() -> object:
        return (
            lists(rec, truth, "string" if is_text else "double")
            .agg(F.sum(F.size("rec")), F.sum(F.size("truth")))
            .collect()
        )

    def judged() -> object:
        found = ranking_udfs.spark.ranking_judged(rec, truth, K, **named)
        return found.agg(F.sum(F.size("judged.ranks")), F.sum(F.size("judged.ideal"))).collect()

    def in_duckdb() -> object:
        with duckdb.connect(config={"threads": 2}) as con:
            ranking_udfs.register(con)
            columns = ", ".join(f'"{name}"' for name in MEASURES)
            sql = f"SELECT {columns} FROM ranking_summary('{path}', '{files.truth}', [{K}])"
            return con.execute(sql).fetchall()

    return {
        "floor": floor,
        "ranking_judged": judged,
        "ranking_summary, six measures": lambda: ranking_udfs.spark.ranking_summary(
            rec, truth, K, MEASURES, **named
        ).collect(),
        "ranking_check": lambda: ranking_udfs.spark.ranking_check(rec, truth, K, **named).collect(),
        **({} if is_text or systems > 1 else {"RankingEvaluator, four measures": own}),
        "DuckDB, six measures": in_duckdb,
    }


def cpu_seconds() -> float:
    """What this process and all that come from it have worked: Spark's, and its Python workers."""
    parents, ticks = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(path.parent.name)] = int(fields[1])
        ticks[int(path.parent.name)] = sum(map(int, fields[11:15]))
    found, ours = 0, {os.getpid()}
    while found < len(ours):
        found = len(ours)
        ours |= {process for process, parent in parents.items() if parent in ours}
    return sum(ticks.get(process, 0) for process in ours) / os.sysconf("SC_CLK_TCK")


def pick(runs: dict[str, Callable[[], object]], only: list[str] | None) -> dict[str, Callable[[], object]]:
    return {name: run for name, run in runs.items() if only is None or name in ("floor", *only)}


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmark.spark", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--ids", nargs="+", default=["BIGINT", "VARCHAR"])
    parser.add_argument("--partitions", type=int, default=8)
    parser.add_argument("--systems", type=int, default=1, help="that each user's rows are dealt out to")
    parser.add_argument("--only", nargs="+", help="contenders, by their names")
    parser.add_argument("--memory", default="2g", help="of the JVM")
    parser.add_argument("--worker-memory", help="of the Python of each worker, such as 2g")
    parser.add_argument("--data", type=Path, default=Path(tempfile.gettempdir()) / "ranking-benchmark")
    chosen = parser.parse_args()
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", chosen.memory)
        .config("spark.sql.shuffle.partitions", chosen.partitions)
        .config("spark.sql.adaptive.coalescePartitions.enabled", "false")
    )
    if chosen.worker_memory:
        builder = builder.config("spark.executor.pyspark.memory", chosen.worker_memory)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    for run in pick(
        contenders(spark, make(Data(users=1000), chosen.data), chosen.systems), chosen.only
    ).values():
        run()
    for rows, ids in itertools.product(chosen.rows, chosen.ids):
        data = Data(users=rows // 100, ids=ids, order="none")
        runs = pick(contenders(spark, make(data, chosen.data), chosen.systems), chosen.only)
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in runs}
        for _ in range(chosen.runs):
            for name, run in runs.items():
                start, worked = time.perf_counter(), cpu_seconds()
                run()
                times[name].append((time.perf_counter() - start, cpu_seconds() - worked))
        floor = statistics.median(seconds for seconds, _ in times["floor"])
        print(
            f"\n{data}, {chosen.systems} systems, {chosen.partitions} partitions, medians of {chosen.runs}\n"
        )
        print("| | seconds | CPU seconds | to the floor |\n|---|--:|--:|--:|")
        for name, found in times.items():
            seconds, cpu = (statistics.median(column) for column in zip(*found, strict=True))
            print(f"| {name} | {seconds:.2f} | {cpu:.2f} | {seconds / floor:.2f} |", flush=True)


if __name__ == "__main__":
    main()
