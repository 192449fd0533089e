"""How well the best scores tell users without an answer from the others."""

import itertools
import math
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from statsmodels.stats.proportion import proportion_confint

from ranking_udfs.evaluation.conclusion import threshold_sentences
from tests.command import Run, csv
from tests.conftest import Con, module_connection, rows

Z = 1.959963984540054
Scores = Sequence[float | None]  # the best of each user; None for no list


con = module_connection()


def create(con: Con, with_answer: Scores, without: Scores, named: int = 0) -> None:
    """Make the tables; the last `named` users without an answer are in `queries` alone, of all users."""
    users = list(enumerate([*with_answer, *without]))
    n, judged = len(with_answer), len(users) - named
    scores = [(user, rank, score - rank) for user, score in users if score is not None for rank in (0, 1)]
    listed = list(zip(*[*scores, (-1, 1, 99.0)], strict=True))  # and one of whom nothing is known
    columns = "unnest($1) AS userid, unnest($2) AS itemid, unnest($3) AS score"
    con.execute(f"CREATE OR REPLACE TABLE rec AS SELECT {columns}", [list(one) for one in listed])
    con.execute(f"""
        CREATE OR REPLACE TABLE queries AS SELECT i::INTEGER AS userid FROM range({len(users)}) t(i);
        CREATE OR REPLACE TABLE truth AS SELECT userid, 5 AS itemid, (userid < {n})::INTEGER AS rel
        FROM queries WHERE userid < {judged}""")


def slow(with_answer: Scores, without: Scores) -> dict[str, Any]:
    """The area and DeLong's interval by the definition, from all pairs; each threshold from all users."""
    a, b = ([-math.inf if one is None else one for one in scores] for scores in (with_answer, without))
    pairs = np.array([[(x > y) + (x == y) / 2 for y in b] for x in a])
    auc = pairs.mean()
    variance = pairs.mean(axis=1).var(ddof=1) / len(a) + pairs.mean(axis=0).var(ddof=1) / len(b)
    half = Z * math.sqrt(variance) / (auc * (1 - auc))
    low, high = (1 / (1 + math.exp(-math.log(auc / (1 - auc)) + side * half)) for side in (1, -1))
    errors = {
        one: (sum(x < one for x in a), sum(y >= one for y in b)) for one in {*a, *b} if one != -math.inf
    }
    return {"auc": auc, "low": low, "high": high, "errors": errors}


def found(con: Con, more: str = "") -> list[dict[str, Any]]:
    return rows(con, f"FROM ranking.abstention('rec', 'truth'{more})")


@pytest.mark.parametrize("seed", range(3))
def test_it_is_as_defined_and_as_in_other_libraries(con: Con, seed: int) -> None:
    generated = random.Random(seed)
    digits = seed % 3

    def scores(n: int, mean: float) -> list[float | None]:
        each = (round(generated.gauss(mean, 1), digits) for _ in range(n))
        return [None if generated.random() < 0.1 else one for one in each]

    with_answer, without = scores(generated.randint(5, 70), 0.7), scores(generated.randint(5, 20), 0)
    create(con, with_answer, without, named=3)
    expected, result = slow(with_answer, without), found(con, ", 'queries'")
    labels = [*[1] * len(with_answer), *[0] * len(without)]
    given = [-99 if one is None else one for one in (*with_answer, *without)]
    assert result[0]["auc"] == pytest.approx(roc_auc_score(labels, given), abs=1e-12)
    for row in result:
        assert row["auc"] == pytest.approx(expected["auc"], abs=1e-12)
        assert [row["auc_low"], row["auc_high"]] == pytest.approx(
            [expected["low"], expected["high"]], abs=1e-7
        )
        errors = row["wrongly_refused"], row["wrongly_answered"]
        assert errors == expected["errors"][row["threshold"]]
        for name, count, of in zip(
            ("refused", "answered"), errors, map(len, (with_answer, without)), strict=True
        ):
            assert row[f"{name}_share"] == count / of
            ends = [row[f"{name}_low"], row[f"{name}_high"]]
            assert ends == pytest.approx(proportion_confint(count, of, method="wilson"), abs=1e-7)
    assert [row["threshold"] for row in result] == sorted(expected["errors"])


def test_the_query_of_the_reference_gives_the_number_of_mteb(con: Con) -> None:
    """Beside a plain definition; of the tables in the reference, mteb's `nauc` gives what stands there."""
    page = Path(__file__).parents[1].joinpath("sql", "comparison", "README.md").read_text()
    query = re.search(r"```sql\n(WITH by_user AS.*? AS nauc FROM areas.*?)```", page, re.DOTALL)
    assert query
    generated = random.Random(4)
    for n in (7, 15, 45):  # with tenths that are halves of users
        con.execute(f"""
            CREATE OR REPLACE TABLE truth AS SELECT i AS userid, 0 AS itemid FROM range({n}) t(i);
            CREATE OR REPLACE TABLE rec (system VARCHAR, userid BIGINT, itemid BIGINT, score DOUBLE)""")
        rows_of = []
        for user in range(n):
            best, rank = round(generated.random(), 1), generated.randint(0, 12)
            con.execute(
                "INSERT INTO rec SELECT 'a', $1, i - $2, $3 - i FROM range(10) t(i)", [user, rank, best]
            )
            rows_of.append((best, user, 1 / math.log2(rank + 2) if rank < 10 else 0))
        areas = []
        for order in (sorted(rows_of), sorted(rows_of, key=lambda one: one[2])):
            kept = [order[min(round(0.1 * i * n), n - 1) :] for i in range(10)]
            curve = [sum(one[2] for one in each) / len(each) for each in kept]
            areas.append(sum((one + other) / 2 for one, other in itertools.pairwise(curve)))
        flat = 9 * sum(one[2] for one in rows_of) / n
        expected = round((areas[0] - flat) / (areas[1] - flat), 4)
        assert con.execute(query[1]).fetchall() == [("a", pytest.approx(expected, abs=1.1e-4))]


@pytest.mark.slow
@pytest.mark.parametrize(("n", "m", "shift"), [(40, 10, 0.8), (100, 15, 1.5), (30, 30, 0)])
def test_intervals_of_the_area_hold_the_true_one_in_95_of_100_samples(
    con: Con, n: int, m: int, shift: float
) -> None:
    """Simulated: normal scores, whose true area is Phi(shift / sqrt(2)); each system is one sample."""
    samples = 1_000
    generated = np.random.default_rng(n)
    scores = generated.normal(size=(samples, n + m)) + shift * (np.arange(n + m) < n)
    con.register("drawn", {"score": scores.ravel()})
    con.execute(f"""
        CREATE OR REPLACE TABLE rec AS
        SELECT i // {n + m} AS system, i % {n + m} AS userid, 1 AS itemid, score
        FROM (SELECT score, row_number() OVER () - 1 AS i FROM drawn);
        CREATE OR REPLACE TABLE truth AS SELECT i AS userid, 1 AS itemid, (i < {n})::INTEGER AS rel
        FROM range({n + m}) t(i)""")
    true = (1 + math.erf(shift / 2)) / 2
    ends = con.execute("""
        SELECT DISTINCT ON (system) auc_low, auc_high FROM ranking.abstention('rec', 'truth')""").fetchall()
    covered = sum(low <= true <= high for low, high in ends)
    assert len(ends) == samples
    assert 0.93 <= covered / samples <= 0.985


def test_nobody_and_everybody_are_ends_of_their_intervals(con: Con) -> None:
    """Which Wilson's formula misses by a rounding for some numbers of users."""
    for n in (1, 2, 6):
        create(con, [3.0] * n, [2.0] * n)
        low, high = found(con)
        assert (low["refused_low"], low["answered_high"]) == (0, 1)
        assert (high["refused_low"], high["answered_low"]) == (0, 0)


def test_of_many_thresholds_the_two_best_are_kept(con: Con) -> None:
    """Of 100 at equal steps of 3,000 thresholds, few are next to the best; the two bests differ."""
    generated = np.random.default_rng(3)
    for n, m in ((150, 2850), (2900, 100)):
        with_answer, without = generated.normal(1.5, 1, n).tolist(), generated.normal(0, 1, m).tolist()
        create(con, with_answer, without)
        result = found(con)
        assert 101 <= len(result) <= 102
        assert [row["threshold"] for row in result] == sorted(row["threshold"] for row in result)
        errors = slow(with_answer, without)["errors"]
        assert min(row["wrongly_refused"] + row["wrongly_answered"] for row in result) == min(
            map(sum, errors.values())
        )
        smallest = min(refused / n + answered / m for refused, answered in errors.values())
        assert min(row["refused_share"] + row["answered_share"] for row in result) == smallest
        fewest, least = re.findall(
            r"(?:errors|shares)[^:]*, with threshold [^:]*: (\d+) of \d+ .*? refused, (\d+) of",
            " ".join(threshold_sentences(result)),
        )
        assert sum(map(int, fewest)) == min(map(sum, errors.values())) < sum(map(int, least))
        assert int(least[0]) / n + int(least[1]) / m == smallest


def test_the_command_says_how_many_thresholds_csv_has(run: Run) -> None:
    csv("rec.csv", "userid,itemid,score", *(f"{u},1,{u}" for u in range(120)))
    csv("truth.csv", "userid,itemid,rel", *(f"{u},1,{int(u > 40)}" for u in range(120)))
    call = ["abstention", "rec.csv", "truth.csv"]
    said, lines = " ".join(run(*call).split()), run(*call, "--format", "csv").splitlines()[1:]
    kept = "of each model 100 at equal steps at most, and those named above."
    assert f"Shown are 10 of {len(lines)} rows; --format csv has all: {kept}" in said
    assert "Fewest errors (0) and smallest sum of the two shares, with threshold 41: 0 of 79" in said
    assert "41" in {line.partition(",")[0].removesuffix(".0") for line in lines}
    csv("rec.csv", "userid,itemid,score", *(f"{u},1,{u % 40}" for u in range(120)))
    assert "Shown are 10 of 40 rows; --format csv has all." in " ".join(run(*call).split())
