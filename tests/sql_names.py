"""The names that the SQL of the table functions calls its own, which a user's tables and columns may have."""

import re
from pathlib import Path

from ranking_udfs.duckdb.statements import macros
from ranking_udfs.measures.registry import MEASURES

SQL = Path(__file__).resolve().parent.parent / "sql" / "tables"
CODE = "\n".join(re.sub(r"--.*|'[^']*'", "", path.read_text()) for path in sorted(SQL.rglob("*.sql")))
# Macros, what stands behind AS, and CTEs.
FOUND = re.findall(r"\bMACRO (\w+)|\bAS (?!TABLE)(\w+)|\b(\w+) AS (?:(?:NOT )?MATERIALIZED )?\(", CODE)
MEASURED = {measure.name for measure in MEASURES.values() if measure.column}
NAMES = sorted({name.lower() for names in FOUND for name in names if name} - MEASURED - {"rec", "truth"})


def ctes(function: str) -> list[str]:
    """The CTEs of a table function and of all macros that it calls, for which an argument may be taken."""
    called: set[str] = set()
    calls = {function}
    while calls != called:
        called = calls
        code = "\n".join(macros()[name].sql for name in called)
        calls = called | macros().keys() & {*re.findall(r"\b(\w+)\(", code)}
    code = re.sub(r"--.*|'[^']*'", "", code)
    return sorted({name.lower() for name in re.findall(r"\b(\w+) AS (?:(?:NOT )?MATERIALIZED )?\(", code)})
