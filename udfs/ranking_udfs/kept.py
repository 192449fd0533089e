"""Cache files made from the SQL in `__pycache__` next to the package, as Python caches compiled modules.

If a file cannot be written or read, each process builds its content again, without a warning.
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
    """Return a hash of the names, sizes and times of the files in these folders."""
    files = [(file.name, file.stat()) for folder in folders for file in os.scandir(folder) if file.is_file()]
    entries = sorted((name, stat.st_size, stat.st_mtime_ns) for name, stat in files)
    return hashlib.sha256(repr(entries).encode()).hexdigest()[:16]


try:  # At import: after an upgrade, an older process must not cache files under the new stamp.
    CODE = stamp(Path(__file__).parent / name for name in ("", "compose", "duckdb", "measures"))
except OSError:  # The package is in a zip file.
    CODE = ""


def cache_path(prefix: str, source: str, suffix: str) -> Path | None:
    """Return the path of a cached file, or None if no file can be cached."""
    if not (CODE and source and sys.implementation.cache_tag):
        return None
    folder = Path(cache_from_source(__file__)).absolute().parent
    return folder / f"{prefix}-{__version__}-{CODE}-{source}{suffix}"


def keep(path: Path, prefix: str, write: Callable[[Path], object]) -> None:
    """Write a cached file in one step, and remove older ones; OSError if that fails."""
    if sys.dont_write_bytecode:
        raise OSError("sys.dont_write_bytecode")
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, ignore_cleanup_errors=True) as folder:
        write(Path(folder) / path.name)
        os.replace(Path(folder) / path.name, path)
    for old in path.parent.glob(f"{prefix}-*{path.suffix}"):
        if old != path:
            with contextlib.suppress(OSError):  # Windows does not remove open files.
                old.unlink()
