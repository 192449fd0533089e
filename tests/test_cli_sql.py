"""`ranking-udfs sql`: statements that give what `evaluate` gives."""

import json
import shlex
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ranking_udfs.evaluation import queries
from tests.command import NDCG_VALUES, RANKS, Run, csv, evaluated, stdin, write
from tests.conftest import Con, Patch, module_connection, text_rows

packed = module_connection()
bare = module_connection(is_script=True)


@pytest.mark.usefixtures("models")
@pytest.mark.parametrize("row", text_rows("evaluations as SQL"))
def test_printed_sql_gives_what_evaluate_gives(run: Run, packed: Con, bare: Con, row: list[str]) -> None:
    """Without Python, too, unless a measure has options."""
    csv("graded.csv", "userid,itemid,rel", *(f"{u},{i},{(u + i) % 4}" for u in range(10) for i in range(4)))
    csv("train.csv", "userid,itemid", *(f"{u},{i}" for u in range(9) for i in (0, 1, 2, 3, 11, 12, 13, 14)))
    csv("one.csv", "userid,country", "1,SE")
    csv("b.qrels", "q1 0 d3 2", "q2 0 d2 1", "q2 0 d9 0")
    csv("qrels.tsv", "query-id\tcorpus-id\tscore", "q1\tc2\t1", "q2\tc3\t2")
    Path("a.run").write_text("".join(f"q{t} Q0 d{d} {d} {9 - d}.5 tag\n" for t in (1, 2) for d in (1, 2, 3)))
    one = '{"query_id": "q1", "results": [{"chunk_id": "c1", "score": 2.5}, {"chunk_id": "c2", "score": 1}]}'
    csv("log.jsonl", one, '{"query_id": "q2", "results": [{"chunk_id": "c3", "score": 2}]}')
    kinds = {"q1": "long", "q2": "short"}
    csv("queries.jsonl", *(f'{{"_id": "{q}", "metadata": {{"kind": "{one}"}}}}' for q, one in kinds.items()))
    for form in ("parquet", "json"):
        write(f"rec.{form}", "FROM 'rec.csv'")
    with duckdb.connect("shop.duckdb") as made:
        made.execute("CREATE TABLE rec AS FROM 'als.csv'; CREATE VIEW truth AS FROM 'relevant.csv'")
    for con in [packed] if "(" in row[0] else [packed, bare]:
        check_statements(run, con, shlex.split(row[0]))


def check_statements(run: Run, con: Con, arguments: list[str]) -> None:
    """Run what `sql` prints: its rows, and the file that it may write, are those of `evaluate`."""
    rows = evaluated(run, *arguments, "--no-check")
    by_segment = [row for row in rows if row.get("segment", "(all)") != "(all)"]
    everybody = [row for row in rows if row not in by_segment]
    file = Path(arguments[-1]) if "--by-user" in arguments else None
    values = file.read_text() if file else None
    if file:
        file.unlink()
    statements = con.extract_statements(run("sql", *arguments))
    results = [sorted(queries.fetch_rows(con, statement.query), key=repr) for statement in statements]
    assert everybody
    assert sorted(without("segment", everybody), key=repr) in results
    # Counts that are of everybody are NULL in rows of a segment; its SQL has no such columns.
    assert not by_segment or known(by_segment) in [known(result) for result in results]
    assert values == (file.read_text() if file else None)


def test_sql_of_standard_input_reads_it_when_it_is_run(run: Run, con: Con, monkeypatch: Patch) -> None:
    stdin(monkeypatch, Path("rec.csv").read_bytes())
    printed = run("sql", "a=-", "truth.csv", "-m", "ndcg@4")
    assert printed.count("FROM read_csv('/dev/stdin'") == 1
    found = con.execute(printed.replace("/dev/stdin", "rec.csv")).fetchall()
    assert found == [("a", 4, 3, 0, 0, 0, float(NDCG_VALUES[0]))]


def known(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows, sorted, without what is NULL."""
    return sorted([{n: cell for n, cell in row.items() if cell is not None} for row in rows], key=repr)


def without(column: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name != column} for row in rows]


@pytest.mark.usefixtures("models")
def test_sql_of_a_comparison_gives_its_rows(run: Run, of_command: Con) -> None:
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
    of_pair = ["compare", "als=als.csv", "pop=pop.csv", "relevant.csv", "-m", "mrr@2", "-q", "--format"]
    (row,) = json.loads(run(*of_pair, "json"))
    *_, last = [of_command.execute(one.query) for one in of_command.extract_statements(run(*of_pair, "sql"))]
    names = [name for name, *_ in last.description]
    assert [dict(zip(names, values, strict=True)) | {"caveats": None} for values in last.fetchall()] == [row]
    assert run(*of_pair, "sql", "--pairs") == run(*of_pair, "sql")


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
