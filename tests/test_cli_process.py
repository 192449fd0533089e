"""Test the process of the command: help, exit codes, Ctrl-C, pipes, consoles, completion, progress."""

import io
import json
import os
import platform
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import ranking_udfs
from ranking_udfs.command import commands, session
from ranking_udfs.command.cli import main
from ranking_udfs.command.messages import say
from ranking_udfs.command.options import COMMANDS, SHORT, names_of
from ranking_udfs.measures.registry import MEASURES
from tests.command import ROOT, Run
from tests.conftest import Captured, Patch

pytestmark = [pytest.mark.usefixtures("registered", "folder")]


def test_version_and_help(run: Run) -> None:
    libraries = ", ".join(f"{library.__name__} {library.__version__}" for library in (duckdb, pa, np))
    python = f"Python {platform.python_version()}, {libraries}, {platform.platform()}"
    assert run("--version") == f"ranking-udfs {ranking_udfs.__version__} ({python})\n"
    assert "REC [REC]... TRUTH" in run("evaluate", "--help")


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_has_every_option_and_valid_examples(run: Run, command: str, monkeypatch: Patch) -> None:
    """Only the arguments of the examples are parsed, since most of their files do not exist."""
    text = run(*command.split(), "--help")
    assert max(map(len, text.splitlines())) <= 80
    if not command:
        assert all(f"  {name} " in text for name in COMMANDS)
        return
    for name in names_of(command):
        assert f"{SHORT.get(name, '--' + name.replace('_', '-'))}" in text
    examples = text.partition("examples:\n")[2].splitlines()
    read: list[str] = []

    def run_command(parsed: Any) -> int:
        read.append(parsed.command)
        return 0

    monkeypatch.setattr(commands, "run_command", run_command)
    for line in examples:
        assert main(shlex.split(re.split(r" [|>#] ", line)[0])[1:]) == 0
    assert read == [command] * len(read) != []  # `sql --pack` is not a run


def test_the_pages_of_the_command_name_every_option() -> None:
    pages = ("udfs/ranking_udfs/command/README.md", "examples/ci.md", "examples/report.md")
    page = "".join((ROOT / page).read_text(encoding="utf-8") for page in pages)
    named = {*re.findall(r"(?<![\w-])--?[a-z][a-z-]*", page)}
    every = {name for command in COMMANDS for name in names_of(command)}
    assert {"-k" if name == "ks" else f"--{name.replace('_', '-')}" for name in every} <= named


def test_shells_complete_commands_options_measures_and_files(
    folder: Path, monkeypatch: Patch, capsys: Captured
) -> None:
    """The script for a shell comes from click."""
    monkeypatch.setenv("_RANKING_UDFS_COMPLETE", "bash_complete")
    for line, completion in {
        "ev": "plain,evaluate",
        "evaluate --meas": "plain,--measures",
        "evaluate -m recall,nd": "plain,recall,ndcg",
        "evaluate re": "file,re",
        "measures kend": "plain,kendall_tau",
        "compare --ties ex": "plain,expected",
    }.items():
        monkeypatch.setenv("COMP_WORDS", f"ranking-udfs {line}")
        monkeypatch.setenv("COMP_CWORD", str(len(line.split())))
        with pytest.raises(SystemExit):
            main([])
        assert completion in capsys.readouterr().out.splitlines(), line


@pytest.mark.parametrize(
    "arguments",
    [
        f"evaluate -m {','.join(name for name, measure in MEASURES.items() if measure.column)} a=rec.csv",
        "evaluate -m mrr,recall rec.csv --ties expected --segment users.csv:age",
        "compare a=rec.csv b=worse.csv --test randomization --segment users.csv:age",
    ],
)
def test_a_connection_gets_every_function_it_needs(
    run: Run, worse: str, monkeypatch: Patch, arguments: str
) -> None:
    """Other tests share a connection with all functions, so they would not find a missing one."""
    Path("users.csv").write_text("userid,age\n1,30\n2,40\n")
    call = [*arguments.split(), "truth.csv", "--no-check"]
    expected = run(*call)
    monkeypatch.setattr(commands, "connect", session.connect)
    assert run(*call) == expected


@pytest.mark.parametrize(
    "interrupt",
    [
        KeyboardInterrupt(),
        duckdb.InterruptException("INTERRUPT Error: Interrupted!"),
        RuntimeError("Query interrupted"),
        duckdb.InvalidInputException(
            "Python exception occurred while executing the UDF: KeyboardInterrupt: "
        ),
    ],
)
def test_ctrl_c_exits_130(monkeypatch: Patch, capsys: Captured, interrupt: BaseException) -> None:
    monkeypatch.setattr(commands, "keep", raising(interrupt))
    assert main(["evaluate", "rec.csv", "truth.csv", "--no-check", "--output", "report.txt"]) == 130
    assert capsys.readouterr() == ("", "")
    assert not Path("report.txt").exists()


def raising(error: BaseException) -> Callable[..., None]:
    """Return a function that raises the error."""

    def raise_it(*_: object) -> None:
        raise error

    return raise_it


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments", ["--help", "functions --format json"]
)  # less and more than a buffer of output
def test_a_closed_pipe_is_no_error(arguments: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "ranking_udfs", *arguments.split()]
    environment = {**os.environ, "PYTHONUNBUFFERED": ""}
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, env=environment)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("redirection", "error"),
    [(">/dev/full", "[Errno 28] No space left on device"), (">&-", "standard output is closed")],
)
def test_output_that_cannot_be_printed_is_an_error(redirection: str, error: str) -> None:
    command = f"{sys.executable} -m ranking_udfs measures {redirection}"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, f"ranking-udfs: error: {error}\n")


def test_ctrl_c_while_importing_ends_the_process_without_a_traceback() -> None:
    code = (
        "import builtins, os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # the test runner may ignore it
        "sys.argv = ['ranking-udfs', 'measures']\n"
        "def pressed(name, *rest, imported=builtins.__import__):\n"
        "    if name == 'duckdb': os.kill(os.getpid(), signal.SIGINT)\n"
        "    return imported(name, *rest)\n"
        "builtins.__import__ = pressed\n"
        "from ranking_udfs.__main__ import main\n"
        "sys.exit(main())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


def test_a_console_without_utf_8_gets_escapes(monkeypatch: Patch, worse: str) -> None:
    """Characters that the encoding lacks become escapes, which JSON can read."""
    arguments = [f"b={worse}", "ü😀=rec.csv", "truth.csv", "-m", "hits", "-q", "--confidence", "0.7"]
    printed = {}
    for encoding, form in (("ascii", "table"), ("ascii", "json"), ("cp1252", "table")):
        stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
        monkeypatch.setattr(sys, "stdout", stream)
        assert main(["compare", *arguments, "--format", form]) == 0
        printed[encoding, form] = stream.buffer.getvalue().decode(encoding)
    assert json.loads(printed["ascii", "json"])[0]["system"] == "ü😀"
    assert re.search(r"\nHits@10 +\\u00fc\\ud83d\\ude00 - b +2 ", printed["ascii", "table"])
    assert re.search(r"\nHits@10 +ü\\ud83d\\ude00 - b +2 +0.3333 +\+1.67 ± 0", printed["cp1252", "table"])


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Connection:
    """Fake a connection whose query advances, has no progress and starts again."""

    def __init__(self) -> None:
        self.percents = [-1, 50, -1, 20, 50, *[30] * 1_000]
        self.has_begun = False

    def execute(self, _: str) -> None:
        pass

    def query_progress(self) -> float:
        return self.percents.pop(0) if self.has_begun else -1


@pytest.mark.parametrize(("is_terminal", "quiet"), [(True, False), (True, True), (False, False)])
def test_progress_is_shown_only_on_terminals_and_never_decreases(
    monkeypatch: Patch, is_terminal: bool, quiet: bool
) -> None:
    stream, con = Terminal() if is_terminal else io.StringIO(), Connection()
    monkeypatch.setattr(session, "PROGRESS_SECONDS", 0.001)
    monkeypatch.setattr(sys, "stderr", stream)
    with session.progress(con, 2, quiet) as step:
        step("reading")
        con.has_begun = True  # on a busy machine, the bar might read the query before the step
        while is_terminal and not quiet and len(con.percents) > 994:
            pass
        step("measuring")
        say("note", "aside")
    shown = [part for part in stream.getvalue().split("\r") if part.strip()]
    if not is_terminal or quiet:
        assert shown == ["ranking-udfs: note: aside\n"]
        return
    shares = [int(share) for share in re.findall(r"(\d+) %", stream.getvalue())]
    assert shares == sorted(shares)
    assert {25, 50} <= {*shares}
    assert any(part.startswith("reading ") for part in shown)
    (note,) = (part for part in shown if part.startswith("ranking-udfs"))
    assert note.count("\n") == 1
    assert shown[-1].startswith("measuring ")
    assert stream.getvalue().endswith("\r")
