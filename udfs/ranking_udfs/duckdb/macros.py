"""The macros that `register` makes, of the file `macros.sql` beside this one."""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from ..quoting import identifier, literal

FILE = "macros.sql"
# A macro, and what it does, as the file has them.
BLOCK = re.compile(
    r"^(CREATE OR REPLACE TEMP MACRO (\w+).*?;)\nCOMMENT ON [\w. \"]+ IS '((?:[^']|'')*)';$",
    re.MULTILINE | re.DOTALL,
)
# The parameters of a macro, once for each number of arguments that it takes.
PARAMETERS = re.compile(r"(?:\A\s*|^    )\(([^()]*)\)\s+AS\b", re.MULTILINE)


@dataclass(frozen=True)
class Macro:
    """A macro as it is put into a connection."""

    name: str
    sql: str
    description: str

    @property
    def always(self) -> str:
        """The name of the same macro that is the pack's alone."""
        names = (f"udf_{self.name}", f"ranking_{self.name}")
        return next((one for one in names if one in macros()), self.name)

    @property
    def is_table(self) -> bool:
        return " AS TABLE" in self.sql

    def signatures(self) -> list[list[str]]:
        return signatures(self.sql)

    def comment(self, name: str) -> str:
        """The statement with which `duckdb_functions()` shows the description of the macro of this name."""
        kind = "MACRO TABLE" if self.is_table else "MACRO"
        return f"COMMENT ON {kind} {name} IS {literal(self.description)};"

    def made_in(self, schema: str) -> str:
        """The statements that make the macro in a schema, and say what it does."""
        kind = "TEMP MACRO " if schema.startswith("temp.") else f"MACRO {schema}."
        comment = self.comment(f"{schema}.{identifier(self.name)}")
        return f"{self.sql.replace('TEMP MACRO ', kind, 1)}\n{comment}"


def signatures(sql: str) -> list[list[str]]:
    """Return the parameters, with types and defaults, of each form of a macro."""
    overloads = re.split(r"\bMACRO\s+\w+", sql, maxsplit=1)[1]
    return [
        [" ".join(parameter.split()) for parameter in text.split(",") if parameter.strip()]
        for text in PARAMETERS.findall(overloads)
    ]


@cache
def macros() -> dict[str, Macro]:
    """Return each macro by its name."""
    text = (files("ranking_udfs") / "duckdb" / FILE).read_text(encoding="utf-8")
    return {name: Macro(name, sql, said.replace("''", "'")) for sql, name, said in BLOCK.findall(text)}
