"""What a gate looks at: all users and segments apart, and single users."""

from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from statsmodels.stats import multitest

from ranking_udfs.command.cli import main
from tests.command import csv
from tests.conftest import module_connection, rows

con = module_connection()
CALL = ["compare", "old=old.csv", "new=new.csv", "truth.csv", "--baseline", "old", "--no-check"]


def compared(con: duckdb.DuckDBPyConnection, draws: np.ndarray) -> None:
    """Compare two systems of draws x users x 2 values: `compared` has each draw as k, with three segments."""
    k, user, system = (one.ravel() for one in np.indices(draws.shape))
    columns = {"system": system, "k": k + 1, "userid": user, "segment": user % 3, "ndcg": draws.ravel()}
    con.register("by_segment", pa.table(columns))
    con.register("by_user", pa.table({name: one for name, one in columns.items() if name != "segment"}))
    con.execute("""
        CREATE OR REPLACE TABLE compared AS
        FROM ranking_compare_by_user('by_user', baseline := '0')
        UNION ALL BY NAME FROM ranking_compare_by_user('by_segment', baseline := '0')
    """)
    assert con.execute("SELECT count(*) FROM compared").fetchone() == (4 * len(draws),)


@pytest.mark.parametrize("everybody", ["NULL", "'(all)'"])
def test_a_gate_corrects_all_users_apart_from_segments(
    con: duckdb.DuckDBPyConnection, everybody: str
) -> None:
    compared(con, np.random.default_rng(3).normal(0.2, 0.5, (4, 60, 2)))
    whole = f"SELECT * REPLACE (coalesce(segment::VARCHAR, {everybody}) AS segment) FROM compared"
    found = rows(con, f"WITH seen AS ({whole}) FROM ranking_gate('seen')")
    for is_all, size in ((True, 4), (False, 12)):
        family = [row for row in found if (row["segment"] in (None, "(all)")) is is_all]
        expected = multitest.multipletests([row["p"] for row in family], method="holm")[1]
        assert [row["p_adjusted"] for row in family] == pytest.approx([*expected])
        assert {row["method"] for row in family} == {f"t, holm of {size}"}


@pytest.mark.slow
def test_segments_take_no_power_from_a_gate(con: duckdb.DuckDBPyConnection) -> None:
    """Of 110 queries 8 fall to 0: found as often with segments as without, and less often over all rows."""
    chance = np.random.default_rng(8)
    draws = np.repeat(chance.random((50, 110, 1)), 2, axis=2)
    for one in draws:
        one[chance.choice(110, 8, replace=False), 1] = 0
    compared(con, draws)
    without, beside = "* EXCLUDE (segment)", "*"
    worse = {"alone": 0, "beside segments": 0, "over all rows": 0}
    for k in range(1, 51):
        for name, columns, where in zip(
            worse, (without, beside, without), ("AND segment IS NULL", "", ""), strict=True
        ):
            seen = f"WITH seen AS (SELECT {columns} FROM compared WHERE k = {k} {where})"
            found = rows(con, f"{seen} FROM ranking_gate('seen')")
            worse[name] += any(one["verdict"] == "worse" and one.get("segment") is None for one in found)
    print(worse)
    assert worse["alone"] == worse["beside segments"] >= 45
    assert worse["over all rows"] < 40


@pytest.fixture
def hits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists of ten by `old` and `new`, with so many hits. User 4 has no list of `new`, 5 no relevant item.

    0.7 - 0.2 is below 0.5 as floating numbers.
    """
    monkeypatch.chdir(tmp_path)
    counts = {"old": [7, 9, 8, 5, 6, 0], "new": [2, 4, 3, 5, 0, 0]}
    csv("truth.csv", "userid,itemid,rel", *(f"{u},{i},{int(u < 5)}" for u in range(6) for i in range(10)))
    for name, hits in counts.items():
        lists = [(u, i if i < n else 90 + i, -i) for u, n in enumerate(hits) for i in range(10)]
        lists = [one for one in lists if (name, one[0]) != ("new", 4)]
        csv(f"{name}.csv", "userid,itemid,score", *(f"{u},{i},{score}" for u, i, score in lists))


@pytest.mark.usefixtures("hits")
@pytest.mark.parametrize(
    ("condition", "more", "failed"),
    [
        ("losers(0.5) > 3", "", "4 of 6 users lose 0.5 or more by Precision@10 with new (4 -0.6; 0 -0.5"),
        ("losers(0.5) > 4", "", None),
        ("losers(0.51) > 0", "", "1 of 6 users lose 0.51 or more by Precision@10 with new (4 -0.6)"),
        ("losers(0.5) >= 4", "--without-relevant skip", "4 of 5 users lose 0.5 or more by Precision@10"),
        ("losers(0.2) > 0", "-m recall@2,precision@10", "1 of 6 users lose 0.2 or more by Recall@2 with new"),
    ],
)  # fmt: skip
def test_a_gate_counts_users_who_lose_as_much(
    condition: str, more: str, failed: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    measures = [] if "-m" in more else ["-m", "precision@10"]
    code = main([*CALL, "-q", *measures, *more.split(), "--fail-if", condition])
    said = capsys.readouterr().err
    assert code == (3 if failed else 0)
    assert said.startswith(f"ranking-udfs: failed: {condition}: {failed}" if failed else "")
    assert failed or not said


def test_users_whose_rank_of_the_first_hit_grows_lose(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """User 3 has no hit of `new`, and so no value."""
    monkeypatch.chdir(tmp_path)
    csv("truth.csv", "userid,itemid", *(f"{u},d" for u in range(4)))
    for name, ranks in {"old": [1, 3, 2, 1], "new": [3, 1, 3, 9]}.items():
        places = [(u, at, at == rank) for u, rank in enumerate(ranks) for at in (1, 2, 3)]
        csv(
            f"{name}.csv",
            "userid,itemid,score",
            *(f"{u},{'d' if hit else at},{-at}" for u, at, hit in places),
        )
    assert main([*CALL, "-q", "-m", "first_hit_rank@3", "--fail-if", "losers(2) > 0,losers(1) > 2"]) == 3
    said = capsys.readouterr().err
    assert said.startswith("ranking-udfs: failed: losers(2) > 0: 1 of 3 users lose 2 or more by ")
    assert said.endswith(" with new (0 2)\n")


def test_a_segment_that_is_worse_is_named_in_each_format(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Twenty users of one segment lose all, and those of the other win as much: the whole is unclear."""
    monkeypatch.chdir(tmp_path)
    csv("truth.csv", "userid,itemid", *(f"{u},1" for u in range(40)))
    csv("kinds.csv", "userid,kind", *(f"{u},{'ab'[u % 2]}" for u in range(40)))
    for wrong, name in enumerate(("old", "new")):
        csv(f"{name}.csv", "userid,itemid,score", *(f"{u},{1 + (u + wrong) % 2},1" for u in range(40)))
    call = [*CALL, "--segment", "kinds.csv:kind", "-m", "mrr@1"]
    sentence = "Segment a: new is worse than old in MRR@1 by 1 (p < 0.0001)."
    for form in ("table", "markdown", "html", "latex", "csv", "json"):
        assert main([*call, "--format", form, "--fail-if", "worse"]) == 0
        out, err = capsys.readouterr()
        text = err if form in ("csv", "json") else out.partition("<details>")[0]
        assert sentence in text.replace("\\<", "<").replace("&lt;", "<"), form
    assert main([*call, "--fail-if", "segments worse"]) == 3
    assert "failed: segments worse: new in mrr@1, segment a (1 of 2 comparisons)" in capsys.readouterr().err
    assert main(["report", *call[1:], "--output", "page.html"]) == 0
    assert "Segment a: new is worse than old in MRR@1 by 1" in Path("page.html").read_text()
