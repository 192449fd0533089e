"""The macros that `register` makes, of the file `macros.sql` beside this one."""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from ..quoting import identifier, literal

FILE = "macros.sql"
NAMESPACE = "ranking"  # the database, or schema, of all macros but those of Hivemall, which are TEMP
# A macro, and what it does, as the file has them.
BLOCK = re.compile(
    r"^(CREATE OR REPLACE (?:TEMP )?MACRO (?:ranking\.)?(\w+).*?;)\nCOMMENT ON [\w. ]+ IS '((?:[^']|'')*)';$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Macro:
    """A macro as it is put into a database of the namespace, or of Hivemall's into a connection."""

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
        """The name by which a query calls it."""
        return self.name if self.is_temp else f"{NAMESPACE}.{self.name}"

    def comment(self, namespace: str) -> str:
        """The statement with which `duckdb_functions()` shows the description."""
        kind = "MACRO TABLE" if self.is_table else "MACRO"
        where = "temp.main" if self.is_temp else namespace
        return f"COMMENT ON {kind} {where}.{self.name} IS {literal(self.description)};"

    def made_in(self, database: str) -> str:
        """The statements that make the macro, in this database unless it is TEMP, and say what it does."""
        schema, said = f"{identifier(database)}.main", database.replace("'", "''")
        names = rf"(MACRO (?:TABLE )?)?{NAMESPACE}\."
        return re.sub(
            names,
            lambda one: f"{one[1]}{schema}." if one[1] else f"{said}.",
            f"{self.sql}\n{self.comment(NAMESPACE)}",
        )


@cache
def macros() -> dict[str, Macro]:
    """Return each macro by its name."""
    text = (files("ranking_udfs") / "duckdb" / FILE).read_text(encoding="utf-8")
    return {name: Macro(name, sql, said.replace("''", "'")) for sql, name, said in BLOCK.findall(text)}
