"""Test the cutoff from which a measure is near its end: worked by hand, SciPy and simulations."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest
from scipy import stats

from ranking_udfs.evaluation.depth import margin_of, shortfalls_query, smallest_near, upper_bound
from ranking_udfs.evaluation.queries import Request
from ranking_udfs.measures.grammar import parse_measure
from tests.command import Run, csv
from tests.conftest import Con, module_connection, rows
from tests.pages import sections, text_of

con = module_connection()
T = 1.6603911559963895  # SciPy's t.ppf(0.95, 99)
CUTS = (1, 3, 5, 10)
RANKS = {"many": [1] * 60 + [3] * 25 + [8] * 15, "few": [1] * 96 + [8] * 4, "all": [1] * 100}


def shortfalls(con: Con, text: str, ranks: dict[str, list[int]]) -> dict[tuple[str, int], dict[str, Any]]:
    """Return the rows of users with one relevant item each, at these ranks."""
    given = [(name, user, rank) for name, own in ranks.items() for user, rank in enumerate(own)]
    con.register("ranks", pd.DataFrame(given, columns=["system", "userid", "rank"]))
    con.execute(f"""
        CREATE OR REPLACE TABLE truth AS SELECT userid, 0 AS itemid FROM range(100) AS t(userid);
        CREATE OR REPLACE TABLE rec AS
        SELECT system, userid, if(i = rank, 0, i) AS itemid, -i AS score FROM ranks, range(1, 11) AS t(i);
        CREATE OR REPLACE TEMP TABLE by_user AS
        FROM ranking.by_user('rec', 'truth', {[*CUTS]}, measures := '{text}')
    """)
    request = Request([parse_measure(f"{text}@1,3,5,10")], CUTS)
    query = shortfalls_query(request, request.choices[0], "system, ", 0.95)
    return {(row["system"], row["k"]): row for row in rows(con, query)}


def test_bounds_worked_by_hand(con: Con) -> None:
    """Count 15 of 100 users of `many` with recall 0 at 5 and 3, and 40 at 1: it is 1 from the item on."""
    found = shortfalls(con, "recall", RANKS)
    for k, share in ((5, 0.15), (3, 0.15), (1, 0.4)):
        row = found["many", k]
        deviation = (share * (1 - share) * 100 / 99) ** 0.5
        skewness = (1 - 2 * share) / (share * (1 - share)) ** 0.5 * 9900**0.5 / 98
        expected = [100, 100 * share, share, deviation, skewness, T]
        names = ("users", "differing", "mean", "deviation", "skewness", "t")
        assert [row[name] for name in names] == pytest.approx(expected, rel=1e-9)
        bound = share + deviation / 10 * (T + skewness * (1 + 2 * T**2) / 60)
        assert upper_bound(row, 1, 0.95) == pytest.approx(bound, rel=1e-9)
    bounds = {k: upper_bound(found["many", k], 1, 0.95) for k in CUTS[:-1]}
    assert [round(bound, 3) for bound in bounds.values()] == [0.484, 0.217, 0.217]
    # Wilson's upper end of 4 of 100, and what 100 of 100 leave open.
    wilson = (0.04 + T**2 / 200 + T * (0.04 * 0.96 / 100 + T**2 / 40_000) ** 0.5) / (1 + T**2 / 100)
    assert upper_bound(found["few", 5], 1, 0.95) == pytest.approx(wilson, rel=1e-9)
    assert upper_bound(found["all", 1], 1, 0.95) == pytest.approx(1 - 0.05**0.01)
    many = [row for (name, _), row in found.items() if name == "many"]
    near = {margin: smallest_near(many, margin, 1, 0.95) for margin in (0.21, 0.22, 0.48, 0.49)}
    assert near == {0.21: None, 0.22: 3, 0.48: 3, 0.49: 1}


@pytest.mark.parametrize(("text", "sign", "margin"), [("ndcg", 1, 0.01), ("first_hit_rank", -1, None)])
def test_moments_match_scipy_in_direction_of_measure(
    con: Con, text: str, sign: int, margin: float | None
) -> None:
    draw = np.random.default_rng(2)
    found = shortfalls(con, text, {name: draw.integers(1, 11, 100).tolist() for name in "ab"})
    values = con.execute(f"SELECT system, k, userid, {text} AS value FROM by_user").df()
    wide = values.pivot(index=["system", "userid"], columns="k", values="value")
    assert len(found) == 6
    for (system, k), row in found.items():
        own = sign * (wide.loc[system][10] - wide.loc[system][k]).dropna().to_numpy()
        assert [row["users"], row["mean"]] == pytest.approx([len(own), own.mean()])
        if row["deviation"]:
            expected = [own.std(ddof=1), stats.skew(own, bias=False), stats.t.ppf(0.95, len(own) - 1)]
            assert [row[name] for name in ("deviation", "skewness", "t")] == pytest.approx(expected)
    assert margin_of(parse_measure(text), None) == margin
    assert margin_of(parse_measure(text), 0.5) == 0.5


Draw = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]
POPULATIONS: dict[str, tuple[float, Draw]] = {  # the mean, and how much values of users fall short
    "few users lose all": (0.03, lambda draw, size: (draw.random(size) < 0.03) * 1.0),
    "a tenth lose all": (0.1, lambda draw, size: (draw.random(size) < 0.1) * 1.0),
    "a tenth lose some": (0.025, lambda draw, size: (draw.random(size) < 0.1) * draw.beta(1, 3, size)),
    "a third lose little": (0.03, lambda draw, size: (draw.random(size) < 0.3) * draw.beta(1, 9, size)),
    "some gain": (0.01, lambda draw, size: (draw.random(size) < 0.5) * draw.normal(0.02, 0.1, size)),
}


@pytest.mark.parametrize("name", POPULATIONS)
@pytest.mark.parametrize("users", [50, 200])
def test_distant_cutoff_is_rarely_called_near(name: str, users: int) -> None:
    """Set the margin to the true mean: 5 % of draws may call it near, which is wrong."""
    mean, draw = POPULATIONS[name]
    values = draw(np.random.default_rng(users), (2_000, users))
    varies = np.ptp(values, axis=1) > 1e-12
    columns = {"mean": values.mean(1), "differing": (abs(values) > 1e-12).sum(1)}
    columns["deviation"], columns["skewness"] = np.zeros(2_000), np.full(2_000, np.nan)
    columns["deviation"][varies] = values[varies].std(1, ddof=1)
    columns["skewness"][varies] = stats.skew(values[varies], axis=1, bias=False)
    t = stats.t.ppf(0.95, users - 1)
    rows = pd.DataFrame(columns).assign(users=users, t=t, k=5).to_dict("records")
    near = sum(smallest_near([row], mean, 1, 0.95) is not None for row in rows)
    t_near = np.sum(columns["mean"] + t * columns["deviation"] / users**0.5 < mean)
    assert near / 2_000 < 0.075  # and by t alone:
    assert name == "some gain" or t_near > near
    assert "all" not in name or t_near / 2_000 > 0.075


NEAR = "22 below its value at k = 10: from k = 3 on with many; from k = 1 on with few"
NOT_NEAR = "01 below its value for the whole list: for no smaller k with many, few"


@pytest.mark.parametrize(("options", "text"), [("-k 1,3,5,10 --margin 0.22", NEAR), ("-k 5,all", NOT_NEAR)])
def test_report_names_cutoffs_near_the_end(run: Run, options: str, text: str) -> None:
    csv("truth.csv", "userid,itemid", *(f"{u},0" for u in range(100)))
    for name, ranks in RANKS.items():
        lists = (f"{u},{0 if i == r else i},{-i}" for u, r in enumerate(ranks) for i in range(1, 11))
        csv(f"{name}.csv", "userid,itemid,score", *lists)
    files = [*(f"{name}={name}.csv" for name in RANKS), "truth.csv"]
    run("report", *files, "-m", "recall", "--quiet", "--no-check", *options.split())
    shown = text_of(sections(Path("report.html").read_text())["Measures by cutoff"])
    assert f"Recall is less than 0.{text} and all (95% confidence, one-sided)." in shown
