"""Test runs over time: SciPy's paired t-tests, Holm's correction of statsmodels, and wrong runs."""

import json
import math
import os
import random
import re
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from ranking_udfs import register
from ranking_udfs.command.cli import main
from ranking_udfs.command.tracking import OTHERS, tracked_rows
from ranking_udfs.evaluation.queries import Request
from ranking_udfs.measures.grammar import parse_measure
from tests.command import Fails, Run, csv
from tests.conftest import Patch, is_close

WEEKS = 12
FELL = 8  # the week in which every third query has its item three ranks lower
USERS = 60


def ranks() -> dict[int, list[int]]:
    """Draw the rank of each user's one item, by week."""
    draw, of_weeks = random.Random(71), {}
    usual = [draw.choice([1, 1, 2, 3, 5]) for _ in range(USERS)]
    for week in range(1, WEEKS + 1):
        usual = [min(6, max(1, rank + draw.choice([-1, *[0] * 12, 1]))) for rank in usual]
        of_weeks[week] = [rank + 3 * (week == FELL and user % 3 == 0) for user, rank in enumerate(usual)]
    return of_weeks


@pytest.fixture(scope="module")
def weeks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder with all weeks, and the stored runs of four: some in Parquet, some in CSV."""
    folder = tmp_path_factory.mktemp("weeks")
    with Patch.context() as patch:
        patch.chdir(folder)
        csv("golden.csv", "userid,itemid", *(f"{user},x" for user in range(USERS)))
        for week, of_users in ranks().items():
            lists = ((u, i, "x" if i == rank else i) for u, rank in enumerate(of_users) for i in range(1, 10))
            csv(f"week{week}.csv", "userid,itemid,score", *(f"{u},{item},{-i}" for u, i, item in lists))
        os.mkdir("runs")
        for week in range(FELL - 3, FELL + 1):
            assert main(stored_call(week)) == 0
    return folder


@pytest.fixture
def stored(weeks: Path, folder: Path) -> None:
    shutil.copytree(weeks, folder, dirs_exist_ok=True)


def stored_call(week: int, *options: str, truth: str = "golden.csv", measures: str = "mrr,ndcg") -> list[str]:
    """Return the call that stores the run of a week."""
    path = f"runs/week{week}.{'csv' if week % 2 else 'parquet'}"
    call = f"evaluate week{week}.csv {truth} -m {measures} -k 3,9 --by-user {path} --manifest -q"
    return [*call.split(), *options]


def tracked(run: Run, *arguments: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(run("track", *arguments, "-q", "--format", "json"))
    return rows


FILES = [f"week{week}.csv" for week in range(WEEKS, 0, -1)]


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("measure", ["mrr", "first_hit_rank"])
def test_changes_are_paired_t_tests_with_holm_over_all_pairs(run: Run, measure: str) -> None:
    """Name the runs in reverse order; the lowest rank of the first hit is best."""
    is_mrr = measure == "mrr"
    rows = tracked(run, *FILES, "golden.csv", "-m", measure, "-k", "9")
    values = {week: np.array(of_users, float) ** (-1 if is_mrr else 1) for week, of_users in ranks().items()}
    assert [row["run"] for row in rows] == [f"week{week}" for week in values]
    means = {week: own.mean() for week, own in values.items()}
    best = (max if is_mrr else min)(means, key=lambda week: means[week])
    tested = dict.fromkeys([(week, week - 1) for week in values if week > 1])
    tested |= dict.fromkeys((week, best) for week in values if week != best)
    alone = [float(stats.ttest_rel(values[week], values[other]).pvalue) for week, other in tested]
    unseen = [1.0] * (math.comb(WEEKS, 2) - len(tested))  # pairs that could have been those with the best
    p = dict(zip(tested, multipletests(alone + unseen, method="holm")[1], strict=False))
    for week, row in enumerate(rows, 1):
        assert row["best"] == f"week{best}"
        assert is_close(row["mean"], means[week], 1e-12)
        half = stats.t.ppf(0.975, USERS - 1) * stats.sem(values[week])
        if is_mrr:  # whose interval lies in 0 to 1, as it is
            assert is_close(row["high"], means[week] + half, 1e-9)
        for kind, other in (("previous", week - 1), ("best", best)):
            if (week, other) not in p:
                assert (row[f"{kind}_difference"], row[f"{kind}_p"]) == (None, None)
                continue
            assert is_close(row[f"{kind}_difference"], means[week] - means[other], 1e-12)
            assert is_close(row[f"{kind}_p"], p[week, other], 1e-9)
            verdict = "worse" if (means[week] < means[other]) == is_mrr else "better"
            assert row[f"{kind}_verdict"] == (verdict if p[week, other] < 0.05 else "unclear")
    assert [row["run"] for row in rows if row["previous_verdict"] == "worse"] == [f"week{FELL}"]


@pytest.mark.usefixtures("stored")
def test_stored_runs_give_rows_of_their_files(run: Run) -> None:
    measured = tracked(run, *FILES[-FELL : -FELL + 4], "golden.csv", "-m", "mrr,ndcg", "-k", "3,9")
    assert tracked(run, "runs") == measured
    chosen = [row for row in measured if (row["measure"], row["k"]) == ("ndcg", 9)]
    for row, other in zip(tracked(run, "runs", "-m", "ndcg", "-k", "9"), chosen, strict=True):
        corrected = {name: row[name] for name in row if name.endswith(("_p", "_verdict"))}  # for fewer
        assert row == other | corrected


@pytest.mark.usefixtures("stored")
def test_text_names_runs_that_fell(run: Run) -> None:
    text = run("track", "runs", "-m", "mrr", "-k", "9", "--unit", "query")
    sentences = re.findall(r"\w+ fell: significantly worse in \S+ by ", text)
    assert sentences == [f"week{FELL} fell: significantly worse in MRR@9 by "]
    assert "Paired over queries" in text
    run("track", "runs", "-m", "mrr", "--output", "track.html")
    assert Path("track.html").read_text(encoding="utf-8").count("<svg") == 2  # at 3 and at 9
    csv("one.csv", "userid,itemid", "0,x")
    options = ["-m", "mrr", "-q", "--confidence", "0.97", "--correction", "bh"]
    text = " ".join(run("track", "week1.csv", "week2.csv", "golden.csv", *options).split())
    assert "No run is significantly worse than the previous one." in text
    how = "97% confidence interval of each comparison; paired t-test, Benjamini-Hochberg-adjusted"
    assert how in text
    assert "No comparison is possible" in run("track", "week1.csv", "week2.csv", "one.csv", "-m", "mrr", "-q")


@pytest.mark.slow
@pytest.mark.usefixtures("stored")
def test_run_measured_differently_is_refused(run: Run, fails: Fails) -> None:
    csv("users.csv", "userid", *map(str, range(USERS + 1)))
    csv("other.csv", "userid,itemid", *(f"{user},{'x' if user else 'y'}" for user in range(USERS)))
    alike = "it was measured with {} and runs/week5.csv with {}: measure both alike"
    others = "it was measured by {} than runs/week5.csv: measure it again"
    for call, rule in (
        (stored_call(6, "--min-grade", "1"), alike.format("min_grade = 1.0", "none")),
        (stored_call(6, "--ties", "expected"), alike.format("ties = expected", "item")),
        (stored_call(6, "--users", "users.csv"), others.format("other users")),
        (stored_call(6, truth="other.csv"), others.format("another truth")),
        (stored_call(6, measures="mrr"), "it has no NDCG@3: choose other measures, or measure it again"),
    ):
        run(*call)
        assert fails(2, "track", "runs") == f"track: runs/week6.parquet: {rule}"
    run("track", "runs", "-m", "mrr")
    assert "runs/week5.csv: it has no NDCG@5" in fails(2, "track", "runs", "-m", "ndcg", "-k", "5")
    assert "runs/week5.csv: it has no Recall@10" in fails(2, "track", "runs", "-m", "recall")


@pytest.mark.usefixtures("stored")
def test_run_with_other_users_or_models_is_refused(run: Run, fails: Fails) -> None:
    csv_of_7 = Path("runs/week7.csv")
    csv_of_7.write_text(csv_of_7.read_text().replace("\n7,", "\n'7,"))
    rule = "runs/week7.csv: all runs must have the same users, got '7, missing from runs/week5.csv"
    assert fails(2, "track", "runs", "-m", "mrr") == f"track: {rule}"
    arguments = ["a=week5.csv", "b=week2.csv", "golden.csv", "-m", "mrr", "--by-user", "runs/week6.parquet"]
    run("evaluate", *arguments, "--manifest", "-q")
    rule = "runs/week6.parquet: it must be of one model, got a, b: write a file for each"
    assert fails(2, "track", "runs", "-m", "mrr", "-k", "10").startswith("track: runs/week5.csv: it has no")
    assert fails(2, "track", "runs", "-m", "mrr", "-k", "3") == f"track: {rule}"
    Path("runs/week6.csv").touch()
    rule = "track: there must be one file of each run, got runs/week6.csv and runs/week6.parquet"
    assert fails(2, "track", "runs") == rule
    for name in ("week6.csv", "week6.parquet", "week7.manifest.json"):
        os.remove(f"runs/{name}")
    assert fails(1, "track", "runs").startswith("runs/week7.csv: no file with a manifest")


@pytest.mark.usefixtures("stored")
def test_file_that_is_no_run_is_refused(run: Run, fails: Fails) -> None:
    for output in ("runs/track.csv", "runs/../runs/track.json"):
        rule = f"track: --output must be outside of runs, the folder of runs, got {output}"
        assert fails(2, "track", "runs", "--output", output) == rule
    run("track", "runs", "--output", "runs/track.md")
    arguments = ["week5.csv", "golden.csv", "-m", "mrr", "-k", "3,9", "--manifest", "-q"]
    run("evaluate", *arguments, "--output", "runs/means.csv")
    rule = "track: runs/means.csv: it must have userid and k, as evaluate --by-user writes: remove it"
    assert fails(2, "track", "runs") == rule
    run("evaluate", *arguments, "--by-user", "runs/week4.json")
    rule = "track: runs must be .parquet or .csv, got runs/week4.json: write it again, or remove it"
    assert fails(2, "track", "runs") == rule


@pytest.mark.usefixtures("stored")
def test_other_duckdb_version_is_not_reported_as_other_truth(fails: Fails) -> None:
    path = Path("runs/week7.manifest.json")
    made = json.loads(path.read_text())
    made["version"] = made["version"].replace(duckdb.__version__, "1.4.0")
    made["inputs"][-1]["fingerprint"] = "1"
    path.write_text(json.dumps(made))
    rule = f"with DuckDB = 1.4.0 and runs/week5.csv with {duckdb.__version__}: measure both alike"
    assert fails(2, "track", "runs") == f"track: runs/week7.csv: it was measured {rule}"


@pytest.mark.slow
def test_equal_runs_rarely_get_a_verdict() -> None:
    """Draw half a year 50 times; the standard error is 1.5. Without the unseen pairs, 7 draws have one."""
    con, chance = register(duckdb.connect()), np.random.default_rng(71)
    request = Request([replace(parse_measure("first_hit_rank"), cuts=(10,))], [10])
    work: Any = SimpleNamespace(con=con, request=request)
    names, count = [f"week{week}" for week in range(26)], 0
    ids = {"system": np.repeat(names, USERS), "userid": np.tile(np.arange(USERS), 26), "k": 10}
    for _ in range(50):
        values = chance.normal(0, 1, (26, USERS)) + chance.normal(0, 1, USERS)
        con.register("by_user", pd.DataFrame({**ids, "first_hit_rank": values.ravel()}))
        verdicts = {row[f"{other}_verdict"] for row in tracked_rows(work, names) for other in OTHERS}
        count += not verdicts <= {"unclear", None}
    assert count <= 50 * 0.05 + 2 * 1.5


# fmt: off
NO_SERIES = [
    ("empty", "requires two or more runs, got 0"),
    ("week5.csv golden.csv", "requires two or more runs, got 1"),
    ("week5.csv", "the one file must be a folder of runs, as evaluate --by-user FILE --manifest writes them, "
                  "got week5.csv; or add TRUTH after the runs"),
    ("empty --min-grade 2", "--min-grade must be left out, as runs in a folder have been measured, got 2.0"),
    ("week1.csv week2.csv golden.csv -k 0", "-k must be 1 or more, got 0"),
    ("empty -m judged_share", "--measures must say which of two models is better, got judged_share"),
]
# fmt: on


@pytest.mark.usefixtures("stored")
def test_wrong_calls_of_track_are_errors(fails: Fails) -> None:
    os.mkdir("empty")
    for arguments, rule in NO_SERIES:
        assert fails(2, "track", *arguments.split()) == f"track: {rule}"
