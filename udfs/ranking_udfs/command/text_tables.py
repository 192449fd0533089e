"""Results of an evaluation as a text table, Markdown, HTML, CSV or JSON."""

import csv
import html
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from textwrap import fill
from typing import Any

from ..evaluation.defaults import EVERYBODY, FORMULA
from ..evaluation.queries import Request
from ..evaluation.words import COUNTS, OF_LISTS, WITHOUT_RELEVANT, Row, format_cut_off, format_number
from ..measures.grammar import Choice
from ..texts import printable

WIDTH = 80  # of a terminal
TITLE = "Ranking measure"
DOCUMENT = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>ranking-udfs</title>
<style>
body {{ font-family: sans-serif }}
table {{ border-collapse: collapse }}
th, td {{ border-bottom: 1px solid #ccc; padding: 0.2em 0.8em; text-align: left }}
</style>
{}</html>
"""
# Characters with a meaning in Markdown or in the HTML within it; an underscore within a word has none.
MARKUP = re.compile(r"[\\`*\[\]<>&|~]|(?<!\w)_|_(?!\w)")
Cells = Sequence[Any]


def render(
    form: str, header: Sequence[str], rows: Sequence[Cells], is_safe: bool = False, digits: int | None = None
) -> str:
    """Render the rows in one of FORMATS, with a NULL as each format has it.

    `is_safe` puts a quote in front of CSV text that a spreadsheet would take for a formula; `digits` are the
    significant digits of doubles, by default all.
    """
    if form in ("json", "csv") and digits is not None:
        rows = [
            [float(f"{cell:.{digits}g}") if isinstance(cell, float) else cell for cell in row] for row in rows
        ]
    if form == "json":
        objects = [dict(zip(header, row, strict=True)) for row in rows]
        text = json.dumps(objects, indent=2, ensure_ascii=False) + "\n"
        return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)
    if form == "csv":
        return "".join(csv_line(map(safe_cell, row) if is_safe else row) for row in [header, *rows])
    cells = [[cell_text(form, cell, digits) for cell in row] for row in [header, *rows]]
    if form == "html":
        lines = [html_row("th", cells[0]), *(html_row("td", row) for row in cells[1:])]
        return f"<table>\n{''.join(lines)}</table>\n"
    if form == "markdown":
        cells.insert(1, ["---"] * len(header))
        return "".join(f"| {' | '.join(row)} |\n" for row in cells)
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    cells.insert(1, ["-" * width for width in widths])
    lines = [" | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells]
    return "".join(line.rstrip() + "\n" for line in lines)


def html_row(name: str, row: Sequence[str]) -> str:
    """Render a row of HTML."""
    return f"<tr>{''.join(f'<{name}>{cell}</{name}>' for cell in row)}</tr>\n"


def render_remark(form: str, line: str) -> str:
    """Render a sentence beside the tables."""
    if form == "html":
        return f"<p>{cell_text(form, line)}</p>\n"
    if form == "markdown":
        return f"- {cell_text(form, line)}\n"
    whole = line.replace(" %", "\N{NO-BREAK SPACE}%")
    lines = fill(whole, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    return lines.replace("\N{NO-BREAK SPACE}%", " %") + "\n"


def csv_line(cells: Iterable[Any]) -> str:
    """Write a line of CSV; Python quotes a carriage return only if it ends lines with one."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow(cells)
    return line.getvalue().removesuffix("\r\n") + "\n"


def safe_cell(cell: Any) -> Any:
    """Put a quote in front of a cell that a spreadsheet would take for a formula."""
    return f"'{cell}" if isinstance(cell, str) and re.match(FORMULA, cell) else cell


def cell_text(form: str, cell: Any, digits: int | None = None) -> str:
    """Write the cell as people read it, in a table, in Markdown or in HTML."""
    if cell is None:
        return "NULL"
    if isinstance(cell, float):
        return repr(cell) if digits is None else format_number(cell, digits)
    text = printable(cell)
    if form == "html":
        return html.escape(text)
    return MARKUP.sub(r"\\\g<0>", text) if form == "markdown" else text


def evaluation_text(
    given: Any,
    request: Request,
    named: Sequence[str],
    segment: str | None,
    summary: Sequence[Row],
    by_segment: Sequence[Row],
    digits: int | None,
    width: int,
) -> str:
    """Render the results: for programs a row per model, segment and k; for people measures by k.

    `given` are the command's options, of which `--long` makes it a row per model, segment, k and measure, for
    both. `named` are the models in the order of their files, `segment` what segments are called. Tables wider
    than `width` have a row per model and k.
    """
    form, is_safe = given.format, given.safe_csv
    found = {row["system"] for row in summary if "system" in row}
    systems: list[str | None] = [*named, *sorted(found - set(named), key=str)]

    def order(row: Row) -> tuple[int, str, int]:
        system = systems.index(row["system"]) if systems else 0
        return system, row.get("segment", ""), request.ks.index(row["k"])

    summary, by_segment = sorted(summary, key=order), sorted(by_segment, key=order)
    if given.long or form in ("csv", "json"):
        if by_segment:
            summary = [*({"segment": EVERYBODY, **row} for row in summary), *by_segment]
        counts, every = (*COUNTS, *OF_LISTS), (*request.choices, *request.contents)
        header = [name for name in ("system", "segment", "k", *counts) if name in summary[0]]
        if given.long:
            header = [name for name in header if name not in counts]
            body = [
                [*(row[name] for name in header), choice.name, row[choice.name]]
                for row in summary
                for choice in every
                if row["k"] in choice.cuts and choice.name in row
            ]
            return render_document(form, render(form, [*header, "measure", "value"], body, is_safe, digits))
        header += [choice.name for choice in every]
        return render(form, header, [[row.get(name) for name in header] for row in summary], is_safe, digits)

    is_named = bool(named) or len(systems) > 1
    blocks = []
    for choices, labels, title in (
        (request.choices, COUNTS, TITLE),
        (request.contents, OF_LISTS, "What is in the lists"),
    ):
        if not choices:
            continue
        text = measures_table(form, choices, {}, is_named, summary, digits, width, title)
        text += "" if form == "html" else "\n"
        for name, label in labels.items():
            by_system = {row.get("system"): row.get(name) for row in summary}
            if name not in summary[0] or (name == WITHOUT_RELEVANT and not any(by_system.values())):
                continue
            different = len(set(by_system.values())) > 1
            value = ", ".join(f"{system} {count}" for system, count in by_system.items())
            text += render_remark(form, f"{label}: {value if different else summary[0][name]}")
        blocks.append(text)
    if segment is not None:
        keys = {"segment": segment, "users": "Users"}
        of_user = [*request.choices, *request.contents_by_user]
        by_segment = sorted(by_segment, key=lambda row: row["segment"])
        blocks.append(measures_table(form, of_user, keys, is_named, by_segment, digits, width))
    return render_document(form, "\n".join(blocks))


def render_document(form: str, text: str) -> str:
    """Complete the text to a file, which in HTML is more than a table."""
    return DOCUMENT.format(text) if form == "html" else text


def measures_table(
    form: str,
    choices: Sequence[Choice],
    keys: Mapping[str, str],
    is_named: bool,
    results: Sequence[Row],
    digits: int | None,
    width: int,
    title: str = TITLE,
) -> str:
    """Render a row per segment and measure, a column per model and k; transposed where too wide.

    `keys` are the columns segment and users, and what they are called, if there are segments.
    """
    columns = list(dict.fromkeys((row.get("system"), row["k"]) for row in results))
    heads = [f"{system} {cut_off_heading(k)}" if is_named else cut_off_heading(k) for system, k in columns]
    segments: dict[str, dict[tuple[str | None, int | None], Row]] = {}
    for row in results:
        segments.setdefault(row.get("segment", ""), {})[row.get("system"), row["k"]] = row
    body: list[Cells] = []
    for one, values in segments.items():
        place = [one] if keys else []
        body += [[one, "Users", *(values[at]["users"] for at in columns)]] if keys else []
        for choice in choices:
            shown = (values[at][choice.name] if at[1] in choice.cuts else "" for at in columns)
            body.append([*place, choice.label, *shown])
    header = [*list(keys.values())[:1], title, *heads]
    if longest_line(render("table", header, body, digits=digits)) <= width:
        return render(form, header, body, digits=digits)
    return transposed_table(form, choices, keys, is_named, results, digits, width)


def transposed_table(
    form: str,
    choices: Sequence[Choice],
    keys: Mapping[str, str],
    is_named: bool,
    results: Sequence[Row],
    digits: int | None,
    width: int,
) -> str:
    """Render a row per segment, model and k; on a terminal, wrap measures that do not fit."""
    named = {"segment": keys.get("segment"), "system": "System" if is_named else None, "k": "k"}
    columns = {name: title for name, title in {**named, "users": keys.get("users")}.items() if title}

    def table(chosen: Sequence[Choice]) -> str:
        body = [
            [format_cut_off(row[name]) if name == "k" else row[name] for name in columns]
            + [row[choice.name] if row["k"] in choice.cuts else "" for choice in chosen]
            for row in results
            if any(row["k"] in choice.cuts for choice in chosen)
        ]
        return render(form, [*columns.values(), *(choice.label for choice in chosen)], body, digits=digits)

    blocks: list[list[Choice]] = [[]]
    for choice in choices:
        if form == "table" and blocks[-1] and longest_line(table([*blocks[-1], choice])) > width:
            blocks.append([])
        blocks[-1].append(choice)
    return "\n".join(map(table, blocks))


def longest_line(text: str) -> int:
    return max(map(len, text.splitlines()))


def cut_off_heading(k: int | None) -> str:
    return "whole list" if k is None else f"top-{k}"
