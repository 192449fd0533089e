"""What the page of a report is made of, and how a browser shows it; its charts as files."""

import io
import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from ranking_udfs.reporting import drawing
from ranking_udfs.reporting.charts import MOST_SYSTEMS
from tests.command import Run, write
from tests.conftest import literal
from tests.pages import (
    ARGUMENTS,
    FEW,
    FILES,
    HTML,
    SEGMENT,
    SYSTEMS,
    Written,
    make_files,
    parsed,
    sections,
    tables_in,
    text_of,
)

pytestmark = [pytest.mark.usefixtures("files")]

# What a name may hold that a page must show and not obey.
NASTY = "</style></title><script>alert(1)</script><img src=x onerror=alert(2)> \"'&amp; {{7}} \u202egnp \x07"

# --- The page ---


def test_its_size_does_not_depend_on_how_many_users_there_are(written: Written, standard: str) -> None:
    make_files(users=600)
    assert len(written(*ARGUMENTS, *SEGMENT)) < 1.03 * len(standard)


def test_there_are_no_scripts_and_nothing_from_elsewhere(standard: str) -> None:
    tree = parsed(standard)
    names = {element.tag.rpartition("}")[2] for element in tree.iter() if isinstance(element.tag, str)}
    loading = {"script", "link", "iframe", "object", "embed", "img", "image", "foreignObject", "base"}
    assert not names & loading
    for element in tree.iter():
        for name, value in element.attrib.items():
            assert not str(name).startswith("on"), name
            assert "href" not in str(name) or value.startswith("#"), value
            assert not re.search(r"https?:|//|javascript:|data:", value), value
    assert "@import" not in standard
    assert "http" not in standard.partition("</style>")[0]


def test_ids_are_unique_and_what_they_are_named_by_is_there(standard: str) -> None:
    tree = parsed(standard)
    ids = [element.get("id") for element in tree.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    for element in tree.iter():
        for value in element.attrib.values():
            assert set(re.findall(r"url\(#([^)]*)\)", value)) <= set(ids)
        assert {element.get("aria-labelledby")} <= {None, *ids}


def test_headings_are_in_order_and_charts_have_a_text_and_a_table(standard: str) -> None:
    tree = parsed(standard)
    levels = [int(one.tag[-1]) for one in tree.iter() if re.fullmatch(rf"{HTML}h[1-6]", str(one.tag))]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    figures = list(tree.iter(f"{HTML}figure"))
    assert len(figures) == 2 + 4 + 1 + 2 + 2
    shared = list(sections(standard)["Segments"].iter(f"{HTML}h3"))  # which have one table
    for figure in figures:
        (svg,) = (one for one in figure if one.tag.endswith("svg"))
        assert svg.get("role") == "img"
        assert svg.get("aria-label").startswith(text_of(figure.find(f"{HTML}h3")))
        if text_of(figure.find(f"{HTML}h3")) not in map(text_of, shared):
            assert figure.find(f"{HTML}details") is not None
            assert len(tables_in(figure)[0]) > 1
    for cell in tree.iter(f"{HTML}th"):
        assert cell.get("scope") in ("col", "row")


def luminance(colour: str) -> float:
    parts = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def themes() -> list[dict[str, str]]:
    """The colours of each theme, by their names."""
    style = (Path(drawing.__file__).parent / "page.css").read_text()
    blocks = re.findall(r":root \{(.*?)\}", style, re.S)
    return [dict(re.findall(r"--([\w-]+): (#\w{6})", block)) for block in blocks]


def test_colours_have_the_contrast_of_wcag_aa() -> None:
    assert len(themes()) == 3
    for theme in themes():
        assert len(theme) == 7 + MOST_SYSTEMS

        def contrast(one: str, other: str, theme: Any = theme) -> float:
            low, high = sorted(luminance(theme[name]) for name in (one, other))
            return (high + 0.05) / (low + 0.05)

        for text in ("ink", "quiet"):
            assert contrast(text, "paper") >= 4.5
            assert contrast(text, "tint") >= 4.5
        for i in range(1, MOST_SYSTEMS + 1):
            assert contrast(f"c{i}", "paper") >= 3, (theme, i)
    light = [themes()[0][f"c{i}"] for i in range(1, MOST_SYSTEMS + 1)]
    assert light == list(drawing.COLOURS)


def test_more_than_eight_models_are_in_the_tables_alone(written: Written) -> None:
    names = [f"m{i:02}" for i in range(10)]
    make_files(names, users=20)
    files = [*(f"{name}={name}.csv" for name in names), "relevant.csv"]
    html = written(*files, "--measures", "ndcg", "-k", "5", "-k", "9")
    found = sections(html)["Measures by cut-off"]
    assert "The charts show 8 models; in the tables there are also m08, m09." in text_of(found)
    (table,) = tables_in(found)
    assert {row["System"] for row in table} == set(names)
    drawn = [text_of(one) for one in found.iter() if str(one.tag).endswith("}text")]
    assert "m07" in drawn
    assert "m08" not in drawn
    assert "9 models compared with m00" in text_of(parsed(html))


def test_names_are_text_and_nothing_else(written: Written, run: Run) -> None:
    name = literal(NASTY)
    user = f"userid || {literal(NASTY.replace(chr(7), ''))} AS userid"
    lists = (
        f"SELECT {user}, itemid, score, '{one}' || {name} AS system FROM '{one}.csv'"
        for one in ("als", "bert")
    )
    write("rec<b>&.json", " UNION ALL ".join(lists))
    write("truth.json", f"SELECT {user}, itemid FROM 'relevant.csv'")
    write("users.json", f"""SELECT {user}, country || {name} AS "<u>land" FROM 'users.csv'""")
    html = written("rec<b>&.json", "truth.json", "-k", "5", "-k", "10", "--segment", "users.json:<u>land")
    test_there_are_no_scripts_and_nothing_from_elsewhere(html)
    found = sections(html)
    shown = " ".join(NASTY.replace("\u202e", " ").replace("\x07", " ").split())
    assert f"bert{shown} is better than als{shown} in NDCG@5" in text_of(found["The answer"])
    assert any(row["Segment"] == f"SE{shown}" for row in tables_in(found["Segments"])[0])
    assert all(row["User"].endswith(shown) for row in tables_in(found["Who loses and who wins most"])[0])
    assert "rec<b>&.json" in text_of(found["How it was made"])
    for character in ("\u202e", "\x07"):
        assert character not in html


# --- In a browser ---


@pytest.fixture
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


# --- The charts as files ---


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


def test_the_points_of_a_chart_are_where_the_values_are(run: Run) -> None:
    assert run("report", *ARGUMENTS, *FEW, "--figures", "figures").startswith("figures: ")
    means = json.loads(run("evaluate", *FILES, "-k", "5,10,20", "--no-check", "--format", "json"))
    svg = Path("figures/by-k-1-ndcg.svg").read_text()
    at = scale(svg, "end")
    offset = 3  # a label's baseline lies so much below its tick
    colours = dict(zip(SYSTEMS, drawing.COLOURS, strict=False))
    found = points(svg)
    assert len({(x, colour) for x, _, colour in found}) == len(found) == 9
    for row in means:
        ys = [y for x, y, colour in found if colour == colours[row["system"]]]
        assert min(abs(y - at(row["ndcg"]) + offset) for y in ys) < 1.5
    compared = json.loads(run("compare", *ARGUMENTS, "--no-check", "--format", "json"))
    rows = [row for row in compared if (row["measure"], row["k"]) == ("recall", 5)]
    svg = Path("figures/differences-2-recall.svg").read_text()
    at = scale(svg, "middle")
    places = {colour: x for x, _, colour in points(svg)}
    assert places.keys() == {colours[row["system"]] for row in rows}
    for row in rows:
        assert abs(places[colours[row["system"]]] - at(row["difference"])) < 1.5
    for path in Path("figures").glob("*.svg"):
        text = path.read_text()
        assert ElementTree.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"
        assert "var(" not in text


def test_each_value_of_a_chart_has_one_mark(run: Run) -> None:
    run("report", *FILES, "-k", "5", *FEW, *SEGMENT, "--no-check", "--figures", "figures")
    counts = {path.stem: len(points(path.read_text())) for path in Path("figures").glob("*.svg")}
    assert counts == {
        **dict.fromkeys(("means-1-ndcg", "means-2-recall"), 3),
        **dict.fromkeys(("differences-1-ndcg", "differences-2-recall"), 2),
        **dict.fromkeys(("segments-1", "segments-2"), 4),
        **dict.fromkeys(("wins-1-ndcg", "wins-2-recall", "users", "pairs"), 0),
        "curve": 11 * 3,
    }


def test_figures_may_be_pictures_and_of_one_model(run: Run) -> None:
    arguments = ["als.csv", "relevant.csv", "-m", "ndcg", "-k", "5", *SEGMENT, "--figure-format", "png"]
    assert run("report", *arguments, "--figures", "figures").startswith("figures: ")
    names = {path.name for path in Path("figures").iterdir()}
    assert names == {"means-1-ndcg.png", "curve.png", "users.png", "segments.png"}
    for name in names:
        assert len(np.unique(np.asarray(Image.open(f"figures/{name}").convert("L")))) > 5
