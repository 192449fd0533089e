"""Test behavior of Windows and macOS that can be simulated; CONTRIBUTING.md lists the rest."""

import ntpath
import pickle
import subprocess
import sys
from types import SimpleNamespace

import duckdb
import pyarrow as pa
import pytest

import ranking_udfs
from ranking_udfs.command import values
from ranking_udfs.inputs import tables
from ranking_udfs.inputs.catalogs import Catalog
from tests.test_portable import SCRIPT, TABLES, USERS


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let modules read the paths of arguments as on Windows."""
    for module in (values, tables):
        monkeypatch.setattr(module, "os", SimpleNamespace(path=ntpath, sep="\\"))


@pytest.mark.usefixtures("windows")
def test_a_drives_colon_is_part_of_the_path(bare: duckdb.DuckDBPyConnection) -> None:
    for text, expected in {
        r"als=C:\als.csv": ("als", r"C:\als.csv", None),
        r"als=C:\als.csv:ascending": ("als", r"C:\als.csv", False),
        "als=C:/als.csv:descending": ("als", "C:/als.csv", True),
        **{path: ("", path, None) for path in (r"C:\als.csv", r"C:\run=1\als.csv", "C:/run=1/als.csv")},
        r"\\server\run=1\als.csv": ("", r"\\server\run=1\als.csv", None),
    }.items():
        assert tables.name_and_path(bare, text, Catalog()) == expected
    assert values.parse_segment(r"C:\data\users.csv:segment") == (r"C:\data\users.csv", "segment")
    with pytest.raises(ValueError, match="must be FILE:COLUMN"):
        values.parse_segment(r"C:\data\users.csv")


def test_the_script_may_have_windows_line_endings(bare: duckdb.DuckDBPyConnection) -> None:
    bare.execute(SCRIPT.read_text(encoding="utf-8").replace("\n", "\r\n")).execute(TABLES)
    assert bare.execute(USERS).fetchall() == [([7, 8, 9],)]


WORK = """
import pickle, sys
part, *tables = pickle.load(sys.stdin.buffer)
pickle.dump(part(*tables), sys.stdout.buffer)
"""


@pytest.mark.slow
def test_a_spawned_process_evaluates_a_partition() -> None:
    """A new process, as on Windows and macOS, gets its work pickled."""
    rec = pa.table({"userid": [1, 1], "itemid": [5, 6], "score": [2.0, 1.0]})
    truth = pa.table({"userid": [1], "itemid": [6]})
    job = ranking_udfs.partition("evaluate", rec.schema, truth.schema, ["mrr@2"])
    work = pickle.dumps((job.part, rec, truth))
    done = subprocess.run([sys.executable, "-c", WORK], input=work, capture_output=True, check=True)
    assert job.merge(pickle.loads(done.stdout)).to_pylist()[0]["mrr"] == 1 / 2
