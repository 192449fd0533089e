"""`ranking-udfs explain` and `overlap`: what they print, at 80 columns and for programs, and their errors."""

import json
from pathlib import Path

import duckdb
import pytest

from tests.command import Run


@pytest.fixture(autouse=True)
def other(folder: Path) -> None:
    """Another model, without a list of user 3."""
    lines = "".join(f"{user},{item},{-i}\n" for user in (1, 2) for i, item in enumerate((1, 9, 3, 2)))
    Path("other.csv").write_text(f"userid,itemid,score\n{lines}")


def test_scores_are_shown_as_they_were_given(run: Run) -> None:
    """Whose lowest is the best, those of `other` are; 0 is not -0."""
    Path("two.csv").write_text("userid,itemid,system,score\n1,1,a,0.0\n1,2,a,2.5\n1,1,b,0.0\n1,2,b,2.5\n")
    one, user = ["--ascending=b", "--user-id", "1"], ["--user-id", "1", "--format", "json"]
    assert " 1       1       0  " in run("explain", "two.csv", "truth.csv", *one).partition(", b,")[2]
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


def test_a_user_is_found_by_the_type_of_the_column(run: Run, of_command: duckdb.DuckDBPyConnection) -> None:
    of_command.execute(
        "COPY (SELECT 3.0::DOUBLE AS userid, 1 AS itemid, 'nan'::DOUBLE AS score) TO 'rec.parquet'"
    )
    of_command.execute("COPY (SELECT 3.0::DOUBLE AS userid, 1 AS itemid) TO 'truth.parquet'")
    for user in ("3", "3.0"):
        assert "*      1       1       nan " in run(
            "explain", "rec.parquet", "truth.parquet", "--user-id", user
        )
