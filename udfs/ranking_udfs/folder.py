"""Read the folder `sql/` of a wheel, an editable install or a checkout. Every package may import this."""

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path


@cache
def folder() -> Traversable:
    """Return the folder `sql/`: inside the package if installed from a wheel, next to it in a checkout."""
    installed = files("ranking_udfs") / "sql"
    return installed if installed.is_dir() else Path(__file__).resolve().parents[2] / "sql"


def read(name: str) -> str:
    """Read a file by its path below `sql/`."""
    return folder().joinpath(name).read_text(encoding="utf-8")
