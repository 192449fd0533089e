"""The first lines of a report: which model, by how much, how surely, and what stands against it."""

import re
from ast import literal_eval
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

import ranking_udfs
from ranking_udfs.evaluation import conclusion
from ranking_udfs.evaluation.words import column_decimals, format_mean, in_unit, speaking_of
from ranking_udfs.measures.grammar import parse_measure
from ranking_udfs.reporting.charts import leader_text
from ranking_udfs.reporting.findings import Findings
from tests.command import Run
from tests.conftest import Con, text_rows
from tests.conftest import rows as rows_of
from tests.pages import HTML, page_of, parsed, sections, tables_in, text_of

NDCG = ["--measures", "ndcg"]
OPTIONS: Any = {"confidence": 0.95, "correction": "holm", "test": "t", "margin": None}


def mean_row(system: str, mean: float, half: float | None) -> dict[str, Any]:
    low, high = (None, None) if half is None else (max(mean - half, 0), min(mean + half, 1))
    return {"system": system, "users": 30, "mean": mean, "low": low, "high": high}


def test_a_mean_in_words() -> None:
    """The width of an interval decides the decimals."""
    for measure, k, models, said in text_rows("a mean in words"):
        given = [row.split() for row in models.split("; ")]
        means = [mean_row(name, float(Fraction(mean)), literal_eval(half)) for name, mean, half in given]
        assert conclusion.headline_sentence(means, parse_measure(measure), literal_eval(k)) == said


def test_sentences_say_another_unit_and_names_of_columns_and_options_stay() -> None:
    for unit, text, said in text_rows("another unit"):
        with speaking_of(unit):
            assert in_unit(text) == said
    assert in_unit("users") == "users"
    row = {"system": "user 1", "users_with_relevant": 2, "users_without_relevant": 1, "threshold": 0.5}
    row |= {"wrongly_answered": 0, "wrongly_refused": 1, "refused_share": 0.5, "answered_share": 0.0}
    row |= {"auc": 1.0, "auc_low": None, "auc_high": None}
    with speaking_of("query"):
        refused = conclusion.refused_sentence([row])
        said, explained = conclusion.threshold_sentences([row])
    assert refused == "1 query without an answer: user 1 0 answered, 1 refused."
    assert said.startswith("user 1: AUC 1. Fewest errors (1) and smallest sum of the two shares, with")
    assert "pairs of a query with an answer" in explained
    assert explained.endswith("by these queries errs more often on others.")


def test_how_many_users_are_needed_is_said_with_its_condition() -> None:
    row = {"measure": "ndcg", "users_needed": 1_234, "users": 110, "difference": -0.0213}
    needed = (
        "Unclear with 110 users: if the true difference is {}, about {} would show it in 80 of 100 cases; "
    )
    for margin, count, said in (
        (None, 1_234, needed.format("the 0.021 seen", 1200) + "if it is half of that, 4900."),
        (0.05, 1_234, needed.format("as large as the margin, 0.05", 1200) + "if it is half of that, 4900."),
        (0.05, 90, "If the true difference were as large as the margin, 0.05, 110 users would show it in 80 "
         "of 100 cases."),
        (None, None, ""),
    ):  # fmt: skip
        assert conclusion.needed_sentence({**row, "users_needed": count}, {"margin": margin}) == said


def test_names_stay_whatever_the_unit_and_a_model_of_few_is_told(run: Run, files: None) -> None:
    """Models, segments and files are called users!, which nothing else is; bert leaves two thirds out."""
    lines = Path("bert.csv").read_text().splitlines()
    kept = [line for line in lines[1:] if int(line[1:].partition(",")[0]) % 3 == 0]
    Path("users!.csv").write_text("\n".join([lines[0], *kept]))
    segments = (f"u{i},{'the user!' if i % 2 else 'b'}\n" for i in range(120))
    Path("user!.csv").write_text("userid,user!\n" + "".join(segments))
    given = ["user!=als.csv", "users!=users!.csv", "pop=pop.csv", "relevant.csv", *NDCG, "-k", "10"]
    given += ["--segment", "user!.csv:user!", "--unit", "query"]
    found = sections(page_of(*given, "--baseline", "pop"))
    lead, *rest = (
        text_of(one) for one in found["The answer"].iter() if str(one.tag) in (f"{HTML}p", f"{HTML}li")
    )
    models = {"user!": "als.csv", "users!": "users!.csv", "pop": "pop.csv"}
    evaluated = ranking_udfs.evaluate(models, "relevant.csv", "ndcg", by_user=True, check=False)
    shared = evaluated.filter(f"userid IN {tuple(f'u{user}' for user in range(0, 119, 3))}")
    means = dict(shared.aggregate("system, avg(ndcg)").fetchall())
    assert means["users!"] > means["user!"] > means["pop"]
    where = "f the 40 queries with recommendations of every model"
    assert lead.startswith("user! ")
    assert lead.endswith(f" But o{where}, users! has the best mean.")
    told = ", ".join(f"{means[name]:.4f} with {name}" for name in ("users!", "user!", "pop"))
    assert f"O{where}, NDCG@10 is {told}." in rest
    assert "Queries in truth that are not in rec: users! 80 of 120 (67 %)." in rest

    del found["How it was made"]
    compared = run("compare", *given, "--baseline", "user!", "--explain", "--no-check")
    assert "queries lose with users! by NDCG@10" in compared
    for text in (compared, *map(text_of, found.values())):
        assert not re.search(r"\busers?\b(?!!)", text, re.IGNORECASE), text
        assert not re.search(r"\b(query|queries)!", text, re.IGNORECASE), text


def test_problems_at_this_k_stand_against_a_verdict_by_severity_and_share() -> None:
    def row(severity: str, code: str, problem: str, count: int, **more: Any) -> dict[str, Any]:
        of = {"system": None, "k": None, "write": None, "example": None, "of": 943}
        return {"severity": severity, "code": code, "problem": problem, "count": count, **of, **more}

    tied = ("ties_at_k", "rec: users with tied scores at k = 5")
    missing = ("not_in_rec", "users in truth that are not in rec")
    below = ("upside_down", "rec: users whose relevant items stand below")
    expected = {"k": 5, "write": "write --ties expected"}
    rows = [
        row("warning", *missing, 628, system="knn"),
        row("info", *missing, 12, system="als"),
        *(row("warning", *tied, n, system=name, **expected) for name, n in (("als", 99), ("knn", 50))),
        row("warning", "ties_at_k", "rec: users with tied scores at k = 10", 900, system="als", k=10),
        row("error", *below, 700, system="knn", of=800),
        row("warning", "null_item", "rec: itemid is NULL", 9, system="als"),
        row("warning", "null_user", "rec: userid is NULL", 3, system="knn"),
        row("error", "user_spelling", "users that match truth but for case", 2),
        row("error", "no_rows", "rec: no rows", 1, of=None),
    ]
    wrong, others = conclusion.caveats(rows, [5, None])
    assert wrong == [
        "No rows: 1.",
        "Users whose relevant items stand below: knn 700 of 800 (88 %).",
        "Users that match truth but for case: 2 of 943 (< 1 %).",
    ]
    assert others == [
        "Users in truth that are not in rec: knn 628 of 943 (67 %).",
        "Users with tied scores at k = 5: als 99 of 943 (10 %), knn 50 of 943 (5 %); write --ties expected.",
        "Of less than 1 %: Itemid is NULL: als 9 of 943 (< 1 %). Userid is NULL: knn 3 of 943 (< 1 %).",
    ]


@pytest.mark.parametrize(("measure", "models", "said"), text_rows("titles of charts"))
def test_a_title_says_who_is_best(measure: str, models: str, said: str) -> None:
    means = {name: [*map(float, values)] for name, *values in (row.split() for row in models.split("; "))}
    choice, findings = parse_measure(measure), cast(Findings, SimpleNamespace(systems=[*means]))
    rows: list[dict[str, Any]] = [
        {"system": system, "k": k, "mean": mean, "users": 9}
        for system, values in means.items()
        for k, mean in zip(choice.cuts, values, strict=True)
    ]
    assert leader_text(findings, choice, rows) == said
    assert leader_text(findings, choice, [row | {"users": 0} for row in rows]) == ": no user has a value"
    if len(means) > 1:  # means of different users have no order
        others = [row | {"users": place} for place, row in enumerate(rows, 1)]
        assert leader_text(findings, choice, others) == ""


def test_the_narrowest_interval_decides_the_decimals_of_a_column() -> None:
    assert column_decimals([0.5, 0.25], [0.1, 0.0123, None]) == 3
    assert column_decimals([0.5, 0.0001]) == 4
    assert column_decimals([1234.5]) == 0
    assert column_decimals([]) == 3
    assert format_mean(0.5, 0.4877, 0.5123) == ("0.500", "± 0.012")
    assert format_mean(0.98, 0.87, 1.0, decimals=3) == ("0.980", "(0.870 to 1.000)")
    assert format_mean(0.5, None, None, decimals=3) == ("0.500", "")


def test_an_effect_beyond_the_range_of_a_measure_is_not_shown(con: Con) -> None:
    """Half of the users win by 1 and half lose: of 4 an effect of 2.4 would show, of 40 one of 0.46."""
    for users, shown in ((4, False), (40, True)):
        con.execute(f"""CREATE OR REPLACE TABLE by_user AS
            SELECT system, userid, (system = 'b') = (userid % 2 = 0) AS ndcg
            FROM range({users}) users(userid), (VALUES ('a'), ('b')) systems(system)""")
        (row,) = rows_of(con, "SELECT *, 5 AS k FROM ranking.compare_by_user('by_user', baseline := 'a')")
        assert (row["minimum_detectable_effect"] > 1) is not shown
        said = conclusion.sentence(row, OPTIONS, 1, 4)
        assert ("would show in 80 of 100 cases" in said) is shown


@pytest.mark.usefixtures("files")
def test_rows_of_segments_have_their_users_and_few_are_told(run: Run) -> None:
    call = ["als=als.csv", "bert=bert.csv", "relevant.csv", "-m", "ndcg@5", "--segment", "users.csv:country"]
    call += ["--quiet"]
    counts = {"(none)": 10, "DK": 22, "NO": 44, "SE": 44}
    few = "Segments of fewer than 20 users: (none) (10)."
    said = run("compare", *call, "--baseline", "als")
    assert f"Against this: {few}\n" in said
    assert max(map(len, said.splitlines())) <= 80
    assert {
        one: int(n) for one, n in re.findall(r"^NDCG@5 +(\S+) +(\d+) +bert ", said, re.MULTILINE)
    } == counts
    assert few in run("evaluate", *call)
    html = page_of(*call, "--baseline", "als")
    assert few in text_of(sections(html)["The answer"])
    assert "Model" not in {name for table in tables_in(parsed(html)) for name in table[0]}


@pytest.mark.usefixtures("files")
def test_five_who_lose_and_win_most_are_shown_and_ten_with_explain(run: Run) -> None:
    call = ["compare", "als=als.csv", "bert=bert.csv", "relevant.csv", "-m", "ndcg@5", "--no-check"]
    for more, count in (([], 5), (["--format", "markdown"], 5), (["--explain"], 10)):
        said = run(*call, *more)
        assert len(re.findall(r"^\W*u\d+ ", said, re.MULTILINE)) == 2 * count
        assert len(re.findall(rf"\d+ of 120 users (?:lose|win) with bert .*; the {count} that", said)) == 2
