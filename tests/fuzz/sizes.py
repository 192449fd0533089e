"""Extreme sizes, with values that can be worked out: `python -m tests.fuzz.stress sizes --size 10000000`.

A suite runs the same at a small scale.
"""

import math
from collections.abc import Callable
from typing import Any

import duckdb

LISTS = "range({n}), [0, {n} - 1, {n}]"
ONE_USER = """
    CREATE TEMP VIEW r AS SELECT 1 AS userid, i AS itemid, -i AS score FROM range({n}) t(i);
    CREATE TEMP VIEW t AS SELECT 1 AS userid, unnest([0, {n} - 1, {n}]) AS itemid
"""
MANY_USERS = """
    CREATE TEMP VIEW r AS SELECT i AS userid, i % 1000 AS itemid, 1 AS score FROM range({n}) t(i);
    CREATE TEMP VIEW t AS SELECT i AS userid, i % 1000 + i % 2 AS itemid FROM range({n}) t(i)
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


def check(con: duckdb.DuckDBPyConnection, what: str, n: int) -> None:
    """Evaluate so many.

    Raises:
        AssertionError: a number is further than 1e-12 from the right one.
    """
    if what == "long strings":
        return check_long_strings(con, n)
    tables, query, expected = CASES[what]
    found = con.execute(tables.format(n=n)).execute(query.format(n=n)).fetchall()
    for row, wanted in zip(found, expected(n), strict=True):
        pairs = zip(row, wanted, strict=True)
        assert all(math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12) for a, b in pairs), (row, wanted)
    return None


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
