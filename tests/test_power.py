"""Test the power of a golden set: the exact sign test without a run, the t-test with one or two."""

import json
import math
from itertools import product
from math import comb
from typing import Any

import numpy as np
import pytest
from statsmodels.stats.power import TTestPower

from ranking_udfs.evaluation.power import needed_users, power_of, smallest_difference
from tests.command import Fails, Run, csv

USERS = 40


@pytest.fixture
def golden(folder: object) -> None:
    """Write forty users with one relevant item each, and two runs that have it at some rank."""
    csv("golden.csv", "userid,itemid", *(f"{u},0" for u in range(USERS)))
    for name, step in (("a", 3), ("b", 7)):
        lists = product(range(USERS), range(9))
        rows = (f"{u},{0 if i == u * step % 11 else i + 100},{-i}" for u, i in lists)
        csv(f"{name}.csv", "userid,itemid,score", *rows)


def powers(run: Run, *arguments: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(run("power", *arguments, "-q", "--format", "json"))
    return rows


def slow_power(users: int, gains: float, losses: float, alpha: float) -> float:
    """Sum the chances of all numbers of gains and losses whose sign test shows that gains are more."""
    total = 0.0
    for won, lost in product(range(users + 1), repeat=2):
        tosses = won + lost
        p = 2 * sum(comb(tosses, heads) for heads in range(won, tosses + 1)) / 2**tosses
        if tosses <= users and won > lost and p < alpha:
            ways = comb(users, won) * comb(users - won, lost)
            total += ways * gains**won * losses**lost * max(1 - gains - losses, 0) ** (users - tosses)
    return total


@pytest.mark.parametrize(
    "given", [(10, 0.5, 0.1, 0.05), (25, 0.6, 0.4, 0.05), (30, 0.3, 0.05, 0.1), (12, 0.7, 0.0, 0.01)]
)
def test_power_of_sign_test_is_sum_over_outcomes(given: tuple[int, float, float, float]) -> None:
    assert power_of(*given) == pytest.approx(slow_power(*given), abs=1e-12)


def test_sign_test_needs_six_gains_without_losses() -> None:
    """Note that 2 / 2^6 is below 0.05 and 2 / 2^5 is not; six gains of seven are too few: 16 / 128."""
    assert smallest_difference(5, 0, 0.05) is None
    assert smallest_difference(6, 0, 0.05) == pytest.approx(0.8 ** (1 / 6), abs=1e-12)
    assert needed_users(1, 0, 0.05) == 6
    assert power_of(7, 0.9, 0, 0.05) == pytest.approx(7 * 0.9**6 * 0.1 + 0.9**7, abs=1e-12)
    assert (power_of(5, 1, 0, 2 / 2**5), power_of(5, 1, 0, 2 / 2**5 + 1e-9)) == (0, 1)  # p = alpha


@pytest.mark.parametrize(("difference", "losses"), [(0.1, 0.05), (0.2, 0.1), (0.08, 0.0)])
def test_needed_users_have_power_and_one_less_has_not(difference: float, losses: float) -> None:
    users = needed_users(difference, losses, 0.05)
    assert users is not None
    assert power_of(users, losses + difference, losses, 0.05) >= 0.8
    assert power_of(users - 1, losses + difference, losses, 0.05) < 0.8
    smallest = smallest_difference(users, losses, 0.05)
    assert smallest is not None
    assert smallest <= difference


@pytest.mark.usefixtures("golden")
def test_truth_alone_has_power_of_hit_rate(run: Run) -> None:
    rows = powers(run, "golden.csv", "--difference", "0.9", "--confidence", "0.9")
    assert [(row["measure"], row["users"], row["losses"]) for row in rows] == [
        ("hit_rate", USERS, losses) for losses in (0, 0.05, 0.1, 0.2)
    ]
    for row in rows:
        assert row["minimum_detectable_effect"] == smallest_difference(USERS, row["losses"], 0.1)
        assert row["users_needed"] == needed_users(0.9, row["losses"], 0.1)
    # At 0.95 each: five of five have a chance of 0.77, all of six or seven less; seven of eight have 0.94.
    assert rows[1]["users_needed"] == 8
    assert rows[2]["users_needed"] is None  # more gain and lose than there are


@pytest.mark.slow
@pytest.mark.usefixtures("golden")
@pytest.mark.parametrize(
    ("option", "correlation"), [("", 0.5), ("--correlation 0", 0), ("--correlation 0.9", 0.9)]
)
def test_one_run_is_close_to_statsmodels(run: Run, option: str, correlation: float) -> None:
    """Allow 0.3 % between the sum of two quantiles and the noncentral t, and one user."""
    call, exact = ["a.csv", "golden.csv", "-m", "mrr@5", *option.split()], TTestPower()
    ranks = [1 + u * 3 % 11 for u in range(USERS)]
    variance = np.var([1 / rank if rank <= 5 else 0 for rank in ranks], ddof=1)
    spread = math.sqrt(2 * variance * (1 - correlation))
    for difference in (0.04, 0.1, 0.2, 0.4):
        (row,) = powers(run, *call, "--difference", str(difference))
        users = exact.solve_power(difference / spread, alpha=0.05, power=0.8)
        assert abs(row["users_needed"] - math.ceil(users)) <= 1
    assert row["standard_deviation"] == pytest.approx(spread, rel=1e-12)
    effect = exact.solve_power(nobs=USERS, alpha=0.05, power=0.8)
    assert row["minimum_detectable_effect"] / spread == pytest.approx(effect, rel=3e-3)
    assert (row["correlation"], row["confidence"]) == (correlation, 0.95)


@pytest.mark.usefixtures("golden")
def test_two_runs_have_power_of_their_comparison(run: Run) -> None:
    files = ["a=a.csv", "b=b.csv", "golden.csv", "-m", "mrr,hit_rate@3", "-k", "2,5"]
    compared = json.loads(run("compare", *files, "--correction", "none", "-q", "--format", "json"))
    rows = powers(run, *files)
    names = ("baseline", "system", "measure", "k", "users", "minimum_detectable_effect")
    assert not {"losses", "correlation"} & {*rows[0]}
    assert [[row[name] for name in names] for row in rows] == [[row[n] for n in names] for row in compared]
    for row, other in zip(rows, compared, strict=True):
        assert row["standard_deviation"] == pytest.approx(other["standard_error"] * math.sqrt(USERS))


SEE = " (see ranking-udfs power --help)"
ALONE = "without REC, only hit_rate is available, at any cutoff; add a run or remove {}" + SEE
# fmt: off
ERRORS = [
    ("golden.csv -m ndcg", ALONE.format("-m ndcg")),
    ("golden.csv -m hit_rate@5", ALONE.format("-m hit_rate@5")),
    ("golden.csv -k 5", ALONE.format("-k")),
    ("golden.csv --baseline a", ALONE.format("--baseline")),
    ("golden.csv --correlation 0", ALONE.format("--correlation")),
    ("golden.csv --difference 2", f"--difference must be 1 or less without REC, got 2{SEE}"),
    ("a.csv golden.csv -k 0", "-k must be 1 or more, got 0"),
    ("a=a.csv b=b.csv golden.csv --correlation 0.2",
     "--correlation applies to one run, since the differences of several include it; remove it"),
    ("a.csv golden.csv --baseline a", "there must be two models or more, as in a=a.csv b=b.csv, got one"),
    ("a.csv golden.csv --correlation 1",
     f"Invalid value for '--correlation': must be a number of 0 or more and below 1, got '1'{SEE}"),
    ("huge.csv", "TRUTH must have 100000 users or fewer without REC, got 100001: add a run"),
]
# fmt: on


@pytest.mark.usefixtures("golden")
@pytest.mark.parametrize(("arguments", "rule"), ERRORS)
def test_wrong_calls_of_power_are_errors(fails: Fails, arguments: str, rule: str) -> None:
    if arguments == "huge.csv":
        csv("huge.csv", "userid,itemid", *(f"{u},0" for u in range(100_001)))
    error = fails(2, "power", *arguments.split())
    assert error == (rule if rule.startswith("Invalid") else f"power: {rule}")


@pytest.mark.usefixtures("golden")
def test_randomization_test_of_compare_is_the_sign_test(run: Run) -> None:
    """Expect 2 * (8 + 1) / 2^8 for seven gains and one loss."""
    for name, hits in {"a": [*range(20), 30], "b": range(27)}.items():
        csv(f"{name}.csv", "userid,itemid,score", *(f"{u},{0 if u in hits else 1},1" for u in range(USERS)))
    arguments = ["a=a.csv", "b=b.csv", "golden.csv", "-m", "hit_rate", "-k", "1", "--format", "json", "-q"]
    (row,) = json.loads(run("compare", *arguments, "--test", "randomization", "--no-check"))
    assert (row["wins"], row["losses"]) == (7, 1)
    assert row["p"] == pytest.approx(2 * 9 / 2**8, abs=1e-15)
