"""The page of a report: its numbers, what it is made of, and how a browser shows it; its charts as files."""

import io
import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise, product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

import ranking_udfs
from ranking_udfs.reporting import drawing
from ranking_udfs.reporting.charts import MOST_SYSTEMS
from tests.command import Run, write
from tests.conftest import Con, literal, rows
from tests.pages import (
    ARGUMENTS,
    COLUMNS,
    FEW,
    HTML,
    SEGMENT,
    SYSTEMS,
    in_folder,
    is_shown,
    page_of,
    parsed,
    sections,
    tables_in,
    text_of,
)

pytestmark = pytest.mark.usefixtures("files")

# What a name may hold that a page must show and not obey.
NASTY = "</style></title><script>alert(1)</script><img src=x onerror=alert(2)> \"'&amp; {{7}} \u202egnp \x07"


def p_text(p: float) -> str:
    return "< 0.0001" if p < 0.0001 else f"{p:.2g}"


@pytest.mark.slow
def test_differences_and_verdicts_are_those_of_compare(run: Run, standard: str) -> None:
    arguments = ["compare", *ARGUMENTS, *SEGMENT, *FEW, "--no-check", "--quiet"]
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


def test_the_curve_the_histogram_and_the_losers_are_those_of_sql(standard: str, report_tables: Con) -> None:
    found = sections(standard)
    curve = report_tables.execute("FROM ranking.interpolated_precision_curve('rec', 'truth')").fetchall()
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


def test_what_changes_for_users_is_what_sql_says(standard: str, report_tables: Con) -> None:
    con, found = report_tables, sections(standard)["What changes for users"]
    common, lists = tables_in(found)
    query = """SELECT system, users, overlap, rbo, same_first, same_list
        FROM ranking.overlap('rec', [5], baseline := 'als') ORDER BY 1"""
    expected = [
        [name, str(users), *(f"{share:.0%}" for share in shares)]
        for name, users, *shares in con.execute(query).fetchall()
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
def test_the_sql_on_the_page_makes_the_same_numbers(standard: str, con: Con) -> None:
    (sql,) = (text for text in (one.text for one in parsed(standard).iter(f"{HTML}pre")) if text)
    compared: dict[Any, Any] = {}
    for statement in con.extract_statements(sql):
        for row in rows(con, statement.query):
            if "ranking.compare_by_user" in statement.query and row["baseline"] == "als":
                compared.setdefault((row["measure"], str(row["k"]), row["system"]), row)
    found = [row for row in tables_in(sections(standard)["Differences to als"])[0] if "Difference" in row]
    assert len(found) == 6
    for row in found:
        one = compared["ndcg", row["k"], row["System"]]
        assert is_shown(row["Difference"], one["difference"])
        assert row["p"] == p_text(one["p_adjusted"])


@pytest.mark.slow
def test_udfs_report_is_the_page_of_the_command(shop: Con, standard: str) -> None:
    given: Any = {"baseline": "als", "margin": 0.01, "segments": "people", "segment_col": "country"}
    measures = FEW[1].split(",")
    found = ranking_udfs.report("rec", "bought", measures, [5, 10, 20], con=shop, **COLUMNS, **given)
    Path("notebook.html.part").write_text("of the user's")
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(found.save, ["notebook.html"] * 20))
    assert Path("notebook.html").read_text(encoding="utf-8") == found.html
    assert Path("notebook.html.part").read_text() == "of the user's"
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


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of ten models, of whom and of users and segments all names are such."""
    names, name = [f"m{i:02}" for i in range(10)], literal(NASTY)
    with in_folder(tmp_path_factory, names, users=20):
        user = f"userid || {literal(NASTY.replace(chr(7), ''))} AS userid"
        lists = (
            f"SELECT {user}, itemid, score, '{one}' || {name} AS system FROM '{one}.csv'" for one in names
        )
        write("rec<b>&.json", " UNION ALL ".join(lists))
        write("truth.json", f"SELECT {user}, itemid FROM 'relevant.csv'")
        write("users.json", f"""SELECT {user}, country || {name} AS "<u>land" FROM 'users.csv'""")
        files, segment = ["rec<b>&.json", "truth.json"], ["--segment", "users.json:<u>land"]
        return page_of(*files, "-m", "ndcg", "-k", "5", "-k", "9", *segment)


def test_users_are_named_in_examples_alone(standard: str) -> None:
    """Ten who lose and ten who win with each of two models, of 120 users: its size is not theirs."""
    assert len(set(re.findall(r"\bu\d+\b", standard))) <= 40


def test_nothing_runs_or_is_from_elsewhere_and_names_of_elements_are_there(standard: str) -> None:
    tree = parsed(standard)
    names = {element.tag.rpartition("}")[2] for element in tree.iter() if isinstance(element.tag, str)}
    loading = {"script", "link", "iframe", "object", "embed", "img", "image", "foreignObject", "base"}
    assert not names & loading
    ids = [element.get("id") for element in tree.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    for element in tree.iter():
        assert {element.get("aria-labelledby")} <= {None, *ids}
        for name, value in element.attrib.items():
            assert set(re.findall(r"url\(#([^)]*)\)", value)) <= set(ids)
            assert not str(name).startswith("on"), name
            assert "href" not in str(name) or value.startswith("#"), value
            assert not re.search(r"https?:|//|javascript:|data:", value), value
    assert "@import" not in standard
    assert "http" not in standard.partition("</style>")[0]


def test_headings_are_in_order_and_charts_have_a_text_and_a_table(standard: str) -> None:
    tree = parsed(standard)
    levels = [int(one.tag[-1]) for one in tree.iter() if re.fullmatch(rf"{HTML}h[1-6]", str(one.tag))]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    figures = list(tree.iter(f"{HTML}figure"))
    assert len(figures) == 2 + 4 + 1 + 1 + 2
    shared = list(sections(standard)["Segments"].iter(f"{HTML}h3"))  # which have one table
    for figure in figures:
        (svg,) = (one for one in figure if one.tag.endswith("svg"))
        assert svg.get("role") == "img"
        assert svg.get("aria-label").startswith(text_of(figure.find(f"{HTML}h3")))
        if text_of(figure.find(f"{HTML}h3")) not in map(text_of, shared):
            assert figure.find(f"{HTML}details") is not None
            assert len(tables_in(figure)[0]) > 1
    charts = [{text_of(one) for one in figure.iter()} for figure in figures]
    axes = [texts for texts in charts if "difference to als" in texts]
    assert len(axes) == 4  # of two measures, and of two models by segment
    assert all(texts & {"0", "0.0", "0.00", "0.000"} for texts in axes)
    for cell in tree.iter(f"{HTML}th"):
        assert cell.get("scope") in ("col", "row")


def contrast(one: str, other: str) -> float:
    """The contrast of two colours as WCAG defines it."""
    parts = np.array([[int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)] for colour in (one, other)])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    low, high = sorted(linear @ [0.2126, 0.7152, 0.0722])
    return float((high + 0.05) / (low + 0.05))


def themes() -> list[dict[str, str]]:
    """The colours of each theme, by their names."""
    style = (Path(drawing.__file__).parent / "page.css").read_text()
    blocks = re.findall(r":root \{(.*?)\}", style, re.S)
    return [dict(re.findall(r"--([\w-]+): (#\w{6})", block)) for block in blocks]


def test_colours_have_the_contrast_of_wcag_aa() -> None:
    assert len(themes()) == 3
    for theme in themes():
        assert len(theme) == 7 + MOST_SYSTEMS
        for text, behind in product(("ink", "quiet"), ("paper", "tint")):
            assert contrast(theme[text], theme[behind]) >= 4.5
        for i in range(1, MOST_SYSTEMS + 1):
            assert contrast(theme[f"c{i}"], theme["paper"]) >= 3, (theme, i)
    light = [themes()[0][f"c{i}"] for i in range(1, MOST_SYSTEMS + 1)]
    assert light == list(drawing.COLOURS)


SHOWN = " ".join(NASTY.replace("\u202e", " ").replace("\x07", " ").split())


def test_more_than_eight_models_are_in_the_tables_alone(hostile: str) -> None:
    found = sections(hostile)["Measures by cut-off"]
    assert f"The charts show 8 models; in the tables there are also m08{SHOWN}, m09{SHOWN}." in text_of(found)
    (table,) = tables_in(found)
    assert {row["System"] for row in table} == {f"m{i:02}{SHOWN}" for i in range(10)}
    drawn = {text_of(one)[:3] for one in found.iter() if str(one.tag).endswith("}text")}
    assert "m07" in drawn
    assert "m08" not in drawn
    assert f"9 models compared with m00{SHOWN}" in text_of(parsed(hostile))


def test_names_are_text_and_nothing_else(hostile: str) -> None:
    test_nothing_runs_or_is_from_elsewhere_and_names_of_elements_are_there(hostile)
    found = sections(hostile)
    answer, (one, other) = text_of(found["The answer"]), (re.escape(f"m0{i}{SHOWN}") for i in (1, 0))
    assert re.search(f"{one} .* {other} .*in NDCG@5", answer)
    assert any(row["Segment"] == f"SE{SHOWN}" for row in tables_in(found["Segments"])[0])
    assert all(row["User"].endswith(SHOWN) for row in tables_in(found["Who loses and who wins most"])[0])
    assert "rec<b>&.json" in text_of(found["How it was made"])
    assert not {"\u202e", "\x07"} & {*hostile}


@pytest.fixture(scope="module")
def shown(browser: Any, standard: str) -> Iterator[Any]:
    """The page in Chromium, without a network."""
    with browser.new_context(offline=True) as context:
        page = context.new_page()
        page.set_content(standard)
        yield page


@pytest.mark.parametrize("width", [375, 1200])
def test_nothing_overflows(shown: Any, width: int) -> None:
    shown.set_viewport_size({"width": width, "height": 800})
    found = shown.evaluate("""() => {
        const found = [document.documentElement.scrollWidth];
        for (const svg of document.querySelectorAll('svg')) {
            const box = svg.getBoundingClientRect();
            if (box.left < 0 || box.right > innerWidth) found.push(box.right);
            for (const text of svg.querySelectorAll('text')) {
                const inner = text.getBoundingClientRect();
                if (inner.left < 0 || inner.right > innerWidth) found.push(text.textContent);
            }
        }
        return found;
    }""")
    assert found == [width]


@pytest.mark.parametrize(("theme", "paper"), [("light", (255, 255, 255)), ("dark", (22, 24, 28))])
def test_a_screenshot_is_not_blank_in_either_theme(shown: Any, theme: str, paper: tuple[int, ...]) -> None:
    shown.set_viewport_size({"width": 1200, "height": 2500})
    shown.emulate_media(color_scheme=theme)
    picture = np.asarray(Image.open(io.BytesIO(shown.screenshot())).convert("RGB"))
    assert tuple(picture[0, 0]) == paper
    assert 0.02 < np.mean(np.any(picture != paper, axis=2)) < 0.6
    colours = themes()[theme == "dark"]
    for name in ("c1", "c2", "c3"):  # those of the three models
        colour = [int(colours[name][i : i + 2], 16) for i in (1, 3, 5)]
        assert np.sum(np.all(picture == colour, axis=2)) > 200, name


def test_it_can_be_printed(shown: Any) -> None:
    pdf = shown.pdf()
    assert pdf.startswith(b"%PDF")
    assert 2 <= len(re.findall(rb"/Type /Page\b", pdf)) <= 8


def points(svg: Any) -> Any:
    """The marks of points in a chart: x, y and the colour."""
    found = []
    for group in ElementTree.fromstring(svg).iter():
        if "mark-symbol role-mark" in (group.get("class") or ""):
            for path in group:
                x, y = re.findall(r"[-\d.]+", path.get("transform"))[:2]
                found.append((float(x), float(y), path.get("fill")))
    return found


def scale(svg: Any, role: str) -> Any:
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


def test_the_points_of_a_chart_are_where_the_values_are(drawn: Path, standard: str) -> None:
    """The values are those of the page's tables, of three digits or more."""
    found = sections(standard)
    colours = dict(zip(SYSTEMS, drawing.COLOURS, strict=False))
    svg = (drawn / "figures/by-k-1-ndcg.svg").read_text()
    at = scale(svg, "end")
    offset = 3  # a label's baseline lies so much below its tick
    marks = points(svg)
    assert len({(x, colour) for x, _, colour in marks}) == len(marks) == 9
    for row in tables_in(found["Measures by cut-off"])[0]:
        ys = [y for x, y, colour in marks if colour == colours[row["System"]]]
        assert min(abs(y - at(float(row["Mean"])) + offset) for y in ys) < 1.5
    svg = (drawn / "figures/differences-2-recall.svg").read_text()
    at = scale(svg, "middle")
    places = {colour: x for x, _, colour in points(svg)}
    rows = [row for row in tables_in(found["Differences to als"])[1] if row["k"] == "5"]
    assert places.keys() == {colours[row["System"]] for row in rows}
    for row in rows:
        assert abs(places[colours[row["System"]]] - at(float(row["Difference"]))) < 1.5


def test_each_value_of_a_chart_has_one_mark(drawn: Path) -> None:
    texts = {path.stem: path.read_text() for path in drawn.glob("figures/*.svg")}
    assert all(
        ElementTree.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg" for text in texts.values()
    )
    assert not any("var(" in text for text in texts.values())
    assert {name: len(points(text)) for name, text in texts.items()} == {
        **dict.fromkeys(("by-k-1-ndcg", "by-k-2-recall"), 3 * 3),
        **dict.fromkeys(("differences-1-ndcg", "differences-2-recall"), 2),
        **dict.fromkeys(("segments-1", "segments-2"), 4),
        **dict.fromkeys(("wins-1-ndcg", "wins-2-recall", "users"), 0),
        "curve": 11 * 3,
    }


def test_figures_may_be_pictures_and_of_one_model(run: Run) -> None:
    arguments = ["als.csv", "relevant.csv", "-m", "ndcg", "-k", "5", *SEGMENT, "--figure-format", "png"]
    assert run("report", *arguments, "--figures", "figures").startswith("figures: ")
    names = {path.name for path in Path("figures").iterdir()}
    assert names == {"means-1-ndcg.png", "curve.png", "users.png", "segments.png"}
    for name in names:
        assert len(np.unique(np.asarray(Image.open(f"figures/{name}").convert("L")))) > 5
