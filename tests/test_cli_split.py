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
    assert [line.split()[:4] for line in printed.splitlines()[2:]] == [
        ["1", "train", "NULL", "1"],
        ["1", "test", "NULL", "2"],
        ["1", "NULL", "gap", "1"],
    ]


def test_a_parquet_file_keeps_its_types_and_integers_are_times(run: Run) -> None:
    duckdb.execute("COPY (SELECT i % 2 AS u, i AS i, i AS t FROM range(6) t(i)) TO 'events.parquet'")
    names = ("--user", "u", "--item", "i", "--time", "t")
    run("split", "events.parquet", *names, "--test-from", "4", "--seen", "drop", "--output", "out")
    assert duckdb.execute("FROM 'out/test.parquet' ORDER BY ALL").fetchall() == [(0, 4, 4), (1, 5, 5)]
    run("split", "events.parquet", *names, "--last", "1", "--output", "out")
    assert duckdb.execute("FROM 'out/train.parquet' ORDER BY i").fetchall()[-1] == (1, 3, 3)


def test_the_events_are_not_overwritten(fails: Fails) -> None:
    Path("out").mkdir()
    Path("out/train.csv").write_text(EVENTS)
    assert fails(1, "split", "out/train.csv", "--last", "1", "--output", "out") == (
        "out/train.csv: would overwrite out/train.csv, which is the same file"
    )
