"""Reports: what is against an answer, and in the lists, beside what SQL and a slow definition say; errors."""

import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from scipy import stats

import ranking_udfs
from ranking_udfs.command.cli import main
from ranking_udfs.evaluation.conclusion import contents_sentences
from ranking_udfs.evaluation.errors import DataError
from ranking_udfs.reporting.findings import report_time
from tests.command import NDCG, Fails, Run, csv
from tests.conftest import Con, Patch
from tests.pages import (
    COLUMNS,
    FILES,
    HTML,
    SEGMENT,
    in_folder,
    is_shown,
    page_of,
    parsed,
    sections,
    tables_in,
    text_of,
)


def read(name: str) -> list[list[str]]:
    return [line.split(",") for line in Path(name).read_text().splitlines()[1:]]


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The page of the three models and of one that gives a third of users other lists; its files are here.

    In the history: of most users, the items of one list in five; items of two kinds, of one, of none; a row
    twice. Each user's 12 items have grades 1, 2, 3 in turn; with min_grade 2 those of grade 1 are misses.
    """
    with in_folder(tmp_path_factory):
        rows = (f"{u},{int(i) + 5000 * (int(u[1:]) % 3 == 0)},{score}" for u, i, score in read("als.csv"))
        csv("swapped.csv", "userid,itemid,score", *rows)
        had = [f"u{u},{(u * i) % 30 + 1000 * (i % 2)}" for u in range(100) for i in range(1, 7)]
        csv("train.csv", "userid,itemid", *had, had[0])
        kinds = (f"{i},{'abcdefghijklmno'[i % 15]}" for i in (*range(25), *range(1000, 1025)))
        csv("items.csv", "itemid,kind", *kinds, "3,a", "3,b", "29,", "77,z")
        judged = [*map(",".join, read("relevant.csv")), "u0x,1,1"]
        dated = (f"{row},2026-05-{1 + i % 9:02}" for i, row in enumerate(judged))
        csv("truth.csv", "userid,itemid,rel,time", *dated)
        given = ["--min-grade", "2", "--history", "train.csv", "--items", "items.csv:kind", "-m", "ndcg"]
        yield page_of(*FILES[:3], "swapped=swapped.csv", "truth.csv", "-k", "5", "-k", "10", *given)


@pytest.fixture(scope="module")
def four_tables(four: str) -> Iterator[Con]:
    lists = (f"SELECT *, '{name}' AS system FROM '{name}.csv'" for name in ("als", "bert", "pop", "swapped"))
    with duckdb.connect() as con:
        yield ranking_udfs.register(con).execute(f"""
            CREATE TABLE rec AS {" UNION ALL ".join(lists)}; CREATE TABLE truth AS FROM 'truth.csv';
            CREATE TABLE train AS FROM 'train.csv';
            CREATE TABLE items AS SELECT itemid, kind AS category FROM 'items.csv'""")


def test_a_leak_is_in_the_answer(four: str, four_tables: Con) -> None:
    found = sections(four)
    answer = text_of(found["The answer"])
    ((leaked, rows),) = four_tables.execute("""
        SELECT count(*) FILTER ((userid, itemid) IN (FROM train)), count(*) FROM rec WHERE system = 'als'
    """).fetchall()
    assert f"Items that the user has in history already: als {leaked} of {rows} (8 %), bert" in answer
    assert "The truth is of 2026-05-01 to 2026-05-09." in text_of(found["The data"])


def test_few_judged_items_and_users_without_relevant_ones_are_told(four: str, four_tables: Con) -> None:
    found = sections(four)
    query = "FROM ranking.evaluate('rec', 'truth', [5], min_grade := 2)"
    judged = dict(four_tables.sql(query).project("system, judged_share").fetchall())
    rows = {row["Table"]: row["None relevant"] for row in tables_in(found["The data"])[0]}
    assert rows == {**dict.fromkeys(judged, "1"), "Truth": ""}
    few = ", ".join(f"{name} {share:.0%}" for name, share in judged.items() if share < 0.2)
    said = f"Few items among the first 5 are judged, and the others count as misses: {few}."
    assert said.replace("%", "\xa0%") in "".join(found["The answer"].itertext())


def test_what_is_in_the_lists_is_what_sql_says(four: str, four_tables: Con) -> None:
    con, found = four_tables, sections(four)["What is in the lists"]
    call = "('rec', [10], history := 'train', items := 'items')"
    wholes = con.execute(f"FROM ranking.beyond_accuracy{call}").df().set_index("system")
    means, tails, everything = tables_in(found)
    assert "TEMP TABLE contents AS" in text_of(sections(four)["How it was made"])

    popularity = {row["System"]: row for row in means if row["Measure"] == "popularity"}
    by_user = con.execute(f"FROM ranking.beyond_accuracy_by_user{call}").df().groupby("system")["popularity"]
    for system, values in by_user:
        row = popularity[system]
        assert int(row["Users"]) == len(values) == 119
        assert is_shown(row["Mean"], values.mean())
        half = 1.980272249272974 * values.std() / 119**0.5  # SciPy's t.ppf(0.975, 118)
        assert is_shown(row["Low"], values.mean() - half)
        assert is_shown(row["High"], values.mean() + half)
    assert {row["System"] for row in means if row["Measure"] == "NDCG@10"} == {*popularity}
    for row in tails:
        tail = wholes.loc[row["System"], "long_tail"]
        assert is_shown(row["Tail"], tail)
        assert is_shown(row["Head"], 1 - tail)
    for row in everything:
        for system in wholes.index:
            assert row[system] == f"{wholes.loc[system, row['Column']]:.4g}"
    assert [row["Column"] for row in everything] == [*wholes.columns.drop("k")]

    lift = wholes["popularity_lift"]
    without = "Users without a history left out: 19 of 119 with bert and 19 of 119 with als."
    said = f"bert recommends items {lift['bert'] + 1:.2f} times as popular as what its users had; with als"
    assert f"{said} it is {lift['als'] + 1:.2f}. {without}" in text_of(found)
    assert "Historytrain.csv Itemsitems.csv:kind" in text_of(sections(four)["How it was made"])


def test_sentences_by_hand() -> None:
    row = {"popularity_lift": 1.3, "coverage": 0.125, "repeats": 0.0, "users": 9, "users_without_history": 0}
    rows = [{"system": "als", **row}, {"system": "pop", **row, "popularity_lift": 9, "coverage": 0.04}]
    assert contents_sentences(rows, has_items=True) == [
        "als recommends items 2 times as popular as what its users had; with pop it is 10.",
        "als recommends 12 % of the items of the catalogue; with pop it is 4 %.",
    ]
    nobody = {**rows[0], "popularity_lift": None, "repeats": None}
    assert contents_sentences([nobody], has_items=False) == [
        "als recommends 12 % of the items of the history."
    ]
    assert contents_sentences([{**nobody, "repeats": 0.031}], False)[1] == (
        "als recommends what the user already has: 3.1 % of the items."
    )


def titles(html: str) -> list[str]:
    """The title of each chart."""
    return [text_of(one) for one in parsed(html).iter(f"{HTML}h3")]


@pytest.mark.slow
@pytest.mark.usefixtures("files")
def test_a_clean_report_of_one_model_has_the_intervals_of_scipy(run: Run, bare: Con) -> None:
    of_listed = map(",".join, read("relevant.csv")[:-12])
    csv("known.csv", "userid,itemid,rel", *of_listed)
    html = page_of("als=als.csv", "known.csv", "-k", "10", "-m", "ndcg", *SEGMENT)
    assert "<h1>How good is als?</h1>" in html
    found = sections(html)
    assert "The check of the data found nothing." in text_of(found["The data"])
    (segments,) = tables_in(found["Segments"])
    run("evaluate", "als.csv", "known.csv", "-m", "ndcg", "--no-check", "--by-user", "by_user.csv", "-q")
    bare.execute("CREATE TABLE values_of AS FROM 'by_user.csv' LEFT JOIN 'users.csv' USING (userid)")
    assert "(none)" in [row["Segment"] for row in segments]
    for row in segments:
        name = None if row["Segment"] == "(none)" else row["Segment"]
        query = "SELECT ndcg FROM values_of WHERE country IS NOT DISTINCT FROM ?"
        values = bare.execute(query, [name]).fetchnumpy()["ndcg"]
        ends = stats.t.interval(0.95, len(values) - 1, np.mean(values), stats.sem(values))
        assert row["Users"] == str(len(values))
        for column, value in (("Mean", np.mean(values)), ("Low", ends[0]), ("High", ends[1])):
            assert is_shown(row[column], value)


@pytest.mark.usefixtures("files")
def test_a_measure_that_some_users_have_no_value_of_and_a_leak(run: Run) -> None:
    """The rank of the first hit: less is better, and who has no hit has none."""
    first_hit = ["als=als.csv", "pop=pop.csv", "relevant.csv", "-m", "first_hit_rank"]
    leak = ["--history", "relevant.csv", "--output", "report.html"]
    said = run("report", *first_hit, "-k", "5", "-k", "0", *leak)
    wrong = "omething is wrong: Items that the user has in history already: 1440 of 1440 (100 %)"
    assert said.startswith(f"report.html: s{wrong}")
    html = Path("report.html").read_text(encoding="utf-8")
    found = sections(html)
    assert text_of(found["The answer"]).startswith("The answer Something is wrong")
    assert wrong.partition(": ")[2] in text_of(found["The answer"])
    assert "First hit rank by cut-off" in titles(html)  # of different users, and so of no leader
    assert "Not every user has a value of First hit rank." in text_of(found["Means"])
    assert "No model is called the best: that needs" in text_of(found["The answer"])
    means = tables_in(found["Means"])[0]
    assert [row["als"] for row in means if row["Measure"] == "First hit rank@0"] == [""]
    (users,) = tables_in(found["How users fare"])
    hits: dict[str, list[int]] = defaultdict(list)  # of the relevant items, which are those below 12
    for user, item, score in read("als.csv"):
        if int(item) < 12 and float(score) > 26:
            hits[user].append(31 - int(float(score)))
    counts, edges = np.histogram([min(ranks) for ranks in hits.values()], bins=20, range=(1, 5))
    assert [row["als"] for row in users] == [str(120 - len(hits)), *map(str, counts)]
    assert [row["First hit rank@5"] for row in users] == [
        "no value",
        *(f"from {edge:.4g}" for edge in edges[:-1]),
    ]
    without = 120 - len(hits)
    share = f"no value: {without / 120:.0%} ({without} of 120 users) for als"
    assert any(title.startswith(f"First hit rank@5 of each user; {share}") for title in titles(html))
    nothing = titles(page_of(*first_hit, "-k", "0", "--no-check"))
    assert nothing[0] == "First hit rank@0: no user has a value"
    assert "First hit rank@0: no user has values of both" in " ".join(nothing)


@pytest.mark.usefixtures("registered", "folder")
def test_titles_and_grades_stand_beside_ids() -> None:
    """User 1 loses most, by a grade that is not relevant; user 2 less; g is gone from the catalogue."""
    csv("a.csv", "userid,itemid,score", "1,w,9", "1,v,8", "2,x,9", "2,y,8")
    csv("b.csv", "userid,itemid,score", "1,z,9", "1,v,8", "2,y,9", "2,z,8")
    csv("liked.csv", "userid,itemid,rel", "1,w,1", "2,x,2", "2,y,1", "2,g,2")
    csv("corpus.csv", "itemid,name,text", "x,Milk,", "y,,A passage", "z,,", "w,,", "v,,")
    csv("asked.csv", "userid,text", "1,what is for lunch?", "2,what is for breakfast?")
    shown = ["--items", "corpus.csv", "--title", "name", "--segment", "asked.csv", "--min-grade", "2"]
    html = page_of("a=a.csv", "b=b.csv", "liked.csv", "-k", "2", "-m", "ndcg", *shown)
    found = sections(html)
    (example,) = [one for one in tables_in(found["What changes for users"]) if "Rank" in one[0]]
    assert [[*row.values()][1:] for row in example] == [
        ["x: Milk (relevant)", "y: A passage (grade 1)"],
        ["y: A passage (grade 1)", "z"],
    ]
    said = text_of(found["What changes for users"])
    assert "of 2: what is for breakfast?, who of those with a relevant item loses most" in said
    assert "not in the list of b: g: no longer in the corpus and x: Milk." in said
    assert tables_in(found["Who loses and who wins most"])[0][0]["User"] == "1: what is for lunch?"
    assert "labels gone from the corpus (users: 1)" in text_of(found["The data"])
    assert "gains, as of NDCG, count grades below 2 too" in text_of(found["The data"])


@pytest.mark.slow
def test_a_model_or_segment_without_a_name_has_one_on_the_page(shop: Con) -> None:
    """In a transaction, whose own rows are seen."""
    shop.begin()
    shop.execute("UPDATE rec SET model = '' WHERE model = 'bert'")
    shop.execute("UPDATE people SET country = chr(7) WHERE country = 'SE'")
    shop.execute("DELETE FROM rec WHERE model = 'pop'")
    given: Any = {"baseline": "als", "segments": "people", "segment_col": "country", **COLUMNS}
    found = ranking_udfs.report("rec", "bought", "ndcg", np.array([5, 10]), con=shop, **given)
    assert found.findings.systems == ["als", "(no name)"]
    assert "(no name)" in {row["segment"] for row in found.findings.segments.rows}
    assert re.search(r"<h1>NDCG@5 0\.\d+ with \(no name\), \d+ % above als</h1>", found.html)
    with pytest.raises(ValueError, match=r"report: bought: no column 'nope'"):
        ranking_udfs.report("rec", "bought", con=shop, **{**COLUMNS, "item_col": "nope"})
    shop.rollback()


@pytest.mark.parametrize("date", ["soon", "9" * 17])
def test_a_date_that_is_none_is_an_error(monkeypatch: Patch, date: str) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", date)
    with pytest.raises(DataError) as raised:
        report_time()
    assert str(raised.value) == f"report: SOURCE_DATE_EPOCH must be seconds since 1970, got {date!r}"


def test_without_what_draws_the_command_says_how_to_install_it(fails: Fails, monkeypatch: Patch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    needed = "needs vl-convert-python: pip install vl-convert-python"
    assert fails(1, "report", "rec.csv", "truth.csv", "--output", "r.html") == f"report: {needed}"
    with pytest.raises(ImportError, match=r"needs vl-convert-python"):
        ranking_udfs.report("rec", "truth")
    assert main(["evaluate", "rec.csv", "truth.csv", *NDCG]) == 0
