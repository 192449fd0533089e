"""The command `fuse`: the rankings of several models as one file."""

from pathlib import Path

import duckdb
import pytest

from tests.command import Fails, Run, con, fails, folder, registered, run

__all__ = ["con", "fails", "folder", "registered", "run"]
FUSED = """userid,itemid,score,n_systems
1,b,{b},2
1,a,{first},1
1,z,{second},1
2,q,{first},1
"""
RUN = "1 Q0 b 1 {b} both\n1 Q0 a 2 {first} both\n1 Q0 z 3 {second} both\n2 Q0 q 1 {first} both\n"
SCORES = {"b": 1 / 61 + 1 / 62, "first": 1 / 61, "second": 1 / 62}


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    Path("a.csv").write_text("userid,itemid,score\n1,a,3\n1,b,2\n2,q,5\n")
    Path("b.csv").write_text("userid,itemid,score\n1,z,2\n1,b,1\n")  # ranks
    Path("a.run").write_text("1 Q0 a 1 3 x\n1 Q0 b 2 2 x\n2 Q0 q 1 5 x\n")
    Path("b.run").write_text("1 Q0 b 1 9 y\n1 Q0 z 2 8 y\n")
    Path("truth.csv").write_text("userid,itemid\n1,b\n2,q\n")


def test_the_rankings_of_several_files_become_one_file(run: Run) -> None:
    printed = run("fuse", "a=a.csv", "b=b.csv:ascending", "--output", "fused.csv")
    assert printed == "fused.csv: 4 rows of 2 users, of up to 2 models each\n"
    assert Path("fused.csv").read_text() == FUSED.format(**SCORES)
    table = run("evaluate", "a=a.csv", "fused=fused.csv", "truth.csv", "-m", "mrr@1", "--format", "csv")
    assert [line.split(",")[-1] for line in table.splitlines()[1:]] == ["0.5", "1.0"]
    duckdb.execute("COPY (SELECT 'a' AS system, * FROM 'a.csv') TO 'all.parquet'")
    assert run("fuse", "all.parquet", "--output", "fused.parquet", "--quiet", "--depth", "1") == ""
    assert duckdb.execute("FROM 'fused.parquet'").fetchall() == [(1, "a", 1 / 61, 1), (2, "q", 1 / 61, 1)]


def test_trec_runs_become_a_trec_run(run: Run) -> None:
    run("fuse", "a.run", "b.run", "--output", "both.run")
    assert Path("both.run").read_text() == RUN.format(**SCORES)
    weighted = ("--weights", "x=1,y=0.5", "--method", "combsum", "--output", "weighted.run")
    run("fuse", "x=a.run", "y=b.run", *weighted)
    assert Path("weighted.run").read_text().splitlines() == [
        "1 Q0 a 1 1.0 weighted",
        "1 Q0 b 2 0.5 weighted",
        "1 Q0 z 3 0.0 weighted",
        "2 Q0 q 1 1.0 weighted",
    ]


def test_what_is_wrong_is_said_on_one_line(fails: Fails) -> None:
    two = ("a=a.csv", "b=b.csv")
    endings = ".parquet, .csv, .tsv, .json, .jsonl, .ndjson, .run"
    Path("blank.csv").write_text("userid,itemid,score\n1,a b,3\n")
    for arguments, error in (
        ((*two, "--output", "a.csv"), "a.csv: would overwrite a.csv, which is the same file"),
        (
            (*two, "--output", "f.csv", "--score", "p"),
            "a.csv: no column 'p' (there are: userid, itemid, score)",
        ),
        (
            ("a=blank.csv", "--output", "f.run"),
            "an id in a TREC run must have no blank, and each row a score",
        ),
    ):
        assert error in fails(1, "fuse", *arguments)
    assert not Path("f.run").exists()
    several = "name their files, as in bm25=a.csv vector=b.csv"
    written = ("--output", "f.csv")
    for arguments, error in (
        (("a.csv", *written), f"fuse: nothing tells models apart: {several}"),
        ((*two, "--output", "f.txt"), f"argument --output: must end in one of {endings}, got 'f.txt'"),
        ((*two, *written, "--weights", "a"), "argument --weights: must be NAME=WEIGHT,NAME=WEIGHT"),
        ((*two, *written, "--weights", "a=0,b=0"), "argument --weights: must not all be 0, got 'a=0,b=0'"),
        ((*two, *written, "--weights", "a=1"), "fuse: --weights must have one of each model (a, b), got 'a'"),
        ((*two, *written, "--depth", "0"), "argument --depth: must be an integer of 1 or more, got '0'"),
        ((*two, *written, "--rrf-k", "-1"), "argument --rrf-k: must be a number of 0 or more, got '-1'"),
    ):
        assert fails(2, "fuse", *arguments).startswith(error)
