"""Rows and descriptions for `ranking-udfs measures` and `functions`: one line each, or some in full."""

import re
from collections.abc import Iterator, Mapping, Sequence
from inspect import getdoc
from itertools import takewhile

from ..duckdb.macros import macros
from ..evaluation.errors import UsageError
from ..macros.files import description, signatures, texts
from ..measures.grammar import SPELLINGS, normalize_name
from ..measures.registry import LIST_MEASURES, MEASURES, TABLE_HEADER, measure_table
from ..texts import did_you_mean, shorten
from .output import Part

IN_TEXT = ("description", "source")  # columns that the full description repeats
# The break of a line of prose: behind a long line, and not before an entry (`k: the cutoff`) or a result.
BREAK = re.compile(r"(?<=.{70})\n *(?=\S)(?!(`\w+`(, `\w+`)*|\w+):|[-\d\[{])")
# A row for each entry, from its name to its description, and the full descriptions of chosen entries.
Entries = tuple[Sequence[Mapping[str, str]], Sequence[str]]


def measures(names: Sequence[str]) -> Entries:
    """Return the measures with these names, aliases or labels; all measures without names."""
    every = MEASURES | LIST_MEASURES
    known = {spelling: measure.name for spelling, measure in SPELLINGS.items()}
    for measure in LIST_MEASURES.values():
        known |= {normalize_name(name): measure.name for name in (*measure.names, measure.label)}
    chosen = [find("measure", name, normalize_name(name), known) for name in dict.fromkeys(names)]
    rows = {}
    for row in measure_table():
        cells = [cell if isinstance(cell, str) else ", ".join(cell) for cell in row]
        rows[cells[0]] = dict(zip(TABLE_HEADER, cells, strict=True))
    return [rows[name] for name in chosen or every], [getdoc(every[name].compute) or "" for name in chosen]


def functions(names: Sequence[str]) -> Entries:
    """Return the SQL functions with these names, in any case; all functions without names."""
    public = {macros()[name].called: text for name, (text, _) in sorted(texts().items())}
    known = {name.removeprefix("ranking."): name for name in public} | {name: name for name in public}
    chosen = [find("function", name, name.lower(), known) for name in dict.fromkeys(names)]
    rows = []
    for name in chosen or public:
        forms = signatures(macros()[name.removeprefix("ranking.")].sql)
        calls = (f"{name}({', '.join(arguments)})" for arguments in forms)
        rows.append({"name": name, "call": "; ".join(calls), "description": description(public[name])})
    return rows, [head(public[name]) for name in chosen]


def find(what: str, name: str, key: str, known: Mapping[str, str]) -> str:
    """Return the known name for a key; raise UsageError with a suggestion for an unknown key."""
    if key not in known:
        hint = did_you_mean(key, known) or f" (`ranking-udfs {what}s` lists them)"
        raise UsageError(f"{what}s: NAME must be the name of a {what}, got {shorten(repr(name))}{hint}")
    return known[key]


def head(text: str) -> str:
    """Return the comment above a macro."""
    lines = takewhile(lambda line: line.startswith("--"), text.splitlines())
    return "\n".join(line.removeprefix("--").removeprefix(" ") for line in lines)


def parts(command: str, rows: Sequence[Mapping[str, str]], full: Sequence[str]) -> Iterator[Part]:
    """Yield the facts and the full description of each chosen entry, or all names with descriptions."""
    for row, text in zip(rows, full, strict=False):
        yield [f"{what}: {fact}" for what, fact in row.items() if fact and what not in IN_TEXT]
        yield BREAK.sub(" ", text).splitlines()
    if not full:
        yield [f"{row['name']}: {row['description']}" for row in rows]
        yield [f"`ranking-udfs {command} NAME` explains one."]
