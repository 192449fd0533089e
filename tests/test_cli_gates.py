"""`--fail-if` as pipelines use it: what stops them, what it says, and what it does not understand."""

# ruff: noqa: F811  (fixtures that are imported, and are arguments)

import json
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from ranking_udfs.command.cli import main
from tests.command import Fails, con, fails, folder, registered, run  # noqa: F401

# Of ten users with one relevant item each, at which rank a model has it; nothing for the last two of bert.
RANKS = {"als": [1] * 4 + [2] * 6, "bert": [1] * 8, "pop": [4] * 10}
MODELS = [f"{name}={name}.csv" for name in RANKS]
MEASURES = ["-m", "mrr,recall@2", "-k", "4"]
# The means: mrr 0.7, 0.8, 0.25; recall@2 1, 0.8, 0.


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    for name, ranks in RANKS.items():
        rows = (f"{u},{0 if at == rank else at},{-at}" for u, rank in enumerate(ranks) for at in range(1, 5))
        Path(f"{name}.csv").write_text("\n".join(["userid,itemid,score", *rows]) + "\n")
    Path("relevant.csv").write_text("userid,itemid\n" + "".join(f"{user},0\n" for user in range(10)))
    Path("users.csv").write_text(
        "userid,country\n" + "".join(f"{u},{'SE' if u < 5 else 'NO'}\n" for u in range(10))
    )


Stops = Callable[..., list[str]]


@pytest.fixture
def stops(capsys: pytest.CaptureFixture[str]) -> Stops:
    """Run a command with conditions; return what it says failed, in agreement with its exit code."""

    def run_it(command: str, condition: str, *more: str) -> list[str]:
        code = main([command, *MODELS, "relevant.csv", *MEASURES, "--fail-if", condition, "-q", *more])
        out, err = capsys.readouterr()
        assert out
        lines = err.splitlines()
        assert all(line.startswith("ranking-udfs: failed: ") for line in lines)
        assert code == (3 if lines else 0)
        return [line.removeprefix("ranking-udfs: failed: ") for line in lines]

    return run_it


def test_every_code_of_a_problem_may_be_named(stops: Stops, con: duckdb.DuckDBPyConnection) -> None:
    query = "SELECT code FROM ranking_problem_codes() WHERE can_be_problem AND NOT needs_history"
    codes = {code for (code,) in con.execute(query).fetchall()} - {"not_in_rec", "one_system_only"}
    assert len(codes) > 20
    assert stops("evaluate", f"problems({', '.join(codes)})", "--allow-empty") == []


def test_p_is_corrected_over_all_that_the_gate_looks_at(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Systems, segments, measures and k; what it does not look at stays as it was."""
    arguments = ["compare", *MODELS, "relevant.csv", "-m", "mrr,recall", "-k", "2,4", "--baseline", "als"]
    arguments += ["--segment", "users.csv:country", "--format", "json", "-q"]

    def rows(*more: str) -> list[dict[str, float | str | None]]:
        main([*arguments, *more])
        found: list[dict[str, float | str | None]] = json.loads(capsys.readouterr().out)
        return found

    def holm(ps: list[float]) -> list[float]:
        order = sorted(range(len(ps)), key=ps.__getitem__)
        adjusted, most = [0.0] * len(ps), 0.0
        for place, i in enumerate(order):
            most = max(most, min(1, (len(ps) - place) * ps[i]))
            adjusted[i] = most
        return adjusted

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
        expected = holm([float(row["p"] or 0) for row in looked])
        for row, p in zip(looked, expected, strict=True):
            assert row["p_adjusted"] == pytest.approx(p, abs=1e-12)
            assert str(row["method"]).endswith(f", holm of {len(looked)}")
        others = [row for row in usual if not seen(row)]
        assert [row for row in found if not seen(row)] == others


@pytest.mark.parametrize("condition", ["mrr@0 worse", "worse", "mrr@0 < 0.1", "pop:mrr@0 > 0.1"])
def test_nothing_passes_at_0(stops: Stops, condition: str) -> None:
    (line,) = stops("compare", condition, "--baseline", "als", "-m", "mrr@0")
    assert line == f"{condition}: at k = 0 there is nothing to look at"
