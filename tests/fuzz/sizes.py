"""Extreme sizes, with values that can be worked out: `python -m tests.fuzz.sizes --scale 10000000`.

A suite runs the same at a small scale. Each line says what was evaluated, the seconds and the memory at most.
"""

import argparse
import math
import resource
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import duckdb

import ranking_udfs

Connection = duckdb.DuckDBPyConnection


def rows(con: Connection, sql: str) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = con.execute(sql).fetchall()
    return found


def check(found: Any, expected: Any) -> None:
    """Equal, numbers to 1e-12."""
    pairs = zip(found, expected, strict=True)
    if not all(a == b or math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12) for a, b in pairs):
        raise AssertionError(f"{found}, not {expected}")


def one_user_with_many_items(con: Connection, n: int) -> None:
    """N recommended items; relevant are the first, the last, and one that is nowhere."""
    rec, truth = f"range({n})", f"[0, {n - 1}, {n}]"
    names = ("recall", "precision", "mrr", "auc", "average_precision")
    columns = ", ".join(f'"{name}"({rec}, {truth})' for name in names)
    check(rows(con, f"SELECT {columns}")[0], (2 / 3, 2 / n, 1, 1 / 2, (1 + 2 / n) / 3))


def one_user_in_tables(con: Connection, n: int) -> None:
    """The same from tables, with text for items in one of them."""
    con.execute(
        f"CREATE OR REPLACE TEMP VIEW r AS SELECT 1 AS userid, i AS itemid, -i AS score FROM range({n}) t(i)"
    )
    con.execute(f"CREATE OR REPLACE TEMP VIEW t AS SELECT 1 AS userid, unnest([0, {n - 1}, {n}]) AS itemid")
    found = rows(
        con, f"SELECT n_rec, n_truth, recall, mrr, hits FROM ranking_by_user('r', 't', [1, {n}]) ORDER BY k"
    )
    check(found[0], (n, 3, 1 / 3, 1, 1))
    check(found[1], (n, 3, 2 / 3, 1, 2))


def many_users_with_one_item(con: Connection, n: int) -> None:
    """As many users, every second of whom has a hit."""
    con.execute(
        "CREATE OR REPLACE TEMP VIEW r AS "
        f"SELECT i AS userid, i % 1000 AS itemid, 1 AS score FROM range({n}) t(i)"
    )
    con.execute(
        "CREATE OR REPLACE TEMP VIEW t AS "
        f"SELECT i AS userid, i % 1000 + i % 2 AS itemid FROM range({n}) t(i)"
    )
    found = rows(
        con, "SELECT k, users, recall, mrr, ndcg, hits FROM ranking_summary('r', 't', [1, 10]) ORDER BY k"
    )
    half = (n + 1) // 2 / n
    check(found[0], (1, n, half, half, half, half))
    check(found[1], (10, n, half, half, half, half))
    sql = (
        f"SELECT count(*), avg(recall([i], [i + i % 2])), avg(ndcg([i], [i + i % 2], 5)) FROM range({n}) t(i)"
    )
    check(rows(con, sql)[0], (n, half, half))


def long_strings(con: Connection, n: int) -> None:
    """Lists of strings of n bytes in all, and beyond 2^31 of them: right, or an error of DuckDB's or ours."""
    width, bytes_in_all = 1_000_000 if n >= 10**7 else 10_000, 2**31 + 2**20 if n >= 10**7 else n
    count = max(bytes_in_all // width, 2)
    # One string with a number at its end, so that no two are equal and all share a prefix.
    rec = f"list_transform(range({count}), lambda i: repeat('x', {width}) || i)"
    sql = f"SELECT hits({rec}, [repeat('x', {width}) || 1, repeat('x', {width}) || {count}])"
    try:
        check(rows(con, sql)[0], (1,))
    except duckdb.Error as error:
        if n < 10**7:
            raise
        print(f"  {type(error).__name__}: {str(error).splitlines()[0]:.160}")
    check(rows(con, "SELECT recall(['a'], ['a'])")[0], (1,))


SIZES: dict[str, Callable[[Connection, int], None]] = {
    "one user with many items": one_user_with_many_items,
    "one user with many items, tables": one_user_in_tables,
    "many users with one item": many_users_with_one_item,
    "long strings": long_strings,
}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.sizes")
    parser.add_argument("--scale", type=int, default=10_000_000)
    parser.add_argument("--only", choices=SIZES)
    chosen = parser.parse_args(arguments)
    for name in [chosen.only] if chosen.only else SIZES:
        began = time.perf_counter()
        with duckdb.connect() as con:
            SIZES[name](ranking_udfs.register(con), chosen.scale)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(f"{name}, {chosen.scale:,}: {time.perf_counter() - began:.1f} s, {memory:.2f} GB", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
