"""Every ORDER BY in sql/ has a direction and a position of NULLs, whose defaults are settings of DuckDB."""

import re
from pathlib import Path

import pytest

from ranking_udfs.macros.files import code

SQL = Path(__file__).resolve().parent.parent / "sql"
# Except for the generated script and Hivemall's queries.
FILES = sorted(path for path in SQL.glob("*/**/*.sql") if path.parent.name != "queries")
KEY = re.compile(r".*(\b(ASC|DESC)|\{\{ of\.order \}\}) NULLS (FIRST|LAST)", re.DOTALL)
END = re.compile(r"\b(LIMIT|ROWS|RANGE)\b|[;)]|\{%")


def sort_keys(text: str) -> list[str]:
    """Return the keys of the ORDER BY before this text."""
    keys, depth = [""], 0
    for position, character in enumerate(text):
        if not depth and END.match(text, position):
            break
        depth += (character == "(") - (character == ")")
        if character == "," and not depth:
            keys.append("")
        else:
            keys[-1] += character
    return [" ".join(key.split()) for key in keys]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_order_is_complete(path: Path) -> None:
    text = code(path.read_text(encoding="utf-8"))
    for order in re.finditer(r"\bORDER BY\b", text):
        for key in sort_keys(text[order.end() :]):
            assert KEY.fullmatch(key), f"ORDER BY {key}: add ASC or DESC, and NULLS FIRST or NULLS LAST"
    for arguments in re.findall(r"\blist_sort\((.*)", text, re.DOTALL):
        has_direction = re.search(r"'(ASC|DESC|\{\{ of\.order \}\})'", arguments)
        assert has_direction, f"list_sort({arguments}: add 'ASC' or 'DESC'"
