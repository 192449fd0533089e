"""Templates of SQL are compiled once for all processes; a wheel's are in it (`test_packaging.py`)."""

import sys
from pathlib import Path
from typing import Any

import jinja2
import pytest

from ranking_udfs.compose import compiled
from ranking_udfs.compose.templates import environment
from tests.conftest import Patch

ONE, TWO = "a/one.sql", "a/two.jinja"
TEXTS = {
    ONE: "{% import 'a/two.jinja' as two %}{{ two.word() }} {% if more %}2{% else %}1{% endif %}",
    TWO: "{% macro word() %}SELECT{% endmacro %}",
}


@pytest.fixture
def cached(tmp_path: Path, monkeypatch: Patch) -> Path:
    """Cache in a folder of its own."""
    monkeypatch.setattr(compiled.__spec__, "cached", str(tmp_path / "cached" / "compiled.pyc"))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return tmp_path / "cached"


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


def test_a_template_is_compiled_once_and_again_when_it_changes(
    texts: dict[str, str], parsed: list[str], cached: Path
) -> None:
    assert [rendered(), rendered(), *parsed] == ["SELECT 2", "SELECT 2", ONE, TWO]
    texts[TWO] = TEXTS[TWO].replace("SELECT", "VALUES")
    assert [rendered(), rendered(), *parsed] == ["VALUES 2", "VALUES 2", ONE, TWO, TWO]
    assert len([*cached.iterdir()]) == 2


def refuse(*_: object, **__: object) -> None:
    raise PermissionError("may not be written")


@pytest.mark.parametrize(
    ("name", "replaced"),
    [
        ("sys.dont_write_bytecode", True),
        ("ranking_udfs.compose.compiled.__spec__.cached", ""),
        ("ranking_udfs.compose.compiled.FOLDER", ""),  # a wheel, in which it exists
        ("ranking_udfs.compose.compiled.TemporaryFile", refuse),
        ("pathlib.Path.mkdir", refuse),
    ],
)
def test_each_process_compiles_where_nothing_can_be_cached(
    parsed: list[str], cached: Path, monkeypatch: Patch, name: str, replaced: Any
) -> None:
    monkeypatch.setattr(name, replaced)
    assert [rendered(), rendered(), *parsed] == ["SELECT 2", "SELECT 2", *[ONE, TWO] * 2]
    assert not cached.exists() or not [*cached.iterdir()]
