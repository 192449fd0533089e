"""Every order in sql/ says its direction and where NULLs go: DuckDB has settings for what is not said."""

import re
from pathlib import Path

import pytest

from ranking_udfs.macros.files import code

SQL = Path(__file__).resolve().parent.parent / "sql"
# But for the script that is made of the others, and the queries that are Hivemall's.
FILES = sorted(path for path in SQL.glob("*/**/*.sql") if path.parent.name != "queries")
KEY = re.compile(r".*(\b(ASC|DESC)|\{\{ of\.order \}\}) NULLS (FIRST|LAST)", re.DOTALL)
END = re.compile(r"\b(LIMIT|ROWS|RANGE)\b|[;)]")


def sort_keys(text: str) -> list[str]:
    """The keys of the ORDER BY that this text stands behind, up to its end."""
    keys, depth = [""], 0
    for place, character in enumerate(text):
        if not depth and END.match(text, place):
            break
        depth += (character == "(") - (character == ")")
        if character == "," and not depth:
            keys.append("")
        else:
            keys[-1] += character
    return [" ".join(key.split()) for key in keys]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_order_is_said_in_full(path: Path) -> None:
    text = code(path.read_text(encoding="utf-8"))
    for found in re.finditer(r"\bORDER BY\b", text):
        for key in sort_keys(text[found.end() :]):
            assert KEY.fullmatch(key), f"ORDER BY {key}: say ASC or DESC, and NULLS FIRST or NULLS LAST"
    for arguments in re.findall(r"\blist_sort\((.*)", text, re.DOTALL):
        said = re.search(r"'(ASC|DESC|\{\{ of\.order \}\})'", arguments)
        assert said, f"list_sort({arguments}: say 'ASC' or 'DESC'"
