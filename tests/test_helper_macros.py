"""Hivemall's macros and the aggregates against slow definitions; worked calls are in tests/calls.

test_beyond_accuracy.py compares the aggregates of many lists with the table function and a slow definition.
"""

import json
import random
import re
from collections.abc import Iterator, Sequence
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
    names = [name for name, (_, room) in texts().items() if room in ("lists", "predictions", "hivemall")]
    with duckdb.connect() as plain:
        found = plain.execute("FROM duckdb_functions() WHERE function_name IN (SELECT unnest(?))", [names])
        assert found.fetchall() == []
    assert {"mae", "struct", "gini_coverage"} <= {*names}


def test_columns_may_have_the_names_of_parameters_and_of_lambda_variables(con: Con) -> None:
    parameters = ["key", "value", "reverse", "k", "options"]
    names = [*parameters, "pair", "pairs", "two", "grp", "rank", "item", "items", "lists", "weight", "counts"]
    columns = ", ".join(f"i AS {one}" for one in names)
    con.execute(f"CREATE OR REPLACE TABLE t AS SELECT {columns} FROM range(1, 3) AS r(i)")
    # An expression over all columns, each of which must be the one from outside.
    x = f"if({' AND '.join(f'{one} = k' for one in names)}, k, NULL)"
    lists = [f"to_ordered_list({x}, {x}{rest})" for rest in (", '-reverse'", ", '-k 1 -dedup -kv'", "")]
    maps = [f"map_values(to_ordered_map({x}, {x}, {third}))" for third in ("true", "1")]
    of_lists = [f"ranking.gini_coverage([{x}], max({x}))", f"ranking.catalog_coverage([{x}], max({x}))"]
    calls = [*lists, *maps, f"collect_set({x})", f"ranking.personalization([{x}])", *of_lists]
    found = con.execute(f"SELECT {', '.join(calls)} FROM t").fetchone()
    assert found == ([2, 1], {2: 2}, [1, 2], [2, 1], [2], [1, 2], 1, 0, 1)


def test_options_may_be_a_parameter_of_the_query(con: Con) -> None:
    rows = "FROM (VALUES (5), (3), (4)) AS t(key)"
    assert con.execute(f"SELECT to_ordered_list(key, $1) {rows}", ["-k 2"]).fetchall() == [([5, 4],)]


Row = tuple[int, int | None, str | None]
Pairs = Sequence[tuple[Any, Any]]


def ordered(rows: Sequence[Row], descending: bool) -> list[tuple[int, str]]:
    """(key, value) by key, in the direction, and then by value, ascending: what to_ordered_list means."""
    pairs = [(key, item) for _, key, item in rows if key is not None and item is not None]
    return sorted(pairs, key=lambda pair: (-pair[0] if descending else pair[0], pair[1]))


def first_by(pairs: Pairs) -> Pairs:
    found: dict[Any, Any] = {}
    for key, item in pairs:
        found.setdefault(key, item)
    return list(found.items())


CASES = ["", "-reverse", "-k 1", "-k 7", "-k 29", "-k 30", "-k 1000", "-k -7", "-k -31", "-k 7 -reverse"]
CASES += ["-k -40 -reverse", "-dedup", "-dedup -reverse", "-dedup -k 5", "-dedup -k -50"]


def slowly(rows: Sequence[Row]) -> dict[str, Any]:
    """What each call gives of the rows of one user."""
    lists: dict[str, Any] = {}
    for options in CASES:
        k = int(re.findall(r"-k (\S+)", f"{options} -k 0")[0])
        pairs = ordered(rows, (k > 0) != ("-reverse" in options))
        pairs = (list(dict.fromkeys(pairs)) if "-dedup" in options else pairs)[: abs(k) or None]
        lists[options] = [item for _, item in pairs]
        lists[f"{options} -kv_map"] = first_by(pairs)
        lists[f"{options} -vk_map"] = first_by([(item, key) for key, item in pairs])
    smallest = {
        key: min((y for _, x, y in rows if x == key and y is not None), default=None)
        for key in {x for _, x, _ in rows if x is not None}
    }
    up = sorted(smallest.items())
    return {
        **{f"to_ordered_list(y, x, '{options}')": found for options, found in lists.items()},
        "to_ordered_map(x, y)": up,
        "to_ordered_map(x, y, true)": up[::-1],
        "to_ordered_map(x, y, 5)": up[::-1][:5],
        "to_ordered_map(x, y, -5)": up[:5],
        "collect_set(y)": sorted({y for _, _, y in rows if y is not None}),
        "to_ordered_list(y, x)": lists[""],
    }


@pytest.mark.slow
def test_results_equal_the_slow_definitions_whatever_the_row_order_and_threads(con: Con) -> None:
    draw = random.Random(20)
    rows: list[Row] = [
        (draw.randrange(20), draw.choice([None, *range(12)]), draw.choice([None, *"abcdefghijklmnop"]))
        for _ in range(3_000)
    ]
    expected = [slowly([row for row in rows if row[0] == user]) for user in range(20)]
    con.execute("CREATE OR REPLACE TABLE t (u INTEGER, x INTEGER, y VARCHAR)")
    con.execute("INSERT INTO t VALUES " + ", ".join(f"({literal(list(row))[1:-1]})" for row in rows))
    for threads, order in ((1, "y DESC, x DESC"), (4, "hash(u, x, y)")):
        con.execute(f"SET threads = {threads}")
        con.execute(f"CREATE OR REPLACE TABLE t AS FROM t ORDER BY {order}")
        found = con.execute(f"SELECT {', '.join(expected[0])} FROM t GROUP BY u ORDER BY u").fetchall()
        for values, wanted in zip(found, expected, strict=True):
            for one, (call, want) in zip(values, wanted.items(), strict=True):
                assert (list(one.items()) if isinstance(one, dict) else one) == want, call  # maps in order
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
