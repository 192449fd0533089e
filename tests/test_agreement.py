"""The agreement of two judges: by hand, by loops, by scikit-learn and by the package krippendorff."""

import math
import random
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

import ranking_udfs
from tests.command import Fails, Run, csv
from tests.conftest import Con, is_close, module_connection

KAPPAS = {"kappa": None, "kappa_linear": "linear", "kappa_quadratic": "quadratic"}
Pair = tuple[int, float, float]  # user, grade of a, grade of b

con = module_connection()


def agreement(con: Con, pairs: Sequence[Pair], options: str = "") -> dict[str, dict[str, Any]]:
    """The rows by statistic, of labels of which both judges have all."""
    labels = pd.DataFrame([(user, i, a, b) for i, (user, a, b) in enumerate(pairs)], columns=list("uiab"))
    con.register("frame", labels)
    for judge in "ab":
        query = f"SELECT u AS userid, i AS itemid, {judge} AS rel FROM frame"
        con.execute(f"CREATE OR REPLACE TABLE judge_{judge} AS {query}")
    rows = con.sql(f"FROM ranking.agreement('judge_a', 'judge_b'{options})").fetchall()
    names = con.sql("FROM ranking.agreement('judge_a', 'judge_b')").columns
    return {row[0]: dict(zip(names, row, strict=True)) for row in rows}


def chance_corrected(pairs: Sequence[Pair], distance: Callable[[float, float], float]) -> float:
    """1 - what differs / what differs in all pairs of a grade of a and one of b."""
    differs = sum(distance(a, b) for _, a, b in pairs) / len(pairs)
    by_chance = sum(distance(one[1], other[2]) for one, other in product(pairs, pairs)) / len(pairs) ** 2
    return 1 - differs / by_chance


def alpha(pairs: Sequence[Pair]) -> float:
    """Krippendorff's: by chance, two different grades of all that were given are taken."""
    grades = [grade for _, *both in pairs for grade in both]
    differs = sum((a - b) ** 2 for _, a, b in pairs) / len(pairs)
    by_chance = sum((one - other) ** 2 for one, other in product(grades, grades))
    return 1 - differs / (by_chance / (len(grades) * (len(grades) - 1)))


DEFINED: dict[str, Callable[[Sequence[Pair]], float]] = {
    "agreement": lambda pairs: sum(a == b for _, a, b in pairs) / len(pairs),
    "kappa": lambda pairs: chance_corrected(pairs, lambda a, b: a != b),
    "kappa_linear": lambda pairs: chance_corrected(pairs, lambda a, b: abs(a - b)),
    "kappa_quadratic": lambda pairs: chance_corrected(pairs, lambda a, b: (a - b) ** 2),
    "krippendorff_alpha": alpha,
    "mean_difference": lambda pairs: sum(a - b for _, a, b in pairs) / len(pairs),
}


def drawn(seed: int, grades: Sequence[float], users: int = 9) -> list[Pair]:
    draw = random.Random(seed)
    found = []
    for user in range(users):
        for _ in range(draw.randint(1, 6)):
            a = draw.choice(grades)
            found.append((user, a, a if draw.random() < 0.6 else draw.choice(grades)))
    return found


def test_four_pairs_by_hand(con: Con) -> None:
    """Grades 2 0 1 0 and 2 0 2 0: six of sixteen pairs are equal by chance, and so on."""
    found = agreement(con, [(1, 2, 2), (1, 0, 0), (2, 1, 2), (3, 0, 0)])
    expected = {
        "agreement": 3 / 4,
        "kappa": (3 / 4 - 6 / 16) / (1 - 6 / 16),
        "kappa_linear": 1 - (1 / 4) / (16 / 16),
        "kappa_quadratic": 1 - (1 / 4) / (28 / 16),
        "krippendorff_alpha": 1 - (1 / 4) / (110 / (8 * 7)),
        "mean_difference": -1 / 4,
    }
    assert {name: row["value"] for name, row in found.items()} == pytest.approx(expected, abs=1e-15)
    # Without user 1, 2 or 3: 1 of 2, 3 of 3 and 2 of 3 pairs are equal.
    left = [1 / 2, 1, 2 / 3]
    error = math.sqrt(2 / 3 * sum((one - sum(left) / 3) ** 2 for one in left))
    assert found["agreement"]["standard_error"] == pytest.approx(error, abs=1e-15)
    assert (found["agreement"]["users"], found["agreement"]["pairs"]) == (3, 4)
    assert (found["agreement"]["low"], found["agreement"]["high"]) == (0, 1)  # t of 2 is 4.3


@pytest.mark.parametrize("grades", [[0, 1], [0, 1, 2, 3], [-1, 0, 3, 10], [0.1, 0.25, 0.7], [1e6, 1e6 + 1]])
def test_statistics_and_jackknife_are_those_of_loops(con: Con, grades: list[float]) -> None:
    for seed in range(3):
        pairs = drawn(seed, grades)
        users = sorted({user for user, *_ in pairs})
        found = agreement(con, pairs, ", confidence := 0.9")
        t = stats.t.ppf(0.95, len(users) - 1)
        for name, define in DEFINED.items():
            row, value = found[name], define(pairs)
            left = [define([one for one in pairs if one[0] != user]) for user in users]
            error = math.sqrt((len(users) - 1) * np.var(left))
            low = max(value - t * error, 0 if name == "agreement" else -math.inf)
            high = min(value + t * error, math.inf if name == "mean_difference" else 1)
            expected = (value, error, low, high)
            for column, one in zip(("value", "standard_error", "low", "high"), expected, strict=True):
                assert is_close(row[column], one, 1e-9), (name, column)


def test_kappas_are_those_of_scikit_learn(con: Con) -> None:
    """Its weights are of positions; with all integers as labels these are differences of values."""
    for seed, grades in enumerate(([0, 1, 2, 3], [0, 1, 3, 8], [0, 4])):
        pairs = drawn(seed + 10, grades, 30)
        a, b = ([int(pair[i]) for pair in pairs] for i in (1, 2))
        found = agreement(con, pairs)
        for name, weights in KAPPAS.items():
            expected = cohen_kappa_score(a, b, weights=weights, labels=range(9))
            assert is_close(found[name]["value"], expected, 1e-12), name


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([2, 0, 1, 0, 3, 3, 1, 0, 0, 2, 3, 1], [1, 0, 2, 0, 3, 3, 0, 0, 1, 2, 1, 1], 0.7486338797814207),
        ([0, 0, 5, 10, 10, 0], [0, 5, 5, 10, 0, 0], 0.44444444444444453),
    ],
)
def test_alpha_is_that_of_the_package(con: Con, a: list[int], b: list[int], expected: float) -> None:
    """Krippendorff 0.9.0 with NumPy 2.4.6: alpha(level_of_measurement='interval')."""
    found = agreement(con, list(zip(range(len(a)), a, b, strict=True)))
    assert is_close(found["krippendorff_alpha"]["value"], expected, 1e-12)


def test_what_is_not_known_has_its_reason(con: Con) -> None:
    def notes(pairs: Sequence[Pair], name: str) -> list[Any]:
        row = agreement(con, pairs)[name]
        assert (row["low"], row["high"], row["standard_error"]) == (None, None, None)
        return [row["value"], row["note"]]

    one_grade = [(1, 2, 2), (2, 2, 2)]
    for name in (*KAPPAS, "krippendorff_alpha"):
        assert notes(one_grade, name) == [None, "only one grade occurs: 2.0"]
    assert notes(one_grade, "agreement") == [1, "no interval: it is the same whichever user is left out"]
    assert notes([(1, 0, 1), (1, 2, 2)], "agreement") == [0.5, "no interval: all labels are of one user"]
    rare = [(1, 0, 0), (2, 1, 1), (3, 1, 1)]
    assert notes(rare, "kappa") == [1, "no interval: without one user, only one grade occurs"]
    apart = agreement(con, [(1, 0, 1), (2, 0, 1), (3, 0, 1)])  # two grades, one for each judge
    assert [apart[name]["value"] for name in ("agreement", *KAPPAS)] == [0, 0, 0, 0]


def test_grades_are_equal_as_they_are_written(con: Con) -> None:
    """0.1 of FLOAT is 0.1 of DOUBLE and of DECIMAL."""
    con.execute(
        "CREATE OR REPLACE TABLE a AS "
        "SELECT i AS userid, 1 AS itemid, (i / 10)::FLOAT AS rel FROM range(4) t(i)"
    )
    for kind in ("DOUBLE", "DECIMAL(5, 2)"):
        con.execute(f"CREATE OR REPLACE TABLE b AS SELECT * REPLACE (rel::VARCHAR::{kind} AS rel) FROM a")
        assert con.sql("SELECT value FROM ranking.agreement('a', 'b')").fetchall()[0] == (1,)
    con.execute(
        "CREATE OR REPLACE TABLE b AS SELECT * REPLACE (i % 2 = 0 AS rel) FROM (SELECT *, userid AS i FROM a)"
    )
    con.execute("CREATE OR REPLACE TABLE a AS SELECT * REPLACE (userid % 2 AS rel) FROM a")
    assert con.sql("SELECT value FROM ranking.agreement('a', 'b')").fetchall()[0] == (0,)


def test_errors_of_rounding_are_none(con: Con) -> None:
    """Each user has the same three pairs: what is left without one is the same, to the last digits."""
    pairs = [(user, *grades) for user in range(11) for grades in ((0.1, 0.7), (0.3, 0.3), (0.7, 0.1))]
    assert {row["standard_error"] for row in agreement(con, pairs).values()} == {None}
    pairs[0] = (0, 0.3, 0.3)
    assert None not in {row["low"] for row in agreement(con, pairs).values()}


@pytest.mark.parametrize(
    ("grades", "users", "sentence"),
    [
        ("1,2", 6, "A is stricter."),
        ("2,1", 6, "B is stricter."),
        ("1,2", 5, "Which judge is stricter is unclear."),  # 2 / 2^5 is above 0.05
        ("1,1", 6, "Neither is stricter."),
    ],
)
def test_who_is_always_stricter_is_stricter(run: Run, grades: str, users: int, sentence: str) -> None:
    for name, grade in zip("ab", grades.split(","), strict=True):
        csv(f"{name}.csv", "userid,itemid,rel", *(f"{user},1,{grade}" for user in range(users)))
    text = run("agreement", "a.csv", "b.csv")
    assert sentence in text
    assert f"{users} pairs of a user and an item graded by both, of {users} users" in " ".join(text.split())
    csv("a.csv", "userid,itemid,rel", "1,1,1")
    assert "1 pair of a user and an item graded by both, of 1 user;" in " ".join(
        run("agreement", "a.csv", "a.csv").split()
    )


def test_only_pairs_graded_by_both_count(con: Con) -> None:
    con.execute("""
        CREATE OR REPLACE TABLE a AS FROM (VALUES
            (1, 'x', 1), (1, 'y', 0), (1, 'x', 1), (2, 'x', 2), (2, 'y', NULL), (3, 'z', 1), (NULL, 'x', 1),
            (4, NULL, 2)) AS t(u, i, g);
        CREATE OR REPLACE TABLE b AS FROM (VALUES
            (1, 'x', 1), (1, 'y', 1), (2, 'x', 0), (2, 'y', 1), (5, 'q', 0), (5, 'r', 1)) AS t(u, i, g)""")
    names = "user_col := 'u', item_col := 'I', grade_col := 'g'"
    query = f"SELECT DISTINCT users, pairs, only_a, only_b FROM ranking.agreement('a', 'b', {names})"
    assert con.sql(query).fetchall() == [(2, 3, 1, 3)]


@pytest.mark.slow
def test_intervals_hold_the_truth_as_often_as_the_confidence_says(con: Con) -> None:
    """Labels of a query share its difficulty and the moods of both judges: 150 draws of 25 queries of 6."""
    chance, cuts = np.random.default_rng(71), [-0.25, 0.4, 1.0]

    def judged(users: int) -> list[Pair]:
        def normal(of_user: float, of_pair: float) -> Any:
            return chance.normal(0, of_user, (users, 1)) + chance.normal(0, of_pair, (users, 6))

        relevant = normal(0.55, 0.84)
        grades = [np.digitize(relevant + normal(0.35, 0.35), cuts) for _ in "ab"]
        return [(u, int(grades[0][u, i]), int(grades[1][u, i])) for u in range(users) for i in range(6)]

    truth = {name: row["value"] for name, row in agreement(con, judged(20_000)).items()}
    held = dict.fromkeys(truth, 0)
    for _ in range(150):
        for name, row in agreement(con, judged(25)).items():
            held[name] += row["low"] <= truth[name] <= row["high"]
    # Of 150 draws at 95 %, 2.7 are the standard error.
    assert all(count >= 150 * 0.95 - 3 * 2.7 for count in held.values()), held


def models() -> tuple[pd.DataFrame, pd.DataFrame, dict[str, pd.DataFrame]]:
    """Two judges of 30 users, of whom each lacks some, and two models."""
    draw = random.Random(5)
    labels = [(u, i, draw.choice([0, 0, 0, 1, 2, 3])) for u in range(30) for i in range(8)]
    a = pd.DataFrame(labels, columns=["userid", "itemid", "rel"])
    b = a.assign(rel=[rel * (1 - i % 2) for _, i, rel in labels])  # to whom odd items are of no use
    recs = {
        name: a.assign(score=[rel - weight * (i % 2) + draw.random() * 3 for _, i, rel in labels])
        for name, weight in (("x", 0), ("y", 3))
    }
    return a[a.userid > 1], b[b.userid < 28], recs


def test_who_is_favored_is_a_paired_test_of_gains() -> None:
    a, b, recs = models()
    found = ranking_udfs.agreement(a, b, recs, ["ndcg", "first_hit_rank@5"], [3, 5], check=False).df()
    assert found[["measure", "k"]].values.tolist() == [["ndcg", 3], ["ndcg", 5], ["first_hit_rank", 5]]
    for row in found.to_dict("records"):
        gains = {}
        for judge, labels in {"a": a, "b": b}.items():
            relation = ranking_udfs.evaluate(
                recs, labels, row["measure"], row["k"], by_user=True, check=False
            )
            values = relation.df().pivot(index="userid", columns="system", values=row["measure"])
            gains[judge] = (values.y - values.x)[lambda of: (of.index > 1) & (of.index < 28)]
            valid = gains[judge].dropna()
            assert is_close(row[f"difference_{judge}"], valid.mean(), 1e-12)
            assert is_close(row[f"p_{judge}"], stats.ttest_1samp(valid, 0).pvalue, 1e-9)
        gap = (gains["b"] - gains["a"]).dropna()
        assert is_close(row["difference"], gap.mean(), 1e-12)
        assert is_close(row["p"], stats.ttest_1samp(gap, 0).pvalue, 1e-9)
        is_higher_better = row["measure"] == "ndcg"
        favored = "b" if (gap.mean() > 0) == is_higher_better else "a"
        assert row["favored_by"] == ("unclear" if row["p"] >= 0.05 else favored)
    assert {*found.favored_by} == {"b"}


def test_labels_without_grades_or_users_in_common_are_errors(fails: Fails, run: Run) -> None:
    csv("a.csv", "userid,itemid,rel", "1,1,2", "1,2,0", "2,1,1")
    csv("b.csv", "userid,itemid,rel", "3,1,2", "3,2,0")
    csv("twice.csv", "userid,itemid,rel", "1,1,2", "1,1,0")
    rule = "must have a column of grades, such as rel: name it by --grade"
    assert fails(1, "agreement", "a.csv", "truth.csv") == f"truth.csv: {rule}"
    assert (
        fails(1, "agreement", "a.csv", "b.csv")
        == "there must be a user and item that both have graded, got none"
    )
    several = "twice.csv must have one grade for each user and item, got several of 1, 1"
    assert fails(1, "agreement", "a.csv", "twice.csv") == several
    see = " (see ranking-udfs agreement --help)"
    assert fails(2, "agreement", "a.csv") == f"Missing argument 'LABELS_B'{see}"
    for written in ("-m ndcg", "-k 5", "--min-grade 2", "--unjudged skip", "--ties trec", "--correction bh"):
        option, value = written.replace("-m ndcg", "--measures ndcg").replace("grade 2", "grade 2.0").split()
        rule = f"agreement: {option} must be left out without REC, got {value}"
        assert fails(2, "agreement", "a.csv", "a.csv", *written.split()) == rule
    two = "agreement: there must be two models or more, as in a=a.csv b=b.csv, got one"
    assert fails(2, "agreement", "rec.csv", "a.csv", "a.csv") == two
    both = ["x=rec.csv", "y=rec.csv"]
    assert (
        fails(1, "agreement", *both, "a.csv", "b.csv", "-q") == "agreement: no user has labels by both judges"
    )
    csv("c.csv", "userid,itemid,rel", "1,9,2", "2,8,1")
    assert "no item of truth is in rec" in fails(2, "agreement", *both, "c.csv", "c.csv", "-q")
    assert (
        fails(2, "agreement", *both, "a.csv", "a.csv", "-k", "0") == "agreement: -k must be 1 or more, got 0"
    )


def test_python_names_both_arguments_in_errors() -> None:
    a, b, _ = models()
    for wrong, rule in (
        (
            {"labels_b": b.drop(columns="rel")},
            "labels_b: must have a column of grades, such as rel: name it by grade_col",
        ),
        ({"labels_b": None}, "labels_b must be .*, got NoneType"),
        ({"measures": "ndcg"}, "measures must be left out without rec, got ndcg"),
        ({"without_relevant": "skip"}, "without_relevant must be zero with labels_b, got skip"),
        ({"ks": [5, 9]}, "ks must be left out without rec, got 5,9"),
        ({"confidence": 2}, "confidence must be a number above 0 and below 1, got 2"),
    ):
        with pytest.raises(ValueError, match=f"^agreement: {rule}$"):
            ranking_udfs.agreement(**{"labels_a": a, "labels_b": b} | wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^agreement: got an unexpected keyword argument 'margin'$"):
        ranking_udfs.agreement(a, b, margin=1)  # type: ignore[call-arg]
