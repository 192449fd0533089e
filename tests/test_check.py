"""The composed text of ranking.check: with known columns and without, and by its arguments."""

from typing import Any

import pytest

from ranking_udfs.compose.check import CheckCall
from ranking_udfs.compose.functions import compose
from ranking_udfs.compose.problems import PROBLEMS
from ranking_udfs.evaluation.queries import row_columns
from ranking_udfs.quoting import sql_value
from tests.conftest import Con, module_connection, refusal

# Ids that are spelt alike, scores that tie, are NULL and NaN, grades that are NULL, users without truth.
TABLES = """
    CREATE TABLE rec AS SELECT s AS system, u AS userid, 'i' || (u * 7 + i * 13) % 29 AS itemid,
        CASE i WHEN 3 THEN 'nan'::DOUBLE WHEN 4 THEN NULL ELSE (u + i) // 2 END AS score
    FROM (VALUES ('a'), ('b')) t(s), range(12) x(u), range(7) y(i) WHERE s = 'a' OR u > 1;
    CREATE TABLE truth AS SELECT u AS userid,
        CASE u WHEN 5 THEN 'I' ELSE 'i' END || (u * 7 + i * 11) % 29 AS itemid,
        CASE WHEN u = 7 AND i = 1 THEN NULL ELSE (u + i) % 4 END AS rel FROM range(1, 14) x(u), range(4) y(i);
    CREATE TABLE liked AS SELECT userid, itemid, rel AS score FROM truth;
    CREATE TABLE texts AS SELECT userid::VARCHAR AS userid, itemid, rel AS stars FROM truth;
    CREATE TABLE named AS SELECT unnest(range(16)) AS userid;
    CREATE TABLE history AS SELECT userid, itemid FROM truth WHERE rel = 1;
    CREATE TABLE chunks AS SELECT DISTINCT itemid FROM rec WHERE itemid <> 'i3'
"""
tables = module_connection(TABLES)
CALLS: list[tuple[str, str, dict[str, Any]]] = [
    ("check", "liked", {"ks": [1, 5, None]}),  # whose scores are grades that are not read
    ("check", "texts", {"history": "history", "items": "chunks"}),  # with ids of another type
    ("check", "truth", {"users": "named", "unjudged": "skip", "items": "chunks"}),
    ("check", "history", {"min_grade": 2.0, "without_relevant": "skip", "descending": False}),
    ("check_rows", "truth", {"users": "named", "history": "history"}),
]


@pytest.mark.parametrize(("name", "truth", "given"), CALLS)
def test_known_columns_give_the_same_rows(tables: Con, name: str, truth: str, given: dict[str, Any]) -> None:
    fields = {"rec": "rec", "truth": truth, "ks": [10], **given}
    named = [fields[one] for one in ("rec", "truth", "users", "history", "items") if one in fields]
    known = {table: row_columns(tables, table) for table in named}
    options = ", ".join(f"{key} := {sql_value(value)}" for key, value in given.items())
    found = tables.execute(f"FROM ranking.{name}('rec', '{truth}', {options})").fetchall()
    text = compose(CheckCall(name, known=known, **fields))
    assert "_ranking_column_findings" not in text
    assert tables.execute(text).fetchall() == found != []


def test_what_arguments_rule_out_is_not_in_the_text() -> None:
    text = compose(CheckCall("check", "rec", "truth", [10]))
    for one in PROBLEMS:
        assert (f"'{one.code}'" in text) == (one.needs is None), one.code
    assert "{" + "user}" not in text


def test_wrong_arguments_are_rows_and_tables_and_ks_are_errors(tables: Con) -> None:
    wrong = "user_col := 5, descending := NULL, min_grade := -1, unjudged := 'drop', without_relevant := NULL"
    call = f"ranking.check('rec', 'truth', {wrong}) WHERE code = 'unfit_column'"
    found = tables.execute(f"SELECT problem || ', got ' || example FROM {call}").fetchall()
    assert [text for (text,) in found] == [
        "descending must be true or false, got NULL",
        "min_grade must be a number > 0, got -1",
        "unjudged must be miss|skip, got 'drop'",
        "user_col must be the name of a column, got 5",
        "without_relevant must be zero|skip, got NULL",
    ]
    for call, rule in {
        "'rec', 'truth', [-1]": "every k in ks must be 0 or more, got -1",
        "'rec', 'truth', NULL": "ks must be a list of one or more k, got NULL",
        "'rec', 'truth', users := 'chunks'": "users must have a column userid (user_col), got itemid",
    }.items():
        assert refusal(tables, f"FROM ranking.check({call})") == f"ranking.check: {rule}"


def test_a_lowest_grade_that_is_no_number_makes_nothing_relevant(tables: Con) -> None:
    for grade in ("'inf'", "'nan'"):
        query = f"SELECT DISTINCT code FROM ranking.check('rec', 'truth', min_grade := {grade}::DOUBLE)"
        assert {("unfit_column",), ("nothing_relevant",)} <= {*tables.execute(query).fetchall()}
