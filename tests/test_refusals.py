"""Each rule about the columns of rec and truth, through every entry point: one refuses what all refuse.

The check of SQL, `ranking.check`, has a row for what the others refuse, and is no one of these.
"""

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
from tests.conftest import Captured, Con, Patch, module_connection, text_rows, value

REC = "SELECT {} FROM (VALUES (1, 'a', 3.0), (1, 'b', 2.0), (2, 'c', 1.0)) t(userid, itemid, score)"
TRUTH = "SELECT {} FROM (VALUES (1, 'b', 1), (1, 'a', 0), (2, 'c', 2)) t(userid, itemid, n)"
RULES = {rule: cells for rule, *cells in text_rows("rules about columns")}
# A partition has not all scores, and so refuses one as it does several.
BY_NAME = ("one score", "one score, and none")
FLAGS = {"grade_col": "--grade", "system_col": "--system", "score_col": "--score"}
OF_SQL = {"ks": "[2]", "max_k": "2", "k": "2", "intent_col": "'itemid'", "user": "1", "measures": "'recall'"}
con = module_connection()
script = module_connection(is_script=True)
COMMANDS = ("evaluate", "check", "explain --user-id 1")


def calls(given: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Each table function that reads truth, but the check, and a call of it."""
    for name in table_functions() - {"ranking.check", "ranking.check_rows"}:
        names = [
            one.partition(" := ")[0] for one in signatures(macros()[name.removeprefix("ranking.")].sql)[0]
        ]
        own = OF_SQL | {one: repr(text) for one, text in given.items()}
        texts = [f"{one} := {text}" for one, text in own.items() if one in names]
        if "truth" in names:
            arguments = ", ".join(["'rec'", "'truth'", *texts])
            yield name, f"FROM {name}({arguments})"


def error_of(call: Callable[[], object]) -> str:
    """The error of a call; no text where it has none."""
    try:
        call()
    except (duckdb.Error, ValueError) as error:
        return str(error)
    return ""


def partitioned(rec: pa.Table, truth: pa.Table, given: Mapping[str, Any]) -> None:
    """Evaluate one partition, as Spark does."""
    job = ranking_udfs.partition("evaluate", rec.schema, truth.schema, [2], **given)
    job.merge(job.part(rec, truth, ["a"] if "systems" in job.schemas else None))


@pytest.mark.parametrize("rule", RULES)
def test_what_one_entry_point_refuses_all_refuse(
    registered: None, con: Con, script: Con, tmp_path: Path, monkeypatch: Patch, capsys: Captured, rule: str
) -> None:
    monkeypatch.chdir(tmp_path)
    rec, truth, named, words = RULES[rule]
    given = dict([named.split("=")] if named else [])
    for each in (con, script):
        for name, query in {"rec": REC.format(rec), "truth": TRUTH.format(truth)}.items():
            each.execute(f"CREATE OR REPLACE TABLE {name} AS {query}; COPY {name} TO '{name}.parquet'")
    of_sql = dict(calls(given))
    if not words:  # which takes longer
        of_sql = {"ranking.evaluate": of_sql["ranking.evaluate"]}
    errors = {
        name: error_of(lambda query=query: con.execute(query).fetchall()) for name, query in of_sql.items()
    }
    errors["script"] = error_of(lambda: script.execute(of_sql["ranking.evaluate"]).fetchall())
    tables = con.table("rec").to_arrow_table(), con.table("truth").to_arrow_table()
    errors["Arrow"] = error_of(lambda: partitioned(*tables, given))
    files = ("rec.parquet", "truth.parquet", "recall", 2)
    errors["Python"] = error_of(lambda: ranking_udfs.evaluate(*files, check=False, **given))
    for command in COMMANDS:
        name, *more = command.split()
        flags = [text for one, value in given.items() for text in (FLAGS[one], str(value))]
        main([name, "rec.parquet", "truth.parquet", "--quiet", *more, *flags])
        errors[command] = capsys.readouterr().err
    if rule in BY_NAME:
        assert "column score that is not read" in errors.pop("Arrow")
    assert len(errors) > (15 if words else 5)
    others = {
        name: text
        for name, text in errors.items()
        if words.lower() not in text.lower() or (text and not words)
    }
    assert others == {}
    asked = "".join(f", {name} := '{one}'" for name, one in given.items())
    query = f"SELECT count(*) FROM ranking.check('rec', 'truth'{asked}) WHERE code LIKE '%_not_read'"
    assert value(con, query) == words.endswith("not read")
