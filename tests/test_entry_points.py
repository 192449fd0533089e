"""Library, script, command and Python give the same answers; other tests say that these are right."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import ranking_udfs
from ranking_udfs.command.cli import main
from ranking_udfs.measures.registry import MEASURES
from tests.conftest import Captured, Con, module_connection, refusal

MAKE = (Path(__file__).parent / "tables/entry_points.sql").read_text(encoding="utf-8")


# Calls of SQL, which need no Python.
CALLS = """
ranking.evaluate('rec', 'truth', [0, 2, NULL])
ranking.evaluate('rec', 'truth', [3], min_grade := 2, unjudged := 'skip')
ranking.evaluate('rec', 'truth', [2, 5], ties := 'expected')
ranking.evaluate('rec', 'truth', [3], descending := false)
ranking.by_user('rec', 'truth', [4])
ranking.judged('rec', 'truth', 3)
ranking.distribution('rec', 'truth', [3])
ranking.compare('rec', 'truth', [3], measures := ['ndcg', 'hit_rate', 'first_hit_rank'])
ranking.compare('rec', 'truth', [3], margin := 0.1, correction := 'bh', measures := ['mrr', 'ndcg'])
ranking.compare_by_user('by_user', baseline := 'b', margin := 0.5, measures := ['clicks', 'recall'])
ranking.gate('compared', confidence := 0.8)
ranking.check_rows('rec', 'truth', [3], history := 'history')
ranking.check('rec', 'truth', ks := [3, 5], history := 'history')
ranking.by_item('rec', 'truth', [3])
ranking.explain('rec', 'truth', 2, k := 3, ties := 'expected')
ranking.overlap('rec', [2, 4], baseline := 'a')
ranking.overlap_by_user('rec', [3])
ranking.beyond_accuracy('rec', [3], history := 'history', items := 'items')
ranking.beyond_accuracy_by_user('rec', [3], history := 'history', items := 'items')
ranking.fuse('rec')
ranking.fuse('rec', method := 'combmnz', weights := MAP {'a': 2, 'b': 1, 'c': 0.5})
ranking.intents_by_user('rec', 'intents', [3])
ranking.split('history', test_size := 2, folds := 2, gap := 1, cold_items := 'drop')
ranking.precision_recall_curve('rec', 'truth', 3)
ranking.interpolated_precision_curve('rec', 'truth')
ranking.functions()
ranking.check_codes()
(SELECT ranking.judge([1, 3, 2], [1, 2], [2, 0], unjudged := 'skip'))
(SELECT ranking.mean(rel), ranking.geometric_mean(rel) FROM truth)
(SELECT ranking.logloss(rel / 4, (rel > 1)::INTEGER) FROM truth)
(SELECT ranking.mae(rel, time), ranking.mse(rel, time) FROM truth)
(SELECT ranking.rmse(rel, time), ranking.r2(rel, time) FROM truth)
(SELECT ranking.catalog_coverage([rel], 20), ranking.gini_coverage([rel]) FROM truth)
(SELECT ranking.personalization([rel]) FROM truth)
"""
WRONG_CALLS = """
ranking.split('history', test_from := 0)
ranking.evaluate('rec', 'truth', [-1])
ranking.evaluate('rec', 'truth', [1], ties := 'x')
ranking.compare('rec', 'truth', [3], baseline := 'd')
(SELECT ranking.ndcg(judged, 4) FROM ranking.judged('rec', 'truth', 3))
"""
# Calls with Student's t, which is Arrow's in the library and SQL's in the script: these agree to 1e-12.
APPROXIMATE = ("ranking.compare", "ranking.gate", "ranking.abstention")
con = module_connection(MAKE)
script = module_connection(MAKE, is_script=True)


def answer(con: Con, call: str) -> list[str]:
    """Return the names of the columns, then the rows as texts, sorted."""
    digits = 11 if call.startswith(APPROXIMATE) else 17

    def text_of(row: Sequence[Any]) -> str:
        return str([float(f"{cell:.{digits}g}") if isinstance(cell, float) else cell for cell in row])

    result = con.execute(f"FROM {call}")
    return [str([name for name, *_ in result.description]), *sorted(map(text_of, result.fetchall()))]


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS.strip().splitlines())
def test_the_script_answers_as_the_library(con: Con, script: Con, call: str) -> None:
    rows = answer(con, call)
    assert len(rows) > 1
    assert answer(script, call) == rows


@pytest.mark.parametrize("call", WRONG_CALLS.strip().splitlines())
def test_the_script_refuses_as_the_library(con: Con, script: Con, call: str) -> None:
    assert refusal(script, f"FROM {call}") == refusal(con, f"FROM {call}")


@pytest.mark.parametrize("name", MEASURES)
def test_lists_judged_rankings_and_macros_give_one_value(con: Con, name: str) -> None:
    """Use a list with a repeated item and a NULL, and a truth with a grade that is not relevant."""
    truth = "MAP {1: 2, 2: 1, 4: 0.5, 6: 0}"
    ((of_lists, of_judged, of_macro, of_macro_of_lists),) = con.execute(f"""
        SELECT "{name}"(rec, {truth}, 3), "{name}"(judge(rec, {truth}), 3),
            ranking.{name}(ranking.judge(rec, [1, 2, 4, 6], [2, 1, 0.5, 0]), 3),
            ranking.{name}(rec, {truth}, 3)
        FROM (SELECT [1, 3, 2, 6, 2, NULL] AS rec)""").fetchall()
    assert of_judged == of_lists
    assert of_macro_of_lists == of_macro == pytest.approx(of_lists, abs=1e-12)


def test_the_command_and_python_answer_as_sql(con: Con, tmp_path: Path, capsys: Captured) -> None:
    files = [f"{tmp_path}/{name}.csv" for name in ("rec", "truth")]
    con.execute(f"COPY rec TO '{files[0]}'; COPY (SELECT * EXCLUDE (time) FROM truth) TO '{files[1]}'")
    assert main(["evaluate", *files, "-k", "2", "-m", "ndcg", "--format", "json", "--no-check"]) == 0
    rows = ranking_udfs.evaluate("rec", "truth", "ndcg", 2, con=con, check=False).fetchall()
    query = "FROM ranking.evaluate('rec', 'truth', [2], measures := 'ndcg')"
    expected = con.execute(query).fetchall()
    assert len(expected) == 3
    assert rows == expected
    assert [tuple(row.values()) for row in json.loads(capsys.readouterr().out)] == expected
