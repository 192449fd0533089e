"""The text of `ranking-udfs measures` and `functions`: all on a few lines each, or some in full."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from inspect import getdoc
from itertools import takewhile
from textwrap import fill
from typing import TypeVar

from tabulate import tabulate

from ..duckdb.statements import description, macros, texts
from ..evaluation.errors import UsageError
from ..measures.grammar import SPELLINGS, normalize_name
from ..measures.registry import LIST_MEASURES, MEASURES, TABLE_HEADER, Measure, measure_table
from ..texts import did_you_mean, shorten

Found = TypeVar("Found")
# The header and the rows of a table for programs, and for people a text of a width.
Entries = tuple[Sequence[str], Sequence[Sequence[str]], Callable[[int], str]]


def measures(names: Sequence[str]) -> Entries:
    """Return the measures of these names, aliases or labels; without names, all."""
    every = MEASURES | LIST_MEASURES
    known = SPELLINGS | {
        normalize_name(name): one for one in LIST_MEASURES.values() for name in (*one.names, one.label)
    }
    chosen = [find("measure", name, normalize_name(name), known) for name in names]
    shown = {one.name for one in chosen} or every
    rows = [row for row in measure_table() if row[0] in shown]
    cells = [[cell if isinstance(cell, str) else ", ".join(cell) for cell in row] for row in rows]
    lines = {}
    for name, one in every.items():
        lines[name] = one.description + f" Also {', '.join(one.aliases)}." * bool(one.aliases)
        lines[name] += f" Options: {'; '.join(one.option_texts)}." * bool(one.option_texts)
    full = [partial(explain_measure, one) for one in chosen]
    return TABLE_HEADER, cells, partial(join_texts, full, lines, "measures")


def functions(names: Sequence[str]) -> Entries:
    """Return the functions of SQL of these names, in whatever case; without names, all."""
    public = {name: text for name, (text, _) in sorted(texts().items()) if not name.startswith("_")}
    known = {name: name for name in public}
    chosen = [find("function", name, name.lower(), known) for name in names]
    calls = {
        name: [f"{name}({', '.join(given)})" for given in macros()[name].signatures()]
        for name in dict.fromkeys(chosen or public)
    }
    rows = [(name, "; ".join(of), description(public[name])) for name, of in calls.items()]
    full = [partial(explain_function, calls[name], public[name]) for name in chosen]
    lines = {name: description(text) for name, text in public.items()}
    return ("name", "call", "description"), rows, partial(join_texts, full, lines, "functions")


def find(what: str, name: str, key: str, known: Mapping[str, Found]) -> Found:
    """Return what is known by this key; UsageError if nothing is, with what was perhaps meant."""
    if key not in known:
        hint = did_you_mean(key, known) or f" (`ranking-udfs {what}s` lists them)"
        raise UsageError(f"{what}s: NAME must be the name of a {what}, got {shorten(repr(name))}{hint}")
    return known[key]


def join_texts(full: Sequence[Callable[[int], str]], lines: Mapping[str, str], what: str, width: int) -> str:
    """Join the full texts of some, or list all by name, each with its line."""
    if full:
        return "\n".join(text(width) for text in full)
    wide = width - max(map(len, lines)) - 2
    listed = tabulate(lines.items(), tablefmt="plain", maxcolwidths=[None, wide], disable_numparse=True)
    return f"{listed}\n\n`ranking-udfs {what} NAME` explains one.\n"


def explain_function(calls: Sequence[str], text: str, width: int) -> str:
    """Say how a function is called, and show the head of its file."""
    head = takewhile(lambda line: line.startswith("--"), text.splitlines())
    called = "\n".join(fill(call, width, subsequent_indent="    ") for call in calls)
    return "\n".join([called, "", *(line.removeprefix("--").removeprefix(" ") for line in head), ""])


def explain_measure(one: Measure, width: int) -> str:
    """Show the facts of a measure, and its docstring."""
    facts = {
        "Called": ", ".join(one.names),
        "Options": "; ".join(one.option_texts) or "none",
        "Range": one.range_text,
        "Empty or undefined": str(one.empty),
    }
    lines = (fill(f"{what}: {fact}", width, subsequent_indent="  ") for what, fact in facts.items())
    paragraphs = (render_paragraph(text, width) for text in (getdoc(one.compute) or "").split("\n\n"))
    return "\n\n".join([f"{one.label}\n{'=' * len(one.label)}", "\n".join(lines), *paragraphs]) + "\n"


def render_paragraph(text: str, width: int) -> str:
    """Fill lines of this width, but keep those of an example."""
    is_own = any(line.startswith((" ", ">>>")) for line in text.splitlines())
    return text if is_own else fill(text, width, break_long_words=False, break_on_hyphens=False)
