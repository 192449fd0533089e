"""Templates of SQL are compiled once for all processes; a wheel's are in it (`test_packaging.py`)."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ranking_udfs.compose.symbols import SymbolEnvironment
from ranking_udfs.compose.templates import environment
from tests.conftest import Patch

PACKAGE = Path(__file__).resolve().parents[1] / "udfs" / "ranking_udfs"
ONE, TWO = "a/one.sql", "a/two.jinja"
TEXTS = {
    ONE: "{% import 'a/two.jinja' as two %}{{ two.word() }} {% if more %}2{% else %}1{% endif %}",
    TWO: "{% macro word() %}SELECT{% endmacro %}",
}


@pytest.fixture
def texts(monkeypatch: Patch) -> dict[str, str]:
    """Two templates in place of those of `sql/`."""
    texts = {**TEXTS}
    monkeypatch.setattr("ranking_udfs.compose.templates.read", texts.__getitem__)
    return texts


@pytest.fixture
def parsed(monkeypatch: Patch) -> list[str]:
    """The templates that are parsed and compiled."""
    parsed: list[str] = []
    parse = SymbolEnvironment._parse

    def note(self: SymbolEnvironment, source: str, name: str, *rest: Any) -> Any:
        parsed.append(name)
        return parse(self, source, name, *rest)

    monkeypatch.setattr(SymbolEnvironment, "_parse", note)
    return parsed


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: Patch) -> Path:
    """Let files be kept in a folder of their own."""
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "kept"))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return tmp_path / "kept"


def rendered() -> str:
    """Render the first template as in a process that has loaded none."""
    return str(environment.__wrapped__().get_template(ONE).render(more=True))


def files_of(folder: Path) -> list[Path]:
    """Return all files below a folder but Python's own."""
    return sorted(file for file in folder.rglob("*") if file.is_file() and file.suffix != ".pyc")


def test_a_template_is_compiled_once_and_anew_when_it_changes(
    texts: dict[str, str], parsed: list[str], kept: Path
) -> None:
    for _ in range(2):
        assert rendered() == "SELECT 2"
        assert parsed == [ONE, TWO]
    before = files_of(kept)
    texts[TWO] = TEXTS[TWO].replace("SELECT", "VALUES")  # as long, and perhaps at the same time
    for _ in range(2):
        assert rendered() == "VALUES 2"
        assert parsed == [ONE, TWO, TWO]
    assert [".".join(file.name.split(".")[:3]) for file in files_of(kept)] == ["a.one.sql", "a.two.jinja"]
    assert len({*files_of(kept)} - {*before}) == 1  # what was of the old text is gone


@pytest.mark.parametrize("code", ["ranking_udfs.kept.CODE", "ranking_udfs.compose.compiled.COMPILER"])
@pytest.mark.usefixtures("texts")
def test_other_code_does_not_take_what_was_compiled_before(
    parsed: list[str], kept: Path, monkeypatch: Patch, code: str
) -> None:
    assert rendered() == "SELECT 2"
    before = files_of(kept)
    monkeypatch.setattr(code, "changed")
    assert rendered() == "SELECT 2"
    assert parsed == [ONE, TWO] * 2
    assert len(files_of(kept)) == 2
    assert {*before}.isdisjoint(files_of(kept))


def test_the_code_that_transforms_templates_is_a_part_of_the_stamp(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "ranking_udfs", ignore=shutil.ignore_patterns("__pycache__"))
    found = set()
    for name in ("", "symbols.py", "templates.py"):
        if name:
            with (tmp_path / "ranking_udfs" / "compose" / name).open("a") as file:
                file.write("# changed\n")
        code = "from ranking_udfs.kept import CODE; print(CODE)"
        found.add(subprocess.check_output([sys.executable, "-c", code], cwd=tmp_path))
    assert len(found) == 3


@pytest.mark.parametrize(
    "damage",
    [
        lambda _: b"",
        lambda content: content[:-1],
        lambda content: content[:300] + bytes([content[300] ^ 128]) + content[301:],
        lambda content: b"\0" * len(content),
    ],
)
@pytest.mark.usefixtures("texts")
def test_a_damaged_file_is_written_anew(
    parsed: list[str], kept: Path, damage: Callable[[bytes], bytes]
) -> None:
    assert rendered() == "SELECT 2"
    contents = {file: file.read_bytes() for file in files_of(kept)}
    for file, content in contents.items():
        file.write_bytes(damage(content))
    assert rendered() == "SELECT 2"
    assert parsed == [ONE, TWO] * 2
    assert {file: file.read_bytes() for file in files_of(kept)} == contents


def refuse(*_: object, **__: object) -> None:
    raise PermissionError("may not be written")


@pytest.mark.parametrize(
    ("name", "replaced"),
    [
        ("sys.dont_write_bytecode", True),
        ("sys.implementation.cache_tag", None),
        ("ranking_udfs.kept.CODE", ""),  # the package in a zip file
        ("ranking_udfs.compose.compiled.COMPILER", ""),  # Jinja2 in one
        ("pathlib.Path.mkdir", refuse),
        ("tempfile.TemporaryDirectory", refuse),
        ("os.replace", refuse),
    ],
)
@pytest.mark.usefixtures("texts")
def test_where_nothing_can_be_kept_each_process_compiles(
    parsed: list[str], kept: Path, monkeypatch: Patch, name: str, replaced: Any
) -> None:
    monkeypatch.setattr(name, replaced)
    for _ in range(2):
        assert rendered() == "SELECT 2"
    assert parsed == [ONE, TWO] * 2
    assert files_of(kept) == []


@pytest.mark.usefixtures("texts", "parsed")
def test_many_may_keep_the_same_templates_at_once(kept: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        assert {*threads.map(lambda _: rendered(), range(32))} == {"SELECT 2"}
    assert len(files_of(kept)) == 2
    assert rendered() == "SELECT 2"
