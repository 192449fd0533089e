"""The benchmarks run, at toy size, and what they compare agrees."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.benchmark import compare, lists, measures, scaling, startup
from tests.benchmark.contenders import CONTENDERS
from udfs.measures.registry import LIST_MEASURES, MEASURES

# By module; without ranx and RecTools, which take long to import.
PEERS = {
    "polars": "Polars",
    "pytrec_eval": "pytrec-eval-terrier",
    "ir_measures": "ir-measures",
    "sklearn": "scikit-learn",
}


def rows_of(printed: str) -> dict[str, list[str]]:
    """The rows of a Markdown table by their first cell, which must be different."""
    rows = [re.split(r" *\| *", line.strip("| ")) for line in printed.splitlines() if line.startswith("| ")]
    named = {first: others for first, *others in rows[2:]}
    assert len(named) == len(rows) - 2
    return named


def peers() -> list[str]:
    pandas = find_spec("pandas") is not None
    return [name for module, name in PEERS.items() if find_spec(module) and (pandas or name == "Polars")]


@pytest.mark.parametrize(
    ("ids", "cut_offs", "names"),
    [
        ("BIGINT", "5,10", ["udfs", "SQL by hand", "floor"]),
        # Beyond the lists, and where the SQL by hand has its other plan.
        ("VARCHAR", "3,50", ["udfs", "SQL by hand", "floor", *peers()]),
        ("UUID", "5", ["udfs", "SQL by hand"]),
    ],
)
def test_all_contenders_agree(
    ids: str, cut_offs: str, names: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = f"--recs 600 --per-user 20 --truth 5 --items 60 --repeat 1 --k {cut_offs} --ids {ids}"
    code = compare.main([*options.split(), "--cache", str(tmp_path), "--contenders", ",".join(names)])
    printed = capsys.readouterr().out
    assert code == 0, printed
    assert list(rows_of(printed)) == names
    assert "failed" not in printed
    assert printed.count(" agree (") == len(set(names) - {"udfs", "floor"})


def test_a_contender_that_cannot_be_imported_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "polars.py").write_text("raise ImportError('no polars here')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    options = ["--recs", "100", "--repeat", "1", "--cache", str(tmp_path), "--contenders", "Polars"]
    compare.main(options)
    assert "no polars here" in rows_of(capsys.readouterr().out)["Polars"][0]


def test_a_number_that_differs_is_an_error_unless_declared() -> None:
    numbers = {("recall", 10): 0.5, ("ndcg", 10): 0.25}
    runs = {"udfs": [compare.Run(numbers=numbers)]}
    runs["Polars"] = [compare.Run(numbers=numbers | {("ndcg", 10): 0.26})]
    ((text, undeclared),) = compare.disagreements(runs)
    assert "ndcg differs by up to 0.01" in text
    assert undeclared


def test_measures_has_a_line_per_measure(capsys: pytest.CaptureFixture[str]) -> None:
    assert measures.main(["--rows", "16", "--repeat", "1"]) == 0
    assert set(rows_of(capsys.readouterr().out)) == {*MEASURES, *LIST_MEASURES}


def test_lists_compares_each_query(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--recs", "500", "--repeat", "1", "--ids", "VARCHAR", "--cache", str(tmp_path)]
    assert lists.main(options) == 0
    assert len(rows_of(capsys.readouterr().out)) == 7


def test_scaling_has_a_ratio_for_each_case(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--recs", "1000", "--repeat", "1", "--contender", "floor", "--cache", str(tmp_path)]
    assert scaling.main(options) == 0
    assert len(rows_of(capsys.readouterr().out)) == 7


def test_startup_ends_with_registering(capsys: pytest.CaptureFixture[str]) -> None:
    assert startup.main(["--repeat", "1"]) == 0
    assert "udfs.register(con)" in list(rows_of(capsys.readouterr().out))[-1]


def test_every_contender_says_what_it_runs_on() -> None:
    assert all(contender.packages for contender in CONTENDERS.values())
