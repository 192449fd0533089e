"""The SQL of the pack: the files in `sql/`, found from a wheel, an editable install and a plain checkout."""

import re
from functools import cache
from graphlib import TopologicalSorter
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path


def folder() -> Traversable:
    """The folder `sql/`: inside the package when installed from a wheel, beside it in a checkout."""
    installed = files("udfs") / "sql"
    return installed if installed.is_dir() else Path(__file__).resolve().parent.parent / "sql"


def read(name: str) -> str:
    """The text of one file, by its path below `sql/`."""
    return folder().joinpath(name).read_text(encoding="utf-8")


@cache
def macros() -> dict[str, str]:
    """The statement that creates each macro, by the macro's name; a macro comes after those that it calls."""
    names = [file.name.removesuffix(".sql") for file in (folder() / "macros").iterdir()]
    texts = {name: read(f"macros/{name}.sql") for name in sorted(names)}
    code = {name: re.sub(r"--.*", "", text) for name, text in texts.items()}
    calls = {name: set(re.findall(r"\w+(?=\s*\()", code[name])) & texts.keys() - {name} for name in texts}
    return {name: texts[name] for name in TopologicalSorter(calls).static_order()}
