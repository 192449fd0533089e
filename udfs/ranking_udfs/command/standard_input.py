"""Copy standard input to a file, since it is read more than once."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from tempfile import TemporaryDirectory

import duckdb

from ..evaluation.errors import DataError, error_summary
from ..inputs.paths import STDIN
from ..inputs.tables import Inputs


@contextmanager
def with_stdin(inputs: Inputs) -> Iterator[Inputs]:
    """Yield the inputs, with standard input copied to a temporary file."""
    paths = [str(rec).rpartition("=")[2] for rec in inputs.recs]
    same = {"titles": "items", "texts": "segments"}  # tables from the same file
    paths += {same.get(name, name): path for name, (path, _) in inputs.other_tables.items()}.values()
    if STDIN not in paths:
        yield inputs
        return
    if paths.count(STDIN) > 1:
        raise DataError("-: standard input can be read once, got it twice")
    if sys.stdin is None:
        raise DataError("-: standard input is closed")
    with TemporaryDirectory() as folder:
        head = sys.stdin.buffer.read(64)
        path = os.path.join(folder, f"stdin{format_of(head)}")
        with open(path, "wb") as file:
            file.write(head)
            shutil.copyfileobj(sys.stdin.buffer, file)
        try:
            yield replace(inputs, stdin=path)
        except duckdb.Error as error:
            if path not in str(error):
                raise
            raise DataError(error_summary(error).replace(path, STDIN)) from None


def format_of(head: bytes) -> str:
    """Return the extension of a file that begins with these bytes."""
    for magic, ending in ((b"PAR1", ".parquet"), (b"\x1f\x8b", ".csv.gz"), (b"(\xb5/\xfd", ".csv.zst")):
        if head.startswith(magic):
            return ending
    return ".json" if head.lstrip()[:1] in (b"{", b"[") else ".csv"
