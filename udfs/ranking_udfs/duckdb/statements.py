"""The SQL of the pack, found from a wheel, an editable install and a plain checkout, and text as SQL."""

import contextlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from operator import attrgetter
from pathlib import Path

import duckdb

from ..compose.arguments import split_arguments
from ..compose.templates import environment
from ..folder import folder
from ..kept import keep, place, stamp
from ..measures.registry import MEASURES, measure_table
from ..quoting import literal, sql_value
from ..version import version
from .wrappers import measure_macros, registry_words, shared_words, with_words

LAST_MACRO = "_ranking_macros"
# The folders of macros, in the order of ranking_functions, and how a macro's second name begins if its own
# does not begin so.
# `internal/` has no second names; `sql/queries/` and the templates are no macros.
ROOMS = {
    "common/internal": "",
    "tables": "ranking_",
    "tables/internal": "",
    "comparison": "ranking_",
    "comparison/internal": "",
    "measures": "ranking_",
    "measures/internal": "",
    "lists": "udf_",
    "predictions": "udf_",
    "hivemall": "udf_",
}
# Of macros in these folders that are no table functions, what ranking_functions calls them.
KINDS = {"measures": "judging", "hivemall": "Hivemall"}
FIRST = ("ranking_summary", "ranking_by_user", "ranking_distribution", "ranking_check", "ranking_check_rows")
JUDGE = "Judge rankings: which ranks of rec hold an item that truth knows."
# The beginning of a macro, with the comment above it.
MACRO = re.compile(r"^(?:(?:--.*)?\n)*CREATE OR REPLACE TEMP MACRO (\w+)", re.MULTILINE)
# A comment and the space before it, or a string or quoted name, in which two hyphens begin none.
COMMENT = re.compile(r"""('(?:[^']|'')*'|"(?:[^"]|"")*")|\s*--.*""")
# A string, in which nothing is called, or the name of a function that is called without its schema.
CALL = re.compile(r"""'(?:[^']|'')*'|(?<![\w."])(\w++)(?=\()""")
# The parameters of a macro, once for each number of arguments that it takes.
PARAMETERS = re.compile(r"(?:\A\s*|^    )\(([^()]*)\)\s+AS\b", re.MULTILINE)

# Arguments of which a text would lose something; two beside the text that errors show.
AS_TEXT = {name: f"to_json({name})::VARCHAR" for name in ("measures", "lower_is_better")} | {
    name: f"to_json({{'shown': {name}::VARCHAR, 'value': {value}}})::VARCHAR"
    for name, value in (
        ("systems", "TRY_CAST(systems AS VARCHAR[])"),
        ("weights", "TRY_CAST(TRY_CAST(weights AS MAP(VARCHAR, DOUBLE)) AS MAP(VARCHAR, VARCHAR))"),
    )
}


@dataclass(frozen=True)
class Macro:
    """A macro as it is put into a connection."""

    sql: str
    always: str  # its name, or that of the same under a name which is the pack's alone
    description: str = ""  # of a public one
    may_forward: bool = False  # whether a macro that only calls it does the same

    @property
    def is_table(self) -> bool:
        return " AS TABLE" in self.sql

    def signatures(self) -> list[list[str]]:
        """Return the parameters, with types and defaults, of each form of the macro."""
        overloads = re.split(r"\bMACRO\s+\w+", self.sql, maxsplit=1)[1]
        return [
            [" ".join(parameter.split()) for parameter in text.split(",") if parameter.strip()]
            for text in PARAMETERS.findall(overloads)
        ]

    def comment(self, name: str) -> str:
        """The statement with which `duckdb_functions()` shows the description of the macro of this name."""
        kind = "MACRO TABLE" if self.is_table else "MACRO"
        return f"COMMENT ON {kind} {name} IS {literal(self.description)}"


@cache
def written() -> dict[str, tuple[str, str]]:
    """Return each macro of the files as it is written there, and the folder of its file, by its name."""
    root = folder()
    found: dict[str, tuple[str, str]] = {}
    for room in ROOMS:
        for file in sorted((root / room).iterdir(), key=attrgetter("name")):
            text = file.read_text(encoding="utf-8") if file.name.endswith(".sql") else ""
            if "{%" in text and " AS TABLE" not in text:
                text = environment().get_template(f"{room}/{file.name}").render()
            found |= {name: (statement, room) for name, statement in split_macros(text).items()}
    return found | {name: (text, "measures") for name, text in measure_macros().items()}


def split_macros(text: str) -> dict[str, str]:
    """Return the macros of a file by their names, each with the comment above it."""
    starts = list(MACRO.finditer(text))
    ends = [match.start() for match in starts[1:]] + [len(text)]
    return {
        match[1]: text[match.start() : end].strip("\n") + "\n"
        for match, end in zip(starts, ends, strict=False)
    }


@cache
def all_words() -> dict[str, str]:
    """Return what the words in capitals stand for that macros hold."""
    return shared_words(written()["ranking_judged"][0]) | registry_words()


@cache
def texts() -> dict[str, tuple[str, str]]:
    """Return each macro with the comment above it, and the folder of its file, by its name.

    Words in capitals that `wrappers` knows are replaced by what they stand for.
    """
    words = all_words()
    found = {
        name: (composed(name, with_words(text, words)), room) for name, (text, room) in written().items()
    }
    text, room = found["ranking_functions"]
    return found | {"ranking_functions": (text.replace("FUNCTION_ROWS", function_values(found)), room)}


def composed(name: str, text: str) -> str:
    """Return a macro whose body is a template as one line that composes it of the arguments of a call."""
    head, is_table, body = text.partition(" AS TABLE\n")
    if "{%" not in body:
        return text
    names, ctes = split_arguments([one.split()[0] for one in Macro(code(text), "").signatures()[0]])
    arguments = ", ".join(f"['{one}', typeof({one}), {AS_TEXT.get(one, f'{one}::VARCHAR')}]" for one in names)
    # DuckDB looks for the function when the macro is made, unless it meets a parameter first: in a
    # transaction, or in a file, the macro is made where the function is not seen.
    text = f"concat(left({names[0]}::VARCHAR, 0), system.main._ranking_compose('{name}', {arguments}))"
    return f"{head}{is_table}{ctes}FROM query({text});\n"


def function_values(found: Mapping[str, tuple[str, str]]) -> str:
    """Return the rows of ranking_functions as SQL, one in a line; a text that is empty is NULL."""
    rows = ([None if one == "" else one for one in row] for row in function_rows(found))
    return ",\n".join(f"({', '.join(map(sql_value, row))})" for row in rows)


def function_rows(found: Mapping[str, tuple[str, str]]) -> list[tuple[str | Sequence[str], ...]]:
    """Return what ranking_functions has: each measure, then judge and each macro that is no measure."""
    rows: list[tuple[str | Sequence[str], ...]] = [(name, "measure", *one) for name, *one in measure_table()]
    rows += [("judge", "judging", [], ["rec", "truth"], [], "", "", "", JUDGE)]
    for name in sorted(found, key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST)):
        text, room = found[name]
        if not name.startswith("_") and name.removeprefix("ranking_") not in MEASURES:
            kind = "table function" if " AS TABLE" in code(text) else KINDS.get(room, "aggregate")
            always = name if name.startswith(ROOMS[room]) else ROOMS[room] + name
            given = list(dict.fromkeys(one for form in parameters(text) for one in form))
            plain = list(dict.fromkeys(one.split()[0] for one in given if ":=" not in one))
            options = [one.replace(" := ", "=") for one in given if ":=" in one]
            rows += [(name, kind, [always] * (always != name), plain, options, "", "", "", description(text))]
    return rows


def parameters(text: str) -> list[list[str]]:
    """Return the parameters of a macro for each number of them that it takes and that is no error."""
    return Macro(re.sub(r"\([^()]*\) AS\s+error\(", "", code(text)), "").signatures()


@cache
def stamp_of_sql() -> str:
    """Return the stamp of the macros' files as they were before this process read them."""
    try:
        return stamp([Path(str(folder() / room)) for room in (*ROOMS, "measures/templates")])
    except OSError:  # in a zip file
        return ""


@cache
def macros() -> dict[str, Macro]:
    """Return each macro by its name, as kept or made of its file; one comes after those that it calls."""
    path = place("macros", stamp_of_sql(), ".json")
    if path is None:
        return read_macros()
    with contextlib.suppress(OSError, ValueError, TypeError, AttributeError):  # none, or a damaged one
        return {name: Macro(**fields) for name, fields in json.loads(path.read_bytes()).items()}
    found = read_macros()
    text = json.dumps({name: vars(macro) for name, macro in found.items()})
    with contextlib.suppress(OSError):
        keep(path, "macros", lambda file: file.write_text(text, encoding="utf-8"))
    return found


def read_macros() -> dict[str, Macro]:
    """Make the macros of the files.

    A short name, which a user may have given to something else, makes two macros: one so named, and one whose
    name is the pack's alone. (If the one called the other, DuckDB would not take it with OVER.)
    """
    found = {}
    for name, (text, room) in texts().items():
        prefix, sql = ROOMS[room], code(text).strip()
        always = name if name.startswith((prefix, "_")) else prefix + name
        described = "" if name.startswith("_") else description(text)
        may_forward = " AS TABLE" in sql or room == "measures"  # with OVER, DuckDB takes no forward
        for each in (always, name):
            renamed = sql.replace(f"MACRO {name}", f"MACRO {each}", 1)
            found[each] = Macro(renamed, always, described, may_forward)
    return {name: found[name] for name in in_order({name: macro.sql for name, macro in found.items()})}


def in_order(statements: Mapping[str, str]) -> list[str]:
    """Return the names of macros, each behind those that it calls."""
    called = {
        name: sorted(set(re.findall(r"\w++(?=\()", sql)) & statements.keys() - {name})
        for name, sql in statements.items()
    }
    return list(TopologicalSorter(called).static_order())


def with_whole_names(sql: str, database: str) -> str:
    """Return the SQL of a macro with each macro that it calls named by database and schema.

    DuckDB looks for what a macro calls where it looks for the caller's tables, unless the name is whole.
    """

    def whole_name(found: re.Match[str]) -> str:
        return f"{database}.main.{found[1]}" if found[1] in macros() else found[0]

    head, name, body = re.split(r"(\bMACRO\s+\w+)", sql, maxsplit=1)
    return head + name + CALL.sub(whole_name, body)


def mark(names: Iterable[str]) -> str:
    """Return what the macro `_ranking_macros` says beside macros of these names, as SQL."""
    return literal(" ".join([version(), *names, LAST_MACRO]))


PARSED: dict[str, duckdb.Statement] = {}


def parsed(con: duckdb.DuckDBPyConnection, texts: Iterable[str]) -> list[duckdb.Statement]:
    """The statements, each parsed once in a process: DuckDB takes longer to parse a macro than to make it.

    The parser, not the planner, reads `/` as the setting integer_division says; in the pack's SQL it divides.
    Where the setting says otherwise, which a locked configuration keeps, a connection of its own parses.
    """
    texts = list(texts)
    new = [text for text in texts if text not in PARSED]
    if new:
        with contextlib.closing(con.cursor()) as cursor:
            (as_integers,) = cursor.execute("SELECT 1 / 2 = 0").fetchone() or (True,)
            with duckdb.connect() if as_integers else contextlib.nullcontext(cursor) as parser:
                PARSED.update((text, parser.extract_statements(text)[0]) for text in new)
    return [PARSED[text] for text in texts]


def description(text: str) -> str:
    """Return the first part of a file's head: the lines above its first empty one."""
    return text.partition("\n--\n")[0].removeprefix("-- ").replace("\n-- ", " ")


def code(text: str) -> str:
    """SQL without its comments, which DuckDB takes a while to skip."""
    return COMMENT.sub(r"\1", text)
