"""Add the macros of Student's t to printed SQL, so that it runs without ranking-udfs."""

import re
from collections.abc import Iterable
from functools import cache

from ..folder import read
from .files import code, description, split_macros

OF_T = "comparison/without_python/student_t.sql"
# Python functions by the names of the macros that replace them.
STANDING = {f"_ranking_arrow_t_{name}": f"_ranking_t_{name}" for name in ("p", "quantile")}
# A string, a quoted name or a comment, which contain no calls; or a call of one of our functions.
CALLED = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*"""
    r"""|(?<![\w.])(?:system\.main\.)?(_ranking_\w+)(?=\()"""
)


@cache
def written() -> dict[str, str]:
    """Return the macros of Student's t by name, each after the macros that it calls."""
    return split_macros(read(OF_T))


def stand_alone(statements: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the statements after the macros that they call, so that they run without ranking-udfs.

    A statement that needs ranking-udfs starts with a comment about it.
    """
    output, needed = list[str](), set[str]()
    for statement in statements:
        names = called(statement)
        if lacking := [f"system.main.{name}" for name in names if name not in written()]:
            output.append(
                f"-- Requires ranking_udfs.register(con), for {' and '.join(lacking)}.\n{statement}"
            )
        else:
            needed |= {*names}
            output.append(renamed(statement))
    return helpers(needed), output


def called(sql: str) -> list[str]:
    """Return our functions in SQL, or the macros that replace them, each once."""
    names = (match[1] for match in CALLED.finditer(sql) if match[1])
    return list(dict.fromkeys(STANDING.get(name, name) for name in names))


def helpers(names: Iterable[str]) -> list[str]:
    """Return the statements for these macros and the macros that they call, in the order of their calls.

    They are TEMP macros. Their names start with `ranking_`, so they do not clash with the script's macros.
    """
    needed, collected = [*names], set[str]()
    while needed:
        collected.add(name := needed.pop())
        needed += {*called(code(written()[name]))} - collected
    return [
        f"{first_sentence(text)}\n{renamed(code(text[text.index('CREATE ') :])).strip().rstrip(';')}"
        for name, text in written().items()
        if name in collected
    ]


def first_sentence(text: str) -> str:
    """Return the first sentence of the comment above a macro, or its first clause, as a comment."""
    head = description(text.partition("\nCREATE ")[0])
    return f"-- {re.split('[.:;]( |$)', head)[0]}."


def renamed(sql: str) -> str:
    """Rename the macros in SQL to the names in `helpers`."""

    def name_of(match: re.Match[str]) -> str:
        name = STANDING.get(match[1], match[1])
        return name.removeprefix("_") if name in written() else match[0]

    return CALLED.sub(name_of, sql)
