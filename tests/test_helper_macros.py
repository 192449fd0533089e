"""The macros for lists, maps, catalogues and regression: worked examples, NULLs, ties, errors, slow twins."""

import json
import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any

import duckdb
import pytest

import ranking_udfs
from ranking_udfs.duckdb.statements import texts
from tests.conftest import literal, value, with_internals


def exactly(number: float) -> Any:
    return pytest.approx(number, rel=0, abs=1e-15)


# Hivemall's examples: its documentation's two tables, as (key, value).
FRUITS = """(VALUES
    (5, 'apple'), (3, 'banana'), (4, 'candy'), (1, 'donut'), (2, 'egg'), (4, 'candy')) AS t(key, value)"""
THREE = "(VALUES (10, 'apple'), (3, 'banana'), (4, 'candy')) AS t(key, value)"
UP, DOWN = {3: "banana", 4: "candy", 10: "apple"}, {10: "apple", 4: "candy", 3: "banana"}
FRUITS_UP = ["donut", "egg", "banana", "candy", "candy", "apple"]
FRUITS_DOWN = ["apple", "candy", "candy", "banana", "egg", "donut"]
GAPS = "(VALUES (NULL, 'a'), (1, NULL), (2, 'b'), (NULL, NULL)) AS t(key, value)"
KINDS = """(SELECT item, name, kind::ENUM ('z', 'y', 'x') AS kind, day, score FROM (VALUES
    (3, 'a', 'z', DATE '2020-01-01', 1.5), (1, 'b', 'y', DATE '2020-01-02', 2.5),
    (2, 'c', 'x', DATE '2020-01-03', 3.5)) AS t(item, name, kind, day, score))"""
# The differences are -0.5, 0.5, 0 and 1, the mean of the actual numbers is 2.875.
REGRESSION = "(2.5, 3.0), (0.0, -0.5), (2.0, 2.0), (8.0, 7.0)"
WORKED = {
    "mae": exactly((0.5 + 0.5 + 0 + 1) / 4),
    "mse": exactly((0.25 + 0.25 + 0 + 1) / 4),
    "rmse": exactly(math.sqrt((0.25 + 0.25 + 0 + 1) / 4)),
    "r2": exactly(1 - (0.25 + 0.25 + 0 + 1) / (0.125**2 + 3.375**2 + 0.875**2 + 4.125**2)),
}
NAN = "'nan'::DOUBLE"
# By rule: a query with an asterisk, and what it returns with each of these in its place.
RULES: dict[str, tuple[str, Mapping[str, Any]]] = {
    "collect_set is distinct, sorted and without NULL": (
        "SELECT collect_set(x) FROM (*) AS t(x)",
        {
            "VALUES (NULL), (NULL)": [],
            "VALUES (2), (NULL), (1), (2)": [1, 2],
            "VALUES ('b'), ('a'), ('B'), ('a')": ["B", "a", "b"],
            "VALUES ([2]), ([1, 3]), ([2])": [[1, 3], [2]],
            "SELECT 1 WHERE false": [],
        },
    ),
    "struct names its fields as Hive does, keeps NULL and mixes types": (
        "SELECT struct(*)",
        {
            "NULL, 'a', [1]": {"col1": None, "col2": "a", "col3": [1]},
            **{str([*range(n)])[1:-1]: {f"col{i + 1}": i for i in range(n)} for n in range(1, 9)},
        },
    ),
    "to_ordered_map gives Hivemall's examples": (
        f"SELECT to_ordered_map(key, value*) FROM {THREE}",
        {
            **dict.fromkeys(("", ", false", ", -3", ", -100"), UP),
            **dict.fromkeys((", true", ", 3", ", 100", ", reverse := true"), DOWN),
            **{key: {3: "banana"} for key in (", -1", ", k := -1")},
            **{key: {3: "banana", 4: "candy"} for key in (", -2", ", -2::TINYINT")},
            **{key: {10: "apple", 4: "candy"} for key in (", 2", ", 2::BIGINT")},
            ", 1": {10: "apple"},
        },
    ),
    "to_ordered_map of no keys is empty": (
        "SELECT to_ordered_map(*",
        {
            f"{key}, value{third}) FROM {THREE} WHERE {condition}": {}
            for key, condition in (("key", "key > 10"), ("NULL::INTEGER", "true"))
            for third in ("", ", true", ", 2", ", -2")
        },
    ),
    "to_ordered_map skips NULL keys and keeps NULL values": (
        f"SELECT to_ordered_map(key, value*) FROM {GAPS}",
        {
            **{key: {1: None, 2: "b"} for key in ("", ", -2")},
            **{key: {2: "b", 1: None} for key in (", true", ", 2")},
        },
    ),
    "to_ordered_map takes a struct with NULL, and orders NaN above every number": (
        "SELECT map_values(to_ordered_map(x, *, true)) FROM (VALUES (1.0, 5, 'a'), "
        "('nan'::DOUBLE, NULL, 'b'), ('nan'::DOUBLE, NULL, 'c'), ('inf'::DOUBLE, 1, 'd')) AS t(x, rel, y)",
        {
            "y": ["b", "d", "a"],
            "struct(rel, y)": [
                {"col1": None, "col2": "b"},
                {"col1": 1, "col2": "d"},
                {"col1": 5, "col2": "a"},
            ],
        },
    ),
    "to_ordered_list gives Hivemall's examples": (
        f"SELECT to_ordered_list(*) FROM {FRUITS}",
        {
            **dict.fromkeys(("value, key", "value, key, ''", "value, key, '-k -100'"), FRUITS_UP),
            "value, key, '-reverse'": FRUITS_DOWN,
            "value, key, '-reverse_order'": FRUITS_DOWN,
            "value, key, '-k 100'": FRUITS_DOWN,
            "value, key, '-k 2'": ["apple", "candy"],
            "value, key, '-k +2'": ["apple", "candy"],
            "value, key, '  -k   2 '": ["apple", "candy"],
            "value, key, '-k -2 -reverse'": ["apple", "candy"],
            "value, key, '-k 2 -reverse'": ["donut", "egg"],
            "value, key, '-reverse -k 2'": ["donut", "egg"],
            "value, key, '-k -2'": ["donut", "egg"],
            "value, key, '-k 4'": ["apple", "candy", "candy", "banana"],
            "value, key, '-k 4 -dedup'": ["apple", "candy", "banana", "egg"],
            "value, key, '-dedup'": ["donut", "egg", "banana", "candy", "apple"],
            "value, '-k 2'": ["egg", "donut"],
            "value, '-reverse -dedup'": ["egg", "donut", "candy", "banana", "apple"],
            "value": ["apple", "banana", "candy", "candy", "donut", "egg"],
            "key": [1, 2, 3, 4, 4, 5],
            "key, '-k -2 -reverse'": [5, 4],
            "key, '-k -3 -dedup'": [1, 2, 3],
            "key, key := value": [5, 3, 4, 4, 1, 2],
        },
    ),
    "to_ordered_list gives Hivemall's maps": (
        f"SELECT to_ordered_list(value, key, '*') FROM {FRUITS}",
        {
            **{key: {5: "apple", 4: "candy"} for key in ("-k 2 -kv_map", "-kv -k 2")},
            **{key: {"apple": 5, "candy": 4} for key in ("-k 2 -vk_map", "-k 2 -vk")},
            "-k 4 -dedup -vk_map": {"apple": 5, "candy": 4, "banana": 3, "egg": 2},
            "-kv_map -reverse": {5: "apple", 4: "candy", 3: "banana", 2: "egg", 1: "donut"},
        },
    ),
    "to_ordered_list of no rows is empty": (
        f"SELECT to_ordered_list(value*) FROM {FRUITS} WHERE key > 5",
        {
            **{key: [] for key in ("", ", key", ", '-k 2'")},
            **{f", key, '{one}'": [] for one in ("", "-reverse", "-k 2", "-k -50", "-dedup")},
            **{f", key, '{one}'": {} for one in ("-kv_map", "-vk_map", "-kv_map -dedup", "-vk_map -k 2")},
        },
    ),
    "to_ordered_list of values alone skips NULL": (
        f"SELECT to_ordered_list(value*) FROM {GAPS}",
        {"": ["a", "b"], ", '-reverse'": ["b", "a"], ", '-k -50'": ["a", "b"]},
    ),
    "the second of two arguments is the options if it is a VARCHAR": (
        f"SELECT to_ordered_list(item, *) FROM {KINDS}",
        {
            **{key: [3] for key in ("'-k 1'", "'-k ' || 1", "options := '-k 1'")},
            **{
                key: [3, 1, 2]
                for key in ("day", "score", "name::BLOB", "key := name", "name, ''", "key := kind")
            },
        },
    ),
    "catalog_coverage is the share of the catalogue": (
        "SELECT catalog_coverage(rec, * AS t(rec)",
        {
            "4) FROM (VALUES (NULL::INTEGER[]), (NULL))": 0.0,
            "(SELECT 4)) FROM (VALUES ([]::INTEGER[]), ([NULL]))": 0.0,
            "6) FROM (VALUES ([1, 3]), ([1, 2]))": 3 / 6,
            "(SELECT 2)) FROM (VALUES ([1, 1, NULL]), (NULL), ([2]))": 1.0,
            "5) FROM (SELECT [1] WHERE false)": None,
            "NULL) FROM (SELECT [1] WHERE false)": None,
            "NULL) FROM (VALUES ([1]))": None,
        },
    ),
    "gini_coverage is the inequality of exposure, and counts items that nobody is recommended": (
        "SELECT gini_coverage(rec* AS t(rec)",
        {
            ") FROM (VALUES (NULL::INTEGER[]), ([]), ([NULL]))": None,
            ") FROM (VALUES ([1, 2]), ([2, 1]))": 0.0,
            ") FROM (VALUES ([1, 2]), ([1]), ([1]))": (2 * (1 * 1 + 2 * 3) - 3 * 4) / (1 * 4),  # counts 1, 3
            ") FROM (VALUES ([1, 1, 1, NULL]), ([2]), (NULL))": 0.0,
            ") FROM (VALUES ([5]))": 0.0,
            ") FROM (SELECT [1] WHERE false)": None,
            ", 5) FROM (SELECT [1] WHERE false)": None,
            ", NULL) FROM (SELECT [1] WHERE false)": None,
            ", NULL) FROM (VALUES ([1]))": None,
            # counts 0, 0, 1, 3
            ", 4) FROM (VALUES ([1, 2]), ([1]), ([1]))": (2 * (3 * 1 + 4 * 3) - 5 * 4) / (3 * 4),
            ", 8) FROM (VALUES ([1]), ([1]))": 1,  # one item of n takes all
            ", 8) FROM (VALUES (NULL::INTEGER[]))": None,
        },
    ),
    "personalization is one minus the mean cosine": (
        "SELECT personalization(rec) FROM (VALUES *) AS t(rec)",
        {
            "(NULL::INTEGER[]), ([]), ([NULL]), ([1])": None,
            "([1, 2])": None,
            "([1, 2]), ([2, 1])": 0.0,
            "([1, 2]), ([3, 4])": 1.0,
            "([1, 2]), ([2, 3]), ([4, 5])": exactly(1 - (1 / 2 + 0 + 0) / 3),
            "([1]), ([1, 2, 3, 4]), (NULL), ([])": 1 - 1 / 2,  # 1 / sqrt(1 * 4)
            "([1, 1, 1, NULL]), ([1, 2])": exactly(1 - 1 / math.sqrt(2)),
        },
    ),
    "regression measures of a worked case": (f"SELECT *(p, a) FROM (VALUES {REGRESSION}) AS t(p, a)", WORKED),
    "a pair with a NULL is left out": (
        f"SELECT *(p, a) FROM (VALUES (NULL, 1e9), (1e9, NULL), (NULL, NULL), {REGRESSION}) AS t(p, a)",
        WORKED,
    ),
    "without a pair they are NULL": (
        "SELECT *(p, a) FROM (VALUES (NULL, 1), (1, NULL)) AS t(p, a)",
        dict.fromkeys(("mae", "mse", "rmse", "r2", "logloss"), None),
    ),
    "NaN in a pair gives NaN": (
        f"SELECT [isnan(mae(p, a)), isnan(mse(p, a)), isnan(rmse(p, a)), isnan(r2(p, a))] "
        f"FROM (VALUES {REGRESSION}, *) AS t(p, a)",
        dict.fromkeys((f"({NAN}, 1.0)", f"(1.0, {NAN})", f"({NAN}, {NAN})"), [True] * 4),
    ),
    "integers do not overflow": (
        "SELECT *(p, a) FROM (VALUES (0::UTINYINT, 255::UTINYINT)) AS t(p, a)",
        {"mae": 255, "mse": 255**2, "rmse": 255},
    ),
    "r2 is 1 if perfect, 0 for the mean, and NULL where the actual numbers are equal": (
        "SELECT r2(p, a) FROM (VALUES *) AS t(p, a)",
        {
            "(1, 0.1::DOUBLE), (2, 0.1), (3, 0.1)": None,
            "(1, 1)": None,
            "(1, 5), (NULL, 6), (7, NULL)": None,
            "(1, 1), (4, 4)": 1,
            "(2, 1), (2, 3)": 0,
            "(3, 1), (1, 3)": 1 - 8 / 2,
        },
    ),
    "logloss is Hivemall's, stays finite and takes booleans": (
        "SELECT logloss(p, a) FROM (VALUES *) AS t(p, a)",
        {
            "(0.01::DOUBLE, 0), (0.02, 1)": exactly(1.9610366706408238),
            "(0, 1)": -math.log(1e-15),
            "(1, 0)": -math.log(1 - (1 - 1e-15)),
            "(0, 0)": pytest.approx(-math.log(1 - 1e-15), rel=1e-14, abs=1e-17),
            "(1e-300, 1)": -math.log(1e-15),
            "(0.5, 0.5)": math.log(2),
            "(0.25, 0.5)": pytest.approx(-(math.log(0.25) + math.log(0.75)) / 2, rel=1e-14),
            "(0.5, true), (0.5, false)": math.log(2),
        },
    ),
}


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    """One connection for every test here."""
    with duckdb.connect() as connection:
        yield with_internals(ranking_udfs.register(connection))


@pytest.mark.parametrize("rule", RULES)
def test_a_worked_case_holds(con: duckdb.DuckDBPyConnection, rule: str) -> None:
    query, cases = RULES[rule]
    for given, expected in cases.items():
        found = value(con, query.replace("*", given))
        assert found == expected, given
        assert not isinstance(found, dict) or [*found] == [*expected], given


def test_no_name_of_duckdb_is_shadowed() -> None:
    names = [name for name, (_, room) in texts().items() if room in ("lists", "predictions", "hivemall")]
    with duckdb.connect() as plain:
        found = plain.execute("FROM duckdb_functions() WHERE function_name IN (SELECT unnest(?))", [names])
        assert found.fetchall() == []
    assert {"mae", "struct", "gini_coverage"} <= {*names}


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
            lists = [f"to_ordered_list({two}{rest})" for rest in (", '-reverse'", ", '-k 1 -dedup -kv'", "")]
            maps = [f"map_values(to_ordered_map({two}, {third}))" for third in ("true", "1")]
            found = con.execute(f"SELECT {', '.join(lists + maps)} FROM t").fetchone()
            assert found == ([2, 1], {2: 2}, [1, 2], [2, 1], [2]), two
        of_lists = f"gini_coverage([{x}], max({x})), catalog_coverage([{x}], max({x}))"
        query = f"SELECT collect_set({x}), personalization([{x}]), {of_lists} FROM t"
        assert con.execute(query).fetchone() == ([1, 2], 1, 0, 1), x


def test_options_are_constant_or_a_query_parameter(con: duckdb.DuckDBPyConnection) -> None:
    sql = f"SELECT to_ordered_list(key, $options) FROM {FRUITS}"
    assert con.execute(sql, {"options": "-k 2"}).fetchall() == [([5, 4],)]
    with pytest.raises(duckdb.BinderException, match="constant"):
        con.execute(f"SELECT to_ordered_list(value, key, value) FROM {FRUITS}")


# --- slow definitions, row order and threads ------------------------------------------------------

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
    con: duckdb.DuckDBPyConnection,
) -> None:
    draw = random.Random(20)
    rows: list[Row] = [
        (draw.randrange(20), draw.choice([None, *range(12)]), draw.choice([None, *"abcdefghijklmnop"]))
        for _ in range(3_000)
    ]
    groups = {user: [row for row in rows if row[0] == user] for user in range(20)}
    expected: dict[str, list[Any]] = {}
    for options, descending, cut, dedup in CASES:
        for user in groups:
            pairs = ordered(groups[user], descending)
            pairs = (list(dict.fromkeys(pairs)) if dedup else pairs)[:cut]
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
        for call, found in (
            ("to_ordered_map(x, y)", up),
            ("to_ordered_map(x, y, true)", up[::-1]),
            ("to_ordered_map(x, y, 5)", up[::-1][:5]),
            ("to_ordered_map(x, y, -5)", up[:5]),
            ("collect_set(y)", sorted(values)),
            ("to_ordered_list(y, x)", [y for _, y in ordered(groups[user], False)]),
        ):
            expected.setdefault(call, []).append(found)

    random.Random(4).shuffle(rows)
    con.execute("CREATE OR REPLACE TABLE t (u INTEGER, x INTEGER, y VARCHAR)")
    con.execute("INSERT INTO t VALUES " + ", ".join(f"({literal(list(row))[1:-1]})" for row in rows))
    for threads, order in ((1, "u, x, y"), (4, "hash(u, x, y)"), (4, "y DESC, x DESC")):
        con.execute(f"SET threads = {threads}")
        con.execute(f"CREATE OR REPLACE TABLE t AS FROM t ORDER BY {order}")
        found = con.execute(f"SELECT {', '.join(expected)} FROM t GROUP BY u ORDER BY u").fetchall()
        for (macro, values_by_user), column in zip(expected.items(), zip(*found, strict=True), strict=True):
            lists = [list(row.items()) if isinstance(row, dict) else row for row in column]  # maps in order
            assert lists == values_by_user, macro
    con.execute("RESET threads")


def test_only_the_aggregate_that_the_options_need_is_computed(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE OR REPLACE TABLE t AS SELECT i % 10 AS u, i, i % 7 AS s FROM range(100) AS t(i)")

    def aggregates(plan: dict[str, Any]) -> int:
        own = plan["extra_info"].get("Aggregates", [])
        return len([own] if isinstance(own, str) else own) + sum(map(aggregates, plan["children"]))

    for options in ("-reverse", "-k -100", "-dedup", "-kv_map", "-k 9 -vk_map"):
        sql = f"EXPLAIN (FORMAT json) SELECT u, to_ordered_list(i, s, '{options}') FROM t GROUP BY u"
        (plan,) = json.loads(con.execute(sql).fetchall()[0][1])
        assert aggregates(plan) == 1, options


# --- catalogues and regression ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("longest", "same_length", "kind"),
    [
        (1, True, "INTEGER"),
        (3, False, "VARCHAR"),
        (20, True, "STRUCT(a INTEGER)"),
        (20, False, "INTEGER"),
        (70, True, "VARCHAR"),
        (70, False, "STRUCT(a INTEGER)"),
    ],
)
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


def test_catalogue_measures_may_stand_where_an_aggregate_may(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("""CREATE OR REPLACE TABLE t AS FROM (VALUES
        (1, [1, 2]), (1, [1, 2]), (2, [1, 2]), (2, [1, 2]), (3, [7, 2, 3]), (3, NULL), (3, [4])
    ) AS t(g, rec)""")
    measures = ["personalization(rec)", "gini_coverage(rec)", "gini_coverage(rec, 9)"]
    measures.append("catalog_coverage(rec, max(g) + 8)")
    every = ", ".join(measures)
    alone = [con.execute(f"SELECT {g}, {every} FROM t WHERE g = {g}").fetchone() for g in (1, 2, 3)]
    correlated = ", ".join(f"(SELECT {one} FROM t WHERE t.g = groups.g)" for one in measures)
    for query in (
        f"SELECT g, {every} FROM t GROUP BY g ORDER BY g, {every}",
        f"SELECT g, {every} FROM t GROUP BY ROLLUP (g) ORDER BY g NULLS LAST LIMIT 3",
        f"SELECT g, {correlated} FROM range(1, 4) AS groups(g) ORDER BY g",
    ):
        assert con.execute(query).fetchall() == alone


def slow_gini(counts: list[int]) -> float | None:
    """Half the mean difference between any two different items' counts, over the mean count."""
    if not sum(counts):
        return None
    return sum(abs(a - b) for a in counts for b in counts) / (2 * max(len(counts) - 1, 1) * sum(counts))


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
