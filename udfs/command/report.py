"""Reports: results as a text table, Markdown, CSV or JSON, and files that are whole or not there."""

import csv
import io
import json
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .evaluation import COUNTS, Request, Row

FORMATS = ("table", "csv", "json", "markdown")
COUNT_LABELS = (
    "Users evaluated",
    "Users without recommendations (scored as an empty list)",
    "Users without truth (left out)",
)
EVERYBODY = "(all)"
Cells = Sequence[Any]


def render(form: str, header: Sequence[str], rows: Sequence[Cells]) -> str:
    """The rows in one of FORMATS; a double in as many digits as it has, a NULL as each format has it."""
    if form == "json":
        return (
            json.dumps([dict(zip(header, row, strict=True)) for row in rows], indent=2, ensure_ascii=False)
            + "\n"
        )
    if form == "csv":
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([header, *rows])
        return text.getvalue()
    cells = [[cell_text(cell) for cell in row] for row in [header, *rows]]
    if form == "markdown":
        escaped = [[cell.replace("|", "\\|") for cell in row] for row in cells]
        escaped.insert(1, ["---"] * len(header))
        return "".join(f"| {' | '.join(row)} |\n" for row in escaped)
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    cells.insert(1, ["-" * width for width in widths])
    lines = [" | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells]
    return "".join(line.rstrip() + "\n" for line in lines)


def cell_text(cell: Any) -> str:
    """The cell on one line, without what a terminal would obey."""
    if cell is None:
        return "NULL"
    text = repr(cell) if isinstance(cell, float) else str(cell)
    return "".join(character if character.isprintable() else " " for character in text)


@contextmanager
def whole_file(path: str) -> Iterator[str]:
    """A path to write to; what was written becomes `path` at the end, unless there was an error.

    A device or a pipe is written to as it is.
    """
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target):
        yield path
        return
    folder, name = os.path.split(target)
    beside = os.path.join(folder, f".{secrets.token_hex(4)}.{name}")  # the extension says how to compress it
    try:
        yield beside
        os.replace(beside, target)
    finally:
        if os.path.exists(beside):
            os.remove(beside)


def report(
    form: str, request: Request, named: Sequence[str], summary: Sequence[Row], by_segment: Sequence[Row]
) -> str:
    """The results: for programs a row per model, segment and k; for people tables of measures by k."""
    found = {row["system"] for row in summary if "system" in row}
    systems: list[str | None] = [*named, *sorted(found - set(named), key=str)]

    def order(row: Row) -> tuple[int, str, int]:
        system = systems.index(row["system"]) if systems else 0
        return system, row.get("segment", ""), request.ks.index(row["k"])

    summary, by_segment = sorted(summary, key=order), sorted(by_segment, key=order)
    if form in ("csv", "json"):
        if by_segment:
            summary = [*({"segment": EVERYBODY, **row} for row in summary), *by_segment]
        header = [name for name in ("system", "segment", "k", *COUNTS) if name in summary[0]]
        header += [choice.column for choice in request.choices]
        return render(form, header, [[row.get(name) for name in header] for row in summary])

    is_named = bool(named) or len(systems) > 1
    columns = [(system, k) for system in systems or [None] for k in request.ks]
    heads = [f"{system} top-{k}" if is_named else f"top-{k}" for system, k in columns]
    measures = [(choice.label, choice.column) for choice in request.choices]

    def lines(results: Sequence[Row], labels: Sequence[tuple[str, str]]) -> list[list[Any]]:
        values = {(row.get("system"), row["k"]): row for row in results}
        return [[label, *(values[column][name] for column in columns)] for label, name in labels]

    text = render(form, ["Ranking measure", *heads], lines(summary, measures)) + "\n"
    bullet = "- " if form == "markdown" else ""
    for label, name in zip(COUNT_LABELS, COUNTS, strict=True):
        by_system = {row.get("system"): row[name] for row in summary}
        different = len(set(by_system.values())) > 1
        value = ", ".join(f"{system} {count}" for system, count in by_system.items())
        text += f"{bullet}{label}: {cell_text(value) if different else summary[0][name]}\n"
    if by_segment and request.segment:
        segments = dict.fromkeys(row["segment"] for row in by_segment)
        body = [
            [segment, *line]
            for segment in sorted(segments)
            for line in lines(
                [row for row in by_segment if row["segment"] == segment], [("Users", "users"), *measures]
            )
        ]
        text += "\n" + render(form, [request.segment[1], "Ranking measure", *heads], body)
    return text
