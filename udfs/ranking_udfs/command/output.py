"""Write the files of the command; refuse to overwrite a file that it reads."""

import os
import sys
from collections.abc import Sequence

import duckdb

from ..evaluation.errors import DataError
from ..inputs.files import extension
from ..inputs.manifest import METADATA
from ..quoting import literal
from ..texts import printable
from ..writing import atomic_file
from .messages import WRITABLE
from .values import COPY_OPTIONS, TREC

LINES = {TREC: "FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '\t'"}  # lines without any quoting


def check_outputs(outputs: Sequence[str], inputs: Sequence[str]) -> None:
    """Raise DataError if an output cannot be written, or would overwrite an input or another output."""
    for i, path in enumerate(outputs):
        folder = os.path.dirname(path) or "."
        if not os.path.isdir(folder):
            raise DataError(f"{path}: no such directory: {folder}")
        if os.path.isdir(path):
            raise DataError(f"{path}: a directory, not a file")
        if os.path.isfile(path) or not os.path.exists(path):  # devices and pipes need no folder
            check_folder(os.path.dirname(os.path.realpath(path)))
        for other in (*inputs, *outputs[:i]):
            if is_same(path, other):
                raise DataError(f"{path}: would overwrite {other}; both are the same file")


def check_folder(path: str) -> None:
    """Raise DataError if files cannot be written to the folder; it need not exist yet."""
    there = os.path.abspath(path)
    while not os.path.exists(there):
        there = os.path.dirname(there)
    if not os.path.isdir(there):
        raise DataError(f"{os.path.relpath(there)}: a file, not a directory")
    if not os.access(there, os.W_OK):
        raise DataError(f"{there}: no permission to write there")


def is_same(path: str, other: str) -> bool:
    if os.path.exists(path) and os.path.exists(other):
        return os.path.samefile(path, other)
    return os.path.realpath(path) == os.path.realpath(other)


def is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def copy_statement(query: str, path: str, options: str = "", manifest: str = "") -> str:
    """Return the COPY statement that writes the rows of a query in the format of the file's extension."""
    if manifest and extension(path) == ".parquet":
        options += f", KV_METADATA {{{METADATA}: {literal(manifest)}}}"
    return f"COPY (\n{query}\n) TO {literal(path)} ({(COPY_OPTIONS | LINES)[extension(path)]}{options})"


def write_rows(con: duckdb.DuckDBPyConnection, query: str, path: str, manifest: str = "") -> None:
    """Write the rows of a query to a file, atomically."""
    with atomic_file(path) as temporary:
        con.execute(copy_statement(query, temporary, ", USE_TMP_FILE false", manifest))


def write_output(path: str | None, text: str | bytes) -> None:
    """Print the text, or write it to the file."""
    if path is None:
        text = text if isinstance(text, str) else text.decode()
        if sys.stdout is None:
            raise DataError("standard output is closed")
        if is_terminal():  # a terminal would execute escape sequences in names
            text = "".join(f"{printable(line)}\n" for line in text.splitlines())
        sys.stdout.write(text)
        return
    with atomic_file(path) as temporary, open(temporary, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode(errors=WRITABLE))
