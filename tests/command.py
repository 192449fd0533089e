"""Run the command in this process, on one connection, and write small files for it."""

import io
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ranking_udfs.command import commands, session
from ranking_udfs.command.cli import main

ROOT = Path(__file__).resolve().parent.parent
Run = Callable[..., str]
Fails = Callable[..., str]

NDCG_VALUES = [0.7039180890341349, 0.6131471927654585]  # the documents' NDCG at 4 and at 2
NDCG = ["-m", "ndcg", "--no-check"]  # a fast evaluation, where numbers are not the subject


REC = "userid,itemid,score\n" + "".join(
    f"{user},{item},{score}\n"
    for user in (1, 2, 3)
    for item, score in ((1, 10.0), (3, 8.0), (2, 6.0), (6, 2.0))
)


TRUTH = "userid,itemid\n" + "".join(f"{user},{item}\n" for user in (1, 2, 3) for item in (1, 2, 4))


@contextmanager
def one_connection() -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a connection for many runs of the command, since to register takes longer than most of them."""
    with session.connect({}) as connection:
        yield connection.execute("SET autoinstall_known_extensions = false")  # from a network


def connect_on(con: duckdb.DuckDBPyConnection, patch: pytest.MonkeyPatch) -> None:
    """Run the command on this connection if it needs functions, but no settings and no database."""

    def connected(
        settings: Mapping[str, Any], database: str | None = None, has_functions: bool = True
    ) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        if any(settings.values()) or database or not has_functions:
            return session.connect(settings, database, has_functions)
        return nullcontext(emptied(con))

    patch.setattr(commands, "connect", connected)


@pytest.fixture(scope="session")
def of_command() -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield the connection that the tests of the command share."""
    with one_connection() as connection:
        yield connection


@pytest.fixture
def registered(of_command: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the command on the shared connection."""
    connect_on(of_command, monkeypatch)


def emptied(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Drop what an evaluation left on the connection, and return it."""
    for kind in ("table", "view"):
        query = f"SELECT {kind}_name FROM duckdb_{kind}s() WHERE temporary AND NOT internal"
        for (name,) in con.execute(query).fetchall():
            con.execute(f'DROP {kind} "{name}"')
    return con


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with the documents' rows as rec.csv and truth.csv."""
    monkeypatch.chdir(tmp_path)
    write_documents()
    return tmp_path


def write_documents() -> None:
    Path("rec.csv").write_text(REC)
    Path("truth.csv").write_text(TRUTH)


# For each of ten users, the rank of the one relevant item in a model; bert has no list for the last two.
RANKS = {"als": [1] * 4 + [2] * 6, "bert": [1] * 8, "pop": [4] * 10}


def csv(name: str, header: str, *rows: str) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text("\n".join([header, *rows]) + "\n")


@pytest.fixture
def models(registered: None, folder: Path) -> None:
    """Work with the files of `write_models`."""
    write_models()


def write_models() -> None:
    """Write three models of ten users, what is relevant to these, and their segments."""
    for name, ranks in RANKS.items():
        rows = (
            f"{u},{0 if at == rank else at + 10 * (u % 2)},{-at}"
            for u, rank in enumerate(ranks)
            for at in range(1, 5)
        )
        csv(f"{name}.csv", "userid,itemid,score", *rows)
    csv("relevant.csv", "userid,itemid", *(f"{user},0" for user in range(10)))
    csv("users.csv", "userid,country", *(f"{u},{'SE' if u < 5 else 'NO'}" for u in range(10)))


@pytest.fixture
def run(registered: None, folder: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command; return what it printed, and fail if it failed or said anything else."""

    def run_it(*arguments: str) -> str:
        code = main(list(arguments))
        out, err = capsys.readouterr()
        assert (code, err) == (0, "")
        return out

    return run_it


@pytest.fixture
def fails(registered: None, folder: Path, capsys: pytest.CaptureFixture[str]) -> Fails:
    """Run the command that fails; return its one line of error."""

    def run_it(code: int, *arguments: str) -> str:
        assert main(list(arguments)) == code
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("ranking-udfs: error: ")
        assert err.count("\n") == 1
        assert err.endswith("\n")
        return err.removeprefix("ranking-udfs: error: ").strip()

    return run_it


def evaluated(run: Run, *arguments: str) -> list[dict[str, Any]]:
    """Return the report as a list of rows."""
    rows: list[dict[str, Any]] = json.loads(run("evaluate", *arguments, "--format", "json"))
    return rows


def as_shell(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a process of its own."""
    command = [sys.executable, "-m", "ranking_udfs", *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def write(name: str, query: str) -> None:
    """Write the rows of a query, which may read files, to a file."""
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    duckdb.execute(f"COPY ({query}) TO '{name}'")


def table(name: str, header: str, *given: tuple[str, ...], fill: int = 0) -> None:
    """Write a CSV or JSON file, with the cells as they are given, behind so many rows that fill it."""
    names = header.split(",")
    rows = [*[("0", "0", "0")[: len(names)]] * fill, *given]
    if name.endswith("csv"):
        text = "".join(f"{','.join(row)}\n" for row in [names, *rows])
    else:
        objects = (", ".join(f'"{n}": {cell}' for n, cell in zip(names, row, strict=True)) for row in rows)
        text = "".join(f"{{{one}}}\n" for one in objects)
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text)


LATE = 21_000  # rows; DuckDB looks at 20,480


HUGE = (str(2**65), str(2**65 + 1))  # one DOUBLE


def stdin(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


@pytest.fixture
def worse(folder: Path) -> str:
    """Write a model that finds less than rec.csv, and return its name."""
    Path("worse.csv").write_text("userid,itemid,score\n1,9,2\n1,1,1\n")
    return "worse.csv"


FORGED = "7\x1b[2J\x9b1m\r\nranking-udfs: error: forged\u2028\u202e\u2066\x7f\x00"[:-1]
