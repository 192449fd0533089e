"""`ranking-udfs report` and `ranking_udfs.report`: the numbers on the page, errors, notebooks."""

# ruff: noqa: F811  (fixtures that are imported, and are arguments)

import json
import math
import re
import shutil
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
from tests.command import Fails, Run, con, fails, folder, registered, run  # noqa: F401
from tests.pages import (  # noqa: F401
    ARGUMENTS,
    FEW,
    FILES,
    HTML,
    SEGMENT,
    SYSTEMS,
    Written,
    files,
    make_files,
    parsed,
    sections,
    standard,
    tables_in,
    text_of,
    written,
)


@pytest.fixture
def own() -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that the command does not use, with the models and the truth, and values by user at 5."""
    with duckdb.connect() as connection:
        ranking_udfs.register(connection)
        models = " UNION ALL ".join(f"SELECT *, '{name}' AS system FROM '{name}.csv'" for name in SYSTEMS)
        connection.execute(f"""
            CREATE TABLE rec AS {models};
            CREATE TABLE truth AS FROM 'relevant.csv';
            CREATE TABLE by_user AS FROM ranking_by_user('rec', 'truth', 5);
        """)
        yield connection


def four(number: float | None) -> str:
    """As the page writes a number."""
    return "" if number is None else re.sub(r"e([+-])0*", r"e\1", f"{number:.4g}").replace("e+", "e")


def p_text(p: float) -> str:
    return "< 0.0001" if p < 0.0001 else f"{p:.2g}"


def is_shown(text: str, number: float | None) -> bool:
    """Whether a text is this number with the text's own decimals."""
    decimals = len(text.partition(".")[2])
    return text == ("" if number is None else f"{number:.{decimals}f}") and (number is None or decimals > 1)


def test_differences_are_those_of_compare(run: Run, written: Written) -> None:
    measures = ("ndcg@7", "recall", "mrr")
    more = ["--baseline", "als", "-k", "all", "-k", "3", "--margin", "0.01", "--ascending", "--no-check"]
    more += ["--measures", ",".join(measures)]
    expected = json.loads(run("compare", *FILES, *more, "--format", "json"))
    keyed = {(row["measure"], row["k"], row["system"]): row for row in expected}
    found = sections(written(*FILES, *more))["Differences to als"]
    tables = tables_in(found)
    assert len(tables) == 2 * len(measures)
    for measure, differences, outcomes in zip(measures, tables[: len(measures)], tables[-3:], strict=True):
        for row, outcome in zip(differences, outcomes, strict=True):
            k = None if row["k"] == "all" else int(row["k"])
            one = keyed[measure.partition("@")[0], k, row["System"]]
            for column, name in (
                *(("Mean", "mean_system"), ("Baseline", "mean_baseline"), ("Difference", "difference")),
                *(("Low", "low"), ("High", "high")),
            ):
                assert is_shown(row[column], one[name])
            assert (row["p"], row["Verdict"]) == (p_text(one["p_adjusted"]), one["verdict"])
            assert [outcome[name] for name in ("Users", "Wins", "Ties", "Losses")] == [
                str(one[name]) for name in ("users", "wins", "ties", "losses")
            ]


@pytest.mark.slow
def test_means_and_counts_are_those_of_evaluate_and_intervals_those_of_student(
    run: Run, written: Written, own: duckdb.DuckDBPyConnection
) -> None:
    measures = ["--measures", "ndcg,ndcg(gain=linear)@10,hits"]
    arguments = [*ARGUMENTS[:4], "-k", "5", "-k", "10", *measures, "--no-check"]
    expected = json.loads(run("evaluate", *arguments, "--format", "json", "--by-user", "by_user.csv"))
    found = sections(written(*arguments))
    (means,) = tables_in(found["Means"])[:1]
    assert [row["Measure"] for row in means] == [
        *("NDCG@5", "NDCG@10", "NDCG@10 (gain=linear)", "Hits@5", "Hits@10")
    ]
    names = {"NDCG": "ndcg", "Hits": "hits"}
    needed: dict[str, list[int]] = {system: [] for system in SYSTEMS}
    decimals: dict[str, set[int]] = {system: set() for system in SYSTEMS}
    for row in means:
        label, k = re.match(r"(\w+)@(\d+)", row["Measure"]).groups()
        name = names[label] + ("(gain=linear)" if "gain" in row["Measure"] else "")
        for system in SYSTEMS:
            (one,) = (each for each in expected if (each["system"], each["k"]) == (system, int(k)))
            query = f"""SELECT "{name}" FROM 'by_user.csv' WHERE system = '{system}' AND k = {k}"""
            values = own.execute(query).fetchnumpy()[name]
            half = student(values)
            needed[system].append(max(0, 1 - math.floor(math.log10(half))))  # two digits of the half
            mean, shown, _ = re.fullmatch(r"(\S+) ± (\S+) ([a-c]+)", row[system]).groups()
            assert is_shown(mean, one[name])
            assert is_shown(shown, half)
            decimals[system].add(len(mean.partition(".")[2]))
    assert decimals == {system: {max(needed[system])} for system in SYSTEMS}  # the same in a column
    rows = {row["Table"]: list(row.values())[1:] for row in tables_in(found["The data"])[0]}
    assert rows["bert"] == ["3570", "119", "60", "1", "0"]
    assert rows["Truth"] == ["1440", "120", "12", "", ""]


def student(values: Any) -> float:
    """Half of the 95 % interval of the mean."""
    return float(stats.t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / len(values) ** 0.5)


def test_the_curve_the_histogram_and_the_losers_are_those_of_sql(
    written: Written, own: duckdb.DuckDBPyConnection
) -> None:
    found = sections(standard(written))
    (table,) = tables_in(found["Precision and recall"])
    rows = {row["Recall"]: row for row in table}
    curve = own.execute("FROM ranking_interpolated_precision_curve('rec', 'truth')").fetchall()
    for system, recall, precision in curve:
        assert is_shown(rows[f"{recall:g}"][system], precision)
    (users,) = tables_in(found["How users fare"])
    for system in SYSTEMS:
        values = np.array(own.execute("SELECT ndcg FROM by_user WHERE system = ?", [system]).fetchall())
        counts, _ = np.histogram(values[values > 0], bins=20, range=(0, 1))
        assert [row[system] for row in users] == [str(np.sum(values == 0)), *map(str, counts)]
    worse = own.execute("""
        SELECT userid, a.ndcg, b.ndcg, b.ndcg - a.ndcg AS d FROM by_user AS a JOIN by_user AS b USING (userid)
        WHERE a.system = 'als' AND b.system = 'bert' AND d < 0 ORDER BY d, userid""").fetchall()
    assert len(worse) > 5
    assert worse[0][3] < worse[1][3]
    for row, (user, *numbers) in zip(tables_in(found["Who loses most"])[0], worse[:20], strict=True):
        assert row["User"] == user
        assert all(map(is_shown, list(row.values())[1:], numbers))
    least = f"the worst difference is {four(worse[0][3])}, of one user."
    assert f"With bert, {len(worse)} of 120 users lose; {least}" in text_of(found["Who loses most"])


def test_what_changes_for_users_is_what_sql_says(written: Written, own: duckdb.DuckDBPyConnection) -> None:
    found = sections(standard(written))["What changes for users"]
    common, lists = tables_in(found)
    query = """SELECT system, overlap, rbo, same_first, same_list
        FROM ranking_overlap('rec', [5], baseline := 'als') ORDER BY 1"""
    expected = [[name, *(f"{one:.0%}" for one in shares)] for name, *shares in own.execute(query).fetchall()]
    assert [list(row.values()) for row in common] == expected
    ((user,),) = own.execute("""SELECT userid FROM by_user AS a JOIN by_user AS b USING (userid)
        WHERE a.system = 'als' AND b.system = 'bert' ORDER BY b.ndcg - a.ndcg, userid LIMIT 1""").fetchall()
    assert f"The lists of {user}, who loses most with bert:" in text_of(found)
    for name in ("als", "bert"):
        query = "SELECT itemid FROM rec WHERE userid = ? AND system = ? ORDER BY score DESC LIMIT 5"
        items = [item for (item,) in own.execute(query, [user, name]).fetchall()]
        assert [row[name] for row in lists] == [f"{i} (relevant)" if i < 12 else str(i) for i in items]
        (told,) = re.findall(rf"not in the list of {name}: (.*?)\.", text_of(found))
        assert set(map(int, re.findall(r"\d+", told))) == set(range(12)) - {*items}


def test_the_sql_on_the_page_makes_the_same_numbers(written: Written, own: duckdb.DuckDBPyConnection) -> None:
    html = standard(written)
    (sql,) = (text for text in (one.text for one in parsed(html).iter(f"{HTML}pre")) if text)
    rows: dict[Any, Any] = {}
    for statement in own.extract_statements(sql):
        result = own.execute(statement)
        if "ranking_compare_by_user" in statement.query:
            names = [name for name, *_ in result.description]
            for row in (dict(zip(names, values, strict=True)) for values in result.fetchall()):
                if row["baseline"] == "als" and "segment" not in row:
                    rows.setdefault((row["measure"], str(row["k"]), row["system"]), row)
    found = [row for row in tables_in(sections(html)["Differences to als"])[0] if "Difference" in row]
    assert len(found) == 6
    for row in found:
        one = rows["ndcg", row["k"], row["System"]]
        assert is_shown(row["Difference"], one["difference"])
        assert row["p"] == p_text(one["p_adjusted"])


def test_one_model_has_the_sections_that_make_sense_for_one(
    written: Written, run: Run, own: duckdb.DuckDBPyConnection
) -> None:
    html = written("als.csv", "relevant.csv", "-k", "10", *SEGMENT)
    found = sections(html)
    assert list(found) == [
        *("In short", "The data", "Means", "Precision and recall", "How users fare", "Segments"),
        "How it was made",
    ]
    assert "<title>How good are the recommendations?</title>" in html
    ((*_, mean),) = ranking_udfs.evaluate("als.csv", "relevant.csv", "ndcg", check=False).fetchall()
    assert titles(html)[0] == f"NDCG@10: {four(mean)}"
    run("evaluate", "als.csv", "relevant.csv", "--measures", "ndcg", "--no-check", "--by-user", "by_user.csv")
    (rows,) = tables_in(sections(html)["Segments"])
    own.execute("CREATE TABLE values_of AS FROM 'by_user.csv' LEFT JOIN 'users.csv' USING (userid)")
    for row in rows:
        name = "NULL" if row["Segment"] == "(none)" else f"'{row['Segment']}'"
        query = f"SELECT ndcg FROM values_of WHERE country IS NOT DISTINCT FROM {name}"
        values = own.execute(query).fetchnumpy()["ndcg"]
        mean, half = np.mean(values), student(values)
        assert row["Users"] == str(len(values))
        for name, value in (("Mean", mean), ("Low", mean - half), ("High", mean + half)):
            assert is_shown(row[name], value)


def titles(html: str) -> list[str]:
    """The title of each chart."""
    return [text_of(one) for one in parsed(html).iter(f"{HTML}h3")]


@pytest.mark.slow
def test_titles_say_who_is_best_where_the_users_are_the_same(written: Written) -> None:
    found = titles(written(*ARGUMENTS, "--measures", "ndcg,recall@5", "--no-check"))
    assert "NDCG by cut-off: highest for bert at every k" in found
    assert "Recall@5: highest for bert" in found
    assert "NDCG@5 against als: bert better; pop worse" in found
    for name in ("bert", "pop"):
        shutil.copy("als.csv", f"{name}.csv")
    found = titles(written(*ARGUMENTS, "--measures", "ndcg", "--no-check"))
    assert "NDCG by cut-off: the same for all at every k" in found
    names = [f"m{i}" for i in range(5)]
    make_files(names, users=20)
    for name in names[1:4]:
        shutil.copy("m0.csv", f"{name}.csv")
    Path("m4.csv").write_text("userid,itemid,score\nu0,5000,1\n")
    files = [*(f"{name}={name}.csv" for name in names), "relevant.csv"]
    found = titles(written(*files, "--measures", "ndcg", "-k", "9", "--no-check"))
    assert found[0] == "NDCG@9: highest for m0, m1, m2 and 1 more"


@pytest.mark.slow
def test_a_measure_that_some_users_have_no_value_of(written: Written, own: duckdb.DuckDBPyConnection) -> None:
    """The rank of the first hit: less is better, and who has no hit has none."""
    html = written(
        *FILES, "--baseline", "als", "-k", "0", "-k", "5", "--measures", "first_hit_rank", "--no-check"
    )
    found = sections(html)
    assert "First hit rank by cut-off" in titles(html)  # of different users, and so of no leader
    assert "Not every user has a value of First hit rank." in text_of(found["Means"])
    assert "No model is called the best: that needs" in text_of(found["The answer"])
    means = tables_in(found["Means"])[0]
    assert [row["als"] for row in means if row["Measure"] == "First hit rank@0"] == [""]
    html = written(*FILES, "--baseline", "als", "-k", "5", "--measures", "first_hit_rank", "--no-check")
    (users,) = tables_in(sections(html)["How users fare"])
    values = own.execute("""SELECT first_hit_rank FROM ranking_by_user('rec', 'truth', 5)
        WHERE system = 'als'""").fetchall()
    ranks = [rank for (rank,) in values if rank is not None]
    counts, edges = np.histogram(ranks, bins=20, range=(1, 5))
    assert [row["als"] for row in users] == [str(120 - len(ranks)), *map(str, counts)]
    assert [row["First hit rank@5"] for row in users] == [
        "no value",
        *(f"from {edge:.4g}" for edge in edges[:-1]),
    ]
    share = f"no value: {(120 - len(ranks)) / 120:.0%} for als"
    assert any(title.startswith(f"First hit rank@5 of each user; {share}") for title in titles(html))
    nothing = titles(written(*FILES, "-k", "0", "--measures", "first_hit_rank", "--no-check"))
    assert nothing[0] == "First hit rank@0: no user has a value"
    assert "First hit rank@0: no user has values of both" in " ".join(nothing)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["\x07"])
def test_a_model_or_segment_without_a_name_has_one_on_the_page(
    shop: duckdb.DuckDBPyConnection, name: str
) -> None:
    shop.execute("UPDATE rec SET model = ? WHERE model = 'bert'", [name])
    shop.execute("UPDATE people SET country = ? WHERE country = 'SE'", [name])
    found = ranking_udfs.report(
        "rec", "bought", con=shop, **COLUMNS, baseline="als", segments="people", segment_col="country"
    )
    assert found.findings.systems == ["als", "(no name)"]
    assert "(no name)" in {row["segment"] for row in found.findings.segments}
    assert "<h1>(no name) compared with als</h1>" in found.html


def test_a_date_that_is_none_is_an_error(fails: Fails, monkeypatch: pytest.MonkeyPatch) -> None:
    for given in ("soon", "9" * 17):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", given)
        rule = "report: SOURCE_DATE_EPOCH must be seconds since 1970"
        assert fails(1, "report", *FILES, "--output", "r.html") == f"{rule}, got {given!r}"
        assert not Path("r.html").exists()


def test_without_what_draws_the_command_says_how_to_install_it(
    fails: Fails, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    needed = "needs vl-convert-python: pip install 'duckdb-ranking-udfs[report]'"
    assert fails(1, "report", *FILES, "--output", "r.html") == f"report: {needed}"
    with pytest.raises(ImportError, match=r"needs vl-convert-python"):
        ranking_udfs.report("rec", "truth")
    assert main(["evaluate", "als.csv", "relevant.csv", "--no-check"]) == 0


# --- In a notebook ---


@pytest.fixture
def shop() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as con:
        con.execute("""
            CREATE TEMP TABLE rec AS
            SELECT userid AS who, itemid AS sku, score AS p, 'als' AS model FROM 'als.csv'
            UNION ALL SELECT *, 'bert' FROM 'bert.csv';
            CREATE VIEW bought AS SELECT userid AS who, itemid AS sku, rel AS stars FROM 'relevant.csv';
            CREATE TABLE people AS SELECT userid AS who, country FROM 'users.csv'
        """)
        yield con


COLUMNS = {
    "user_col": "who",
    "item_col": "sku",
    "score_col": "p",
    "grade_col": "stars",
    "system_col": "model",
}


@pytest.mark.slow
def test_udfs_report_is_the_page_of_the_command(shop: duckdb.DuckDBPyConnection, written: Written) -> None:
    segments: Any = {"segments": "people", "segment_col": "country"}
    options: Any = {"ks": [5, 10], "margin": 0.01, "measures": FEW[1].split(",")}
    found = ranking_udfs.report("rec", "bought", con=shop, **COLUMNS, **segments, **options)
    expected = written(*ARGUMENTS[:2], "relevant.csv", "-k", "5", "-k", "10", *SEGMENT, "--margin", "0.01")
    ours, theirs = sections(found.html), sections(expected)
    assert list(ours) == list(theirs)
    for name in ours.keys() - {"How it was made", "The data"}:
        assert text_of(ours[name]) == text_of(theirs[name]), name
    assert "Truthbought" in text_of(ours["How it was made"])
    frame = parsed(f"<!DOCTYPE html><title>a</title>{found._repr_html_()}").find(f".//{HTML}iframe")
    assert frame.get("srcdoc") == found.html
    found.save("notebook.html")
    Path("notebook.html").chmod(0o600)
    Path("linked.html").symlink_to("notebook.html")
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(found.save, ["linked.html"] * 20))
    assert Path("linked.html").is_symlink()
    assert Path("notebook.html").read_text(encoding="utf-8") == found.html
    assert stat.S_IMODE(Path("notebook.html").stat().st_mode) == 0o600
