"""A column of truth that looks like a grade by its values is read or is an error, whatever its name."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import ranking_udfs
from tests.conftest import Con, refusal, value

ROWS = "range(3) a(u), range(5) b(i)"
# Columns beside userid and itemid, i from 0 to 4, and those that look like grades.
CASES = [
    ("", ""),
    ("i % 2 AS is_relevant", "is_relevant"),
    ("i > 2 AS clicked", "clicked"),
    ("2.0 * (i % 2) AS quality", "quality"),
    ("(i % 3)::VARCHAR AS human", "human"),
    ("i::DECIMAL(9, 2) AS target", "target"),
    ("i % 2 AS purchased, i % 3 AS judgment, 'x' AS note", "purchased, judgment"),
    ("i + 6 AS first_ten, 1 AS all_one, 0 AS all_zero", ""),
    ("i * 3 AS up_to_12, i - 1 AS from_minus_1, i / 2 AS halves, if(i = 1, 'x', '0') AS text", ""),
    ("i % 2 AS time, i % 2 AS bought_at, i % 2 AS Event_Date, DATE '2026-01-01' + i::INTEGER AS since", ""),
    ("i % 2 AS rel, i % 3 AS other", ""),
    ("0 AS score", "score"),
    ("i AS score", "score"),
    ("(i % 2)::VARCHAR AS score", "score"),
    ("1 AS score", ""),
    ("'x' AS score", ""),
]  # fmt: skip


@pytest.fixture(scope="module")
def con() -> Iterator[Con]:
    with ranking_udfs.register(duckdb.connect()) as con:
        con.execute(f"CREATE TABLE rec AS SELECT u AS userid, i AS itemid, -i AS score FROM {ROWS}")
        yield con


def make_truth(con: Con, columns: str) -> None:
    more = f", {columns}" if columns else ""
    con.execute(f"CREATE OR REPLACE TABLE truth AS SELECT u AS userid, i AS itemid{more} FROM {ROWS}")


@pytest.mark.parametrize(("columns", "hidden"), CASES)
def test_column_with_values_of_grades_is_an_error_in_every_entry_point(
    con: Con, tmp_path: Path, columns: str, hidden: str
) -> None:
    """Expect both ways out in the error, and the numbers of each if it is taken."""
    make_truth(con, columns)
    con.execute(f"COPY truth TO '{tmp_path}/truth.json'; COPY truth TO '{tmp_path}/truth.csv'")
    sql = "SELECT recall FROM ranking.evaluate('rec', 'truth', ks := [3], measures := 'recall'{})"
    check = "SELECT any_value(column_name) FROM ranking.check('rec', 'truth', [3])"
    assert value(con, f"{check} WHERE code = 'column_not_read'") == (hidden or None)
    if not hidden:
        assert value(con, sql.format("")) > 0
        for truth in ("truth", f"{tmp_path}/truth.csv", f"{tmp_path}/truth.json"):
            assert len(ranking_udfs.evaluate("rec", truth, "recall", 3, con=con).fetchall()) == 1
        return
    first = hidden.partition(",")[0]
    columns = f"columns {hidden} that are" if "," in hidden else f"a column {hidden} that is"
    unread = f"truth has {columns} not read: grade_col"
    error = refusal(con, "SELECT count(*) FROM ranking.evaluate('rec', 'truth', [3])")
    assert error.startswith(f"ranking.evaluate: {unread} := '{first}' takes")
    for truth in ("truth", f"{tmp_path}/truth.csv", f"{tmp_path}/truth.json"):
        with pytest.raises(ValueError, match=f"{unread[6:]}='{first}' takes .*grade_col=''"):
            ranking_udfs.evaluate("rec", truth, "recall", 3, con=con)
    graded = f"SELECT userid, itemid, {first}::DOUBLE AS rel FROM truth"
    con.execute(f"CREATE OR REPLACE TEMP TABLE graded AS {graded}")
    is_text = value(con, f"SELECT any_value(typeof({first})) FROM truth") == "VARCHAR"
    for given, as_if in ((first, "graded"), ("", "(SELECT userid, itemid FROM truth)")):
        con.execute(f"CREATE OR REPLACE TEMP VIEW plain AS FROM {as_if}")
        expected = value(con, sql.replace("truth", "plain").format(""))
        if not is_text:  # which SQL does not take as a grade
            assert value(con, sql.format(f", grade_col := '{given}'")) == expected
        options: dict[str, Any] = {"con": con, "check": False, "grade_col": given}
        found = ranking_udfs.evaluate("rec", f"{tmp_path}/truth.csv", "recall", 3, **options)
        assert found.fetchall()[0][-1] == expected


def test_a_column_that_is_called_like_grades_may_have_other_values(con: Con, tmp_path: Path) -> None:
    make_truth(con, "if(i = 1, 'N/A', i::VARCHAR) AS relevance, if(i = 1, 'x', i::VARCHAR) AS size")
    con.execute(f"COPY truth TO '{tmp_path}/truth.csv'")
    assert "a column relevance that is not read" in refusal(con, "FROM ranking.evaluate('rec', 'truth', [3])")
    for truth in ("truth", f"{tmp_path}/truth.csv"):
        with pytest.raises(ValueError, match="a column relevance that is not read"):
            ranking_udfs.evaluate("rec", truth, "recall", 3, con=con)
    found = value(
        con, "SELECT example FROM ranking.check('rec', 'truth', [3]) WHERE code = 'column_not_read'"
    )
    assert found == "relevance (grades)"


def test_check_lists_other_numbers_of_truth(con: Con) -> None:
    make_truth(con, "i * 100 AS price, 7 AS rating_count, i % 2 AS clicked, 'x' AS note")
    query = "SELECT severity, code, example FROM ranking.check('rec', 'truth', [3])"
    assert con.execute(f"{query} WHERE code LIKE '%_not_read'").fetchall() == [
        ("error", "column_not_read", "clicked (grades)"),
        ("info", "number_not_read", "price, rating_count"),
    ]
