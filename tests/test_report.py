"""`ranking-udfs report` and `ranking_udfs.report`: the numbers on the page, errors, notebooks."""

import json
import re
import stat
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from scipy import stats

import ranking_udfs
from ranking_udfs.command.cli import main
from ranking_udfs.reporting.page import page as page_of
from tests.command import NDCG, Fails, Run, csv
from tests.pages import (
    ARGUMENTS,
    FEW,
    FILES,
    HTML,
    SEGMENT,
    SYSTEMS,
    Written,
    parsed,
    sections,
    tables_in,
    text_of,
)

pytestmark = pytest.mark.usefixtures("files")


def p_text(p: float) -> str:
    return "< 0.0001" if p < 0.0001 else f"{p:.2g}"


def is_shown(text: str, number: float | None) -> bool:
    """Whether a text is this number with the text's own decimals."""
    decimals = len(text.partition(".")[2])
    return text == ("" if number is None else f"{number:.{decimals}f}") and (number is None or decimals > 1)


# --- The numbers ---


@pytest.mark.slow
def test_differences_and_verdicts_are_those_of_compare(run: Run, standard: str) -> None:
    arguments = ["compare", *ARGUMENTS, *SEGMENT, *FEW, "--no-check"]
    keyed = {
        (row["segment"], row["measure"], row["k"], row["system"]): row
        for row in json.loads(run(*arguments, "--format", "json"))
    }
    found = sections(standard)
    tables = tables_in(found["Differences to als"])
    ofs = [(measure, name) for name in ("Difference", "Wins") for measure in ("ndcg", "recall")]
    for table, (measure, name) in zip(tables, ofs, strict=True):
        assert len(table) == 6
        for row in table:
            assert name in row
            check_row(row, keyed["(all)", measure, int(row["k"]), row["System"]])
    (rows,) = tables_in(found["Segments"])
    assert len(rows) == 8
    for row in rows:
        check_row(row, keyed[row["Segment"], "ndcg", 5, row["System"]])
    sizes = [int(row["Users"]) for row in rows]
    assert sizes == sorted(sizes, reverse=True)
    said = " ".join(run("compare", *ARGUMENTS, "--no-check", "--explain", "--measures", "ndcg@5").split())
    answer = found["The answer"]
    verdicts = [text_of(one) for one in answer.iter(f"{HTML}li") if one.get("class") in ("better", "worse")]
    verdicts += [text_of(one) for one in answer.iter(f"{HTML}p") if text_of(one).startswith("Best against")]
    assert len(verdicts) == 3
    assert all(verdict in said for verdict in verdicts)


def check_row(row: dict[str, str], compared: dict[str, Any]) -> None:
    """What stands in a row of a table is what compare has in the column of that name."""
    numbers = {"Mean": "mean_system", "Baseline": "mean_baseline", "Difference": "difference"}
    numbers |= {"Low": "low", "High": "high"}
    texts = {one: str(compared[one.lower()]) for one in ("Users", "Wins", "Ties", "Losses", "Verdict")}
    texts["p"] = p_text(compared["p_adjusted"])
    shown = row.keys() - {"System", "k", "Segment", "Measure"}
    for name in shown:
        is_same = row[name] == texts[name] if name in texts else is_shown(row[name], compared[numbers[name]])
        assert is_same, (name, row, compared)


def test_the_curve_the_histogram_and_the_losers_are_those_of_sql(
    standard: str, report_tables: duckdb.DuckDBPyConnection
) -> None:
    found = sections(standard)
    curve = report_tables.execute("FROM ranking_interpolated_precision_curve('rec', 'truth')").fetchall()
    (table,) = tables_in(found["Precision and recall"])
    rows = {row["Recall"]: row for row in table}
    for system, recall, precision in curve:
        assert is_shown(rows[f"{recall:g}"][system], precision)
    (users,) = tables_in(found["How users fare"])
    for system in SYSTEMS:
        result = report_tables.execute("SELECT ndcg FROM by_user WHERE system = ?", [system])
        values = result.fetchnumpy()["ndcg"]
        counts, _ = np.histogram(values[values > 0], bins=20, range=(0, 1))
        assert [row[system] for row in users] == [str(np.sum(values == 0)), *map(str, counts)]
    changed = found["Who loses and who wins most"]
    for i, (sign, verb, extreme) in enumerate([("", "lose", "worst"), ("-", "win", "largest")]):
        every = report_tables.execute(f"""
            SELECT userid, a.ndcg, b.ndcg, b.ndcg - a.ndcg AS d
            FROM by_user AS a JOIN by_user AS b USING (userid)
            WHERE a.system = 'als' AND b.system = 'bert' AND {sign}d < 0
            ORDER BY {sign}d, userid""").fetchall()
        assert len(every) > 5
        for row, (user, *numbers) in zip(tables_in(changed)[i], every[:10], strict=True):
            assert row["User"] == user
            assert all(map(is_shown, list(row.values())[1:], numbers))
        said = (
            f"With bert, {len(every)} of 120 users {verb}; the {extreme} difference is {every[0][-1]:.4g}, "
        )
        assert said in text_of(changed)


def test_what_changes_for_users_is_what_sql_says(
    standard: str, report_tables: duckdb.DuckDBPyConnection
) -> None:
    con, found = report_tables, sections(standard)["What changes for users"]
    common, _, lists = tables_in(found)
    query = """SELECT system, overlap, rbo, same_first, same_list
        FROM ranking_overlap('rec', [5], baseline := 'als') ORDER BY 1"""
    expected = [
        [name, *(f"{share:.0%}" for share in shares)] for name, *shares in con.execute(query).fetchall()
    ]
    assert [list(row.values()) for row in common] == expected
    ((user,),) = con.execute("""SELECT userid FROM by_user AS a JOIN by_user AS b USING (userid)
        WHERE a.system = 'als' AND b.system = 'bert' ORDER BY b.ndcg - a.ndcg, userid LIMIT 1""").fetchall()
    assert f"The lists of {user}, who loses most with bert:" in text_of(found)
    for name in ("als", "bert"):
        items = con.execute(
            "SELECT itemid FROM rec WHERE userid = ? AND system = ? ORDER BY score DESC LIMIT 5", [user, name]
        ).fetchall()
        assert [row[name] for row in lists] == [f"{i} (relevant)" if i < 12 else str(i) for (i,) in items]
        missed = set(range(12)) - {i for (i,) in items}
        (told,) = re.findall(rf"not in the list of {name}: (.*?)\.", text_of(found))
        assert set(map(int, re.findall(r"\d+", told))) == missed


@pytest.mark.slow
def test_a_leak_and_swapped_lists_are_in_the_answer_and_a_check_may_find_nothing(
    written: Written, run: Run
) -> None:
    rows = (line.split(",") for line in Path("als.csv").read_text().splitlines()[1:])
    swapped = (f"{u},{int(i) + 5000 * (int(u[1:]) % 3 == 0)},{score}\n" for u, i, score in rows)
    Path("swapped.csv").write_text("userid,itemid,score\n" + "".join(swapped))
    leak = [*FILES[:3], "swapped=swapped.csv", FILES[3], "-k", "5", "--history", "relevant.csv"]
    said = run("report", *leak, "-m", "ndcg", "--output", "report.html")
    assert said.startswith(
        "report.html: something is wrong: Items that the user has in history already: 1440"
    )
    found = sections(Path("report.html").read_text(encoding="utf-8"))
    answer = text_of(found["The answer"])
    assert re.search(r"Two heaps .* als with swapped \(34 % of users below 25 %\)", answer)
    pairs = [row["Models"] for row in tables_in(found["What changes for users"])[1]]
    assert pairs[:4] == ["als with swapped", "pop with swapped", "als with bert", "als with pop"]
    assert answer.startswith("The answer Something is wrong")
    assert "Items that the user has in history already: 1440 of 1440 (100 %)" in answer
    Path("relevant.csv").write_text("".join(Path("relevant.csv").read_text().splitlines(keepends=True)[:-12]))
    clean = written("als.csv", "relevant.csv", "-k", "5", "-m", "ndcg")
    assert "The check of the data found nothing." in text_of(sections(clean)["The data"])


def test_a_verdict_of_four_users_has_that_against_it(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE truth AS SELECT u AS userid, 1 AS itemid FROM range(1000) t(u)")
    lists = "SELECT '{0}' AS system, u AS userid, CASE WHEN u < {1} THEN 2 ELSE 1 END AS itemid, 1.0 AS score"
    both = " UNION ALL ".join(lists.format(*one) + " FROM range(1000) t(u)" for one in (("a", 0), ("b", 4)))
    con.execute(f"CREATE TABLE rec AS {both}")
    found = ranking_udfs.report("rec", "truth", "mrr", 1, con=con, baseline="a").findings
    assert [verdict for verdict, _ in found.verdicts] == ["worse"]
    assert "Fewer than 5 users differ, of a and b in MRR@1." in found.caveats


@pytest.mark.slow
def test_an_axis_of_differences_has_a_tick_at_0(standard: str) -> None:
    figures = parsed(standard).iter(f"{HTML}figure")
    charts = [{text_of(one) for one in figure.iter()} for figure in figures]
    axes = [texts for texts in charts if "difference to als" in texts]
    assert len(axes) == 4  # of two measures, and of two models by segment
    for texts in axes:
        assert texts & {"0", "0.0", "0.00", "0.000"}, texts


@pytest.mark.slow
def test_the_sql_on_the_page_makes_the_same_numbers(standard: str, con: duckdb.DuckDBPyConnection) -> None:
    (sql,) = (text for text in (one.text for one in parsed(standard).iter(f"{HTML}pre")) if text)
    rows: dict[Any, Any] = {}
    for statement in con.extract_statements(sql):
        result = con.execute(statement)
        if "ranking_compare_by_user" in statement.query:
            names = [name for name, *_ in result.description]
            for row in (dict(zip(names, values, strict=True)) for values in result.fetchall()):
                if row["baseline"] == "als":
                    rows.setdefault((row["measure"], str(row["k"]), row["system"]), row)
    found = [row for row in tables_in(sections(standard)["Differences to als"])[0] if "Difference" in row]
    assert len(found) == 6
    for row in found:
        one = rows["ndcg", row["k"], row["System"]]
        assert is_shown(row["Difference"], one["difference"])
        assert row["p"] == p_text(one["p_adjusted"])


def titles(html: str) -> list[str]:
    """The title of each chart."""
    return [text_of(one) for one in parsed(html).iter(f"{HTML}h3")]


@pytest.mark.slow
@pytest.mark.slow
def test_means_of_segments_of_one_model_have_the_intervals_of_scipy(
    written: Written, run: Run, con: duckdb.DuckDBPyConnection
) -> None:
    (rows,) = tables_in(sections(written("als.csv", "relevant.csv", "-k", "10", *SEGMENT))["Segments"])
    run("evaluate", "als.csv", "relevant.csv", "--measures", "ndcg", "--no-check", "--by-user", "by_user.csv")
    con.execute("CREATE TABLE values_of AS FROM 'by_user.csv' LEFT JOIN 'users.csv' USING (userid)")
    assert "(none)" in [row["Segment"] for row in rows]
    for row in rows:
        name = None if row["Segment"] == "(none)" else row["Segment"]
        query = "SELECT ndcg FROM values_of WHERE country IS NOT DISTINCT FROM ?"
        values = con.execute(query, [name]).fetchnumpy()["ndcg"]
        ends = stats.t.interval(0.95, len(values) - 1, np.mean(values), stats.sem(values))
        assert row["Users"] == str(len(values))
        for column, value in (("Mean", np.mean(values)), ("Low", ends[0]), ("High", ends[1])):
            assert is_shown(row[column], value)


def test_a_measure_that_some_users_have_no_value_of(written: Written, con: duckdb.DuckDBPyConnection) -> None:
    """The rank of the first hit: less is better, and who has no hit has none."""
    first_hit = ["--measures", "first_hit_rank", "--no-check"]
    html = written(*FILES, "--baseline", "als", "-k", "5", "-k", "0", *first_hit)
    found = sections(html)
    assert "First hit rank by cut-off" in titles(html)  # of different users, and so of no leader
    assert "Not every user has a value of First hit rank." in text_of(found["Means"])
    assert "No model is called the best: that needs" in text_of(found["The answer"])
    means = tables_in(found["Means"])[0]
    assert [row["als"] for row in means if row["Measure"] == "First hit rank@0"] == [""]
    (users,) = tables_in(found["How users fare"])
    con.execute("CREATE TABLE rec AS FROM 'als.csv'; CREATE TABLE truth AS FROM 'relevant.csv'")
    values = con.execute("SELECT first_hit_rank FROM ranking_by_user('rec', 'truth', 5)").fetchall()
    ranks = [rank for (rank,) in values if rank is not None]
    counts, edges = np.histogram(ranks, bins=20, range=(1, 5))
    assert [row["als"] for row in users] == [str(120 - len(ranks)), *map(str, counts)]
    assert [row["First hit rank@5"] for row in users] == [
        "no value",
        *(f"from {edge:.4g}" for edge in edges[:-1]),
    ]
    share = f"no value: {(120 - len(ranks)) / 120:.0%} for als"
    assert any(title.startswith(f"First hit rank@5 of each user; {share}") for title in titles(html))
    nothing = titles(written(*FILES, "-k", "0", *first_hit))
    assert nothing[0] == "First hit rank@0: no user has a value"
    assert "First hit rank@0: no user has values of both" in " ".join(nothing)


@pytest.mark.slow
def test_a_model_or_segment_without_a_name_has_one_on_the_page(shop: duckdb.DuckDBPyConnection) -> None:
    shop.execute("UPDATE rec SET model = '' WHERE model = 'bert'")
    shop.execute("UPDATE people SET country = chr(7) WHERE country = 'SE'")
    shop.execute("DELETE FROM rec WHERE model = 'pop'")
    given: Any = {"baseline": "als", "segments": "people", "segment_col": "country"}
    found = ranking_udfs.report("rec", "bought", "ndcg", 5, con=shop, **COLUMNS, **given)
    assert found.findings.systems == ["als", "(no name)"]
    assert "(no name)" in {row["segment"] for row in found.findings.segments}
    assert re.search(r"<h1>NDCG@5 0\.\d+ with \(no name\), \d+ % above als</h1>", found.html)


# --- Errors ---


@pytest.mark.parametrize("date", ["soon", "9" * 17])
def test_a_date_that_is_none_is_an_error(fails: Fails, monkeypatch: pytest.MonkeyPatch, date: str) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", date)
    error = fails(1, "report", "als.csv", "relevant.csv", *NDCG, "--output", "r.html")
    assert error == f"report: SOURCE_DATE_EPOCH must be seconds since 1970, got {date!r}"
    assert not Path("r.html").exists()


def test_without_what_draws_the_command_says_how_to_install_it(
    fails: Fails, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    needed = "needs vl-convert-python: pip install vl-convert-python"
    assert fails(1, "report", *FILES, "--output", "r.html") == f"report: {needed}"
    with pytest.raises(ImportError, match=r"needs vl-convert-python"):
        ranking_udfs.report("rec", "truth")
    assert main(["evaluate", "als.csv", "relevant.csv", "--no-check"]) == 0


# --- In a notebook ---


def test_an_item_that_a_tie_gives_some_gain_has_no_grade(con: duckdb.DuckDBPyConnection) -> None:
    """Both have items 1, of grade 3, and 2, of none: a in this order, b in either."""
    con.execute("""
        CREATE TABLE rec AS FROM (VALUES ('a', 1, 2), ('a', 2, 1), ('b', 1, 1), ('b', 2, 1))
        AS t(system, itemid, score), (SELECT 7 AS userid);
        CREATE TABLE truth AS SELECT 7 AS userid, 1 AS itemid, 3 AS rel""")
    page = ranking_udfs.report("rec", "truth", "ndcg", 2, ties="expected", check=False, con=con)
    assert page.findings.lists == {name: [("1", "relevant"), ("2", "")] for name in "ab"}


@pytest.fixture
def shop(files: None) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as con:
        con.execute("""
            CREATE TEMP TABLE rec AS
            SELECT userid AS who, itemid AS sku, score AS p, 'als' AS model FROM 'als.csv'
            UNION ALL SELECT *, 'bert' FROM 'bert.csv' UNION ALL SELECT *, 'pop' FROM 'pop.csv';
            CREATE VIEW bought AS SELECT userid AS who, itemid AS sku, rel AS stars FROM 'relevant.csv';
            CREATE TABLE people AS SELECT userid AS who, country FROM 'users.csv'
        """)
        yield con


COLUMNS: Any = {"user_col": "who", "item_col": "sku", "score_col": "p"}
COLUMNS |= {"grade_col": "stars", "system_col": "model"}


@pytest.mark.slow
def test_udfs_report_is_the_page_of_the_command(shop: duckdb.DuckDBPyConnection, standard: str) -> None:
    given: Any = {"baseline": "als", "margin": 0.01, "segments": "people", "segment_col": "country"}
    measures = FEW[1].split(",")
    found = ranking_udfs.report("rec", "bought", measures, [5, 10, 20], con=shop, **COLUMNS, **given)
    found.save("notebook.html")
    assert Path("notebook.html").read_text(encoding="utf-8") == found.html
    Path("notebook.html").chmod(0o600)
    Path("linked.html").symlink_to("notebook.html")
    Path("linked.html.part").write_text("of the user's")
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(found.save, ["linked.html"] * 20))
    assert Path("linked.html").is_symlink()
    assert Path("notebook.html").read_text(encoding="utf-8") == found.html
    assert stat.S_IMODE(Path("notebook.html").stat().st_mode) == 0o600
    assert Path("linked.html.part").read_text() == "of the user's"
    assert page_of(found.findings).html == found.html
    query = """
        SELECT table_name FROM duckdb_tables()
        UNION ALL SELECT view_name FROM duckdb_views() WHERE NOT internal ORDER BY ALL"""
    assert shop.execute(query).fetchall() == [("bought",), ("people",), ("rec",)]
    ours, theirs = sections(found.html), sections(standard)
    assert list(ours) == list(theirs)
    for name in ours.keys() - {"How it was made", "The data"}:
        assert text_of(ours[name]) == text_of(theirs[name]), name
    assert "Truthbought" in text_of(ours["How it was made"])
    frame = parsed(f"<!DOCTYPE html><title>a</title>{found._repr_html_()}").find(f".//{HTML}iframe")
    assert frame.get("srcdoc") == found.html


@pytest.mark.slow
def test_udfs_report_of_one_model_in_a_transaction_and_of_no_tables(shop: duckdb.DuckDBPyConnection) -> None:
    shop.begin()
    shop.execute("CREATE TABLE one AS FROM rec WHERE model = 'als'")
    found = ranking_udfs.report("one", "bought", "ndcg", np.array([5, 10]), con=shop, **COLUMNS)
    assert found.findings.systems == ["als"]
    assert "<h1>How good is als?</h1>" in found.html
    with pytest.raises(ValueError, match=r"report: bought: no column 'nope'"):
        ranking_udfs.report("rec", "bought", con=shop, **{**COLUMNS, "item_col": "nope"})
    shop.rollback()
    with duckdb.connect() as bare:
        bare.execute("CREATE SCHEMA other; CREATE TABLE other.text AS SELECT 1 AS userid")
        for name in ("rec", "con", "text"):  # which are variables of the package, too
            with pytest.raises(ValueError, match=f"report: {name}: no such table or view, and no such file"):
                ranking_udfs.report(name, name, con=bare)


def test_grades_below_min_grade_still_gain_and_the_example_has_something_relevant(
    run: Run, written: Written
) -> None:
    """User 1 loses most, by grades that are not relevant; user 2 less, with a relevant item."""
    head = "userid,itemid,score\n"
    Path("one.csv").write_text(head + "1,a,9\n1,b,8\n2,a,9\n2,b,8\n2,c,7\n")
    Path("two.csv").write_text(head + "1,x,9\n1,y,8\n2,b,9\n2,a,8\n2,c,7\n")
    Path("truth.csv").write_text("userid,itemid,rel\n1,a,1\n1,b,1\n2,a,2\n2,b,1\n")
    arguments = ["one=one.csv", "two=two.csv", "truth.csv", "--min-grade", "2", "-k", "2", "--no-check"]
    found = sections(html := written(*arguments, "--measures", "ndcg"))
    assert re.search("<h1>NDCG@2 1.0* with one, two 60 % below</h1>", html)
    (example,) = tables_in(found["What changes for users"])[2:]
    assert [list(row.values())[1:] for row in example] == [
        ["a (relevant)", "b (grade 1)"],
        ["b (grade 1)", "a (relevant)"],
    ]
    assert "of 2, who of those with a relevant item loses most" in text_of(found["What changes for users"])
    assert "gains, as of NDCG, count grades below 2 too" in text_of(found["The data"])
    shown = " ".join(run("evaluate", *arguments).split())
    assert "finding none, but for gains, as of NDCG, which count lower grades too): 1 AUC: " in shown
    assert "count lower grades" not in run("evaluate", "one=one.csv", "truth.csv", "--no-check")


@pytest.mark.parametrize("is_command", [True, False])
def test_titles_and_texts_stand_beside_ids(is_command: bool, written: Written) -> None:
    """User 1 loses with b: items y, z in place of x, y; g is relevant, and gone from the catalogue."""
    csv("a.csv", "userid,itemid,score", "1,x,9", "1,y,8", "2,x,9")
    csv("b.csv", "userid,itemid,score", "1,y,9", "1,z,8", "2,x,9")
    csv("liked.csv", "userid,itemid", "1,x", "1,g", "2,x")
    csv("corpus.csv", "itemid,name,text", "x,Milk,", "y,,A passage", "z,,")
    csv("asked.csv", "userid,text", "1,what is for breakfast?")
    shown = ["--items", "corpus.csv", "--title", "name", "--segment", "asked.csv"]
    given: dict[str, Any] = {
        "items": "corpus.csv",
        "title_col": "name",
        "segments": "asked.csv",
        "segment_col": "",
    }
    rec = {"a": "a.csv", "b": "b.csv"}
    html = (
        written("a=a.csv", "b=b.csv", "liked.csv", "-k", "2", *shown)
        if is_command
        else ranking_udfs.report(rec, "liked.csv", ks=2, **given).html
    )
    found = sections(html)
    (example,) = [one for one in tables_in(found["What changes for users"]) if "Rank" in one[0]]
    assert [[*row.values()][1:] for row in example] == [
        ["x: Milk (relevant)", "y: A passage"],
        ["y: A passage", "z"],
    ]
    said = text_of(found["What changes for users"])
    assert "The lists of 1: what is for breakfast?, who" in said
    assert "not in the list of b: g: no longer in the corpus and x: Milk." in said
    assert tables_in(found["Who loses and who wins most"])[0][0]["User"] == "1: what is for breakfast?"
    assert "labels gone from the corpus (users: 1)" in text_of(found["The data"])
