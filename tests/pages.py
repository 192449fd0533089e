"""What the tests of reports share: files of three models, the page of them, and what stands on a page."""

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
    """Recommendations of each model, of which some are right, for all users but the last; and segments."""
    draw = np.random.default_rng(1)
    hits = dict(zip(names, SYSTEMS.values(), strict=False))
    for name in names:
        found = draw.random((users - 1, 30)) < hits.get(name, 0.15)
        rows = (
            f"u{u},{i if found[u, i] else 1000 + i},{30 - i}.5\n" for u in range(users - 1) for i in range(30)
        )
        Path(f"{name}.csv").write_text("userid,itemid,score\n" + "".join(rows))
    truth = (f"u{u},{i},{1 + i % 3}\n" for u in range(users) for i in range(12))
    Path("relevant.csv").write_text("userid,itemid,rel\n" + "".join(truth))
    countries = ("SE", "NO", "DK")
    segments = (f"u{u},{countries[u % 5 // 2]}\n" for u in range(users - 10))
    Path("users.csv").write_text("userid,country\n" + "".join(segments))


@pytest.fixture
def files(folder: Path, monkeypatch: Patch) -> None:
    monkeypatch.setenv(*MADE_AT)
    make_files()


@contextmanager
def in_folder(
    factory: pytest.TempPathFactory, names: Iterable[str] = SYSTEMS, users: int = 120
) -> Iterator[Path]:
    """A folder with the files, for what many tests look at."""
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
    """A folder with the page of the files and segments, which many tests look at, and its charts."""
    with in_folder(tmp_path_factory) as folder:
        page_of(*ARGUMENTS, *SEGMENT, *FEW, "--figures", "figures")
        return folder


@pytest.fixture(scope="session")
def standard(drawn: Path) -> str:
    return (drawn / "report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def report_tables(drawn: Path) -> Iterator[Con]:
    """What the files hold, and the NDCG@5 of each user; for reading alone."""
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
    """The files as tables of other columns."""
    with duckdb.connect() as con:
        con.execute("""
            CREATE TEMP TABLE rec AS
            SELECT userid AS who, itemid AS sku, score AS p, 'als' AS model FROM 'als.csv'
            UNION ALL SELECT *, 'bert' FROM 'bert.csv' UNION ALL SELECT *, 'pop' FROM 'pop.csv';
            CREATE VIEW bought AS SELECT userid AS who, itemid AS sku, rel AS stars FROM 'relevant.csv';
            CREATE TABLE people AS SELECT userid AS who, country FROM 'users.csv'
        """)
        yield con


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("needs Chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--js-flags=--liftoff-only"]  # to optimise DuckDB takes longer than it saves
        with playwright.chromium.launch(executable_path=CHROMIUM, args=flags) as launched:
            yield launched


@functools.lru_cache(4)
def parsed(html: str) -> Any:
    """The page as a tree, which is for reading alone; html5lib fails at whatever is not HTML."""
    import html5lib  # which not every environment that collects tests has

    return html5lib.HTMLParser(strict=True).parse(html)


def text_of(element: Any) -> str:
    return " ".join("".join(element.itertext()).split())


def sections(html: str) -> dict[str, Any]:
    """Each section by its heading."""
    return {text_of(one.find(f"{HTML}h2")): one for one in parsed(html).iter(f"{HTML}section")}


def tables_in(element: Any) -> list[list[dict[str, str]]]:
    """The rows of each table, as texts by the texts of the header."""
    found = []
    for table in element.iter(f"{HTML}table"):
        header, *rows = (list(map(text_of, row)) for row in table.iter(f"{HTML}tr"))
        found.append([dict(zip(header, row, strict=True)) for row in rows])
    return found


def is_shown(text: str, number: float | None) -> bool:
    """Whether a text is this number with the text's own decimals."""
    decimals = len(text.partition(".")[2])
    return text == ("" if number is None else f"{number:.{decimals}f}") and (number is None or decimals > 1)
