"""Test the page of a report: its numbers, its elements, how a browser shows it, and its charts as files."""

import re
from collections.abc import Iterator
from itertools import pairwise, product
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

import ranking_udfs
from ranking_udfs.measures.grammar import parse_measure
from ranking_udfs.reporting import drawing
from ranking_udfs.reporting.charts import MOST_SYSTEMS
from ranking_udfs.reporting.page import View
from tests.command import Run, write
from tests.conftest import Con, literal, rows, value
from tests.pages import (
    ARGUMENTS,
    COLUMNS,
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


@pytest.mark.slow
def test_sql_on_page_gives_numbers_on_page(standard: str, con: Con) -> None:
    (sql,) = (text for text in (element.text for element in parsed(standard).iter(f"{HTML}pre")) if text)
    compared: dict[Any, dict[str, Any]] = {}
    for statement in con.extract_statements(sql):
        for row in rows(con, statement.query):
            if "ranking.compare_by_user" in statement.query and row["baseline"] == "als":
                segment = row.get("segment", "(all)")
                compared.setdefault((segment, row["measure"], row["k"], row["system"]), row)

    def check(row: dict[str, str], segment: str, measure: str, k: int) -> None:
        """Compare each cell with what the SQL has in the column of that name."""
        expected = compared[segment, measure, k, row["System"]]
        numbers = {"Mean": "mean_system", "Baseline": "mean_baseline"}
        for name in row.keys() - {"System", "k", "Segment"}:
            value = expected["p_adjusted" if name == "p" else numbers.get(name, name.lower())]
            if name == "p":
                assert row[name] == ("< 0.0001" if value < 0.0001 else f"{value:.2g}")
            else:
                assert is_shown(row[name], value) if isinstance(value, float) else row[name] == str(value)

    found = sections(standard)
    kinds = product(("Difference", "Wins"), ("ndcg", "recall"))
    for table, (name, measure) in zip(tables_in(found["Differences from als"]), kinds, strict=True):
        assert len(table) == 6
        for row in table:
            assert name in row
            check(row, "(all)", measure, int(row["k"]))
    (segments,) = tables_in(found["Segments"])
    assert len(segments) == 8
    for row in segments:
        check(row, row["Segment"], "ndcg", 5)
    sizes = [int(row["Users"]) for row in segments]
    assert sizes == sorted(sizes, reverse=True)


def test_verdicts_match_compare(run: Run, standard: str) -> None:
    explained = run("compare", *ARGUMENTS, "--no-check", "--explain", "--measures", "ndcg@5")
    answer = sections(standard)["The answer"]
    assert "Segments with fewer than 20 users: (none) (10)." in text_of(answer)
    assert "unjudged items count as misses" not in text_of(answer)  # truth has relevant items only
    items = answer.iter(f"{HTML}li")
    verdicts = [text_of(item) for item in items if item.get("class") in ("better", "worse")]
    assert len(verdicts) == 2
    lead, *_ = map(text_of, answer.iter(f"{HTML}p"))
    assert " ".join(explained.split()).startswith(lead)
    assert all(verdict in " ".join(explained.split()) for verdict in verdicts)


def test_verdicts_by_measure_are_those_of_its_first_cutoff() -> None:
    verdicts = {("ndcg", 5): "better", ("ndcg", 10): "worse", ("recall", 3): "unclear", ("recall", 9): "same"}
    rows = [{"measure": name, "k": k, "system": "b", "verdict": text} for (name, k), text in verdicts.items()]
    measures = [parse_measure("ndcg@5,10"), parse_measure("recall@3,9")]
    findings = SimpleNamespace(comparisons=rows, measures=measures, systems=["a", "b"])
    header, cells = View.verdict_table(cast(View, SimpleNamespace(findings=findings)))
    assert (header, cells) == (["System", "NDCG@5", "Recall@3"], [["b", "+ better", "? unclear"]])


def test_errors_come_first_among_problems_and_each_model_has_a_column() -> None:
    row = {"k": None, "example": None, "write": None, "of": 9, "system": "b"}
    words = enumerate(("info", "warning", "error"), 1)
    problems = [{**row, "severity": word, "problem": word, "count": count} for count, word in words]
    findings = SimpleNamespace(problems=problems, labels={"a": "a", "b": "b"}, systems=["a", "b"])
    header, cells = View.problem_table(cast(View, SimpleNamespace(findings=findings)))
    assert header == ["Problem", "b"]
    assert cells == [["error: error", "3 of 9"], ["warning: warning", "2 of 9"], ["note: info", "1 of 9"]]


def test_wins_and_caveats_of_a_small_report() -> None:
    """Model b wins for q4, loses for q1, q2 and q3, and has no list for q5."""
    truth = {f"q{i}": ["x"] for i in range(6)}
    found = {"a": {f"q{i}": ["x" if i < 4 else "y"] for i in range(6)}}
    found["b"] = {f"q{i}": ["x" if i in (0, 4) else "y"] for i in range(5)}
    page = ranking_udfs.report(found, truth, "mrr", 1)
    wins = page.charts["mrr-wins"]
    assert wins.title == "MRR@1: b wins 17%, loses 50%"
    texts = {element.text for element in ElementTree.fromstring(page.charts["mrr"]._repr_svg_()).iter()}
    assert {page.charts["mrr"].title, "MRR"} < texts
    shares = {row["part"]: row["share"] for row in wins.specification["data"]["values"]}
    assert shares == {"wins": 1 / 6, "ties": 2 / 6, "losses": 3 / 6}
    scale = wins.specification["encoding"]["color"]["scale"]
    colors = {"wins": drawing.COLOURS[1], "ties": drawing.GRID, "losses": drawing.LOSS}
    assert dict(zip(scale["domain"], scale["range"], strict=True)) == colors
    answer = text_of(sections(page.html)["The answer"])
    assert "Caveats: users in truth that are not in rec: b 1 of 6 (17%)" in answer


def test_curve_histogram_and_losers_match_sql(standard: str, report_tables: Con) -> None:
    found = sections(standard)
    curve = report_tables.execute("FROM ranking.interpolated_precision_curve('rec', 'truth')").fetchall()
    table = {row["Recall"]: row for row in tables_in(found["Precision and recall"])[0]}
    assert all(is_shown(table[f"{recall:g}"][system], precision) for system, recall, precision in curve)
    (users,) = tables_in(found["Distribution over users"])
    for system in SYSTEMS:
        result = report_tables.execute("SELECT ndcg FROM by_user WHERE system = ?", [system])
        values = result.fetchnumpy()["ndcg"]
        counts, _ = np.histogram(values[values > 0], bins=20, range=(0, 1))
        assert [row[system] for row in users] == [str(np.sum(values == 0)), *map(str, counts)]
    changed = found["Largest losses and gains"]
    for table_of_users, sign, verb, extreme in zip(
        tables_in(changed), ("", "-"), ("lose", "win"), ("worst", "largest"), strict=False
    ):
        every = report_tables.execute(f"""
            SELECT userid, a.ndcg, b.ndcg, b.ndcg - a.ndcg AS d
            FROM by_user AS a JOIN by_user AS b USING (userid)
            WHERE a.system = 'als' AND b.system = 'bert' AND {sign}d < 0
            ORDER BY {sign}d, userid""").fetchall()
        assert len(every) > len(table_of_users) == 10
        for row, (user, *numbers) in zip(table_of_users, every, strict=False):
            assert row["User"] == user
            assert all(map(is_shown, list(row.values())[1:], numbers))
        counted = f"With bert, {len(every)} of 120 users {verb}; the {extreme} difference is"
        assert f"{counted} {every[0][-1]:.4g}, " in text_of(changed)


def test_changed_lists_match_sql(standard: str, report_tables: Con) -> None:
    con, found = report_tables, sections(standard)["What changes for users"]
    (lists,) = tables_in(found)
    query = """SELECT userid FROM by_user AS a JOIN by_user AS b USING (userid)
        WHERE a.system = 'als' AND b.system = 'bert' ORDER BY b.ndcg - a.ndcg, userid LIMIT 1"""
    user = value(con, query)
    assert f"The lists of {user} (largest loss with bert):" in text_of(found)
    query = "SELECT itemid FROM rec WHERE userid = ? AND system = ? ORDER BY score DESC LIMIT 5"
    for name in ("als", "bert"):
        items = [item for (item,) in con.execute(query, [user, name]).fetchall()]
        assert [row[name] for row in lists] == [f"{i} (relevant)" if i < 12 else str(i) for i in items]
        (missed,) = re.findall(rf"Relevant items missed by {name}: (.*?)\.", text_of(found))
        assert {*map(int, re.findall(r"\d+", missed))} == {*range(12)} - {*items}


@pytest.mark.slow
def test_report_of_python_equals_page_of_command(shop: Con, standard: str) -> None:
    given: Any = {"baseline": "als", "margin": 0.01, "segments": "people", "segment_col": "country"}
    given |= {"con": shop, **COLUMNS}
    found = ranking_udfs.report("rec", "bought", ["ndcg", "recall"], [5, 10, 20], **given)
    found.save("notebook.html")
    assert Path("notebook.html").read_text(encoding="utf-8") == found.html
    names = "SELECT table_name FROM information_schema.tables ORDER BY ALL"
    assert shop.execute(names).fetchall() == [("bought",), ("people",), ("rec",)]
    ours, theirs = sections(found.html), sections(standard)
    assert list(ours) == list(theirs)
    for name in ours.keys() - {"Method and provenance", "The data"}:
        assert text_of(ours[name]) == text_of(theirs[name]), name
    assert "Truthbought" in text_of(ours["Method and provenance"])
    frame = parsed(f"<!DOCTYPE html><title>a</title>{found._repr_html_()}").find(f".//{HTML}iframe")
    assert frame.get("srcdoc") == found.html


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the page of ten models; names of models, users and segments end in NASTY."""
    names, nasty = [f"m{i:02}" for i in range(10)], literal(NASTY)
    with in_folder(tmp_path_factory, names, users=20):
        user = f"userid || {literal(NASTY.replace(chr(7), ''))} AS userid"
        lists = (f"SELECT {user}, itemid, score, '{m}' || {nasty} AS system FROM '{m}.csv'" for m in names)
        write("rec<b>&.json", " UNION ALL ".join(lists))
        write("truth.json", f"SELECT {user}, itemid FROM 'relevant.csv'")
        write("users.json", f"""SELECT {user}, country || {nasty} AS "<u>land" FROM 'users.csv'""")
        call = "rec<b>&.json truth.json -m ndcg -k 5 -k 9 --segment users.json:<u>land"
        return page_of(*call.split())


def test_only_users_in_examples_are_named(standard: str) -> None:
    """Name ten losers and ten winners with each of two models, of 120 users."""
    assert len(set(re.findall(r"\bu\d+\b", standard))) <= 40


def check_contained(html: str) -> None:
    """Check that nothing runs or is loaded, and that each name that an element refers to is there."""
    elements = [element for element in parsed(html).iter() if isinstance(element.tag, str)]
    loading = {"script", "link", "iframe", "object", "embed", "img", "image", "foreignObject", "base"}
    assert not {element.tag.rpartition("}")[2] for element in elements} & loading
    ids = [element.get("id") for element in elements if element.get("id")]
    assert len(ids) == len(set(ids))
    assert {element.get("aria-labelledby") for element in elements} <= {None, *ids}
    for name, text in (item for element in elements for item in element.attrib.items()):
        assert set(re.findall(r"url\(#([^)]*)\)", text)) <= set(ids)
        assert not str(name).startswith("on"), name
        assert "href" not in str(name) or text.startswith("#"), text
        assert not re.search(r"https?:|//|javascript:|data:", text), text
    assert "@import" not in html
    assert "http" not in html.partition("</style>")[0]


def test_page_loads_nothing_and_its_references_exist(standard: str) -> None:
    check_contained(standard)


def test_headings_are_ordered_and_charts_have_text_and_table(standard: str) -> None:
    tree = parsed(standard)
    tags = [str(element.tag) for element in tree.iter()]
    levels = [int(tag[-1]) for tag in tags if re.fullmatch(rf"{HTML}h[1-6]", tag)]
    assert (levels[0], levels.count(1)) == (1, 1)
    assert all(after <= before + 1 for before, after in pairwise(levels))
    sharing = [text_of(title) for title in sections(standard)["Segments"].iter(f"{HTML}h3")]  # one table
    for figure in tree.iter(f"{HTML}figure"):
        (svg,) = (element for element in figure if element.tag.endswith("svg"))
        title = text_of(figure.find(f"{HTML}h3"))
        assert svg.get("role") == "img"
        assert svg.get("aria-label").startswith(title)
        assert title in sharing or len(tables_in(figure.find(f"{HTML}details"))[0]) > 1
    assert {cell.get("scope") for cell in tree.iter(f"{HTML}th")} == {"col", "row"}


def contrast(first: str, second: str) -> float:
    """Return the contrast of two colors as WCAG defines it."""
    parts = np.array([[int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)] for color in (first, second)])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    low, high = sorted(linear @ [0.2126, 0.7152, 0.0722])
    return float((high + 0.05) / (low + 0.05))


def themes() -> list[dict[str, str]]:
    """Return the colors of each theme, by their names."""
    style = (Path(drawing.__file__).parent / "page.css").read_text()
    blocks = re.findall(r":root \{(.*?)\}", style, re.S)
    return [dict(re.findall(r"--([\w-]+): (#\w{6})", block)) for block in blocks]


def test_colors_have_contrast_of_wcag_aa() -> None:
    assert len(themes()) == 3
    systems = [f"c{i}" for i in range(1, MOST_SYSTEMS + 1)]
    for theme in themes():
        assert len(theme) == 7 + MOST_SYSTEMS
        for text, behind in product(("ink", "quiet"), ("paper", "tint")):
            assert contrast(theme[text], theme[behind]) >= 4.5
        assert min(contrast(theme[system], theme["paper"]) for system in systems) >= 3
    assert [themes()[0][system] for system in systems] == list(drawing.COLOURS)


SHOWN = " ".join(NASTY.replace("\u202e", " ").replace("\x07", " ").split())


def test_charts_show_the_baseline_and_the_best_seven_models_and_tables_all(hostile: str) -> None:
    found = sections(hostile)["Measures by cutoff"]
    best_first = [name[:3] for name in tables_in(sections(hostile)["Means"])[0][0]][1:]
    worst = sorted([name for name in best_first if name != "m00"][-2:])
    others = f"{worst[0]}{SHOWN}, {worst[1]}{SHOWN}"
    assert f"The charts show 8 models; the tables also show {others}." in text_of(found)
    (table,) = tables_in(found)
    assert {row["System"] for row in table} == {f"m{i:02}{SHOWN}" for i in range(10)}
    drawn = {text_of(element)[:3] for element in found.iter() if str(element.tag).endswith("}text")}
    assert {f"m{i:02}" for i in range(10)} - drawn == {*worst}
    assert f"9 models compared with m00{SHOWN}" in text_of(parsed(hostile))


def test_names_are_never_markup(hostile: str) -> None:
    check_contained(hostile)
    found = sections(hostile)
    best, other = (re.escape(f"m0{i}{SHOWN}") for i in (1, 0))
    assert re.search(f"{best} .* {other} .*in NDCG@5", text_of(found["The answer"]))
    assert any(row["Segment"] == f"SE{SHOWN}" for row in tables_in(found["Segments"])[0])
    assert all(row["User"].endswith(SHOWN) for row in tables_in(found["Largest losses and gains"])[0])
    assert "rec<b>&.json" in text_of(found["Method and provenance"])
    assert not {"\u202e", "\x07"} & {*hostile}


@pytest.fixture(scope="module")
def shown(browser: Any, standard: str) -> Iterator[Any]:
    """Open the page in Chromium, without a network."""
    with browser.new_context(offline=True) as context:
        page = context.new_page()
        page.set_content(standard)
        yield page


@pytest.mark.parametrize("width", [375, 1200])
def test_nothing_overflows_on_phone_or_desktop(shown: Any, width: int) -> None:
    shown.set_viewport_size({"width": width, "height": 800})
    wide = shown.evaluate("""() => [...document.querySelectorAll('svg, svg text')].filter((element) => {
        const box = element.getBoundingClientRect();
        return box.left < 0 || box.right > innerWidth;
    }).map((element) => element.textContent)""")
    assert wide == []
    assert shown.evaluate("document.documentElement.scrollWidth") == width


def test_labels_of_an_axis_are_apart(browser: Any) -> None:
    """Draw differences of many ranges with names that leave little space."""
    names = ["a", "a model with a long name"]
    lists = {name: {user: [user] for user in "xy"} for name in names}
    chart = ranking_udfs.report(lists, {"x": ["x"], "y": ["z"]}, "mrr", 1).charts["mrr-differences"]
    with browser.new_context() as context:
        page = context.new_page()
        for low, high in product((-0.00707, -0.016, -0.04, -0.15), (0.00069, 0.02, 0.062, 0.2)):
            values = [{"system": names[1], "low": low, "high": high, "difference": 0}]
            page.set_content(
                drawing.image({**chart.specification, "data": {"values": values}}, "svg").decode()
            )
            boxes = page.evaluate("""() => [...document.querySelectorAll('.role-axis-label text')].filter(
                (text) => text.textContent.match(/^[\\u2212\\d]/) && getComputedStyle(text).opacity > 0).map(
                (text) => text.getBoundingClientRect()).map((box) => [box.left, box.right])""")
            assert len(boxes) >= 3
            assert min(after[0] - before[1] for before, after in pairwise(sorted(boxes))) >= 6, (low, high)


def n_points(svg: str) -> int:
    groups = ElementTree.fromstring(svg).iter()
    return sum(len(group) for group in groups if "mark-symbol role-mark" in group.get("class", ""))


def test_each_value_of_a_chart_has_one_mark(drawn: Path) -> None:
    texts = {path.stem: path.read_text() for path in drawn.glob("figures/*.svg")}
    assert not any("var(" in text for text in texts.values())
    assert {name: n_points(text) for name, text in texts.items()} == {
        **dict.fromkeys(("ndcg", "recall"), 3 * 3),
        **dict.fromkeys(("ndcg-differences", "recall-differences"), 2),
        **dict.fromkeys(("segments-1", "segments-2"), 4),
        **dict.fromkeys(("ndcg-wins", "recall-wins", "users"), 0),
        "curve": 11 * 3,
    }


def test_figures_can_be_png_and_of_one_model(run: Run) -> None:
    arguments = ["als.csv", "relevant.csv", "-m", "ndcg", "-k", "5", *SEGMENT, "--figure-format", "png"]
    assert run("report", *arguments, "--figures", "figures").startswith("figures: ")
    pictures = {path.stem: Image.open(path) for path in Path("figures").iterdir()}
    assert pictures.keys() == {"ndcg", "curve", "users", "segments"}
    assert {picture.format for picture in pictures.values()} == {"PNG"}
    assert all(len(np.unique(np.asarray(picture.convert("L")))) > 5 for picture in pictures.values())
