"""One call of each entry point on small tables: what it prints is what stands below it in entry_points.txt.

The text guards against a change that nobody meant; that its numbers are right, other tests say. Where a
change is meant, `python -m tests.test_entry_points` writes the text anew, and git shows what differs.
"""

import re
from pathlib import Path
from typing import Any

import duckdb
import pytest

import ranking_udfs
from ranking_udfs.command.cli import main
from tests.conftest import module_connection

TEXT = Path(__file__).with_name("entry_points.txt")
# Three systems of 24 users, in whose lists scores tie and an item stands twice; a user without a list (25),
# one whose truth is a NULL (26), one without truth (23), one without a relevant item (24).
MAKE = """
    CREATE TABLE rec AS
    SELECT s.name AS system, u AS userid, (u + i * s.step) % 13 AS itemid,
        (u * 7 + i * i * s.step) % 23 // 2 / 1 AS score
    FROM range(1, 25) users(u), range(8) items(i), (VALUES ('a', 5), ('b', 3), ('c', 4)) AS s(name, step)
    WHERE (u + i) % 7 <> s.step AND NOT (u = 5 AND s.name = 'b')
    UNION ALL SELECT 'a', 1, 6, 1;
    CREATE TABLE truth AS
    SELECT u AS userid, (u * 3 + i) % 13 AS itemid, (u + i) % 4 * (u <> 24)::INTEGER AS rel, u + i AS time
    FROM range(1, 26) users(u), range(5) items(i) WHERE u <> 23 AND i <= u % 5 + 1
    UNION ALL VALUES (26, NULL, 1, 9), (2, 6, 1, 9), (2, 7, 3, 9);
    CREATE TABLE history AS
    SELECT u AS userid, (u * u + i) % 15 AS itemid, (u + i) % 12 AS time
    FROM range(1, 22) users(u), range(4) items(i) WHERE (u * u + i) % 15 <> 7;
    CREATE TABLE items AS SELECT i AS itemid, 'xyz'[1 + (i + c) % 3] AS category
    FROM range(12) items(i), range(2) kinds(c) WHERE i % 3 > 0 OR c = 0;
    CREATE TABLE intents AS SELECT userid, itemid, rel, 'pq'[1 + itemid % 2] AS intent
    FROM truth WHERE itemid IS NOT NULL;
    CREATE TABLE log AS
    SELECT i % 5 AS userid, i * i % 7 AS itemid, 1 + i % 4 AS rank, i * 5 % 11 < 6 AS clicked
    FROM range(900) t(i);
    CREATE TABLE by_user AS SELECT system, userid, 'mn'[1 + userid % 2] AS segment,
        userid % 3 + (system = 'b')::INTEGER * 0.25 + (system = 'c')::INTEGER * (userid % 5) / 4 AS clicks,
        (system = 'b')::INTEGER * 0.25 AS recall
    FROM (SELECT DISTINCT system, userid FROM rec);
    CREATE TABLE compared AS
    FROM ranking_compare('rec', 'truth', [3], measures := ['ndcg', 'hit_rate', 'first_hit_rank']);
"""


def read() -> dict[str, dict[str, list[str]]]:
    """The answers that are expected, by section and call."""
    sections: dict[str, dict[str, list[str]]] = {}
    for section in TEXT.read_text(encoding="utf-8").split("# ")[1:]:
        title, *blocks = re.split(r"\n\n+", section.strip())
        sections[title] = {call: lines for call, *lines in (block.split("\n") for block in blocks)}
    return sections


SQL, PYTHON = read().values()


def shown(cell: object) -> str:
    """A value as text, of a number nine digits."""
    if isinstance(cell, float):
        return f"{cell:.9g}"
    if isinstance(cell, dict):
        return "{" + ", ".join(f"{name}: {shown(part)}" for name, part in cell.items()) + "}"
    return "[" + ", ".join(map(shown, cell)) + "]" if isinstance(cell, list) else str(cell)


def lines(names: list[str], rows: list[tuple[Any, ...]]) -> list[str]:
    return [" ".join(names), *sorted(" ".join(map(shown, row)) for row in rows)]


def answer(con: duckdb.DuckDBPyConnection, call: str) -> list[str]:
    """The names of the columns, then the rows of a call, sorted; or its error."""
    try:
        result = con.execute(f"FROM {call}" if call.startswith(("ranking", "(")) else call)
        return lines([name for name, *_ in result.description], result.fetchall())
    except duckdb.Error as error:
        return [str(error).rpartition("executing the UDF: ")[2].partition("\n")[0]]


con = module_connection(MAKE)
script = module_connection(MAKE, is_script=True)


@pytest.mark.parametrize("call", [*SQL, *PYTHON])
def test_a_call_of_sql(con: duckdb.DuckDBPyConnection, call: str) -> None:
    assert answer(con, call) == (SQL | PYTHON)[call]


@pytest.mark.parametrize("call", SQL)
def test_a_call_of_the_script(script: duckdb.DuckDBPyConnection, call: str) -> None:
    assert answer(script, call) == SQL[call]


def test_a_call_of_the_command(
    con: duckdb.DuckDBPyConnection, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One command is called; tests/golden/ has all, and test_evaluate has Python's functions."""
    files = [f"{tmp_path}/{name}.csv" for name in ("rec", "truth")]
    con.execute(f"COPY rec TO '{files[0]}'; COPY (SELECT * EXCLUDE (time) FROM truth) TO '{files[1]}'")
    options = ["-k", "2", "-m", "ndcg", "--long", "--format", "csv", "--no-check"]
    assert main(["evaluate", *files, *options]) == 0
    query = "SELECT system || ',2,ndcg,' || ndcg FROM ranking_summary('rec', 'truth', [2]) ORDER BY ALL"
    assert capsys.readouterr().out.splitlines()[1:] == [row for (row,) in con.execute(query).fetchall()]


def write_text() -> None:
    with duckdb.connect() as con:
        ranking_udfs.register(con).execute(MAKE)
        parts = []
        for title, calls in read().items():
            blocks = ["\n".join([call, *answer(con, call)]) for call in calls]
            parts.append("\n\n".join([f"# {title}", *blocks]))
    TEXT.write_text("\n\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_text()
