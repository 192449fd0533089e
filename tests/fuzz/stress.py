"""Threads and connections for as long as you like; tests/sql/large.test has large inputs.

python -m tests.fuzz.stress threads 60        seconds of cursors in 16 threads, against one thread
python -m tests.fuzz.stress connections 1000  memory and open files before and after
python -m tests.fuzz.stress values 5000       a hash of all values of so many users
"""

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

import ranking_udfs
from ranking_udfs.measures.registry import MEASURES
from tests.conftest import literal, option_text
from tests.fuzz import values
from tests.witnesses import WITNESSES

REFUSED = "refused"


def queries() -> list[str]:
    """Return measures in every form over two tables, several in one query, and some that are refused."""
    texts = "rec::VARCHAR[], map_keys(truth)::VARCHAR[]"
    forms = ("rec, truth", "judge(rec, truth)", texts, "rec, map_keys(truth)")
    columns = []
    for n, (name, witness) in enumerate(WITNESSES.items()):
        for i, options in enumerate(witness.options):
            form, k = forms[(n + i) % 4], (3, "NULL", "userid % 7", 10)[(n + 2 * i) % 4]
            columns.append(f'"{name}"({form}, {k}, {literal(option_text(options))})')
    several = ", ".join(f'"{name}"(rec, truth, 5)' for name in MEASURES if name != "err")
    statements = [f"SELECT {of} FROM lists ORDER BY userid" for of in (*columns, *[several] * 5)]
    statements += [f"SELECT {several} FROM lists WHERE userid % 3 = {i} ORDER BY userid" for i in range(3)]
    statements.append("SELECT userid, k, ndcg, auc FROM ranking.by_user('rec', 'truth', [2, 5]) ORDER BY ALL")
    statements.append("SELECT k, users, hits FROM ranking.evaluate('rec', 'truth', [2, 5]) ORDER BY ALL")
    return [
        *statements,
        "SELECT recall(rec, truth, -1) FROM lists",
        "SELECT ndcg(rec, truth, 1, 'x=1') FROM lists",
    ]


def answer(con: duckdb.DuckDBPyConnection, statement: str) -> Any:
    try:
        return con.execute(statement).fetchall()
    except duckdb.InvalidInputException:
        return REFUSED


def threads(seconds: float, count: int, users: int = 1_500, seed: int = 1) -> tuple[int, list[str]]:
    """Run mixed queries on `count` cursors at once; return how many ran, and the wrong ones."""
    statements, wrong = queries(), list[str]()
    ready = threading.Barrier(count)
    with duckdb.connect(config={"threads": 4}) as con:
        ranking_udfs.register(con)
        values.load(con, seed, users)
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
    assert expected[statements[-1]] == REFUSED
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


def evaluate_values(users: int) -> str:
    with duckdb.connect() as con:
        values.load(ranking_udfs.register(con), 1, users)
        return values.digest(values.values(con))


if __name__ == "__main__":
    _, chosen, size = sys.argv
    commands = {"threads": lambda seconds: threads(seconds, 16), "connections": connections}
    print({**commands, "values": evaluate_values}[chosen](int(size)))
