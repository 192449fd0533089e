"""The command `split`: train and test of a file of events."""

from pathlib import Path

import duckdb
import pytest

from tests.command import Fails, Run, con, fails, folder, registered, run

__all__ = ["con", "fails", "folder", "registered", "run"]
EVENTS = """userid,itemid,time,note
007,1.10,2026-01-01,a
8,x,2026-01-05,
7,1.1,2026-01-06,"b, c"
8,y,2026-01-07,d
"""


@pytest.fixture(autouse=True)
def events(folder: Path) -> None:
    Path("events.csv").write_text(EVENTS)


def lines(name: str) -> list[str]:
    first, *rest = Path(name).read_text().splitlines()
    return [first, *sorted(rest)]


def test_train_and_test_are_files_with_all_columns_as_they_were_written(run: Run) -> None:
    printed = run("split", "events.csv", "--test-size", "2 days", "--gap", "1 day", "--output", "out")
    assert lines("out/train.csv") == ["userid,itemid,time,note", "007,1.10,2026-01-01,a"]
    assert lines("out/test.csv") == [
        "userid,itemid,time,note",
        '7,1.1,2026-01-06,"b, c"',
        "8,y,2026-01-07,d",
    ]
    assert [line.split(" | ")[0:4] for line in printed.splitlines()[2:]] == [
        ["1   ", "train", "NULL   ", "1     "],
        ["1   ", "test ", "NULL   ", "2     "],
        ["1   ", "NULL ", "gap    ", "1     "],
    ]


def test_each_of_several_folds_has_a_folder(run: Run) -> None:
    run("split", "events.csv", "--test-size", "1 day", "--folds", "2", "--output", "out")
    assert lines("out/fold_1/test.csv")[1:] == ["8,y,2026-01-07,d"]
    assert lines("out/fold_2/test.csv")[1:] == ['7,1.1,2026-01-06,"b, c"']
    assert lines("out/fold_2/train.csv")[1:] == ["007,1.10,2026-01-01,a", "8,x,2026-01-05,"]


def test_a_parquet_file_keeps_its_types_and_integers_are_times(run: Run) -> None:
    duckdb.execute("COPY (SELECT i % 2 AS u, i AS i, i AS t FROM range(6) t(i)) TO 'events.parquet'")
    names = ("--user", "u", "--item", "i", "--time", "t")
    run("split", "events.parquet", *names, "--test-from", "4", "--seen", "drop", "--output", "out")
    assert duckdb.execute("FROM 'out/test.parquet' ORDER BY ALL").fetchall() == [(0, 4, 4), (1, 5, 5)]
    run("split", "events.parquet", *names, "--last", "1", "--output", "out")
    assert duckdb.execute("FROM 'out/train.parquet' ORDER BY i").fetchall()[-1] == (1, 3, 3)


def test_what_is_wrong_is_said_on_one_line(fails: Fails) -> None:
    out = ("--output", "out")
    assert fails(2, "split", "events.csv", *out, "--test-size", "7 dayz") == (
        "--test-size must be of type INTERVAL, for a time of type DATE, got '7 dayz'"
    )
    for option, others in (("--test-size", ()), ("--gap", ("--test-size", "1 day"))):
        for number in ("7", "7.5", " 7 "):
            assert fails(2, "split", "events.csv", *out, *others, option, number) == (
                f"{option} must have a unit, such as '7 days', got {number!r}"
            )
    assert fails(2, "split", "events.csv", *out, "--test-from", "May") == (
        "--test-from must be of type DATE, for a time of type DATE, got 'May'"
    )
    required = "split: --test-size, --test-from or --last is required"
    assert required in fails(2, "split", "events.csv", *out)
    days, start = ("--test-size", "7 days"), ("--test-from", "2026-05-01")
    for both in (days, start, (*days, *start)):
        told = fails(2, "split", "events.csv", *out, "--last", "1", *both)
        assert "split: --last takes neither --test-size nor --test-from" in told
    assert fails(1, "split", "none.csv", *out, "--last", "1") == "none.csv: no such file"
    assert fails(1, "split", "events.txt", *out, "--last", "1") == (
        "events.txt: events must be a file that ends in .csv, .tsv, .parquet"
    )
    assert "no column 'when'" in fails(1, "split", "events.csv", *out, "--last", "1", "--time", "when")
    assert fails(2, "split", "events.csv", "--last", "1") == (
        "the following arguments are required: --output (see ranking-udfs split --help)"
    )


def test_the_events_are_not_overwritten(fails: Fails) -> None:
    Path("out").mkdir()
    Path("out/train.csv").write_text(EVENTS)
    assert fails(1, "split", "out/train.csv", "--last", "1", "--output", "out") == (
        "out/train.csv: would overwrite out/train.csv, which is the same file"
    )
