"""Test reports: caveats, the contents of lists, users without a value, and errors."""

import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import pytest

import ranking_udfs
from ranking_udfs.command.cli import main
from ranking_udfs.evaluation.errors import DataError
from ranking_udfs.reporting.findings import report_time
from tests.command import NDCG, Fails, Run, csv
from tests.conftest import Con, Patch
from tests.pages import (
    FILES,
    HTML,
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
    """Return the page of the three models and of one that gives a third of users other lists.

    In the history: of most users, the items of one list in five; items of two kinds, of one, of none; a row
    twice. Each user's 12 items have grades 1, 2, 3 in turn; with min_grade 2 those of grade 1 are misses.
    """
    with in_folder(tmp_path_factory):
        lists = (f"{u},{int(i) + 5000 * (int(u[1:]) % 3 == 0)},{score}" for u, i, score in read("als.csv"))
        csv("swapped.csv", "userid,itemid,score", *lists)
        had = [f"u{u},{(u * i) % 30 + 1000 * (i % 2)}" for u in range(100) for i in range(1, 7)]
        csv("train.csv", "userid,itemid", *had, had[0])
        kinds = (f"{i},{'abcdefghijklmno'[i % 15]}" for i in (*range(25), *range(1000, 1025)))
        csv("items.csv", "itemid,kind", *kinds, "3,a", "3,b", "29,", "77,z")
        judged = [*map(",".join, read("relevant.csv")), "u0x,1,1"]
        dated = (f"{row},2026-05-{1 + i % 9:02}" for i, row in enumerate(judged))
        csv("truth.csv", "userid,itemid,rel,time", *dated)
        options = "--min-grade 2 --history train.csv --items items.csv:kind -m ndcg -k 5 -k 10"
        yield page_of(*FILES[:3], "swapped=swapped.csv", "truth.csv", *options.split())


@pytest.fixture(scope="module")
def four_tables(four: str) -> Iterator[Con]:
    lists = (f"SELECT *, '{name}' AS system FROM '{name}.csv'" for name in ("als", "bert", "pop", "swapped"))
    with duckdb.connect() as con:
        yield ranking_udfs.register(con).execute(f"""
            CREATE TABLE rec AS {" UNION ALL ".join(lists)}; CREATE TABLE truth AS FROM 'truth.csv';
            CREATE TABLE train AS FROM 'train.csv';
            CREATE TABLE items AS SELECT itemid, kind AS category FROM 'items.csv'""")


def test_answer_names_leak_and_few_judged_items(four: str, four_tables: Con) -> None:
    found = sections(four)
    answer = text_of(found["The answer"])
    query = "SELECT count(*) FILTER ((userid, itemid) IN (FROM train)), count(*) FROM rec"
    ((leaked, of),) = four_tables.execute(f"{query} WHERE system = 'als'").fetchall()
    assert f"rec: items already in the user's history: als {leaked:,} of {of:,} (8%), bert" in answer
    problems = {row["Problem"]: row for row in tables_in(found["The data"])[1]}
    assert problems["warning: rec: items already in the user's history"]["als"] == f"{leaked:,} of {of:,}"
    assert "The truth is from 2026-05-01 to 2026-05-09." in text_of(found["The data"])
    evaluated = four_tables.sql("FROM ranking.evaluate('rec', 'truth', [5], min_grade := 2)")
    judged = dict(evaluated.project("system, judged_share").fetchall())
    without = {row["Table"]: row["No relevant item"] for row in tables_in(found["The data"])[0]}
    assert without == {**dict.fromkeys(judged, "1"), "Truth": ""}
    few = ", ".join(f"{name} {share:.0%}" for name, share in judged.items() if share < 0.2)
    sentence = f"Few items among the first 5 are judged; unjudged items count as misses: {few}."
    assert sentence in answer


@pytest.mark.usefixtures("files")
def test_answer_has_caveats_of_every_cutoff_by_their_tables(run: Run) -> None:
    """Let als repeat an item, tie scores, have short lists; six users have no relevant item."""
    lists = (f"u{u},{i % (4 + u % 9)},{-(i // 2)}" for u in range(120) for i in range(5 + u % 9))
    csv("als.csv", "userid,itemid,score", *lists)
    graded = (f"u{u},{i},{int(u > 5)}" for u in range(120) for i in range(12))
    csv("relevant.csv", "userid,itemid,rel", *graded)
    call = [*FILES[:2], FILES[-1], "-m", "ndcg", "-k", "5", "-k", "10", "-k", "3", "--baseline", "als"]
    problems = ranking_udfs.check({"als": "als.csv", "bert": "bert.csv"}, "relevant.csv", [5, 10, 3])
    expected = problems.filter("severity <> 'info'").select("problem, code, k").distinct().fetchall()
    assert {"repeated_item", "ties_in_top_k", "short_lists", "ties_at_k"} <= {code for _, code, _ in expected}
    assert {3, 5, 10} <= {k for _, _, k in expected}
    shown = " ".join(run("compare", *call, "--quiet").split())
    found = sections(page_of(*call))
    caveats = [
        text_of(item)
        for caveats in found["The answer"].iter(f"{HTML}ul")
        if caveats.get("class") == "caveats"
        for item in caveats
    ]
    assert all(any(f"{problem}: " in caveat for caveat in caveats) for problem, _, _ in expected)
    assert [caveat for caveat in caveats if f"Caveat: {caveat}" not in shown] == []
    assert "Unanswerable users" not in found
    assert "Unanswerable users" in sections(page_of(*call, "--without-relevant", "skip"))


def test_contents_of_lists_match_sql(four: str, four_tables: Con) -> None:
    con, found = four_tables, sections(four)["Beyond accuracy"]
    made = text_of(sections(four)["Method and provenance"])
    assert "ranking.beyond_accuracy_by_user(" in made
    assert "Historytrain.csv Itemsitems.csv:kind" in made
    call = "('rec', [10], history := 'train', items := 'items')"
    of_all = con.execute(f"FROM ranking.beyond_accuracy{call}").df().set_index("system")
    means, tails, everything = tables_in(found)

    popularity = {row["System"]: row for row in means if row["Measure"] == "popularity"}
    assert all(is_shown(row["Mean"], of_all.loc[name, "popularity"]) for name, row in popularity.items())
    assert all(float(row["Low"]) < float(row["Mean"]) < float(row["High"]) for row in popularity.values())
    query = "SELECT system, ndcg FROM ranking.evaluate('rec', 'truth', [10], min_grade := 2)"
    ndcg = con.execute(query).fetchall()
    shown = {row["System"]: row["Mean"] for row in means if row["Measure"] == "NDCG@10"}
    assert {*shown} == {*popularity}
    assert all(is_shown(shown[system], mean) for system, mean in ndcg)
    for row in tails:
        tail = of_all.loc[row["System"], "long_tail"]
        assert is_shown(row["Tail"], tail)
        assert is_shown(row["Head"], 1 - tail)
    assert [row["Column"] for row in everything] == [*of_all.columns.drop("k")]
    for row in everything:
        column = of_all[row["Column"]]
        assert {system: row[system] for system in of_all.index} == {
            s: f"{column[s]:.4g}" for s in of_all.index
        }

    lift = of_all["popularity_lift"] + 1
    assert (
        f"bert recommends items {lift['bert']:.2f} times as popular as those in its users' history; with als "
        f"it is {lift['als']:.2f}. Users without a history are excluded: 19 of 119 with bert and 19 of 119 "
        "with als."
    ) in text_of(found)


def titles(html: str) -> list[str]:
    """Return the title of each chart."""
    return [text_of(title) for title in parsed(html).iter(f"{HTML}h3")]


@pytest.mark.slow
@pytest.mark.usefixtures("files")
def test_report_of_measure_without_value_for_some_users(run: Run) -> None:
    """Report the rank of the first hit; users without a hit have none."""
    first_hit = ["als=als.csv", "pop=pop.csv", "relevant.csv", "-m", "first_hit_rank"]
    page = page_of(*first_hit, "-k", "5", "-k", "0", "--history", "relevant.csv")
    found = sections(page)
    answer = text_of(found["The answer"])
    assert answer.startswith("The answer Errors in the data may invalidate the results below: ")
    assert "truth: items already in the user's history: 1,440 of 1,440 (100%)" in answer
    assert "There is no verdict until the data is mended." in answer
    unnamed = "No best model is named, since some users have no value."
    assert unnamed in text_of(sections(page_of(*first_hit, "-k", "5"))["The answer"])
    hits: dict[str, list[int]] = defaultdict(list)  # of the relevant items, which are those below 12
    for user, item, score in read("als.csv"):
        if int(item) < 12 and float(score) > 26:
            hits[user].append(31 - int(float(score)))
    without = 120 - len(hits)
    lacking = f"First hit rank@0 with als: 120 of 120; .*@5 with als: {without} of 120;"
    assert re.search(f"Users without a value: {lacking}", text_of(found["Means"]))
    (users,) = tables_in(found["Distribution over users"])
    counts, edges = np.histogram([*map(min, hits.values())], bins=20, range=(1, 5))
    assert [row["als"] for row in users] == [str(without), *map(str, counts)]
    bins = [row["First hit rank@5"] for row in users]
    assert bins == ["no value", *(f"from {edge:.4g}" for edge in edges[:-1])]
    assert f"First hit rank@5 per user: {without / 120:.0%} no value with als" in titles(page)
    nothing = titles(page_of(*first_hit, "-k", "0", "--no-check"))
    assert nothing[0] == "First hit rank@0: no user has a value"
    assert "First hit rank@0: no user has values from both" in " ".join(nothing)


@pytest.mark.usefixtures("registered", "folder")
def test_examples_show_titles_and_grades() -> None:
    """Let user 1 lose most, by a grade that is not relevant; item g is missing from the catalog."""
    csv("a.csv", "userid,itemid,score", "1,w,9", "1,v,8", "2,x,9", "2,y,8")
    csv("b.csv", "userid,itemid,score", "1,z,9", "1,v,8", "2,y,9", "2,z,8")
    csv("liked.csv", "userid,itemid,rel", "1,w,1", "2,x,2", "2,y,1", "2,g,2")
    csv("corpus.csv", "itemid,name,text", "x,Milk,", "y,,A passage", "z,,", "w,,", "v,,")
    csv("asked.csv", "userid,text", "1,what is for lunch?", "2,what is for breakfast?")
    call = "a=a.csv b=b.csv liked.csv -k 2 -m ndcg --min-grade 2"
    found = sections(page_of(*f"{call} --items corpus.csv --title name --segment asked.csv".split()))
    changed = found["What changes for users"]
    (example,) = [table for table in tables_in(changed) if "Rank" in table[0]]
    assert [[*row.values()][1:] for row in example] == [
        ["x: Milk (relevant)", "y: A passage (grade 1)"],
        ["y: A passage (grade 1)", "z"],
    ]
    most = "of 2: what is for breakfast? (largest loss with b among users with a relevant item):"
    assert most in text_of(changed)
    assert "Relevant items missed by b: g: no longer in the corpus and x: Milk." in text_of(changed)
    assert tables_in(found["Largest losses and gains"])[0][0]["User"] == "1: what is for lunch?"
    assert "note: truth: labels for items not in the catalog" in text_of(found["The data"])
    assert "gains, as in NDCG, also count grades below 2" in text_of(found["The data"])


@pytest.mark.usefixtures("registered", "files")
def test_condensed_lists_and_an_error_in_the_data() -> None:
    """The example has whole lists, though unjudged items are skipped, and no number is in the title."""
    call = "-m ndcg -k 5 --unjudged skip --history relevant.csv"
    html = page_of("als=als.csv", "bert=bert.csv", "relevant.csv", *call.split())
    assert "<h1>bert compared with als</h1>" in html
    assert text_of(sections(html)["The answer"]).startswith("The answer Errors in the data may")
    changed = sections(html)["What changes for users"]
    (user,) = re.findall(r"The lists of (u\d+) ", text_of(changed))
    (lists,) = [table for table in tables_in(changed) if "Rank" in table[0]]
    for name in ("als", "bert"):
        best_first = sorted(read(f"{name}.csv"), key=lambda row: -float(row[2]))
        ranked = [int(item) for of, item, _ in best_first if of == user]
        assert [row[name] for row in lists] == [f"{i} (relevant)" if i < 12 else f"{i}" for i in ranked[:5]]
    assert any(int(row["als"].partition(" ")[0]) > 12 for row in lists)
    leading = ["als=als.csv", "pop=pop.csv", "relevant.csv", "-m", "ndcg", "-k", "5"]
    assert "<h1>NDCG@5 " in page_of(*leading)
    assert "<h1>pop compared with als</h1>" in page_of(*leading, "--history", "relevant.csv")


@pytest.mark.parametrize("date", ["soon", "9" * 17])
def test_invalid_source_date_epoch_is_an_error(monkeypatch: Patch, date: str) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", date)
    with pytest.raises(DataError) as raised:
        report_time()
    assert str(raised.value) == f"report: SOURCE_DATE_EPOCH must be seconds since 1970, got {date!r}"


def test_missing_vl_convert_error_says_what_to_install(fails: Fails, monkeypatch: Patch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    needed = "needs vl-convert-python: pip install vl-convert-python"
    assert fails(1, "report", "rec.csv", "truth.csv", "--output", "r.html") == f"report: {needed}"
    with pytest.raises(ImportError, match=r"needs vl-convert-python"):
        ranking_udfs.report("rec", "truth")
    assert main(["evaluate", "rec.csv", "truth.csv", *NDCG]) == 0
