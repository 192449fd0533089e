"""The contenders: each evaluates the same tables, with the same six measures, as well as its tool can.

A contender is a generator of two steps. The first ends when the data is where the tool wants it ("load"), the
second gives the numbers, as {(measure, k): mean over all users with truth}. Imports count for nothing: they
happen on toy data before the clock starts, and so does just-in-time compilation.
"""

import math
import os
import time
from collections.abc import Callable, Generator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import accumulate
from multiprocessing import get_context
from pathlib import Path
from typing import Any

THREAD_VARIABLES = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS")
MEASURES = ("recall", "precision", "average_precision", "mrr", "ndcg", "hit_rate")
Numbers = dict[tuple[str, int], float]
Steps = Generator[None, None, Numbers]


@dataclass(frozen=True)
class Task:
    """What to evaluate: the folder with the tables, the cut-offs, and what DuckDB may use."""

    folder: Path
    ks: list[int]
    threads: int
    memory_limit: str = ""


CONTENDERS: dict[str, Callable[[Task], Steps]] = {}


def contender(name: str) -> Callable[[Callable[[Task], Steps]], Any]:
    """Enter the function below as a contender."""
    return lambda run: CONTENDERS.setdefault(name, run)


def connect(task: Task) -> Any:
    """A DuckDB connection that has the tables rec and truth."""
    import duckdb

    con = duckdb.connect()
    con.execute(f"SET threads = {task.threads}")
    if task.memory_limit:
        con.execute(f"SET memory_limit = '{task.memory_limit}'")
        con.execute(f"SET temp_directory = '{task.folder / 'spill'}'")
    con.execute(f"ATTACH '{task.folder / 'tables.duckdb'}' AS tables (READ_ONLY)")
    con.execute("USE tables")
    return con


@contender("ranking_udfs")
def ours(task: Task) -> Steps:
    """ranking.evaluate, in the default order of ties."""
    import ranking_udfs

    con = ranking_udfs.register(connect(task))
    yield
    columns = ", ".join(f'"{measure}"' for measure in MEASURES)
    rows = con.execute(f"SELECT k, {columns} FROM ranking.evaluate('rec', 'truth', {task.ks})").fetchall()
    return {
        (measure, k): value for k, *values in rows for measure, value in zip(MEASURES, values, strict=True)
    }


# Up to here it is cheaper to find each user's k-th score first, and to sort only what is not below it.
FEW = 30


@contender("SQL by hand")
def sql(task: Task) -> Steps:
    """What an expert writes for these six measures and these tables alone.

    Each of the measures is a sum over hits, so hits are never grouped by user again. It takes the tables to
    have no duplicates, NULLs or NaN, which ranking.evaluate looks after.
    """
    con = connect(task)
    yield
    largest = max(task.ks)
    discounts = [1 / math.log2(rank + 1) for rank in range(1, largest + 1)]
    sums = ",\n".join(
        f"""
        sum(1 / relevant) FILTER (place <= {k}),
        sum(1 / {k}) FILTER (place <= {k}),
        sum(number / place / relevant) FILTER (place <= {k}),
        sum(1 / place) FILTER (place <= {k} AND number = 1),
        sum(discounts[place] / ideals[least(relevant, {k})]) FILTER (place <= {k}),
        count(*) FILTER (place <= {k} AND number = 1)"""
        for k in task.ks
    )
    plan = Path(__file__).with_name("few_ranked.sql" if largest <= FEW else "many_ranked.sql")
    ranked = plan.read_text(encoding="utf-8").format(largest=largest)
    users, *values = con.execute(f"""
        WITH {ranked},
        users AS (SELECT userid, count(*) AS relevant FROM truth GROUP BY userid),
        hits AS (
            SELECT place, relevant, {discounts}::DOUBLE[] AS discounts,
                {list(accumulate(discounts))}::DOUBLE[] AS ideals,
                row_number() OVER (PARTITION BY userid ORDER BY place) AS number
            FROM top JOIN truth USING (userid, itemid) JOIN users USING (userid)
        )
        SELECT (SELECT count(*) FROM users), {sums} FROM hits
    """).fetchone()
    names = [(measure, k) for k in task.ks for measure in MEASURES]
    return {name: float(value or 0) / users for name, value in zip(names, values, strict=True)}


def frames(task: Task, user: str, item: str, text: bool) -> tuple[Any, Any]:
    """Both tables as pandas data frames with columns of these names; ids as text where the tool needs it."""
    con, kind = connect(task), "::VARCHAR" if text else ""
    ids = f"userid{kind} AS {user}, itemid{kind} AS {item}"
    rec, truth = f"SELECT {ids}, score FROM rec", f"SELECT {ids}, 1::BIGINT AS relevance FROM truth"
    return con.sql(rec).df(), con.sql(truth).df()


def nested(frame: Any, value: str) -> dict[str, dict[str, Any]]:
    """A data frame of user, item and a value as {user: {item: value}}."""
    return {
        user: dict(zip(rows["item"].tolist(), rows[value].tolist(), strict=True))
        for user, rows in frame.groupby("user", sort=False)
    }


@contender("pytrec-eval-terrier")
def pytrec_eval(task: Task) -> Steps:
    """trec_eval by way of its Python binding; loading is making the dicts that it takes."""
    import pytrec_eval

    rec, truth = frames(task, "user", "item", text=True)
    run, qrels = nested(rec, "score"), nested(truth, "relevance")
    del rec, truth
    yield
    cut = ",".join(map(str, task.ks))
    names = {"recall": "recall", "P": "precision", "map_cut": "average_precision", "ndcg_cut": "ndcg"}
    names["success"] = "hit_rate"
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {f"{name}.{cut}" for name in names} | {"recip_rank"})
    found = list(evaluator.evaluate(run).values())
    numbers = {
        (ours, k): math.fsum(row[f"{name}_{k}"] for row in found) / len(qrels)
        for name, ours in names.items()
        for k in task.ks
    }
    for k in task.ks:  # it has no reciprocal rank at k
        ranks = (row["recip_rank"] for row in found)
        numbers["mrr", k] = math.fsum(rank for rank in ranks if rank * (k + 0.5) > 1) / len(qrels)
    return numbers


@contender("ranx")
def ranx(task: Task) -> Steps:
    """Its own compiled loops; loading is making its Qrels and Run."""
    import ranx

    rec, truth = frames(task, "q_id", "doc_id", text=True)
    run = ranx.Run.from_df(rec, score_col="score")
    qrels = ranx.Qrels.from_df(truth, score_col="relevance")
    del rec, truth
    yield
    names = dict(zip(("recall", "precision", "map", "mrr", "ndcg", "hit_rate"), MEASURES, strict=True))
    metrics = [f"{name}@{k}" for name in names for k in task.ks]
    found = ranx.evaluate(qrels, run, metrics, threads=task.threads, make_comparable=True)
    return {(ours, k): float(found[f"{name}@{k}"]) for name, ours in names.items() for k in task.ks}


@contender("RecTools")
def rectools(task: Task) -> Steps:
    """Its metrics over data frames; evaluation includes ranking by score, which it leaves to its user."""
    from rectools import metrics

    rec, truth = frames(task, "user_id", "item_id", text=False)
    yield
    rec = rec.sort_values(["user_id", "score", "item_id"], ascending=[True, False, True], kind="stable")
    rec["rank"] = rec.groupby("user_id", sort=False).cumcount() + 1
    rec = rec[rec["rank"] <= max(task.ks)]
    kinds: dict[str, Callable[[int], Any]] = {
        "recall": metrics.Recall,
        "precision": metrics.Precision,
        "average_precision": metrics.MAP,
        "mrr": metrics.MRR,
        "ndcg": lambda k: metrics.NDCG(k, divide_by_achievable=True),
        "hit_rate": metrics.HitRate,
    }
    wanted = {f"{name} {k}": kind(k) for name, kind in kinds.items() for k in task.ks}
    found = metrics.calc_metrics(wanted, rec, truth)
    return {(name, k): float(found[f"{name} {k}"]) for name in kinds for k in task.ks}


# --- A run ---


@dataclass
class Run:
    """Seconds to load and to evaluate, CPU seconds, megabytes at the peak, the numbers; or why none."""

    load: float = 0.0
    evaluate: float = 0.0
    cpu: float = 0.0
    megabytes: float = 0.0
    numbers: Numbers = field(default_factory=dict)
    error: str = ""

    @property
    def seconds(self) -> float:
        return self.load + self.evaluate


def run(name: str, task: Task, toy: Path) -> Run:
    """Run the contender in a fresh interpreter: on the toy tables first, then, timed, on the task's."""
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, str(task.threads)))
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        try:
            process.submit(steps, name, replace(task, folder=toy, memory_limit="")).result()
            return process.submit(steps, name, task).result()
        except Exception as error:
            return Run(error=f"{type(error).__name__}: {error}".partition("\n")[0][:200].replace("|", "/"))


def steps(name: str, task: Task) -> Run:
    """Both steps of a contender, timed."""
    started, worked = time.perf_counter(), time.process_time()
    work = CONTENDERS[name](task)
    next(work)
    loaded = time.perf_counter()
    try:
        next(work)
    except StopIteration as end:
        numbers = end.value
    ended, cpu = time.perf_counter(), time.process_time() - worked
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return Run(loaded - started, ended - loaded, cpu, int(status["VmHWM"].split()[0]) / 1024, numbers)
