"""The names that the SQL of the table functions calls its own, which a user's tables and columns may have."""

import re
from pathlib import Path

from ranking_udfs.measures.registry import MEASURES

SQL = Path(__file__).resolve().parent.parent / "sql" / "tables"
CODE = "\n".join(re.sub(r"--.*|'[^']*'", "", path.read_text()) for path in sorted(SQL.rglob("*.sql")))
# Macros, what stands behind AS, and CTEs, which alone a name in an argument may be taken for.
FOUND = re.findall(r"\bMACRO (\w+)|\bAS (?!TABLE)(\w+)|\b(\w+) AS (?:(?:NOT )?MATERIALIZED )?\(", CODE)
CTES = sorted({name.lower() for _, _, name in FOUND if name})
MEASURED = {measure.name for measure in MEASURES.values() if measure.column}
NAMES = sorted({name.lower() for names in FOUND for name in names if name} - MEASURED - {"rec", "truth"})
