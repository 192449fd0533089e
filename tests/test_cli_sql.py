"""`ranking-udfs sql`: statements that give what `evaluate` gives."""

# ruff: noqa: F811  (fixtures that are imported, and are arguments)

from pathlib import Path

import duckdb
import pytest

from ranking_udfs.evaluation import queries
from tests.command import (  # noqa: F401
    ROOT,
    K,
    Run,
    con,
    emptied,
    evaluated,
    folder,
    registered,
    run,
    write,
)


@pytest.mark.parametrize(
    "arguments",
    [
        ["rec.parquet"],
        ["--measures", "ndcg@3,rbp(persistence=0.5),precision", "rec.csv"],
        ["rec.json", "--segment", "users.csv:country"],
        ["rec.parquet", "--ties", "trec"],
        ["--measures", "ndcg(gain=linear),auc", "--ties", "expected", "rec.parquet"],
        ["a=rec.csv", "b=rec.parquet"],
    ],
)
def test_sql_gives_what_evaluate_gives(
    run: Run, con: duckdb.DuckDBPyConnection, arguments: list[str]
) -> None:
    Path("users.csv").write_text("userid,country\n1,SE\n")
    for form in ("parquet", "json"):
        write(con, f"rec.{form}", "FROM 'rec.csv'")
    arguments = [*arguments, "truth.csv", *K, "--by-user", "by user.csv"]
    rows = evaluated(run, *arguments, "--no-check")
    values = Path("by user.csv").read_text()
    Path("by user.csv").unlink()
    expected = [row for row in rows if row.pop("segment", "(all)") == "(all)"]
    script = run("sql", *arguments)
    emptied(con)
    results = [queries.fetch_rows(con, statement.query) for statement in con.extract_statements(script)]
    assert any(sorted(expected, key=repr) == sorted(found, key=repr) for found in results)
    assert Path("by user.csv").read_text() == values


def test_sql_needs_no_function_of_python(run: Run) -> None:
    Path("users.csv").write_text("userid,country\n1,SE\n")
    arguments = ["rec.csv", "truth.csv", *K, "--measures", "err(max_grade=1),ndcg(gain=linear)@4"]
    more = ["--by-user", "values.csv", "--segment", "users.csv:country"]
    rows = evaluated(run, *arguments, *more)
    values = Path("values.csv").read_text()
    Path("values.csv").unlink()
    with duckdb.connect() as bare:
        bare.execute((ROOT / "sql" / "ranking_udfs.sql").read_text())
        statements = bare.extract_statements(run("sql", *arguments, *more))
        *_, summary, by_segment, _ = [queries.fetch_rows(bare, statement.query) for statement in statements]
    found = [{"segment": "(all)"} | row for row in summary]
    found += [{"users_without_truth": None} | row for row in by_segment]
    assert rows == sorted(found, key=lambda row: (row["segment"], row["k"]))
    assert Path("values.csv").read_text() == values
