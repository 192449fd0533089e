"""Load compiled templates. A wheel contains them; otherwise Jinja2 caches them in `__pycache__`."""

import contextlib
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryFile

import jinja2

from ..folder import folder

JINJA = ""
with contextlib.suppress(ImportError):  # Jinja2 has no metadata.
    JINJA = version("jinja2")
# The folder in a wheel. Templates compiled by one minor version of Jinja2 may not run on another version.
FOLDER = f"compiled/{'.'.join(JINJA.split('.')[:2])}"


def loader(source: Callable[[str], str]) -> jinja2.BaseLoader:
    """Return a loader for the compiled templates of a wheel, and for all others from source."""
    compiled = jinja2.ModuleLoader(str(folder() / FOLDER))
    return jinja2.ChoiceLoader([compiled, jinja2.FunctionLoader(source)])


def bytecode_cache() -> jinja2.FileSystemBytecodeCache | None:
    """Return the cache of a checkout, or None in a wheel and where no file can be written."""
    cached = getattr(__spec__, "cached", None)
    if not cached or sys.dont_write_bytecode or (folder() / FOLDER).is_dir():
        return None
    directory = Path(cached).parent
    try:
        directory.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=directory).close()
    except OSError:
        return None
    return jinja2.FileSystemBytecodeCache(str(directory), f"%s.jinja-{JINJA}.{sys.implementation.cache_tag}")
