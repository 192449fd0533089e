"""No number depends on threads, on the order of rows, or on settings, of any table function or aggregate."""

from collections.abc import Callable

import duckdb
import pytest

import ranking_udfs
from ranking_udfs.duckdb.statements import macros

MAKE = """
    CREATE TABLE rec AS
    SELECT 'abc'[1 + i % 3] AS system, i % 37 AS userid, (i * 7919) % 211 AS itemid,
        CASE WHEN i % 9 > 0 THEN (i * i * 31) % 17 / 3 END AS score
    FROM range(6000) AS t(i);
    CREATE TABLE truth AS
    SELECT i % 40 AS userid, (i * 31) % 211 AS itemid, i % 4 AS rel FROM range(600) AS t(i);
    CREATE TABLE history AS
    SELECT i % 39 AS userid, i * i % 199 AS itemid, i % 23 AS time FROM range(900) AS t(i);
    CREATE TABLE items AS SELECT i % 200 AS itemid, 'c' || i * i % 7 AS category FROM range(500) AS t(i);
    CREATE TABLE intents AS SELECT *, 'i' || (itemid * userid) % 5 AS intent FROM truth;
    CREATE TABLE messy_rec AS
    SELECT nullif(i % 97, 5) AS userid, nullif(i % 31, 3) AS itemid,
        CASE i % 7 WHEN 0 THEN NULL WHEN 1 THEN 'nan'::DOUBLE ELSE i % 11 END AS score
    FROM range(8_000) t(i);
    CREATE TABLE messy_truth AS
    SELECT nullif(i % 103, 5) AS userid, nullif(i % 29, 3) AS itemid,
        CASE i % 5 WHEN 0 THEN NULL WHEN 1 THEN 'inf'::DOUBLE ELSE i % 11 - 5 END AS rel
    FROM range(5_000) t(i);
    CREATE TABLE by_user AS
    SELECT 'abc'[1 + i % 3] AS system, i // 3 AS userid, sin(i) * 10 ** (i % 9) AS x, i * 7 % 5 / 4 AS recall
    FROM range(3_000) t(i);
    CREATE TABLE compared AS FROM ranking_compare_by_user('by_user');
    CREATE TABLE lists AS
    SELECT i % 50 AS g, i % 41 AS u, list_transform(range(1 + i % 7), lambda j: (i * 31 + j * j) % 10) AS rec,
        (i * 37 % 101) / 101 AS p
    FROM range(5_000) AS t(i);
"""
TABLES = "rec truth history items intents messy_rec messy_truth by_user lists".split()  # noqa: SIM905
CALLS = {
    "ranking_judged": "('rec', 'truth', 20)",
    "ranking_by_user": "('rec', 'truth', [3, 200])",
    "ranking_summary": "('rec', 'truth', [3, 33, NULL])",
    "ranking_distribution": "('rec', 'truth', [5])",
    "ranking_compare": "('rec', 'truth', [10], margin := 0.1, measures := ['ndcg', 'auc'])",
    "ranking_compare_by_user": "('by_user', test := 'randomization', permutations := 300)",
    "ranking_gate": "('compared')",
    "ranking_check": "('messy_rec', 'messy_truth', ks := [3, 50])",
    "ranking_by_item": "('rec', 'truth', [10])",
    "ranking_explain": "('rec', 'truth', 3, ties := 'expected')",
    "ranking_overlap": "('rec', [10])",
    "ranking_overlap_by_user": "('rec', [10])",
    "ranking_beyond_accuracy": "('rec', [10], history := 'history', items := 'items')",
    "ranking_beyond_accuracy_by_user": "('rec', [10], history := 'history', items := 'items')",
    "ranking_fuse": "('rec', method := 'combsum', normalize := 'none')",
    "ranking_intents_by_user": "('rec', 'intents', [10])",
    "ranking_split": "('history', test_size := 4, folds := 2, seen := 'drop', cold_users := 'drop')",
    "precision_recall_curve": "('rec', 'truth', 5)",
    "interpolated_precision_curve": "('rec', 'truth')",
}
NOT_OF_ROWS = {"ranking_functions", "ranking_problem_codes"}
AGGREGATES = """
    SELECT g, personalization(rec), gini_coverage(rec), catalog_coverage(rec, 20), collect_set(u),
        to_ordered_list(u, rec), to_ordered_list(u, rec, '-k 9'), to_ordered_list(u, rec, '-k -9 -reverse'),
        to_ordered_map(u, rec), to_ordered_map(u, rec, true), ranking_mean(p), ranking_mean(p * 1e9)
    FROM lists GROUP BY g
"""


def texts(con: duckdb.DuckDBPyConnection) -> dict[str, list[str]]:
    """The rows of every call as texts, in an order of their own."""
    queries = {name: f"FROM {name}{arguments}" for name, arguments in CALLS.items()}
    return {
        name: sorted(map(str, con.execute(query).fetchall()))
        for name, query in {**queries, "aggregates": AGGREGATES}.items()
    }


@pytest.fixture(scope="module")
def expected() -> dict[str, list[str]]:
    with ranking_udfs.register(duckdb.connect(config={"threads": 1})) as con:
        return texts(con.execute(MAKE))


def shuffle(con: duckdb.DuckDBPyConnection) -> None:
    for table in TABLES:
        con.execute(f"CREATE OR REPLACE TABLE {table} AS FROM {table} ORDER BY hash(COLUMNS(*)::VARCHAR)")


def other_settings(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(
        "SET default_order = 'DESC'; SET default_null_order = 'NULLS FIRST'; SET integer_division = true"
    )


@pytest.mark.parametrize("change", [shuffle, other_settings], ids=lambda change: str(change.__name__))
def test_every_bit_is_the_same(
    expected: dict[str, list[str]], change: Callable[[duckdb.DuckDBPyConnection], None]
) -> None:
    with ranking_udfs.register(duckdb.connect(config={"threads": 4})) as con:
        change(con.execute(MAKE))
        found = texts(con)
    for name, rows in expected.items():
        assert found[name] == rows != [], name


def test_no_table_function_is_left_out() -> None:
    tables = {name for name, macro in macros().items() if macro.is_table and name == macro.always}
    public = {name for name in tables if not name.startswith("_")} - NOT_OF_ROWS
    assert {name.removeprefix("ranking_") for name in CALLS} == {
        one.removeprefix("ranking_") for one in public
    }


def test_a_collation_is_an_error_of_every_table_function_and_a_problem_of_the_check() -> None:
    rule = "default_collation must be binary (SET default_collation = 'binary'), got nocase"
    with ranking_udfs.register(duckdb.connect()) as con:
        con.execute(MAKE).execute("SET default_collation = 'nocase'")
        for name, arguments in CALLS.items():
            if name == "ranking_check":
                found = con.execute(f"SELECT example FROM {name}{arguments}").fetchall()
                assert found[0] == (rule,)
            else:
                with pytest.raises(duckdb.InvalidInputException) as raised:
                    con.execute(f"FROM {name}{arguments}").fetchall()
                assert str(raised.value).endswith(f"{name}: {rule}"), name
