"""Packages import, and folders of macros call, only what they may."""

import ast
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from ranking_udfs.macros.files import ROOMS, code, texts

PACKAGE = Path(__file__).resolve().parent.parent / "udfs" / "ranking_udfs"
# What each package may import, besides the standard library, NumPy, itself and EVERYWHERE.
PACKAGES = {
    "measures": "",
    "arrow": "pyarrow .measures",
    "compose": "duckdb jinja2 .measures",
    "duckdb": "duckdb .arrow .compose .measures",
    "macros": ".compose .duckdb .measures",
    "evaluation": "duckdb .compose .macros .measures",
    "inputs": "duckdb pyarrow .compose .duckdb .evaluation .measures",
    "reporting": "duckdb jinja2 vl_convert .compose .evaluation .inputs .measures",
    # The package by its whole name, in code that is sent to executors.
    "spark": "pyspark pyarrow . .partitions .evaluation .duckdb .arrow .measures",
    "command": "duckdb click tabulate tqdm . .compose .duckdb .macros .measures .evaluation .inputs "
    ".reporting",
}
EVERYWHERE = {".folder", ".kinds", ".options", ".quoting", ".texts", ".version", ".writing"}
ENTRY_POINTS = {"__init__.py", "__main__.py", "dbt.py", "keywords.py", "partitions.py", "python.py"}
# Modules of the standard library for arguments, streams and files, which only entry points use.
NOT_IN = {
    "evaluation": {"os", "sys", "io", "pathlib", "tempfile", "shutil", "glob"},
    "inputs": {"sys", "io", "tempfile"},
    "reporting": {"sys", "io", "tempfile"},
}
# Which other folders of `sql/` the macros of each may call.
SQL_FOLDERS = {"tables": {"measures"}, "comparison": {"measures", "tables"}}
SQL_FOLDERS |= {name: set() for name in ("measures", "lists", "predictions", "hivemall")}

PROCESSES = {
    "command": """
from ranking_udfs.command.cli import main
assert main(['evaluate', '--help']) == 0 and main(['evaluate']) == 2
assert not has('duckdb numpy pyarrow')
assert main(['evaluate', 'none.csv', 'none.csv']) == 1
assert has('duckdb') and not has('numpy tabulate ranking_udfs.arrow.functions')
""",
    "measures": """
import ranking_udfs
assert not has('click jinja2 numpy scipy tabulate tqdm')
import ranking_udfs.measures
assert not has('duckdb pyarrow')
assert {'compare', 'report'} < {*dir(ranking_udfs)} and not {'Any', 'import_module'} & {*dir(ranking_udfs)}
import ranking_udfs.arrow.functions, threading
assert not has('duckdb')
from ranking_udfs import register
assert has('duckdb') and not has('pandas polars') and threading.active_count() == 1
""",
    "register": """
import duckdb, ranking_udfs
con = ranking_udfs.register(duckdb.connect())
assert not has('pyarrow')
con.execute('SELECT recall([1, 2], [2], 2), ranking.recall(ranking.judge([1, 2], [2]), 2)').fetchall()
assert not has('jinja2 ranking_udfs.compose')
con.execute('CREATE TABLE rec AS SELECT 1 AS userid, 2 AS itemid, 3 AS score')
con.execute("SELECT judged FROM ranking.judged('rec', 'rec', 1)")
assert has('jinja2')
""",
}


def imported(path: Path) -> set[str]:
    """Return what a file imports: `module`, `.package` of ranking_udfs, `..module` of the file's package."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            dots = {0: "", 1: "..", 2: "."}[node.level]
            names.add(dots + (node.module or "").partition(".")[0])
    return {"." if name == "ranking_udfs" else name for name in names}


def test_each_package_has_a_rule() -> None:
    assert {path.parent.name for path in PACKAGE.glob("*/__init__.py")} == set(PACKAGES)
    others = {f"{name[1:]}.py" for name in EVERYWHERE}
    assert {path.name for path in PACKAGE.glob("*.py")} == ENTRY_POINTS | others


def test_the_diagram_has_the_packages_in_import_order() -> None:
    readme = (PACKAGE.parent / "README.md").read_text(encoding="utf-8")
    (diagram,) = re.findall(r"```mermaid\nflowchart TD\n +(.*)\n", readme)
    below = [*PACKAGES]
    assert diagram.split(" --> ")[::-1] == [name for name in below if name != "spark"]
    for package, allowed in PACKAGES.items():
        assert {f".{name}" for name in below[below.index(package) :]}.isdisjoint(allowed.split()), package


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_imports_only_what_it_may_and_has_no_cycle(package: str) -> None:
    allowed = {"numpy", *EVERYWHERE, *PACKAGES[package].split()}
    allowed |= set(sys.stdlib_module_names) - NOT_IN.get(package, set())
    modules = {path.stem: imported(path) for path in (PACKAGE / package).glob("*.py")}
    assert len(modules) > 2
    for module, names in modules.items():
        assert {name for name in names if not name.startswith("..")} <= allowed, module
    own = {module: {name[2:] for name in names if name[:2] == ".."} for module, names in modules.items()}
    list(TopologicalSorter(own).static_order())  # raises CycleError
    if package == "evaluation":
        assert not any(re.search(r"\bopen\(", path.read_text()) for path in (PACKAGE / package).glob("*.py"))


@pytest.mark.parametrize("name", PROCESSES)
def test_a_process_imports_only_what_it_needs(name: str) -> None:
    code = f"def has(text): return [*filter(sys.modules.get, text.split())]\nimport sys\n{PROCESSES[name]}"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=PACKAGE.parent, stdout=subprocess.DEVNULL)


def test_a_folder_of_macros_calls_only_what_it_may() -> None:
    assert {*ROOMS} == set(SQL_FOLDERS)
    folders = {name: folder.partition("/")[0] for name, (_, folder) in texts().items()}
    for name, (text, _) in texts().items():
        folder = folders[name]
        for called in {*re.findall(r"\branking\.(\w+)(?=\()", code(text))} - {name}:
            assert folders[called] in {folder, *SQL_FOLDERS[folder]}, (name, called)
