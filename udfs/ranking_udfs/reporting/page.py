"""The page of a report: one HTML file without scripts and without anything from elsewhere."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from ..evaluation.words import COUNTS, MARKS, Row, format_cut_off, format_number, format_p, format_with_half
from ..writing import atomic_file
from .charts import MOST_SEGMENTS, MOST_SYSTEMS, Chart, charts
from .drawing import inline_svg, library_version
from .findings import UNNAMED, Findings


@dataclass(frozen=True)
class Page:
    """A report: `html` is the page, `save` writes it, and a notebook shows it."""

    html: str = field(repr=False)
    findings: Findings = field(repr=False)
    charts: Mapping[str, Sequence[Chart]] = field(repr=False)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, whole or not at all."""
        with atomic_file(path) as beside:
            Path(beside).write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        """Return the page in a frame of its own, so that its style stays in it."""
        style = 'width="100%" height="800" style="border: 0" title="Report"'
        return f'<iframe srcdoc="{escape(self.html)}" {style}></iframe>'


def page(findings: Findings) -> Page:
    """Draw the charts, and write everything onto a page."""
    drawn = charts(findings)
    title = headline(findings)
    style = files(__package__).joinpath("page.css").read_text(encoding="utf-8")
    sections = [
        section("The verdict", verdict(findings)) if findings.verdicts else "",
        section("The data", data(findings)),
        section("Means", means(findings, drawn["means"])),
        section("Measures by cut-off", [*more_systems(findings), *figures(drawn["by k"])])
        if drawn["by k"]
        else "",
        section(f"Differences to {findings.baseline}", differences(findings, drawn["differences"]))
        if findings.baseline is not None
        else "",
        section("Precision and recall", [*more_systems(findings), *figures(drawn["curve"])])
        if drawn["curve"]
        else "",
        section("How users fare", [*more_systems(findings), *figures(drawn["users"])]),
        section("Segments", segments(findings, drawn["segments"])) if findings.segment is not None else "",
        section("Who loses most", losers(findings)) if findings.losers else "",
        section("How it was made", provenance(findings)),
    ]
    body = "\n".join(one for one in sections if one)
    html = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>{to_html(title)}</title>
<style>
{style}</style>
</head>
<body>
<main>
<h1>{to_bdi(title)}</h1>
{body}
</main>
</body>
</html>
"""
    return Page(html, findings, drawn)


def headline(findings: Findings) -> str:
    """Return the headline: the models that were compared, or the one that was measured."""
    others = findings.systems[1:]
    if not others:
        name = findings.systems[0]
        return "How good are the recommendations?" if name == UNNAMED else f"How good is {name}?"
    if len(others) > 3:
        return f"{len(others)} models compared with {findings.baseline}"
    return f"{' and '.join(others)} compared with {findings.baseline}"


def to_html(value: object) -> str:
    return escape(str(value))


def to_bdi(value: object) -> str:
    """Isolate text of the user's, so that its direction changes nothing around it."""
    return to_html(value) if str(value).isascii() else f"<bdi>{to_html(value)}</bdi>"


def section(title: str, parts: Iterable[str]) -> str:
    name = re.sub(r"\W+", "-", title.partition(" to ")[0].lower())
    head = f'<section aria-labelledby="{name}">\n<h2 id="{name}">{to_html(title)}</h2>'
    return "\n".join([head, *parts, "</section>"])


def table(header: Sequence[str], rows: Iterable[Sequence[Any]], caption: str) -> str:
    """Make a table that scrolls by itself where it is too wide, with numbers to the right."""
    lines = list(rows)
    numeric = [
        any(isinstance(row[i], int | float) for row in lines)
        and all(row[i] is None or isinstance(row[i], int | float) for row in lines)
        for i in range(len(header))
    ]
    kinds = ["" if one else ' class="t"' for one in numeric]
    as_text = [format_p if name == "p" else format_number for name in header]
    head = "".join(
        f'<th scope="col"{kind}>{to_html(name)}</th>' for name, kind in zip(header, kinds, strict=True)
    )
    body = "\n".join(
        "<tr>"
        + "".join(
            f'<th scope="row">{to_bdi(cell)}</th>'
            if i == 0
            else f"<td{kinds[i]}>"
            f"{to_html(as_text[i](cell)) if numeric[i] or cell is None else to_bdi(cell)}</td>"
            for i, cell in enumerate(row)
        )
        + "</tr>"
        for row in lines
    )
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{to_html(caption)}">\n<table>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n</div>"
    )


def details(title: str, *parts: str) -> str:
    return "\n".join([f"<details>\n<summary>{to_html(title)}</summary>", *parts, "</details>"])


def figures(drawn: Sequence[Chart]) -> Iterator[str]:
    """Draw charts side by side, each with its title above and its table beneath."""
    if not drawn:
        return
    yield '<div class="charts">'
    for chart in drawn:
        text = f"{chart.title}; the numbers are in the table below"
        svg = inline_svg(chart.specification, chart.name, text)
        yield f"<figure>\n<h3>{to_bdi(chart.title)}</h3>\n{svg}"
        yield details("The numbers", table(chart.header, chart.rows, chart.title))
        yield "</figure>"
    yield "</div>"


def more_systems(findings: Findings) -> Iterator[str]:
    """Name the models that are in the tables alone."""
    others = findings.systems[MOST_SYSTEMS:]
    if others:
        names = ", ".join(map(to_bdi, others))
        where = f"The charts show {MOST_SYSTEMS} models; in the tables there are also"
        yield f'<p class="quiet">{where} {names}.</p>'


# --- Sections ---


def verdict(findings: Findings) -> Iterator[str]:
    measure = findings.first
    rows = [
        row for row in findings.comparisons if row["measure"] == measure.name and row["k"] == measure.cuts[0]
    ]
    yield '<ul class="verdicts">'
    for row, said in zip(rows, findings.verdicts, strict=True):
        yield f'<li class="{to_html(row["verdict"])}">{to_bdi(said)}</li>'
    yield "</ul>"
    if len(findings.measures) > 1:
        yield "<p>By every measure, at its first cut-off:</p>"
        at = {(row["measure"], row["k"], row["system"]): row["verdict"] for row in findings.comparisons}
        yield table(
            ["Model", *(one.at(one.cuts[0]) for one in findings.measures)],
            (
                [name, *(marked_verdict(at.get((one.name, one.cuts[0], name))) for one in findings.measures)]
                for name in findings.systems[1:]
            ),
            "Verdicts by measure",
        )


def marked_verdict(verdict: str | None) -> str | None:
    """Put a mark in front of a verdict, to be seen at a glance."""
    return None if verdict is None else f"{MARKS[verdict]} {verdict}"


def data(findings: Findings) -> Iterator[str]:
    yield table(
        ["Count", *findings.systems],
        (
            [label, *(findings.counts[name][count] for name in findings.systems)]
            for count, label in COUNTS.items()
        ),
        "Users",
    )
    if findings.problems is None:
        yield "<p>The data was not checked.</p>"
        return
    found = [f"<li>{to_bdi(problem)}</li>" for problem in findings.problems]
    if found:
        yield "<p>What there is to know about the data:</p>\n<ul>"
        yield from found
        yield "</ul>"
    else:
        yield "<p>The check of the data found nothing.</p>"


def means(findings: Findings, drawn: Sequence[Chart]) -> Iterator[str]:
    values = {(row["place"], row["k"], row["system"]): row for row in findings.means}
    share = f"{100 * findings.confidence:.15g}"
    yield f'<p class="quiet">Means over users, ± half of the {share}&nbsp;% confidence interval.</p>'
    yield table(
        ["Measure", *findings.systems],
        (
            [one.at(k), *(mean_with_half(values.get((place, k, name))) for name in findings.systems)]
            for place, one in enumerate(findings.measures)
            for k in one.cuts
        ),
        "Means",
    )
    some = {
        findings.measures[row["place"]].title
        for row in findings.means
        if row["users"] < users_of(findings, row)
    }
    if some:
        yield f'<p class="quiet">Not every user has a value of {to_bdi(", ".join(sorted(some)))}.</p>'
    if drawn:
        yield from more_systems(findings)
        yield from figures(drawn)


def users_of(findings: Findings, row: Row) -> int:
    return int(findings.counts[row["system"]]["users"])


def mean_with_half(row: Row | None) -> str | None:
    """Write a mean and half of its interval."""
    if row is None or row["mean"] is None:
        return None
    return format_with_half(row["mean"], None if row["high"] is None else (row["high"] - row["low"]) / 2)


def differences(findings: Findings, drawn: Sequence[Chart]) -> Iterator[str]:
    margin = f" The grey band is the margin of {findings.margin:g}." if findings.margin is not None else ""
    share = f"{100 * findings.confidence:.15g}"
    yield (
        f'<p class="quiet">Mean difference per user with its {share}&nbsp;% interval; the dashed line is no '
        f"difference.{margin} Charts are of the first cut-off, tables of all.</p>"
    )
    yield from more_systems(findings)
    yield from figures(drawn)


def segments(findings: Findings, drawn: Sequence[Chart]) -> Iterator[str]:
    count = len({row["segment"] for row in findings.segments})
    if count > MOST_SEGMENTS or findings.more_segments:
        rest = f", and {findings.more_segments} smaller ones are left out" if findings.more_segments else ""
        what = f"The chart shows the {MOST_SEGMENTS} largest of {count} in the table{rest}."
        yield f'<p class="quiet">{what}</p>'
    yield from more_systems(findings)
    yield from figures(drawn)


def losers(findings: Findings) -> Iterator[str]:
    measure = findings.first
    what = f"By {measure.at(measure.cuts[0])}, which becomes worse for them by the most."
    yield f'<p class="quiet">{to_html(what)}</p>'
    for name, rows in findings.losers.items():
        if not rows:
            yield f"<p>No user loses with {to_bdi(name)}.</p>"
            continue
        header = ["User", str(findings.baseline), name, "Difference"]
        cells = [[row["userid"], row["baseline"], row["system"], row["difference"]] for row in rows]
        title = f"{len(rows)} {'user' if len(rows) == 1 else 'users'} with {name}"
        yield details(title, table(header, cells, title))


def provenance(findings: Findings) -> Iterator[str]:
    yield "<dl>"
    measures = ", ".join(f"{one.name}@{','.join(map(format_cut_off, one.cuts))}" for one in findings.measures)
    for name, value in [("Measures", measures), *findings.facts, ("Charts", library_version())]:
        yield f"<dt>{to_html(name)}</dt><dd>{to_bdi(value)}</dd>"
    yield "</dl>"
    yield details("The SQL", f'<pre tabindex="0">{to_html(findings.sql)}</pre>')
