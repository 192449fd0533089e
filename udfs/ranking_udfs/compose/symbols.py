"""Render templates with arguments unknown until DuckDB runs: the arguments of a macro.

A `Symbol` represents such an argument. An `{% if %}` that tests a Symbol renders both branches with marks
around them, and `expression` or `text` converts the marks to a CASE. Python evaluates all other tests.
"""

import re
from collections.abc import Mapping
from typing import Any, NoReturn

from jinja2 import Environment, nodes
from jinja2.visitor import NodeTransformer

from ..quoting import double, literal

# Marks around parts of an output: IF condition THEN output ELSE output END, FOR list THEN output END, VALUE
# symbol END.
IF, THEN, ELSE, END, VALUE, FOR = MARKS = "\ue000\ue001\ue002\ue003\ue004\ue005"


class SymbolError(Exception):
    """A use of a Symbol that has no form in SQL. Jinja2's filters would hide a TypeError."""


class Symbol:
    """SQL of a value. A comparison with a word or a number is the condition in SQL."""

    def __init__(self, sql: str) -> None:
        self.sql = sql

    def __eq__(self, other: object) -> "Symbol":  # type: ignore[override]
        return Symbol(f"{self.sql} = {to_sql(other)}")

    def __ne__(self, other: object) -> "Symbol":  # type: ignore[override]
        return Symbol(f"{self.sql} IS DISTINCT FROM {to_sql(other)}")

    def refuse(self, *_: object) -> NoReturn:
        raise SymbolError(
            f"a template may print {self.sql}, or test it by an if of its own: ==, != or is none"
        )

    __bool__ = __str__ = __len__ = __iter__ = __int__ = __float__ = __lt__ = __le__ = __gt__ = __ge__ = refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = refuse


class SymbolList:
    """SQL of a LIST. A `{% for %}` prints each element by its `fields`, which are SQL over `one`."""

    def __init__(self, sql: str, fields: Mapping[str, str]) -> None:
        self.sql, self.row = sql, {name: Symbol(field) for name, field in fields.items()}


def to_sql(value: Any) -> str:
    """Return a Symbol, a word or a number as SQL; a float becomes a DOUBLE."""
    if isinstance(value, float):
        return double(value)
    if isinstance(value, str):
        return literal(value)
    return value.sql if isinstance(value, Symbol) else str(value)


def printed(value: Any) -> Any:
    marked = f"{VALUE}{value.sql}{END}" if isinstance(value, Symbol) else value
    return to_sql(value) if isinstance(value, float) else marked


def coalesce(value: Any, default: float) -> Any:
    """Return the value, or the default for NULL: `{{ base|coalesce(2) }}`."""
    if isinstance(value, Symbol):
        return Symbol(f"coalesce({value.sql}, {to_sql(default)})")
    return default if value is None else value


def branches(test: Any, assigns: bool) -> tuple[bool, bool, str, str, str]:
    """Return, for an `{% if %}`, whether each branch is rendered and the marks before, between and after."""
    if not isinstance(test, Symbol):
        return bool(test), not test, "", "", ""
    if assigns:
        raise SymbolError(f"a template must not set a name where {test.sql} decides whether")
    return True, True, f"{IF}{test.sql}{THEN}", ELSE, END


def rows(items: Any) -> tuple[Any, str, str]:
    """Return, for a `{% for %}`, the rows to render and the marks before and after."""
    if isinstance(items, SymbolList):
        return [items.row], f"{FOR}{items.sql}{THEN}", END
    return items, "", ""


class WithSymbols(NodeTransformer):
    """Replaces each `{% if %}` and `{% for %}` of a template by one that supports Symbols."""

    names = 0

    def visit_If(self, node: nodes.If) -> list[nodes.Node]:  # noqa: N802
        if node.elif_:
            node.else_ = [nodes.If(node.elif_[0].test, node.elif_[0].body, node.elif_[1:], node.else_)]
            node.elif_ = []
        assigns = any(node.find_all((nodes.Assign, nodes.AssignBlock)))  # before inner ifs add more
        self.generic_visit(node)
        arguments = [node.test, nodes.Const(assigns)]
        self.names += 1
        name = f"_branches_{self.names}"
        call = nodes.Call(nodes.Name("branches", "load"), arguments, [], None, None)
        part = [nodes.Getitem(nodes.Name(name, "load"), nodes.Const(i), "load") for i in range(5)]
        start, middle, end = (nodes.Output([mark]) for mark in part[2:])
        first, second = nodes.If(part[0], node.body, [], []), nodes.If(part[1], node.else_, [], [])
        return [nodes.Assign(nodes.Name(name, "store"), call), start, first, middle, second, end]

    def visit_For(self, node: nodes.For) -> list[nodes.Node]:  # noqa: N802
        self.generic_visit(node)
        self.names += 1
        name = f"_rows_{self.names}"
        call = nodes.Call(nodes.Name("rows", "load"), [node.iter], [], None, None)
        node.iter, *marks = (
            nodes.Getitem(nodes.Name(name, "load"), nodes.Const(i), "load") for i in range(3)
        )
        start, end = (nodes.Output([mark]) for mark in marks)
        return [nodes.Assign(nodes.Name(name, "store"), call), start, node, end]

    def visit_Not(self, node: nodes.Not) -> nodes.Node:  # noqa: N802
        self.generic_visit(node)
        return nodes.Call(nodes.Name("negated", "load"), [node.node], [], None, None)


def negated(test: Any) -> Any:
    return Symbol(f"NOT {test.sql}") if isinstance(test, Symbol) else not test


class SymbolEnvironment(Environment):
    """An Environment with templates that support Symbols."""

    def __init__(self, **options: Any) -> None:
        super().__init__(finalize=printed, **options)
        self.globals |= {"branches": branches, "negated": negated, "rows": rows}
        self.filters["coalesce"] = coalesce
        self.tests["none"] = lambda x: Symbol(f"{x.sql} IS NULL") if isinstance(x, Symbol) else x is None

    def _parse(self, *arguments: Any) -> nodes.Template:
        return WithSymbols().visit(super()._parse(*arguments))  # type: ignore[no-any-return]


def parts(output: str) -> list[Any]:
    """Split output into strings, Symbols, tests (condition, parts, parts) and loops (list, parts)."""
    tokens = iter(re.split(f"([{MARKS}])", output))

    def to_next_mark() -> list[Any]:
        pieces: list[Any] = []
        for token in tokens:
            if token == VALUE:
                pieces.append(Symbol(next(tokens)))
                next(tokens)
            elif token == IF:
                condition, _ = next(tokens), next(tokens)
                pieces.append((condition, to_next_mark(), to_next_mark()))
            elif token == FOR:
                listed, _ = next(tokens), next(tokens)
                pieces.append((listed, to_next_mark()))
            elif token in (ELSE, END):
                break
            elif token:
                pieces.append(token)
        return pieces

    return to_next_mark()


def expression(output: str | list[Any]) -> str:
    """Return output, or parts of it, as SQL with a CASE for each test of a Symbol."""
    sql = ""
    for piece in parts(output) if isinstance(output, str) else output:
        if isinstance(piece, tuple):
            then, otherwise = (expression(part).strip() for part in piece[1:])
            if [type(part) for part in piece[2] if not (isinstance(part, str) and part.isspace())] == [tuple]:
                otherwise = otherwise.removeprefix("CASE").removesuffix(" END")  # the CASE of an elif
            elif otherwise:
                otherwise = f" ELSE {otherwise}"
            sql += f"CASE WHEN {piece[0]} THEN {then or 'NULL'}{otherwise} END"
        else:
            sql += piece.sql if isinstance(piece, Symbol) else piece
    return sql


def text(output: str | list[Any]) -> str:
    """Return SQL that builds the output, or parts of it, as a string once DuckDB knows the Symbols."""
    pieces = [as_text(piece) for piece in (parts(output) if isinstance(output, str) else output)]
    if len(pieces) < 2:
        return "".join(pieces) or "''"
    return f"concat({', '.join(pieces)})"  # || takes longer to plan.


def as_text(piece: Any) -> str:
    if not isinstance(piece, tuple):
        return to_sql(piece)
    if len(piece) == 2:
        each = f"list_transform({piece[0]}, lambda one: {text(piece[1])})"
        return f"coalesce(list_aggregate({each}, 'string_agg', ''), '')"
    return f"CASE WHEN {piece[0]} THEN {text(piece[1])} ELSE {text(piece[2])} END"
