"""One call of each entry point on small tables: all entry points give the same answer.

Other tests say that the numbers are right.
"""

import json
from pathlib import Path

import duckdb
import pytest

import ranking_udfs
from ranking_udfs.command.cli import main
from ranking_udfs.measures.registry import MEASURES
from tests.conftest import module_connection, refusal

# Three systems of 24 users, in whose lists scores tie and an item stands twice; a user without a list (25),
# one whose truth is a NULL (26), one without truth (23), one without a relevant item (24).
MAKE = """
    CREATE TABLE rec AS
    SELECT s.name AS system, u AS userid, (u + i * s.step) % 13 AS itemid,
        (u * 7 + i * i * s.step) % 23 // 2 / 1 AS score
    FROM range(1, 25) users(u), range(8) items(i), (VALUES ('a', 5), ('b', 3), ('c', 4)) AS s(name, step)
    WHERE (u + i) % 7 <> s.step AND NOT (u = 5 AND s.name = 'b')
    UNION ALL SELECT 'a', 1, 6, 1;
    CREATE TABLE truth AS
    SELECT u AS userid, (u * 3 + i) % 13 AS itemid, (u + i) % 4 * (u <> 24)::INTEGER AS rel, u + i AS time
    FROM range(1, 26) users(u), range(5) items(i) WHERE u <> 23 AND i <= u % 5 + 1
    UNION ALL VALUES (26, NULL, 1, 9), (2, 6, 1, 9), (2, 7, 3, 9);
    CREATE TABLE history AS
    SELECT u AS userid, (u * u + i) % 15 AS itemid, (u + i) % 12 AS time
    FROM range(1, 22) users(u), range(4) items(i) WHERE (u * u + i) % 15 <> 7;
    CREATE TABLE items AS SELECT i AS itemid, 'xyz'[1 + (i + c) % 3] AS category
    FROM range(12) items(i), range(2) kinds(c) WHERE i % 3 > 0 OR c = 0;
    CREATE TABLE intents AS SELECT userid, itemid, rel, 'pq'[1 + itemid % 2] AS intent
    FROM truth WHERE itemid IS NOT NULL;
    CREATE TABLE by_user AS SELECT system, userid, 'mn'[1 + userid % 2] AS segment,
        userid % 3 + (system = 'b')::INTEGER * 0.25 + (system = 'c')::INTEGER * (userid % 5) / 4 AS clicks,
        (system = 'b')::INTEGER * 0.25 AS recall
    FROM (SELECT DISTINCT system, userid FROM rec);
    CREATE TABLE compared AS
    FROM ranking_compare('rec', 'truth', [3], measures := ['ndcg', 'hit_rate', 'first_hit_rank']);
"""
# Calls of SQL that need no Python.
CALLS = """
ranking_summary('rec', 'truth', [0, 2, NULL])
ranking_summary('rec', 'truth', [3], min_grade := 2, unjudged := 'skip')
ranking_summary('rec', 'truth', [2, 5], ties := 'expected')
ranking_summary('rec', 'truth', [3], descending := false)
ranking_by_user('rec', 'truth', [4])
ranking_judged('rec', 'truth', 3)
ranking_distribution('rec', 'truth', [3])
ranking_compare('rec', 'truth', [3], measures := ['ndcg', 'hit_rate', 'first_hit_rank'])
ranking_compare('rec', 'truth', [3], margin := 0.1, correction := 'bh', measures := ['mrr', 'ndcg'])
ranking_compare_by_user('by_user', baseline := 'b', margin := 0.5, measures := ['clicks', 'recall'])
ranking_gate('compared', confidence := 0.8)
ranking_check_rows('rec', 'truth', [3], history := 'history')
ranking_check('rec', 'truth', ks := [3, 5], history := 'history')
ranking_by_item('rec', 'truth', [3])
ranking_explain('rec', 'truth', 2, k := 3, ties := 'expected')
ranking_overlap('rec', [2, 4], baseline := 'a')
ranking_overlap_by_user('rec', [3])
ranking_beyond_accuracy('rec', [3], history := 'history', items := 'items')
ranking_beyond_accuracy_by_user('rec', [3], history := 'history', items := 'items')
ranking_fuse('rec')
ranking_fuse('rec', method := 'combmnz', weights := MAP {'a': 2, 'b': 1, 'c': 0.5})
ranking_intents_by_user('rec', 'intents', [3])
ranking_split('history', test_size := 2, folds := 2, gap := 1, cold_items := 'drop')
ranking_precision_recall_curve('rec', 'truth', 3)
ranking_interpolated_precision_curve('rec', 'truth')
ranking_functions()
ranking_problem_codes()
(SELECT ranking_judge([1, 3, 2], [1, 2], [2, 0], unjudged := 'skip'))
(SELECT ranking_mean(rel), ranking_geometric_mean(rel), udf_logloss(rel / 4, (rel > 1)::INTEGER) FROM truth)
(SELECT udf_mae(rel, time), udf_mse(rel, time), udf_rmse(rel, time), udf_r2(rel, time) FROM truth)
(SELECT udf_catalog_coverage([rel], 20), udf_gini_coverage([rel]), udf_personalization([rel]) FROM truth)
""".strip().splitlines()
WRONG = """
ranking_split('history', test_from := 0)
ranking_summary('rec', 'truth', [-1])
ranking_summary('rec', 'truth', [1], ties := 'x')
ranking_compare('rec', 'truth', [3], baseline := 'd')
(SELECT ranking_ndcg(judged, 4) FROM ranking_judged('rec', 'truth', 3))
""".strip().splitlines()


def answer(con: duckdb.DuckDBPyConnection, call: str) -> list[str]:
    """Return the names of the columns, then the rows as text, sorted."""
    result = con.execute(f"FROM {call}")
    return [str([name for name, *_ in result.description]), *sorted(map(str, result.fetchall()))]


con = module_connection(MAKE)
script = module_connection(MAKE, is_script=True)


@pytest.mark.parametrize("call", CALLS)
def test_the_script_answers_as_the_library(
    con: duckdb.DuckDBPyConnection, script: duckdb.DuckDBPyConnection, call: str
) -> None:
    found = answer(con, call)
    assert len(found) > 1
    assert answer(script, call) == found


@pytest.mark.parametrize("call", WRONG)
def test_the_script_refuses_as_the_library(
    con: duckdb.DuckDBPyConnection, script: duckdb.DuckDBPyConnection, call: str
) -> None:
    assert refusal(script, f"FROM {call}") == refusal(con, f"FROM {call}")


@pytest.mark.parametrize("name", MEASURES)
def test_lists_judged_rankings_and_macros_give_one_value(con: duckdb.DuckDBPyConnection, name: str) -> None:
    """The lists have a repeated item and a NULL; the truth has a grade that is not relevant."""
    truth = "MAP {1: 2, 2: 1, 4: 0.5, 6: 0}"
    ((of_lists, of_judged, of_macro),) = con.execute(f"""
        SELECT "{name}"(rec, {truth}, 3), "{name}"(judge(rec, {truth}), 3),
            ranking_{name}(ranking_judge(rec, [1, 2, 4, 6], [2, 1, 0.5, 0]), 3)
        FROM (SELECT [1, 3, 2, 6, 2, NULL] AS rec)""").fetchall()
    assert of_judged == of_lists
    assert of_macro == pytest.approx(of_lists, abs=1e-12)


def test_the_command_and_python_answer_as_sql(
    con: duckdb.DuckDBPyConnection, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [f"{tmp_path}/{name}.csv" for name in ("rec", "truth")]
    con.execute(f"COPY rec TO '{files[0]}'; COPY (SELECT * EXCLUDE (time) FROM truth) TO '{files[1]}'")
    assert main(["evaluate", *files, "-k", "2", "-m", "ndcg", "--format", "json", "--no-check"]) == 0
    found = ranking_udfs.evaluate("rec", "truth", "ndcg", 2, con=con, check=False)
    query = "FROM ranking_summary('rec', 'truth', [2], measures := 'ndcg')"
    expected = con.execute(query).fetchall()
    assert len(expected) == 3
    assert found.fetchall() == expected
    assert [tuple(row.values()) for row in json.loads(capsys.readouterr().out)] == expected
