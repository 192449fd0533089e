"""`ranking-udfs sql`: statements that give what `evaluate` gives."""

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ranking_udfs.evaluation import queries
from tests.command import RANKS, K, Run, csv, evaluated, write
from tests.conftest import module_connection

bare = module_connection(is_script=True)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--measures", "ndcg@3,rbp(persistence=0.5),precision", "rec.csv", "--ties", "trec"],
        ["rec.json", "--segment", "users.csv:country", "--measures", "err(max_grade=1),ndcg(gain=linear)@4"],
        ["--measures", "ndcg(gain=linear),auc", "--ties", "expected", "a=rec.csv", "b=rec.parquet"],
    ],
)
def test_sql_gives_what_evaluate_gives_without_python(
    run: Run, bare: duckdb.DuckDBPyConnection, arguments: list[str]
) -> None:
    Path("users.csv").write_text("userid,country\n1,SE\n")
    for form in ("parquet", "json"):
        write(f"rec.{form}", "FROM 'rec.csv'")
    arguments = [*arguments, "truth.csv", *K, "--by-user", "by user.csv"]
    rows = evaluated(run, *arguments, "--no-check")
    values = Path("by user.csv").read_text()
    Path("by user.csv").unlink()
    by_segment = [row for row in rows if row.get("segment", "(all)") != "(all)"]
    everybody = [row for row in rows if row not in by_segment]
    statements = bare.extract_statements(run("sql", *arguments))
    results = [sorted(queries.fetch_rows(bare, statement.query), key=repr) for statement in statements]
    assert sorted(without("segment", everybody), key=repr) in results
    assert not by_segment or sorted(without("users_without_truth", by_segment), key=repr) in results
    assert Path("by user.csv").read_text() == values


def without(column: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name != column} for row in rows]


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


@pytest.mark.usefixtures("models")
def test_differences_by_user_are_those_of_the_values_of_each_model(run: Run) -> None:
    """At their own cut-offs, with what is in the lists, users without a value, a name like a formula."""
    csv("train.csv", "userid,itemid", "0,1", "1,2")
    given = ["als=als.csv", "@b=bert.csv", "pop=pop.csv", "relevant.csv", "--history", "train.csv", "-q"]
    given += ["--safe-csv", "--no-check", "--by-user"]
    of_truth, of_lists = "mrr@2,4,first_hit_rank@4", "novelty@3"  # which have cut-offs of their own
    values = {}
    for measures in (of_truth, of_lists):
        run("evaluate", *given, "values.csv", "-m", measures)
        for row in queries.fetch_rows(duckdb.connect(), "FROM 'values.csv'"):
            for name in {"mrr", "first_hit_rank", "novelty"} & row.keys():
                values[row["system"], row["userid"], row["k"], name] = row[name]
    for baseline, pairs in (
        ("pop", [("pop", "'@b"), ("pop", "als")]),
        (None, [("'@b", "als"), ("'@b", "pop")]),
    ):
        pairs += [] if baseline else [("als", "pop")]
        chosen = ["--baseline", baseline] if baseline else []
        run("compare", *given, "found.csv", "-m", f"{of_truth},{of_lists}", *chosen)
        found = queries.fetch_rows(duckdb.connect(), "FROM 'found.csv'")
        assert len(found) == len(pairs) * 4 * 10
        assert {(row["baseline"], row["system"]) for row in found} == set(pairs)
        for row in found:
            one, other = (
                values[row[side], row["userid"], row["k"], row["measure"]] for side in ("baseline", "system")
            )
            assert (row["value_baseline"], row["value_system"]) == (one, other)
            assert row["difference"] == (None if None in (one, other) else other - one)
