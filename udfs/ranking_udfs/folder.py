"""The folder `sql/`: in a wheel, an editable install and a checkout. Every package may import this."""

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path


@cache
def folder() -> Traversable:
    """The folder `sql/`: inside the package when installed from a wheel, beside it in a checkout."""
    installed = files("ranking_udfs") / "sql"
    return installed if installed.is_dir() else Path(__file__).resolve().parents[2] / "sql"


def read(name: str) -> str:
    """The text of one file, by its path below `sql/`."""
    return folder().joinpath(name).read_text(encoding="utf-8")
