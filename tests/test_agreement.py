"""Test the agreement of two judges: worked by hand, loops, scikit-learn and the package krippendorff."""

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
from tests.conftest import Con, is_close, module_connection, rows

KAPPAS = {"kappa": None, "kappa_linear": "linear", "kappa_quadratic": "quadratic"}
Pair = tuple[int, float, float]  # user, grade of a, grade of b

con = module_connection()


def agreement(con: Con, pairs: Sequence[Pair], options: str = "") -> dict[str, dict[str, Any]]:
    """Return the rows by statistic, of labels of which both judges have all."""
    con.register("labels", pd.DataFrame([(i, *pair) for i, pair in enumerate(pairs)], columns=list("iuab")))
    for judge in "ab":
        query = f"SELECT u AS userid, i AS itemid, {judge} AS rel FROM labels"
        con.execute(f"CREATE OR REPLACE TABLE judge_{judge} AS {query}")
    found = rows(con, f"FROM ranking.agreement('judge_a', 'judge_b'{options})")
    return {row["statistic"]: row for row in found}


def chance_corrected(pairs: Sequence[Pair], distance: Callable[[float, float], float]) -> float:
    """Compute 1 - the mean distance / its mean over all pairs of a grade of a and one of b."""
    differs = sum(distance(a, b) for _, a, b in pairs) / len(pairs)
    by_chance = sum(distance(a, b) for (_, a, _), (_, _, b) in product(pairs, pairs)) / len(pairs) ** 2
    return 1 - differs / by_chance


def alpha(pairs: Sequence[Pair]) -> float:
    """Compute Krippendorff's alpha: by chance, two of all grades are drawn without replacement."""
    grades = [grade for _, *both in pairs for grade in both]
    differs = sum((a - b) ** 2 for _, a, b in pairs) / len(pairs)
    by_chance = sum((a - b) ** 2 for a, b in product(grades, grades))
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
    pairs = []
    for user in (user for user in range(users) for _ in range(draw.randint(1, 6))):
        a = draw.choice(grades)
        pairs.append((user, a, a if draw.random() < 0.6 else draw.choice(grades)))
    return pairs


def test_statistics_of_four_pairs_worked_by_hand(con: Con) -> None:
    """Grade 2 0 1 0 and 2 0 2 0: six of sixteen pairs are equal by chance, and so on."""
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
    error = math.sqrt(2 / 3 * sum((share - sum(left) / 3) ** 2 for share in left))
    assert found["agreement"]["standard_error"] == pytest.approx(error, abs=1e-15)
    assert (found["agreement"]["users"], found["agreement"]["pairs"]) == (3, 4)
    assert (found["agreement"]["low"], found["agreement"]["high"]) == (0, 1)  # t of 2 is 4.3


@pytest.mark.parametrize("grades", [[0, 1], [0, 1, 2, 3], [-1, 0, 3, 10], [0.1, 0.25, 0.7], [1e6, 1e6 + 1]])
def test_statistics_and_jackknife_match_loops(con: Con, grades: list[float]) -> None:
    for pairs in (drawn(seed, grades) for seed in range(3)):
        users = {user for user, *_ in pairs}
        found = agreement(con, pairs, ", confidence := 0.9")
        t = stats.t.ppf(0.95, len(users) - 1)
        for name, define in DEFINED.items():
            value = define(pairs)
            left = [define([pair for pair in pairs if pair[0] != user]) for user in users]
            error = math.sqrt((len(users) - 1) * np.var(left))
            low = max(value - t * error, 0 if name == "agreement" else -math.inf)
            high = min(value + t * error, math.inf if name == "mean_difference" else 1)
            shown = [found[name][column] for column in ("value", "standard_error", "low", "high")]
            assert shown == pytest.approx([value, error, low, high], rel=1e-9, abs=1e-9), name


def test_kappas_match_scikit_learn(con: Con) -> None:
    """Name all integers as labels: its weights are differences of positions."""
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
def test_alpha_matches_package_krippendorff(con: Con, a: list[int], b: list[int], expected: float) -> None:
    """Expect the results of krippendorff 0.9.0 with NumPy 2.4.6, alpha(level_of_measurement='interval')."""
    found = agreement(con, list(zip(range(len(a)), a, b, strict=True)))
    assert is_close(found["krippendorff_alpha"]["value"], expected, 1e-12)


def test_undefined_values_have_a_note(con: Con) -> None:
    def check(pairs: Sequence[Pair], names: str, value: float | None, note: str) -> None:
        for name in names.split():
            row = agreement(con, pairs)[name]
            assert (row["low"], row["high"], row["standard_error"]) == (None, None, None)
            assert (row["value"], row["note"]) == (value, note)

    one_grade = [(1, 2, 2), (2, 2, 2)]
    check(one_grade, " ".join((*KAPPAS, "krippendorff_alpha")), None, "only one grade occurs: 2.0")
    check(one_grade, "agreement", 1, "no interval: it is the same whichever user is left out")
    check([(1, 0, 1), (1, 2, 2)], "agreement", 0.5, "no interval: all labels are of one user")
    rare = [(1, 0, 0), (2, 1, 1), (3, 1, 1)]
    check(rare, "kappa", 1, "no interval: without one user, only one grade occurs")
    apart = agreement(con, [(1, 0, 1), (2, 0, 1), (3, 0, 1)])  # two grades, one for each judge
    assert [apart[name]["value"] for name in ("agreement", *KAPPAS)] == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("(userid / 10)::FLOAT", "(userid / 10)::FLOAT::VARCHAR::DOUBLE", 1),
        ("(userid / 10)::FLOAT", "(userid / 10)::FLOAT::VARCHAR::DECIMAL(5, 2)", 1),
        ("userid % 2", "userid % 2 = 0", 0),
    ],
)
def test_grades_of_different_types_are_equal_as_written(con: Con, a: str, b: str, expected: int) -> None:
    """Treat 0.1 of FLOAT as 0.1 of DOUBLE and of DECIMAL, and true as 1."""
    judges = (f"{name} AS (SELECT *, {rel} AS rel FROM labels)" for name, rel in (("a", a), ("b", b)))
    labels = "labels AS (SELECT i AS userid, 1 AS itemid FROM range(4) t(i))"
    query = f"WITH {labels}, {', '.join(judges)} SELECT value FROM ranking.agreement('a', 'b') LIMIT 1"
    assert con.sql(query).fetchall() == [(expected,)]


def test_rounding_errors_give_no_interval(con: Con) -> None:
    """Give each user the same three pairs: without one user, the rest is the same except for rounding."""
    pairs = [(user, *grades) for user in range(11) for grades in ((0.1, 0.7), (0.3, 0.3), (0.7, 0.1))]
    assert {row["standard_error"] for row in agreement(con, pairs).values()} == {None}
    pairs[0] = (0, 0.3, 0.3)
    assert None not in {row["low"] for row in agreement(con, pairs).values()}


@pytest.mark.parametrize(
    ("grades", "users", "sentence"),
    [
        ("12", 6, "A is stricter."),
        ("21", 6, "B is stricter."),
        ("12", 5, "The judges do not differ significantly in strictness."),  # 2 / 2^5 is above 0.05
        ("11", 6, "Neither is stricter."),
        ("11", 1, "Neither is stricter."),
    ],
)
def test_judge_who_is_always_stricter_is_named(run: Run, grades: str, users: int, sentence: str) -> None:
    for name, grade in zip("ab", grades, strict=True):
        csv(f"{name}.csv", "userid,itemid,rel", *(f"{user},1,{grade}" for user in range(users)))
    text, s = " ".join(run("agreement", "a.csv", "b.csv").split()), "s" * (users > 1)
    assert sentence in text
    assert f"{users} pair{s} of a user and an item graded by both, of {users} user{s};" in text


def test_only_pairs_graded_by_both_are_counted(con: Con) -> None:
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
def test_jackknife_intervals_have_nominal_coverage(con: Con) -> None:
    """Draw 25 queries of 6 labels 150 times; labels of a query share its difficulty and the judges' moods."""
    chance, cuts = np.random.default_rng(71), [-0.25, 0.4, 1.0]

    def judged(users: int) -> list[Pair]:
        def normal(of_user: float, of_pair: float) -> Any:
            return chance.normal(0, of_user, (users, 1)) + chance.normal(0, of_pair, (users, 6))

        relevant = normal(0.55, 0.84)
        a, b = (np.digitize(relevant + normal(0.35, 0.35), cuts) for _ in "ab")
        return [(u, int(a[u, i]), int(b[u, i])) for u in range(users) for i in range(6)]

    truth = {name: row["value"] for name, row in agreement(con, judged(20_000)).items()}
    draws = [agreement(con, judged(25)) for _ in range(150)]
    for name, value in truth.items():
        held = sum(draw[name]["low"] <= value <= draw[name]["high"] for draw in draws)
        assert held >= 150 * 0.95 - 3 * 2.7, name  # the standard error is 2.7


def models() -> tuple[pd.DataFrame, pd.DataFrame, dict[str, pd.DataFrame]]:
    """Make labels of 30 users by two judges, each without some users, and two models."""
    draw = random.Random(5)
    labels = [(u, i, draw.choice([0, 0, 0, 1, 2, 3])) for u in range(30) for i in range(8)]
    a = pd.DataFrame(labels, columns=["userid", "itemid", "rel"])
    b = a.assign(rel=[rel * (1 - i % 2) for _, i, rel in labels])  # to whom odd items are of no use
    recs = {
        name: a.assign(score=[rel - weight * (i % 2) + draw.random() * 3 for _, i, rel in labels])
        for name, weight in (("x", 0), ("y", 3))
    }
    return a[a.userid > 1], b[b.userid < 28], recs


@pytest.mark.slow
def test_favored_model_comes_from_paired_test_of_gains() -> None:
    a, b, recs = models()
    found = ranking_udfs.agreement(a, b, recs, ["ndcg", "first_hit_rank@5"], [3, 5], check=False).df()
    assert found[["measure", "k"]].values.tolist() == [["ndcg", 3], ["ndcg", 5], ["first_hit_rank", 5]]
    for row in found.to_dict("records"):
        measure, gains = row["measure"], {}
        for judge, labels in {"a": a, "b": b}.items():
            values = ranking_udfs.evaluate(recs, labels, measure, row["k"], by_user=True, check=False).df()
            of_models = values.pivot(index="userid", columns="system", values=measure)
            gains[judge] = (of_models.y - of_models.x)[lambda of: (of.index > 1) & (of.index < 28)]
        gains[""] = gains["b"] - gains["a"]
        for suffix, gain in {f"_{judge}".rstrip("_"): gain.dropna() for judge, gain in gains.items()}.items():
            assert is_close(row[f"difference{suffix}"], gain.mean(), 1e-12)
            assert is_close(row[f"p{suffix}"], stats.ttest_1samp(gain, 0).pvalue, 1e-9)
        favored = "b" if (row["difference"] > 0) == (measure == "ndcg") else "a"
        assert row["favored_by"] == ("unclear" if row["p"] >= 0.05 else favored)
    assert {*found.favored_by} == {"b"}


WITHOUT_REC = "agreement: {} must be left out without REC, got {}"
# fmt: off
ERRORS = [
    (1, "a.csv truth.csv", "truth.csv: must have a column of grades, such as rel: name it by --grade"),
    (1, "a.csv b.csv", "there must be a user and item that both have graded, got none"),
    (1, "a.csv twice.csv", "twice.csv must have one grade for each user and item, got several of 1, 1"),
    (2, "a.csv", "Missing argument 'LABELS_B' (see ranking-udfs agreement --help)"),
    (2, "a.csv a.csv -m ndcg", WITHOUT_REC.format("--measures", "ndcg")),
    (2, "a.csv a.csv -k 5", WITHOUT_REC.format("-k", "5")),
    (2, "a.csv a.csv --min-grade 2", WITHOUT_REC.format("--min-grade", "2.0")),
    (2, "a.csv a.csv --unjudged skip", WITHOUT_REC.format("--unjudged", "skip")),
    (2, "a.csv a.csv --ties trec", WITHOUT_REC.format("--ties", "trec")),
    (2, "a.csv a.csv --correction bh", WITHOUT_REC.format("--correction", "bh")),
    (2, "rec.csv a.csv a.csv", "agreement: there must be two models or more, as in a=a.csv b=b.csv, got one"),
    (1, "x=rec.csv y=rec.csv a.csv b.csv -q", "agreement: no user has labels by both judges"),
    (2, "x=rec.csv y=rec.csv c.csv c.csv -q", "no item of truth is in rec: 2 of 2 (x, rec.csv), for example "
        "itemid 8 in truth, 1 in rec; write --allow-empty if that is right"),
    (2, "x=rec.csv y=rec.csv a.csv a.csv -k 0", "agreement: -k must be 1 or more, got 0"),
]
# fmt: on


@pytest.mark.parametrize(("code", "arguments", "error"), ERRORS)
def test_wrong_calls_of_agreement_are_errors(fails: Fails, code: int, arguments: str, error: str) -> None:
    csv("a.csv", "userid,itemid,rel", "1,1,2", "1,2,0", "2,1,1")
    csv("b.csv", "userid,itemid,rel", "3,1,2", "3,2,0")
    csv("c.csv", "userid,itemid,rel", "1,9,2", "2,8,1")
    csv("twice.csv", "userid,itemid,rel", "1,1,2", "1,1,0")
    assert fails(code, "agreement", *arguments.split()) == error


@pytest.mark.parametrize(
    ("wrong", "rule"),
    [
        ({"labels_b": models()[1][["userid", "itemid"]]},
         "labels_b: must have a column of grades, such as rel: name it by grade_col"),
        ({"labels_b": None}, "labels_b must be .*, got NoneType"),
        ({"measures": "ndcg"}, "measures must be left out without rec, got ndcg"),
        ({"without_relevant": "skip"}, "without_relevant must be zero with labels_b, got skip"),
        ({"ks": [5, 9]}, "ks must be left out without rec, got 5,9"),
        ({"confidence": 2}, "confidence must be a number above 0 and below 1, got 2"),
        ({"margin": 1}, "got an unexpected keyword argument 'margin'"),
    ],
)  # fmt: skip
def test_errors_of_python_name_their_argument(wrong: Any, rule: str) -> None:
    a, b, _ = models()
    with pytest.raises((ValueError, TypeError), match=f"^agreement: {rule}$") as raised:
        ranking_udfs.agreement(**{"labels_a": a, "labels_b": b} | wrong)
    assert isinstance(raised.value, TypeError) == ("unexpected" in rule)
