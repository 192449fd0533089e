"""The table functions: whole tables in one call, against lists built by hand and rankings made in Python."""

import math
import random
import threading
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import ranking_udfs
from ranking_udfs.measures.registry import MEASURES
from tests.conftest import is_close, module_connection, refusal, rows, with_internals
from tests.sql_names import CTES, NAMES
from tests.witnesses import WITNESSES, Value

COLUMNS = [measure.name for measure in MEASURES.values() if measure.column]
CLOSE = 1e-12


REC = """
    (1, 10, 9.0), (1, 30, 8.0), (1, 20, 8.0), (1, 60, 2.0),  -- 20 and 30 are tied: 10, 20, 30, 60
    (2, 50, 1.0), (2, 50, 0.5), (2, 40, NULL), (2, 20, 'nan'::DOUBLE), (2, NULL, 3.0),
    (9, 10, 1.0)                                             -- has no truth
"""
TRUTH = "(1, 10), (1, 20), (1, 40), (2, 50), (2, 20), (2, NULL), (3, 10)"
# user: the list that the rules make of REC, and its truth; NULL and NaN scores last, by item
RANKINGS: dict[int, tuple[list[int | None], list[int]]] = {
    1: ([10, 20, 30, 60], [10, 20, 40]),
    2: ([None, 50, 50, 20, 40], [50, 20]),
    3: ([], [10]),
}


MAKE = f"""
    CREATE TABLE rec AS FROM (VALUES {REC}) AS t(userid, itemid, score);
    CREATE TABLE truth AS FROM (VALUES {TRUTH}) AS t(userid, itemid)
"""


tables = module_connection(MAKE)


def in_table(name: str, rec: Any, truth: Any, k: int | None) -> Value:
    """The slow definition with the defaults of tables."""
    one = WITNESSES[name]
    return one.evaluate(rec, truth, k, one.of_judged)


def test_every_column_is_the_measure_of_the_users_ranking(tables: duckdb.DuckDBPyConnection) -> None:
    found = rows(tables, "FROM ranking_by_user('rec', 'truth', [0, 2, NULL, 99])")
    assert len(found) == 12
    for row in found:
        rec, truth = RANKINGS[row["userid"]]
        for name in WITNESSES.keys() & COLUMNS:
            assert is_close(row[name], in_table(name, rec, truth, row["k"]), CLOSE), (name, row)


def test_arguments_are_whatever_query_table_takes(
    tables: duckdb.DuckDBPyConnection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What can be read once alone, such as a reader of Arrow's, goes through a CTE."""
    monkeypatch.chdir(tmp_path)
    for name in ("rec", "truth"):
        tables.execute(f"CREATE OR REPLACE VIEW {name}_view AS FROM {name}")
        for kind in ("parquet", "csv", "json"):
            tables.execute(f"COPY {name} TO '{name}.{kind}'")
    tables.execute('CREATE OR REPLACE TABLE "odd name; " AS FROM rec')
    arrow_rec, arrow_truth = (tables.sql(f"FROM {name}").to_arrow_table() for name in ("rec", "truth"))
    assert (arrow_rec.num_rows, arrow_truth.num_rows) == (10, 7)
    reader = pa.RecordBatchReader.from_batches(arrow_rec.schema, arrow_rec.to_batches())
    assert reader.schema == arrow_rec.schema
    ctes = ", ".join(f"cte_{name} AS (FROM {name})" for name in ("rec", "truth", "arrow_rec", "arrow_truth"))
    query = f"WITH {ctes}, once AS MATERIALIZED (FROM {{}})"
    query += " FROM ranking_summary({}, [2, 4], measures := 'recall,ndcg')"
    expected = tables.execute(query.format("rec", "'rec', 'truth'")).fetchall()
    for once, arguments in (
        ("rec", '\'memory.main.rec\', \'"memory"."main"."truth"\''),
        ("rec", "'rec_view', 'truth_view'"),
        ("rec", "'rec.parquet', 'truth.csv'"),
        ("rec", "'rec.json', 'truth.parquet'"),
        ("rec", "'arrow_rec', 'arrow_truth'"),
        ("rec", "'cte_rec', 'cte_truth'"),
        ("rec", "'\"odd name; \"', 'truth'"),
        ("rec", "'cte_arrow_rec', 'cte_arrow_truth'"),
        ("reader", "'once', 'truth'"),
    ):
        assert tables.execute(query.format(once, arguments)).fetchall() == expected, arguments


def test_users_are_those_with_truth_and_all_are_counted(tables: duckdb.DuckDBPyConnection) -> None:
    """Systems are scored over the same users."""
    tables.execute("""
        CREATE OR REPLACE TABLE systems AS SELECT 'a' AS "system", * FROM rec
        UNION ALL SELECT NULL, * FROM rec WHERE userid = 1 UNION ALL SELECT 'b', 3, 10, 1.0
    """)
    query = "SELECT {}k, users, users_without_rec, users_without_truth, hits "
    query += "FROM ranking_summary('{}', 'truth', {}, measures := 'hits')"
    found = tables.execute(query.format("", "rec", [2, 4])).fetchall()
    assert found == [(2, 3, 1, 1, (2 + 1 + 0) / 3), (4, 3, 1, 1, (2 + 2 + 0) / 3)]
    assert tables.execute(query.format('"system", ', "systems", [4])).fetchall() == [
        ("a", 4, 3, 1, 1, 4 / 3),
        ("b", 4, 3, 2, 0, 1 / 3),
        (None, 4, 3, 2, 0, 2 / 3),
    ]
    sizes = "SELECT userid, n_rec, n_truth FROM ranking_by_user('rec', 'truth', [2]) ORDER BY ALL"
    assert tables.execute(sizes).fetchall() == [(1, 4, 3), (2, 5, 2), (3, 0, 1)]


def test_grades_count_and_the_highest_of_an_items_grades(tables: duckdb.DuckDBPyConnection) -> None:
    tables.execute(
        "CREATE TABLE graded AS FROM "
        "(VALUES (1, 10, 1), (1, 20, 2), (1, 20, 3), (1, 40, 2), (1, 30, 0), (1, 60, -1)) "
        "AS t(userid, itemid, rel)"
    )
    truth = {10: 1, 20: 3, 40: 2, 30: 0, 60: -1}
    (row,) = rows(tables, "FROM ranking_by_user('rec', 'graded', [4])")
    assert row["n_truth"] == 3
    for name in WITNESSES.keys() & COLUMNS:
        assert is_close(row[name], in_table(name, RANKINGS[1][0], truth, 4), CLOSE), (name, row)


def test_cut_offs_are_integers_of_any_type_and_huge_ones_the_whole_list(
    tables: duckdb.DuckDBPyConnection,
) -> None:
    query = "SELECT k, hits FROM ranking_summary('rec', 'truth', {}, measures := 'hits')"
    for kind in ("TINYINT", "UHUGEINT", "DOUBLE", "DECIMAL(38, 1)"):
        found = tables.execute(query.format(f"[4, 2]::{kind}[]")).fetchall()
        assert found == [(2, 1.0), (4, 4 / 3)], kind
        if kind != "TINYINT":
            found = tables.execute(query.format(f"[{2**31}::{kind}, {2**50}::{kind}]")).fetchall()
            assert found == [(2**31, 4 / 3), (2**50, 4 / 3)], kind
    assert tables.execute(query.format("4")).fetchall() == [(4, 4 / 3)]
    for max_k, cutoff in (("2", 2), ("NULL", None), ("2147483648", None), ("2::UHUGEINT", 2)):
        query = f"SELECT DISTINCT judged.cutoff FROM ranking_judged('rec', 'truth', {max_k})"
        assert tables.execute(query).fetchall() == [(cutoff,)], max_k


def test_the_precision_of_the_curve_divides_by_k_or_by_a_shorter_list(
    tables: duckdb.DuckDBPyConnection,
) -> None:
    """User 1 has a hit at rank 1 of 1; torchmetrics 1.9's curve with adaptive_k=False and True."""
    tables.execute("CREATE VIEW short AS SELECT 1 AS userid, 10 AS itemid, 1 AS score")
    tables.execute("CREATE VIEW two AS SELECT 1 AS userid, unnest([10, 20]) AS itemid")
    curve = "SELECT list(precision ORDER BY k) FROM precision_recall_curve('short', 'two', 3{})"
    for given, expected in (("", [1, 1 / 2, 1 / 3]), (", divide := 'list'", [1, 1, 1])):
        assert tables.execute(curve.format(given)).fetchall() == [(expected,)]


def test_columns_may_have_other_names_and_scores_be_ranks(tables: duckdb.DuckDBPyConnection) -> None:
    """In whatever case; what `descending` turns round are the best scores, not NULL and NaN."""
    tables.execute("""
        CREATE VIEW shop_rec AS
        SELECT userid AS customer_id, itemid AS "Sku.No", -score AS place, 'a' AS "The Model", 7 AS "system",
            'x' AS score
        FROM rec;
        CREATE VIEW shop_truth AS
        SELECT userid AS "CUSTOMER_ID", itemid AS "Sku.No", itemid / 10 AS "Stars", 'x' AS rel FROM truth;
        CREATE VIEW same_rec AS SELECT 'a' AS "system", * FROM rec;
        CREATE VIEW same_truth AS SELECT *, itemid / 10 AS rel FROM truth;
    """)
    named = "user_col := 'Customer_ID', item_col := 'sku.no', score_col := 'PLACE', grade_col := 'stars', "
    named += "system_col := 'the model', descending := false"
    for function in ("ranking_judged({}, 3)", "(SELECT count FROM ranking_check({}, 3))"):
        shop = function.replace("3)", f"3, {named})").format("'shop_rec', 'shop_truth'")
        same = function.format("'same_rec', 'same_truth'")
        assert rows(tables, f"FROM {shop} ORDER BY ALL") == rows(tables, f"FROM {same} ORDER BY ALL") != []


@pytest.mark.parametrize("kind", ["DOUBLE", "DECIMAL(38, 2)"])
def test_ascending_scores_rank_as_their_opposites(tables: duckdb.DuckDBPyConnection, kind: str) -> None:
    """With a heap and without one, of scores that a DOUBLE holds and of others."""
    tables.execute(f"""
        CREATE OR REPLACE TABLE many AS
        SELECT i % 7 AS userid, i AS itemid, (CASE WHEN i % 11 > 0 THEN hash(i) % 20 END)::{kind} AS score
        FROM range(700) AS t(i);
        CREATE OR REPLACE TABLE opposite AS SELECT * REPLACE (-score AS score) FROM many;
        CREATE OR REPLACE TABLE liked AS SELECT userid, itemid FROM many WHERE hash(itemid + 1) % 3 = 0
    """)
    query = "FROM ranking_by_user('{}', 'liked', [{}], measures := 'ndcg,auc' {}) ORDER BY ALL"
    for k in ("5", "40", "NULL"):
        expected = tables.execute(query.format("opposite", k, "")).fetchall()
        assert len(expected) == 7
        assert tables.execute(query.format("many", k, ", descending := false")).fetchall() == expected
        assert tables.execute(query.format("many", k, "")).fetchall() != expected


def test_ids_may_be_any_kind_of_text_in_either_table(tables: duckdb.DuckDBPyConnection) -> None:
    text = "('00000000-0000-0000-0000-0000000000' || lpad({}::VARCHAR, 2, '0'))"
    words = ", ".join(f"'00000000-0000-0000-0000-0000000000{i:02}'" for i in (1, 2, 3, 9, *range(10, 70, 10)))
    kinds = ["VARCHAR", "UUID", f"ENUM ({words})", f"ENUM ({words}, 'another')"]
    for table in ("rec", "truth"):
        for i, kind in enumerate(kinds):
            ids = ", ".join(f"{text.format(name)}::{kind} AS {name}" for name in ("userid", "itemid"))
            tables.execute(f"CREATE TABLE {table}_{i} AS SELECT * REPLACE ({ids}) FROM {table}")
    counts = "users, users_without_rec, users_without_truth"
    query = f"SELECT {counts}, hits, mrr FROM ranking_summary('{{}}', '{{}}', [2, 4], measures := 'hits,mrr')"
    expected = tables.execute(query.format("rec", "truth")).fetchall()
    for i in range(len(kinds)):
        given = f"rec_{i}", f"truth_{(i + 1) % len(kinds)}"
        assert tables.execute(query.format(*given)).fetchall() == expected, given


def test_grades_may_be_true_or_false(tables: duckdb.DuckDBPyConnection) -> None:
    tables.execute("CREATE VIEW by_truth AS SELECT *, itemid <> 20 AS rel FROM truth")
    query = "SELECT sum(hits) FROM ranking_by_user('rec', '{}', [4], measures := 'hits')"
    for name, hits in (("truth", 4), ("by_truth", 2)):
        assert tables.execute(query.format(name)).fetchall() == [(hits,)]


def test_a_column_system_of_any_type_is_seen(tables: duckdb.DuckDBPyConnection) -> None:
    for system in ("'none'::ENUM ('none')", "true", "DATE '2020-01-01'", "{'a': array_value(1, 2)}"):
        tables.execute(f'CREATE OR REPLACE VIEW of_any_type AS SELECT {system} AS "SYSTEM", * FROM rec')
        columns = f"system = {system}, users_without_rec"
        query = f"SELECT {columns} FROM ranking_summary('of_any_type', 'truth', [2], measures := 'mrr')"
        assert tables.execute(query).fetchall() == [(True, 1)]


def test_types_that_differ_are_an_error_before_an_id_is_cast() -> None:
    """A text that is no date, a date that is no text: the cast came first in one of six calls, or in each."""
    with ranking_udfs.register(duckdb.connect(config={"threads": 4})) as con:
        for rec, truth in (("u", "u || 'x'"), ("DATE '2020-01-01' + u::INTEGER", "u")):
            for name, user in (("recs", rec), ("truths", truth)):
                made = f"SELECT {user} AS userid, u AS itemid, 1 AS score FROM range(3000) AS t(u)"
                con.execute(f"CREATE OR REPLACE TABLE {name} AS {made}")
            for _ in range(9):
                query = "FROM ranking_summary('recs', 'truths', [10], measures := 'mrr', grade_col := '')"
                assert "userid must have the same type" in refusal(con, query)


def test_columns_that_are_not_selected_are_not_computed(tables: duckdb.DuckDBPyConnection) -> None:
    """A grade that is too high for one measure is no error where that is not asked for."""
    tables.execute("CREATE VIEW high AS SELECT *, 2000 AS rel FROM truth")
    rule = "a grade must be 1000 or less with gain=exp (gain := 'linear' takes any), got 2000"
    for function, name in (("ranking_summary", "dcg"), ("ranking_by_user", "ndcg")):
        assert tables.execute(f"SELECT k, recall, mrr FROM {function}('rec', 'high', [2])").fetchall()
        error = refusal(tables, f"SELECT {name} FROM {function}('rec', 'high', [2])")
        assert f"ranking_{name}: {rule}" in error


def test_lists_of_rows_in_no_order_are_those_of_rows_user_by_user(con: duckdb.DuckDBPyConnection) -> None:
    """Systems, ties, repeated items, and users, items and scores that are NULL."""
    con.execute("""
        CREATE TABLE rec_u AS
        SELECT if(u > 0, {'id': u}, NULL) AS userid, if(i % 7 > 0, hash(u, i) % 15, NULL) AS itemid,
            CASE hash(i, u) % 9 WHEN 0 THEN NULL WHEN 1 THEN 'NaN'::DOUBLE ELSE hash(i, u) % 9 END AS score,
            if(s > 0, s, NULL) AS system
        FROM range(9000) AS users(u), range(2) AS systems(s), range(10) AS items(i)
        ORDER BY u;
        CREATE TABLE truth AS SELECT {'id': u} AS userid, hash(u, i, 1) % 15 AS itemid, i AS rel
        FROM range(9100) AS users(u), range(4) AS items(i);
        CREATE TABLE rec AS FROM rec_u ORDER BY hash(rec_u);
    """)
    by_user = "FROM ranking_by_user('{}', 'truth', [5, 33], measures := 'ndcg', "
    for query in (
        "FROM ranking_judged('{}', 'truth', NULL)",
        f"{by_user}unjudged := 'skip')",
        f"{by_user}ties := 'expected')",
        "FROM ranking_fuse('{}', systems := [1])",
    ):
        one, other = (query.format(rec) for rec in ("rec_u", "rec"))
        counted = "SELECT count(*), bit_xor(hash(one)), sum(hash(one)) FROM ({}) AS one"
        found, expected = (con.execute(counted.format(query)).fetchall() for query in (other, one))
        assert found == expected
        assert found[0][0] > 9_000


def test_cutoffs_may_be_known_only_when_the_query_runs(tables: duckdb.DuckDBPyConnection) -> None:
    tables.execute("CREATE OR REPLACE TEMP TABLE cutoffs AS SELECT 40 AS k; SET VARIABLE ks = [5, 40]")
    query = "SELECT k, recall, ndcg FROM ranking_summary('rec', 'truth', {}, measures := 'recall,ndcg')"
    expected = tables.execute(query.format("[5, 40]")).fetchall()
    assert len(expected) == 2
    for ks in ("(SELECT [5, max(k)] FROM cutoffs)", "getvariable('ks')", "$ks"):
        given = {"ks": [5, 40]} if ks == "$ks" else {}
        assert tables.execute(query.format(ks), given).fetchall() == expected, ks


@pytest.mark.slow
def test_a_limit_ends_a_query_of_many_users(con: duckdb.DuckDBPyConnection) -> None:
    """DuckDB 2.0 waits for ever where a CTE of that many rows is read by a LIMIT and by a join below it."""
    con.execute("""
        CREATE TABLE rec AS
        SELECT i // 10 AS userid, i % 5003 AS itemid, hash(i) AS score FROM range(1_000_010) t(i);
        CREATE TABLE systems AS SELECT *, 'a' AS system FROM rec;
        CREATE TABLE truth AS SELECT i // 2 AS userid, i % 5003 AS itemid FROM range(200_000) t(i);
        CREATE VIEW by_user AS SELECT DISTINCT i % 2 AS system, i // 2 AS userid, hash(i) / 2 ** 64 AS x
        FROM range(2_000_000) t(i)
    """)
    timer = threading.Timer(160, con.interrupt)  # in all; one query takes seconds, or for ever
    timer.start()
    for query in (
        "FROM ranking_judged('rec', 'truth', 10)",
        "SELECT ndcg FROM ranking_by_user('rec', 'truth', [10, 50])",
        "SELECT ndcg FROM ranking_by_user('systems', 'truth', [NULL])",
        "SELECT ndcg FROM ranking_summary('systems', 'truth', [10])",
        "FROM ranking_check('systems', 'truth', ks := [3, 50])",
        "WITH cte AS (FROM by_user) SELECT users FROM ranking_compare_by_user('cte')",
    ):
        assert len(con.execute(f"{query} LIMIT 1").fetchall()) == 1, query
    timer.cancel()


FOUR = "SELECT problem, system, count, example FROM"  # the columns of rows of ranking_check that have a value
BELOW = "rec: users whose relevant items stand below others"
ALIKE = "that match truth but for case, blanks or zeros"
DISASTERS = """
    CREATE TABLE shop_rec AS
    SELECT u AS userid, 'SKU-' || i AS itemid, i AS score, 'a' AS model, 'b' AS "Run_ID"
    FROM range(1, 4) AS users(u), range(1, 6) AS items(i);
    INSERT INTO shop_rec VALUES (9, 'SKU-1', 1, 'a', 'b');  -- one alone has no order
    CREATE TABLE shop_truth AS
    SELECT u AS userid, 'sku-' || i AS itemid, 3.5 AS rating, 4 AS "Stars", 'x' AS label
    FROM range(1, 4) AS users(u), range(1, 3) AS items(i);
"""


def test_ranking_check_finds_the_common_disasters(con: duckdb.DuckDBPyConnection) -> None:
    found = con.execute(f"{DISASTERS}{FOUR} ranking_check('shop_rec', 'shop_truth')").fetchall()
    assert found == [
        ("truth: columns that look like grades are not read", None, 2, "rating, Stars"),
        ("rec: columns that look like systems are not read", None, 1, "model"),
        ("rec: columns that look like runs are not read", None, 1, "Run_ID"),
        ("no item of truth is in rec", None, 2, "itemid sku-1 in truth, SKU-1 in rec"),
        ("rec: scores look like ranks; truth is too small to tell", None, 4, None),
        (f"items {ALIKE}", None, 2, "itemid 'SKU-1' for 'sku-1'"),
        ("users in rec that are not in truth", None, 1, "userid 9"),
    ]
    lacking = "userid, itemid, rating, Stars, \"label\"; write score_col := 'rating' (or swap rec and truth: "
    found = con.execute(f"{FOUR} ranking_check('shop_truth', 'shop_rec', grade_col := 'score')").fetchall()
    assert found == [
        ("rec must have a column score (score_col)", None, 1, f"{lacking}truth has one)"),
        ("no item of truth is in rec", None, 5, "itemid SKU-1 in truth, sku-1 in rec"),
        (f"items {ALIKE}", None, 2, "itemid 'sku-1' for 'SKU-1'"),
        ("rec: score is NULL", None, 6, "userid 1, itemid sku-1"),
        ("users in truth that are not in rec", None, 1, "userid 9"),
    ]


# Six users with four relevant items each; every system has one flaw, or two that come together.
SYSTEMS = """
    CREATE TABLE truth AS
    SELECT u AS userid, 'SKU-' || i AS itemid, (u <> 6)::INTEGER AS rel
    FROM range(1, 7) AS users(u), range(1, 5) AS items(i);
    CREATE TABLE good AS
    SELECT u AS userid, 'SKU-' || i AS itemid, 10 - i + u / 10 AS score
    FROM range(1, 7) AS users(u), range(1, 7) AS items(i);
    CREATE TABLE rec AS
    SELECT 'good' AS system, * FROM good
    UNION ALL SELECT 'ranks', * REPLACE (itemid[5:]::INTEGER AS score) FROM good
    UNION ALL SELECT 'ones', * REPLACE (1 AS score) FROM good
    UNION ALL SELECT 'pairs', * REPLACE (itemid[5:]::INTEGER // 2 AS score) FROM good
    UNION ALL SELECT 'top1', * FROM good WHERE itemid = 'SKU-1'
    UNION ALL SELECT 'lower', * REPLACE (lower(itemid) AS itemid) FROM good WHERE userid % 2 = 0
    UNION ALL SELECT 'lower', * FROM good WHERE userid % 2 = 1
    UNION ALL SELECT 'items', * REPLACE ('x' || itemid AS itemid) FROM good
    UNION ALL SELECT 'users', * REPLACE (userid + 100 AS userid) FROM good
    UNION ALL SELECT 'some', * FROM good WHERE userid < 3
    UNION ALL SELECT 'twice', * REPLACE (replace(itemid, '6', '5') AS itemid) FROM good
    UNION ALL SELECT 'null', userid, nullif(itemid, 'SKU-6'),
        CASE score WHEN 9.2 THEN 'nan' WHEN 9.1 THEN NULL ELSE score END FROM good;
    INSERT INTO truth VALUES (2, 'SKU-1', 1), (3, NULL, 1);
    CREATE TABLE apart AS
    SELECT CASE WHEN userid < 3 THEN 'B' ELSE 'A' END AS system, * FROM good;
"""
OF_SYSTEMS = [
    ("no user of truth is in rec", "users", 6, "userid 1 in truth, userid 101 in rec"),
    ("no item of truth is in rec", "items", 4, "itemid SKU-1 in truth, xSKU-1 in rec"),
    (BELOW, "ranks", 5, "userid 1"),
    (f"items {ALIKE}", "lower", 4, "itemid 'sku-1' for 'SKU-1'"),
    ("rec: itemid is NULL", "null", 6, "userid 1, itemid NULL"),
    ("rec: score is NULL", "null", 1, "userid 1, itemid SKU-1"),
    ("rec: score is NaN", "null", 1, "userid 2, itemid SKU-1"),
    ("rec: (userid, itemid) repeated in the top k = 6", "twice", 6, "userid 1, itemid SKU-5"),
    ("rec: users whose scores are all equal", "ones", 6, "userid 1"),
    ("rec: users with tied scores in the top k = 6", "ones", 6, "userid 1"),
    ("rec: users with tied scores in the top k = 6", "pairs", 6, "userid 1"),
    ("rec: users with tied scores at k = 3", "ones", 6, "userid 1"),
    ("rec: users with fewer than k = 3 items", "top1", 6, "userid 1"),
    ("rec: users with fewer than k = 6 items", "top1", 6, "userid 1"),
    ("truth: itemid is NULL", None, 1, "userid 3, itemid NULL"),
    ("truth: (userid, itemid) repeated", None, 1, "userid 2, itemid SKU-1"),
    ("truth: users without a relevant item", None, 1, "userid 6"),
    ("users in truth that are not in rec", "some", 4, "userid 3"),
    ("users in rec that are not in truth", "users", 6, "userid 101"),
]


def test_ranking_check_finds_what_is_wrong_with_each_system(con: duckdb.DuckDBPyConnection) -> None:
    assert con.execute(f"{SYSTEMS}{FOUR} ranking_check('rec', 'truth', [3, 6])").fetchall() == OF_SYSTEMS
    found = con.execute(f"{FOUR} ranking_check('apart', 'truth', 6)").fetchall()
    assert found[:2] == [
        ("rec: systems without users in common", "A", 1, "B"),
        ("rec: systems without users in common", "B", 1, "A"),
    ]
    assert found[-4:] == [
        ("users in truth that are not in rec", "A", 2, "userid 1"),
        ("users in truth that are not in rec", "B", 4, "userid 3"),
        ("users with recommendations of one system only", "A", 4, "userid 3"),
        ("users with recommendations of one system only", "B", 2, "userid 1"),
    ]


def test_a_system_without_a_user_has_none_of_truth(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("""
        CREATE TABLE truth AS SELECT 1 AS userid, 2 AS itemid;
        CREATE VIEW nobody AS SELECT NULL::INTEGER AS userid, 2 AS itemid, 0.5 AS score;
        CREATE VIEW nothing AS FROM nobody WHERE false
    """)
    for rec, is_empty in (("nobody", False), ("nothing", True)):
        found = con.execute(f"{FOUR} ranking_check('{rec}', 'truth')").fetchall()
        assert ("no user of truth is in rec", None, 1, "userid 1 in truth, none in rec") in found
        assert (("rec: no rows", None, 1, None) in found) == is_empty


def test_short_lists_are_those_shorter_than_others(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("""
        CREATE TABLE truth AS SELECT u AS userid, 1 AS itemid FROM range(4) t(u);
        CREATE TABLE rec AS SELECT u AS userid, i AS itemid, -i AS score FROM range(4) t(u), range(5) s(i)
    """)
    query = "SELECT problem, count FROM ranking_check('rec', 'truth', [2, 5, 9])"
    assert con.execute(query).fetchall() == []
    con.execute("DELETE FROM rec WHERE userid < 3 AND itemid > userid + 1")
    assert con.execute(query).fetchall() == [
        ("rec: users with fewer than k = 5 items", 3),
        ("rec: users with fewer items than the longest list", 3),
    ]


def test_lists_shorter_than_their_truth_are_named_where_the_whole_list_is_measured(
    con: duckdb.DuckDBPyConnection,
) -> None:
    """User 1 has two relevant items, or three without grades; an item twice counts once."""
    con.execute("""
        CREATE TABLE rec AS FROM (VALUES ('a', 1, 10, 1), ('a', 2, 10, 2), ('a', 2, 20, 1), ('a', 9, 10, 1),
            ('b', 1, 10, 1), ('b', 1, 30, 2)) AS t(system, userid, itemid, score);
        CREATE TABLE truth AS FROM (VALUES (1, 10, 3), (1, 20, 1), (1, 30, 0), (2, 10, 1), (2, 10, 1),
            (2, 30, 1), (3, 10, 1)) AS t(userid, itemid, rel);
    """)
    a, b = ((name, 1, "userid 1") for name in "ab")
    for arguments, expected in (
        ("[1, NULL]", [a]),
        ("[1, 10]", []),
        ("[NULL], grade_col := ''", [a, b]),
    ):
        query = f"SELECT system, count, example FROM ranking_check('rec', 'truth', {arguments})"
        query += " WHERE problem = 'rec: users whose list is shorter than truth'"
        assert con.execute(query).fetchall() == expected, arguments


def test_ids_that_match_but_for_case_blanks_or_zeros_are_told(con: duckdb.DuckDBPyConnection) -> None:
    for listed, known, expected in (
        (["a1", "A1 ", "b"], ["A1"], [(2,)]),
        (["007", "7.0", "0.0"], ["7", "0"], [(3,)]),
        (["A1", "a1"], ["A1", "a1"], []),
        (["a-1", "10"], ["a1", "1"], []),
    ):
        for own, other in (("userid", "itemid"), ("itemid", "userid")):
            for table, ids in (("rec", listed), ("truth", known)):
                made = f"SELECT unnest($1) AS {own}, 'z' AS {other}, 0.5 AS score"
                con.execute(f"CREATE OR REPLACE TABLE {table} AS {made}", [ids])
            query = "SELECT count FROM ranking_check('rec', 'truth', grade_col := '') WHERE problem = $1"
            assert con.execute(query, [f"{own[:4]}s {ALIKE}"]).fetchall() == expected, listed


def test_zero_is_one_user_with_either_sign(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE rec AS SELECT 0.0::DOUBLE AS userid, 1 AS itemid, 0.5 AS score")
    con.execute("CREATE TABLE truth AS SELECT '-0.0'::DOUBLE AS userid, 1 AS itemid")
    assert con.execute("SELECT n_rec FROM ranking_by_user('rec', 'truth', [1])").fetchall() == [(1,)]
    assert con.execute("FROM ranking_check('rec', 'truth', 1)").fetchall() == []


def test_ranking_check_finds_the_ties_of_a_sort_in_python(con: duckdb.DuckDBPyConnection) -> None:
    draw = random.Random(7)
    scores = [None, math.nan, math.inf, -math.inf, 0.0, -0.0, *range(1, 30)]
    rec = [(draw.randrange(12), draw.choice(scores)) for _ in range(700)]
    scores_column = pa.array([score for _, score in rec], pa.float64())
    con.register("given", pa.table({"userid": [user for user, _ in rec], "score": scores_column}))
    con.execute("""
        CREATE TABLE one AS SELECT userid, row_number() OVER () AS itemid, score FROM given;
        CREATE TABLE two AS SELECT *, unnest(['a', NULL]) AS system FROM one
    """)
    ks = [1, 2, 5, 20, 31, 32, 33, 40, 70]
    expected: dict[int, int] = Counter()
    for user, k in product(range(12), ks):
        ranked = sorted((s for u, s in rec if u == user and s is not None and s == s), reverse=True)
        expected[k] += len(ranked) > k and ranked[k - 1] == ranked[k]
    assert sum(map(bool, expected.values())) > 4
    for (table, systems), some in product((("one", 1), ("two", 2)), (ks[:5], [*ks, 2**63 - 1], [*ks[:5], 0])):
        query = f"FROM ranking_check('{table}', '{table}', {some}) WHERE code = 'ties_at_k' GROUP BY k"
        found = dict(con.execute(f"SELECT k, sum(count) {query}").fetchall())
        assert found == {k: n * systems for k, n in expected.items() if k in some and n}, (table, some)


def test_ranking_check_needs_no_more_memory_for_a_larger_k(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("SET memory_limit = '200MB'")
    con.execute(
        "CREATE TABLE rec AS SELECT i % 3000 AS userid, i AS itemid, i AS score FROM range(60_000) t(i)"
    )
    con.execute("CREATE VIEW truth AS SELECT userid, itemid FROM rec")
    assert con.execute("FROM ranking_check('rec', 'truth', ks := [20_000])").fetchall() == []


def test_a_distribution_is_that_of_the_users_values(tables: duckdb.DuckDBPyConnection) -> None:
    """Against NumPy, over what ranking_by_user gives; the mean is ranking_summary's to the bit."""
    con = tables
    con.execute("""
        CREATE OR REPLACE TABLE some_rec AS
        SELECT
            'ab'[1 + i % 2] AS "system",
            hash(i) % 53 AS userid, hash(i + 1) % 40 AS itemid, hash(i + 2) % 9 AS score
        FROM range(2000) AS t(i);
        CREATE OR REPLACE TABLE some_truth AS
        SELECT hash(i + 3) % 60 AS userid, hash(i + 4) % 40 AS itemid, hash(i + 5) % 3 AS rel
        FROM range(300) AS t(i)
    """)
    call = "('some_rec', 'some_truth', [2, NULL], measures := 'recall,ndcg,spearman,first_hit_rank')"
    by_user = rows(con, f"FROM ranking_by_user{call}")
    means = {(row["system"], row["k"]): row for row in rows(con, f"FROM ranking_summary{call}")}
    found = rows(con, f"FROM ranking_distribution{call}")
    assert [(one["system"], one["k"], one["measure"]) for one in found] == [
        (*key, name)
        for key in product("ab", (2, None))
        for name in ("first_hit_rank", "ndcg", "recall", "spearman")
    ]
    shares = {"percentile_5": 5, "quartile_1": 25, "median": 50, "quartile_3": 75, "percentile_95": 95}
    for one in found:
        key, name = (one["system"], one["k"]), one["measure"]
        values = [row[name] for row in by_user if (row["system"], row["k"]) == key]
        defined = np.array([value for value in values if value is not None])
        assert (one["users"], one["users_undefined"]) == (len(defined), len(values) - len(defined))
        assert one["mean"] == means[key][name]
        if len(defined) < 2:
            assert name == "spearman"
            continue
        error = float(np.std(defined, ddof=1))
        expected = {"standard_deviation": error, "standard_error": error / math.sqrt(len(defined))}
        expected |= {"minimum": defined.min(), "maximum": defined.max(), "zeros": np.mean(defined == 0)}
        expected |= {column: np.percentile(defined, share) for column, share in shares.items()}
        assert {column: one[column] for column in expected} == pytest.approx(expected, rel=1e-12, abs=1e-15)
    assert {one["measure"] for one in found if one["users_undefined"]} == {"spearman", "first_hit_rank"}


def test_a_distribution_of_one_user_or_none_has_no_deviation(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE one AS SELECT 1 AS userid, 1 AS itemid, 1 AS score")
    query = """
        SELECT users, users_undefined, mean, standard_deviation, standard_error, minimum, median, zeros
        FROM ranking_distribution('one', 'one', 1) WHERE measure IN ('recall', 'spearman')"""
    one, none = con.execute(query).fetchall()
    assert one == (1, 0, 1.0, None, None, 1.0, 1.0, 0.0)
    assert none == (0, 1, *[None] * 6)


def test_curves_are_means_over_users(tables: duckdb.DuckDBPyConnection) -> None:
    curve = tables.execute("FROM precision_recall_curve('rec', 'truth', 2)").fetchall()
    # precision of users 1, 2, 3 at rank 1: 1, 0, 0; at rank 2: 1, 1/2, 0; recall: of 3, 2 and 1 items
    assert curve == [
        (1, pytest.approx(1 / 3), pytest.approx((1 / 3) / 3)),
        (2, pytest.approx((1 + 1 / 2) / 3), pytest.approx((2 / 3 + 1 / 2) / 3)),
    ]
    points = dict(tables.execute("FROM interpolated_precision_curve('rec', 'truth')").fetchall())
    assert list(points) == [i / 10 for i in range(11)]
    assert points[0.0] == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert points[1.0] == pytest.approx((0 + 2 / 4 + 0) / 3)


def everything(con: duckdb.DuckDBPyConnection, rec: str, truth: str, cte: str = "") -> list[Any]:
    """What the table functions make of the tables."""
    summary = f"FROM ranking_summary('{rec}', '{truth}', [2, 40], measures := 'hits,mrr')"
    check = f"FROM ranking_check('{rec}', '{truth}')"
    return [con.execute(f"{cte} {query}").fetchall() for query in (summary, check)]


def test_names_of_the_users_columns_do_not_clash(tables: duckdb.DuckDBPyConnection) -> None:
    known = {"userid", "itemid", "score", "rel", "system"}
    extra = ", ".join(
        f'{i} AS "{name}"' for i, name in enumerate([*NAMES, *COLUMNS, "rec", "ks"]) if name not in known
    )
    tables.execute(f"CREATE VIEW wide_rec AS SELECT *, 'x' AS rel, {extra} FROM rec")
    tables.execute(f"CREATE VIEW wide_truth AS SELECT *, 'x' AS score, 'x' AS \"system\", {extra} FROM truth")
    assert everything(tables, "wide_rec", "wide_truth") == everything(tables, "rec", "truth")


@pytest.mark.slow
def test_names_of_the_users_tables_and_ctes_do_not_clash(tables: duckdb.DuckDBPyConnection) -> None:
    """Every name of the SQL as one of hers, and of each two CTEs one as her rec, the other as her truth."""
    assert {"truths", "counts", "found", "judged", "lists", "_ranking_systems"} <= set(NAMES)
    assert {"_ranking_item", "_ranking_matched", "_ranking_own_measures"} <= set(CTES)
    expected = everything(tables, "rec", "truth")
    tables.execute("ATTACH ':memory:' AS hers; USE hers; CREATE TABLE rec AS FROM memory.rec")
    tables.execute("CREATE TABLE truth AS FROM memory.truth")
    another = "SELECT 7 AS userid, 7 AS itemid, 7 AS score, 7 AS rel"
    for name in NAMES:
        tables.execute(f'CREATE TABLE "{name}" AS {another}')
    assert everything(tables, "rec", "truth") == expected
    ctes = ", ".join(f'"{name}" AS ({another})' for name in NAMES)
    assert everything(tables, "rec", "truth", f"WITH {ctes}") == expected
    for i, (name, following) in enumerate(zip(CTES[::2], [*CTES[1::2], "rec"], strict=False)):
        of, other = ("rec", "truth") if i % 2 else ("truth", "rec")
        tables.execute(f'CREATE OR REPLACE TABLE "{name}" AS FROM memory.{of}')
        named = {of: f'"{name}"', other: f'"{following}"'}
        cte = f'WITH "{following}" AS (FROM memory.{other})'
        assert everything(tables, named["rec"], named["truth"], cte) == expected, (name, following)
    tables.execute("USE memory; DETACH hers")


def test_truth_of_nothing_is_scored_as_truth_of_nothing_relevant(
    con: duckdb.DuckDBPyConnection,
) -> None:
    """Users 1 and 3 have a NULL item, the next ones a grade of 0 or less; user 6 has one item twice."""
    con.execute("""
        CREATE TABLE rec AS SELECT u AS userid, 'x' AS itemid, 1 AS score FROM range(3, 7) t(u);
        CREATE TABLE truth AS FROM (VALUES
            (1, NULL, 1.0), (2, 'x', 0.0), (3, NULL, 1.0), (3, NULL, 1.0), (4, 'x', 0.0), (5, 'x', -3.0),
            (6, 'x', 1.0), (6, NULL, 1.0), (6, 'x', 1.0)
        ) AS t(userid, itemid, rel)
    """)
    names = "recall,precision,f_measure,average_precision,r_precision,ndcg,mrr,hit_rate,dcg,ideal_dcg,auc"
    for ties in ("item", "expected"):
        query = f"ranking_by_user('rec', 'truth', [2], ties := '{ties}', measures := '{names}')"
        found = con.execute(f"SELECT * EXCLUDE (userid, k, n_rec) FROM {query} ORDER BY userid").fetchall()
        assert [str(row) for row in found[:5]] == [str((0, *[0.0] * 10, 0.5))] * 5
        assert found[5][:2] == (1, 1.0)
    counts = "SELECT users, users_without_relevant, recall FROM ranking_summary('rec', 'truth', [2])"
    assert con.execute(counts).fetchall() == [(6, 5, 1 / 6)]
    query = "SELECT judged.ranks, judged.ideal FROM ranking_judged('rec', 'truth', 5) ORDER BY userid"
    assert con.execute(query).fetchall()[2::3] == [([], [0.0]), ([1], [1.0])]


def test_recommendations_without_a_row_are_those_of_one_system_without_a_name(
    tables: duckdb.DuckDBPyConnection,
) -> None:
    tables.execute("CREATE OR REPLACE TEMP VIEW none AS SELECT 'a' AS system, * FROM rec WHERE false")
    tables.execute("CREATE OR REPLACE TEMP VIEW unnamed AS FROM rec WHERE false")
    for query in (
        "ranking_summary('{}', 'truth', [2], measures := 'ndcg')",
        "(FROM ranking_by_user('{}', 'truth', [2], measures := 'ndcg') ORDER BY userid)",
    ):
        found, expected = (
            tables.sql(f"FROM {query.format(name)}").to_arrow_table() for name in ("none", "unnamed")
        )
        assert set(found["system"].to_pylist()) == {None}
        assert found.drop_columns(["system"]).to_pylist() == expected.to_pylist() != []
    found = tables.execute(f"{FOUR} ranking_check('none', 'truth')").fetchall()
    assert found[0] == ("rec: no rows", None, 1, None)


def test_no_error_is_long_or_has_an_internal_name(tables: duckdb.DuckDBPyConnection) -> None:
    words = ", ".join(f"'word number {i}'" for i in range(3_000))
    tables.execute(f"CREATE OR REPLACE VIEW wordy AS SELECT *, NULL::ENUM ({words}) AS rel FROM truth")
    tables.execute("CREATE OR REPLACE VIEW wordy_items AS SELECT * REPLACE (rel AS itemid) FROM wordy")
    for query in (
        "ranking_summary('rec', 'wordy', [2])",
        "interpolated_precision_curve('rec', 'wordy_items')",
        f"ranking_by_user('rec', 'truth', []::STRUCT({'long' * 20} INTEGER)[])",
        "ranking_judged('rec', 'truth', (repeat('9', 36) || '.5')::DECIMAL(38, 1))",
    ):
        error = refusal(tables, f"FROM {query}")
        assert error.startswith(query.partition("(")[0])
        assert len(error) <= 200
        assert "_ranking" not in error
    ((example,),) = tables.execute(
        "SELECT example FROM ranking_check('rec', 'wordy_items') WHERE problem LIKE 'itemid must%'"
    ).fetchall()
    assert len(example) <= 200


def test_unselected_measures_leave_the_plan(tables: duckdb.DuckDBPyConnection) -> None:
    def plan(columns: str) -> str:
        query = f"EXPLAIN (FORMAT json) SELECT {columns} FROM ranking_summary('rec', 'truth', [2])"
        return str(tables.execute(query).fetchall()[0][1])

    assert plan("k, recall").count("HUGEINT") < plan("k, recall, hits").count("HUGEINT")


def listed_users(con: duckdb.DuckDBPyConnection, rec: str, gather: bool = True) -> Any:
    """The users of rec as they come where lists of them are made."""
    names = "_ranking_names('userid', 'itemid', 'score', '', '', true)"
    with_internals(con).execute("SET threads = 1")
    recs = f"_ranking_gathered_recs('{rec}', {names}, {gather})"
    return con.execute(f"SELECT coalesce(list(userid), []) FROM {recs}").fetchall()[0][0]


# Users of rows that are gathered, and of such that are not: of the first 8,192 rows how many are different.
MANY: list[list[int | None]] = [[*range(8192)], [*range(4097)] * 2, [*range(5000)] + [0] * 50_000]
FEW: list[list[int | None]] = [[*range(4096)] * 2, [i // 2 for i in range(9000)], [None] * 9000, []]
FEW.append([0] * 5000 + [*range(50_000)])


@pytest.mark.parametrize("users", [*MANY, *FEW])
def test_rows_are_gathered_where_the_first_are_of_many_users(
    con: duckdb.DuckDBPyConnection, users: list[int | None]
) -> None:
    con.register("given", pa.table({"userid": pa.array(users, pa.int64())}))
    con.execute("CREATE TABLE rec AS SELECT userid, 1 AS itemid, 2 AS score FROM given")
    assert listed_users(con, "rec", gather=False) == users
    found = listed_users(con, "rec")
    assert (found != users) is (users in MANY)
    if users in MANY:
        assert Counter(found) == Counter(users)
        places = [place for place, user in enumerate(found) if user == users[-1]]
        assert places[-1] - places[0] < len(places) + 50  # 4,096 buckets: few other users in between


def test_rows_that_are_others_at_each_look_are_there_once(con: duckdb.DuckDBPyConnection) -> None:
    """The first rows of a sample differ from look to look, and so may those that several threads read."""
    con.execute("""
        CREATE VIEW rec AS
        SELECT CASE WHEN (SELECT random()) < 0.5 THEN i ELSE 0 END AS userid, 1 AS itemid, 2 AS score
        FROM range(10_000) AS t(i);
    """)
    assert {len(listed_users(con, "rec")) for _ in range(40)} == {10_000}
