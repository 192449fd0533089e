"""`--fail-if` as pipelines use it: what stops them, what it says, and what it does not understand."""

import json
from typing import Any

import duckdb
import pytest
from statsmodels.stats.multitest import multipletests

from ranking_udfs.command.cli import main
from tests.command import RANKS

pytestmark = pytest.mark.usefixtures("models")
MODELS = [f"{name}={name}.csv" for name in RANKS]


def test_every_code_of_a_problem_may_be_named(
    capsys: pytest.CaptureFixture[str], of_command: duckdb.DuckDBPyConnection
) -> None:
    query = "SELECT code FROM ranking_problem_codes() WHERE can_be_problem AND NOT needs_history"
    codes = {code for (code,) in of_command.execute(query).fetchall()} - {"not_in_rec", "one_system_only"}
    assert len(codes) > 20
    arguments = [*MODELS, "relevant.csv", "-m", "mrr", "-q", "--allow-empty"]
    assert main(["evaluate", *arguments, "--fail-if", f"problems({', '.join(codes)})"]) == 0
    assert capsys.readouterr().err == ""


def test_p_is_corrected_over_all_that_the_gate_looks_at(capsys: pytest.CaptureFixture[str]) -> None:
    """Systems, segments, measures and k; what it does not look at stays as it was."""
    arguments = ["compare", *MODELS, "relevant.csv", "-m", "mrr,recall", "-k", "2,4", "--baseline", "als"]
    arguments += ["--segment", "users.csv:country", "--format", "json", "-q", "--no-check"]

    def rows(*more: str) -> list[dict[str, Any]]:
        main([*arguments, *more])
        found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
        return found

    usual = rows()
    assert len(usual) == 2 * 2 * 2 * 3
    for condition, seen in (
        ("worse", lambda row: True),
        ("mrr worse", lambda row: row["measure"] == "mrr"),
        ("pop:mrr@4 worse", lambda row: (row["system"], row["measure"], row["k"]) == ("pop", "mrr", 4)),
        ("mrr@4 worse,recall@2 same", lambda row: (row["measure"], row["k"]) in (("mrr", 4), ("recall", 2))),
        ("mrr < 0.1", lambda row: False),
    ):
        found = rows("--fail-if", condition)
        looked = [row for row in found if seen(row)]
        expected = multipletests([row["p"] for row in looked], method="holm")[1] if looked else []
        for row, p in zip(looked, expected, strict=True):
            assert row["p_adjusted"] == pytest.approx(p, abs=1e-12)
            assert row["method"].endswith(f", holm of {len(looked)}")
        others = [row for row in usual if not seen(row)]
        assert [row for row in found if not seen(row)] == others
