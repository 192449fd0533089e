"""The command writes text, CSV, JSON, HTML and values of each user, to files that are whole or not there."""

import io
import json
import os
import re
import stat
import sys
from collections import Counter
from collections.abc import Callable
from csv import DictReader
from pathlib import Path

import pytest

from tests.command import NDCG, Fails, Run, as_shell, csv, table
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
        rows = list(DictReader(io.StringIO(run(*arguments, "by.tsv", *more), newline="")))
        assert {row["system"] for row in rows} == expected
        assert {row["segment"] for row in rows} == expected | {"(all)"}
        with open("by.tsv", newline="") as file:
            rows = list(DictReader(file, delimiter="\t"))
        assert {row["system"] for row in rows} == {row["userid"] for row in rows} == expected
    run(*arguments, "by.json", "--safe-csv")
    assert {row["userid"] for row in json.loads(Path("by.json").read_text())} == {*FORMULAS, "a=1"}


LONG = [f"a_model_with_a_long_name_{letter * 12}_that_ends_as_all_others_do" for letter in "vwxyz"]
SIXTY = {what: f"a_{what}_whose_id_has_sixty_characters_{'0' * 20}_" for what in ("user", "item")}
KS = " -k 1,5,10"
WIDE = f"""
evaluate DATA{KS} --segment users.csv:country
evaluate DATA{KS} --segment users.csv:country --long
evaluate DATA{KS} --history history.csv --items items.csv:title
evaluate DATA -k 1-20 -m ndcg,recall,mrr,map,auc,rbp,err,bpref,hits,r_precision
compare DATA{KS} -m ndcg,ndcg(gain=linear,discount=original,base=3)@all --segment users.csv:country
compare DATA{KS} -m ndcg --baseline NAME --segment users.csv:country --explain
compare DATA{KS} -m first_hit_rank --steps
compare DATA{KS} -m ndcg,mrr --pairs
explain DATA --user-id USER -k 5 --items items.csv:title --title title --segment users.csv
explain DATA --user-id USER -k all
check DATA --history history.csv
abstention DATA --users users.csv
overlap rec.csv{KS} --baseline NAME
split history.csv --time time --test-size 3 --output folder
measures
functions""".strip().splitlines()


@pytest.fixture
def wide(folder: Path) -> None:
    """Write five models, truth, texts and segments of users, titles and a history, all with long names."""
    user, item = SIXTY.values()
    users, rows = range(10, 22), [(u, i) for u in range(10, 20) for i in range(10, 40)]
    lists = (f"{user}{u},{item}{(i + u * n) % 40},{i},{name}" for n, name in enumerate(LONG) for u, i in rows)
    csv("rec.csv", "userid,itemid,score,system", *lists)
    csv("truth.csv", "userid,itemid,rel", *(f"{user}{u},{item}{i},{i % 3}" for u, i in rows if i % u < 9))
    texts = (f"{user}{u},a question {u} of ten words or more{' that is long' * 4}" for u in users)
    csv("users.csv", "userid,text,country", *(f"{row},{'land ' * 8}{i % 2}" for i, row in enumerate(texts)))
    csv("items.csv", "itemid,title", *(f"{item}{i},{'A title ' * 6}{i}" for i in range(40)))
    csv("history.csv", "userid,itemid,time", *(f"{user}{u},{item}{i},{i}" for u, i in rows if i % 7 == 0))


def wide_call(call: str, *more: str) -> list[str]:
    names = {"DATA": "rec.csv truth.csv -q", "NAME": LONG[2], "USER": f"{SIXTY['user']}12"}
    return [*re.sub("|".join(names), lambda match: names[match[0]], call).split(), *more]


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("call", WIDE)
def test_text_fits_80_columns(run: Run, call: str) -> None:
    text = run(*wide_call(call))
    assert [line for line in text.splitlines() if len(line) > 80] == []
    if call.startswith(("evaluate", "compare")):  # and has all models, and all verdicts or values
        rows = json.loads(run(*wide_call(call, "--format", "json")))
        shown = Counter(re.findall(r" [-+=?] (\w+)$", text, re.MULTILINE))
        values = {f"{value:.4g}" for row in rows for value in row.values() if isinstance(value, float)}
        assert Counter(row["verdict"] for row in rows) == shown if shown else values <= {*text.split()}
        assert all(letter * 6 in text for letter in "vwxyz")


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
    "call", ["evaluate --output means.md", "evaluate --by-user by.csv", "report --output r.html"]
)
def test_a_file_that_cannot_be_replaced_stays_as_it_was(
    fails: Fails, folder: Path, monkeypatch: Patch, call: str
) -> None:
    """Try a file that a program has open on Windows; the error names the file."""

    def replace(source: object, target: object) -> None:
        raise OSError(13, "The process cannot access the file", str(source), None, str(target))

    command, option, file = call.split()
    Path(file).write_text("what was here before")
    monkeypatch.setattr(os, "replace", replace)
    error = fails(1, command, "rec.csv", "truth.csv", *NDCG, option, file)
    assert error == f"[Errno 13] The process cannot access the file: '{file}'"
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
