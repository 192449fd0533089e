"""Test the sentences of a report: the best model, by how much, with what confidence, and caveats."""

# ruff: noqa: E501
import re
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, cast

import pytest

from ranking_udfs.evaluation import conclusion
from ranking_udfs.evaluation.comparison import with_caveats
from ranking_udfs.evaluation.pairs import ModelOrder
from ranking_udfs.evaluation.words import column_decimals, format_mean
from ranking_udfs.measures.grammar import parse_measure
from ranking_udfs.reporting.charts import leader_text
from ranking_udfs.reporting.findings import Findings
from ranking_udfs.texts import units, using_unit, with_unit
from tests.command import Run
from tests.conftest import Con
from tests.conftest import rows as rows_of

# fmt: off
# A measure, k, the mean of each model with half of its interval, and the sentence.
MEANS = [
    ("hit_rate", 5, "als 22/30 0.04; pop 0.5 0.05",
     "With als, 73% (22 of 30; 69 to 77%) of users have a relevant item among the first 5; with pop it is 50% (15 of 30; 45 to 55%)."),
    ("recall", None, "als 0.996 0.005; pop 0.02 0.004",
     "With als, 99.6% (99.1 to 100.0%; 30 users) of a user's relevant items are in the list; with pop it is 2.0% (1.6 to 2.4%; 30 users)."),
    ("precision", 1, "als 0.25 0.3", "With als, 25% (0 to 55%; 30 users) of the recommendations in first place are relevant."),
    ("ndcg(gain=linear)", 10, "als 0.1234 0.011; pop 0.1",
     "With als, NDCG@10 (gain=linear) is 0.123 (0.112 to 0.134); with pop it is 0.100."),
    ("recall(normalize=min)", 5, "als 0.5", "With als, Recall@5 (normalize=min) is 0.5000."),
]
UNITS = [
    ("query", "Queries: 3 queries of a query"),
    ("order", "Orders: 3 orders of an order"),
    ("search box", "Search boxes: 3 search boxes of a search box"),
    ("Day", "Days: 3 Days of a Day"),
    ("user", "Users: 3 users of a user"),
]
# A measure, the means of each model, those with a significant lead at each k, and the title.
TITLES = [
    ("ndcg@5,10", "a 0.5 0.7; b 0.4 0.6", "a a", ": a leads at every k"),
    ("ndcg@5,10", "a 0.5 0.7; b 0.4 0.6", "a -", ": a leads at k = 5"),
    ("ndcg@5,10", "a 0.5 0.7; b 0.4 0.8", "a b", ": a leads at k = 5"),
    ("ndcg@5,10", "a 0.5 0.7; b 0.5 0.7", "- -", ": no significant lead"),
    ("ndcg@9", "a 0.5; b 0.5", "-", ": no significant lead"),
    ("first_hit_rank@9", "a-name-of-so-many-characters 2.5; b 3.0", "a-name-of-so-many-characters", ": a-name-of-so-... leads"),
    ("hits@9", "a 2.5", "", ": 2.5"),
    ("hits@5,7,9", "a 1.5 2 2.5", "", ": 1.5 at 5, 2.5 at 9"),
]
# fmt: on


@pytest.mark.parametrize(("measure", "k", "models", "sentence"), MEANS)
def test_headline_describes_mean_in_words(measure: str, k: int | None, models: str, sentence: str) -> None:
    """Expect as many decimals as the width of the interval allows."""
    means = []
    for name, text, *half in (model.split() for model in models.split("; ")):
        mean = float(Fraction(text))
        ends: dict[str, float | None] = {"low": None, "high": None}
        if half:
            ends = {"low": max(mean - float(half[0]), 0), "high": min(mean + float(half[0]), 1)}
        means.append({"system": name, "users": 30, "mean": mean, **ends})
    assert conclusion.headline_sentence(means, parse_measure(measure), k) == sentence


def test_unit_replaces_users_in_sentences_only() -> None:
    for unit, expected in UNITS:
        with using_unit(unit):
            assert with_unit("{Units}: 3 {units} of {a_unit}") == expected
            assert (with_unit("{unit}"), with_unit("{k}")) == (units(1), "{k}")
    assert with_unit("{Unit}") == "User"
    row = {"system": "user 1", "users_with_relevant": 2, "users_without_relevant": 1, "threshold": 0.5}
    row |= {"wrongly_answered": 0, "wrongly_refused": 1, "refused_share": 0.5, "answered_share": 0.0}
    row |= {"auc": 1.0, "auc_low": None, "auc_high": None}
    with using_unit("query"):
        refused = conclusion.refused_sentence([row])
        areas, explained = conclusion.threshold_sentences([row])
    assert refused == "1 unanswerable query: user 1 0 answered, 1 refused."
    assert areas.startswith("user 1: AUC 1. Fewest errors (1) and smallest sum of the two shares, with")
    assert "pairs of an answerable and an unanswerable query in which the answerable query has" in explained
    assert explained.endswith("chosen on these queries makes more errors on other queries.")


def test_users_needed_are_reported_with_condition() -> None:
    row = {"measure": "ndcg", "users_needed": 1_234, "users": 110, "difference": -0.0213}
    needed = "Inconclusive with 110 users. If the true difference {}, about 1,200 users are needed in all to detect it with 80% power; if it is half of that, 4,900."
    fewer = (
        "If the true difference equals the margin, 0.05, 110 users are enough to detect it with 80% power."
    )
    for margin, count, sentence in (
        (None, 1_234, needed.format("is the observed 0.021")),
        (0.05, 1_234, needed.format("equals the margin, 0.05")),
        (0.05, 90, fewer),
        (None, None, ""),
    ):
        assert conclusion.needed_sentence({**row, "users_needed": count}, {"margin": margin}) == sentence
    of_column = {**row, "measure": "latency_ms"}  # a margin is in the unit of measures
    assert "is the observed 0.021" in conclusion.needed_sentence(of_column, {"margin": 0.05})


@pytest.mark.parametrize("test", ["t", "randomization"])
def test_footnote_names_each_other_test(con: Con, test: str) -> None:
    """Let a segment have differences of one kind each: any, equal, zero, those of few users, one user's."""
    con.execute("""CREATE OR REPLACE TABLE by_user AS
        SELECT segment, system, userid, 5 AS k, CASE segment
            WHEN 'zero' THEN 0.3 WHEN 'equal' THEN 0.5 + (system = 'b')::INTEGER / 4
            ELSE hash(userid, system) % 97 / 97 END AS ndcg
        FROM (VALUES ('any', 40), ('zero', 8), ('equal', 9), ('few', 12), ('one', 1)) sizes(segment, n),
            range(n) users(userid), (VALUES ('a'), ('b')) systems(system)""")
    rows = rows_of(con, f"FROM ranking.compare_by_user('by_user', baseline := 'a', test := '{test}')")
    options: Any = {"confidence": 0.95, "correction": "holm", "test": test, "margin": None, "steps": False}
    usual, _, others = conclusion.footnote(options, rows).partition(" Other tests: ")
    of = "b against a in NDCG@5, {}".format
    exact = f"exact randomization test ({of('equal')} and {of('few')})"
    sign = f"sign test, since all users differ by the same ({of('equal')})"
    assert {"t": "paired t-test", "randomization": "paired randomization test"}[test] in usual
    assert {*others.removesuffix(".").split("; ")} == {
        f"none, since the values of all users are equal ({of('zero')})",
        f"none, for lack of users ({of('one')})",
        sign if test == "t" else exact,
    }


def test_few_users_with_both_lists_are_told() -> None:
    row = {"measure": "mrr", "users": 9, "users_undefined": 0, "baseline": "a", "system": "b"}
    *_, text = conclusion.users_texts(row | {"users_without_rec_baseline": 4, "users_without_rec_system": 3})
    assert text == "; the test is paired, and few users have lists from both"


def test_words_of_wins_depend_on_the_direction_of_measures() -> None:
    mrr, novelty = {"measure": "mrr"}, {"measure": "novelty"}
    assert conclusion.won_text([mrr]) == "wins, ties, loses"
    assert conclusion.won_text([novelty]) == "is higher, the same, lower"
    assert conclusion.won_text([mrr, novelty]) == (
        "wins, ties, loses (of novelty: is higher, the same, lower)"
    )


def test_repeats_are_told_where_there_are_some() -> None:
    row = {
        "system": "als",
        "popularity_lift": None,
        "coverage": 0.125,
        "users": 9,
        "users_without_history": 0,
    }
    assert len(conclusion.beyond_accuracy_sentences([row | {"repeats": 0.0}], has_items=False)) == 1
    *_, repeats = conclusion.beyond_accuracy_sentences([row | {"repeats": 0.031}], has_items=False)
    assert repeats == "als recommends items already in the user's history: 3.1% of the items."


def test_losses_of_best_model_in_segments_come_first() -> None:
    """Only losses to the baseline, and of the baseline if it is the best, are told."""
    row = {"baseline": "a", "measure": "ndcg", "k": 5, "difference": 0.1, "p_adjusted": 0.01}
    row |= {"low": None, "high": None, "mean_baseline": 0.5, "mean_system": 0.6, "wins": 1, "losses": 2}
    row |= {"users_without_rec_baseline": 0, "users_without_rec_system": 0}
    verdicts = [("x", "b", "worse"), ("x", "c", "better"), ("y", "b", "="), ("y", "c", "worse")]
    rows = [row | dict(zip(("segment", "system", "verdict"), of, strict=True)) for of in verdicts]
    for best, expected in (("a", ["xac", "xba", "yca"]), ("b", ["xba", "yca"]), ("c", ["yca", "xba"])):
        order = cast(ModelOrder, SimpleNamespace(means=dict.fromkeys([best])))
        texts = conclusion.worse_segments(rows, order, "a")
        worse = re.compile(r"(\w) is significantly worse than (\w) in NDCG@5 by 0.1")
        found = [text[8] + "".join(pair) for text in texts for pair in worse.findall(text)]
        assert sorted(found) == sorted(expected)
        assert found[0] == expected[0]


def test_caveats_are_ordered_by_severity_and_share() -> None:
    def row(severity: str, code: str, problem: str, count: int, **more: Any) -> dict[str, Any]:
        of = {"system": None, "k": None, "write": None, "example": None, "of": 943}
        return {"severity": severity, "code": code, "problem": problem, "count": count, **of, **more}

    tied = ("ties_at_k", "rec: users with tied scores at k = 5")
    missing = ("not_in_rec", "users in truth that are not in rec")
    expected = {"k": 5, "write": "write --ties expected"}
    rows = [
        row("warning", *missing, 628, system="knn"),
        row("info", *missing, 12, system="als"),
        *(row("warning", *tied, n, system=name, **expected) for name, n in (("als", 99), ("knn", 50))),
        row("warning", "ties_at_k", "rec: users with tied scores at k = 10", 900, system="als", k=10),
        row("error", "upside_down", "rec: users whose relevant items stand below", 700, system="knn", of=800),
        row("warning", "null_in_rec", "rec: itemid is NULL or NaN", 9, system="als"),
        row("warning", "null_grade", "truth: rel is NULL", 3),
        row("error", "spelling", "users that match truth but for case", 2),
        row("error", "no_rows", "rec: no rows", 1, of=None),
    ]
    wrong, others = conclusion.caveats(rows, [5, None])
    assert wrong == [
        "rec: no rows: 1.",
        "rec: users whose relevant items stand below: knn 700 of 800 (88%).",
        "users that match truth but for case: 2 of 943 (< 1%).",
    ]
    of_fewer = [
        "users in truth that are not in rec: knn 628 of 943 (67%).",
        "rec: users with tied scores at k = 5: als 99 of 943 (10%), knn 50 of 943 (5%); write --ties expected.",
        "Below 1%: rec: itemid is NULL or NaN: als 9 of 943 (< 1%). truth: rel is NULL: 3 of 943 (< 1%).",
    ]
    assert others == of_fewer
    more = "rec: users with tied scores at k = 10: als 900 of 943 (95%)."
    assert conclusion.caveats(rows, [5, 10]) == (wrong, [more, *of_fewer])


def test_caveats_of_a_comparison_are_those_of_its_models_and_cutoff(con: Con) -> None:
    problems = [
        {"severity": "warning", "system": "a", "k": None, "code": "not_in_rec"},
        {"severity": "error", "system": None, "k": 10, "code": "ties_at_k"},
        {"severity": "info", "system": "b", "k": None, "code": "repeats"},
    ]
    compared = (
        "(VALUES ('a', 'b', 5, 'few_differ'), ('c', 'a', 9, NULL), ('b', 'c', 5, NULL), ('b', 'c', 10, NULL))"
    )
    query = with_caveats(f"FROM {compared} AS t(baseline, system, k, caveats)", problems)
    found = [row["caveats"] or None for row in rows_of(con, query)]
    assert found == ["few_differ,not_in_rec", "not_in_rec", None, "ties_at_k"]


@pytest.mark.parametrize(("measure", "models", "leads", "title"), TITLES)
def test_chart_title_names_significantly_best_model(
    measure: str, models: str, leads: str, title: str
) -> None:
    means = {name: [*map(float, values)] for name, *values in (row.split() for row in models.split("; "))}
    choice = parse_measure(measure)
    orders = {
        (choice.name, k): SimpleNamespace(best={"system": lead}, is_significant=lead != "-")
        for k, lead in zip(choice.cuts, leads.split(), strict=False)
    }
    findings = cast(Findings, SimpleNamespace(systems=[*means], orders=orders))
    keyed = [(system, *at) for system in means for at in zip(choice.cuts, means[system], strict=True)]
    names = ("system", "k", "mean", "users")
    rows: list[dict[str, Any]] = [dict(zip(names, (*row, 9), strict=True)) for row in keyed]
    assert leader_text(findings, choice, rows) == title
    assert leader_text(findings, choice, [row | {"users": 0} for row in rows]) == ": no user has a value"
    if len(means) > 1:  # means of different users have no order
        unordered = cast(Findings, SimpleNamespace(systems=[*means], orders={}))
        assert leader_text(unordered, choice, rows) == ""


def test_narrowest_interval_sets_decimals_of_column() -> None:
    assert column_decimals([0.5, 0.25], [0.1, 0.00123, None]) == 4
    assert column_decimals([0.5, 0.0001]) == 4
    assert column_decimals([0.5, 0.25], [0.2]) == 3
    assert column_decimals([1234.5]) == 0
    assert column_decimals([]) == 3
    assert format_mean(0.5, 0.4877, 0.5123) == ("0.500", "± 0.012")
    assert format_mean(12345.678, 12344.567, 12346.789) == ("12,346", "± 1")
    assert format_mean(0.98, 0.87, 1.0, decimals=3) == ("0.980", "(0.870 to 1.000)")
    assert format_mean(0.5, None, None, decimals=3) == ("0.500", "")


@pytest.mark.parametrize(("users", "is_shown"), [(6, False), (40, True)])
def test_detectable_effect_beyond_range_is_not_shown(con: Con, users: int, is_shown: bool) -> None:
    """Let half of the users win by 1: 6 users could show an effect of 1.6, 40 users one of 0.46."""
    con.execute(f"""CREATE OR REPLACE TABLE by_user AS
        SELECT system, userid, (system = 'b') = (userid % 2 = 0) AS ndcg
        FROM range({users}) users(userid), (VALUES ('a'), ('b')) systems(system)""")
    (row,) = rows_of(con, "SELECT *, 5 AS k FROM ranking.compare_by_user('by_user', baseline := 'a')")
    assert (row["minimum_detectable_effect"] > 1) is not is_shown
    options: Any = {"confidence": 0.95, "correction": "holm", "test": "t", "margin": None}
    sentence = conclusion.sentence(row, options, 1, 4)
    assert (re.search(r"; with 80% power, \S+ would be detected\.$", sentence) is not None) is is_shown


@pytest.mark.usefixtures("files")
def test_five_losers_and_winners_are_shown_ten_with_explain(run: Run) -> None:
    call = ["compare", "als=als.csv", "bert=bert.csv", "relevant.csv", "-m", "ndcg@5", "--no-check"]
    for more, count in (([], 5), (["--format", "markdown"], 5), (["--explain"], 10)):
        text = run(*call, *more)
        assert len(re.findall(r"^\W*u\d+ ", text, re.MULTILINE)) == 2 * count
        assert len(re.findall(rf"\d+ of 120 users (?:lose|win) with bert .*; the top {count}\b", text)) == 2
