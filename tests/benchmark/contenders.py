"""The contenders: each evaluates the same tables, with the same six measures, as well as its tool can.

A contender returns its numbers as {(measure, k): mean over all users with truth}. Imports and just-in-time
compilation are not timed: they happen on toy data before the clock starts.
"""

import math
import os
import re
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import accumulate
from multiprocessing import get_context
from pathlib import Path
from typing import Any

THREAD_VARIABLES = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS")
MEASURES = ("recall", "precision", "average_precision", "mrr", "ndcg", "hit_rate")
Numbers = dict[tuple[str, int], float]


@dataclass(frozen=True)
class Task:
    """What to evaluate: the folder with the tables, the cutoffs, and DuckDB's limits."""

    folder: Path
    ks: list[int]
    threads: int
    memory_limit: str = ""


def connect(task: Task) -> Any:
    """Open a DuckDB connection with the tables rec and truth."""
    import duckdb

    con = duckdb.connect()
    con.execute(f"SET threads = {task.threads}")
    if task.memory_limit:
        con.execute(f"SET memory_limit = '{task.memory_limit}'")
        con.execute(f"SET temp_directory = '{task.folder / 'spill'}'")
    return con.execute(f"ATTACH '{task.folder / 'tables.duckdb'}' AS tables (READ_ONLY); USE tables")


def ranking_udfs(task: Task) -> Numbers:
    """Call ranking.evaluate, in the default order of ties."""
    import ranking_udfs

    con = ranking_udfs.register(connect(task))
    columns = ", ".join(f'"{measure}"' for measure in MEASURES)
    call = f"ranking.evaluate('rec', 'truth', {[*MEASURES]}, {task.ks})"
    rows = con.execute(f"SELECT k, {columns} FROM {call}").fetchall()
    return {(name, k): value for k, *values in rows for name, value in zip(MEASURES, values, strict=True)}


# Up to this k it is cheaper to find each user's k-th score first, and to sort only scores from there on.
SMALL_K = 30


def sql(task: Task) -> Numbers:
    """Run what an expert writes for these six measures and these tables alone.

    Each of the measures is a sum over hits, so hits are never grouped by user again. The tables must have no
    duplicates, NULLs or NaN, which ranking.evaluate handles.
    """
    con = connect(task)
    largest = max(task.ks)
    discounts = [1 / math.log2(rank + 1) for rank in range(1, largest + 1)]
    sums = ",\n".join(
        f"""
        sum(1 / relevant) FILTER (rank <= {k}),
        sum(1 / {k}) FILTER (rank <= {k}),
        sum(number / rank / relevant) FILTER (rank <= {k}),
        sum(1 / rank) FILTER (rank <= {k} AND number = 1),
        sum(discounts[rank] / ideals[least(relevant, {k})]) FILTER (rank <= {k}),
        count(*) FILTER (rank <= {k} AND number = 1)"""
        for k in task.ks
    )
    plan = Path(__file__).with_name("few_ranked.sql" if largest <= SMALL_K else "many_ranked.sql")
    ranked = plan.read_text(encoding="utf-8").format(largest=largest)
    users, *values = con.execute(f"""
        WITH {ranked},
        users AS (SELECT userid, count(*) AS relevant FROM truth GROUP BY userid),
        hits AS (
            SELECT rank, relevant, {discounts}::DOUBLE[] AS discounts,
                {list(accumulate(discounts))}::DOUBLE[] AS ideals,
                row_number() OVER (PARTITION BY userid ORDER BY rank) AS number
            FROM top JOIN truth USING (userid, itemid) JOIN users USING (userid)
        )
        SELECT (SELECT count(*) FROM users), {sums} FROM hits
    """).fetchone()
    names = [(measure, k) for k in task.ks for measure in MEASURES]
    return {name: float(value or 0) / users for name, value in zip(names, values, strict=True)}


def frames(task: Task, user: str, item: str, cast: str = "") -> tuple[Any, Any]:
    """Read both tables as pandas data frames with columns of these names."""
    con, ids = connect(task), f"userid{cast} AS {user}, itemid{cast} AS {item}"
    return con.sql(f"SELECT {ids}, score FROM rec").df(), con.sql(
        f"SELECT {ids}, 1::BIGINT AS grade FROM truth"
    ).df()


def pytrec_eval(task: Task) -> Numbers:
    """Call trec_eval through its Python binding, over the dicts that it takes."""
    import pytrec_eval

    run, qrels = (
        {
            user: dict(zip(rows["item"].tolist(), rows[value].tolist(), strict=True))
            for user, rows in frame.groupby("user", sort=False)
        }
        for frame, value in zip(frames(task, "user", "item", "::VARCHAR"), ("score", "grade"), strict=True)
    )
    cut = ",".join(map(str, task.ks))
    names = {"recall": "recall", "P": "precision", "map_cut": "average_precision", "ndcg_cut": "ndcg"}
    names["success"] = "hit_rate"
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {f"{name}.{cut}" for name in names} | {"recip_rank"})
    rows = list(evaluator.evaluate(run).values())
    numbers = {
        (ours, k): math.fsum(row[f"{name}_{k}"] for row in rows) / len(qrels)
        for name, ours in names.items()
        for k in task.ks
    }
    for k in task.ks:  # it has no reciprocal rank at k
        values = (row["recip_rank"] for row in rows)
        numbers["mrr", k] = math.fsum(value for value in values if value * (k + 0.5) > 1) / len(qrels)
    return numbers


def ranx(task: Task) -> Numbers:
    """Call ranx's compiled loops over its Qrels and Run."""
    import ranx

    rec, truth = frames(task, "q_id", "doc_id", "::VARCHAR")
    run, qrels = ranx.Run.from_df(rec, score_col="score"), ranx.Qrels.from_df(truth, score_col="grade")
    del rec, truth
    names = dict(zip(("recall", "precision", "map", "mrr", "ndcg", "hit_rate"), MEASURES, strict=True))
    metrics = [f"{name}@{k}" for name in names for k in task.ks]
    values = ranx.evaluate(qrels, run, metrics, threads=task.threads, make_comparable=True)
    return {(ours, k): float(values[f"{name}@{k}"]) for name, ours in names.items() for k in task.ks}


def rectools(task: Task) -> Numbers:
    """Call RecTools over data frames; evaluation includes ranking by score, which it leaves to its user."""
    from rectools import metrics

    rec, truth = frames(task, "user_id", "item_id")
    rec = rec.sort_values(["user_id", "score", "item_id"], ascending=[True, False, True], kind="stable")
    rec["rank"] = rec.groupby("user_id", sort=False).cumcount() + 1
    names = dict(zip(("Recall", "Precision", "MAP", "MRR", "NDCG", "HitRate"), MEASURES, strict=True))
    options = {"NDCG": {"divide_by_achievable": True}}
    wanted = {
        f"{ours} {k}": getattr(metrics, name)(k, **options.get(name, {}))
        for name, ours in names.items()
        for k in task.ks
    }
    values = metrics.calc_metrics(wanted, rec[rec["rank"] <= max(task.ks)], truth)
    return {(name, k): float(values[f"{name} {k}"]) for name in MEASURES for k in task.ks}


CONTENDERS: dict[str, Callable[[Task], Numbers]] = {
    "ranking_udfs": ranking_udfs,
    "SQL by hand": sql,
    "pytrec-eval-terrier": pytrec_eval,
    "ranx": ranx,
    "RecTools": rectools,
}


@dataclass
class Run:
    """Seconds, CPU seconds, megabytes at the peak, the numbers; or the error."""

    seconds: float = 0.0
    cpu: float = 0.0
    megabytes: float = 0.0
    numbers: Numbers = field(default_factory=dict)
    error: str = ""


def run(name: str, task: Task, toy: Path) -> Run:
    """Run the contender in a fresh interpreter: on the toy tables first, then, timed, on the task's."""
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, str(task.threads)))
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        try:
            process.submit(timed, name, replace(task, folder=toy, memory_limit="")).result()
            return process.submit(timed, name, task).result()
        except Exception as error:
            return Run(error=f"{type(error).__name__}: {error}".partition("\n")[0][:200].replace("|", "/"))


def timed(name: str, task: Task) -> Run:
    started, worked = time.perf_counter(), time.process_time()
    numbers = CONTENDERS[name](task)
    seconds, cpu = time.perf_counter() - started, time.process_time() - worked
    (peak,) = re.findall(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text())
    return Run(seconds, cpu, int(peak) / 1024, numbers)
