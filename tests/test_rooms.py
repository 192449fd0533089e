"""The rooms of the package: what each may import, that its first line says what it is; no macro is unused."""

import ast
import itertools
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from ranking_udfs.duckdb.statements import ROOMS as MACRO_ROOMS
from ranking_udfs.duckdb.statements import code, macros, texts

PACKAGE = Path(__file__).resolve().parent.parent / "udfs" / "ranking_udfs"
# Each room: what it may import beside the standard library, NumPy and itself. None is a room's own business.
ROOMS = {
    "measures": "",
    "arrow": "pyarrow .measures",
    "duckdb": "duckdb .arrow .measures",
    "evaluation": "duckdb .duckdb .measures",
    "inputs": "duckdb pyarrow .duckdb .evaluation .measures",
    "reporting": "duckdb jinja2 vl_convert .duckdb .evaluation .inputs .measures",
    # The package by its whole name, in what is sent to executors.
    "spark": "pyspark pyarrow . .partitions .evaluation .duckdb .arrow .measures",
    "command": "duckdb click tabulate tqdm . .duckdb .arrow .measures .evaluation .inputs .reporting",
}
# Each room of `sql/`: which other ones its macros may call.
SQL_ROOMS = {
    "common": set(),
    "measures": {"common"},
    "tables": {"common", "measures"},
    "comparison": {"common", "measures", "tables"},
    "lists": {"common"},
    "predictions": {"common"},
    "hivemall": {"common"},
}
EVERYBODYS = {".texts", ".version", ".writing"}
DOORS = {"__init__.py", "__main__.py", "dbt.py", "partitions.py", "python.py"}
DOORS |= {f"{name[1:]}.py" for name in EVERYBODYS}
# Only the doors know how a request is spoken, and only the command what standard streams are.
NOT_IN = {
    "evaluation": {"click", "os", "sys", "io", "pathlib", "tempfile", "shutil", "glob"},
    "inputs": {"click", "sys", "io", "tempfile"},
    "reporting": {"click", "sys", "io", "tempfile"},
}


def modules(path: Path) -> set[str]:
    """All modules that a file imports from elsewhere, of the standard library too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add((node.module or "").partition(".")[0])
    return found


def imported(path: Path) -> set[str]:
    """What a file imports: packages from elsewhere, and rooms as `.room`, but for its own."""
    found = modules(path) - set(sys.stdlib_module_names) - {"numpy"}
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level == 2:
            found.add(f".{(node.module or '').partition('.')[0]}")
    return {"." if name == "ranking_udfs" else name for name in found}


def test_the_tree_is_the_rooms() -> None:
    assert {path.parent.name for path in PACKAGE.glob("*/__init__.py")} == set(ROOMS)
    assert {path.name for path in PACKAGE.glob("*.py")} == DOORS


def test_the_picture_of_the_rooms_is_what_they_import() -> None:
    (drawn,) = re.findall(
        r"```mermaid\nflowchart TD\n(.*?)```", (PACKAGE.parent / "README.md").read_text(), re.DOTALL
    )
    below: dict[str, set[str]] = {room: set() for room in ROOMS}
    for line in drawn.splitlines():
        chain = line.split(" --> ")
        for upper, lower in itertools.pairwise(one.strip() for one in chain):
            assert f".{lower}" in ROOMS[upper].split()
            below[upper].add(lower)

    def reached(room: str) -> set[str]:
        return {room}.union(*(reached(one) for one in below[room]))

    for room, allowed in ROOMS.items():
        rooms = {name.removeprefix(".") for name in allowed.split()} & ROOMS.keys()
        assert rooms <= reached(room), room


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_what_it_may(room: str) -> None:
    files = sorted((PACKAGE / room).glob("*.py"))
    assert len(files) > 2
    for path in files:
        assert imported(path) - EVERYBODYS <= {*ROOMS[room].split()}, path.name
    told = ast.get_docstring(ast.parse((PACKAGE / room / "__init__.py").read_text())) or ""
    assert "(" in told.partition("\n")[0]


@pytest.mark.parametrize("room", NOT_IN)
def test_a_room_knows_nothing_of_the_doors_around_it(room: str) -> None:
    for path in (PACKAGE / room).glob("*.py"):
        assert not modules(path) & NOT_IN[room], path.name
        assert room != "evaluation" or not re.search(r"\bopen\(", path.read_text()), path.name


def test_no_two_modules_of_a_room_import_each_other() -> None:
    for room in ROOMS:
        calls = {}
        for path in (PACKAGE / room).glob("*.py"):
            imports = [
                node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)
            ]
            calls[path.stem] = {node.module for node in imports if node.level == 1 and node.module}
        list(TopologicalSorter(calls).static_order())  # CycleError if there is a circle


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
        "import sys, ranking_udfs.measures; assert {'compare', 'report'} < {*dir(ranking_udfs)}\n"
        "assert not {'Any', 'import_module'} & {*dir(ranking_udfs)}\n"
        "assert not {'duckdb', 'pyarrow'} & set(sys.modules), 'measures'\n"
        "import ranking_udfs.arrow.functions; assert 'duckdb' not in sys.modules, 'arrow'\n"
        "from ranking_udfs import register; assert 'duckdb' in sys.modules; assert callable(register)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=PACKAGE.parent)


def test_every_internal_macro_is_called_by_another_or_by_the_package() -> None:
    sql = {name: code(text) for name, (text, _) in texts().items()}
    python = "\n".join(path.read_text() for path in PACKAGE.rglob("*.py"))
    internal = [name for name in sql if name.startswith("_")]
    assert len(internal) > 100
    for name in internal:
        others = "\n".join(text for other, text in sql.items() if other != name)
        assert re.search(rf"\b{name}\b", others + python), name


def test_a_room_of_macros_calls_only_what_it_may() -> None:
    assert {room.partition("/")[0] for room in MACRO_ROOMS} == set(SQL_ROOMS)
    found = {name: (code(text), room.partition("/")[0]) for name, (text, room) in texts().items()}
    home = {made: room for sql, room in found.values() for made in re.findall(r"MACRO (\w+)", sql)}
    assert set(home) <= set(macros())
    for name, (sql, room) in found.items():
        for called in re.findall(r"\b(\w+)(?=\()", sql):
            assert home.get(called, room) in {room, *SQL_ROOMS[room]}, (name, called)


def test_no_other_package_names_an_internal_macro() -> None:
    internal = re.compile("|".join(rf"\b{name}\b" for name in macros() if name.startswith("_")))
    allowed = [PACKAGE / "partitions.py", *(PACKAGE / "duckdb").glob("*.py")]
    named = {
        (path.relative_to(PACKAGE).as_posix(), name)
        for path in PACKAGE.rglob("*.py")
        if path not in allowed
        for name in internal.findall(re.sub("#.*", "", path.read_text(encoding="utf-8")))
    }
    assert named == set()
