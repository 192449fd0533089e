"""Test interrupts, too little memory, killed processes and forks."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from tests import stress

pytestmark = pytest.mark.slow

SECONDS = 2.0  # the longest time for an interrupt
STARTED = 0.6  # seconds of processor time before the command's first query


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write rec/*.parquet (ten million rows, one file under many names), rec.parquet and truth.parquet.

    crowd.parquet is a truth with many users, so that a file with a row for each takes a while.
    """
    folder = tmp_path_factory.mktemp("data")
    (folder / "rec").mkdir()
    for name, columns in {
        "rec": "i // 5 AS userid, i % 101 AS itemid, hash(i) % 100 AS score FROM range(500000) t(i)",
        "truth": "i // 2 AS userid, i % 103 AS itemid FROM range(200000) t(i)",
        "crowd": "i AS userid, i % 103 AS itemid FROM range(400000) t(i)",
    }.items():
        duckdb.execute(f"COPY (SELECT {columns}) TO '{folder / name}.parquet'")
    for i in range(20):
        os.link(folder / "rec.parquet", folder / "rec" / f"{i}.parquet")
    return folder


START = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # the test runner may ignore it
signal.signal(signal.SIGTERM, signal.SIG_DFL)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
from ranking_udfs.__main__ import main
sys.exit(main())
"""


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start the command as a process."""
    pipe, command = subprocess.PIPE, [sys.executable, "-c", START, *arguments]
    return subprocess.Popen(command, cwd=folder, text=True, stdout=pipe, stderr=pipe)


def used(process: subprocess.Popen[str]) -> float:
    """Return the seconds of processor time that a running process has used."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_for(true: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Wait until the condition is true, and fail if the process ends before."""
    until = time.monotonic() + 60
    while not true():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.005)


@pytest.mark.parametrize("kind", stress.EVALUATIONS)
def test_an_interrupt_ends_an_evaluation_and_keeps_the_connection(
    kind: str,
) -> None:
    took, raised = stress.interrupt(100_000_000, 0.5, kind)
    assert isinstance(raised, duckdb.InterruptException)
    assert 0 <= took < SECONDS


def test_ctrl_c_ends_the_command_with_130_within_2_seconds(data: Path) -> None:
    process = start(data, "evaluate", "rec/*.parquet", "truth.parquet", "--output", "report.txt")
    wait_for(lambda: used(process) > STARTED + 0.5, process)
    asked = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert time.monotonic() - asked < SECONDS
    assert (process.returncode, out) == (130, "")
    assert all(line.startswith("ranking-udfs: note: ") for line in err.splitlines())
    assert {path.name for path in data.iterdir()} == {"crowd.parquet", "rec", "rec.parquet", "truth.parquet"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_signal_during_writing_keeps_the_previous_file(
    data: Path, tmp_path: Path, number: signal.Signals
) -> None:
    target = tmp_path / "users.csv"
    target.write_text("what was there before")
    files = str(data / "rec.parquet"), str(data / "crowd.parquet")
    process = start(tmp_path, "evaluate", *files, "--no-check", "--by-user", target.name)
    wait_for(lambda: any(path.stat().st_size for path in tmp_path.iterdir() if path != target), process)
    process.send_signal(number)
    printed = process.communicate(timeout=60)
    if number == signal.SIGKILL:
        assert process.returncode == -number
    else:
        assert (process.returncode, printed) == (128 + number, ("", ""))
        assert list(tmp_path.iterdir()) == [target]
    assert target.read_text() == "what was there before"


def test_the_command_reports_too_little_memory_in_one_line(data: Path, tmp_path: Path) -> None:
    files = str(data / "rec" / "*.parquet"), str(data / "truth.parquet")
    process = start(tmp_path, "evaluate", *files, "--memory-limit", "30MB", "--output", "report.txt")
    out, err = process.communicate(timeout=120)
    assert (process.returncode, out) == (1, "")
    assert err.startswith("ranking-udfs: error: ")
    assert "emory" in err
    assert err.count("\n") == 1
    assert not (tmp_path / "report.txt").exists()


POOL = """
import multiprocessing
import duckdb, ranking_udfs
from ranking_udfs.duckdb import functions

def work(k):
    with duckdb.connect() as con:
        ranking_udfs.register(con)
        query = f"SELECT sum(recall([u, 1], [u % 2, 7], {k})) FROM range(300000) t(u)"
        return con.execute(query).fetchone()[0]

if __name__ == "__main__":
    con = ranking_udfs.register(duckdb.connect())
    con.execute("SELECT avg(recall([u], [u % 2])) FROM range(300000) t(u)").fetchall()
    with functions.LOCK, multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(work, range(1, 4)) == [1.5, 75001.0, 75001.0]
    assert con.execute("SELECT recall([1, 3], [1, 2])").fetchall() == [(0.5,)]
"""


def test_processes_forked_while_a_thread_registers_work(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(POOL)
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
