"""Threads, connections and sizes for as long, and as large, as one likes.

python -m tests.fuzz.stress threads --size 60        seconds of cursors in 16 threads, against one thread
python -m tests.fuzz.stress connections --size 1000  memory and open files before and after
python -m tests.fuzz.stress sizes --size 10000000    so many items of one user, or users, or bytes
python -m tests.fuzz.stress values --size 5000       a hash of all values of so many users
"""

import argparse
import gc
import math
import os
import random
import resource
import threading
import time
from collections.abc import Callable
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
    """Measures in every form over two tables, several in one query, and some that are refused."""
    texts = "rec::VARCHAR[], map_keys(truth)::VARCHAR[]"
    forms = ("rec, truth", "judge(rec, truth)", texts, "rec, map_keys(truth)")
    found = []
    for n, (name, one) in enumerate(WITNESSES.items()):
        for i, options in enumerate(one.options):
            form, k = forms[(n + i) % 4], (3, "NULL", "userid % 7", 10)[(n + 2 * i) % 4]
            found.append(f'"{name}"({form}, {k}, {literal(option_text(options))})')
    several = ", ".join(f'"{name}"(rec, truth, 5)' for name in MEASURES if name != "err")
    found += [several] * 5
    statements = [f"SELECT {columns} FROM lists ORDER BY userid" for columns in found]
    statements += [f"SELECT {several} FROM lists WHERE userid % 3 = {i} ORDER BY userid" for i in range(3)]
    statements.append("SELECT userid, k, ndcg, auc FROM ranking_by_user('rec', 'truth', [2, 5]) ORDER BY ALL")
    statements.append("SELECT k, users, hits FROM ranking_summary('rec', 'truth', [2, 5]) ORDER BY ALL")
    statements += ["SELECT recall(rec, truth, -1) FROM lists", "SELECT ndcg(rec, truth, 1, 'x=1') FROM lists"]
    return statements


def answer(con: duckdb.DuckDBPyConnection, statement: str) -> Any:
    try:
        return con.execute(statement).fetchall()
    except duckdb.InvalidInputException:
        return REFUSED


def threads(seconds: float, count: int, users: int = 1_500, seed: int = 1) -> tuple[int, list[str]]:
    """Run mixed queries on `count` cursors at once; how many ran, and the wrong ones."""
    statements, wrong, ran = queries(), list[str](), [0] * count
    with duckdb.connect(config={"threads": 4}) as con:
        ranking_udfs.register(con)
        values.load(con, seed, users)
        expected = {statement: answer(con, statement) for statement in statements}
        until = time.monotonic() + seconds
        ready = threading.Barrier(count)

        def work(number: int) -> None:
            rng = random.Random(f"{seed}/{number}")
            with con.cursor() as cursor:
                ready.wait()
                ranking_udfs.register(cursor)
                while not ran[number] or (time.monotonic() < until and not wrong):
                    statement = rng.choice(statements)
                    try:
                        if answer(cursor, statement) != expected[statement]:
                            wrong.append(statement)
                    except Exception as error:
                        wrong.append(f"{statement}: {error!r}")
                    ran[number] += 1

        workers = [threading.Thread(target=work, args=(number,)) for number in range(count)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    assert expected[statements[-1]] == REFUSED
    return sum(ran), wrong


def resident() -> int:
    """Pages of memory that the process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1])


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def connections(count: int) -> tuple[float, int]:
    """Open, register, use and close connections, to memory and to a file; growth of memory and open files.

    Memory is compared after a fifth of the rounds and at the end. A connection that was not let go would make
    the file refuse to be opened with another setting.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.db"
        duckdb.connect(path).close()
        files, early = open_files(), 0
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
        return resident() / early - 1, open_files() - files


BIG = """
    CREATE OR REPLACE TEMP VIEW big_rec AS
    SELECT i // 100 AS userid, i % 1009 AS itemid, hash(i) % 1000 AS score FROM range({rows}) t(i);
    CREATE OR REPLACE TEMP VIEW big_truth AS
    SELECT i // 10 AS userid, i % 1013 AS itemid FROM range({rows} // 10) t(i)
"""
EVALUATIONS = {
    "lists": "SELECT avg(ndcg([u, u + 1], [u + 1, 7], 2)), avg(auc([u, 3], [3])) FROM range({rows}) t(u)",
    "tables": "SELECT k, ndcg, recall FROM ranking_summary('big_rec', 'big_truth', [5, 10])",
}


def interrupt(rows: int, after: float, kind: str) -> tuple[float, BaseException | None]:
    """Seconds from con.interrupt() in an evaluation to its end, and what it ended with; usable afterwards."""
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


# --- Extreme sizes, with values that can be worked out ---

LISTS = "range({n}), [0, {n} - 1, {n}]"
ONE_USER = """
    CREATE OR REPLACE TEMP VIEW r AS SELECT 1 AS userid, i AS itemid, -i AS score FROM range({n}) t(i);
    CREATE OR REPLACE TEMP VIEW t AS SELECT 1 AS userid, unnest([0, {n} - 1, {n}]) AS itemid
"""
MANY_USERS = """
    CREATE OR REPLACE TEMP VIEW r AS SELECT i AS userid, i % 1000 AS itemid, 1 AS score FROM range({n}) t(i);
    CREATE OR REPLACE TEMP VIEW t AS SELECT i AS userid, i % 1000 + i % 2 AS itemid FROM range({n}) t(i)
"""
ONES = ("recall", "precision", "mrr", "auc", "average_precision")
Rows = list[tuple[Any, ...]]


def half(n: int) -> float:
    """The share of users with a hit, where it is every second, from the first on."""
    return (n + 1) // 2 / n


# What there is n of: tables, a query, and its rows.
CASES: dict[str, tuple[str, str, Callable[[int], Rows]]] = {
    # Relevant are the first item, the last, and one that is nowhere.
    "one user with many items": (
        "SELECT 1",
        "SELECT " + ", ".join(f'"{name}"({LISTS})' for name in ONES),
        lambda n: [(2 / 3, 2 / n, 1, 1 / 2, (1 + 2 / n) / 3)],
    ),
    "one user with many items, tables": (
        ONE_USER,
        "SELECT n_rec, n_truth, recall, mrr, hits FROM ranking_by_user('r', 't', [1, {n}]) ORDER BY k",
        lambda n: [(n, 3, 1 / 3, 1, 1), (n, 3, 2 / 3, 1, 2)],
    ),
    "many users with one item": (
        MANY_USERS,
        "SELECT k, users, recall, mrr, ndcg, hits FROM ranking_summary('r', 't', [1, 10]) ORDER BY k",
        lambda n: [(k, n, half(n), half(n), half(n), half(n)) for k in (1, 10)],
    ),
    "many users with one item, lists": (
        "SELECT 1",
        "SELECT count(*), avg(recall([i], [i + i % 2])), avg(ndcg([i], [i + i % 2], 5)) FROM range({n}) t(i)",
        lambda n: [(n, half(n), half(n))],
    ),
}
SIZES = (*CASES, "long strings")


def check_size(con: duckdb.DuckDBPyConnection, what: str, n: int) -> None:
    """Evaluate so many.

    Raises:
        AssertionError: a number is further than 1e-12 from the right one.
    """
    if what == "long strings":
        check_long_strings(con, n)
        return
    tables, query, expected = CASES[what]
    found = con.execute(tables.format(n=n)).execute(query.format(n=n)).fetchall()
    for row, wanted in zip(found, expected(n), strict=True):
        pairs = zip(row, wanted, strict=True)
        assert all(math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12) for a, b in pairs), (row, wanted)


def check_long_strings(con: duckdb.DuckDBPyConnection, n: int) -> None:
    """Lists of strings of n bytes in all, and beyond 2^31 of them: right, or an error of DuckDB's or ours."""
    width, bytes_in_all = (1_000_000, 2**31 + 2**20) if n >= 10**7 else (10_000, n)
    count = max(bytes_in_all // width, 2)
    # One string with a number at its end, so that no two are equal and all share a prefix.
    rec = f"list_transform(range({count}), lambda i: repeat('x', {width}) || i)"
    query = f"SELECT hits({rec}, [repeat('x', {width}) || 1, repeat('x', {width}) || {count}])"
    try:
        assert con.execute(query).fetchall() == [(1,)]
    except duckdb.Error as error:
        if n < 10**7:
            raise
        print(f"  {type(error).__name__}: {str(error).splitlines()[0]:.160}")
    assert con.execute("SELECT recall(['a'], ['a'])").fetchall() == [(1,)]


def evaluate_sizes(n: int) -> None:
    """Say the seconds and the memory at most."""
    for what in SIZES:
        began = time.perf_counter()
        with duckdb.connect() as con:
            check_size(ranking_udfs.register(con), what, n)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(f"{what}, {n:,}: {time.perf_counter() - began:.1f} s, {memory:.2f} GB", flush=True)


def evaluate_values(users: int) -> str:
    with duckdb.connect() as con:
        values.load(ranking_udfs.register(con), 1, users)
        return values.digest(values.values(con))


COMMANDS: dict[str, tuple[Callable[[int], Any], int]] = {
    "threads": (lambda size: threads(size, 16), 60),
    "connections": (connections, 1_000),
    "sizes": (evaluate_sizes, 10_000_000),
    "values": (evaluate_values, 5_000),
}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.stress")
    parser.add_argument("what", choices=COMMANDS)
    parser.add_argument("--size", type=int)
    chosen = parser.parse_args()
    command, usual = COMMANDS[chosen.what]
    print(command(chosen.size or usual) or "")
