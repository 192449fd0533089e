"""The names that the SQL of the table functions calls its own, which a user's tables and columns may have."""

import re
from pathlib import Path

from ranking_udfs.compose.arguments import OWN_NAMES
from ranking_udfs.compose.call import Call
from ranking_udfs.compose.check import CheckCall
from ranking_udfs.compose.functions import compose
from ranking_udfs.measures.registry import MEASURES

SQL = Path(__file__).resolve().parent.parent / "sql" / "tables"
FILES = sorted(path for path in SQL.rglob("*") if path.suffix in (".sql", ".jinja"))
CTE = r"\b(\w+) AS (?:(?:NOT )?MATERIALIZED )?\("
# Texts of ranking.evaluate with all steps that a call may choose.
COMPOSED = [
    compose(Call("evaluate", "rec", "truth", [ks], min_grade=1, ties=ties, unjudged=unjudged, users="users"))
    for ks in (2, None)
    for ties in ("item", "trec", "expected")
    for unjudged in ("miss", "skip")
]
TABLES = {name: name for name in ("history", "users", "items")}
CHECKS = [compose(CheckCall(name, "rec", "truth", [2, None], **TABLES)) for name in ("check", "check_rows")]
CODE = "\n".join(
    re.sub(r"--.*|'[^']*'", "", text) for text in [*(path.read_text() for path in FILES), *COMPOSED, *CHECKS]
)
# Macros, what stands behind AS, and CTEs.
FOUND = re.findall(rf"\bMACRO (?:ranking\.)?(\w+)|\bAS (?!TABLE)(\w+)|{CTE}", CODE)
MEASURED = {measure.name for measure in MEASURES.values() if measure.column}
NAMES = sorted({name.lower() for names in FOUND for name in names if name} - MEASURED - {"rec", "truth"})
TABLE_NAMES = sorted({*NAMES} - OWN_NAMES)


def composed_ctes() -> tuple[set[str], set[str]]:
    """The CTEs of ranking.evaluate and of ranking.check whose names the user's tables may have."""
    of_summary, of_check = (ctes("\n".join(texts)) - OWN_NAMES for texts in (COMPOSED, CHECKS))
    return of_summary, of_check


def ctes(code: str) -> set[str]:
    return {name.lower() for name in re.findall(CTE, re.sub(r"--.*|'[^']*'", "", code))}
