"""The command `split`: train and test of a file of events."""

import duckdb

from tests.command import Run


def test_a_parquet_file_keeps_its_types_and_integers_are_times(run: Run) -> None:
    duckdb.execute("COPY (SELECT i % 2 AS u, i AS i, i AS t FROM range(6) t(i)) TO 'events.parquet'")
    names = ("--user", "u", "--item", "i", "--time", "t")
    run("split", "events.parquet", *names, "--test-from", "4", "--seen", "drop", "--output", "out")
    assert duckdb.execute("FROM 'out/test.parquet' ORDER BY ALL").fetchall() == [(0, 4, 4), (1, 5, 5)]
    run("split", "events.parquet", *names, "--last", "1", "--output", "out")
    assert duckdb.execute("FROM 'out/train.parquet' ORDER BY i").fetchall()[-1] == (1, 3, 3)
