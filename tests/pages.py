"""Share files of three models, their page, and readers of pages among the tests of reports."""

import functools
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import ranking_udfs
from ranking_udfs.command.cli import main
from tests.command import csv
from tests.conftest import Con, Patch

HTML = "{http://www.w3.org/1999/xhtml}"
SYSTEMS = {"als": 0.2, "bert": 0.35, "pop": 0.1}
FILES = [*(f"{name}={name}.csv" for name in SYSTEMS), "relevant.csv"]
ARGUMENTS = [*FILES, "--baseline", "als", "-k", "5", "-k", "10", "-k", "20", "--margin", "0.01"]
FEW = ["--measures", "ndcg,recall"]  # so that less is drawn
SEGMENT = ["--segment", "users.csv:country"]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
MADE_AT = ("SOURCE_DATE_EPOCH", "1790000000")


def make_files(names: Iterable[str] = SYSTEMS, users: int = 120) -> None:
    """Write recommendations of each model, some of them right, for all users but the last; and segments."""
    draw = np.random.default_rng(1)
    hits = dict(zip(names, SYSTEMS.values(), strict=False))
    ranked = [(u, i) for u in range(users - 1) for i in range(30)]
    for name in names:
        is_hit = draw.random((users - 1, 30)) < hits.get(name, 0.15)
        lists = (f"u{u},{i if is_hit[u, i] else 1000 + i},{30 - i}.5" for u, i in ranked)
        csv(f"{name}.csv", "userid,itemid,score", *lists)
    truth = (f"u{u},{i},{1 + i % 3}" for u in range(users) for i in range(12))
    csv("relevant.csv", "userid,itemid,rel", *truth)
    segments = (f"u{u},{('SE', 'NO', 'DK')[u % 5 // 2]}" for u in range(users - 10))
    csv("users.csv", "userid,country", *segments)


@pytest.fixture
def files(folder: Path, monkeypatch: Patch) -> None:
    monkeypatch.setenv(*MADE_AT)
    make_files()


@contextmanager
def in_folder(
    factory: pytest.TempPathFactory, names: Iterable[str] = SYSTEMS, users: int = 120
) -> Iterator[Path]:
    """Change to a folder with the files, for a page that many tests read."""
    folder = factory.mktemp("files")
    with Patch.context() as patch:
        patch.setenv(*MADE_AT)
        patch.chdir(folder)
        make_files(names, users)
        yield folder


def page_of(*arguments: str) -> str:
    assert main(["report", *arguments, "--output", "report.html"]) == 0
    return Path("report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder with the page of the files and segments, and its charts."""
    with in_folder(tmp_path_factory) as folder:
        page_of(*ARGUMENTS, *SEGMENT, *FEW, "--figures", "figures")
        return folder


@pytest.fixture(scope="session")
def standard(drawn: Path) -> str:
    return (drawn / "report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def report_tables(drawn: Path) -> Iterator[Con]:
    """Load the files, and the NDCG@5 of each user; for reading alone."""
    lists = (f"SELECT *, '{name}' AS system FROM '{drawn}/{name}.csv'" for name in SYSTEMS)
    with duckdb.connect() as con:
        yield ranking_udfs.register(con).execute(f"""
            CREATE TABLE truth AS FROM '{drawn}/relevant.csv';
            CREATE TABLE rec AS {" UNION ALL ".join(lists)};
            CREATE TABLE by_user AS FROM ranking.by_user('rec', 'truth', 5)""")


COLUMNS: Any = {"user_col": "who", "item_col": "sku", "score_col": "p"}
COLUMNS |= {"grade_col": "stars", "system_col": "model"}


@pytest.fixture
def shop(files: None) -> Iterator[Con]:
    """Load the files into tables of other columns."""
    lists = (f"SELECT *, '{name}' FROM '{name}.csv'" for name in SYSTEMS)
    with duckdb.connect() as con:
        yield con.execute(f"""
            CREATE TEMP TABLE rec AS FROM ({" UNION ALL ".join(lists)}) AS lists(who, sku, p, model);
            CREATE VIEW bought AS SELECT userid AS who, itemid AS sku, rel AS stars FROM 'relevant.csv';
            CREATE TABLE people AS SELECT userid AS who, country FROM 'users.csv'""")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("needs Chromium")
    from playwright.sync_api import sync_playwright

    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"]) as launched,
    ):
        yield launched


@functools.lru_cache(4)
def parsed(html: str) -> Any:
    """Parse a page as a tree, for reading alone; html5lib fails at whatever is not HTML."""
    import html5lib  # which not every environment that collects tests has

    return html5lib.HTMLParser(strict=True).parse(html)


def text_of(element: Any) -> str:
    return " ".join("".join(element.itertext()).split())


def sections(html: str) -> dict[str, Any]:
    """Return each section by its heading."""
    return {text_of(section.find(f"{HTML}h2")): section for section in parsed(html).iter(f"{HTML}section")}


def tables_in(element: Any) -> list[list[dict[str, str]]]:
    """Return the rows of each table, as texts by the texts of the header."""
    tables = (
        [[*map(text_of, row)] for row in table.iter(f"{HTML}tr")] for table in element.iter(f"{HTML}table")
    )
    return [[dict(zip(header, row, strict=True)) for row in rows] for header, *rows in tables]


def is_shown(text: str, number: float | None) -> bool:
    """Tell whether a text is this number with the text's own decimals."""
    decimals = len(text.partition(".")[2])
    return text == ("" if number is None else f"{number:.{decimals}f}") and (number is None or decimals > 1)
