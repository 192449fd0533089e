"""The macros that `register` creates, from the file `macros.sql` in this folder."""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from ..quoting import identifier, literal

FILE = "macros.sql"
NAMESPACE = "ranking"  # the database or schema of all macros; Hivemall's are TEMP
# A macro and its description, as written in the file.
BLOCK = re.compile(
    r"^(CREATE OR REPLACE (?:TEMP )?MACRO (?:ranking\.)?(\w+).*?;)\nCOMMENT ON [\w. ]+ IS '((?:[^']|'')*)';$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Macro:
    """A macro of the namespace's database, or one of Hivemall's, which is a TEMP macro of a connection."""

    name: str
    sql: str
    description: str

    @property
    def is_table(self) -> bool:
        return " AS TABLE" in self.sql

    @property
    def is_temp(self) -> bool:
        return self.sql.startswith("CREATE OR REPLACE TEMP ")

    @property
    def called(self) -> str:
        """Name of the macro in queries."""
        return self.name if self.is_temp else f"{NAMESPACE}.{self.name}"

    def comment(self, namespace: str) -> str:
        """Return the statement that adds the description to `duckdb_functions()`."""
        kind = "MACRO TABLE" if self.is_table else "MACRO"
        where = "temp.main" if self.is_temp else namespace
        return f"COMMENT ON {kind} {where}.{self.name} IS {literal(self.description)};"

    def made_in(self, database: str) -> str:
        """Return the statements that create the macro (in this database unless TEMP) and its description."""
        schema, escaped = f"{identifier(database)}.main", database.replace("'", "''")
        names = rf"(MACRO (?:TABLE )?)?{NAMESPACE}\."
        return re.sub(
            names,
            lambda match: f"{match[1]}{schema}." if match[1] else f"{escaped}.",
            f"{self.sql}\n{self.comment(NAMESPACE)}",
        )


@cache
def macros() -> dict[str, Macro]:
    """Return each macro by its name."""
    text = (files("ranking_udfs") / "duckdb" / FILE).read_text(encoding="utf-8")
    return {
        name: Macro(name, sql, description.replace("''", "'"))
        for sql, name, description in BLOCK.findall(text)
    }
