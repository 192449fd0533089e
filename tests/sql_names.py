"""The names that the SQL of the table functions calls its own, which a user's tables and columns may have."""

import re
from pathlib import Path

from ranking_udfs.compose.arguments import OWN_NAMES
from ranking_udfs.compose.call import Call
from ranking_udfs.compose.functions import compose
from ranking_udfs.duckdb.statements import macros
from ranking_udfs.measures.registry import MEASURES

SQL = Path(__file__).resolve().parent.parent / "sql" / "tables"
FILES = sorted(path for path in SQL.rglob("*") if path.suffix in (".sql", ".jinja"))
CTE = r"\b(\w+) AS (?:(?:NOT )?MATERIALIZED )?\("
# Texts of ranking_summary with all steps that a call may choose.
COMPOSED = [
    compose(
        Call(
            "ranking_summary", "rec", "truth", [ks], min_grade=1, ties=ties, unjudged=unjudged, users="users"
        )
    )
    for ks in (2, None)
    for ties in ("item", "trec", "expected")
    for unjudged in ("miss", "skip")
]
CODE = "\n".join(
    re.sub(r"--.*|'[^']*'", "", text) for text in [*(path.read_text() for path in FILES), *COMPOSED]
)
# Macros, what stands behind AS, and CTEs.
FOUND = re.findall(rf"\bMACRO (\w+)|\bAS (?!TABLE)(\w+)|{CTE}", CODE)
MEASURED = {measure.name for measure in MEASURES.values() if measure.column}
NAMES = sorted({name.lower() for names in FOUND for name in names if name} - MEASURED - {"rec", "truth"})


def ctes_of_macros(function: str) -> set[str]:
    """The CTEs of a table function and of all macros that it calls, for which an argument may be taken."""
    called: set[str] = set()
    calls = {function}
    while calls != called:
        called = calls
        code = "\n".join(macros()[name].sql for name in called)
        calls = called | macros().keys() & {*re.findall(r"\b(\w+)\(", code)}
    return ctes(code)


def composed_ctes() -> set[str]:
    """The CTEs of the composed texts whose names the user's tables may have."""
    return ctes("\n".join(COMPOSED)) - OWN_NAMES


def ctes(code: str) -> set[str]:
    return {name.lower() for name in re.findall(CTE, re.sub(r"--.*|'[^']*'", "", code))}
