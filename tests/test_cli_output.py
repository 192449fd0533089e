"""What the command writes: text, CSV, JSON, HTML, values of each user, and files that are whole or not."""

# ruff: noqa: F811  (fixtures that are imported, and are arguments)

import csv
import html
import io
import json
import os
import re
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from ranking_udfs.command import commands
from tests.command import (  # noqa: F401
    DOCUMENTS,
    TRUTH,
    Fails,
    K,
    Run,
    as_shell,
    cells,
    con,
    evaluated,
    fails,
    folder,
    registered,
    run,
    slow,
    table,
    worse,
)

# --- Output ---


def test_csv_and_json_have_a_row_per_k(run: Run) -> None:
    rows = list(csv.DictReader(io.StringIO(run("evaluate", "rec.csv", "truth.csv", *K, "--format", "csv"))))
    assert [row["k"] for row in rows] == ["4", "2"]
    assert [row["ndcg"] for row in rows] == DOCUMENTS["NDCG"]
    assert list(rows[0])[:7] == [
        "k",
        "users",
        "users_without_rec",
        "users_without_truth",
        "users_without_relevant",
        "recall",
        "precision",
    ]
    for row, found in zip(rows, evaluated(run, "rec.csv", "truth.csv", *K), strict=True):
        assert {name: str(value) for name, value in found.items()} == row


def test_markdown(run: Run) -> None:
    text = run("evaluate", "rec.csv", "truth.csv", "--format", "markdown", "--measures", "auc")
    assert text.startswith("| Ranking measure | top-10 |\n| --- | --- |\n| AUC | 0.75 |\n\n- Users")
    text = run("evaluate", "rec.csv", "truth.csv", "--format", "markdown", "--measures", "ndcg,mrr")
    assert "| NDCG | 0.7039 |\n| MRR | 1 |\n" in text


def test_names_in_markdown_show_as_text(run: Run, worse: str) -> None:
    name = r"a|b\c`d`<e>&amp;*f*_g_[h](i)~j~"
    escaped = r"a\|b\\c\`d\`\<e\>\&amp;\*f\*\_g\_\[h\](i)\~j\~"
    table("users.csv", f"userid,{name}", ("1", name))
    arguments = [f"{name}=rec.csv", f"w={worse}", "truth.csv", "--segment", f"users.csv:{name}", "--no-check"]
    lines = run("evaluate", *arguments, "--format", "markdown", "--measures", "f_measure").splitlines()
    assert lines[0] == f"| Ranking measure | {escaped} top-10 | w top-10 |"
    assert f"- Users without recommendations (scored as an empty list): {escaped} 0, w 2" in lines
    assert f"| {escaped} | System | k | Users | F-measure |" in lines
    assert any(line.startswith(f"| {escaped} | {escaped} | 10 | 1 |") for line in lines)


FORMULAS = ["=1+1", "+1", "-1", "@x", "\tx", "\rx"]


def test_csv_is_as_it_is_or_safe_for_spreadsheets(run: Run) -> None:
    quoted = [f'"{text}"' for text in [*FORMULAS, "a=1"]]
    table("rec.csv", "userid,itemid,score,system", *((text, "1", "1", text) for text in quoted))
    table("truth.csv", "userid,itemid", *((text, "1") for text in quoted))
    table("users.csv", "userid,segment", *((text, text) for text in quoted))
    arguments = ["evaluate", "rec.csv", "truth.csv", "--segment", "users.csv:segment", "--no-check"]
    arguments += ["--measures", "mrr", "--format", "csv", "--by-user"]
    for more, expected in (
        ([], {*FORMULAS, "a=1"}),
        (["--safe-csv"], {*(f"'{text}" for text in FORMULAS), "a=1"}),
    ):
        rows = list(csv.DictReader(io.StringIO(run(*arguments, "by.tsv", *more), newline="")))
        assert {row["system"] for row in rows} == expected
        assert {row["segment"] for row in rows} == expected | {"(all)"}
        with open("by.tsv", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
        assert {row["system"] for row in rows} == {row["userid"] for row in rows} == expected
    run(*arguments, "by.json", "--safe-csv")
    assert {row["userid"] for row in json.loads(Path("by.json").read_text())} == {*FORMULAS, "a=1"}


def test_safe_csv_leaves_numbers_alone(run: Run) -> None:
    table("rec.csv", "userid,itemid,score", ("-1", "1", "1"), ("-1", "2", "2"))
    table("truth.csv", "userid,itemid,rel", ("-1", "1", "2"), ("-1", "2", "1"), ("-1", "3", "3"))
    arguments = ["--safe-csv", "--measures", "kendall_tau", "--no-check", "--by-user", "by.csv"]
    run("evaluate", "rec.csv", "truth.csv", *arguments)
    assert Path("by.csv").read_text() == "userid,k,n_rec,n_truth,kendall_tau\n-1,10,2,3,-1.0\n"


def test_the_ending_of_the_output_says_the_format(run: Run) -> None:
    arguments = ["evaluate", "rec.csv", "truth.csv", "-q", "-m", "mrr"]
    beginnings = {
        "txt": "Ranking measure | ",
        "csv": "k,users,",
        "JSON": "[\n  {",
        "md": "| Ranking measure | ",
        "html": "<!doctype html>\n",
    }
    for ending, text in beginnings.items():
        assert run(*arguments, "--output", f"means.{ending}") == ""
        assert Path(f"means.{ending}").read_text().startswith(text)
    run(*arguments, "--output", "means.xlsx", "--format", "csv")
    assert Path("means.xlsx").read_text() == Path("means.csv").read_text()
    assert run(*arguments, "--output", "-") == Path("means.txt").read_text()


def test_html_is_a_file_in_which_nothing_is_markup(run: Run, worse: str) -> None:
    name = "<b>&\"'"
    Path("users.csv").write_text(f"userid,seg\n1,{name[:3]}\n")
    arguments = [f"{name}=rec.csv", f"w={worse}", "truth.csv", "--no-check", "--segment", "users.csv:seg"]
    text = run("evaluate", *arguments, "-m", "mrr", "--format", "html")
    assert text.startswith("<!doctype html>\n")
    assert text.endswith("</html>\n")
    assert name not in text
    assert f"<tr><th>Ranking measure</th><th>{html.escape(name)} top-10</th><th>w top-10</th></tr>" in text
    assert f"<tr><td>MRR</td><td>1</td><td>{0.5 / 3:.4g}</td></tr>" in text
    assert f"<td>{html.escape(name[:3])}</td>" in text


def test_a_terminal_shows_four_digits_and_what_is_asked_for(
    run: Run, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "is_terminal", lambda: True)
    arguments = ["evaluate", "rec.csv", "truth.csv", "-k", "4", "-m", "ndcg,mrr"]
    assert cells(run(*arguments))["NDCG"] == ["0.7039"]
    assert cells(run(*arguments))["MRR"] == ["1"]
    assert cells(run(*arguments, "--digits", "2"))["NDCG"] == ["0.7"]
    assert json.loads(run(*arguments, "--format", "json"))[0]["ndcg"] == float(DOCUMENTS["NDCG"][0])
    assert run(*arguments, "--format", "csv", "--digits", "3").splitlines()[1].endswith(",0.704,1.0")
    run(*arguments, "--output", "means.txt")
    assert cells(Path("means.txt").read_text())["NDCG"] == [DOCUMENTS["NDCG"][0]]
    monkeypatch.setattr(commands, "is_terminal", lambda: False)
    assert cells(run(*arguments))["NDCG"] == [DOCUMENTS["NDCG"][0]]


def test_no_format_makes_a_terminal_obey_a_name(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ["evaluate", "\x1b[31mred=rec.csv", "truth.csv", "--format", "csv"]
    assert "\n\x1b[31mred,10," in run(*arguments)  # a file or a program gets what the data say
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert "\n [31mred,10," in run(*arguments)


def test_a_table_that_is_too_wide_has_a_row_per_model_and_k(
    run: Run, worse: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("users.csv").write_text("userid,country\n1,SE\n")
    arguments = ["evaluate", "b=rec.csv", f"a={worse}", "truth.csv", "-k", "2,4,all", "--no-check", "-m"]
    arguments += ["ndcg,mrr,recall@1,hit_rate,precision", "--digits", "3", "--segment", "users.csv:country"]
    text = run(*arguments)
    assert max(map(len, text.splitlines())) <= 80
    assert text.split("\n\n")[0].splitlines()[:5] == [
        "System | k   | NDCG   | MRR   | Recall | Hit rate | Precision",
        "------ | --- | ------ | ----- | ------ | -------- | ---------",
        "b      | 1   |        |       | 0.333  |          |",
        "b      | 2   | 0.613  | 1     |        | 1        | 0.5",
        "b      | 4   | 0.704  | 1     |        | 1        | 0.5",
    ]
    assert "(none)  | b      | 2   | 2     | 0.613" in text
    wide = run(*arguments[:-4], "--digits", "12")
    first, second, *_ = wide.split("\n\n")
    assert max(map(len, wide.splitlines())) <= 80
    assert [first.split()[:3], second.split()[:3]] == [["System", "|", "k"]] * 2
    assert len(second.splitlines()) == 2 + 2 * 3  # no row of k = 1, which recall alone has
    monkeypatch.setattr(commands, "is_terminal", lambda: True)
    monkeypatch.setenv("COLUMNS", "200")
    assert cells(run(*arguments))["Ranking measure"][:2] == ["b top-1", "b top-2"]


def test_output_goes_to_a_file(run: Run, folder: Path) -> None:
    expected = run("evaluate", "rec.csv", "truth.csv")
    Path("report.txt").write_text("what was here before")
    assert run("evaluate", "rec.csv", "truth.csv", "--output", "report.txt") == ""
    assert Path("report.txt").read_text() == expected
    assert {file.name for file in folder.iterdir()} == {"rec.csv", "truth.csv", "report.txt"}


@pytest.mark.parametrize("option", ["--output", "--by-user"])
def test_a_file_is_whole_or_not_there(
    fails: Fails, folder: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    def full_disk(*_: object) -> None:
        raise OSError(28, "No space left on device")

    Path("report.csv").write_text("what was here before")
    monkeypatch.setattr(os, "replace", full_disk)
    assert "No space left" in fails(1, "evaluate", "rec.csv", "truth.csv", option, "report.csv")
    assert Path("report.csv").read_text() == "what was here before"
    assert {file.name for file in folder.iterdir()} == {"rec.csv", "truth.csv", "report.csv"}


@pytest.mark.parametrize("option", ["--output", "--by-user"])
def test_a_replaced_file_keeps_its_mode_and_a_new_one_has_the_usual(
    run: Run, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    arguments = ["evaluate", "rec.csv", "truth.csv", "--measures", "mrr", option, "out.csv"]
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


def test_no_file_that_is_read_is_overwritten(fails: Fails, folder: Path) -> None:
    os.symlink("rec.csv", "symbolic.csv")
    os.link("truth.csv", "hard.csv")
    Path("users.csv").write_text("userid,country\n1,SE\n")
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    for output, other in (
        ("rec.csv", "rec.csv"),
        (f"../{folder.name}/./rec.csv", "rec.csv"),
        (str(folder / "truth.csv"), "truth.csv"),
        ("symbolic.csv", "rec.csv"),
        ("hard.csv", "truth.csv"),
        ("users.csv", "users.csv"),
    ):
        for option in ("--output", "--by-user"):
            for rec in ("rec.csv", "name=rec.csv", "re[c].csv", "r*c.csv"):
                arguments = [rec, "truth.csv", "--segment", "users.csv:country", option, output]
                error = fails(1, "evaluate", *arguments)
                assert re.fullmatch(rf"{output}: would overwrite (./)?{other}, which is the same file", error)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


def test_the_two_outputs_are_two_files(fails: Fails, run: Run, folder: Path) -> None:
    os.symlink("new.csv", "link.csv")
    for one, other in (("new.csv", "new.csv"), ("new.csv", "./new.csv"), ("new.csv", "link.csv")):
        error = fails(1, "sql", "rec.csv", "truth.csv", "--output", one, "--by-user", other)
        assert error == f"{other}: would overwrite {one}, which is the same file"
    assert not Path("new.csv").exists()
    run("evaluate", "rec.csv", "truth.csv", "--output", "new.csv", "--by-user", "other.csv")
    assert Path("new.csv").exists()
    assert Path("other.csv").exists()


def test_output_may_be_a_device(run: Run) -> None:
    assert run("evaluate", "rec.csv", "truth.csv", "--output", "/dev/null") == ""
    assert not Path("/dev/null").is_file()


def test_output_may_be_a_pipe() -> None:
    done = as_shell("evaluate", "rec.csv", "truth.csv", "--no-check", "--output", "/dev/stdout")
    assert done.stdout == as_shell("evaluate", "rec.csv", "truth.csv", "--no-check").stdout
    assert done.stdout.startswith("Ranking measure")


@pytest.mark.parametrize("suffix", ["parquet", "csv", *slow("csv.gz", "tsv", "json", "jsonl", "ndjson")])
def test_values_by_user(run: Run, suffix: str) -> None:
    Path("truth.csv").write_text(TRUTH + "7,1\n")
    run("evaluate", "rec.csv", "truth.csv", *K, "--by-user", f"users.{suffix}", "--no-check")
    with duckdb.connect() as con:
        found = con.sql(f"SELECT userid, k, n_rec, n_truth, recall, ndcg FROM 'users.{suffix}'").fetchall()
    assert [row[:2] for row in found] == [(user, k) for user in (1, 2, 3, 7) for k in (2, 4)]
    assert found[1] == (1, 4, 4, 3, 0.6666666666666666, pytest.approx(0.7039180890341349, abs=1e-15))
    assert found[7] == (7, 4, 0, 1, 0.0, 0.0)


def test_values_by_user_and_model(run: Run, worse: str) -> None:
    arguments = [
        "rec=rec.csv",
        f"worse={worse}",
        "truth.csv",
        "--by-user",
        "users.json",
        "--no-check",
        "--measures",
        "rbp",
    ]
    run("evaluate", *arguments)
    found = json.loads(Path("users.json").read_text())
    assert [(row["system"], row["userid"]) for row in found] == [
        (s, u) for s in ("rec", "worse") for u in (1, 2, 3)
    ]


def test_one_pass_for_all_outputs_gives_the_same_summary(run: Run, worse: str) -> None:
    Path("countries.csv").write_text("userid,country\n1,SE\n")
    arguments = ["evaluate", "rec=rec.csv", f"w={worse}", "truth.csv", *K, "--no-check", "--format", "csv"]
    plain = run(*arguments)
    assert run(*arguments, "--by-user", "users.csv") == plain
    segmented = csv.DictReader(io.StringIO(run(*arguments, "--segment", "countries.csv:country")))
    everybody = [row for row in segmented if row.pop("segment") == "(all)"]
    assert everybody == list(csv.DictReader(io.StringIO(plain)))


# --- Segments ---


def test_segments_have_rows_of_their_own(run: Run) -> None:
    Path("rec.csv").write_text("userid,itemid,score\n1,1,1\n2,9,1\n3,1,1\n")
    Path("users.csv").write_text("userid,country\n1,SE\n2,SE\n2,SE\n2,DE\n99,FR\n")
    arguments = [
        "rec.csv",
        "truth.csv",
        *K,
        "--segment",
        "users.csv:country",
        "--measures",
        "mrr",
        "--no-check",
    ]
    text = run("evaluate", *arguments)
    table = [[cell.strip() for cell in line.split(" | ")] for line in text.split("\n\n")[2].splitlines()]
    assert table[0] == ["country", "Ranking measure", "top-4", "top-2"]
    assert table[2:] == [
        ["(none)", "Users", "1", "1"],
        ["(none)", "MRR", "1.0", "1.0"],
        ["DE", "Users", "1", "1"],
        ["DE", "MRR", "0.0", "0.0"],
        ["SE", "Users", "2", "2"],
        ["SE", "MRR", "0.5", "0.5"],
    ]
    rows = evaluated(run, *arguments)
    assert [(row["segment"], row["k"]) for row in rows][:4] == [
        ("(all)", 4),
        ("(all)", 2),
        ("(none)", 4),
        ("(none)", 2),
    ]


# --- The process ---


@pytest.mark.parametrize("form", ["table", "csv", "json", "markdown"])
def test_a_long_report_has_a_row_per_measure(run: Run, form: str) -> None:
    arguments = ["rec.csv", "truth.csv", "--long", "-k", "4", "--measures", "recall,mrr@2"]
    found = run("evaluate", *arguments, "--format", form)
    recall = 2 / 3
    assert (
        found
        == {
            "table": "k | measure | value\n- | ------- | ------------------\n"
            f"2 | mrr     | 1.0\n4 | recall  | {recall}\n",
            "csv": f"k,measure,value\n2,mrr,1.0\n4,recall,{recall}\n",
            "json": json.dumps(
                [{"k": 2, "measure": "mrr", "value": 1.0}, {"k": 4, "measure": "recall", "value": recall}],
                indent=2,
            )
            + "\n",
            "markdown": "| k | measure | value |\n| --- | --- | --- |\n"
            "| 2 | mrr | 1 |\n| 4 | recall | 0.6667 |\n",
        }[form]
    )


def test_a_long_report_has_models_and_segments(run: Run, worse: str) -> None:
    Path("users.csv").write_text("userid,country\n1,de\n2,fr\n")
    text = run(
        "evaluate",
        "b=rec.csv",
        f"a={worse}",
        "truth.csv",
        "--long",
        "--format",
        "csv",
        "--segment",
        "users.csv:country",
        "--measures",
        "mrr",
        "-k",
        "2",
        "--no-check",
    )
    header, *body = text.splitlines()
    assert header == "system,segment,k,measure,value"
    assert [line.split(",")[:4] for line in body] == [
        *([system, "(all)", "2", "mrr"] for system in "ba"),
        *([system, segment, "2", "mrr"] for system in "ba" for segment in ("(none)", "de", "fr")),
    ]
