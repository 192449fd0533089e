"""One call of each entry point on small tables: all entry points give the same answer.

Other tests say that the numbers are right.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import ranking_udfs
from ranking_udfs.command.cli import main
from ranking_udfs.measures.registry import MEASURES
from tests.conftest import Captured, Con, file_text, module_connection, refusal, text_rows

MAKE = file_text("tables/entry_points.sql")


CALLS, WRONG = ([one for (one,) in text_rows(name)] for name in ("calls of SQL", "wrong calls of SQL"))


# Functions with Student's t, whose last digits differ between the editions.
APPROXIMATE = ("ranking.compare", "ranking.gate", "ranking.abstention", "ranking.agreement")


def answer(con: Con, call: str, digits: int = 17) -> list[str]:
    """Return the names of the columns, then the rows as text, sorted, numbers with so many digits."""

    def written(row: Sequence[Any]) -> str:
        return str([float(f"{one:.{digits}g}") if isinstance(one, float) else one for one in row])

    result = con.execute(f"FROM {call}")
    return [str([name for name, *_ in result.description]), *sorted(map(written, result.fetchall()))]


con = module_connection(MAKE)
script = module_connection(MAKE, is_script=True)


@pytest.mark.parametrize("call", CALLS)
def test_the_script_answers_as_the_library(con: Con, script: Con, call: str) -> None:
    # Student's t is Arrow's there and SQL's here, which agree to 1e-12.
    digits = 11 if call.startswith(APPROXIMATE) else 17
    found = answer(con, call, digits)
    assert len(found) > 1
    assert answer(script, call, digits) == found


@pytest.mark.parametrize("call", WRONG)
def test_the_script_refuses_as_the_library(con: Con, script: Con, call: str) -> None:
    assert refusal(script, f"FROM {call}") == refusal(con, f"FROM {call}")


@pytest.mark.parametrize("name", MEASURES)
def test_lists_judged_rankings_and_macros_give_one_value(con: Con, name: str) -> None:
    """The lists have a repeated item and a NULL; the truth has a grade that is not relevant."""
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
    found = ranking_udfs.evaluate("rec", "truth", "ndcg", 2, con=con, check=False)
    query = "FROM ranking.evaluate('rec', 'truth', [2], measures := 'ndcg')"
    expected = con.execute(query).fetchall()
    assert len(expected) == 3
    assert found.fetchall() == expected
    assert [tuple(row.values()) for row in json.loads(capsys.readouterr().out)] == expected
