"""What the README and the docstrings show is what runs and what comes out.

Python blocks run one after another in one namespace, SQL blocks on a connection with the documents' tables.
The block of text behind one is its output: for Python to the letter, for SQL the cells of the table. So it is
for the sessions of a shell. The two commands for a fresh machine are run by `.ci/run`, that for dbt by
test_dbt.py.
"""

import contextlib
import io
import math
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import duckdb
import pytest

import udfs
from udfs.arrow.functions import FUNCTIONS

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()
COMMAND = f'"{sys.executable}" -m udfs'
BLOCKS = re.findall(r"```(python|sql)\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", README, re.DOTALL)


def marked(name: str) -> str:
    """The block behind such a mark."""
    return re.search(rf"<!-- {name} -->\n```\w+\n(.*?)```\n", README, re.DOTALL)[1]


def cells(box: str) -> list[list[str]]:
    """The rows of values in a table as DuckDB draws it, without its two lines of names and types."""
    rows = [line.strip("│ ").split("│") for line in box.splitlines() if line.lstrip().startswith("│")]
    return [[cell.strip() for cell in row] for row in rows]


def outside_boxes(text: str) -> list[str]:
    return [line for line in text.splitlines() if not re.search("[│─]", line)]


@pytest.fixture
def con(monkeypatch):
    monkeypatch.chdir(ROOT)
    with udfs.register(duckdb.connect()) as con:
        for table in ("dummy_rec", "dummy_truth", "dummy_recrel"):
            con.execute(f"CREATE TABLE {table} AS FROM 'examples/data/{table}.csv'")
        con.execute("CREATE TABLE rec AS FROM dummy_rec")
        con.execute("CREATE TABLE truth AS FROM dummy_truth")
        yield con


def test_python_blocks_print_what_the_readme_shows(monkeypatch):
    monkeypatch.chdir(ROOT)
    blocks = [(code, output) for language, code, output in BLOCKS if language == "python"]
    assert blocks
    namespace: dict[str, object] = {}
    for code, output in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "README.md", "exec"), namespace)
        if output:
            assert cells(printed.getvalue()) == cells(output)
            assert outside_boxes(printed.getvalue()) == outside_boxes(output)
    namespace["con"].close()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("code", "output"),
    [(code, output) for language, code, output in BLOCKS if language == "sql"],
    ids=lambda text: text.strip().partition("\n")[0][:60],
)
def test_sql_blocks_return_what_the_readme_shows(con, code, output):
    for statement in con.extract_statements(code):
        result = con.sql(statement.query)
    if output:
        assert cells(str(result)) == cells(output)
    else:
        assert result is None or result.fetchall()


def session(folder, commands):
    """What the commands print in a folder with the examples and the SQL."""
    for name in ("examples", "sql"):
        (folder / name).symlink_to(ROOT / name)
    printed = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands.replace("ranking-udfs", COMMAND)],
        cwd=folder,
        env=os.environ
        | {"PATH": f"{sysconfig.get_path('scripts')}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert printed.stderr == ""
    return printed.stdout


@pytest.mark.parametrize("name", ["shell", "compare"])
def test_the_sessions_of_the_shell_print_what_the_readme_shows(tmp_path, name):
    printed = session(tmp_path, marked(f"command: {name}"))
    assert printed.split() == marked(f"output: {name}").split()


def test_the_report_is_written_after_the_comparison(tmp_path):
    printed = session(tmp_path, marked("command: compare") + marked("command: report"))
    assert printed.split() == marked("output: compare").split()
    assert "<h1>similar compared with popularity</h1>" in (tmp_path / "report.html").read_text(
        encoding="utf-8"
    )


def test_docstrings_have_a_description_and_examples_that_hold(shared):
    for name, function in FUNCTIONS.items():
        examples = re.findall(r">>> (SELECT .*)\n\s+(.*)", function.call.__doc__)
        assert examples, name
        for query, expected in examples:
            (value,) = shared.execute(query).fetchone()
            assert value == eval(expected) or math.isclose(value, eval(expected), rel_tol=1e-15), query


def test_links_inside_the_readme_have_a_target():
    headings = {
        re.sub(r"[^a-z0-9 _-]", "", title.lower()).replace(" ", "-")
        for title in re.findall(r"^#+ (.*)$", README, re.MULTILINE)
    }
    for target in re.findall(r"\]\(#([^)]*)\)", README):
        assert target in headings
    for path in re.findall(r"\]\((?!#|http)([^)]*)\)", README):
        assert (ROOT / path).exists(), path
