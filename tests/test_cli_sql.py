"""Test `ranking-udfs sql`, whose statements give the rows of `evaluate` and `compare`."""
# ruff: noqa: E501  (a call is a line)

import json
import re
import shlex
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ranking_udfs.evaluation import queries
from tests.command import RANKS, Run, csv, evaluated, write
from tests.conftest import Con, module_connection

packed = module_connection()


EVALUATIONS = [
    "--measures ndcg@3,rbp(persistence=0.5),precision rec.csv --ties trec truth.csv -k 4 -k 2 --by-user 'by user.csv'",
    "rec.json --segment one.csv:country --measures err(max_grade=1),ndcg(gain=linear)@4 truth.csv -k 4 -k 2 --by-user 'by user.csv'",
    "--measures ndcg(gain=linear),auc --ties expected a=rec.csv b=rec.parquet truth.csv -k 4 -k 2 --by-user 'by user.csv'",
    "als=als.csv bert=bert.csv graded.csv -m ndcg(gain=linear)@2,mrr -k 2,4 --min-grade 2",
    "als.csv graded.csv -m ndcg,recall -k 2 --ties expected --min-grade 2",
    "als.csv relevant.csv -m mrr,novelty -k 2 --history train.csv --segment users.csv:country",
    "rec truth --database shop.duckdb -m mrr@4 --ascending",
    "a.run b.qrels -m mrr@4",
    "log.jsonl qrels.tsv -m ndcg -k 2 --segment queries.jsonl:metadata.kind",
]


@pytest.mark.slow
@pytest.mark.usefixtures("models")
@pytest.mark.parametrize("call", EVALUATIONS)
def test_printed_sql_gives_the_rows_of_evaluate(run: Run, packed: Con, call: str) -> None:
    """The statements run with the functions and in plain DuckDB."""
    csv("graded.csv", "userid,itemid,rel", *(f"{u},{i},{(u + i) % 4}" for u in range(10) for i in range(4)))
    csv("train.csv", "userid,itemid", *(f"{u},{i}" for u in range(9) for i in (0, 1, 2, 3, 11, 12, 13, 14)))
    csv("one.csv", "userid,country", "1,SE")
    csv("b.qrels", "q1 0 d3 2", "q2 0 d2 1", "q2 0 d9 0")
    csv("qrels.tsv", "query-id\tcorpus-id\tscore", "q1\tc2\t1", "q2\tc3\t2")
    Path("a.run").write_text("".join(f"q{t} Q0 d{d} {d} {9 - d}.5 tag\n" for t in (1, 2) for d in (1, 2, 3)))
    csv(
        "log.jsonl",
        '{"query_id": "q1", "results": [{"chunk_id": "c1", "score": 2.5}, {"chunk_id": "c2", "score": 1}]}',
        '{"query_id": "q2", "results": [{"chunk_id": "c3", "score": 2}]}',
    )
    csv("queries.jsonl", *(f'{{"_id": "{q}", "metadata": {{"kind": "{q}"}}}}' for q in ("q1", "q2")))
    for form in ("parquet", "json"):
        write(f"rec.{form}", "FROM 'rec.csv'")
    with duckdb.connect("shop.duckdb") as shop:
        shop.execute("CREATE TABLE rec AS FROM 'als.csv'; CREATE VIEW truth AS FROM 'relevant.csv'")
    arguments = shlex.split(call)
    assert "-- Requires ranking_udfs.register" not in run("sql", *arguments)
    with duckdb.connect() as plain:
        for con in (packed, plain):
            check_statements(run, con, arguments)


def check_statements(run: Run, con: Con, arguments: list[str]) -> None:
    """Run what `sql` prints and compare its rows and its file with those of `evaluate`."""
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
    # Counts of all users are NULL in the rows of a segment; its SQL has no such columns.
    assert not by_segment or known(by_segment) in [known(result) for result in results]
    assert values == (file.read_text() if file else None)


CSV_FILES = {  # the lines of rec, the types of ids that its reader names, None where it cannot; grades
    "integers": (["u,i,s", "1,10,0.5", "1,11,0.25", "2,10,3"], "BIGINT BIGINT", ["1", "2"]),
    "leading zeros": (["u,i,s", "01,10,0.5", "1,11,0.25", "2,010,3"], "VARCHAR VARCHAR", ["1", "2"]),
    "one that is no integer": (["u,i,s", "1,10,5", "2,1.0,4", "2,10,3"], "BIGINT VARCHAR", ["1", "2"]),
    "quotes": (["u;i;s", '1;"a;b";0.5', '1;"c ""d""";0.25', "2;10;"], "BIGINT VARCHAR", ["1", "2"]),
    "tabs": (["u\ti\ts", "1\ta\t1e3", "1\tb\t1"], "BIGINT VARCHAR", ["1", "0"]),
    "grades that are words": (["u,i,s", "1,10,0.5", "2,11,0.25"], None, ["true", "false"]),
    "lines of two lengths": (["u,i,s,more", "1,10,0.5", "2,11,0.25,x"], None, ["1", "1"]),
}


@pytest.mark.parametrize("name", CSV_FILES)
def test_printed_sql_names_the_types_of_all_columns(run: Run, folder: Path, name: str) -> None:
    """The types must not depend on the first rows of the file."""
    lines, kinds, grades = CSV_FILES[name]
    csv("rec.csv", *lines)
    users = [re.split("[;,\t]", line)[0] for line in lines[1:]]
    csv("truth.csv", "u,i,rel", *(f"{user},10,{grade}" for user, grade in zip(users, grades, strict=False)))
    arguments = ["rec.csv", "truth.csv", "--user", "u", "--item", "i", "--score", "s", "-k", "2"]
    expected = evaluated(run, *arguments, "--no-check")
    printed = run("sql", *arguments)
    assert printed.count("auto_detect = false, header = true") == (2 if kinds else 1)
    with duckdb.connect() as con:
        *statements, last = con.extract_statements(printed)
        for statement in statements:
            con.execute(statement.query)
        assert queries.fetch_rows(con, last.query) == expected
        types = "SELECT DISTINCT typeof(userid) || ' ' || typeof(itemid) FROM rec"
        if kinds:
            assert con.execute(types).fetchall() == [(kinds,)]
            csv("rec.csv", lines[0], lines[-1])
            con.execute(statements[0].query)
            assert con.execute(types).fetchall() == [(kinds,)]


def assert_same(rows: list[dict[str, Any]], expected: list[dict[str, Any]]) -> None:
    """Assert that rows are equal except for the last digits of t."""
    assert len(rows) == len(expected) > 0
    for row, other in zip(rows, expected, strict=True):
        floats = {name for name, value in other.items() if isinstance(value, float)}
        assert row == other | {name: pytest.approx(other[name], 1e-12, 0) for name in floats}


def known(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows, sorted, without what is NULL."""
    return sorted([{n: cell for n, cell in row.items() if cell is not None} for row in rows], key=repr)


def without(column: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name != column} for row in rows]


COMPARISONS = [
    "--baseline als -m mrr --segment users.csv:country --margin 0.01",
    "-m mrr@2,ndcg(gain=linear),first_hit_rank -k 1,4 --confidence 0.9 --correction bh",
    "-m novelty@2,mrr --history train.csv --baseline pop --correction none",
    "-m ndcg --predicted-truth predicted.csv --segment users.csv:country",
    "-m mrr --also latency --margin 0.01",
]


@pytest.mark.slow
@pytest.mark.usefixtures("models")
@pytest.mark.parametrize("options", COMPARISONS)
def test_printed_sql_of_a_comparison_runs_in_plain_duckdb(run: Run, options: str) -> None:
    """Student's t is computed in SQL, to 1e-12. The SQL has no caveats of the check."""
    csv("users.csv", "userid,country", *(f"{u},{'SE' if u < 5 else 'NO'}" for u in range(9)))
    csv("train.csv", "userid,itemid", *(f"{u},{i}" for u in range(9) for i in (1, 2, 11)))
    csv("predicted.csv", "userid,itemid,rel", *(f"{u},{i},{(u + i) % 2}" for u in range(25) for i in (1, 2)))
    for name in RANKS:
        write(f"{name}.parquet", f"SELECT *, hash('{name}', userid) % 7 AS latency FROM '{name}.csv'")
    files = [f"{name}={name}.parquet" for name in RANKS]
    arguments = ["compare", *files, "relevant.csv", *options.split(), "-q"]
    printed = run(*arguments, "--format", "sql")
    assert not re.search(r"Requires ranking_udfs|system\.main", printed)
    with duckdb.connect() as plain:
        tables = [queries.fetch_rows(plain, each.query) for each in plain.extract_statements(printed)]
    compared = [row for rows in tables for row in rows if "verdict" in row]
    shown = json.loads(run(*arguments, "--format", "json"))
    assert_same(*([{"segment": "(all)"} | row | {"caveats": None} for row in of] for of in (compared, shown)))


@pytest.mark.usefixtures("models")
def test_printed_sql_of_randomization_says_what_it_needs(run: Run) -> None:
    arguments = ["compare", "als=als.csv", "pop=pop.csv", "relevant.csv", "-q", "--format", "sql"]
    assert run(*arguments, "--pairs") == run(*arguments)
    printed = run(*arguments, "--test", "randomization")
    assert "-- Requires ranking_udfs.register(con), for system.main._ranking_sign_flips.\n" in printed
