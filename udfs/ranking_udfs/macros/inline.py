"""Replace calls of macros by their bodies, so that the macros of the script call no other macros."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..quoting import literal

# A string, a quoted name, a comment, a word without a dot before it, or one character.
TOKEN = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|(?<![\w.])[A-Za-z_]\w*|.""", re.DOTALL)
HEAD = re.compile(r"\s*CREATE OR REPLACE (?:TEMP )?MACRO (\w+)\s*\((.*?)\)\s+AS\s", re.DOTALL)
OPENING, CLOSING = "([{", ")]}"
TEXT = "_ranking_sql"  # TEXT('f({x})') is the SQL of a call of f with the value of x.
VALUE = "_ranking_as_text"  # the macro that formats a value as SQL
# SQL that needs no brackets around it: a word, a number, a string, a call.
WHOLE = re.compile(r"[\w.]+|'(?:[^']|'')*'|\w+\((?:[^()']|'(?:[^']|'')*')*\)")


@dataclass(frozen=True)
class Inlined:
    """A macro to inline: its parameters with their defaults, and its body."""

    parameters: Mapping[str, str | None]
    body: str

    @staticmethod
    def parse(statement: str) -> "Inlined":
        head = HEAD.match(statement)
        if head is None:
            raise ValueError(f"no macro of one form: {statement[:60]}")
        named = (parameter.partition(" := ") for parameter in split(head[2]))
        parameters = {name: default if is_set else None for name, is_set, default in named}
        return Inlined(parameters, statement[head.end() :].strip().rstrip(";"))


class Inliner:
    """Replaces the calls of these macros in SQL."""

    def __init__(self, macros: Mapping[str, str]) -> None:
        self.macros = {name: Inlined.parse(statement) for name, statement in macros.items()}
        self.bodies: dict[str, str] = {}  # bodies without calls, by name

    def inline(self, sql: str) -> str:
        """Replace the calls of macros in SQL by the bodies of the macros."""
        pieces, tokens = list[str](), TOKEN.finditer(sql)
        end = 0
        for token in tokens:
            name, position = token[0], token.end()
            if token.start() < end:
                continue
            end = position
            if name not in (TEXT, *self.macros) or sql[position : position + 1] != "(":
                pieces.append(name)
                continue
            end = closing(sql, position) + 1
            arguments = split(sql[position + 1 : end - 1])
            pieces.append(self.text(arguments[0]) if name == TEXT else self.call(name, arguments))
        return "".join(pieces)

    def fragment(self, sql: str) -> str:
        """Replace the calls in a fragment of SQL, which may have open quotes; no call is within quotes."""
        pieces, end = list[str](), 0
        for head in re.finditer(rf"(?<![\w.])(?:{'|'.join(self.macros)})(?=\()", sql):
            if head.start() >= end:
                stop = closing(sql, head.end()) + 1
                pieces += [sql[end : head.start()], self.inline(sql[head.start() : stop])]
                end = stop
        return "".join([*pieces, sql[end:]])

    def call(self, name: str, arguments: list[str]) -> str:
        macro = self.macros[name]
        values = dict(macro.parameters)
        for parameter, argument in zip(values, arguments, strict=False):
            called, _, value = argument.partition(" := ")
            is_named = bool(value) and called in values
            values[called if is_named else parameter] = self.inline(value if is_named else argument)
        if lacking := [parameter for parameter, value in values.items() if value is None]:
            raise ValueError(f"{name}: no {lacking[0]}")
        if name not in self.bodies:
            self.bodies[name] = self.inline(macro.body)
        body = replaced(
            self.bodies[name], {parameter: whole(str(value)) for parameter, value in values.items()}
        )
        return whole(body)

    def text(self, quoted: str) -> str:
        """Return SQL that builds the SQL of a quoted string, with the value of x for each `{x}`."""
        parts = re.split(r"\{(.*?)\}", quoted[1:-1].replace("''", "'"))
        values, text = list(dict.fromkeys(parts[1::2])), parts[0]
        for value, rest in zip(parts[1::2], parts[2::2], strict=True):
            text += f"_ranking_value_{values.index(value)}{rest}"
        if not values:
            return literal(self.inline(text))
        pieces = re.split(r"(_ranking_value_\d+)", self.inline(text))
        shown = ", ".join(
            f"_ranking_values['{piece}']" if index % 2 else literal(piece)
            for index, piece in enumerate(pieces)
            if piece
        )
        fields = (
            f"'_ranking_value_{index}': {self.call(VALUE, [value])}" for index, value in enumerate(values)
        )
        return f"list_transform([{{{', '.join(fields)}}}], lambda _ranking_values: concat({shown}))[1]"


def replaced(sql: str, values: Mapping[str, str]) -> str:
    """Replace parameters in SQL by values, except fields and names of arguments before `:=`."""
    pieces = []
    for token in TOKEN.finditer(sql):
        is_name = token[0] in values and not re.match(r"\s*:=|\(", sql[token.end() :])
        pieces.append(values[token[0]] if is_name else token[0])
    return "".join(pieces)


def whole(sql: str) -> str:
    """Put SQL in brackets, unless it needs none."""
    return sql if WHOLE.fullmatch(sql) else f"({sql})"


def closing(sql: str, position: int) -> int:
    """Return the position of the closing bracket for the bracket at this position."""
    depth = 0
    for token in TOKEN.finditer(sql, position):
        depth += (token[0] in OPENING) - (token[0] in CLOSING)
        if depth == 0:
            return token.start()
    raise ValueError(f"no end of {sql[position : position + 60]}")


def split(sql: str) -> list[str]:
    """Split at commas outside of brackets."""
    return [part.strip() for part in parts(sql) if part.strip()]


def parts(sql: str) -> Iterator[str]:
    depth = start = 0
    for token in TOKEN.finditer(sql):
        depth += (token[0] in OPENING) - (token[0] in CLOSING)
        if token[0] == "," and depth == 0:
            yield sql[start : token.start()]
            start = token.end()
    yield sql[start:]
