"""`ranking-udfs sql`: statements that give what `evaluate` gives."""

import json
from pathlib import Path

import duckdb
import pytest

from ranking_udfs.evaluation import queries
from tests.command import RANKS, ROOT, K, Run, csv, emptied, evaluated, write


@pytest.mark.parametrize(
    "arguments",
    [
        ["--measures", "ndcg@3,rbp(persistence=0.5),precision", "rec.csv", "--ties", "trec"],
        ["rec.json", "--segment", "users.csv:country"],
        ["--measures", "ndcg(gain=linear),auc", "--ties", "expected", "a=rec.csv", "b=rec.parquet"],
    ],
)
def test_sql_gives_what_evaluate_gives(
    run: Run, of_command: duckdb.DuckDBPyConnection, arguments: list[str]
) -> None:
    Path("users.csv").write_text("userid,country\n1,SE\n")
    for form in ("parquet", "json"):
        write(f"rec.{form}", "FROM 'rec.csv'")
    arguments = [*arguments, "truth.csv", *K, "--by-user", "by user.csv"]
    rows = evaluated(run, *arguments, "--no-check")
    values = Path("by user.csv").read_text()
    Path("by user.csv").unlink()
    expected = [row for row in rows if row.pop("segment", "(all)") == "(all)"]
    script = run("sql", *arguments)
    emptied(of_command)
    results = [
        queries.fetch_rows(of_command, statement.query) for statement in of_command.extract_statements(script)
    ]
    assert any(sorted(expected, key=repr) == sorted(found, key=repr) for found in results)
    assert Path("by user.csv").read_text() == values


@pytest.mark.usefixtures("models")
def test_sql_of_a_comparison_gives_its_rows(run: Run, of_command: duckdb.DuckDBPyConnection) -> None:
    csv("users.csv", "userid,country", *(f"{u},{'SE' if u < 5 else 'NO'}" for u in range(9)))
    arguments = ["compare", *(f"{name}={name}.csv" for name in RANKS), "relevant.csv", "--baseline", "als"]
    arguments += ["--measures", "mrr", "--segment", "users.csv:country", "--margin", "0.01", "-q", "--format"]
    statements = of_command.extract_statements(run(*arguments, "sql"))
    *_, everybody, found = [of_command.execute(statement.query).fetchall() for statement in statements]
    shown = json.loads(run(*arguments, "json"))
    rows = [[value for name, value in row.items() if name != "caveats"] for row in shown]
    without = [[*row[:-3], *row[-2:]] for row in found]  # caveats of the check are not in its SQL
    assert without == [row for row in rows if "(all)" not in row]
    assert len(everybody) == 2


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
