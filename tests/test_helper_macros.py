"""The macros for lists, maps, catalogues and regression: worked examples, NULLs, ties, errors, slow twins."""

import json
import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import Any

import duckdb
import pytest

import ranking_udfs
from tests.conftest import literal, value, with_internals
from tests.reference import head

HELPERS = [
    "catalog_coverage",
    "collect_set",
    "gini_coverage",
    "logloss",
    "mae",
    "mse",
    "personalization",
    "r2",
    "rmse",
    "struct",
    "to_ordered_list",
    "to_ordered_map",
]

# Hivemall's examples: its documentation's two tables, as (key, value).
FRUITS = """(VALUES
    (5, 'apple'), (3, 'banana'), (4, 'candy'), (1, 'donut'), (2, 'egg'), (4, 'candy')) AS t(key, value)"""
THREE = "(VALUES (10, 'apple'), (3, 'banana'), (4, 'candy')) AS t(key, value)"


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    """One connection for every test here; a test that needs settings of its own takes `own`."""
    with duckdb.connect() as connection:
        yield with_internals(ranking_udfs.register(connection))


@pytest.fixture
def own() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield ranking_udfs.register(connection)


def refused(con: duckdb.DuckDBPyConnection, sql: str) -> str:
    """What a user reads of an error that a macro raises."""
    with pytest.raises(duckdb.InvalidInputException) as raised:
        con.execute(sql).fetchall()
    return str(raised.value).removeprefix("Invalid Input Error: ").partition("\n")[0]


def entries(found: dict[Any, Any]) -> list[tuple[Any, Any]]:
    """A map with its order, which == of dicts does not see."""
    return list(found.items())


# --- the files ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", HELPERS)
def test_the_example_in_the_head_gives_the_result_beside_it(
    con: duckdb.DuckDBPyConnection, name: str
) -> None:
    found = con.execute(f"SELECT COLUMNS(*)::VARCHAR FROM ({head(name).query})").fetchall()
    assert found == [(head(name).result,)]


@pytest.mark.parametrize("name", HELPERS)
def test_no_name_of_duckdb_is_shadowed(name: str) -> None:
    with duckdb.connect() as plain:
        found = plain.execute("FROM duckdb_functions() WHERE function_name = ?", [name]).fetchall()
    assert found == []


def test_columns_may_have_the_names_of_parameters_and_of_lambda_variables(
    con: duckdb.DuckDBPyConnection,
) -> None:
    parameters = ["key", "value", "reverse", "k", "options"]
    names = [*parameters, "pair", "pairs", "two", "grp", "rank", "item", "items", "lists", "weight", "counts"]
    columns = ", ".join(f'"{name}"' for name in names)
    rows = f"(VALUES {(1,) * len(names)}, {(2,) * len(names)}) AS t({columns})"
    con.execute(f"CREATE OR REPLACE TABLE t AS FROM {rows}")
    for a, b in pairwise([*names, names[0]]):
        x, y = f'"{a}"', f'"{b}"'
        for two in (f"{x}, {y}", f"{y}, {x}"):
            assert value(con, f"SELECT to_ordered_list({two}, '-reverse') FROM t") == [2, 1]
            assert value(con, f"SELECT to_ordered_list({two}, '-k 1 -dedup -kv') FROM t") == {2: 2}
            assert value(con, f"SELECT to_ordered_list({two}, '-k 1 -vk') FROM t") == {2: 2}
            assert value(con, f"SELECT to_ordered_list({two}) FROM t") == [1, 2]
            assert entries(value(con, f"SELECT to_ordered_map({two}, true) FROM t")) == [(2, 2), (1, 1)]
            assert entries(value(con, f"SELECT to_ordered_map({two}, 1) FROM t")) == [(2, 2)]
        assert value(con, f"SELECT collect_set({x}) FROM t") == [1, 2]
        assert value(con, f"SELECT personalization([{x}]) FROM t") == 1
        assert value(con, f"SELECT gini_coverage([{x}], max({x})) FROM t") == 0
        assert value(con, f"SELECT catalog_coverage([{x}], max({x})) FROM t") == 1


# --- collect_set ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("(NULL), (NULL)", []),
        ("(2), (NULL), (1), (2)", [1, 2]),
        ("('b'), ('a'), ('B'), ('a')", ["B", "a", "b"]),
        ("([2]), ([1, 3]), ([2])", [[1, 3], [2]]),
    ],
)
def test_collect_set_is_distinct_sorted_and_without_null(
    con: duckdb.DuckDBPyConnection, rows: str, expected: list[Any]
) -> None:
    assert value(con, f"SELECT collect_set(x) FROM (VALUES {rows}) AS t(x)") == expected


def test_collect_set_of_no_rows_is_empty(con: duckdb.DuckDBPyConnection) -> None:
    assert value(con, "SELECT collect_set(i) FROM range(3) AS t(i) WHERE i > 5") == []


# --- struct ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", range(1, 9))
def test_struct_names_its_fields_as_hive_does(con: duckdb.DuckDBPyConnection, size: int) -> None:
    found = value(con, f"SELECT struct({', '.join(map(str, range(size)))})")
    assert list(found.items()) == [(f"col{i + 1}", i) for i in range(size)]


def test_struct_keeps_null_and_mixes_types(con: duckdb.DuckDBPyConnection) -> None:
    assert value(con, "SELECT struct(NULL, 'a', [1])") == {"col1": None, "col2": "a", "col3": [1]}


# --- to_ordered_map -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("third", "expected"),
    [
        ("", [(3, "banana"), (4, "candy"), (10, "apple")]),
        (", false", [(3, "banana"), (4, "candy"), (10, "apple")]),
        (", true", [(10, "apple"), (4, "candy"), (3, "banana")]),
        (", 1", [(10, "apple")]),
        (", 2", [(10, "apple"), (4, "candy")]),
        (", 3", [(10, "apple"), (4, "candy"), (3, "banana")]),
        (", 100", [(10, "apple"), (4, "candy"), (3, "banana")]),
        (", -1", [(3, "banana")]),
        (", -2", [(3, "banana"), (4, "candy")]),
        (", -3", [(3, "banana"), (4, "candy"), (10, "apple")]),
        (", -100", [(3, "banana"), (4, "candy"), (10, "apple")]),
        (", 2::BIGINT", [(10, "apple"), (4, "candy")]),
        (", -2::TINYINT", [(3, "banana"), (4, "candy")]),
        (", reverse := true", [(10, "apple"), (4, "candy"), (3, "banana")]),
        (", k := -1", [(3, "banana")]),
    ],
)
def test_to_ordered_map_gives_hivemalls_examples(
    con: duckdb.DuckDBPyConnection, third: str, expected: list[tuple[int, str]]
) -> None:
    assert entries(value(con, f"SELECT to_ordered_map(key, value{third}) FROM {THREE}")) == expected


@pytest.mark.parametrize("third", ["", ", true", ", 2", ", -2"])
def test_to_ordered_map_of_no_keys_is_empty(con: duckdb.DuckDBPyConnection, third: str) -> None:
    assert value(con, f"SELECT to_ordered_map(key, value{third}) FROM {THREE} WHERE key > 10") == {}
    assert value(con, f"SELECT to_ordered_map(NULL::INTEGER, value{third}) FROM {THREE}") == {}


@pytest.mark.parametrize("third", ["", ", true", ", 2", ", -2"])
def test_to_ordered_map_skips_null_keys_and_keeps_null_values(
    con: duckdb.DuckDBPyConnection, third: str
) -> None:
    rows = "(VALUES (NULL, 'a'), (1, NULL), (2, 'b')) AS t(key, value)"
    assert value(con, f"SELECT to_ordered_map(key, value{third}) FROM {rows}") == {1: None, 2: "b"}


@pytest.mark.parametrize("third", ["", ", true", ", 1", ", -1"])
def test_to_ordered_map_keeps_the_smallest_value_of_a_key(con: duckdb.DuckDBPyConnection, third: str) -> None:
    rows = [(7, "b"), (7, None), (7, "a"), (7, "c")]
    for order in (rows, rows[::-1]):
        table = ", ".join(f"({literal(key)}, {literal(item)})" for key, item in order)
        assert value(con, f"SELECT to_ordered_map(x, y{third}) FROM (VALUES {table}) AS t(x, y)") == {7: "a"}


def test_to_ordered_map_counts_k_in_different_keys(con: duckdb.DuckDBPyConnection) -> None:
    rows = "(VALUES (3, 'c'), (3, 'b'), (2, 'a'), (1, 'd'), (1, 'e')) AS t(key, value)"
    assert entries(value(con, f"SELECT to_ordered_map(key, value, 2) FROM {rows}")) == [(3, "b"), (2, "a")]
    assert entries(value(con, f"SELECT to_ordered_map(key, value, -2) FROM {rows}")) == [(1, "d"), (2, "a")]


def test_to_ordered_map_takes_a_struct_with_null_as_value(con: duckdb.DuckDBPyConnection) -> None:
    rows = "(VALUES (1.0, 5.0, 'a'), (2.0, NULL, 'b')) AS t(score, rel, item)"
    found = value(con, f"SELECT map_values(to_ordered_map(score, struct(rel, item), true)) FROM {rows}")
    assert found == [{"col1": None, "col2": "b"}, {"col1": 5.0, "col2": "a"}]


def test_to_ordered_map_orders_nan_above_every_number(con: duckdb.DuckDBPyConnection) -> None:
    rows = "(VALUES (1.0, 'a'), ('nan'::DOUBLE, 'b'), ('nan'::DOUBLE, 'c'), ('inf'::DOUBLE, 'd')) AS t(x, y)"
    assert value(con, f"SELECT map_values(to_ordered_map(x, y, true)) FROM {rows}") == ["b", "d", "a"]


# --- to_ordered_list ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("value, key", ["donut", "egg", "banana", "candy", "candy", "apple"]),
        ("value, key, ''", ["donut", "egg", "banana", "candy", "candy", "apple"]),
        ("value, key, '-reverse'", ["apple", "candy", "candy", "banana", "egg", "donut"]),
        ("value, key, '-reverse_order'", ["apple", "candy", "candy", "banana", "egg", "donut"]),
        ("value, key, '-k 2'", ["apple", "candy"]),
        ("value, key, '-k +2'", ["apple", "candy"]),
        ("value, key, '  -k   2 '", ["apple", "candy"]),
        ("value, key, '-k 100'", ["apple", "candy", "candy", "banana", "egg", "donut"]),
        ("value, key, '-k 2 -reverse'", ["donut", "egg"]),
        ("value, key, '-reverse -k 2'", ["donut", "egg"]),
        ("value, key, '-k -2'", ["donut", "egg"]),
        ("value, key, '-k -100'", ["donut", "egg", "banana", "candy", "candy", "apple"]),
        ("value, key, '-k -2 -reverse'", ["apple", "candy"]),
        ("value, key, '-k 4'", ["apple", "candy", "candy", "banana"]),
        ("value, key, '-k 4 -dedup'", ["apple", "candy", "banana", "egg"]),
        ("value, key, '-dedup'", ["donut", "egg", "banana", "candy", "apple"]),
        ("value, '-k 2'", ["egg", "donut"]),
        ("value, '-reverse -dedup'", ["egg", "donut", "candy", "banana", "apple"]),
        ("value", ["apple", "banana", "candy", "candy", "donut", "egg"]),
        ("key", [1, 2, 3, 4, 4, 5]),
        ("key, '-k -2 -reverse'", [5, 4]),
        ("key, '-k -3 -dedup'", [1, 2, 3]),
        ("key, key := value", [5, 3, 4, 4, 1, 2]),
    ],
)
def test_to_ordered_list_gives_hivemalls_examples(
    con: duckdb.DuckDBPyConnection, arguments: str, expected: list[Any]
) -> None:
    assert value(con, f"SELECT to_ordered_list({arguments}) FROM {FRUITS}") == expected


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("-k 2 -kv_map", [(5, "apple"), (4, "candy")]),
        ("-kv -k 2", [(5, "apple"), (4, "candy")]),
        ("-k 2 -vk_map", [("apple", 5), ("candy", 4)]),
        ("-k 2 -vk", [("apple", 5), ("candy", 4)]),
        ("-k -2 -kv_map", [(1, "donut"), (2, "egg")]),
        ("-k -2 -vk_map", [("donut", 1), ("egg", 2)]),
        ("-k 4 -kv_map", [(5, "apple"), (4, "candy"), (3, "banana")]),
        ("-k 4 -vk_map", [("apple", 5), ("candy", 4), ("banana", 3)]),
        ("-k 4 -dedup -vk_map", [("apple", 5), ("candy", 4), ("banana", 3), ("egg", 2)]),
        ("-kv_map -reverse", [(5, "apple"), (4, "candy"), (3, "banana"), (2, "egg"), (1, "donut")]),
    ],
)
def test_to_ordered_list_gives_hivemalls_maps(
    con: duckdb.DuckDBPyConnection, options: str, expected: list[tuple[Any, Any]]
) -> None:
    assert entries(value(con, f"SELECT to_ordered_list(value, key, '{options}') FROM {FRUITS}")) == expected


def test_to_ordered_list_of_no_rows_is_empty(con: duckdb.DuckDBPyConnection) -> None:
    forms = ["value", "value, key", "value, '-k 2'"]
    forms += [f"value, key, '{options}'" for options in ("", "-reverse", "-k 2", "-k -50", "-dedup")]
    for form in forms:
        assert value(con, f"SELECT to_ordered_list({form}) FROM {FRUITS} WHERE key > 5") == []
    for options in ("-kv_map", "-vk_map", "-kv_map -dedup", "-vk_map -k 2"):
        form = f"value, key, '{options}'"
        assert value(con, f"SELECT to_ordered_list({form}) FROM {FRUITS} WHERE key > 5") == {}
    together = ", ".join(f"to_ordered_list({form})" for form in forms)
    assert con.execute(f"SELECT {together} FROM {FRUITS} WHERE key > 5").fetchall() == [([],) * len(forms)]


@pytest.mark.parametrize("options", ["", "-reverse", "-k 3", "-k -50", "-dedup"])
def test_to_ordered_list_skips_null_keys_and_values(con: duckdb.DuckDBPyConnection, options: str) -> None:
    rows = "(VALUES (NULL, 'a'), (1, NULL), (2, 'b'), (NULL, NULL)) AS t(key, value)"
    assert value(con, f"SELECT to_ordered_list(value, key, '{options}') FROM {rows}") == ["b"]
    assert value(con, f"SELECT to_ordered_list(value, key) FROM {rows}") == ["b"]
    assert value(con, f"SELECT to_ordered_list(value, '{options}') FROM {rows} WHERE value = 'b'") == ["b"]
    assert value(con, f"SELECT to_ordered_list(value) FROM {rows}") == ["a", "b"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", ["x", "z", "a", "b", "c"]),
        ("-reverse", ["a", "b", "c", "x", "z"]),
        ("-k 2", ["a", "b"]),
        ("-k 4", ["a", "b", "c", "x"]),
        ("-k -1", ["x"]),
        ("-k -3", ["x", "z", "a"]),
    ],
)
def test_equal_keys_are_ordered_by_value_ascending_in_either_direction(
    con: duckdb.DuckDBPyConnection, options: str, expected: list[str]
) -> None:
    rows = [(2, "b"), (1, "z"), (2, "a"), (1, "x"), (2, "c")]
    for order in (rows, rows[::-1]):
        table = ", ".join(map(str, order))
        sql = f"SELECT to_ordered_list(y, x, '{options}') FROM (VALUES {table}) AS t(x, y)"
        assert value(con, sql) == expected


def test_a_map_keeps_the_first_of_the_pairs_with_one_key(con: duckdb.DuckDBPyConnection) -> None:
    rows = "(VALUES (1, 'b'), (1, 'a'), (2, 'b'), (2, 'c'), (3, 'a')) AS t(key, value)"
    found = con.execute(
        "SELECT to_ordered_list(value, key, '-kv_map'), to_ordered_list(value, key, '-kv_map -reverse'), "
        f"to_ordered_list(value, key, '-vk_map'), to_ordered_list(value, key, '-vk_map -reverse') FROM {rows}"
    ).fetchall()[0]
    assert entries(found[0]) == [(1, "a"), (2, "b"), (3, "a")]
    assert entries(found[1]) == [(3, "a"), (2, "b"), (1, "a")]
    assert entries(found[2]) == [("a", 1), ("b", 1), ("c", 2)]
    assert entries(found[3]) == [("a", 3), ("b", 2), ("c", 2)]


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        ("'-k 1'", [3]),
        ("'-k ' || 1", [3]),
        ("options := '-k 1'", [3]),
        ("day", [3, 1, 2]),
        ("score", [3, 1, 2]),
        ("name::BLOB", [3, 1, 2]),
        ("key := name", [3, 1, 2]),
        ("name, ''", [3, 1, 2]),
        ("key := kind", [3, 1, 2]),
    ],
)
def test_the_second_of_two_arguments_is_the_options_if_it_is_a_varchar(
    con: duckdb.DuckDBPyConnection, second: str, expected: list[int]
) -> None:
    con.execute("""
        CREATE OR REPLACE TABLE t AS SELECT * REPLACE (kind::ENUM ('z', 'y', 'x') AS kind) FROM (VALUES
            (3, 'a', 'z', DATE '2020-01-01', 1.5), (1, 'b', 'y', DATE '2020-01-02', 2.5),
            (2, 'c', 'x', DATE '2020-01-03', 3.5)) AS t(item, name, kind, day, score)""")
    assert value(con, f"SELECT to_ordered_list(item, {second}) FROM t") == expected


def test_the_second_of_two_arguments_may_be_a_query_parameter(con: duckdb.DuckDBPyConnection) -> None:
    sql = f"SELECT to_ordered_list(key, $options) FROM {FRUITS}"
    assert con.execute(sql, {"options": "-k 2"}).fetchall() == [([5, 4],)]


@pytest.mark.parametrize(
    ("key", "largest"), [("name", "'b'"), ("name::ENUM ('-k 2', '', 'b')", "'b'"), ("repeat('x', 300)", "'x")]
)
def test_a_key_of_text_that_is_not_named_is_refused(
    con: duckdb.DuckDBPyConnection, key: str, largest: str
) -> None:
    rows = "(VALUES ('-k 2', 1), ('', 2), ('b', 3)) AS t(name, item)"
    message = refused(con, f"SELECT to_ordered_list(item, {key}) FROM {rows}")
    assert message.startswith(WITHOUT_KEY + largest)
    assert message.endswith("' (write key := ... for a key of text)")
    assert len(message) < 400


WITHOUT_KEY = (
    "to_ordered_list: options without a key must be made of -k N (N not 0), -reverse and -dedup, got "
)


def test_to_ordered_list_refuses_options_that_are_not_constant(con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(duckdb.BinderException, match="constant"):
        con.execute(f"SELECT to_ordered_list(value, key, value) FROM {FRUITS}")


# --- slow definitions, row order and threads ------------------------------------------------------

Row = tuple[int, int | None, str | None]


def ordered(rows: Sequence[Row], descending: bool) -> list[tuple[int, str]]:
    """(key, value) by key and then value, by insertion: what to_ordered_list means, in plain Python."""
    done: list[tuple[int, str]] = []
    for _, key, item in rows:
        if key is None or item is None:
            continue
        place = 0
        while place < len(done) and (
            (done[place][0] > key if descending else done[place][0] < key)
            or (done[place][0] == key and done[place][1] <= item)
        ):
            place += 1
        done.insert(place, (key, item))
    return done


def without_repeats(pairs: list[tuple[int, str]]) -> list[tuple[int, str]]:
    return [pair for i, pair in enumerate(pairs) if pair not in pairs[:i]]


def first_by(pairs: Sequence[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    found: dict[Any, Any] = {}
    for key, item in pairs:
        found.setdefault(key, item)
    return list(found.items())


def rows_with_ties_and_nulls() -> list[Row]:
    draw = random.Random(20)
    return [
        (draw.randrange(20), draw.choice([None, *range(12)]), draw.choice([None, *"abcdefghijklmnop"]))
        for _ in range(3_000)
    ]


CASES = [  # options, descending, cut, repeats dropped
    ("", False, None, False),
    ("-reverse", True, None, False),
    ("-k 1", True, 1, False),
    ("-k 7", True, 7, False),
    ("-k 29", True, 29, False),
    ("-k 30", True, 30, False),
    ("-k 1000", True, 1000, False),
    ("-k -7", False, 7, False),
    ("-k -31", False, 31, False),
    ("-k 7 -reverse", False, 7, False),
    ("-k -40 -reverse", True, 40, False),
    ("-dedup", False, None, True),
    ("-dedup -reverse", True, None, True),
    ("-dedup -k 5", True, 5, True),
    ("-dedup -k -50", False, 50, True),
]


@pytest.mark.slow
def test_results_equal_the_slow_definitions_whatever_the_row_order_and_threads(
    own: duckdb.DuckDBPyConnection,
) -> None:
    rows = rows_with_ties_and_nulls()
    groups = {user: [row for row in rows if row[0] == user] for user in range(20)}
    expected: dict[str, list[Any]] = {}
    for options, descending, cut, dedup in CASES:
        for user in groups:
            pairs = ordered(groups[user], descending)
            pairs = (without_repeats(pairs) if dedup else pairs)[:cut]
            for form, found in (
                (options, [item for _, item in pairs]),
                (f"{options} -kv_map", first_by(pairs)),
                (f"{options} -vk_map", first_by([(item, key) for key, item in pairs])),
            ):
                expected.setdefault(f"to_ordered_list(y, x, '{form}')", []).append(found)
    for user in groups:
        smallest = {
            key: min((y for _, x, y in groups[user] if x == key and y is not None), default=None)
            for key in {x for _, x, _ in groups[user] if x is not None}
        }
        up, values = sorted(smallest.items()), {y for _, _, y in groups[user] if y is not None}
        expected.setdefault("to_ordered_map(x, y)", []).append(up)
        expected.setdefault("to_ordered_map(x, y, true)", []).append(up[::-1])
        expected.setdefault("to_ordered_map(x, y, 5)", []).append(up[::-1][:5])
        expected.setdefault("to_ordered_map(x, y, -5)", []).append(up[:5])
        expected.setdefault("collect_set(y)", []).append(sorted(values))
        expected.setdefault("to_ordered_list(y, x)", []).append([y for _, y in ordered(groups[user], False)])

    random.Random(4).shuffle(rows)
    own.execute("CREATE TABLE t (u INTEGER, x INTEGER, y VARCHAR)")
    own.execute("INSERT INTO t VALUES " + ", ".join(f"({literal(list(row))[1:-1]})" for row in rows))
    for threads, order in ((1, "u, x, y"), (4, "hash(u, x, y)"), (4, "y DESC, x DESC")):
        own.execute(f"SET threads = {threads}")
        own.execute(f"CREATE OR REPLACE TABLE t AS FROM t ORDER BY {order}")
        for macro, values_by_user in expected.items():
            found = own.execute(f"SELECT {macro} FROM t GROUP BY u ORDER BY u").fetchall()
            lists = [entries(row) if isinstance(row, dict) else row for (row,) in found]
            assert lists == values_by_user, macro


@pytest.mark.parametrize("options", ["-reverse", "", "-k 10", "-k -100", "-dedup", "-kv_map", "-k 9 -vk_map"])
def test_only_the_aggregate_that_the_options_need_is_computed(
    con: duckdb.DuckDBPyConnection, options: str
) -> None:
    con.execute("CREATE OR REPLACE TABLE t AS SELECT i % 10 AS u, i, i % 7 AS s FROM range(100) AS t(i)")
    sql = f"EXPLAIN (FORMAT json) SELECT u, to_ordered_list(i, s, '{options}') FROM t GROUP BY u"
    (plan,) = json.loads(con.execute(sql).fetchall()[0][1])
    assert aggregates(plan) == 1


def aggregates(plan: dict[str, Any]) -> int:
    """The number of aggregates in a plan and its children."""
    own = plan["extra_info"].get("Aggregates", [])
    return len([own] if isinstance(own, str) else own) + sum(map(aggregates, plan["children"]))


# --- catalogues -----------------------------------------------------------------------------------


def in_lists(rows: Sequence[Any], name: str = "rec") -> str:
    return "(VALUES " + ", ".join(f"({literal(row)}::INTEGER[])" for row in rows) + f") AS t({name})"


@pytest.mark.parametrize(
    ("rows", "n_items", "expected"),
    [
        ([None, None], 4, 0.0),
        ([[], [None]], 4, 0.0),
        ([[1, 3], [1, 2]], 6, 3 / 6),
        ([[1, 1, None], None, [2]], 2, 1.0),
    ],
)
def test_catalog_coverage_is_the_share_of_the_catalogue(
    con: duckdb.DuckDBPyConnection, rows: list[Any], n_items: int, expected: float
) -> None:
    assert value(con, f"SELECT catalog_coverage(rec, {n_items}) FROM {in_lists(rows)}") == expected
    assert value(con, f"SELECT catalog_coverage(rec, (SELECT {n_items})) FROM {in_lists(rows)}") == expected


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([None, [], [None]], None),
        ([[1, 2], [2, 1]], 0.0),
        ([[1, 2], [1], [1]], (2 * (1 * 1 + 2 * 3) - 3 * 4) / (1 * 4)),  # counts 1, 3
        ([[1, 1, 1, None], [2], None], 0.0),
        ([[5]], 0.0),
    ],
)
def test_gini_coverage_is_the_inequality_of_exposure(
    con: duckdb.DuckDBPyConnection, rows: list[Any], expected: float | None
) -> None:
    assert value(con, f"SELECT gini_coverage(rec) FROM {in_lists(rows)}") == expected


def test_gini_coverage_counts_items_nobody_is_recommended(con: duckdb.DuckDBPyConnection) -> None:
    # counts 0, 0, 1, 3
    expected = (2 * (3 * 1 + 4 * 3) - 5 * 4) / (3 * 4)
    assert value(con, f"SELECT gini_coverage(rec, 4) FROM {in_lists([[1, 2], [1], [1]])}") == expected
    # one item of n takes all
    assert value(con, f"SELECT gini_coverage(rec, 8) FROM {in_lists([[1], [1]])}") == 1
    assert value(con, f"SELECT gini_coverage(rec, 8) FROM {in_lists([None])}") is None


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([None, [], [None], [1]], None),
        ([[1, 2]], None),
        ([[1, 2], [2, 1]], 0.0),
        ([[1, 2], [3, 4]], 1.0),
        ([[1, 2], [2, 3], [4, 5]], 1 - (1 / 2 + 0 + 0) / 3),
        ([[1], [1, 2, 3, 4], None, []], 1 - 1 / 2),  # 1 / sqrt(1 * 4)
        ([[1, 1, 1, None], [1, 2]], 1 - 1 / math.sqrt(2)),
    ],
)
def test_personalization_is_one_minus_the_mean_cosine(
    con: duckdb.DuckDBPyConnection, rows: list[Any], expected: float | None
) -> None:
    found = value(con, f"SELECT personalization(rec) FROM {in_lists(rows)}")
    assert found is None if expected is None else found == pytest.approx(expected, rel=0, abs=1e-15)


@pytest.mark.parametrize("name", ["catalog_coverage(rec, 5)", "gini_coverage(rec)", "gini_coverage(rec, 5)"])
def test_a_catalogue_measure_of_no_rows_is_null(con: duckdb.DuckDBPyConnection, name: str) -> None:
    assert value(con, f"SELECT {name} FROM {in_lists([[1]])} WHERE false") is None
    assert value(con, f"SELECT {name.replace('5', 'NULL')} FROM {in_lists([[1], []])} WHERE false") is None


def test_a_catalogue_measure_of_an_unknown_catalogue_is_null(con: duckdb.DuckDBPyConnection) -> None:
    assert value(con, f"SELECT catalog_coverage(rec, NULL) FROM {in_lists([[1]])}") is None
    assert value(con, f"SELECT gini_coverage(rec, NULL) FROM {in_lists([[1]])}") is None


def test_an_empty_catalogue_is_refused(con: duckdb.DuckDBPyConnection) -> None:
    message = "n_items must be at least the number of different items in the lists (1), got 0"
    found = refused(con, f"SELECT catalog_coverage(rec, 0) FROM {in_lists([[]])}")
    assert found == f"catalog_coverage: {message}"


@pytest.mark.parametrize("longest", [1, 3, 20, 70])
@pytest.mark.parametrize("same_length", [True, False])
@pytest.mark.parametrize("kind", ["INTEGER", "VARCHAR", "STRUCT(a INTEGER)"])
def test_catalogue_measures_equal_the_slow_definitions_per_group(
    con: duckdb.DuckDBPyConnection, longest: int, same_length: bool, kind: str
) -> None:
    draw = random.Random(longest)
    lists = [
        (group, [draw.randrange(90) for _ in range(longest if same_length else draw.randint(0, longest))])
        for group in range(5)
        for _ in range(draw.choice([1, 2, 30]))
    ]
    con.execute("CREATE OR REPLACE TABLE t (g INTEGER, rec INTEGER[])")
    con.execute("INSERT INTO t VALUES " + ", ".join(f"({group}, {rec})" for group, rec in lists))
    item = "{'a': i}" if kind.startswith("STRUCT") else f"i::{kind}"
    found = con.execute(f"""
        SELECT catalog_coverage(rec, 90), gini_coverage(rec), gini_coverage(rec, 90), personalization(rec)
        FROM (SELECT g, list_transform(rec, lambda i: {item}) AS rec FROM t)
        GROUP BY g ORDER BY g""").fetchall()
    for group, row in enumerate(found):
        sets = [set(rec) for owner, rec in lists if owner == group]
        counts = list(Counter(i for chosen in sets for i in chosen).values())
        cosines = [len(a & b) / math.sqrt(len(a) * len(b)) for a, b in combinations(filter(None, sets), 2)]
        expected = (
            len(counts) / 90,
            slow_gini(counts),
            slow_gini(counts + [0] * (90 - len(counts))),
            1 - sum(cosines) / len(cosines) if cosines else None,
        )
        assert row == tuple(None if x is None else pytest.approx(x, rel=0, abs=1e-12) for x in expected)


@pytest.mark.parametrize(
    "measure",
    [
        "personalization(rec)",
        "gini_coverage(rec)",
        "gini_coverage(rec, 9)",
        "catalog_coverage(rec, max(g) + 8)",
    ],
)
def test_a_catalogue_measure_may_stand_where_an_aggregate_may(
    con: duckdb.DuckDBPyConnection, measure: str
) -> None:
    con.execute("""CREATE OR REPLACE TABLE t AS FROM (VALUES
        (1, [1, 2]), (1, [1, 2]), (2, [1, 2]), (2, [1, 2]), (3, [7, 2, 3]), (3, NULL), (3, [4])
    ) AS t(g, rec)""")
    queries = [f"SELECT {measure} FROM t WHERE g = {group}" for group in (1, 2, 3)]
    alone = list(enumerate([value(con, query) for query in queries], start=1))
    for query in (
        f"SELECT g, {measure} AS found FROM t GROUP BY g ORDER BY g, found",
        f"SELECT g, {measure} FROM t GROUP BY ROLLUP (g) ORDER BY g NULLS LAST LIMIT 3",
        f"SELECT g, (SELECT {measure} FROM t WHERE t.g = groups.g) FROM range(1, 4) AS groups(g) ORDER BY g",
    ):
        assert con.execute(query).fetchall() == alone


def slow_gini(counts: list[int]) -> float | None:
    """Half the mean difference between any two different items' counts, over the mean count."""
    if not sum(counts):
        return None
    return sum(abs(a - b) for a in counts for b in counts) / (2 * max(len(counts) - 1, 1) * sum(counts))


# --- regression -----------------------------------------------------------------------------------


def in_pairs(rows: Sequence[tuple[float | None, float | None]]) -> str:
    texts = [", ".join("NULL" if x is None else f"'{x}'::DOUBLE" for x in row) for row in rows]
    return "(VALUES " + ", ".join(f"({text})" for text in texts) + ") AS t(predicted, actual)"


# The differences are -0.5, 0.5, 0 and 1, the mean of the actual numbers is 2.875.
REGRESSION = [(2.5, 3.0), (0.0, -0.5), (2.0, 2.0), (8.0, 7.0)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mae", (0.5 + 0.5 + 0 + 1) / 4),
        ("mse", (0.25 + 0.25 + 0 + 1) / 4),
        ("rmse", math.sqrt((0.25 + 0.25 + 0 + 1) / 4)),
        ("r2", 1 - (0.25 + 0.25 + 0 + 1) / (0.125**2 + 3.375**2 + 0.875**2 + 4.125**2)),
    ],
)
def test_regression_measures_of_a_worked_case(
    con: duckdb.DuckDBPyConnection, name: str, expected: float
) -> None:
    sql = f"SELECT {name}(predicted, actual) FROM "
    assert value(con, sql + in_pairs(REGRESSION)) == pytest.approx(expected, rel=0, abs=1e-15)
    with_nulls = [(None, 1e9), (1e9, None), (None, None), *REGRESSION]
    assert value(con, sql + in_pairs(with_nulls)) == pytest.approx(expected, rel=0, abs=1e-15)


@pytest.mark.parametrize("name", ["mae", "mse", "rmse", "r2", "logloss"])
def test_a_regression_measure_without_a_pair_is_null(con: duckdb.DuckDBPyConnection, name: str) -> None:
    assert value(con, f"SELECT {name}(predicted, actual) FROM {in_pairs([(None, 1), (1, None)])}") is None
    assert value(con, f"SELECT {name}(predicted, actual) FROM {in_pairs([(1, 1)])} WHERE false") is None


@pytest.mark.parametrize("name", ["mae", "mse", "rmse", "r2"])
@pytest.mark.parametrize("row", [(math.nan, 1.0), (1.0, math.nan), (math.nan, math.nan)])
def test_nan_in_a_pair_gives_nan(con: duckdb.DuckDBPyConnection, name: str, row: tuple[float, float]) -> None:
    assert math.isnan(value(con, f"SELECT {name}(predicted, actual) FROM {in_pairs([*REGRESSION, row])}"))


def test_integers_do_not_overflow(con: duckdb.DuckDBPyConnection) -> None:
    rows = "(VALUES (0::UTINYINT, 255::UTINYINT)) AS t(p, a)"
    found = con.execute(f"SELECT mae(p, a), mse(p, a), rmse(p, a) FROM {rows}").fetchall()
    assert found == [(255, 255**2, 255)]


@pytest.mark.parametrize("rows", [[(1, 0.1), (2, 0.1), (3, 0.1)], [(1, 1)], [(1, 5), (None, 6), (7, None)]])
def test_r2_is_null_where_the_actual_numbers_are_equal(
    con: duckdb.DuckDBPyConnection, rows: list[tuple[float | None, float | None]]
) -> None:
    assert value(con, f"SELECT r2(predicted, actual) FROM {in_pairs(rows)}") is None


def test_r2_is_1_for_a_perfect_prediction_and_0_for_the_mean(con: duckdb.DuckDBPyConnection) -> None:
    assert value(con, f"SELECT r2(predicted, actual) FROM {in_pairs([(1, 1), (4, 4)])}") == 1
    assert value(con, f"SELECT r2(predicted, actual) FROM {in_pairs([(2, 1), (2, 3)])}") == 0
    assert value(con, f"SELECT r2(predicted, actual) FROM {in_pairs([(3, 1), (1, 3)])}") == 1 - 8 / 2


def test_logloss_gives_hivemalls_example(con: duckdb.DuckDBPyConnection) -> None:
    found = value(con, f"SELECT logloss(predicted, actual) FROM {in_pairs([(0.01, 0), (0.02, 1)])}")
    assert found == pytest.approx(-(math.log(0.99) + math.log(0.02)) / 2, rel=0, abs=1e-15)
    assert found == pytest.approx(1.9610366706408238, rel=0, abs=1e-15)


@pytest.mark.parametrize(
    ("predicted", "actual", "expected"),
    [
        (0, 1, -math.log(1e-15)),
        (1, 0, -math.log(1 - (1 - 1e-15))),
        (0, 0, -math.log(1 - 1e-15)),
        (1e-300, 1, -math.log(1e-15)),
        (0.5, 0.5, math.log(2)),
        (0.25, 0.5, -(math.log(0.25) + math.log(0.75)) / 2),
    ],
)
def test_logloss_stays_finite(
    con: duckdb.DuckDBPyConnection, predicted: float, actual: float, expected: float
) -> None:
    found = value(con, f"SELECT logloss(predicted, actual) FROM {in_pairs([(predicted, actual)])}")
    assert found == pytest.approx(expected, rel=1e-14, abs=1e-17)


def test_logloss_takes_booleans(con: duckdb.DuckDBPyConnection) -> None:
    rows = "(VALUES (0.5, true), (0.5, false)) AS t(p, a)"
    assert value(con, f"SELECT logloss(p, a) FROM {rows}") == math.log(2)


@pytest.mark.parametrize("n", [3, 50, 51, 128, 129, 400])
def test_items_that_stand_twice_are_found_in_lists_of_any_length(
    con: duckdb.DuckDBPyConnection, n: int
) -> None:
    different = [*range(n - 2), None, n]
    random.Random(n).shuffle(different)
    repeated = [*different[: n // 2], *different[: n - n // 2]]
    for items in (different, repeated):
        firsts = [
            place
            for place, item in enumerate(items, 1)
            if item is not None and item not in items[: place - 1]
        ]
        both = "_ranking_first_places(items), _ranking_has_repeats(items)"
        query = f"SELECT {both} FROM (SELECT ?::INTEGER[] AS items)"
        has_repeats = len(firsts) < len(items) - items.count(None)
        assert con.execute(query, [items]).fetchone() == (firsts, has_repeats)
