"""Hivemall's macros and the aggregates against slow definitions; worked calls are in tests/calls.

test_beyond_accuracy.py compares the aggregates of many lists with the table function and a slow definition.
"""

import json
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import duckdb
import pytest

import ranking_udfs
from ranking_udfs.macros.files import texts
from tests.conftest import Con, literal


@pytest.fixture(scope="module")
def con() -> Iterator[Con]:
    with duckdb.connect() as connection:
        yield ranking_udfs.register(connection, hivemall=True)


def test_no_name_of_duckdb_is_shadowed() -> None:
    names = [name for name, (_, folder) in texts().items() if folder in ("lists", "predictions", "hivemall")]
    assert {"mae", "struct", "gini_coverage"} <= {*names}
    with duckdb.connect() as plain:
        same = plain.execute("FROM duckdb_functions() WHERE function_name IN (SELECT unnest(?))", [names])
        assert same.fetchall() == []


def test_options_may_be_a_parameter_of_the_query(con: Con) -> None:
    rows = "FROM (VALUES (5), (3), (4)) AS t(key)"
    assert con.execute(f"SELECT to_ordered_list(key, $1) {rows}", ["-k 2"]).fetchall() == [([5, 4],)]


Row = tuple[int, int | None, str | None]
OPTIONS = ["", "-reverse", "-k 1", "-k 7", "-k 29", "-k 30", "-k 1000", "-k -7", "-k -31", "-k 7 -reverse"]
OPTIONS += ["-k -40 -reverse", "-dedup", "-dedup -reverse", "-dedup -k 5", "-dedup -k -50"]


def slow_values(rows: Sequence[Row]) -> dict[str, Any]:
    """Compute each call over the rows of one user."""
    values: dict[str, Any] = {}
    for options in OPTIONS:
        k = int(re.findall(r"-k (\S+)", f"{options} -k 0")[0])
        sign = -1 if (k > 0) != ("-reverse" in options) else 1
        pairs = [(key, item) for _, key, item in rows if key is not None and item is not None]
        pairs.sort(key=lambda pair: (sign * pair[0], pair[1]))  # by key, and then by value, ascending
        pairs = (list(dict.fromkeys(pairs)) if "-dedup" in options else pairs)[: abs(k) or None]
        values[f"to_ordered_list(y, x, '{options}')"] = [item for _, item in pairs]
        values[f"to_ordered_list(y, x, '{options} -kv_map')"] = first_values(pairs)
        values[f"to_ordered_list(y, x, '{options} -vk_map')"] = first_values((y, x) for x, y in pairs)
    keys = {x for _, x, _ in rows if x is not None}
    smallest = {key: min((y for _, x, y in rows if x == key and y), default=None) for key in keys}
    up = sorted(smallest.items())
    return {
        **values,
        "to_ordered_map(x, y)": up,
        "to_ordered_map(x, y, true)": up[::-1],
        "to_ordered_map(x, y, 5)": up[::-1][:5],
        "to_ordered_map(x, y, -5)": up[:5],
        "collect_set(y)": sorted({y for _, _, y in rows if y is not None}),
        "to_ordered_list(y, x)": values["to_ordered_list(y, x, '')"],
    }


def first_values(pairs: Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Keep the first value of each key."""
    values: dict[Any, Any] = {}
    for key, value in pairs:
        values.setdefault(key, value)
    return [*values.items()]


@pytest.mark.slow
def test_results_equal_slow_definitions_for_any_row_order_and_threads(con: Con) -> None:
    draw = random.Random(20)
    rows: list[Row] = [
        (draw.randrange(20), draw.choice([None, *range(12)]), draw.choice([None, *"abcdefghijklmnop"]))
        for _ in range(3_000)
    ]
    expected = [slow_values([row for row in rows if row[0] == user]) for user in range(20)]
    con.execute("CREATE OR REPLACE TABLE t (u INTEGER, x INTEGER, y VARCHAR)")
    con.execute("INSERT INTO t VALUES " + ", ".join(f"({literal(list(row))[1:-1]})" for row in rows))
    for threads, order in ((1, "y DESC, x DESC"), (4, "hash(u, x, y)")):
        con.execute(f"SET threads = {threads}")
        con.execute(f"CREATE OR REPLACE TABLE t AS FROM t ORDER BY {order}")
        of_users = con.execute(f"SELECT {', '.join(expected[0])} FROM t GROUP BY u ORDER BY u").fetchall()
        for values, wanted in zip(of_users, expected, strict=True):
            for value, (call, want) in zip(values, wanted.items(), strict=True):
                assert (list(value.items()) if isinstance(value, dict) else value) == want, call
    con.execute("RESET threads")


def test_only_the_aggregate_that_the_options_need_is_computed(con: Con) -> None:
    con.execute("CREATE OR REPLACE TABLE t AS SELECT i % 10 AS u, i, i % 7 AS s FROM range(100) AS t(i)")

    def aggregates(plan: dict[str, Any]) -> int:
        own = plan["extra_info"].get("Aggregates", [])
        return len([own] if isinstance(own, str) else own) + sum(map(aggregates, plan["children"]))

    for options in ("-reverse", "-k -100", "-dedup", "-kv_map", "-k 9 -vk_map"):
        sql = f"EXPLAIN (FORMAT json) SELECT u, to_ordered_list(i, s, '{options}') FROM t GROUP BY u"
        (plan,) = json.loads(con.execute(sql).fetchall()[0][1])
        assert aggregates(plan) == 1, options
