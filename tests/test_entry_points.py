"""Library, command and Python give the same answers; other tests say that these are right."""

import json
from pathlib import Path

import pytest

import ranking_udfs
from ranking_udfs.command.cli import main
from ranking_udfs.measures.registry import MEASURES
from tests.conftest import Captured, Con, module_connection

MAKE = (Path(__file__).parent / "tables/entry_points.sql").read_text(encoding="utf-8")
con = module_connection(MAKE)


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
