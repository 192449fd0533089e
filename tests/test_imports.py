"""What each package may import and which macros each folder of sql/ may call; no macro is unused."""

import ast
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from ranking_udfs.macros.files import ROOMS, code, texts

PACKAGE = Path(__file__).resolve().parent.parent / "udfs" / "ranking_udfs"
# What each package may import: not counted are the standard library, NumPy, itself and EVERYWHERE.
PACKAGES = {
    "measures": "",
    "arrow": "pyarrow .measures",
    "compose": "duckdb jinja2 .measures",
    "duckdb": "duckdb .arrow .compose .measures",
    "macros": ".compose .duckdb .measures",
    "evaluation": "duckdb .compose .macros .measures",
    "inputs": "duckdb pyarrow .compose .duckdb .evaluation .measures",
    "reporting": "duckdb jinja2 vl_convert .compose .evaluation .inputs .measures",
    # The pack by its whole name, in what is sent to executors.
    "spark": "pyspark pyarrow . .partitions .evaluation .duckdb .arrow .measures",
    "command": "duckdb click tabulate tqdm . .compose .duckdb .macros .measures .evaluation .inputs "
    ".reporting",
}
EVERYWHERE = {".folder", ".kept", ".quoting", ".texts", ".version", ".writing"}
ENTRY_POINTS = {"__init__.py", "__main__.py", "dbt.py", "partitions.py", "python.py"}
# Of the standard library: arguments and standard streams are known to entry points alone.
NOT_IN = {
    "evaluation": {"os", "sys", "io", "pathlib", "tempfile", "shutil", "glob"},
    "inputs": {"sys", "io", "tempfile"},
    "reporting": {"sys", "io", "tempfile"},
}
# Which other folders of `sql/` the macros of each may call.
SQL_FOLDERS = {
    "measures": set(),
    "tables": {"measures"},
    "comparison": {"measures", "tables"},
    "lists": set(),
    "predictions": set(),
    "hivemall": set(),
}


def imported(path: Path) -> set[str]:
    """What a file imports: `module` from elsewhere, `.package` of the pack, `..module` of its own package."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            dots = {0: "", 1: "..", 2: "."}[node.level]
            found.add(dots + (node.module or "").partition(".")[0])
    return {"." if name == "ranking_udfs" else name for name in found}


def test_the_packages_are_these() -> None:
    assert {path.parent.name for path in PACKAGE.glob("*/__init__.py")} == set(PACKAGES)
    others = {f"{name[1:]}.py" for name in EVERYWHERE}
    assert {path.name for path in PACKAGE.glob("*.py")} == ENTRY_POINTS | others


def test_the_picture_of_the_packages_has_them_in_the_order_in_which_they_import() -> None:
    readme = (PACKAGE.parent / "README.md").read_text(encoding="utf-8")
    (drawn,) = re.findall(r"```mermaid\nflowchart TD\n +(.*)\n", readme)
    below = [*PACKAGES]
    assert drawn.split(" --> ")[::-1] == [name for name in below if name != "spark"]
    for package, allowed in PACKAGES.items():
        assert {f".{name}" for name in below[below.index(package) :]}.isdisjoint(allowed.split()), package


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_imports_only_what_it_may_and_no_module_in_a_circle(package: str) -> None:
    allowed = {"numpy", *EVERYWHERE, *PACKAGES[package].split()}
    allowed |= set(sys.stdlib_module_names) - NOT_IN.get(package, set())
    modules = {path.stem: imported(path) for path in (PACKAGE / package).glob("*.py")}
    assert len(modules) > 2
    for module, names in modules.items():
        assert {name for name in names if not name.startswith("..")} <= allowed, module
    own = {module: {name[2:] for name in names if name[:2] == ".."} for module, names in modules.items()}
    list(TopologicalSorter(own).static_order())  # CycleError if there is a circle
    first_line = (PACKAGE / package / "__init__.py").read_text(encoding="utf-8").partition("\n")[0]
    assert "(" in first_line  # what may not be imported
    if package == "evaluation":
        assert not any(re.search(r"\bopen\(", path.read_text()) for path in (PACKAGE / package).glob("*.py"))


def test_help_and_wrong_usage_import_neither_duckdb_nor_numpy() -> None:
    code = (
        "import sys; from ranking_udfs.command.cli import main\n"
        "assert main(['evaluate', '--help']) == 0 and main(['evaluate']) == 2\n"
        "assert not {'duckdb', 'numpy', 'pyarrow'} & set(sys.modules)\n"
        "assert main(['evaluate', 'none.csv', 'none.csv']) == 1 and 'duckdb' in sys.modules\n"
        "assert not {'numpy', 'ranking_udfs.arrow.functions'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=PACKAGE.parent, stdout=subprocess.DEVNULL)


def test_the_measures_need_neither_pyarrow_nor_duckdb_and_the_functions_no_duckdb() -> None:
    code = (
        "import sys, ranking_udfs; others = {'click', 'jinja2', 'numpy', 'scipy', 'tabulate', 'tqdm'}\n"
        "assert not others & set(sys.modules), 'the package'\n"
        "import ranking_udfs.measures; assert {'compare', 'report'} < {*dir(ranking_udfs)}\n"
        "assert not {'Any', 'import_module'} & {*dir(ranking_udfs)}\n"
        "assert not {'duckdb', 'pyarrow'} & set(sys.modules), 'measures'\n"
        "import ranking_udfs.arrow.functions; assert 'duckdb' not in sys.modules, 'arrow'\n"
        "from ranking_udfs import register; assert 'duckdb' in sys.modules; assert callable(register)\n"
        "assert not {'pandas', 'polars'} & set(sys.modules)\n"
        "import threading; assert threading.active_count() == 1"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=PACKAGE.parent)


def test_register_imports_neither_pyarrow_nor_jinja2() -> None:
    code = (
        "import sys, duckdb, ranking_udfs\n"
        "from ranking_udfs import register\n"
        "con = register(duckdb.connect())\n"
        "assert 'pyarrow' not in sys.modules\n"
        "assert con.execute('SELECT recall([1, 2], [2], 2)').fetchall() == [(1,)]\n"
        "assert con.execute('SELECT ranking.recall(ranking.judge([1, 2], [2]), 2)').fetchall() == [(1,)]\n"
        "assert not {'jinja2', 'ranking_udfs.compose'} & set(sys.modules)\n"
        "con.execute('CREATE TABLE rec AS SELECT 1 AS userid, 2 AS itemid, 3 AS score')\n"
        "con.execute(\"SELECT judged FROM ranking.judged('rec', 'rec', 1)\")\n"
        "assert 'jinja2' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=PACKAGE.parent)


def test_a_folder_of_macros_calls_only_what_it_may() -> None:
    assert {*ROOMS} == set(SQL_FOLDERS)
    found = {name: (code(text), folder.partition("/")[0]) for name, (text, folder) in texts().items()}
    for name, (sql, folder) in found.items():
        for called in {*re.findall(r"\branking\.(\w+)(?=\()", sql)} - {name}:
            assert found[called][1] in {folder, *SQL_FOLDERS[folder]}, (name, called)
