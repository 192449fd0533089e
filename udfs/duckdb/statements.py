"""The SQL of the pack, found from a wheel, an editable install and a plain checkout, and text as SQL."""

import re
from functools import cache
from graphlib import TopologicalSorter
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

# The folders of macros, a file for each; `sql/queries/` and the templates are no macros.
ROOMS = ("tables", "tables/internal", "lists", "predictions", "hivemall", "hivemall/internal")


def folder() -> Traversable:
    """The folder `sql/`: inside the package when installed from a wheel, beside it in a checkout."""
    installed = files("udfs") / "sql"
    return installed if installed.is_dir() else Path(__file__).resolve().parent.parent.parent / "sql"


def read(name: str) -> str:
    """The text of one file, by its path below `sql/`."""
    return folder().joinpath(name).read_text(encoding="utf-8")


@cache
def macros() -> dict[str, str]:
    """The file of each macro, by the macro's name; a macro comes after those that it calls."""
    found = (file for room in ROOMS for file in (folder() / room).iterdir() if file.name.endswith(".sql"))
    texts = {file.name.removesuffix(".sql"): file.read_text(encoding="utf-8") for file in found}
    calls = {
        name: set(re.findall(r"\w+(?=\s*\()", code(text))) & texts.keys() - {name}
        for name, text in sorted(texts.items())
    }
    return {name: texts[name] for name in TopologicalSorter(calls).static_order()}


def code(text: str) -> str:
    """SQL without its comments, which DuckDB takes a while to skip."""
    return re.sub(r"--.*", "", text)


def literal(text: str) -> str:
    """The text as a SQL string."""
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """The name as a SQL identifier."""
    return '"' + name.replace('"', '""') + '"'
