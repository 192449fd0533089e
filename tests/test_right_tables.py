"""Tables and queries with their rows, by right_tables.txt."""

import decimal
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.conftest import Con, file_text


def read() -> Iterator[Any]:
    """Yield of each rule its statements, and its queries with their rows as SQL."""
    text = file_text("right_tables.txt")
    for section in re.sub(r"\n +", " ", text).split("\n# ")[1:]:
        title, *blocks = section.strip().split("\n\n")
        of_all = [line[2:] for line in title.split("\n") if line.startswith("$")]
        for block in blocks:
            rule, *lines = block.split("\n")
            made = of_all + [line[2:] for line in lines if line.startswith("$")]
            calls = [line[2:] for line in lines if line.startswith(">")] or ["{}"]
            rows = [line.split(" => ") for line in lines if line[0] not in "$>-"]
            found = [(call.replace("{}", given), expected) for call in calls for given, expected in rows]
            yield pytest.param(made, found, id=f"{title.partition(chr(10))[0]}: {rule}")


def plain(cell: Any) -> Any:
    """A cell as Python has it: 0.5 is a DECIMAL in SQL."""
    if isinstance(cell, list):
        return [plain(one) for one in cell]
    return float(cell) if isinstance(cell, decimal.Decimal) else cell


def select(con: Con, query: str) -> list[list[Any]]:
    return [[plain(cell) for cell in row] for row in con.execute(query).fetchall()]


@pytest.mark.parametrize(("made", "queries"), [*read()])
def test_a_rule_of_tables_holds(shared: Con, made: list[str], queries: list[tuple[str, str]]) -> None:
    assert queries
    shared.begin()
    try:
        shared.execute("; ".join(made) if made else "SELECT 1")
        for query, rows in queries:
            expected = [] if rows == "none" else select(shared, f"FROM (VALUES {rows})")
            assert select(shared, query) == expected, query
    finally:
        shared.rollback()
