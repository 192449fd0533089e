"""Macros at the head of a text of SQL that calls them, which then runs where the pack is not."""

import re
from collections.abc import Iterable, Sequence
from functools import cache

from ..folder import read
from .hosting import HOST
from .statements import Macro, code, description, macros, split_macros, texts

# Macros that stand for functions of Python; the first is of clients without these.
OF_T = "comparison/without_python/_ranking_t_p.sql"
STANDING = {f"system.main._ranking_arrow_t_{one}": f"_ranking_t_{one}" for one in ("p", "quantile")}
# A text, a quoted name or a comment, in which nothing is called; or a call of a function of the pack.
CALLED = re.compile(
    rf"""'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*"""
    rf"""|(?<![\w.])(?:{HOST}\.main\.|(system\.main\.))?(_?ranking_\w+)(?=\()"""
)


def stand_alone(statements: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the statements of the macros that these call, and these, as far as they can do without the pack.

    A statement that cannot begins with a comment that says so.
    """
    found, needed = list[str](), set[str]()
    for statement in statements:
        names = called(statement)
        if lacking := [name for name in names if needs_pack(name)]:
            found.append(f"-- Needs the pack, for {' and '.join(lacking)}.\n{statement}")
        else:
            needed |= {*names}
            found.append(called_helpers(statement))
    return helpers(needed), found


def called(sql: str) -> Sequence[str]:
    """Return the pack's functions that a text calls, each once."""
    return list(dict.fromkeys(filter(None, map(name_of, CALLED.finditer(sql)))))


def name_of(found: re.Match[str]) -> str | None:
    """Return the name of a function of the pack that is called, or of the macro that stands for it."""
    name = f"{found[1] or ''}{found[2] or ''}"
    return STANDING.get(name, name if found[1] or name in known() else None)


@cache
def known() -> dict[str, Macro]:
    """Return the macros by name, each behind those that it calls."""
    return macros() | {name: Macro(code(text), name) for name, text in split_macros(read(OF_T)).items()}


def needs_pack(name: str) -> bool:
    """Return true for a function that no macro at the head of a text can stand for."""
    macro = known().get(name)
    return macro is None or macro.is_table or any(map(needs_pack, called(body(macro.sql))))


def helpers(names: Iterable[str]) -> list[str]:
    """Return the statements that make these macros and those that they call, each behind those that it calls.

    They are TEMP macros. Their names begin with `ranking_`, so that they replace none of the pack's.
    """
    every, needed, found = known(), [*names], set[str]()
    written = split_macros(read(OF_T)) | {name: text for name, (text, _) in texts().items()}
    while needed:
        found.add(name := needed.pop())
        needed += {*called(body(every[name].sql))} - found
    return [
        f"{first_sentence(written[name])}\n{called_helpers(every[name].sql).strip().rstrip(';')}"
        for name in every
        if name in found
    ]


def body(sql: str) -> str:
    """Return a macro's statement behind its name."""
    return re.split(r"\bMACRO\s+\w+", sql, maxsplit=1)[1]


def first_sentence(text: str) -> str:
    """Return the first sentence of the comment above a macro, or its first clause, as a comment."""
    head = description(text.partition("\nCREATE ")[0])
    return f"-- {re.split('[.:;]( |$)', head)[0]}."


def called_helpers(sql: str) -> str:
    """Return SQL that calls internal macros by the names that `helpers` gives them."""

    def renamed(found: re.Match[str]) -> str:
        name = name_of(found)
        return name.removeprefix("_") if name in known() else found[0]

    return CALLED.sub(renamed, sql)
