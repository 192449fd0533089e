"""Test gates: all users and segments are separate families."""

import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from statsmodels.stats import multitest

from ranking_udfs.command.cli import main
from ranking_udfs.command.gates import failing_rows, parse_condition
from tests.command import csv
from tests.conftest import Captured, Con, Patch, module_connection, rows

con = module_connection()


def compared(con: Con, draws: np.ndarray) -> None:
    """Compare two systems of draws x users x 2 values: `compared` has each draw as k, with three segments."""
    k, user, system = (index.ravel() for index in np.indices(draws.shape))
    columns = {"system": system, "k": k + 1, "userid": user, "segment": user % 3, "ndcg": draws.ravel()}
    con.register("by_segment", pa.table(columns))
    con.execute("""
        CREATE OR REPLACE VIEW by_user AS SELECT * EXCLUDE (segment) FROM by_segment;
        CREATE OR REPLACE TABLE compared AS
        FROM ranking.compare_by_user('by_user', baseline := '0')
        UNION ALL BY NAME FROM ranking.compare_by_user('by_segment', baseline := '0')
    """)
    assert con.execute("SELECT count(*) FROM compared").fetchone() == (4 * len(draws),)


@pytest.mark.parametrize("everybody", ["NULL", "'(all)'"])
def test_gate_corrects_all_users_separately_from_segments(con: Con, everybody: str) -> None:
    compared(con, np.random.default_rng(3).normal(0.2, 0.5, (4, 60, 2)))
    whole = f"SELECT * REPLACE (coalesce(segment::VARCHAR, {everybody}) AS segment) FROM compared"
    found = rows(con, f"WITH seen AS ({whole}) FROM ranking.gate('seen')")
    for is_all, size in ((True, 4), (False, 12)):
        family = [row for row in found if (row["segment"] in (None, "(all)")) is is_all]
        expected = multitest.multipletests([row["p"] for row in family], method="holm")[1]
        assert [row["p_adjusted"] for row in family] == pytest.approx([*expected])
        assert {row["method"] for row in family} == {f"t, holm of {size}"}


def test_each_condition_is_tested_and_fails_for_nan(con: Con, folder: Path, capsys: Captured) -> None:
    call = ["evaluate", "rec.csv", "truth.csv", "-m", "mrr", "--no-check"]
    assert main([*call, "--fail-if", "mrr < 2", "--fail-if", "mrr < 0"]) == 3
    assert capsys.readouterr().err == "ranking-udfs: failed: mrr < 2: 1 in mrr@10\n"
    rows = [{"k": 5, "value": number} for number in (math.nan, None, 0.2, 0.3)]
    for bound, failed in (("<", 3), ("<=", 4), (">", 2), (">=", 3)):
        assert len(failing_rows(con, parse_condition(f"mrr@5 {bound} 0.3"), rows)) == failed


def test_p_of_a_condition_is_corrected_over_all_rows(folder: Path, capsys: Captured) -> None:
    """Let each of three models lose 5 of 40 users: p is 0.0234, and Holm's 0.0701.

    t is 0.125 / sqrt((5 - 5**2 / 40) / 39 / 40) = 2.360, with 39 degrees of freedom.
    """
    csv("truth.csv", "userid,itemid", *(f"{u},0" for u in range(40)))
    for lost, name in enumerate(("old", "new0", "new1", "new2"), -1):
        csv(f"{name}.csv", "userid,itemid,score", *(f"{u},{int(u % 8 == lost)},1" for u in range(40)))
    models = [f"{name}={name}.csv" for name in ("old", "new0", "new1", "new2")]
    call = ["compare", *models, "truth.csv", "--baseline", "old", "--no-check", "-m", "mrr@1"]
    codes = [main([*call, "--fail-if", f"p < {p} AND difference < 0"]) for p in ("0.05", "0.071", "0.069")]
    assert (codes, capsys.readouterr().err.count("failed:")) == ([0, 3, 0], 1)


@pytest.mark.slow
def test_segments_do_not_lower_power_of_gate(con: Con) -> None:
    """Let 8 of 110 queries fall to 0; a correction over all rows finds this less often."""
    chance = np.random.default_rng(8)
    draws = np.repeat(chance.random((30, 110, 1)), 2, axis=2)
    for draw in draws:
        draw[chance.choice(110, 8, replace=False), 1] = 0
    compared(con, draws)

    def worse(columns: str, where: str = "true") -> int:
        """Count the draws whose row of all users is worse, of a gate over these columns and rows."""
        of_draws = (f"SELECT {columns} FROM compared WHERE k = {k} AND {where}" for k in range(1, 31))
        gated = [rows(con, f"WITH seen AS ({seen}) FROM ranking.gate('seen')") for seen in of_draws]
        return sum(
            any(row["verdict"] == "worse" and row.get("segment") is None for row in of) for of in gated
        )

    assert worse("* EXCLUDE (segment)", "segment IS NULL") == worse("*") >= 27
    assert worse("* EXCLUDE (segment)") < 24


@pytest.mark.slow
def test_worse_segment_is_named_in_each_format(tmp_path: Path, monkeypatch: Patch, capsys: Captured) -> None:
    """Let twenty users of one segment lose all, and those of the other win as much."""
    monkeypatch.chdir(tmp_path)
    csv("truth.csv", "userid,itemid", *(f"{u},1" for u in range(40)))
    csv("kinds.csv", "userid,kind", *(f"{u},{'ab'[u % 2]}" for u in range(40)))
    for wrong, name in enumerate(("old", "new")):
        csv(f"{name}.csv", "userid,itemid,score", *(f"{u},{1 + (u + wrong) % 2},1" for u in range(40)))
    call = ["old=old.csv", "new=new.csv", "truth.csv", "--baseline", "old", "--no-check", "-m", "mrr@1"]
    call += ["--segment", "kinds.csv:kind"]
    sentence = "Segment a: new is significantly worse than old in MRR@1 by 1 (p < 0.0001)."
    for form in ("table", "markdown", "html", "latex", "csv", "json"):
        assert main(["compare", *call, "--format", form, "--fail-if", "worse"]) == 0
        out, err = capsys.readouterr()
        text = err if form in ("csv", "json") else out.partition("<details>")[0]
        assert sentence in text.replace("\\<", "<").replace("&lt;", "<"), form
    assert main(["compare", *call, "--fail-if", "segments worse"]) == 3
    assert "failed: segments worse: new in mrr@1, segment a (1 of 2 comparisons)" in capsys.readouterr().err
    assert main(["report", *call, "--output", "page.html"]) == 0
    assert "Segment a: new is significantly worse than old in MRR@1 by 1" in Path("page.html").read_text()
