"""Files made of the pack's SQL, kept in `__pycache__` beside the package, as Python keeps compiled modules.

Where a file cannot be written or read, its content is made anew in each process, without a warning.
"""

import contextlib
import hashlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from importlib.util import cache_from_source
from pathlib import Path

from .version import __version__


def stamp(folders: Iterable[Path]) -> str:
    """Return a text that changes with the files of these folders: of their names, sizes and times."""
    files = [(file.name, file.stat()) for folder in folders for file in os.scandir(folder) if file.is_file()]
    found = sorted((name, stat.st_size, stat.st_mtime_ns) for name, stat in files)
    return hashlib.sha256(repr(found).encode()).hexdigest()[:16]


try:  # at import, lest a process that outlives an upgrade keep what its older code makes as the newer code's
    CODE = stamp(Path(__file__).parent / name for name in ("", "compose", "duckdb", "measures"))
except OSError:  # in a zip file
    CODE = ""


def place(prefix: str, source: str, suffix: str) -> Path | None:
    """Return the path of a kept file, or None where none can be kept."""
    if not (CODE and source and sys.implementation.cache_tag):
        return None
    folder = Path(cache_from_source(__file__)).absolute().parent
    return folder / f"{prefix}-{__version__}-{CODE}-{source}{suffix}"


def keep(path: Path, prefix: str, write: Callable[[Path], object]) -> None:
    """Write a file that others see whole or not at all, and remove older ones; OSError where that fails."""
    if sys.dont_write_bytecode:
        raise OSError("sys.dont_write_bytecode")
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, ignore_cleanup_errors=True) as folder:
        write(Path(folder) / path.name)
        os.replace(Path(folder) / path.name, path)
    for old in path.parent.glob(f"{prefix}-*{path.suffix}"):
        if old != path:
            with contextlib.suppress(OSError):  # Windows removes no open file
                old.unlink()
