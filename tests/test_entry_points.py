"""A measure has one value of lists, of judged rankings and in macros; other tests say that it is right."""

from pathlib import Path

import pytest

from ranking_udfs.measures.registry import MEASURES
from tests.conftest import Con, module_connection

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
