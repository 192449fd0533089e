"""Errors of the command are one clear line, whatever the data hold; transcripts/errors.txt has the others."""

import json
from pathlib import Path

import click
import duckdb
import pytest

from ranking_udfs.command.cli import main
from ranking_udfs.command.options import COMMANDS, Command
from ranking_udfs.texts import LONGEST
from tests.command import FORGED, NDCG, NDCG_VALUES, REC, TRUTH, Fails, Run, emptied, evaluated, table, write

pytestmark = [pytest.mark.usefixtures("registered", "folder")]


def test_data_forges_no_line_of_notes_and_errors(capsys: pytest.CaptureFixture[str]) -> None:
    """Try line ends, escape codes of terminals, and characters that turn the direction of writing."""
    item = FORGED + "x" * 10_000
    table("rec.csv", "userid,itemid,score", *[("1", f'"{item}"', "1")] * 2)
    assert main(["evaluate", "rec.csv", "truth.csv", "--allow", "no_common_id"]) == 0
    notes = capsys.readouterr().err
    assert FORGED[0] in notes
    table("truth.csv", "userid,itemid,rel", ("1", f'"{item}"', "nan"))
    for truth in ("truth.csv", f"{FORGED}.csv"):
        assert main(["evaluate", "rec.csv", truth, "--no-check"]) == 1
    assert main(["evaluate", "rec.csv", "truth.csv", "--format", item]) == 2
    errors = capsys.readouterr().err
    assert errors.count("\n") == 3
    for line in (notes + errors).splitlines():
        assert line.startswith(tuple(f"ranking-udfs: {kind}: " for kind in ("note", "warning", "error")))
        assert line.isprintable()
        assert len(line) < LONGEST + 150


SINGLE = [
    (command, option.opts[-1])
    for command in COMMANDS
    for option in Command(command, lambda *_: None, lambda *_: None).params
    if isinstance(option, click.Option) and not option.multiple and not option.is_flag
    if option.name != "macro"  # test_portable.py
]


@pytest.mark.slow
def test_an_option_that_takes_one_value_is_given_once(capsys: pytest.CaptureFixture[str]) -> None:
    for command, option in SINGLE:
        assert main([command, option, "a", "x", option, "b"]) == 2
        rule = f"ranking-udfs: error: {option} must be given once, got it 2 times"
        assert capsys.readouterr().err == f"{rule} (see ranking-udfs {command} --help)\n"
    assert SINGLE


def test_results_have_no_escape_codes(run: Run) -> None:
    name = FORGED.replace(":", ";")  # a colon ends the name of a file with segments
    write("users.parquet", f"""SELECT 1 AS userid, '{name}' AS "{name}" """)
    arguments = [f"{name}=rec.csv", "truth.csv", "--segment", f"users.parquet:{name}", *NDCG, "--format"]
    for form in ("table", "markdown", "json"):
        text = run("evaluate", *arguments, form)
        assert all(line.isprintable() for line in text.split("\n"))
    assert json.loads(text)[-1] == json.loads(text)[-1] | {"system": name, "segment": name}


def test_an_error_shortens_values_types_and_lists_of_columns(fails: Fails) -> None:
    long = "much " * 10_000
    table("rec.csv", "userid,itemid,score", ("1", "1", long))
    Path("rec.run").write_text(f"1 Q0 1 1 9.5 x\n1 Q0 2 2 {long}\n")
    fields = ", ".join(f"'field_{i}': 1" for i in range(1_000))
    write("rec.parquet", f"SELECT 1 AS userid, {{{fields}}} AS itemid, 1 AS score")
    columns = {f"column_{i}": 1 for i in range(5_000)}
    Path("rec.json").write_text(json.dumps({"userid": 1, "itemid": 1, **columns}))
    write("truth.parquet", "SELECT 1 AS userid, 1 AS itemid")
    for form in ("csv", "run", "parquet", "json"):
        error = fails(1, "evaluate", f"rec.{form}", "truth.parquet", "--no-check")
        assert len(error) < 4 * LONGEST
        assert max(error.count("much ") / 2, error.count("field_"), error.count("column_")) <= 20


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        ("bad.parquet", b"not a parquet file at all", ""),
        ("bad.json", b"{nothing", "Malformed JSON"),
        ("bad.csv.gz", b"not compressed", ""),
        ("bad.csv", bytes(range(256)) * 9, ""),
    ],
)
def test_an_error_names_the_file_that_cannot_be_read(
    fails: Fails, name: str, content: bytes, error: str
) -> None:
    Path(name).write_bytes(content)
    assert fails(1, "evaluate", "rec.csv", name).startswith(f"{name}: {error}")


def test_a_file_name_that_is_not_text_is_an_error(fails: Fails) -> None:
    assert fails(1, "evaluate", "x\udcff.csv", "truth.csv")


# The second has characters that mean something in SQL, in patterns of files and in consoles.
NAMES = ["*", "it's;a\nb \"q\" `t` *[1]?$1{b}';SELECT 1;-- x"]


@pytest.mark.slow
def test_files_columns_models_and_segments_may_have_any_name(
    run: Run, of_command: duckdb.DuckDBPyConnection
) -> None:
    for name in NAMES:
        quoted = '"' + name.replace('"', '""') + '"'
        Path(f"{name}.csv").write_text(REC.replace("score", quoted))
        Path(f"{name}.t.csv").write_text(TRUTH)
        Path("users.csv").write_text(f"userid,{quoted}\n1,x\n")
        files = [f"{name}=./{name}.csv", f"./{name}.t.csv", "--score", name, "--by-user", f"./{name}.json"]
        files += ["--segment", f"users.csv:{name}", "--measures", "ndcg@2"]
        rows = evaluated(run, *files, "--no-check")
        assert [(row["system"], row["segment"]) for row in rows] == [
            (name, segment) for segment in ("(all)", "(none)", "x")
        ]
        assert [row["ndcg"] for row in rows] == pytest.approx([NDCG_VALUES[1]] * 3, rel=1e-12)
        assert json.loads(Path(f"{name}.json").read_text())[0]["userid"] == 1
    script = run("sql", *files)
    for statement in emptied(of_command).extract_statements(script):
        of_command.execute(statement).fetchall()
