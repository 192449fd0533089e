"""`ranking-udfs report` and `udfs.report`: the numbers, what the page is made of, how a browser shows it."""

# ruff: noqa: F811  (fixtures that are imported, and are arguments)

import json
import re
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import duckdb
import html5lib
import numpy as np
import pytest
from PIL import Image
from scipy import stats

import udfs
from tests.test_cli import con, fails, folder, registered, run  # noqa: F401
from udfs.command.cli import main
from udfs.page import drawing
from udfs.page.charts import MOST_SYSTEMS
from udfs.page.page import page as page_of

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
HTML = "{http://www.w3.org/1999/xhtml}"
SYSTEMS = {"als": 0.2, "bert": 0.35, "pop": 0.1}
FILES = [*(f"{name}={name}.csv" for name in SYSTEMS), "relevant.csv"]
ARGUMENTS = [*FILES, "--baseline", "als", "-k", "5", "-k", "10", "-k", "20", "--margin", "0.01"]
FEW = ["--measures", "ndcg", "recall"]  # so that less is drawn
SEGMENT = ["--segment", "users.csv:country"]
# What a name may hold that a page must show and not obey.
NASTY = "</style></title><script>alert(1)</script><img src=x onerror=alert(2)> \"'&amp; {{7}} \u202egnp \x07"


def make_files(names=SYSTEMS, users=120, nasty=""):
    """Recommendations of each model, of which some are right, for all users but the last; and segments."""
    draw = np.random.default_rng(1)
    hits = dict(zip(names, SYSTEMS.values(), strict=False))
    for name in names:
        found = draw.random((users - 1, 30)) < hits.get(name, 0.15)
        rows = (
            f"u{u}{nasty},{i if found[u, i] else 1000 + i},{30 - i}.5\n"
            for u in range(users - 1)
            for i in range(30)
        )
        Path(f"{name}.csv").write_text("userid,itemid,score\n" + "".join(rows))
    truth = (f"u{u}{nasty},{i},{1 + i % 3}\n" for u in range(users) for i in range(12))
    Path("relevant.csv").write_text("userid,itemid,rel\n" + "".join(truth))
    countries = ("SE", "NO", f"DK{nasty}")
    segments = (f"u{u}{nasty},{countries[u % 5 // 2]}\n" for u in range(users - 10))
    Path("users.csv").write_text("userid,country\n" + "".join(segments))


@pytest.fixture(autouse=True)
def files(folder, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1790000000")
    make_files()


@pytest.fixture
def own():
    """A connection that the command does not use."""
    with duckdb.connect() as connection:
        yield udfs.register(connection)


@pytest.fixture
def written(run):
    """The page that the command writes, of a few measures if it is not said of which."""

    def run_it(*arguments):
        few = [] if "--measures" in arguments else FEW
        assert run("report", *arguments, *few, "--output", "report.html") == ""
        return Path("report.html").read_text(encoding="utf-8")

    return run_it


def parsed(html):
    """The page as a tree; html5lib fails at whatever is not HTML."""
    return html5lib.HTMLParser(strict=True).parse(html)


def text_of(element):
    return " ".join("".join(element.itertext()).split())


def sections(html):
    """Each section by its heading."""
    return {text_of(one.find(f"{HTML}h2")): one for one in parsed(html).iter(f"{HTML}section")}


def tables_in(element):
    """The rows of each table, as texts by the texts of the header."""
    found = []
    for table in element.iter(f"{HTML}table"):
        header, *rows = (list(map(text_of, row)) for row in table.iter(f"{HTML}tr"))
        found.append([dict(zip(header, row, strict=True)) for row in rows])
    return found


def four(number):
    """As the page writes a number."""
    return "" if number is None else re.sub(r"e([+-])0*", r"e\1", f"{number:.4g}").replace("e+", "e")


# --- The numbers ---


def test_differences_are_those_of_compare(run, written):
    expected = json.loads(run("compare", *ARGUMENTS, "--no-check", "--format", "json"))
    measures = ("ndcg", "recall", "average_precision", "mrr", "hit_rate", "precision")
    html = written(*ARGUMENTS, "--no-check", "--measures", *measures)
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
        assert row["Mean"] == four(one["mean_system"])
        assert row["Baseline"] == four(one["mean_baseline"])
        assert row["Difference"] == four(one["difference"])
        assert (row["Low"], row["High"]) == (four(one["low"]), four(one["high"]))
        assert row["p"] == four(one["p_adjusted"])
        assert row["Verdict"] == one["verdict"]
    outcomes = [
        row for table in tables_in(sections(html)["Differences to als"]) for row in table if "Wins" in row
    ]
    for row, measure in zip(outcomes, (one for one in measures for _ in range(6)), strict=True):
        one = keyed[measure, int(row["k"]), row["System"]]
        assert [row[name] for name in ("Users", "Wins", "Ties", "Losses")] == [
            str(one[name]) for name in ("users", "wins", "ties", "losses")
        ]


def test_means_and_counts_are_those_of_evaluate_and_intervals_those_of_student(run, written, own):
    measures = ["--measures", "ndcg", "ndcg(gain=linear)@10", "hits"]
    arguments = [*ARGUMENTS[:4], "-k", "5", "-k", "10", *measures, "--no-check"]
    expected = json.loads(run("evaluate", *arguments, "--format", "json", "--by-user", "by_user.csv"))
    found = sections(written(*arguments))
    (means,) = tables_in(found["Means"])[:1]
    assert [row["Measure"] for row in means] == [
        *("NDCG@5", "NDCG@10", "NDCG@10 (gain=linear)", "Hits@5", "Hits@10")
    ]
    names = {"NDCG": "ndcg", "Hits": "hits"}
    for row in means:
        label, k = re.match(r"(\w+)@(\d+)", row["Measure"]).groups()
        name = names[label] + ("(gain=linear)" if "gain" in row["Measure"] else "")
        for system in SYSTEMS:
            (one,) = (each for each in expected if (each["system"], each["k"]) == (system, int(k)))
            query = f"""SELECT "{name}" FROM 'by_user.csv' WHERE system = '{system}' AND k = {k}"""
            values = own.execute(query).fetchnumpy()[name]
            half = student(values)
            assert row[system] == f"{four(one[name])} ± {four(half)}"
    counts = {row["Count"]: row for row in tables_in(found["The data"])[0]}
    assert counts["Users evaluated"]["bert"] == "120"
    assert counts["Users without recommendations (scored as an empty list)"]["bert"] == "1"
    assert counts["Users without truth (left out)"]["bert"] == "0"


def student(values):
    """Half of the 95 % interval of the mean."""
    return stats.t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / len(values) ** 0.5


def test_the_curve_the_histogram_and_the_losers_are_those_of_sql(written, own):
    html = written(*ARGUMENTS, "--no-check")
    found = sections(html)
    own.execute("CREATE TABLE truth AS FROM 'relevant.csv'")
    own.execute(
        "CREATE TABLE rec AS "
        + " UNION ALL ".join(f"SELECT *, '{name}' AS system FROM '{name}.csv'" for name in SYSTEMS)
    )
    curve = own.execute("FROM ranking_interpolated_precision_curve('rec', 'truth')").fetchall()
    rows = {row["System"]: row for (table,) in [tables_in(found["Precision and recall"])] for row in table}
    for system, recall, precision in curve:
        assert rows[system][f"at {recall:g}"] == four(precision)
    own.execute("CREATE TABLE by_user AS FROM ranking_by_user('rec', 'truth', 5)")
    (users,) = tables_in(found["How users fare"])
    for row in users:
        values = np.array(
            own.execute("SELECT ndcg FROM by_user WHERE system = ?", [row["System"]]).fetchall()
        )
        counts, _ = np.histogram(values[values > 0], bins=20, range=(0, 1))
        assert list(row.values())[1:] == [str(np.sum(values == 0)), *map(str, counts)]
    worst = own.execute("""
        SELECT userid, a.ndcg, b.ndcg, b.ndcg - a.ndcg AS d FROM by_user AS a JOIN by_user AS b USING (userid)
        WHERE a.system = 'als' AND b.system = 'bert' AND d < 0 ORDER BY d, userid LIMIT 20""").fetchall()
    assert len(worst) > 5
    assert [list(row.values()) for row in tables_in(found["Who loses most"])[0]] == [
        [user, *map(four, numbers)] for user, *numbers in worst
    ]


def test_segments_are_those_of_compare_the_largest_first(run, written):
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
        assert row["Difference"] == four(one["difference"])
        assert (row["Low"], row["High"]) == (four(one["low"]), four(one["high"]))
        assert (row["p"], row["Verdict"]) == (four(one["p_adjusted"]), one["verdict"])
    sizes = [int(row["Users"]) for row in rows]
    assert sizes == sorted(sizes, reverse=True)


def test_the_verdict_is_compares_sentence(run, written):
    said = run("compare", *ARGUMENTS, "--no-check", "--measures", "ndcg@5")
    verdicts = [text_of(one) for one in sections(written(*ARGUMENTS))["The verdict"].iter(f"{HTML}li")]
    assert len(verdicts) == 2
    for verdict in verdicts:
        assert verdict in " ".join(said.split())


def test_what_the_check_found_stands_on_the_page_and_nothing_too(run, written):
    assert "users in truth that are not in rec: 1, for example userid u119" in text_of(
        sections(written(*ARGUMENTS))["The data"]
    )
    Path("relevant.csv").write_text("".join(Path("relevant.csv").read_text().splitlines(keepends=True)[:-12]))
    assert "The check of the data found nothing." in text_of(sections(written(*ARGUMENTS))["The data"])
    assert "The data was not checked." in text_of(sections(written(*ARGUMENTS, "--no-check"))["The data"])


def test_one_model_has_the_sections_that_make_sense_for_one(written, run, own):
    html = written("als.csv", "relevant.csv", "-k", "10", *SEGMENT)
    assert list(sections(html)) == [
        *("The data", "Means", "Precision and recall", "How users fare", "Segments", "How it was made")
    ]
    assert "<title>How good are the recommendations?</title>" in html
    run("evaluate", "als.csv", "relevant.csv", "--measures", "ndcg", "--no-check", "--by-user", "by_user.csv")
    (rows,) = tables_in(sections(html)["Segments"])
    own.execute("CREATE TABLE values_of AS FROM 'by_user.csv' LEFT JOIN 'users.csv' USING (userid)")
    for row in rows:
        name = "NULL" if row["Segment"] == "(none)" else f"'{row['Segment']}'"
        query = f"SELECT ndcg FROM values_of WHERE country IS NOT DISTINCT FROM {name}"
        values = own.execute(query).fetchnumpy()["ndcg"]
        mean, half = np.mean(values), student(values)
        assert row["Users"] == str(len(values))
        assert [row["Mean"], row["Low"], row["High"]] == [four(mean), four(mean - half), four(mean + half)]


@pytest.mark.parametrize("ties", ["trec", "expected"])
def test_ties_and_ascending_scores_reach_the_page(run, written, ties, own):
    arguments = [*FILES, "-k", "10", "--measures", "recall", "--ties", ties, "--ascending", "--no-check"]
    expected = json.loads(run("evaluate", *arguments, "--format", "json", "--by-user", "by_user.csv"))
    found = sections(written(*arguments))
    (row,) = tables_in(found["Means"])[0]
    for one in expected:
        assert row[one["system"]].startswith(four(one["recall"]))
    (users,) = tables_in(found["How users fare"])
    for row in users:
        query = f"SELECT recall FROM 'by_user.csv' WHERE system = '{row['System']}'"
        values = own.execute(query).fetchnumpy()["recall"]
        counts, _ = np.histogram(values[values > 0], bins=20, range=(0, 1))
        assert list(row.values())[1:] == [str(np.sum(values == 0)), *map(str, counts)]
    own.execute("CREATE TABLE truth AS FROM 'relevant.csv'; CREATE TABLE rec AS FROM 'bert.csv'")
    curve = own.execute("FROM ranking_interpolated_precision_curve('rec', 'truth', descending := false)")
    (rows,) = tables_in(found["Precision and recall"])
    (row,) = (row for row in rows if row["System"] == "bert")
    assert list(row.values())[1:] == [four(precision) for _, precision in curve.fetchall()]


def test_randomization_names_its_seed(written):
    html = written(*ARGUMENTS, "--test", "randomization", "--permutations", "200", "--seed", "7")
    made = text_of(sections(html)["How it was made"])
    assert "200, seed 7" in made
    assert "p of the paired randomization test, corrected after Holm" in made


def test_the_sql_on_the_page_makes_the_same_numbers(written, own):
    html = written(*ARGUMENTS)
    (sql,) = (text for text in (one.text for one in parsed(html).iter(f"{HTML}pre")) if text)
    rows = {}
    for statement in own.extract_statements(sql):
        result = own.execute(statement)
        if "ranking_compare_by_user" in statement.query:
            names = [name for name, *_ in result.description]
            for row in (dict(zip(names, values, strict=True)) for values in result.fetchall()):
                rows[row["measure"], str(row["k"]), row["system"]] = row
    found = [row for row in tables_in(sections(html)["Differences to als"])[0] if "Difference" in row]
    assert len(found) == 6
    for row in found:
        one = rows["ndcg", row["k"], row["System"]]
        assert (row["Difference"], row["p"]) == (four(one["difference"]), four(one["p_adjusted"]))


def titles(html):
    """The title of each chart."""
    return [text_of(one) for one in parsed(html).iter(f"{HTML}h3")]


def test_titles_say_who_is_best_where_the_users_are_the_same(written):
    found = titles(written(*ARGUMENTS, "--measures", "ndcg", "recall@5", "--no-check"))
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


def test_a_measure_that_some_users_have_no_value_of(written, own):
    """The rank of the first hit: less is better, and who has no hit has none."""
    html = written(
        *FILES, "--baseline", "als", "-k", "0", "-k", "5", "--measures", "first_hit_rank", "--no-check"
    )
    found = sections(html)
    assert "First hit rank by cut-off" in titles(html)  # of different users, and so of no leader
    assert "Not every user has a value of First hit rank." in text_of(found["Means"])
    means = tables_in(found["Means"])[0]
    assert [row["als"] for row in means if row["Measure"] == "First hit rank@0"] == [""]
    html = written(*FILES, "--baseline", "als", "-k", "5", "--measures", "first_hit_rank", "--no-check")
    (users,) = tables_in(sections(html)["How users fare"])
    own.execute("CREATE TABLE rec AS FROM 'als.csv'; CREATE TABLE truth AS FROM 'relevant.csv'")
    values = own.execute("SELECT first_hit_rank FROM ranking_by_user('rec', 'truth', 5)").fetchall()
    ranks = [rank for (rank,) in values if rank is not None]
    (row,) = (row for row in users if row["System"] == "als")
    assert row["no value"] == str(120 - len(ranks))
    assert "exactly 0" not in row
    counts, edges = np.histogram(ranks, bins=20, range=(1, 5))
    assert list(row.values())[2:] == list(map(str, counts))
    assert list(row)[2:] == [f"from {edge:.4g}" for edge in edges[:-1]]
    share = f"no value: {(120 - len(ranks)) / 120:.0%} for als"
    assert any(title.startswith(f"First hit rank@5 of each user; {share}") for title in titles(html))
    nothing = titles(written(*FILES, "-k", "0", "--measures", "first_hit_rank", "--no-check"))
    assert nothing[0] == "First hit rank@0: no user has a value"
    assert "First hit rank@0: no user has values of both" in " ".join(nothing)


def test_the_whole_list_and_cut_offs_of_a_measures_own(run, written):
    arguments = [
        *FILES,
        "--baseline",
        "als",
        "-k",
        "all",
        "-k",
        "3",
        "--measures",
        "recall",
        "ndcg@7",
        "--no-check",
    ]
    expected = json.loads(run("compare", *arguments, "--format", "json"))
    html = written(*arguments)
    keyed = {(row["measure"], row["k"], row["system"]): row for row in expected}
    recall, _, ndcg, _ = tables_in(sections(html)["Differences to als"])
    assert [(row["k"], row["Difference"]) for row in ndcg] == [
        ("7", four(keyed["ndcg", 7, system]["difference"])) for system in ("bert", "pop")
    ]
    for row in recall:
        k = None if row["k"] == "all" else int(row["k"])
        assert row["Difference"] == four(keyed["recall", k, row["System"]]["difference"])


@pytest.mark.parametrize("name", ["", "\x07"])
def test_a_model_or_segment_without_a_name_has_one_on_the_page(shop, name):
    shop.execute("UPDATE rec SET model = ? WHERE model = 'bert'", [name])
    shop.execute("UPDATE people SET country = ? WHERE country = 'SE'", [name])
    found = udfs.report(
        shop, "rec", "bought", **COLUMNS, baseline="als", segments="people", segment_col="country"
    )
    assert found.findings.systems == ["als", "(no name)"]
    assert "(no name)" in {row["segment"] for row in found.findings.segments}
    assert "<h1>(no name) compared with als</h1>" in found.html


# --- The page ---


def test_the_page_is_the_same_each_time(written):
    assert written(*ARGUMENTS, *SEGMENT) == written(*ARGUMENTS, *SEGMENT)


def test_its_size_does_not_depend_on_how_many_users_there_are(written):
    small = len(written(*ARGUMENTS, *SEGMENT))
    make_files(users=3_000)
    assert len(written(*ARGUMENTS, *SEGMENT)) < 1.03 * small


def test_there_are_no_scripts_and_nothing_from_elsewhere(written):
    html = written(*ARGUMENTS, *SEGMENT)
    tree = parsed(html)
    names = {element.tag.rpartition("}")[2] for element in tree.iter() if isinstance(element.tag, str)}
    assert not names & {
        "script",
        "link",
        "iframe",
        "object",
        "embed",
        "img",
        "image",
        "foreignObject",
        "base",
    }
    for element in tree.iter():
        for name, value in element.attrib.items():
            assert not str(name).startswith("on"), name
            assert "href" not in str(name) or value.startswith("#"), value
            assert not re.search(r"https?:|//|javascript:|data:", value), value
    assert "@import" not in html
    assert "http" not in html.partition("</style>")[0]


def test_ids_are_unique_and_what_they_are_named_by_is_there(written):
    tree = parsed(written(*ARGUMENTS, *SEGMENT))
    ids = [element.get("id") for element in tree.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    for element in tree.iter():
        for value in element.attrib.values():
            assert set(re.findall(r"url\(#([^)]*)\)", value)) <= set(ids)
        assert {element.get("aria-labelledby")} <= {None, *ids}


def test_headings_are_in_order_and_charts_have_a_text_and_a_table(written):
    tree = parsed(written(*ARGUMENTS, *SEGMENT))
    levels = [int(one.tag[-1]) for one in tree.iter() if re.fullmatch(rf"{HTML}h[1-6]", str(one.tag))]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    figures = list(tree.iter(f"{HTML}figure"))
    assert len(figures) == 2 + 4 + 3
    for figure in figures:
        (svg,) = (one for one in figure if one.tag.endswith("svg"))
        assert svg.get("role") == "img"
        assert svg.get("aria-label").startswith(text_of(figure.find(f"{HTML}h3")))
        assert figure.find(f"{HTML}details") is not None
        assert len(tables_in(figure)[0]) > 1
    for cell in tree.iter(f"{HTML}th"):
        assert cell.get("scope") in ("col", "row")


def luminance(colour):
    parts = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def test_colours_have_the_contrast_of_wcag_aa():
    style = (Path(drawing.__file__).parent / "page.css").read_text()
    themes = [
        dict(re.findall(r"--([\w-]+): (#\w{6})", block))
        for block in re.findall(r":root \{(.*?)\}", style, re.S)
    ]
    assert len(themes) == 3
    for theme in themes:
        assert len(theme) == 7 + MOST_SYSTEMS

        def contrast(one, other, theme=theme):
            low, high = sorted(luminance(theme[name]) for name in (one, other))
            return (high + 0.05) / (low + 0.05)

        for text in ("ink", "quiet"):
            assert contrast(text, "paper") >= 4.5
            assert contrast(text, "tint") >= 4.5
        for i in range(1, MOST_SYSTEMS + 1):
            assert contrast(f"c{i}", "paper") >= 3, (theme, i)
    light = [themes[0][f"c{i}"] for i in range(1, MOST_SYSTEMS + 1)]
    assert light == list(drawing.COLOURS)


def test_more_than_eight_models_are_in_the_tables_alone(written):
    names = [f"m{i:02}" for i in range(10)]
    make_files(names, users=20)
    html = written(
        *(f"{name}={name}.csv" for name in names), "relevant.csv", "--measures", "ndcg", "-k", "5", "-k", "9"
    )
    found = sections(html)
    assert "The charts show 8 models; in the tables there are also m08, m09." in text_of(
        found["Measures by cut-off"]
    )
    (table,) = tables_in(found["Measures by cut-off"])
    assert {row["System"] for row in table} == set(names)
    drawn = [text_of(one) for one in found["Measures by cut-off"].iter() if str(one.tag).endswith("}text")]
    assert "m07" in drawn
    assert "m08" not in drawn
    assert text_of(parsed(html).find(f".//{HTML}h1")) == "9 models compared with m00"


def test_names_are_text_and_nothing_else(written, run):
    nasty = NASTY.replace("\x07", "")
    for name in ("als", "bert"):
        lines = Path(f"{name}.csv").read_text().splitlines()[1:]
        Path(f"{name}.jsonl").write_text(
            "".join(
                json.dumps(
                    {
                        "userid": user + nasty,
                        "itemid": int(item),
                        "score": float(score),
                        "system": name + NASTY,
                    }
                )
                + "\n"
                for user, item, score in (line.split(",") for line in lines)
            )
        )
    Path("rec<b>&.jsonl").write_text(Path("als.jsonl").read_text() + Path("bert.jsonl").read_text())
    truth = (line.split(",") for line in Path("relevant.csv").read_text().splitlines()[1:])
    Path("truth.jsonl").write_text(
        "".join(json.dumps({"userid": user + nasty, "itemid": int(item)}) + "\n" for user, item, _ in truth)
    )
    segments = (line.split(",") for line in Path("users.csv").read_text().splitlines()[1:])
    Path("users.jsonl").write_text(
        "".join(
            json.dumps({"userid": user + nasty, "<u>land": place + NASTY}) + "\n" for user, place in segments
        )
    )
    html = written("rec<b>&.jsonl", "truth.jsonl", "-k", "5", "-k", "10", "--segment", "users.jsonl:<u>land")
    test_there_are_no_scripts_and_nothing_from_elsewhere(lambda *_: html)
    found = sections(html)
    shown = " ".join(NASTY.replace("\u202e", " ").replace("\x07", " ").split())
    assert f"bert{shown} is better than als{shown} in ndcg@5" in text_of(found["The verdict"])
    assert any(row["Segment"] == f"SE{shown}" for row in tables_in(found["Segments"])[0])
    assert all(row["User"].endswith(shown) for row in tables_in(found["Who loses most"])[0])
    assert "rec<b>&.jsonl" in text_of(found["How it was made"])
    for character in ("\u202e", "\x07"):
        assert character not in html
    if CHROMIUM:
        assert "scripts:0" in probed(html, "document.title = 'scripts:' + page.scripts.length")


# --- In a browser ---

in_a_browser = pytest.mark.skipif(not CHROMIUM, reason="needs Chromium")


def browser(*arguments):
    """Run headless Chromium without a network."""
    flags = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        "--proxy-server=127.0.0.1:9",
    ]
    done = subprocess.run(
        [CHROMIUM, *flags, *arguments], capture_output=True, text=True, check=True, timeout=120
    )
    return done.stdout


def probed(html, script, width=1200):
    """The page in a frame of this width, and what a script outside it finds."""
    probe = Path("probe.html").resolve()
    frame = f'<iframe id="frame" style="width: {width}px; height: 800px; border: 0"></iframe>'
    source = json.dumps(html).replace("<", "\\u003c")
    put = f"frame.onload = () => {{ const page = frame.contentDocument; {script} }}; frame.srcdoc = {source}"
    probe.write_text(f"<!DOCTYPE html><meta charset=utf-8>{frame}<script>{put}</script>", encoding="utf-8")
    return browser("--dump-dom", "--virtual-time-budget=5000", probe.as_uri())


@in_a_browser
@pytest.mark.parametrize("width", [375, 1200])
def test_nothing_overflows(written, width):
    html = written(*ARGUMENTS, *SEGMENT)
    script = """
        const width = page.documentElement.clientWidth;
        const found = [page.documentElement.scrollWidth, width];
        for (const svg of page.querySelectorAll('svg')) {
            const box = svg.getBoundingClientRect();
            if (box.left < 0 || box.right > width) found.push(box.right);
            for (const text of svg.querySelectorAll('text')) {
                const inner = text.getBoundingClientRect();
                if (inner.left < 0 || inner.right > width) found.push(text.textContent);
            }
        }
        document.title = 'widths:' + found.join(' ') + ':end'"""
    (found,) = re.findall(r"widths:(.*?):end</title>", probed(html, script, width))
    scrolled, shown = map(int, found.split())
    assert width - 20 < shown == scrolled  # less the bar to scroll with


@in_a_browser
@pytest.mark.parametrize(("theme", "paper"), [("light", (255, 255, 255)), ("dark", (22, 24, 28))])
def test_a_screenshot_is_not_blank_in_either_theme(written, theme, paper):
    written(*ARGUMENTS, *SEGMENT)
    flags = ["--force-dark-mode"] if theme == "dark" else []
    browser(
        *flags, "--screenshot=shot.png", "--window-size=1200,2500", Path("report.html").resolve().as_uri()
    )
    picture = np.asarray(Image.open("shot.png").convert("RGB"))
    assert tuple(picture[0, 0]) == paper
    assert 0.02 < np.mean(np.any(picture != paper, axis=2)) < 0.6
    style = (Path(drawing.__file__).parent / "page.css").read_text()
    colours = dict(
        re.findall(r"--(c\d): (#\w{6})", re.findall(r":root \{(.*?)\}", style, re.S)[theme == "dark"])
    )
    for name in ("c1", "c2", "c3"):  # those of the three models
        colour = [int(colours[name][i : i + 2], 16) for i in (1, 3, 5)]
        assert np.sum(np.all(picture == colour, axis=2)) > 200, name


@in_a_browser
def test_it_can_be_printed(written):
    written(*ARGUMENTS, *SEGMENT)
    browser("--no-pdf-header-footer", "--print-to-pdf=report.pdf", Path("report.html").resolve().as_uri())
    pdf = Path("report.pdf").read_bytes()
    assert pdf.startswith(b"%PDF")
    assert 2 <= len(re.findall(rb"/Type /Page\b", pdf)) <= 8


# --- The charts as files ---


def points(svg):
    """The marks of points in a chart: x, y and the colour."""
    found = []
    for group in ElementTree.fromstring(svg).iter():
        if "mark-symbol role-mark" in (group.get("class") or ""):
            for path in group:
                x, y = map(
                    float, re.match(r"translate\(([-\d.]+),([-\d.]+)\)", path.get("transform")).groups()
                )
                found.append((x, y, path.get("fill")))
    return found


def scale(svg, role):
    """Where numbers lie on an axis: its labels, and a line through two of them."""
    texts = [
        (float(text.text.replace("\u2212", "-")), text.get("transform"))
        for group in ElementTree.fromstring(svg).iter()
        if group.get("class") == "mark-text role-axis-label"
        for text in group
        if re.fullmatch("[-\u2212]?[\\d.]+", text.text) and text.get("text-anchor") == role
    ]
    place = 1 if role == "end" else 0
    at = [(value, float(re.findall(r"[-\d.]+", moved)[place])) for value, moved in texts]
    (first, low), (last, high) = at[0], at[-1]
    return lambda value: low + (value - first) / (last - first) * (high - low)


def test_the_points_of_a_chart_are_where_the_means_are(run):
    Path("figures").mkdir()
    assert run("report", *ARGUMENTS, *FEW, "--figures", "figures") == ""
    expected = json.loads(
        run("evaluate", *ARGUMENTS[:4], "-k", "5", "-k", "10", "-k", "20", "--no-check", "--format", "json")
    )
    svg = Path("figures/by-k-1-ndcg.svg").read_text()
    at = scale(svg, "end")
    offset = 3  # a label's baseline lies so much below its tick
    colours = dict(zip(SYSTEMS, drawing.COLOURS, strict=False))
    found = points(svg)
    assert len(found) == 9
    for row in expected:
        ys = [y for x, y, colour in found if colour == colours[row["system"]]]
        assert min(abs(y - at(row["ndcg"]) + offset) for y in ys) < 1.5
    assert len({(x, colour) for x, _, colour in found}) == 9


def test_the_points_of_a_comparison_are_where_the_differences_are(run):
    Path("figures").mkdir()
    assert run("report", *ARGUMENTS, *FEW, "--figures", "figures") == ""
    expected = json.loads(run("compare", *ARGUMENTS, "--no-check", "--format", "json"))
    svg = Path("figures/differences-2-recall.svg").read_text()
    at = scale(svg, "middle")
    colours = dict(zip(drawing.COLOURS, SYSTEMS, strict=False))
    found = {colours[colour]: x for x, _, colour in points(svg)}
    rows = [row for row in expected if (row["measure"], row["k"]) == ("recall", 5)]
    assert found.keys() == {row["system"] for row in rows}
    for row in rows:
        assert abs(found[row["system"]] - at(row["difference"])) < 1.5


def test_figures_are_files_of_their_own(run):
    Path("figures").mkdir()
    assert run("report", *ARGUMENTS, *FEW, *SEGMENT, "--figures", "figures", "--figure-format", "png") == ""
    names = {path.name for path in Path("figures").iterdir()}
    assert {"by-k-1-ndcg.png", "differences-1-ndcg.png", "wins-2-recall.png", "curve.png"} <= names
    assert {"users.png", "segments.png"} <= names
    assert len(names) == 9
    for name in names:
        assert len(np.unique(np.asarray(Image.open(f"figures/{name}").convert("L")))) > 5
    assert run("report", *ARGUMENTS, *FEW, "--figures", "figures") == ""
    for path in Path("figures").glob("*.svg"):
        text = path.read_text()
        assert ElementTree.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"
        assert "var(" not in text


# --- Errors ---


def test_what_cannot_be_is_one_line(fails, run):
    assert fails(2, "report", *FILES).startswith("report: --output FILE or --figures DIR is required")
    assert fails(1, "report", *FILES, "--output", "no/r.html") == "no/r.html: no such directory: no"
    assert fails(1, "report", *FILES, "--figures", "no") == "no: no such directory"
    assert fails(1, "report", *FILES, "--output", "als.csv").startswith("als.csv: would overwrite als.csv")
    error = fails(1, "report", *FILES, "--baseline", "x", "--output", "r.html")
    assert error == "report: --baseline must be a model (als, bert, pop), got 'x'"
    error = fails(1, "report", "als.csv", "relevant.csv", "--baseline", "als", "--output", "r.html")
    assert error == "report: --baseline must be a model (there is one, without a name), got 'als'"
    for files in (FILES, ["als.csv", "relevant.csv"], ["als=als.csv", "nothing.csv"]):
        error = fails(1, "report", *files, "--confidence", "2", "--output", "r.html")
        assert error.startswith("report: --confidence must be")
    error = fails(1, "report", *FILES, "--measures", "ideal_dcg", "--output", "r.html")
    assert error == "report: --measures must say which of two models is better, got ideal_dcg"
    lines = "".join(f"u{i % 120},{i},1,s{i % 51}\n" for i in range(600))
    Path("many.csv").write_text("userid,itemid,score,system\n" + lines)
    error = fails(1, "report", "many.csv", "relevant.csv", "--output", "r.html")
    assert error == "report: there must be 50 models or fewer, got 51"
    assert not Path("r.html").exists()


def test_a_page_that_cannot_be_written_leaves_what_was_there(fails, monkeypatch):
    Path("r.html").write_text("before")

    def broken(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", broken)
    assert fails(1, "report", *FILES, "--output", "r.html") == "[Errno 28] No space left on device"
    assert Path("r.html").read_text() == "before"
    assert not list(Path().glob(".*r.html"))


@pytest.mark.parametrize("given", ["soon", "9" * 17])
def test_a_date_that_is_none_is_an_error(fails, monkeypatch, given):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", given)
    rule = "report: SOURCE_DATE_EPOCH must be seconds since 1970"
    assert fails(1, "report", *FILES, "--output", "r.html") == f"{rule}, got {given!r}"
    assert not Path("r.html").exists()


def test_without_what_draws_the_command_says_how_to_install_it(fails, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    needed = "needs vl-convert-python: pip install 'duckdb-ranking-udfs[report]'"
    assert fails(1, "report", *FILES, "--output", "r.html") == f"report: {needed}"
    with pytest.raises(ImportError, match=r"needs vl-convert-python"):
        udfs.report(duckdb.connect())
    assert main(["evaluate", "als.csv", "relevant.csv", "--no-check"]) == 0


# --- In a notebook ---


@pytest.fixture
def shop():
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


def test_udfs_report_is_the_page_of_the_command(shop, written):
    found = udfs.report(
        shop,
        "rec",
        "bought",
        [5, 10],
        **COLUMNS,
        segments="people",
        segment_col="country",
        margin=0.01,
        measures=FEW[1:],
    )
    found.save("notebook.html")
    assert Path("notebook.html").read_text(encoding="utf-8") == found.html
    expected = written(*ARGUMENTS[:2], "relevant.csv", "-k", "5", "-k", "10", *SEGMENT, "--margin", "0.01")
    ours, theirs = sections(found.html), sections(expected)
    assert list(ours) == list(theirs)
    for name in ours.keys() - {"How it was made", "The data"}:
        assert text_of(ours[name]) == text_of(theirs[name]), name
    assert "Truthbought" in text_of(ours["How it was made"])
    frame = parsed(f"<!DOCTYPE html><title>a</title>{found._repr_html_()}").find(f".//{HTML}iframe")
    assert frame.get("srcdoc") == found.html


def test_udfs_report_leaves_nothing_behind(shop):
    query = """
        SELECT table_name FROM duckdb_tables()
        UNION ALL SELECT view_name FROM duckdb_views() WHERE NOT internal ORDER BY ALL"""
    udfs.report(shop, "rec", "bought", **COLUMNS, ties="trec", segments="people", segment_col="country")
    assert shop.execute(query).fetchall() == [("bought",), ("people",), ("rec",)]
    with pytest.raises(ValueError, match="must say which of two models is better"):
        udfs.report(shop, "rec", "bought", **COLUMNS, measures=["ideal_dcg"])
    assert shop.execute(query).fetchall() == [("bought",), ("people",), ("rec",)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"user_col": "nobody"}, "report: rec must have a column nobody (user_col), got who, sku, p, model"),
        ({"ks": [-1]}, f"report: {OF_K}, got -1"),
        ({"ks": []}, "report: ks must be a list of one or more k, got []"),
        ({"ks": 2.5}, f"report: {OF_K}, got 2.5"),
        ({"ks": True}, f"report: {OF_K}, got True"),
        ({"ks": 2**70}, f"report: {OF_K}, got {2**70}"),
        ({"ks": "ten"}, f"report: {OF_K}, got 't'"),
        ({"ties": [1]}, "report: ties must be one of item, trec, expected, got [1]"),
        ({"measures": [3]}, "report: measures must be a list of texts, got [3]"),
        ({"test": "zz"}, "report: test must be"),
        (
            {"segments": "people", "segment_col": None},
            "report: segments must have a column None (segment_col)",
        ),
        ({"ties": "no"}, "report: ties must be one of item, trec, expected, got 'no'"),
        ({"measures": "ndcg"}, "report: measures must be a list of texts, got 'ndcg'"),
        ({"measures": ["nd"]}, "report: measure must be the name of a measure, got 'nd'"),
        (
            {"measures": ["bpref"], "ties": "expected"},
            "report: bpref has no closed form over all orders of equal scores",
        ),
        ({"baseline": "x"}, "report: baseline must be a model (als, bert), got 'x'"),
        ({"confidence": 2}, "report: confidence must be"),
        ({"segments": "people", "segment_col": "x"}, "report: segments must have a column x (segment_col)"),
    ],
)
def test_udfs_report_says_what_cannot_be(shop, arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        udfs.report(shop, "rec", "bought", **{**COLUMNS, **arguments})
    assert "\n" not in str(error.value)


def test_the_findings_are_plain_data(shop):
    found = udfs.report(shop, "rec", "bought", **COLUMNS, measures=["ndcg"])
    assert page_of(found.findings).html == found.html
    assert found.findings.baseline == "als"


def test_udfs_report_in_a_transaction_and_without_tables(shop):
    shop.begin()
    assert udfs.report(shop, "rec", "bought", np.array([5, 10]), **COLUMNS).findings.systems == [
        "als",
        "bert",
    ]
    with pytest.raises(ValueError, match=r"rec must have a column nope \(item_col\)"):
        udfs.report(shop, "rec", "bought", **{**COLUMNS, "item_col": "nope"})
    shop.rollback()
    shop.execute("CREATE TABLE empty AS FROM rec LIMIT 0")
    with pytest.raises(ValueError, match="report: rec must have a row, got 0 rows"):
        udfs.report(shop, "empty", "bought", **COLUMNS)
    with pytest.raises(ValueError, match="report: truth must have a user, got 0 rows"):
        udfs.report(shop, "rec", "empty", **COLUMNS | {"grade_col": None})
    shop.execute("CREATE TABLE others AS SELECT 'u1' AS userid, 'SE' AS country")
    with pytest.raises(ValueError, match=r"report: segments must have a column who \(user_col\)"):
        udfs.report(shop, "rec", "bought", **COLUMNS, segments="others", segment_col="country")
    with duckdb.connect() as bare:
        for name in ("rec", "con", "text"):  # which are variables of the module, too
            with pytest.raises(duckdb.CatalogException, match=f"Table with name {name} does not exist"):
                udfs.report(bare, name)
        assert bare.execute("SELECT current_setting('python_enable_replacements')").fetchall() == [(True,)]


def test_one_model_is_said_to_have_what_its_options_are(shop):
    shop.execute("CREATE TABLE one AS FROM rec WHERE model = 'als'")
    with pytest.raises(ValueError, match="report: confidence must be"):
        udfs.report(shop, "one", "bought", **COLUMNS, confidence=7)
    found = udfs.report(shop, "one", "bought", **COLUMNS)
    assert found.findings.systems == ["als"]
    assert "<h1>How good is als?</h1>" in found.html
