"""Files that the command writes: complete or not at all, never in place of one that it reads."""

import os
import secrets
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ..duckdb.statements import literal
from ..evaluation.errors import DataError
from ..inputs.files import extension
from .messages import WRITABLE

COPY_OPTIONS = {
    ".parquet": "FORMAT parquet",
    ".csv": "FORMAT csv, HEADER",
    ".tsv": "FORMAT csv, HEADER, DELIMITER '\t'",
    ".json": "FORMAT json, ARRAY",
    ".jsonl": "FORMAT json",
    ".ndjson": "FORMAT json",
}


def check_outputs(outputs: Sequence[str], inputs: Sequence[str]) -> None:
    """Raise DataError if an output cannot be written, or would overwrite an input or another output."""
    for i, path in enumerate(outputs):
        folder = os.path.dirname(path) or "."
        if not os.path.isdir(folder):
            raise DataError(f"{path}: no such directory: {folder}")
        if os.path.isdir(path):
            raise DataError(f"{path}: a directory, not a file")
        for other in (*inputs, *outputs[:i]):
            if is_same(path, other):
                raise DataError(f"{path}: would overwrite {other}, which is the same file")


def is_same(one: str, other: str) -> bool:
    if os.path.exists(one) and os.path.exists(other):
        return os.path.samefile(one, other)
    return os.path.realpath(one) == os.path.realpath(other)


@contextmanager
def atomic_file(path: str) -> Iterator[str]:
    """Yield a path to write to, which replaces `path` at the end unless there was an error.

    A file that is replaced keeps its mode. A device or a pipe is written to as it is.
    """
    target = os.path.realpath(path)
    is_there = os.path.exists(path)  # a pipe's real path, `/proc/7/fd/pipe:[9]`, is not there
    if is_there and not os.path.isfile(path):
        yield path
        return
    folder, name = os.path.split(target)
    beside = os.path.join(folder, f".{secrets.token_hex(4)}.{name}")  # the extension says how to compress it
    try:
        os.close(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600 if is_there else 0o666))
        yield beside
        if is_there:
            os.chmod(beside, stat.S_IMODE(os.stat(target).st_mode))
        os.replace(beside, target)
    finally:
        if os.path.exists(beside):
            os.remove(beside)


def copy_statement(query: str, path: str, options: str = "") -> str:
    """Return the statement that writes the query's rows to a file, in the format of its extension."""
    return f"COPY (\n{query}\n) TO {literal(path)} ({COPY_OPTIONS[extension(path)]}{options})"


def write_output(path: str | None, text: str) -> None:
    """Print the text, or write it to the file."""
    if path is None:
        if sys.stdout is None:
            raise DataError("standard output is closed")
        sys.stdout.write(text)
        return
    with atomic_file(path) as beside, open(beside, "w", encoding="utf-8", errors=WRITABLE) as file:
        file.write(text)
