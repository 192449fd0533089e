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
from ranking_udfs.reporting.page import page as page_of
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
    tables_in,
    text_of,
    written,
)


@pytest.fixture
def own() -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that the command does not use."""
    with duckdb.connect() as connection:
        yield ranking_udfs.register(connection)


def four(number: float | None) -> str:
    """As the page writes a number."""
    return "" if number is None else re.sub(r"e([+-])0*", r"e\1", f"{number:.4g}").replace("e+", "e")


def p_text(p: float) -> str:
    return "< 0.0001" if p < 0.0001 else f"{p:.2g}"


def is_shown(text: str, number: float | None) -> bool:
    """Whether a text is this number with the text's own decimals."""
    decimals = len(text.partition(".")[2])
    return text == ("" if number is None else f"{number:.{decimals}f}") and (number is None or decimals > 1)


# --- The numbers ---


@pytest.mark.slow
def test_differences_are_those_of_compare(run: Run, written: Written) -> None:
    expected = json.loads(run("compare", *ARGUMENTS, "--no-check", "--format", "json"))
    measures = ("ndcg", "recall", "average_precision", "mrr", "hit_rate", "precision")
    html = written(*ARGUMENTS, "--no-check", "--measures", ",".join(measures))
    found = [
        row
        for table in tables_in(sections(html)["Differences to als"])
        for row in table
        if "Difference" in row
    ]
    assert len(found) == len(expected) == 36
    keyed = {(row["measure"], row["k"], row["system"]): row for row in expected}
    for row, measure in zip(found, (one for one in measures for _ in range(6)), strict=True):
        one = keyed[measure, int(row["k"]), row["System"]]
        assert is_shown(row["Mean"], one["mean_system"])
        assert is_shown(row["Baseline"], one["mean_baseline"])
        assert is_shown(row["Difference"], one["difference"])
        assert is_shown(row["Low"], one["low"])
        assert is_shown(row["High"], one["high"])
        assert row["p"] == p_text(one["p_adjusted"])
        assert row["Verdict"] == one["verdict"]
    outcomes = [
        row for table in tables_in(sections(html)["Differences to als"]) for row in table if "Wins" in row
    ]
    for row, measure in zip(outcomes, (one for one in measures for _ in range(6)), strict=True):
        one = keyed[measure, int(row["k"]), row["System"]]
        assert [row[name] for name in ("Users", "Wins", "Ties", "Losses")] == [
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
    html = written(*ARGUMENTS, "--no-check")
    found = sections(html)
    own.execute("CREATE TABLE truth AS FROM 'relevant.csv'")
    own.execute(
        "CREATE TABLE rec AS "
        + " UNION ALL ".join(f"SELECT *, '{name}' AS system FROM '{name}.csv'" for name in SYSTEMS)
    )
    curve = own.execute("FROM ranking_interpolated_precision_curve('rec', 'truth')").fetchall()
    (table,) = tables_in(found["Precision and recall"])
    rows = {row["Recall"]: row for row in table}
    for system, recall, precision in curve:
        assert is_shown(rows[f"{recall:g}"][system], precision)
    own.execute("CREATE TABLE by_user AS FROM ranking_by_user('rec', 'truth', 5)")
    (users,) = tables_in(found["How users fare"])
    for system in SYSTEMS:
        values = np.array(own.execute("SELECT ndcg FROM by_user WHERE system = ?", [system]).fetchall())
        counts, _ = np.histogram(values[values > 0], bins=20, range=(0, 1))
        assert [row[system] for row in users] == [str(np.sum(values == 0)), *map(str, counts)]
    worst = own.execute("""
        SELECT userid, a.ndcg, b.ndcg, b.ndcg - a.ndcg AS d FROM by_user AS a JOIN by_user AS b USING (userid)
        WHERE a.system = 'als' AND b.system = 'bert' AND d < 0 ORDER BY d, userid LIMIT 20""").fetchall()
    assert len(worst) > 5
    shown = tables_in(found["Who loses most"])[0]
    for row, (user, *numbers) in zip(shown, worst, strict=True):
        assert row["User"] == user
        assert all(map(is_shown, list(row.values())[1:], numbers))
    lost = own.execute("""
        SELECT count(*), min(d), (count(*) FILTER (round(d, 9) = low)) FROM (
            SELECT b.ndcg - a.ndcg AS d, round(min(d) OVER (), 9) AS low
            FROM by_user AS a JOIN by_user AS b USING (userid)
            WHERE a.system = 'als' AND b.system = 'bert' AND b.ndcg < a.ndcg)""").fetchall()
    users, least, shared = lost[0]
    assert shared == 1
    said = f"With bert, {users} of 120 users lose; the worst difference is {four(least)}, of one user."
    assert said in text_of(found["Who loses most"])


def test_what_changes_for_users_is_what_sql_says(written: Written, own: duckdb.DuckDBPyConnection) -> None:
    found = sections(written(*ARGUMENTS, "--no-check"))["What changes for users"]
    own.execute("CREATE TABLE truth AS FROM 'relevant.csv'")
    own.execute(
        "CREATE TABLE rec AS "
        + " UNION ALL ".join(f"SELECT *, '{name}' AS system FROM '{name}.csv'" for name in SYSTEMS)
    )
    common, lists = tables_in(found)
    query = """SELECT system, overlap, rbo, same_first, same_list
        FROM ranking_overlap('rec', [5], baseline := 'als') ORDER BY 1"""
    expected = [
        [name, *(f"{share:.0%}" for share in shares)] for name, *shares in own.execute(query).fetchall()
    ]
    assert [list(row.values()) for row in common] == expected
    own.execute("CREATE TABLE by_user AS FROM ranking_by_user('rec', 'truth', 5)")
    ((user,),) = own.execute("""SELECT userid FROM by_user AS a JOIN by_user AS b USING (userid)
        WHERE a.system = 'als' AND b.system = 'bert' ORDER BY b.ndcg - a.ndcg, userid LIMIT 1""").fetchall()
    assert f"The lists of {user}, who loses most with bert:" in text_of(found)
    for name in ("als", "bert"):
        items = own.execute(
            "SELECT itemid FROM rec WHERE userid = ? AND system = ? ORDER BY score DESC LIMIT 5", [user, name]
        ).fetchall()
        assert [row[name] for row in lists] == [f"{i} (relevant)" if i < 12 else str(i) for (i,) in items]
        missed = set(range(12)) - {i for (i,) in items}
        (told,) = re.findall(rf"not in the list of {name}: (.*?)\.", text_of(found))
        assert set(map(int, re.findall(r"\d+", told))) == missed


@pytest.mark.slow
def test_segments_are_those_of_compare_the_largest_first(run: Run, written: Written) -> None:
    arguments = [*ARGUMENTS, *SEGMENT, "--no-check"]
    expected = json.loads(run("compare", *arguments, "--format", "json"))
    keyed = {
        (row["segment"], row["system"]): row
        for row in expected
        if (row["measure"], row["k"]) == ("ndcg", 5) and row["segment"] != "(all)"
    }
    (rows,) = tables_in(sections(written(*arguments))["Segments"])
    assert len(rows) == len(keyed) == 8
    for row in rows:
        one = keyed[row["Segment"], row["System"]]
        assert row["Users"] == str(one["users"])
        assert is_shown(row["Difference"], one["difference"])
        assert is_shown(row["Low"], one["low"])
        assert is_shown(row["High"], one["high"])
        assert (row["p"], row["Verdict"]) == (p_text(one["p_adjusted"]), one["verdict"])
    sizes = [int(row["Users"]) for row in rows]
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.slow
def test_the_verdict_is_compares_sentence(run: Run, written: Written) -> None:
    said = run("compare", *ARGUMENTS, "--no-check", "--measures", "ndcg@5")
    found = sections(written(*ARGUMENTS))["The answer"]
    verdicts = [text_of(one) for one in found.iter(f"{HTML}li") if one.get("class") in ("better", "worse")]
    verdicts += [text_of(one) for one in found.iter(f"{HTML}p") if text_of(one).startswith("Best against")]
    assert len(verdicts) == 3
    for verdict in verdicts:
        assert verdict in " ".join(said.split())


@pytest.mark.slow
def test_what_the_check_found_stands_on_the_page_and_nothing_too(run: Run, written: Written) -> None:
    assert "users in truth that are not in rec: 1 of 120 (als, als.csv), for example userid u119" in text_of(
        sections(written(*ARGUMENTS))["The data"]
    )
    Path("relevant.csv").write_text("".join(Path("relevant.csv").read_text().splitlines(keepends=True)[:-12]))
    assert "The check of the data found nothing." in text_of(sections(written(*ARGUMENTS))["The data"])
    assert "The data was not checked." in text_of(sections(written(*ARGUMENTS, "--no-check"))["The data"])


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


@pytest.mark.slow
@pytest.mark.parametrize("ties", ["trec", "expected"])
def test_ties_and_ascending_scores_reach_the_page(
    run: Run, written: Written, ties: str, own: duckdb.DuckDBPyConnection
) -> None:
    arguments = [*FILES, "-k", "10", "--measures", "recall", "--ties", ties, "--ascending", "--no-check"]
    expected = json.loads(run("evaluate", *arguments, "--format", "json", "--by-user", "by_user.csv"))
    found = sections(written(*arguments))
    (row,) = tables_in(found["Means"])[0]
    for one in expected:
        assert is_shown(row[one["system"]].partition(" ")[0], one["recall"])
    (users,) = tables_in(found["How users fare"])
    for system in SYSTEMS:
        query = f"SELECT recall FROM 'by_user.csv' WHERE system = '{system}'"
        values = own.execute(query).fetchnumpy()["recall"]
        counts, _ = np.histogram(values[values > 0], bins=20, range=(0, 1))
        assert [row[system] for row in users] == [str(np.sum(values == 0)), *map(str, counts)]
    own.execute("CREATE TABLE truth AS FROM 'relevant.csv'; CREATE TABLE rec AS FROM 'bert.csv'")
    curve = own.execute("FROM ranking_interpolated_precision_curve('rec', 'truth', descending := false)")
    (rows,) = tables_in(found["Precision and recall"])
    for row, (_, precision) in zip(rows, curve.fetchall(), strict=True):
        assert is_shown(row["bert"], precision)


def test_randomization_names_its_seed(written: Written) -> None:
    html = written(*ARGUMENTS, "--test", "randomization", "--permutations", "200", "--seed", "7")
    made = text_of(sections(html)["How it was made"])
    assert "200, seed 7" in made
    assert "paired randomization test, Holm-adjusted" in made


@pytest.mark.slow
def test_the_sql_on_the_page_makes_the_same_numbers(written: Written, own: duckdb.DuckDBPyConnection) -> None:
    html = written(*ARGUMENTS)
    (sql,) = (text for text in (one.text for one in parsed(html).iter(f"{HTML}pre")) if text)
    rows: dict[Any, Any] = {}
    for statement in own.extract_statements(sql):
        result = own.execute(statement)
        if "ranking_compare_by_user" in statement.query:
            names = [name for name, *_ in result.description]
            for row in (dict(zip(names, values, strict=True)) for values in result.fetchall()):
                if row["baseline"] == "als":
                    rows.setdefault((row["measure"], str(row["k"]), row["system"]), row)
    found = [row for row in tables_in(sections(html)["Differences to als"])[0] if "Difference" in row]
    assert len(found) == 6
    for row in found:
        one = rows["ndcg", row["k"], row["System"]]
        assert is_shown(row["Difference"], one["difference"])
        assert row["p"] == p_text(one["p_adjusted"])


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
    own.execute("CREATE TABLE rec AS FROM 'als.csv'; CREATE TABLE truth AS FROM 'relevant.csv'")
    values = own.execute("SELECT first_hit_rank FROM ranking_by_user('rec', 'truth', 5)").fetchall()
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


def test_the_whole_list_and_cut_offs_of_a_measures_own(run: Run, written: Written) -> None:
    arguments = [
        *FILES,
        "--baseline",
        "als",
        "-k",
        "all",
        "-k",
        "3",
        "--measures",
        "recall,ndcg@7",
        "--no-check",
    ]
    expected = json.loads(run("compare", *arguments, "--format", "json"))
    html = written(*arguments)
    keyed = {(row["measure"], row["k"], row["system"]): row for row in expected}
    recall, ndcg, *_ = tables_in(sections(html)["Differences to als"])
    assert [row["k"] for row in ndcg] == ["7", "7"]
    for row in ndcg:
        assert is_shown(row["Difference"], keyed["ndcg", 7, row["System"]]["difference"])
    for row in recall:
        k = None if row["k"] == "all" else int(row["k"])
        assert is_shown(row["Difference"], keyed["recall", k, row["System"]]["difference"])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["", "\x07"])
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


# --- Errors ---


def test_what_cannot_be_is_one_line(fails: Fails, run: Run) -> None:
    assert fails(2, "report", *FILES).startswith("report: --output FILE or --figures FOLDER is required")
    assert fails(1, "report", *FILES, "--output", "no/r.html") == "no/r.html: no such directory: no"
    Path("a_file").touch()
    assert fails(1, "report", *FILES, "--figures", "a_file") == "a_file: a file, not a directory"
    assert fails(2, "report", *FILES, "--output", "als.csv").startswith("--output must end in .html")
    Path("als.html").symlink_to("als.csv")
    assert fails(1, "report", *FILES, "--output", "als.html").startswith("als.html: would overwrite als.csv")
    error = fails(2, "report", *FILES, "--baseline", "x", "--output", "r.html")
    assert error == "report: --baseline must be a model (als, bert, pop), got 'x'"
    error = fails(2, "report", "als.csv", "relevant.csv", "--baseline", "als", "--output", "r.html")
    assert error == "report: --baseline must be a model (there is one, without a name), got 'als'"
    for given in (FILES, ["als.csv", "relevant.csv"], ["als=als.csv", "nothing.csv"]):
        error = fails(2, "report", *given, "--confidence", "2", "--output", "r.html")
        assert error.startswith("argument --confidence: must be")
    error = fails(2, "report", *FILES, "--measures", "ideal_dcg", "--output", "r.html")
    assert error == "report: --measures must say which of two models is better, got ideal_dcg"
    lines = "".join(f"u{i % 120},{i},1,s{i % 51}\n" for i in range(600))
    Path("many.csv").write_text("userid,itemid,score,system\n" + lines)
    error = fails(2, "report", "many.csv", "relevant.csv", "--output", "r.html")
    assert error == "report: there must be 50 models or fewer, got 51"
    assert not Path("r.html").exists()


def test_a_page_that_cannot_be_written_leaves_what_was_there(
    fails: Fails, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("r.html").write_text("before")

    def broken(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", broken)
    assert fails(1, "report", *FILES, "--output", "r.html") == "[Errno 28] No space left on device"
    assert Path("r.html").read_text() == "before"
    assert not list(Path().glob(".*r.html"))


@pytest.mark.slow
@pytest.mark.parametrize("given", ["soon", "9" * 17])
def test_a_date_that_is_none_is_an_error(fails: Fails, monkeypatch: pytest.MonkeyPatch, given: str) -> None:
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


OF_K = "every k in ks must be an integer from 0 to 2147483647, or None"
COLUMNS = {
    "user_col": "who",
    "item_col": "sku",
    "score_col": "p",
    "grade_col": "stars",
    "system_col": "model",
}


@pytest.mark.slow
def test_udfs_report_is_the_page_of_the_command(shop: duckdb.DuckDBPyConnection, written: Written) -> None:
    found = ranking_udfs.report(
        "rec",
        "bought",
        ks=[5, 10],
        con=shop,
        **COLUMNS,
        segments="people",
        segment_col="country",
        margin=0.01,
        measures=FEW[1].split(","),
    )
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
    expected = written(*ARGUMENTS[:2], "relevant.csv", "-k", "5", "-k", "10", *SEGMENT, "--margin", "0.01")
    ours, theirs = sections(found.html), sections(expected)
    assert list(ours) == list(theirs)
    for name in ours.keys() - {"How it was made", "The data"}:
        assert text_of(ours[name]) == text_of(theirs[name]), name
    assert "Truthbought" in text_of(ours["How it was made"])
    frame = parsed(f"<!DOCTYPE html><title>a</title>{found._repr_html_()}").find(f".//{HTML}iframe")
    assert frame.get("srcdoc") == found.html


@pytest.mark.slow
def test_udfs_report_leaves_nothing_behind(shop: duckdb.DuckDBPyConnection) -> None:
    query = """
        SELECT table_name FROM duckdb_tables()
        UNION ALL SELECT view_name FROM duckdb_views() WHERE NOT internal ORDER BY ALL"""
    ranking_udfs.report(
        "rec", "bought", con=shop, **COLUMNS, ties="trec", segments="people", segment_col="country"
    )
    assert shop.execute(query).fetchall() == [("bought",), ("people",), ("rec",)]
    with pytest.raises(ValueError, match="must say which of two models is better"):
        ranking_udfs.report("rec", "bought", con=shop, **COLUMNS, measures=["ideal_dcg"])
    assert shop.execute(query).fetchall() == [("bought",), ("people",), ("rec",)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"user_col": "nobody"}, "report: bought: no column 'nobody' (there are: who, sku, stars)"),
        ({"score_col": "stars"}, "report: rec: no column 'stars' (there are: who, sku, p, model)"),
        ({"ks": [-1]}, f"report: {OF_K}, got -1"),
        ({"ks": []}, "report: ks must be a list of one or more k, got []"),
        ({"ks": 2.5}, f"report: {OF_K}, got 2.5"),
        ({"ks": True}, f"report: {OF_K}, got True"),
        ({"ks": 2**70}, f"report: {OF_K}, got {2**70}"),
        ({"ks": "ten"}, f"report: {OF_K}, got 't'"),
        ({"ties": [1]}, "report: ties must be one of item, trec, expected, got [1]"),
        ({"measures": [3]}, "report: measures must be texts such as 'ndcg@5,10', got [3]"),
        ({"test": "zz"}, "report: test must be"),
        (
            {"segments": "people", "segment_col": None},
            "report: segment_col must be the name of a column, got None",
        ),
        ({"ties": "no"}, "report: ties must be one of item, trec, expected, got 'no'"),
        ({"measures": ["nd"]}, "report: measure must be the name of a measure, got 'nd'"),
        (
            {"measures": ["bpref"], "ties": "expected"},
            "report: bpref has no closed form over all orders of equal scores",
        ),
        ({"baseline": "x"}, "report: baseline must be a model (als, bert), got 'x'"),
        ({"confidence": 2}, "report: confidence must be"),
        (
            {"segments": "people", "segment_col": "x"},
            "report: people: no column 'x' (there are: who, country)",
        ),
    ],
)
def test_udfs_report_says_what_cannot_be(
    shop: duckdb.DuckDBPyConnection, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        ranking_udfs.report("rec", "bought", con=shop, **{**COLUMNS, **arguments})
    assert "\n" not in str(error.value)


@pytest.mark.slow
def test_the_findings_are_plain_data(shop: duckdb.DuckDBPyConnection) -> None:
    found = ranking_udfs.report("rec", "bought", con=shop, **COLUMNS, measures=["ndcg"])
    assert page_of(found.findings).html == found.html
    assert found.findings.baseline == "als"


@pytest.mark.slow
def test_udfs_report_in_a_transaction_and_without_tables(shop: duckdb.DuckDBPyConnection) -> None:
    shop.begin()
    assert ranking_udfs.report(
        "rec", "bought", con=shop, ks=np.array([5, 10]), **COLUMNS
    ).findings.systems == [
        "als",
        "bert",
    ]
    with pytest.raises(ValueError, match=r"report: bought: no column 'nope'"):
        ranking_udfs.report("rec", "bought", con=shop, **{**COLUMNS, "item_col": "nope"})
    shop.rollback()
    shop.execute("CREATE TABLE empty AS FROM rec LIMIT 0")
    with pytest.raises(ValueError, match="report: empty: no rows"):
        ranking_udfs.report("empty", "bought", con=shop, **COLUMNS)
    with pytest.raises(ValueError, match="report: empty: no rows"):
        ranking_udfs.report("rec", "empty", con=shop, **COLUMNS | {"grade_col": None})
    shop.execute("CREATE TABLE others AS SELECT 'u1' AS userid, 'SE' AS country")
    with pytest.raises(ValueError, match=r"report: others: no column 'who'"):
        ranking_udfs.report("rec", "bought", con=shop, **COLUMNS, segments="others", segment_col="country")
    with duckdb.connect() as bare:
        bare.execute("CREATE SCHEMA other; CREATE TABLE other.text AS SELECT 1 AS userid")
        for name in ("rec", "con", "text"):  # which are variables of the package, too
            with pytest.raises(ValueError, match=f"report: {name}: no such table or view, and no such file"):
                ranking_udfs.report(name, name, con=bare)


@pytest.mark.slow
def test_one_model_is_said_to_have_what_its_options_are(shop: duckdb.DuckDBPyConnection) -> None:
    shop.execute("CREATE TABLE one AS FROM rec WHERE model = 'als'")
    with pytest.raises(ValueError, match="report: confidence must be"):
        ranking_udfs.report("one", "bought", con=shop, **COLUMNS, confidence=7)
    found = ranking_udfs.report("one", "bought", con=shop, **COLUMNS)
    assert found.findings.systems == ["als"]
    assert "<h1>How good is als?</h1>" in found.html


def test_grades_below_min_grade_still_gain_and_the_example_has_something_relevant(
    run: Run, written: Written
) -> None:
    """User 1 loses most, by grades that are not relevant; user 2 less, with a relevant item."""
    head = "userid,itemid,score\n"
    Path("one.csv").write_text(head + "1,a,9\n1,b,8\n2,a,9\n2,b,8\n2,c,7\n")
    Path("two.csv").write_text(head + "1,x,9\n1,y,8\n2,b,9\n2,a,8\n2,c,7\n")
    Path("truth.csv").write_text("userid,itemid,rel\n1,a,1\n1,b,1\n2,a,2\n2,b,1\n")
    arguments = ["one=one.csv", "two=two.csv", "truth.csv", "--min-grade", "2", "-k", "2", "--no-check"]
    found = sections(written(*arguments, "--measures", "ndcg"))
    (example,) = tables_in(found["What changes for users"])[1:]
    assert [list(row.values())[1:] for row in example] == [
        ["a (relevant)", "b (grade 1)"],
        ["b (grade 1)", "a (relevant)"],
    ]
    assert "of 2, who of those with a relevant item loses most" in text_of(found["What changes for users"])
    assert "gains, as of NDCG, count grades below 2 too" in text_of(found["The data"])
    shown = " ".join(run("evaluate", *arguments).split())
    assert shown.endswith("finding none, but for gains, as of NDCG, which count lower grades too): 1")
    assert "count lower grades" not in run("evaluate", "one=one.csv", "truth.csv", "--no-check")
