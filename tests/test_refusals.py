"""Test each rule about the columns of rec and truth through every entry point.

`ranking.check` has a row for each rule where the others raise an error.
"""
# ruff: noqa: E501  (a case is a line)

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import ranking_udfs
from ranking_udfs.command.cli import main
from ranking_udfs.duckdb.macros import macros
from ranking_udfs.macros.files import signatures
from tests.calls import table_functions
from tests.conftest import Captured, Con, Patch, module_connection, refusal, value

REC = "SELECT {} FROM (VALUES (1, 'a', 3.0), (1, 'b', 2.0), (2, 'c', 1.0)) t(userid, itemid, score)"
TRUTH = "SELECT {} FROM (VALUES (1, 'b', 1), (1, 'a', 0), (2, 'c', 2)) t(userid, itemid, n)"
# A rule, what is selected from rec and from truth, an argument, and words of the error, if any.
RULES = [
    ("a column that looks like systems", "*, 'a' AS model", "* EXCLUDE (n)", "", "column model that is not read"),
    ("it is named", "*, 'a' AS model", "* EXCLUDE (n)", "system_col=model", ""),
    ("there are no systems", "*, 'a' AS model", "* EXCLUDE (n)", "system_col=", ""),
    ("a column that looks like runs", "*, 7 AS seed", "* EXCLUDE (n)", "", "column seed that is not read"),
    ("with systems", "*, 'a' AS system, 7 AS seed", "* EXCLUDE (n)", "", "column seed that is not read"),
    ("each user has one list", "*, 7 AS seed", "* EXCLUDE (n)", "system_col=", ""),
    ("a number that looks like grades", "*", "* RENAME (n AS stars)", "", "column stars that is not read"),
    ("a truth value", "*", "* EXCLUDE (n), n > 0 AS label", "", "column label that is not read"),
    ("a text is no grade", "*", "* EXCLUDE (n), 'good' AS label", "", ""),
    ("rel is the grade", "*", "*, n AS stars, n AS rel", "", ""),
    ("the grade is named", "*", "* RENAME (n AS stars)", "grade_col=stars", ""),
    ("every row is relevant", "*", "* RENAME (n AS stars)", "grade_col=", ""),
    ("several scores in truth", "*", "* RENAME (n AS score)", "", "column score that is not read"),
    ("several DECIMAL scores", "*", "* EXCLUDE (n), n::DECIMAL(5, 2) AS Score", "", "column score that is not read"),
    ("under the name of rec's", "* RENAME (score AS points)", "* RENAME (n AS points)", "score_col=points", "column points that is not read"),
    ("one score", "*", "* EXCLUDE (n), 1 AS score", "", ""),
    ("one score, and none", "*", "* EXCLUDE (n), nullif(n > 0, false)::INTEGER AS score", "", ""),
    ("scores as texts", "*", "* EXCLUDE (n), n::VARCHAR AS score", "", "column score that is not read"),
    ("numbers of any name", "*", "* RENAME (n AS clicked)", "", "column clicked that is not read"),
    ("numbers from 0 to 10", "*", "* EXCLUDE (n), (5 * n)::DECIMAL(9, 2) AS target", "", "column target that is not read"),
    ("numbers in text", "*", "* EXCLUDE (n), n::VARCHAR AS human", "", "column human that is not read"),
    ("several grades", "*", "*, n AS purchased, 2 - n AS judgment", "", "columns n, purchased, judgment that are not read"),
    ("numbers above 10", "*", "* EXCLUDE (n), 6 * n AS many", "", ""),
    ("other numbers", "*", "* EXCLUDE (n), n - 1 AS less, n / 2 AS halves, 1 AS one, 0 AS zero, if(n = 1, 'x', '0') AS text", "", ""),
    ("times", "*", "* EXCLUDE (n), n AS time, n AS bought_at, n AS Event_Date, DATE '2026-01-01' + n AS since", "", ""),
    ("a name of grades", "*", "* EXCLUDE (n), if(n = 1, 'N/A', n::VARCHAR) AS relevance", "", "column relevance that is not read"),
    ("a score of 0", "*", "* EXCLUDE (n), 0 AS score", "", "column score that is not read"),
    ("scores and rel", "*", "*, n AS score, n AS rel", "", ""),
    ("scores are the grade", "*", "* RENAME (n AS score)", "grade_col=score", ""),
    ("scores are no grade", "*", "* RENAME (n AS score)", "grade_col=", ""),
    ("a missing grade", "*", "* EXCLUDE (n)", "grade_col=stars", "column"),
    ("a grade that is no number", "*", "* EXCLUDE (n), if(n = 1, 'good', '0') AS rel", "", "rel must be a number, got good"),
    ("a score that is no number", "* REPLACE ('x' || score AS score)", "* EXCLUDE (n)", "", "score must be a number, got x"),
    ("numbers as texts", "* REPLACE (score::VARCHAR AS score)", "* EXCLUDE (n), n::VARCHAR || '.0' AS rel", "", ""),
    ("users of two types", "*", "* EXCLUDE (n) REPLACE (userid::DOUBLE AS userid)", "", "type"),
    ("items of two types", "* REPLACE ([itemid] AS itemid)", "* EXCLUDE (n)", "", "type"),
    ("no user", "*", "* EXCLUDE (n) REPLACE (nullif(userid, userid) AS userid)", "", "user"),
]  # fmt: skip
# A partition does not see all scores, so it refuses one score as it does several.
BY_NAME = ("one score", "one score, and none")
# Nor does it look at values.
BY_VALUE = (
    *("scores as texts", "numbers of any name", "numbers from 0 to 10", "numbers in text"),
    *("several grades", "a name of grades"),
)
FLAGS = {"grade_col": "--grade", "system_col": "--system", "score_col": "--score"}
OF_SQL = {"ks": "[2]", "max_k": "2", "k": "2", "intent_col": "'itemid'", "user": "1", "measures": "'recall'"}
con = module_connection()
script = module_connection(is_script=True)
OF_SCRIPT = ("evaluate", "by_user", "distribution", "judged", "explain")
COMMANDS = ("evaluate --no-check", "check", "explain --user-id 1")


def calls(columns: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield each table function that reads truth, except the check, and a call of it."""
    for name in table_functions() - {"ranking.check", "ranking.check_rows"}:
        (arguments, *_) = signatures(macros()[name.removeprefix("ranking.")].sql)
        names = [argument.partition(" := ")[0] for argument in arguments]
        options = OF_SQL | {option: repr(text) for option, text in columns.items()}
        if "truth" in names:
            texts = [f", {option} := {text}" for option, text in options.items() if option in names]
            yield name, f"FROM {name}('rec', 'truth'{''.join(texts)})"


def error_of(call: Callable[[], object]) -> str:
    """Return the error of a call, or an empty text."""
    try:
        call()
    except (duckdb.Error, ValueError) as error:
        return str(error)
    return ""


def partitioned(rec: pa.Table, truth: pa.Table, columns: Mapping[str, Any]) -> None:
    """Evaluate one partition, as Spark does."""
    job = ranking_udfs.partition("evaluate", rec.schema, truth.schema, [2], **columns)
    job.merge(job.part(rec, truth, ["a"] if "systems" in job.schemas else None))


@pytest.mark.slow
@pytest.mark.parametrize(("rule", "rec", "truth", "option", "words"), RULES)
def test_all_entry_points_refuse_the_same_tables(
    registered: None, con: Con, script: Con, tmp_path: Path, monkeypatch: Patch, capsys: Captured,
    rule: str, rec: str, truth: str, option: str, words: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    columns = dict([option.split("=")] if option else [])
    for name, query in {"rec": REC.format(rec), "truth": TRUTH.format(truth)}.items():
        con.execute(f"CREATE OR REPLACE TABLE {name} AS {query}; COPY {name} TO '{name}.parquet'")
    of_sql = dict(calls(columns))
    if not words:  # a call that succeeds takes longer
        of_sql = {"ranking.evaluate": of_sql["ranking.evaluate"]}
    errors = {name: error_of(lambda q=query: con.execute(q).fetchall()) for name, query in of_sql.items()}
    tables = con.table("rec").to_arrow_table(), con.table("truth").to_arrow_table()
    errors["Arrow"] = error_of(lambda: partitioned(*tables, columns))
    files = ("rec.parquet", "truth.parquet", "recall", 2)
    errors["Python"] = error_of(lambda: ranking_udfs.evaluate(*files, check=False, **columns))
    for command in COMMANDS:
        name, *more = command.split()
        flags = [text for option, column in columns.items() for text in (FLAGS[option], column)]
        main([name, *files[:2], "--quiet", *more, *flags])
        errors[command] = capsys.readouterr().err
    for name in OF_SCRIPT * (not option and rule != "several grades"):  # of which it names one
        arguments = {"judged": "2", "explain": "1, 2"}.get(name, "[2]")
        query = f"FROM ranking.{name}('rec.parquet', 'truth.parquet', {arguments})"
        errors[f"script {name}"] = error_of(lambda q=query: script.execute(q).fetchall())
    if rule in BY_NAME:
        assert "column score that is not read" in errors.pop("Arrow")
    if rule in BY_VALUE:
        assert errors.pop("Arrow") == ""
    assert len(errors) > (14 if words else 4)
    assert {name: text for name, text in errors.items() if words.lower() not in text.lower()} == {}
    assert words or not any(errors.values()), errors
    asked = "".join(f", {name} := '{column}'" for name, column in columns.items())
    query = f"SELECT count(*) FROM ranking.check('rec', 'truth'{asked}) WHERE code LIKE '%_not_read' AND severity = 'error'"
    if ", got " in words:
        assert words in refusal(con, query)
    else:
        assert value(con, query) == words.endswith("not read")


@pytest.mark.parametrize("table", ["rec", "truth"])
def test_a_number_in_text_counts_as_the_number(con: Con, table: str) -> None:
    """As text, 9.5 would rank above 1e2 and 10; NULL stays NULL."""
    values = (
        "[(1, 'a', '1e2'), (1, 'b', '9.5'), (1, 'c', '10'), (2, 'b', '0.5'), (2, 'c', NULL), (2, 'd', 'nan')]"
    )
    rec = f"SELECT r[1] AS userid, r[2] AS itemid, r[3] AS score, s AS system FROM (SELECT unnest({values}) AS r), (VALUES ('a'), ('b')) t(s)"
    con.execute(f"CREATE OR REPLACE TABLE rec AS {rec}")
    con.execute(
        "CREATE OR REPLACE TABLE truth AS FROM (VALUES (1, 'b', '2.0'), (1, 'a', ' 1'), (2, 'c', '0')) t(userid, itemid, rel)"
    )
    others = [
        f"FROM ranking.{call}"
        for call in (
            "check('rec', 'truth')",
            "check_rows('rec', 'truth')",
            "fuse('rec', 'combsum')",
            "overlap('rec', [2])",
            "beyond_accuracy_by_user('rec', [2])",
        )
    ]
    queries = [*dict(calls({"system_col": "system", "grade_col": "rel"})).values(), *others]
    as_text = [sorted(map(str, con.execute(query).fetchall())) for query in queries]
    name = {"rec": "score", "truth": "rel"}[table]
    con.execute(
        f"CREATE OR REPLACE TABLE {table} AS SELECT * REPLACE ({name}::DOUBLE AS {name}) FROM {table}"
    )
    assert as_text == [sorted(map(str, con.execute(query).fetchall())) for query in queries]
