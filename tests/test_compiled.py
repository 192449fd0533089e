"""Templates of SQL are compiled once for all processes; a wheel's are in it (`test_packaging.py`)."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jinja2
import pytest

from ranking_udfs.compose.templates import environment
from tests.conftest import Patch

PACKAGE = Path(__file__).resolve().parents[1] / "udfs" / "ranking_udfs"
ONE, TWO = "a/one.sql", "a/two.jinja"
TEXTS = {
    ONE: "{% import 'a/two.jinja' as two %}{{ two.word() }} {% if more %}2{% else %}1{% endif %}",
    TWO: "{% macro word() %}SELECT{% endmacro %}",
}


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: Patch) -> Path:
    """Keep compiled files in a folder of their own."""
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "kept"))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return tmp_path / "kept"


@pytest.fixture(autouse=True)
def texts(monkeypatch: Patch) -> dict[str, str]:
    """Put two templates in place of those of `sql/`."""
    texts = {**TEXTS}
    monkeypatch.setattr("ranking_udfs.compose.templates.read", texts.__getitem__)
    return texts


@pytest.fixture
def parsed(monkeypatch: Patch) -> list[str]:
    """Note the templates that are parsed and compiled."""
    parsed: list[str] = []
    parse = jinja2.Environment._parse

    def note(self: jinja2.Environment, source: str, name: str, *rest: Any) -> Any:
        parsed.append(name)
        return parse(self, source, name, *rest)

    monkeypatch.setattr(jinja2.Environment, "_parse", note)
    return parsed


def rendered() -> str:
    """Render the first template as in a process that has loaded none."""
    return str(environment.__wrapped__().get_template(ONE).render(more=True))


def contents_of(folder: Path) -> dict[Path, bytes]:
    """Return all files below a folder with their bytes, except Python's own."""
    files = sorted(file for file in folder.rglob("*") if file.is_file() and file.suffix != ".pyc")
    return {file: file.read_bytes() for file in files}


def test_a_template_is_compiled_once_and_again_when_it_changes(
    texts: dict[str, str], parsed: list[str], kept: Path
) -> None:
    assert [rendered(), rendered(), *parsed] == ["SELECT 2", "SELECT 2", ONE, TWO]
    before = contents_of(kept)
    texts[TWO] = TEXTS[TWO].replace("SELECT", "VALUES")  # as long, and perhaps at the same time
    assert [rendered(), rendered(), *parsed] == ["VALUES 2", "VALUES 2", ONE, TWO, TWO]
    after = contents_of(kept)
    assert [".".join(file.name.split(".")[:3]) for file in after] == ["a.one.sql", "a.two.jinja"]
    assert len(after.keys() - before.keys()) == 1  # the file of the old text is gone


@pytest.mark.parametrize("code", ["ranking_udfs.kept.CODE", "ranking_udfs.compose.compiled.COMPILER"])
def test_other_code_takes_nothing_compiled_before(
    parsed: list[str], kept: Path, monkeypatch: Patch, code: str
) -> None:
    rendered()
    before = contents_of(kept)
    monkeypatch.setattr(code, "changed")
    assert [rendered(), *parsed] == ["SELECT 2", *[ONE, TWO] * 2]
    assert len(contents_of(kept)) == 2
    assert before.keys().isdisjoint(contents_of(kept))


def test_the_stamp_depends_on_the_code_that_changes_templates(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "ranking_udfs", ignore=shutil.ignore_patterns("__pycache__"))
    code = "from ranking_udfs.kept import CODE; print(CODE)"
    stamps = {subprocess.check_output([sys.executable, "-c", code], cwd=tmp_path)}
    for name in ("call.py", "templates.py"):
        with (tmp_path / "ranking_udfs" / "compose" / name).open("a") as file:
            file.write("# changed\n")
        stamps.add(subprocess.check_output([sys.executable, "-c", code], cwd=tmp_path))
    assert len(stamps) == 3


@pytest.mark.parametrize(
    "damage",
    [
        lambda _: b"",
        lambda content: content[:-1],
        lambda content: content[:300] + bytes([content[300] ^ 128]) + content[301:],
        lambda content: b"\0" * len(content),
    ],
)
def test_a_damaged_file_is_written_again(
    parsed: list[str], kept: Path, damage: Callable[[bytes], bytes]
) -> None:
    rendered()
    contents = contents_of(kept)
    for file, content in contents.items():
        file.write_bytes(damage(content))
    assert [rendered(), *parsed] == ["SELECT 2", *[ONE, TWO] * 2]
    assert contents_of(kept) == contents != {}


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
def test_each_process_compiles_where_nothing_can_be_kept(
    parsed: list[str], kept: Path, monkeypatch: Patch, name: str, replaced: Any
) -> None:
    monkeypatch.setattr(name, replaced)
    assert [rendered(), rendered(), *parsed] == ["SELECT 2", "SELECT 2", *[ONE, TWO] * 2]
    assert contents_of(kept) == {}


@pytest.mark.usefixtures("parsed")
def test_many_may_keep_the_same_templates_at_once(kept: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        assert {*threads.map(lambda _: rendered(), range(32))} == {"SELECT 2"}
    assert len(contents_of(kept)) == 2
    assert rendered() == "SELECT 2"
