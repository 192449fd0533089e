"""Test steps: SciPy's t-tests with statsmodels' correction, and the natural order of names."""

import json
import random
import re
from itertools import pairwise

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from tests.command import Run, csv
from tests.conftest import Con, is_close, rows

WEEKS = 12
FELL = 10  # the week in which every third user's item is three ranks lower
USERS = 60


def ranks() -> dict[int, np.ndarray]:
    """Draw the rank of each user's one item, by week."""
    draw, of_weeks = random.Random(71), {}
    usual = [draw.choice([1, 1, 2, 3, 5]) for _ in range(USERS)]
    for week in range(1, WEEKS + 1):
        usual = [min(6, max(1, rank + draw.choice([-1, *[0] * 12, 1]))) for rank in usual]
        lower = [rank + 3 * (week == FELL and user % 3 == 0) for user, rank in enumerate(usual)]
        of_weeks[week] = np.array(lower, float)
    return of_weeks


@pytest.mark.parametrize("measure", ["mrr", "first_hit_rank"])
def test_steps_are_paired_t_tests_with_holm_over_all_steps(run: Run, measure: str) -> None:
    """Name the files in reverse order; the lowest rank of the first hit is best."""
    is_mrr, weeks = measure == "mrr", ranks()
    csv("golden.csv", "userid,itemid", *(f"{user},x" for user in range(USERS)))
    for week, by_user in weeks.items():
        lists = ((u, i, "x" if i == rank else i) for u, rank in enumerate(by_user) for i in range(1, 10))
        csv(f"week{week}.csv", "userid,itemid,score", *(f"{u},{item},{-i}" for u, i, item in lists))
    files = [f"week{week}.csv" for week in reversed(weeks)]
    call = ["compare", *files, "golden.csv", "--steps", "-m", measure, "-k", "9", "-q", "--no-check"]
    compared = json.loads(run(*call, "--format", "json", "--by-user", "users.csv"))
    of_users = pd.read_csv("users.csv").groupby(["baseline", "system"]).difference
    values = {week: by_user ** (-1 if is_mrr else 1) for week, by_user in weeks.items()}
    steps = [(week - 1, week) for week in range(2, WEEKS + 1)]
    pairs = [(f"week{a}", f"week{b}") for a, b in steps]
    assert [(row["baseline"], row["system"]) for row in compared] == pairs
    alone = [float(stats.ttest_rel(values[week], values[before]).pvalue) for before, week in steps]
    for (before, week), row, p in zip(steps, compared, multipletests(alone, method="holm")[1], strict=True):
        difference = values[week].mean() - values[before].mean()
        assert is_close(row["difference"], difference, 1e-12)
        assert is_close(of_users.mean()[row["baseline"], row["system"]], difference, 1e-12)
        assert is_close(row["p_adjusted"], p, 1e-9)
        verdict = "better" if (difference > 0) == is_mrr else "worse"
        assert row["verdict"] == (verdict if p < 0.05 else "unclear")
    assert [row["system"] for row in compared if row["verdict"] == "worse"] == [f"week{FELL}"]
    assert of_users.ngroups == len(steps)


def test_answer_does_not_take_one_user_for_no_fall(run: Run) -> None:
    csv("truth.csv", "userid,itemid", "1,1")
    for name, item in (("old", 1), ("new", 2)):
        csv(f"{name}.csv", "userid,itemid,score", f"1,{item},1")
    allow = ("--allow", "no_common_id")
    text = run("compare", "new.csv", "old.csv", "truth.csv", "--steps", "-m", "mrr", "-q", *allow)
    assert "No comparison is possible: at least two users must have values from both models." in text


def natural_key(name: str) -> tuple[object, str]:
    """Return a key of one pair for each number and each other character; equal names differ in zeros."""
    pieces = re.findall("[0-9]+|[^0-9]", name)
    return [("0", int(piece)) if piece.isdecimal() else (piece, 0) for piece in pieces], name


def test_steps_have_the_natural_order_of_names(con: Con) -> None:
    draw = random.Random(5)
    names = {"".join(draw.choices("ab-_é 019", k=draw.randint(0, 9))) for _ in range(300)}
    names |= {*f"week9 week10 week010 week Week11 2026-05-08 2026-11-01 9{10**38} {'9' * 38}".split()}
    by_user = pd.DataFrame({"system": [*names] * 2, "userid": np.repeat([1, 2], len(names)), "x": 1.0})
    con.register("by_user", by_user)
    compared = rows(con, "FROM ranking.compare_by_user('by_user', steps := true)")
    ordered = sorted(names, key=natural_key)
    assert [(row["baseline"], row["system"]) for row in compared] == [*pairwise(ordered)]
