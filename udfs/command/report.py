"""Reports: results as a text table, Markdown, CSV or JSON."""

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .evaluation import COUNTS, Request
from .messages import printable

FORMATS = ("table", "csv", "json", "markdown")
COUNT_LABELS = (
    "Users evaluated",
    "Users without recommendations (scored as an empty list)",
    "Users without truth (left out)",
)
EVERYBODY = "(all)"
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # text that begins so, a spreadsheet computes
# What Markdown and the HTML within it would obey; an underscore within a word they leave alone.
MARKUP = re.compile(r"[\\`*\[\]<>&|~]|(?<!\w)_|_(?!\w)")
Cells = Sequence[Any]
Row = Mapping[str, Any]


def render(form: str, header: Sequence[str], rows: Sequence[Cells], is_safe: bool = False) -> str:
    """The rows in one of FORMATS; a double in as many digits as it has, a NULL as each format has it.

    `is_safe` makes CSV safe for spreadsheets, by a quote in front of what would be a formula.
    """
    if form == "json":
        objects = [dict(zip(header, row, strict=True)) for row in rows]
        text = json.dumps(objects, indent=2, ensure_ascii=False) + "\n"
        return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)
    if form == "csv":
        return "".join(csv_line(map(safe, row) if is_safe else row) for row in [header, *rows])
    cells = [[cell_text(form, cell) for cell in row] for row in [header, *rows]]
    if form == "markdown":
        cells.insert(1, ["---"] * len(header))
        return "".join(f"| {' | '.join(row)} |\n" for row in cells)
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    cells.insert(1, ["-" * width for width in widths])
    lines = [" | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells]
    return "".join(line.rstrip() + "\n" for line in lines)


def csv_line(cells: Iterable[Any]) -> str:
    """A line of CSV; Python puts quotes around a carriage return only if it ends lines with one."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow(cells)
    return line.getvalue().removesuffix("\r\n") + "\n"


def safe(cell: Any) -> Any:
    """The cell as text where it would be a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell


def cell_text(form: str, cell: Any) -> str:
    """The cell as people read it, in a table or in Markdown."""
    if cell is None:
        return "NULL"
    text = printable(repr(cell) if isinstance(cell, float) else cell)
    return MARKUP.sub(r"\\\g<0>", text) if form == "markdown" else text


def report(
    form: str,
    request: Request,
    named: Sequence[str],
    segment: str | None,
    summary: Sequence[Row],
    by_segment: Sequence[Row],
    is_long: bool = False,
    is_safe: bool = False,
) -> str:
    """The results: for programs a row per model, segment and k; for people tables of measures by k.

    `named` are the models in the order of their files, `segment` what segments are called; `is_long` makes it
    a row per model, segment, k and measure, for both.
    """
    found = {row["system"] for row in summary if "system" in row}
    systems: list[str | None] = [*named, *sorted(found - set(named), key=str)]

    def order(row: Row) -> tuple[int, str, int]:
        system = systems.index(row["system"]) if systems else 0
        return system, row.get("segment", ""), request.ks.index(row["k"])

    summary, by_segment = sorted(summary, key=order), sorted(by_segment, key=order)
    if is_long or form in ("csv", "json"):
        if by_segment:
            summary = [*({"segment": EVERYBODY, **row} for row in summary), *by_segment]
        header = [name for name in ("system", "segment", "k", *COUNTS) if name in summary[0]]
        if is_long:
            header = [name for name in header if name not in COUNTS]
            body = [
                [*(row[name] for name in header), choice.name, row[choice.name]]
                for row in summary
                for choice in request.choices
                if row["k"] in choice.cuts
            ]
            return render(form, [*header, "measure", "value"], body, is_safe)
        header += [choice.name for choice in request.choices]
        return render(form, header, [[row.get(name) for name in header] for row in summary], is_safe)

    is_named = bool(named) or len(systems) > 1
    columns = [(system, k) for system in systems or [None] for k in request.ks]
    heads = [f"{system} {top(k)}" if is_named else top(k) for system, k in columns]

    def lines(results: Sequence[Row]) -> list[list[Any]]:
        values = {(row.get("system"), row["k"]): row for row in results}
        return [
            [choice.label, *(values[at][choice.name] if at[1] in choice.cuts else "" for at in columns)]
            for choice in request.choices
        ]

    text = render(form, ["Ranking measure", *heads], lines(summary)) + "\n"
    bullet = "- " if form == "markdown" else ""
    for label, name in zip(COUNT_LABELS, COUNTS, strict=True):
        by_system = {row.get("system"): row[name] for row in summary}
        different = len(set(by_system.values())) > 1
        value = ", ".join(f"{system} {count}" for system, count in by_system.items())
        text += f"{bullet}{label}: {cell_text(form, value) if different else summary[0][name]}\n"
    if segment is not None:
        body = []
        for one in sorted({row["segment"] for row in by_segment}):
            results = [row for row in by_segment if row["segment"] == one]
            users = {(row.get("system"), row["k"]): row["users"] for row in results}
            body.append([one, "Users", *(users[at] for at in columns)])
            body += [[one, *line] for line in lines(results)]
        text += "\n" + render(form, [segment, "Ranking measure", *heads], body)
    return text


def top(k: int | None) -> str:
    return "whole list" if k is None else f"top-{k}"
