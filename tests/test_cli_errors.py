"""What the command says on stderr: notes on the data, and one clear line where something is wrong."""

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ranking_udfs.command import session
from ranking_udfs.command.cli import main
from ranking_udfs.texts import LONGEST
from tests.command import DOCUMENTS, FORGED, REC, TRUTH, Fails, Run, emptied, evaluated, table, write

pytestmark = [pytest.mark.oldest, pytest.mark.usefixtures("registered", "folder")]

# --- The check ---


def shop(name: str, *rows: str) -> str:
    """A file with the shop's own names of columns."""
    Path(name).write_text("customer,sku,points\n" + "".join(f"{row}\n" for row in rows))
    return name


def flawed() -> list[str]:
    """Two models, one of which has ranks in place of scores, and the truth."""
    als = shop("als.csv", "1,a,3", "1,b,2", "1,c,2", "2,a,3", "2,b,2", "2,c,1")
    bert = shop("bert.csv", "1,a,1", "1,b,2", "1,c,3", "2,a,1", "2,b,2", "2,c,3")
    shop("truth.csv", "1,a,1", "2,a,1")
    return [
        f"als={als}",
        f"bert={bert}",
        "truth.csv",
        "--user",
        "customer",
        "--item",
        "sku",
        "--score",
        "points",
    ]


def test_notes_do_not_say_what_is_written_already(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["evaluate", *flawed(), "--grade", "points", "-m", "mrr"]
    shop("bert.csv", "7,a,1")
    for written, said in (([], "; write --ties expected"), (["--ties", "expected"], "")):
        assert main([*arguments, "--allow-empty", *written]) == 0
        notes = capsys.readouterr().err
        assert "no user of truth is in rec: 2 of 2 (bert, bert.csv)" in notes
        assert "--allow-empty" not in notes
        assert f"for example customer 1{said}\n" in notes


def test_models_of_one_file_have_their_own_best_score(run: Run, fails: Fails) -> None:
    """Of als the highest, of knn a distance; the only relevant item is the first of both then."""
    kinds = ["UTINYINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL(9, 2)", "UBIGINT"]
    with duckdb.connect("two.duckdb") as con:
        for kind in kinds:
            con.execute(f"""
                CREATE OR REPLACE TABLE rec AS
                SELECT 1 AS userid, i AS itemid, system, (if(system = 'als', 9 - i, i))::{kind} AS score
                FROM range(4) items (i), (VALUES ('als'), ('knn')) systems (system);
                COPY rec TO '{kind}.parquet'
            """)
        con.execute("CREATE TABLE truth AS SELECT 1 AS userid, 0 AS itemid; COPY truth TO 'two.csv'")
    Path("none").touch()
    files, mrr = ["UBIGINT.parquet", "two.csv"], ["-m", "mrr@1", "--no-check", "--format", "json"]
    tables = ["rec", "truth", "--database", "two.duckdb"]
    for arguments, expected in (
        (files, [1.0, 0.0]),
        (["--ascending", "knn", *files], [1.0, 1.0]),
        ([*files, "--ascending", "knn"], [1.0, 1.0]),
        ([*files, "--ascending=knn"], [1.0, 1.0]),
        *((["--parts", f"{kind}.parquet", *files, "--ascending=knn"], [1.0, 1.0]) for kind in kinds),
        (["--ascending", "als,knn", *files], [0.0, 1.0]),
        (["--ascending=als", "--ascending=knn", *files], [0.0, 1.0]),
        (["--ascending", *files], [0.0, 1.0]),
        ([*files, "--ascending"], [0.0, 1.0]),
        ([f"{files[0]}:ascending", files[1], "--ascending=knn"], [0.0, 1.0]),
        (["--ascending", *tables], [0.0, 1.0]),
        (["--ascending=knn", *tables], [1.0, 1.0]),
    ):
        assert [row["mrr"] for row in json.loads(run("evaluate", *arguments, *mrr))] == expected
    assert fails(1, "evaluate", "--ascending", "none", files[1]).startswith("none: ")


def test_what_the_data_says_stays_on_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Notes and errors alike: no line is forged, no terminal obeys, and nothing turns the writing around."""
    item = FORGED + "x" * 10_000
    table("rec.csv", "userid,itemid,score", *[("1", f'"{item}"', "1")] * 2)
    assert main(["evaluate", "rec.csv", "truth.csv", "--allow-empty"]) == 0
    notes = capsys.readouterr().err
    assert FORGED[0] in notes
    table("truth.csv", "userid,itemid,rel", ("1", f'"{item}"', "nan"))
    for truth in ("truth.csv", f"{FORGED}.csv"):
        assert main(["evaluate", "rec.csv", truth, "--no-check"]) == 1
    assert main(["evaluate", "rec.csv", "truth.csv", "--format", item]) == 2
    errors = capsys.readouterr().err
    assert errors.count("\n") == 3
    for line in (notes + errors).splitlines():
        assert line.startswith(("ranking-udfs: note: ", "ranking-udfs: error: "))
        assert line.isprintable()
        assert len(line) < LONGEST + 150


@pytest.mark.parametrize("form", ["table", "markdown", "json"])
def test_a_report_prints_nothing_that_a_terminal_would_obey(run: Run, form: str) -> None:
    name = FORGED.replace(":", ";")  # a colon ends the name of a file with segments
    write("users.parquet", f"""SELECT 1 AS userid, '{name}' AS "{name}" """)
    arguments = [f"{name}=rec.csv", "truth.csv", "--segment", f"users.parquet:{name}", "--format", form]
    text = run("evaluate", *arguments)
    assert all(line.isprintable() for line in text.split("\n"))
    if form == "json":
        assert json.loads(text)[-1] == json.loads(text)[-1] | {"system": name, "segment": name}


@pytest.mark.parametrize("form", ["csv", "run", "parquet", "json"])
def test_an_error_shows_no_value_and_no_type_in_full(fails: Fails, form: str) -> None:
    long = "much " * 10_000
    table("rec.csv", "userid,itemid,score", ("1", "1", long))
    Path("rec.run").write_text(f"1 Q0 1 1 9.5 x\n1 Q0 2 2 {long}\n")
    fields = ", ".join(f"'field_{i}': 1" for i in range(1_000))
    write("rec.parquet", f"SELECT 1 AS userid, {{{fields}}} AS itemid, 1 AS score")
    Path("rec.json").write_text(
        json.dumps({"userid": 1, "itemid": 1, **{f"column_{i}": 1 for i in range(5_000)}})
    )
    write("truth.parquet", "SELECT 1 AS userid, 1 AS itemid")
    error = fails(1, "evaluate", f"rec.{form}", "truth.parquet", "--no-check")
    assert len(error) < 4 * LONGEST
    assert "much " * 41 not in error
    assert error.count("field_") < 20
    assert error.count("column_") < 20


# --- Errors ---


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        ("bad.parquet", b"not a parquet file at all", "bad.parquet: Invalid Input Error: "),
        ("bad.json", b"{nothing", "bad.json: Invalid Input Error: Malformed JSON"),
        ("bad.csv.gz", b"not compressed", "bad.csv.gz: "),
        ("bad.csv", bytes(range(256)) * 9, "bad.csv: "),
    ],
)
def test_a_file_that_cannot_be_read_exits_1(fails: Fails, name: str, content: Any, error: str) -> None:
    Path(name).write_bytes(content)
    assert fails(1, "evaluate", "rec.csv", name).startswith(error)


def test_a_decimal_comma_beyond_the_sample_is_told_too(fails: Fails) -> None:
    Path("r.csv").write_text("userid;itemid;score\n" + "1;1;1\n" * 50_000 + "1;2;-0,5\n")
    assert "; -0,5 has a decimal comma: write a point" in fails(1, "evaluate", "r.csv", "truth.csv")


@pytest.mark.parametrize("autoload", [True, False])
def test_a_url_without_the_extension_says_which_one_to_install(
    fails: Fails, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, autoload: bool
) -> None:
    settings = {"autoinstall_known_extensions": False, "autoload_known_extensions": autoload}
    monkeypatch.setattr(
        session, "SETTINGS", {**session.SETTINGS, **settings, "extension_directory": str(tmp_path / "none")}
    )
    assert fails(1, "evaluate", "s3://bucket/rec.csv", "truth.csv") == (
        "s3://bucket/rec.csv: DuckDB's extension httpfs is not installed here: run INSTALL httpfs in DuckDB "
        "on this machine, with a network, or copy the file to it"
    )


def test_a_name_that_is_no_text_is_an_error(fails: Fails) -> None:
    assert fails(1, "evaluate", "x\udcff.csv", "truth.csv")


# --- Names that look like SQL ---


# The last is all that SQL, patterns of files and consoles might take for theirs.
NAMES = ["*", "a[1]", "w?", "$1", "it's;a\nb \"q\" `t` *[1]?$1{b}';SELECT 1;-- x"]


@pytest.mark.slow
def test_names_are_names(run: Run, of_command: duckdb.DuckDBPyConnection) -> None:
    """Of files, columns, models and segments, in what is run and in what is printed."""
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
        assert {repr(row["ndcg"]) for row in rows} == {DOCUMENTS["NDCG"][1]}
        assert json.loads(Path(f"{name}.json").read_text())[0]["userid"] == 1
    script = run("sql", *files)
    for statement in emptied(of_command).extract_statements(script):
        of_command.execute(statement).fetchall()
