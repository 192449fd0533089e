"""Test how well the best scores separate users without an answer from the others."""

import math
import random
import re
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from statsmodels.stats.proportion import proportion_confint

import ranking_udfs
from ranking_udfs.command.cli import main
from tests.command import csv
from tests.conftest import Captured, Con, module_connection, rows

Scores = Sequence[float | None]  # the best of each user; None for no list


con = module_connection()


def create(con: Con, with_answer: Scores, without: Scores, named: int = 0) -> None:
    """Make the tables; the last `named` users without an answer are in `queries` alone, of all users."""
    users = list(enumerate([*with_answer, *without]))
    scores = [(user, rank, score - rank) for user, score in users if score is not None for rank in (0, 1)]
    columns = zip(*scores, (-1, 1, 99.0), strict=True)  # and a user of whom nothing is known
    names = "unnest($1) AS userid, unnest($2) AS itemid, unnest($3) AS score"
    con.execute(f"CREATE OR REPLACE TABLE rec AS SELECT {names}", [*map(list, columns)])
    con.execute(f"""
        CREATE OR REPLACE TABLE queries AS SELECT i::INTEGER AS userid FROM range({len(users)}) t(i);
        CREATE OR REPLACE TABLE truth AS
        SELECT userid, 5 AS itemid, (userid < {len(with_answer)})::INTEGER AS rel
        FROM queries WHERE userid < {len(users) - named}""")


def slow(with_answer: Scores, without: Scores, confidence: float = 0.95) -> dict[str, Any]:
    """Compute the area and DeLong's interval by the definition, and the errors at each threshold."""
    a, b = ([-math.inf if score is None else score for score in scores] for scores in (with_answer, without))
    pairs = np.array([[(x > y) + (x == y) / 2 for y in b] for x in a])
    auc = pairs.mean()
    variance = pairs.mean(axis=1).var(ddof=1) / len(a) + pairs.mean(axis=0).var(ddof=1) / len(b)
    half = NormalDist().inv_cdf((1 + confidence) / 2) * math.sqrt(variance) / (auc * (1 - auc))
    low, high = (1 / (1 + math.exp(-math.log(auc / (1 - auc)) + side * half)) for side in (1, -1))
    thresholds = {*a, *b} - {-math.inf}
    errors = {score: (sum(x < score for x in a), sum(y >= score for y in b)) for score in thresholds}
    return {"auc": auc, "low": low, "high": high, "errors": errors}


def abstention(con: Con, more: str = "") -> list[dict[str, Any]]:
    return rows(con, f"FROM ranking.abstention('rec', 'truth'{more})")


@pytest.mark.parametrize(("seed", "confidence"), [(0, 0.95), (1, 0.8), (2, 0.99)])
def test_abstention_matches_definition_scikit_learn_and_statsmodels(
    con: Con, seed: int, confidence: float
) -> None:
    chance = random.Random(seed)

    def scores(n: int, mean: float) -> list[float | None]:
        drawn = (round(chance.gauss(mean, 1), seed) for _ in range(n))
        return [None if chance.random() < 0.1 else score for score in drawn]

    with_answer, without = scores(chance.randint(5, 70), 0.7), scores(chance.randint(5, 20), 0)
    create(con, with_answer, without, named=3)
    expected = slow(with_answer, without, confidence)
    found = abstention(con, f", 'queries', confidence := {confidence}")
    labels = [1] * len(with_answer) + [0] * len(without)
    best = [-99 if score is None else score for score in (*with_answer, *without)]
    assert found[0]["auc"] == pytest.approx(roc_auc_score(labels, best), abs=1e-12)
    assert [row["threshold"] for row in found] == sorted(expected["errors"])
    for row in found:
        assert row["auc"] == pytest.approx(expected["auc"], abs=1e-12)
        ends = expected["low"], expected["high"]
        assert (row["auc_low"], row["auc_high"]) == pytest.approx(ends, abs=1e-7)
        refused, answered = expected["errors"][row["threshold"]]
        for name, count, of in (("refused", refused, with_answer), ("answered", answered, without)):
            assert (row[f"wrongly_{name}"], row[f"{name}_share"]) == (count, count / len(of))
            ends = proportion_confint(count, len(of), 1 - confidence, "wilson")
            assert (row[f"{name}_low"], row[f"{name}_high"]) == pytest.approx(ends, abs=1e-7)


@pytest.mark.usefixtures("registered", "folder")
def test_notes_count_the_users_of_one_table_and_none_with_all_users(capsys: Captured) -> None:
    csv("rec.csv", "userid,itemid,score", "1,a,2", "2,a,1", "3,a,1")
    csv("truth.csv", "userid,itemid,rel", "1,a,1", "2,a,0", "4,a,1")
    counts = (
        "users in truth that are not in rec: 1 of 3 .* note: users in rec that are not in truth: 1 of 3 .*"
    )
    advice = "; these, and users in neither table, are not counted; write {}, with all users"
    assert main(["abstention", "rec.csv", "truth.csv"]) == 0
    notes = " ".join(capsys.readouterr().err.split())
    assert re.search(f"warning: {counts}{advice.format('--users FILE')}", notes)
    with pytest.warns(UserWarning, match=f"(?s){counts}{advice.format('users=...')}"):
        ranking_udfs.abstention("rec.csv", "truth.csv")
    with pytest.warns(UserWarning, match=f"in truth: 0{advice.format('users=...')}"):
        ranking_udfs.abstention({"1": {"a": 1.0}, "2": {"a": 1.0}}, {"1": {"a": 1}, "2": {"a": 0}})
    ranking_udfs.abstention("rec.csv", "truth.csv", users=[{"userid": user} for user in range(1, 6)])
