"""Documents and docstrings run, and print what they show.

Each document is one session from top to bottom: Python in one namespace, SQL on its `con`, and commands in
one folder, in this process where a block uses no shell. The text block behind a block is its output; only
spaces may differ. `.ci/run` runs the two commands for a new machine, test_dbt.py those for dbt, and the tests
of Spark those for Spark. Blocks that need other libraries run where these are installed.
"""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ranking_udfs.arrow.functions import FUNCTIONS
from ranking_udfs.command.cli import main
from tests.by_value import assert_same, is_equal
from tests.reference import PAGES as PAGES_OF_GROUPS
from tests.reference import TABLES

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    *(f"sql/{page}" for page in dict.fromkeys(PAGES_OF_GROUPS.values())),
    "sql/migrating.md",
    "sql/statistics.md",
]  # continue the session of sql/README.md
SESSIONS = """README.md sql/README.md sql/without_python.md examples/README.md examples/tutorial.md
    examples/logs/README.md examples/queries.md examples/retrieval/README.md examples/retrieval/python.md
    examples/retrieval/search.md examples/retrieval/answers.md udfs/ranking_udfs/README.md
    udfs/ranking_udfs/command/README.md udfs/ranking_udfs/duckdb/README.md""".split()  # noqa: SIM905
DOCUMENTS = [
    ROOT / "README.md",
    *(one for name in ("examples", "sql", "udfs", "tests") for one in sorted(ROOT.glob(f"{name}/**/*.md"))),
]
COMMAND = f'"{sys.executable}" -m ranking_udfs'
ELSEWHERE = {"command: evaluate", "command: test"}  # marks of what other tests run
BLOCK = re.compile(
    r"(?:<!-- (?P<mark>[\w: -]+) -->\n)?```(?P<language>\w+)\n(?P<code>.*?)```\n"
    r"(?:\n(?:<!-- output: [\w-]+ -->\n)?```text\n(?P<output>.*?)```\n)?",
    re.DOTALL,
)
GENERATED = re.compile(r"<!-- (\w+): generated .*?<!-- end of \1 -->", re.DOTALL)


@dataclass
class Block:
    """A block of a document that runs, with the output that the document shows."""

    mark: str
    language: str
    code: str
    output: str


def read(document: str) -> str:
    return (ROOT / document).read_text(encoding="utf-8")


def blocks(document: str) -> list[Block]:
    """Return the blocks that are written by hand; the generator runs those that it writes."""
    matches = BLOCK.finditer(GENERATED.sub("", read(document)))
    return [Block(*(part or "" for part in match.groups())) for match in matches]


def cells(box: str) -> str:
    """Return the rows of a table that DuckDB prints, or the lines of another text, without outer spaces."""
    lines = [line for line in box.splitlines() if line.strip() and not re.search("[┌├└]─", line)]
    return "\n".join(" │ ".join(map(str.strip, line.strip("│ ").split("│"))) for line in lines)


class Session:
    """Run blocks as a reader does, in a folder with the examples and the SQL."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.namespace: dict[str, Any] = {}
        for name in ("examples", "sql"):
            (folder / name).symlink_to(ROOT / name)

    def python(self, code: str) -> str:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "README.md", "exec"), self.namespace)
        return printed.getvalue()

    def sql(self, code: str) -> str:
        return str(self.namespace["con"].sql(code))

    def sh(self, commands: str) -> str:
        lines = commands.replace("\\\n", " ").splitlines()
        if all(re.fullmatch("ranking-udfs [^|<>;&$`#]+", line) for line in lines):
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                assert [main(shlex.split(line)[1:]) for line in lines] == [0] * len(lines)
            return printed.getvalue()
        code = commands.replace("ranking-udfs", COMMAND)
        scripts = f"{sysconfig.get_path('scripts')}:{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", f"{code}\npwd > '{self.folder}/.pwd'"],
            env=os.environ | {"PATH": scripts},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        os.chdir((self.folder / ".pwd").read_text().strip())
        return done.stdout


@pytest.fixture
def session(tmp_path: Path, registered: None, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.chdir(tmp_path)
    return Session(tmp_path)


def run(session: Session, document: list[Block]) -> None:
    """Run each block, and compare what it prints with the output that the document shows."""
    for block in document:
        if block.mark in ELSEWHERE or block.language not in ("python", "sql", "sh"):
            continue
        if block.mark.startswith("needs: ") and not all(map(find_spec, block.mark.split()[1:])):
            continue
        assert block.language != "sh" or block.mark.startswith("command: "), f"unmarked: {block.code}"
        printed = getattr(session, block.language)(block.code)
        if block.output:
            assert_same(cells(block.output), cells(printed), block.code)
    for value in session.namespace.values():
        if isinstance(value, duckdb.DuckDBPyConnection):
            value.close()


@pytest.mark.slow
@pytest.mark.parametrize("document", SESSIONS)
def test_a_document_runs_and_prints_what_it_shows(session: Session, document: str) -> None:
    pages = PAGES if document == "sql/README.md" else []
    run(session, [block for page in (document, *pages) for block in blocks(page)])
    if document == "examples/tutorial.md":
        report = (session.folder.parent / "report.html").read_text(encoding="utf-8")
        assert "<h1>NDCG@5 0.290 with similar, 329% above popularity</h1>" in report
        assert all(len(line) <= 80 for one in blocks(document) for line in one.output.splitlines())


def test_the_reference_uses_the_tables_of_the_documents() -> None:
    for document in ("examples/tutorial.md", "sql/README.md", "examples/queries.md"):
        assert TABLES in next(block.code for block in blocks(document) if block.language == "python")


def test_examples_in_docstrings_give_their_results(shared: duckdb.DuckDBPyConnection) -> None:
    for name, function in FUNCTIONS.items():
        examples = re.findall(r">>> (SELECT .*)\n\s+(.*)", function.call.__doc__ or "")
        assert examples, name
        for query, expected in examples:
            ((value,),) = shared.execute(query).fetchall()
            assert value == eval(expected) or is_equal(value, eval(expected)), query


def anchors(document: Path) -> set[str]:
    """Return the anchors of the headings of a document."""
    text = re.sub(r"```.*?```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^a-z0-9 _-]", "", title.lower()).replace(" ", "-") for title in headings}


def test_every_table_has_a_header() -> None:
    """An empty line in a table would end it."""
    for document in DOCUMENTS:
        text = re.sub(r"```.*?```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL)
        for top, second in re.findall(r"(?<!\|\n)^\| (.*)\n(.*)", text, re.MULTILINE):
            assert re.fullmatch(r"\|[-:| ]+\|", second), (document, top)


def test_links_have_a_target() -> None:
    for document in DOCUMENTS:
        text = re.sub(r"```.*?```|`[^`]*`", "", document.read_text(encoding="utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\((?!http)([^)]*)\)", text):
            path, _, anchor = target.partition("#")
            linked = document.parent / path if path else document
            assert linked.exists(), (document, target)
            assert not anchor or anchor in anchors(linked), (document, target)
