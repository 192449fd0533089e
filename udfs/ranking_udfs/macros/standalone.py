"""Macros at the head of a text of SQL, which then runs where the pack is not: those of Student's t."""

import re
from collections.abc import Iterable
from functools import cache

from ..folder import read
from .files import code, description, split_macros

OF_T = "comparison/without_python/student_t.sql"
# The functions of Python that macros stand for, by the names of these.
STANDING = {f"_ranking_arrow_t_{one}": f"_ranking_t_{one}" for one in ("p", "quantile")}
# A text, a quoted name or a comment, in which nothing is called; or a call of a function of the pack.
CALLED = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*"""
    r"""|(?<![\w.])(?:system\.main\.)?(_ranking_\w+)(?=\()"""
)


@cache
def written() -> dict[str, str]:
    """Return the macros of Student's t by name, each behind those that it calls."""
    return split_macros(read(OF_T))


def stand_alone(statements: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the statements of the macros that these call, and these, as far as they can do without the pack.

    A statement that cannot begins with a comment that says so.
    """
    found, needed = list[str](), set[str]()
    for statement in statements:
        names = called(statement)
        if lacking := [f"system.main.{name}" for name in names if name not in written()]:
            found.append(f"-- Requires ranking_udfs.register(con), for {' and '.join(lacking)}.\n{statement}")
        else:
            needed |= {*names}
            found.append(renamed(statement))
    return helpers(needed), found


def called(sql: str) -> list[str]:
    """Return the functions of the pack that a text calls, or the macros that stand for them, each once."""
    names = (found[1] for found in CALLED.finditer(sql) if found[1])
    return list(dict.fromkeys(STANDING.get(name, name) for name in names))


def helpers(names: Iterable[str]) -> list[str]:
    """Return the statements that make these macros and those that they call, each behind those that it calls.

    They are TEMP macros. Their names begin with `ranking_`, so that they are not those of a script.
    """
    needed, found = [*names], set[str]()
    while needed:
        found.add(name := needed.pop())
        needed += {*called(code(written()[name]))} - found
    return [
        f"{first_sentence(text)}\n{renamed(code(text[text.index('CREATE ') :])).strip().rstrip(';')}"
        for name, text in written().items()
        if name in found
    ]


def first_sentence(text: str) -> str:
    """Return the first sentence of the comment above a macro, or its first clause, as a comment."""
    head = description(text.partition("\nCREATE ")[0])
    return f"-- {re.split('[.:;]( |$)', head)[0]}."


def renamed(sql: str) -> str:
    """Return SQL that calls the macros, and makes them, by the names that `helpers` gives them."""

    def name_of(found: re.Match[str]) -> str:
        name = STANDING.get(found[1], found[1])
        return name.removeprefix("_") if name in written() else found[0]

    return CALLED.sub(name_of, sql)
