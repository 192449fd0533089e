"""`ranking-udfs explain` and `overlap`: what they print, at 80 columns and for programs, and their errors."""

import csv
import io
import json
from pathlib import Path

import duckdb
import pytest

from ranking_udfs.command.cli import main
from tests.command import Fails, Run, con, fails, folder, registered, run

__all__ = ["con", "fails", "folder", "registered", "run"]

EXPLAINED = """\
User 1, top-3

Hit | Rank | Item | Score | Grade | Gain | Discount | Gain x disc. | DCG
--- | ---- | ---- | ----- | ----- | ---- | -------- | ------------ | ---
*   | 1    | 1    | 10    | 1     | 1    | 1        | 1            | 1
    | 2    | 3    | 8     |       | 0    | 0.6309   | 0            | 1
*   | 3    | 2    | 6     | 1     | 1    | 0.5      | 0.5          | 1.5

Relevant and not there: 4 (grade 1, nowhere)
NDCG@3 = DCG / ideal DCG = 1.5 / 2.131 = 0.7039
Recall@3 = 0.6667
Precision@3 = hits / k = 2 / 3 = 0.6667
"""
OVERLAP = """\
Baseline | System | k  | Users | Overlap | Jaccard | RBO    | 1st    | All
-------- | ------ | -- | ----- | ------- | ------- | ------ | ------ | ---
a        | b      | 10 | 3     | 0.5     | 0.4     | 0.4918 | 0.6667 | 0
"""


@pytest.fixture(autouse=True)
def other() -> None:
    """Another model, without a list of user 3."""
    lines = "".join(f"{user},{item},{-i}\n" for user in (1, 2) for i, item in enumerate((1, 9, 3, 2)))
    Path("other.csv").write_text(f"userid,itemid,score\n{lines}")


def test_a_users_list_is_a_table_with_the_measures_beneath(run: Run) -> None:
    text = run("explain", "rec.csv", "truth.csv", "--user-id", "1", "-k", "3")
    assert text == EXPLAINED
    both = run("explain", "a=rec.csv", "b=other.csv", "truth.csv", "--user-id", "3", "-k", "3")
    assert both.startswith("User 3, a, top-3\n")
    assert both.endswith(
        "User 3, b, top-3\n\nNo list.\n\n"
        "Relevant and not there: 1 (grade 1, nowhere), 2 (grade 1, nowhere), 4 (grade 1,\n  nowhere)\n"
        "An empty list: NDCG, recall and precision are 0.\n"
    )
    assert max(map(len, both.splitlines())) <= 80


def test_a_grade_below_the_lowest_that_is_relevant_is_no_hit(run: Run) -> None:
    Path("graded.csv").write_text("userid,itemid,rel\n1,1,3\n1,2,1\n1,4,2\n")
    text = run("explain", "rec.csv", "graded.csv", "--user-id", "1", "-k", "3", "--min-grade", "2")
    stars = [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("*")]
    assert stars == ["1"]
    assert "\nRecall@3 = 0.5\n" in text
    found = json.loads(run("evaluate", "rec.csv", "graded.csv", "--min-grade", "2", "--format", "json", "-q"))
    assert [row["recall"] for row in found] == [0.5]


def test_programs_get_all_columns(run: Run) -> None:
    arguments = ["rec.csv", "truth.csv", "--user-id", "1", "-k", "all", "--ties", "expected"]
    found = json.loads(run("explain", *arguments, "--format", "json"))
    assert [row["found_at"] for row in found] == [None] * 5
    assert found[3]["ndcg"] == pytest.approx(0.7039180890341349, abs=1e-15)
    run("explain", *arguments, "--output", "why.csv")
    rows = list(csv.DictReader(io.StringIO(Path("why.csv").read_text())))
    assert [row["rank"] for row in rows] == ["1", "2", "3", "4", ""]


def test_scores_are_shown_as_they_were_given(run: Run) -> None:
    """Whose lowest is the best, those of `other` are; 0 is not -0."""
    Path("two.csv").write_text("userid,itemid,system,score\n1,1,a,0.0\n1,2,a,2.5\n1,1,b,0.0\n1,2,b,2.5\n")
    one, user = ["--ascending=b", "--user-id", "1"], ["--user-id", "1", "--format", "json"]
    assert "| 1    | 1    | 0     |" in run("explain", "two.csv", "truth.csv", *one).partition(", b,")[2]
    of_rec = ["10.0", "8.0", "6.0", "2.0"]
    for files, expected in (
        (["two.csv", "--ascending=b"], ["2.5", "0.0", "0.0", "2.5"]),
        (["two.csv:ascending"], ["0.0", "2.5"] * 2),
        (["two.csv", "--ascending"], ["0.0", "2.5"] * 2),
        (["two.csv:descending", "--ascending"], ["2.5", "0.0"] * 2),
        (["b=other.csv:ascending", "c=rec.csv"], ["-3.0", "-2.0", "-1.0", "0.0", *of_rec]),
        (["two.csv:ascending", "c=rec.csv"], ["0.0", "2.5"] * 2 + of_rec),
        (["rec.csv:ascending"], of_rec[::-1]),
    ):
        rows = json.loads(run("explain", *files, "truth.csv", *user), parse_float=str, parse_int=str)
        assert [row["score"] for row in rows if row["rank"] is not None] == expected


def test_a_user_without_truth_has_a_note(capsys: pytest.CaptureFixture[str]) -> None:
    Path("truth.csv").write_text("userid,itemid\n2,1\n")
    assert main(["explain", "rec.csv", "truth.csv", "--user-id", "1", "-k", "2"]) == 0
    out, err = capsys.readouterr()
    assert err == "ranking-udfs: note: user 1 is not in the truth: nothing can be measured\n"
    assert "NDCG" not in out


def test_overlap_needs_no_truth(run: Run) -> None:
    """Of users 1 and 2, three of four items are common: at depths 1 to 4 one, one, two and three."""
    text = run("overlap", "a=rec.csv", "b=other.csv")
    assert text.startswith(OVERLAP)
    (row,) = json.loads(run("overlap", "a=rec.csv", "b=other.csv", "--format", "json", "--baseline", "b"))
    assert (row["baseline"], row["users"], row["baseline_users_without_rec"]) == ("b", 3, 1)
    assert row["overlap"] == 0.5
    assert "Without a list of b (counted as 0), k = 10: 1 of the users\n" in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_user_is_found_by_the_type_of_the_column(run: Run, con: duckdb.DuckDBPyConnection) -> None:
    con.execute("COPY (SELECT 3.0::DOUBLE AS userid, 1 AS itemid, 'nan'::DOUBLE AS score) TO 'rec.parquet'")
    con.execute("COPY (SELECT 3.0::DOUBLE AS userid, 1 AS itemid) TO 'truth.parquet'")
    for user in ("3", "3.0"):
        assert "*   | 1    | 1    | nan " in run("explain", "rec.parquet", "truth.parquet", "--user-id", user)


def test_errors_say_what_to_write(fails: Fails, con: duckdb.DuckDBPyConnection) -> None:
    files = ["rec.csv", "truth.csv"]
    unknown = "explain: --user-id must be a user of REC or TRUTH, got 'x'"
    assert fails(2, "explain", *files, "--user-id", "x") == unknown
    several = fails(2, "explain", *files, "--user-id", "1", "-k", "1,2")
    assert several.startswith("-k must be one cut-off, got 1,2")
    assert fails(2, "explain", *files).startswith("the following arguments are required: --user-id")
    assert fails(2, "overlap", "rec.csv").startswith("overlap: there must be two models or more, as in ")
    two = ["a=rec.csv", "b=other.csv"]
    assert fails(2, "overlap", *two, "--persistence", "0").startswith(
        "argument --persistence: must be a number above 0 and up to 1, got '0'"
    )
    assert fails(2, "overlap", *two, "--baseline", "x").startswith(
        "overlap: --baseline must be a model (a, b)"
    )
    assert fails(2, "overlap", *two, "--grade", "x").startswith("unrecognized arguments: --grade")
