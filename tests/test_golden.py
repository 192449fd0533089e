"""What SQL answers, frozen: `tests/golden/sql/` has statements with their rows.

`sql> ...` is a statement up to its semicolon, on one connection for each file; its columns and rows follow as
tuples, or the first line of its error behind `! `. What is expected there was worked by hand, and numbers of
many digits have a witness elsewhere.
"""

import re
from pathlib import Path

import duckdb
import pytest

GOLDEN = Path(__file__).parent / "golden"
STATEMENT = re.compile(r"^sql> (.*?;)$.*?(?=\n+(?:sql> |# )|\n*\Z)", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", sorted(path.stem for path in GOLDEN.glob("sql/*.txt")))
def test_a_statement_gives_these_rows(name: str, con: duckdb.DuckDBPyConnection) -> None:
    path = GOLDEN / "sql" / f"{name}.txt"
    before = path.read_text()
    after = STATEMENT.sub(lambda found: f"sql> {found[1]}{answer(con, found[1])}", before)
    assert after == before


def answer(con: duckdb.DuckDBPyConnection, statement: str) -> str:
    """The columns and rows of a query, or the first line of its error; nothing for other statements."""
    try:
        result = con.execute(statement)
        names = tuple(name for name, *_ in result.description or ())
        lines = [names, *result.fetchall()] if names not in ((), ("Count",), ("Success",)) else []
        return "".join(f"\n{line}" for line in lines)
    except duckdb.Error as error:
        return "\n! " + str(error).removeprefix("Invalid Input Error: ").partition("\n")[0]
