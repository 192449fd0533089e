"""The names in the SQL of the table functions, which a user's tables and columns may have too."""

import re
from itertools import chain
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


def names(pattern: str, texts: list[str]) -> set[str]:
    """Return what the groups of a pattern match in SQL, without comments and strings."""
    matches = (re.finditer(pattern, re.sub(r"--.*|'[^']*'", "", text)) for text in texts)
    return {name.lower() for match in chain(*matches) for name in match.groups() if name}


# Macros, what follows AS, and CTEs.
ALL = names(
    rf"\bMACRO (?:ranking\.)?(\w+)|\bAS (?!TABLE)(\w+)|{CTE}",
    [*(path.read_text() for path in FILES), *COMPOSED, *CHECKS],
)
NAMES = sorted(ALL - {measure.name for measure in MEASURES.values() if measure.column} - {"rec", "truth"})
TABLE_NAMES = sorted({*NAMES} - OWN_NAMES)


def composed_ctes() -> tuple[set[str], set[str]]:
    """Return the CTEs of ranking.evaluate and ranking.check whose names the user's tables may have."""
    return names(CTE, COMPOSED) - OWN_NAMES, names(CTE, CHECKS) - OWN_NAMES
