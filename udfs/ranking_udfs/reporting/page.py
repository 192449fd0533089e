"""Write the page of a report: one HTML file without scripts and external resources."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from html import escape
from importlib.resources import files
from itertools import zip_longest
from pathlib import Path
from typing import Any

import duckdb
from jinja2 import Environment

from ..evaluation.conclusion import footnote, measure_label
from ..evaluation.defaults import TIES
from ..evaluation.problems import SEVERITIES, WORDS
from ..evaluation.words import (
    MARKS,
    WITHOUT_RELEVANT,
    Row,
    column_decimals,
    format_fixed,
    format_mean,
    format_number,
    format_p,
    half_of,
    join_names,
)
from ..texts import shorten, units, with_unit
from ..version import version
from ..writing import atomic_file
from .charts import MOST_SEGMENTS, MOST_SYSTEMS, Chart, Table, charted, charts, table_of
from .drawing import inline_svg, library
from .findings import UNNAMED, Findings

MOST_RANKS = 20  # ranks of the lists of a user


@dataclass(frozen=True)
class Page:
    """A report: `html` is the page and `save` writes it. A notebook displays it."""

    html: str = field(repr=False)
    findings: Findings = field(repr=False)
    charts: Mapping[str, Chart] = field(repr=False)  # by name, such as ndcg and ndcg-differences

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, atomically."""
        with atomic_file(path) as temporary:
            Path(temporary).write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        """Return the page in an iframe, so that its style does not affect the notebook."""
        style = 'width="100%" height="800" style="border: 0" title="Report"'
        return f'<iframe srcdoc="{escape(self.html)}" {style}></iframe>'


def page(findings: Findings) -> Page:
    """Draw the charts, and render the page."""
    drawn = charts(findings)
    made = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    made.filters |= {"bdi": to_bdi, "sentence": to_sentence, "number": to_number}
    made.filters["names"] = partial(join_names, most=MOST_RANKS)
    template = made.from_string(with_unit(text("page.html.jinja")))
    html = template.render(f=findings, charts=drawn, v=View(findings)).strip() + "\n"
    return Page(html, findings, {chart.name: chart for each in drawn.values() for chart in each})


def text(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


class Html(str):
    """A string of HTML, which Jinja2 does not escape."""

    def __html__(self) -> str:
        return self


def to_bdi(value: object) -> Html:
    """Isolate the text of a user, so that its writing direction does not affect its surroundings."""
    html = escape(str(value))
    return Html(html if str(value).isascii() else f"<bdi>{html}</bdi>")


def to_sentence(text: str) -> Html:
    """Prevent line breaks within a p-value and within an option."""
    html = re.sub(r"(?<=\bp) (?==|&lt;)|(?<=\bp =) (?=\d)|(?<=&lt;) (?=\d)", "&nbsp;", to_bdi(text))
    return Html(re.sub(r"--\w[\w-]*(?: \w+)?", r'<span class="option">\g<0></span>', html))


def to_number(number: float | None) -> str:
    """Format a number for a cell or a sentence, an integer with separators of thousands."""
    return f"{number:,}" if isinstance(number, int) else format_number(number)


class View:
    """The texts and tables for the template; a table is a header and rows."""

    MOST_SYSTEMS, MOST_SEGMENTS = MOST_SYSTEMS, MOST_SEGMENTS
    TIES, UNNAMED, table_of = TIES, UNNAMED, staticmethod(table_of)

    def __init__(self, findings: Findings) -> None:
        self.findings, self.style = findings, Html(text("page.css"))
        self.not_charted = [name for name in findings.systems if name not in charted(findings)]
        self.share = f"{100 * findings.comparison['confidence']:.15g}"
        self.versions = f"{version()}, DuckDB {duckdb.__version__}"
        self.library = f"vl-convert-python {library().__version__}"
        self.files = ", ".join(dict.fromkeys(row["file"] for row in findings.tables if row["file"]))
        self.has_irrelevant = any(row[WITHOUT_RELEVANT] for row in findings.counts.values())

    def footnote(self) -> str:
        rows = [*self.findings.comparisons, *self.findings.segments]
        return footnote(self.findings.comparison, rows).partition(". ")[2]

    def slug(self, title: str) -> str:
        return re.sub(r"\W+", "-", title.partition(" from ")[0].lower())

    def picture(self, chart: Chart) -> str:
        label = f"{chart.title}; the table below has the numbers"
        return Html(inline_svg(chart.specification, chart.name, label))

    def columns(self, header: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[dict[str, Any]]:
        """Return the columns of a table as HTML; numbers are aligned to the right.

        Numbers of a column have the decimals of its narrowest interval.
        """
        low, high = (header.index(name) if name in header else 0 for name in ("Low", "High"))
        halves = [half_of(line[low], line[high]) for line in rows] if high else []
        columns = []
        for i, name in enumerate(header):
            cells = [line[i] for line in rows]
            shown = [cell for cell in cells if cell is not None]
            is_right = i and shown and all(isinstance(cell, int | float | Html) for cell in shown)
            decimals = column_decimals([cell for cell in shown if isinstance(cell, float)], halves)
            html = [cell_html(name, cell, decimals) for cell in cells]
            columns.append({"name": name, "kind": Html("" if is_right else ' class="t"'), "cells": html})
        return columns

    def verdict_table(self) -> Table:
        """Return the verdicts on each model by all measures at their first cutoff."""
        findings = self.findings
        at = {
            (row["measure"], row["k"], row["system"]): f"{MARKS[row['verdict']]} {row['verdict']}"
            for row in findings.comparisons
        }
        rows = [
            [name, *(at[measure.name, measure.cuts[0], name] for measure in findings.measures)]
            for name in findings.systems[1:]
        ]
        return ["System", *(measure.at(measure.cuts[0]) for measure in findings.measures)], rows

    def problem_table(self) -> Table:
        """Return the problems of the data, most severe first: a row for each k, a column for each system."""
        problems: dict[tuple[str, str], dict[str | int | None, str]] = {}
        for row in sorted(self.findings.problems or (), key=lambda row: SEVERITIES.index(row["severity"])):
            k = "" if row["k"] is None else str(row["k"])
            text = row["problem"].replace(f"k = {k}", "k")
            cells = problems.setdefault((text, k), {0: k, -1: WORDS[row["severity"]]})
            of = f" of {row['of']:,}" if row["of"] else ""
            cells[self.findings.labels.get(row["system"])] = f"{row['count']:,}{of}"
            cells.setdefault(1, row["example"] or "")
            if row["write"] and row["write"] not in cells.get(2, ""):
                cells[2] = "; ".join(filter(None, [cells.get(2), row["write"]]))
        columns: dict[str | int | None, str] = {0: "k", None: "Count"}
        columns |= {name: name for name in self.findings.systems} | {1: "Example", 2: "Advice"}
        shown = [key for key in columns if any(cells.get(key) for cells in problems.values())]
        rows = [
            [f"{cells[-1]}: {text}", *(cells.get(key, "") for key in shown)]
            for (text, _), cells in problems.items()
        ]
        return ["Problem", *(columns[key] for key in shown)], rows

    def means_table(self) -> Table:
        findings = self.findings
        rows: dict[tuple[str, int | None], list[Any]] = {
            (measure.name, k): [measure.at(k)] for measure in findings.measures for k in measure.cuts
        }
        columns = {measure.name for measure in findings.request.also}  # each column has its own unit
        for name in findings.best_first:
            own = [row for row in findings.means if row["system"] == name]
            measured = [row for row in own if row["measure"] not in columns]
            halves = [half_of(row["low"], row["high"]) for row in measured]
            decimals = column_decimals([row["mean"] for row in measured], halves)
            for row in own:
                cell = self.mean_cell(row, None if row["measure"] in columns else decimals)
                rows[row["measure"], row["k"]].append(cell)
        return ["Measure", *findings.best_first], list(rows.values())

    def mean_cell(self, row: Row, decimals: int | None) -> Html | None:
        """Return a mean with its interval and letters; the best mean is bold."""
        if row["mean"] is None:
            return None
        mean, interval = format_mean(row["mean"], row["low"], row["high"], decimals)
        ranked = self.findings.orders.get((row["measure"], row["k"]))
        behind = [interval.replace("± ", "±&nbsp;")] if interval else []
        letters = self.findings.letters.get((row["measure"], row["k"]), {}).get(row["system"])
        behind += [f'<span class="letters">{letters}</span>'] if letters else []
        html = f'{mean} <span class="option">{" ".join(behind)}</span>' if behind else mean
        is_best = ranked and ranked.means[row["system"]] == next(iter(ranked.means.values()))
        return Html(f"<b>{html}</b>" if is_best else html)

    def incomplete_measures(self) -> str:
        """Count the users without a value of each measure and model that lacks one."""
        counts = self.findings.counts
        return "; ".join(
            f"{measure_label(row)} with {row['system']}: {users - row['users']:,} of {users:,}"
            for row in self.findings.means
            if row["users"] < (users := counts[row["system"]]["users"])
        )

    def example_group(self) -> str:
        """Return the group of users in which the example has the largest loss; "" for all users."""
        losers = [row for rows in self.findings.losers.values() for row in rows]
        is_of_some = self.has_irrelevant and any(row["has_relevant"] for row in losers)
        return f" among {units()} with a relevant item" if is_of_some else ""

    def example_table(self) -> Table:
        lists = self.findings.lists
        cells = [[f"{item} ({mark})" if mark else item for item, mark in each] for each in lists.values()]
        rows = list(zip_longest(*cells, fillvalue=""))[:MOST_RANKS]
        ranked = [[str(rank), *row] for rank, row in enumerate(rows, start=1)]
        return ["Rank", *lists], ranked

    def beyond_accuracy_table(self) -> Table:
        list_rows = self.findings.list_rows
        names = [name for name in list_rows[0] if name not in ("system", "k")]
        rows = [[name, *(Html(escape(to_number(row[name]))) for row in list_rows)] for name in names]
        return ["Column", *(row["system"] for row in list_rows)], rows


def cell_html(name: str, cell: Any, decimals: int) -> Html:
    if isinstance(cell, Html):
        return cell
    if name == "p":
        return Html(escape(format_p(cell)).replace(" ", "&nbsp;"))
    if isinstance(cell, float):
        return Html(format_fixed([cell], decimals)[0])
    return to_bdi(to_number(cell) if cell is None or isinstance(cell, int) else shorten(cell))
