"""Load compiled templates. A wheel contains them; otherwise they are cached in `__pycache__`."""

import contextlib
import hashlib
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import jinja2
from jinja2.bccache import Bucket

from ..folder import folder
from ..kept import cache_path, keep, stamp

# The folder in a wheel. Templates compiled by one minor version of Jinja2 may not run on another version.
FOLDER = "compiled"
with contextlib.suppress(ImportError):  # Jinja2 has no metadata.
    FOLDER += f"/{'.'.join(version('jinja2').split('.')[:2])}"
COMPILER = ""
with contextlib.suppress(OSError):  # Jinja2 is in a zip file.
    COMPILER = stamp([Path(jinja2.__file__).parent])


def loader(source: Callable[[str], str]) -> jinja2.BaseLoader:
    """Return a loader for the compiled templates of a wheel, and for all others from source."""
    compiled = jinja2.ModuleLoader(str(folder() / FOLDER))
    return jinja2.ChoiceLoader([compiled, jinja2.FunctionLoader(source)])


class Kept(jinja2.BytecodeCache):
    """A cache with a bytecode file per template. The file name depends on the source and on Jinja2's code."""

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        return f"{name.replace('/', '.')}.{sys.implementation.cache_tag}"

    def load_bytecode(self, bucket: Bucket) -> None:
        with contextlib.suppress(OSError):
            content = path_of(bucket).read_bytes()
            if hashlib.sha256(content[32:]).digest() == content[:32]:  # skip a damaged file
                bucket.bytecode_from_string(content[32:])

    def dump_bytecode(self, bucket: Bucket) -> None:
        code = bucket.bytecode_to_string()
        with contextlib.suppress(OSError):
            content = hashlib.sha256(code).digest() + code
            keep(path_of(bucket), bucket.key, lambda file: file.write_bytes(content))


def path_of(bucket: Bucket) -> Path:
    """Return the path of a cached file; OSError if no file can be cached."""
    path = cache_path(bucket.key, f"{bucket.checksum[:16]}-{COMPILER}", ".template") if COMPILER else None
    if path is None:
        raise OSError("no file can be kept")
    return path
