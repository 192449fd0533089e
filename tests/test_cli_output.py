"""The command writes text, CSV, JSON, HTML and values of each user, to files that are whole or not there."""

import csv
import io
import json
import os
import re
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ranking_udfs.command import tables
from tests.command import NDCG, NDCG_VALUES, Fails, Run, as_shell, table
from tests.conftest import Patch

FORMULAS = ["=1+1", "+1", "-1", "@x", "\tx", "\rx"]


def test_only_safe_csv_quotes_formulas(run: Run) -> None:
    quoted = [f'"{text}"' for text in [*FORMULAS, "a=1"]]
    table("rec.csv", "userid,itemid,score,system", *((text, "1", "1", text) for text in quoted))
    table("truth.csv", "userid,itemid", *((text, "1") for text in quoted))
    table("users.csv", "userid,segment", *((text, text) for text in quoted))
    arguments = ["evaluate", "rec.csv", "truth.csv", "--segment", "users.csv:segment", "--no-check"]
    arguments += ["--measures", "mrr", "--format", "csv", "--by-user"]
    for more, quote in (([], ""), (["--safe-csv"], "'")):
        expected = {*(f"{quote}{text}" for text in FORMULAS), "a=1"}
        rows = list(csv.DictReader(io.StringIO(run(*arguments, "by.tsv", *more), newline="")))
        assert {row["system"] for row in rows} == expected
        assert {row["segment"] for row in rows} == expected | {"(all)"}
        with open("by.tsv", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
        assert {row["system"] for row in rows} == {row["userid"] for row in rows} == expected
    run(*arguments, "by.json", "--safe-csv")
    assert {row["userid"] for row in json.loads(Path("by.json").read_text())} == {*FORMULAS, "a=1"}


def test_a_terminal_shows_four_digits_or_as_many_as_asked(run: Run, monkeypatch: Patch) -> None:
    """Other formats, files and programs get all digits, as tests/transcripts/ shows."""
    monkeypatch.setattr(tables, "is_terminal", lambda: True)
    arguments = ["evaluate", "rec.csv", "truth.csv", "-k", "4", "-m", "ndcg,mrr", "--no-check"]
    assert re.search(r"\nNDCG +0.7039\nMRR +1\s", run(*arguments))
    assert re.search(r"\nNDCG +0.7\n", run(*arguments, "--digits", "2"))
    in_json = json.loads(run(*arguments, "--format", "json"))[0]["ndcg"]
    run(*arguments, "--output", "means.txt")
    (in_file,) = re.findall(r"^NDCG +(\S+)$", Path("means.txt").read_text(), re.MULTILINE)
    assert [in_json, float(in_file)] == pytest.approx([NDCG_VALUES[0]] * 2, rel=1e-12)


@pytest.mark.usefixtures("models")
def test_html_has_the_cells_of_markdown(run: Run) -> None:
    arguments = ["compare", "als=als.csv", "bert=bert.csv", "relevant.csv", "-m", "mrr", "-q", "--format"]
    html = run(*arguments, "html", "--segment", "users.csv:country")
    assert html.startswith("<!doctype html>")
    assert html.endswith("</html>\n")
    html_rows = re.findall("<tr>(.*?)</tr>", html)
    cells = [[cell.strip() for cell in re.findall("<t[hd]>(.*?)</t[hd]>", row)] for row in html_rows]
    markdown = run(*arguments, "markdown", "--segment", "users.csv:country").splitlines()
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in markdown if row.startswith("| ")]
    assert len(cells) > 10
    assert sorted(cells) == sorted(rows)


def test_csv_has_no_escape_codes_on_a_terminal(run: Run, monkeypatch: Patch) -> None:
    arguments = ["evaluate", "\x1b[31mred=rec.csv", "truth.csv", "--format", "csv", *NDCG]
    assert "\n\x1b[31mred,10," in run(*arguments)  # files and programs get the data as they are
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert "\n [31mred,10," in run(*arguments)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "option", "file"),
    [
        ("evaluate", "--output", "means.md"),
        ("evaluate", "--by-user", "by.csv"),
        ("report", "--output", "report.html"),
    ],
)
def test_a_file_that_cannot_be_replaced_stays_as_it_was(
    fails: Fails, folder: Path, monkeypatch: Patch, command: str, option: str, file: str
) -> None:
    """Try a full disk, and a file that a program has open on Windows; the error names the file."""
    Path(file).write_text("what was here before")
    for number, text in ((28, "No space left on device"), (13, "The process cannot access the file")):

        def replace(source: object, target: object, number: int = number, text: str = text) -> None:
            raise OSError(number, text, str(source), None, str(target))

        monkeypatch.setattr(os, "replace", replace)
        error = fails(1, command, "rec.csv", "truth.csv", *NDCG, option, file)
        assert error == f"[Errno {number}] {text}: '{file}'"
    assert Path(file).read_text() == "what was here before"
    assert {path.name for path in folder.iterdir()} == {"rec.csv", "truth.csv", file}


@pytest.mark.parametrize("option", ["--output", "--by-user"])
def test_a_replaced_file_keeps_its_mode(run: Run, monkeypatch: Patch, option: str) -> None:
    arguments = ["evaluate", "rec.csv", "truth.csv", *NDCG, option, "out.csv"]
    before = os.umask(0o027)
    try:
        run(*arguments)
        assert stat.S_IMODE(os.stat("out.csv").st_mode) == 0o640
    finally:
        os.umask(before)
    os.symlink("out.csv", "link.csv")
    while_writing = []

    def chmod(path: str, mode: int, change: Callable[[str, int], None] = os.chmod) -> None:
        while_writing.append(stat.S_IMODE(os.stat(path).st_mode))
        change(path, mode)

    for mode in (0o600, 0o664):
        os.chmod("out.csv", mode)
        with monkeypatch.context() as patch:
            patch.setattr(os, "chmod", chmod)
            run(*arguments[:-1], "link.csv")
        assert stat.S_IMODE(os.stat("out.csv").st_mode) == mode
        assert os.path.islink("link.csv")
    assert while_writing == [0o600, 0o600]


def test_output_may_be_a_pipe_or_a_device(run: Run) -> None:
    arguments = ["evaluate", "rec.csv", "truth.csv", *NDCG]
    done = as_shell(*arguments, "--output", "/dev/stdout")
    assert (done.returncode, done.stderr, done.stdout) == (0, "", run(*arguments))
    assert run(*arguments, "--output", "/dev/null") == ""
    assert not Path("/dev/null").is_file()
