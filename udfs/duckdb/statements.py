"""The SQL of the pack, found from a wheel, an editable install and a plain checkout, and text as SQL."""

import contextlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from importlib.resources import files
from importlib.resources.abc import Traversable
from operator import attrgetter
from pathlib import Path

import duckdb

# The folders of macros, a file for each, and how a macro's second name begins if its own does not begin so.
# `internal/` has no second names; `sql/queries/` and the templates are no macros.
ROOMS = {
    "measures": "ranking_",
    "measures/internal": "",
    "tables": "ranking_",
    "tables/internal": "",
    "comparison": "ranking_",
    "comparison/internal": "",
    "lists": "udf_",
    "lists/internal": "",
    "predictions": "udf_",
    "hivemall": "udf_",
    "hivemall/internal": "",
}
# A comment and the space before it, or a string or quoted name, in which two hyphens begin none.
COMMENT = re.compile(r"""('(?:[^']|'')*'|"(?:[^"]|"")*")|\s*--.*""")


@dataclass(frozen=True)
class Macro:
    """A macro as it is put into a connection."""

    sql: str
    always: str  # its name, or that of the same under a name which is the pack's alone
    description: str = ""  # of a public one

    @property
    def is_table(self) -> bool:
        return " AS TABLE" in self.sql

    def comment(self, name: str) -> str:
        """The statement with which `duckdb_functions()` shows the description of the macro of this name."""
        kind = "MACRO TABLE" if self.is_table else "MACRO"
        return f"COMMENT ON {kind} {name} IS {literal(self.description)}"


def folder() -> Traversable:
    """The folder `sql/`: inside the package when installed from a wheel, beside it in a checkout."""
    installed = files("udfs") / "sql"
    return installed if installed.is_dir() else Path(__file__).resolve().parent.parent.parent / "sql"


def read(name: str) -> str:
    """The text of one file, by its path below `sql/`."""
    return folder().joinpath(name).read_text(encoding="utf-8")


@cache
def texts() -> dict[str, tuple[str, str]]:
    """The file of each macro and the room that it lies in, by the name of the file."""
    root = folder()
    return {
        file.name.removesuffix(".sql"): (file.read_text(encoding="utf-8"), room)
        for room in ROOMS
        for file in sorted((root / room).iterdir(), key=attrgetter("name"))
        if file.name.endswith(".sql")
    }


@cache
def macros() -> dict[str, Macro]:
    """Each macro by its name; one comes after those that it calls.

    A short name, which a user may have given to something else, makes two macros: one so named, and one whose
    name is the pack's alone. (If the one called the other, DuckDB would not take it with OVER.)
    """
    found = {}
    for text, room in texts().values():
        for sql in re.findall(r"CREATE OR REPLACE TEMP MACRO .*?;\s*(?=CREATE|$)", code(text), re.DOTALL):
            prefix, name = ROOMS[room], re.findall(r"\w+", sql)[5]
            always = name if name.startswith((prefix, "_")) else prefix + name
            described = "" if name.startswith("_") else description(text)
            found[always] = Macro(sql.replace(f"MACRO {name}", f"MACRO {always}", 1), always, described)
            found[name] = Macro(sql, always, described)
    called = {
        name: sorted(set(re.findall(r"\w++(?=\()", macro.sql)) & found.keys() - {name})
        for name, macro in found.items()
    }
    return {name: found[name] for name in TopologicalSorter(called).static_order()}


PARSED: dict[str, duckdb.Statement] = {}


def parsed(con: duckdb.DuckDBPyConnection, texts: Iterable[str]) -> list[duckdb.Statement]:
    """The statements, each parsed once in a process: DuckDB takes longer to parse a macro than to make it.

    The parser, not the planner, reads `/` as the setting integer_division says; in the pack's SQL it divides.
    """
    texts = list(texts)
    new = [text for text in texts if text not in PARSED]
    if new:
        with contextlib.closing(con.cursor()) as cursor:
            cursor.execute("SET SESSION integer_division = false")
            PARSED.update((text, cursor.extract_statements(text)[0]) for text in new)
    return [PARSED[text] for text in texts]


def description(text: str) -> str:
    """What the head of a file says first: the lines above its first empty one."""
    return text.partition("\n--\n")[0].removeprefix("-- ").replace("\n-- ", " ")


def code(text: str) -> str:
    """SQL without its comments, which DuckDB takes a while to skip."""
    return COMMENT.sub(r"\1", text)


def literal(text: str) -> str:
    """The text as a SQL string."""
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """The name as a SQL identifier."""
    return '"' + name.replace('"', '""') + '"'
