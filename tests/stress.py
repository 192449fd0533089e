"""Threads, connections and interrupts: `python -m tests.stress 60` runs threads for a minute."""

import gc
import os
import random
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pyarrow as pa

import ranking_udfs
from ranking_udfs.measures.registry import MEASURES
from tests.conftest import Con, lists, literal, maps, option_text
from tests.definitions import WITNESSES, random_topics

COLUMNS = [
    f'"{name}"({{}}, {k}, {literal(option_text(options))})'
    for name, one in WITNESSES.items()
    for options in one.options
    for k in (3, "NULL")
]
TEXTS = "rec::VARCHAR[], map_keys(truth)::VARCHAR[]"
WRONG = ["SELECT recall(rec, truth, -1) FROM lists", "SELECT ndcg(rec, truth, 1, 'x=1') FROM lists"]


def load(con: Con, seed: int, users: int) -> None:
    """Create lists(userid, rec, truth), rec(userid, itemid, score) and truth(userid, itemid, rel)."""
    recs, truths = zip(*random_topics(seed, users), strict=True)
    con.register("topics", pa.table({"userid": range(users), "rec": lists(recs), "truth": maps(truths)}))
    con.execute("""
        CREATE OR REPLACE TABLE lists AS FROM topics;
        CREATE OR REPLACE TABLE rec AS
        SELECT userid, unnest(rec) AS itemid, -unnest(range(len(rec))) // 2 AS score FROM lists;
        CREATE OR REPLACE TABLE truth AS
        SELECT userid, unnest(map_keys(truth)) AS itemid, unnest(map_values(truth)) AS rel FROM lists
    """).unregister("topics")


def shuffle(con: Con, seed: int) -> None:
    """Put the rows of each table in another order."""
    for table in ("lists", "rec", "truth"):
        con.execute(f"SELECT setseed({(seed % 1_000) / 1_000})")
        con.execute(f"CREATE OR REPLACE TABLE {table} AS FROM {table} ORDER BY random()")


def queries() -> list[str]:
    """Return every measure of every user: of the lists in three forms, and of the tables."""
    statements = []
    for arguments in ("rec, truth", "judge(rec, truth)", TEXTS):
        chosen = [column for column in COLUMNS if arguments != TEXTS or "min_grade" not in column]
        columns = ", ".join(column.format(arguments) for column in chosen)
        statements.append(f"SELECT {columns} FROM lists ORDER BY userid")
    columns = ", ".join(f'"{name}"' for name, measure in MEASURES.items() if measure.column)
    by_user = f"SELECT userid, k, {columns} FROM ranking.by_user('rec', 'truth', [2, 10])"
    return [*statements, f"{by_user} ORDER BY userid, k"]


def answer(con: Con, statement: str) -> Any:
    """Return the rows as text, which shows each bit, or that the call was refused."""
    try:
        return repr(con.execute(statement).fetchall())
    except duckdb.InvalidInputException:
        return "refused"


def threads(seconds: float, count: int, users: int = 1_500, seed: int = 1) -> tuple[int, list[str]]:
    """Run mixed queries on `count` cursors at once; return how many ran, and the wrong ones."""
    few = [f"SELECT {column.format('rec, truth')} FROM lists ORDER BY userid" for column in COLUMNS]
    statements, wrong = [*few, *queries(), *WRONG], list[str]()
    ready = threading.Barrier(count)
    with duckdb.connect(config={"threads": 4}) as con:
        load(ranking_udfs.register(con), seed, users)
        expected = {statement: answer(con, statement) for statement in statements}
        until = time.monotonic() + seconds

        def work(number: int) -> int:
            rng, ran = random.Random(f"{seed}/{number}"), 0
            with con.cursor() as cursor:
                ready.wait()
                ranking_udfs.register(cursor)
                while not ran or (time.monotonic() < until and not wrong):
                    statement = rng.choice(statements)
                    try:
                        if answer(cursor, statement) != expected[statement]:
                            wrong.append(statement)
                    except Exception as error:
                        wrong.append(f"{statement}: {error!r}")
                    ran += 1
            return ran

        with ThreadPoolExecutor(count) as pool:
            ran = sum(pool.map(work, range(count)))
    assert {statement for statement in expected if expected[statement] == "refused"} == {*WRONG}
    return ran, wrong


def resident() -> int:
    """Return the number of pages of memory that the process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1])


def connections(count: int) -> tuple[float, int]:
    """Open, register, use and close connections, to memory and to a file.

    Return the growth of memory between a fifth of the rounds and the end, and that of open files. A file with
    a connection that is still open could not be opened with another setting.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.db"
        duckdb.connect(path).close()
        files, early = len(os.listdir("/proc/self/fd")), 0
        for i in range(count):
            target = path if i % 2 else ":memory:"
            with duckdb.connect(target, read_only=bool(i % 4 == 3)) as con:
                ranking_udfs.register(con, hivemall=i % 5 == 0)
                with con.cursor() as cursor:
                    cursor.execute("SELECT sum(system.main.recall([u], [u % 2])) FROM range(3000) t(u)")
                    cursor.fetchall()
            if i == count // 5:
                gc.collect()
                early = resident()
        gc.collect()
        return resident() / early - 1, len(os.listdir("/proc/self/fd")) - files


BIG = """
    CREATE OR REPLACE TEMP VIEW big_rec AS
    SELECT i // 100 AS userid, i % 1009 AS itemid, hash(i) % 1000 AS score FROM range({rows}) t(i);
    CREATE OR REPLACE TEMP VIEW big_truth AS
    SELECT i // 10 AS userid, i % 1013 AS itemid FROM range({rows} // 10) t(i)
"""
EVALUATIONS = {
    "lists": "SELECT avg(ndcg([u, u + 1], [u + 1, 7], 2)), avg(auc([u, 3], [3])) FROM range({rows}) t(u)",
    "tables": "SELECT k, ndcg, recall FROM ranking.evaluate('big_rec', 'big_truth', [5, 10])",
}


def interrupt(rows: int, after: float, kind: str) -> tuple[float, BaseException | None]:
    """Interrupt an evaluation; return the seconds until its end, and its error."""
    with duckdb.connect(config={"threads": 2}) as con:
        ranking_udfs.register(con)
        con.execute(BIG.format(rows=rows))
        timer, raised, began = threading.Timer(after, con.interrupt), None, time.monotonic()
        timer.start()
        try:
            con.execute(EVALUATIONS[kind].format(rows=rows)).fetchall()
        except BaseException as error:
            raised = error
        took = time.monotonic() - began - after
        timer.cancel()
        timer.join()
        assert con.execute("SELECT recall([1, 3], [1, 2])").fetchall() == [(1 / 2,)]
        return took, raised


if __name__ == "__main__":
    print(threads(float(sys.argv[1]), 16))
