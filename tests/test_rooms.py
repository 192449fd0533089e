"""The rooms of the package: what each may import, that its first line says what it is; no macro is unused."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from udfs.duckdb.statements import code, texts

PACKAGE = Path(__file__).resolve().parent.parent / "udfs"
# Each room: what it may import beside the standard library, NumPy and itself. None is a room's own business.
ROOMS = {
    "measures": set(),
    "arrow": {"pyarrow", "udfs.measures"},
    "duckdb": {"duckdb", "udfs", "udfs.arrow", "udfs.measures"},
    "spark": {"pyspark", "pyarrow", "duckdb", "udfs.duckdb", "udfs.arrow", "udfs.measures"},
    "page": {"vl_convert"},
    "command": {"duckdb", "udfs", "udfs.duckdb", "udfs.arrow", "udfs.measures", "udfs.page", "shtab", "tqdm"},
}


def imported(path: Path) -> set[str]:
    """What a file imports: packages from elsewhere, and rooms as `udfs.room`, but for its own."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add((node.module or "").partition(".")[0])
        elif isinstance(node, ast.ImportFrom) and node.level == 2:
            found.add(f"udfs.{node.module.partition('.')[0]}" if node.module else "udfs")
    return found - set(sys.stdlib_module_names) - {"numpy"}


def test_the_tree_is_the_rooms() -> None:
    assert {path.parent.name for path in PACKAGE.glob("*/__init__.py")} == set(ROOMS)
    assert {path.name for path in PACKAGE.glob("*.py")} == {"__init__.py", "__main__.py", "dbt.py"}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_what_it_may(room: str) -> None:
    files = sorted((PACKAGE / room).glob("*.py"))
    assert len(files) > 2
    for path in files:
        assert imported(path) <= ROOMS[room], path.name
    assert "(" in ast.get_docstring(ast.parse((PACKAGE / room / "__init__.py").read_text())).splitlines()[0]


def test_the_measures_need_neither_pyarrow_nor_duckdb_and_the_functions_no_duckdb() -> None:
    code = (
        "import sys, udfs.measures; assert not {'duckdb', 'pyarrow'} & set(sys.modules), 'measures'\n"
        "import udfs.arrow.functions; assert 'duckdb' not in sys.modules, 'arrow'\n"
        "from udfs import register; assert 'duckdb' in sys.modules; assert callable(register)"
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
