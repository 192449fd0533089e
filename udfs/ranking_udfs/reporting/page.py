"""The page of a report: one HTML file without scripts and without anything from elsewhere."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from ..evaluation.pairs import MOST_SYSTEMS as MOST_PAIRED
from ..evaluation.pairs import Standing
from ..evaluation.words import (
    MARKS,
    WITHOUT_RELEVANT,
    Row,
    column_decimals,
    format_number,
    format_p,
    format_with_half,
    join_names,
)
from ..texts import shorten
from ..writing import atomic_file
from .charts import MOST_SEGMENTS, MOST_SYSTEMS, Chart, charts
from .drawing import inline_svg, library_version
from .findings import UNNAMED, Findings

MOST_RANKS = 20  # of the lists of a user


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
    sections = {
        "The answer" if findings.baseline is not None else "In short": answer(findings),
        "The data": data(findings),
        "Means": means(findings, drawn["means"]),
        "Measures by cut-off": charted(findings, drawn["by k"]),
        f"Differences to {findings.baseline}": differences(findings, drawn["differences"]),
        "What changes for users": changes(findings),
        "What is in the lists": contents(findings, drawn["contents"]),
        "Precision and recall": charted(findings, drawn["curve"]),
        "How users fare": charted(findings, drawn["users"]),
        "Segments": segments(findings, drawn["segments"]),
        "Who loses most": losers(findings),
        "How it was made": provenance(findings),
    }
    body = "\n".join(section(name, lines) for name, parts in sections.items() if (lines := list(parts)))
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


def section(title: str, parts: Sequence[str]) -> str:
    name = re.sub(r"\W+", "-", title.partition(" to ")[0].lower())
    head = f'<section aria-labelledby="{name}">\n<h2 id="{name}">{to_html(title)}</h2>'
    return "\n".join([head, *parts, "</section>"])


@dataclass(frozen=True)
class Mark:
    """A cell with a number as text, whether it is the best of its row, and letters behind it."""

    text: str
    is_best: bool = False
    letters: str = ""

    @property
    def html(self) -> str:
        mean, _, half = self.text.partition(" ± ")
        behind = [f"± {half}"] if half else []
        behind += [f'<span class="letters">{self.letters}</span>'] if self.letters else []
        text = f'{to_html(mean)} <span class="option">{" ".join(behind)}</span>' if behind else to_html(mean)
        return f"<b>{text}</b>" if self.is_best else text


def table(header: Sequence[str], rows: Iterable[Sequence[Any]], caption: str) -> str:
    """Make a table that scrolls by itself where it is too wide, with numbers to the right.

    Numbers of a column have the decimals of its narrowest interval.
    """
    lines = list(rows)
    low, high = (header.index(name) if name in header else 0 for name in ("Low", "High"))
    ends = [(line[low], line[high]) for line in lines] if high else []
    halves = [(end[1] - end[0]) / 2 for end in ends if None not in end]
    columns = [column(name, [line[i] for line in lines], i, halves) for i, name in enumerate(header)]
    head, *body = ("".join(cells) for cells in zip(*columns, strict=True))
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{to_html(caption)}">\n<table>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n"
        + "".join(f"<tr>{cells}</tr>\n" for cells in body)
        + "</tbody>\n</table>\n</div>"
    )


def column(name: str, cells: Sequence[Any], place: int, halves: Sequence[float]) -> Iterator[str]:
    """Write the head and the cells of a column as HTML; what is not of numbers alone is to the left."""
    shown = [cell for cell in cells if cell is not None]
    is_right = place and shown and all(isinstance(cell, int | float | Mark) for cell in shown)
    kind = "" if is_right else ' class="t"'
    decimals = column_decimals([cell for cell in shown if isinstance(cell, float)], halves)

    def text(cell: Any) -> str:
        if isinstance(cell, Mark):
            return cell.html
        if name == "p":
            return to_html(format_p(cell)).replace(" ", "&nbsp;")
        if isinstance(cell, float):
            return to_html(format_with_half(cell, None, decimals=decimals))
        return to_html(format_number(cell)) if cell is None or isinstance(cell, int) else to_bdi(cell)

    yield f'<th scope="col"{kind}>{to_html(name)}</th>'
    start, end = (f"<td{kind}>", "</td>") if place else ('<th scope="row">', "</th>")
    yield from (f"{start}{text(cell)}{end}" for cell in cells)


def details(title: str, *parts: str, is_open: bool = False) -> str:
    return "\n".join(
        [f"<details{' open' if is_open else ''}>\n<summary>{to_html(title)}</summary>", *parts, "</details>"]
    )


def charted(findings: Findings, drawn: Sequence[Chart], has_tables: bool = True) -> Iterator[str]:
    """Draw charts side by side, each with its title above and its table beneath; beside it if it is alone.

    Models that are in the tables alone are named before.
    """
    if not drawn:
        return
    others, is_alone = ", ".join(map(to_bdi, findings.systems[MOST_SYSTEMS:])), len(drawn) == 1
    if others:
        where = f"The charts show {MOST_SYSTEMS} models; in the tables there are also"
        yield f'<p class="quiet">{where} {others}.</p>'
    yield f'<div class="charts{" alone" if is_alone else ""}">'
    for chart in drawn:
        text = f"{chart.title}; the numbers are in the table below"
        svg = inline_svg(chart.specification, chart.name, text)
        yield f"<figure>\n<h3>{to_bdi(chart.title)}</h3>\n{svg}"
        if has_tables:
            yield details("The numbers", table(chart.header, chart.rows, chart.title), is_open=is_alone)
        yield "</figure>"
    yield "</div>"


# --- Sections ---


def answer(findings: Findings) -> Iterator[str]:
    """Say which model, by how much, how surely, and what stands against it."""
    if findings.leading is not None:
        yield f'<p class="lead">{to_bdi(findings.leading)}</p>'
    elif findings.baseline is not None:
        needed = f"{MOST_PAIRED} models or fewer, users with lists of each two, and a value of every user"
        yield f"<p>No model is called the best: that needs {needed}.</p>"
    yield from listing("headlines", findings.headlines)
    before = "What to keep in mind:" if findings.baseline is None else "What stands against it:"
    against = list(listing("caveats", findings.caveats, before))
    if findings.baseline is None:
        yield from against
        return
    if findings.best is not None:  # else the only verdict is of the two
        yield f"<p>{to_sentence(findings.best)}</p>"
        yield from against
    at = {(row["measure"], row["k"], row["system"]): row["verdict"] for row in findings.comparisons}
    verdicts = {
        name: [at[one.name, one.cuts[0], name] for one in findings.measures] for name in findings.systems[1:]
    }
    yield '<ul class="verdicts">'
    for (verdict, *_), said in zip(verdicts.values(), findings.verdicts, strict=True):
        yield f'<li class="{verdict}">{to_sentence(said)}</li>'
    yield "</ul>"
    if findings.best is None:
        yield from against
    if len(findings.measures) > 1:
        yield f"<p>Against {to_bdi(findings.baseline)}, by every measure at its first cut-off:</p>"
        header = ["Model", *(one.at(one.cuts[0]) for one in findings.measures)]
        cells = [[name, *(f"{MARKS[one]} {one}" for one in found)] for name, found in verdicts.items()]
        yield table(header, cells, "Verdicts by measure")


def listing(name: str, lines: Sequence[str], before: str = "") -> Iterator[str]:
    """Make a list of sentences, if there are any."""
    if lines:
        yield f"<p>{before}</p>" if before else ""
        yield f'<ul class="{name}">'
        yield from (f"<li>{to_sentence(line)}</li>" for line in lines)
        yield "</ul>"


def to_sentence(text: str) -> str:
    """Keep numbers together with what belongs to them, and options in one line."""
    html = re.sub(r" (?=%)|(?<=\bp) (?=\d|&lt;)|(?<=&lt;) (?=\d)", "&nbsp;", to_bdi(text))
    return re.sub(r"--\w[\w-]*(?: \w+)?", r'<span class="option">\g<0></span>', html)


def data(findings: Findings) -> Iterator[str]:
    header = ["Table", "Rows", "Users", "Items"]
    of_systems = {"No list": "users_without_rec", "No truth": "users_without_truth"}
    without = max(row[WITHOUT_RELEVANT] for row in findings.counts.values())
    of_systems |= {"None relevant": WITHOUT_RELEVANT} if without else {}
    lines = []
    for row in findings.tables:
        of = {} if row["is_truth"] else findings.counts[row["system"]]
        name = "Truth" if row["is_truth"] else row["system"]
        counts = [of.get(column) for column in of_systems.values()]
        lines.append([name, row["lines"], row["users"], row["items"], *counts])
    yield table([*header, *of_systems], lines, "The data")
    users = max(row["users"] for row in findings.counts.values())
    dates = {row["name"]: row["modified"] for row in findings.tables if row["modified"]}
    files = ", ".join(f"{name} ({date})" for name, date in dates.items())
    days = [(row["earliest"], row["latest"]) for row in findings.tables if row.get("earliest")]
    period = "".join(f" The truth is of {first} to {last}." for first, last in days)
    yield (
        f'<p class="quiet">Users evaluated: {users}, those of the truth.{period} No list: who of them got '
        "nothing, which counts as an empty list. No truth: who has recommendations only, and is left out."
        f"{' None relevant: of whom the truth has nothing that could be found.' if without else ''}"
        f"{f' Files, and when they were last changed: {to_bdi(files)}.' if files else ''}</p>"
    )
    if findings.problems is None:
        yield "<p>The data was not checked.</p>"
        return
    yield from listing("problems", findings.problems, "What there is to know about the data:")
    if not findings.problems:
        yield "<p>The check of the data found nothing.</p>"


def means(findings: Findings, drawn: Sequence[Chart]) -> Iterator[str]:
    share = f"{100 * findings.options.confidence:.15g}"
    letters = (
        " The best of a row is bold; means of a row that share a letter are not surely different, by a "
        "comparison of all pairs of models."
        if findings.standings
        else ""
    )
    yield f'<p class="quiet">Means over users, ± half of the {share}&nbsp;% confidence interval.{letters}</p>'
    cells: dict[tuple[str, int | None], list[Any]] = {
        (one.name, k): [one.at(k)] for one in findings.measures for k in one.cuts
    }
    for name in findings.systems:
        rows = [row for row in findings.means if row["system"] == name]
        decimals = column_decimals([row["mean"] for row in rows], map(half_of, rows))
        for row in rows:
            at = row["measure"], row["k"]
            cells[at].append(marked_mean(row, findings.standings.get(at), decimals))
    yield table(["Measure", *findings.systems], list(cells.values()), "Means")
    users = {name: row["users"] for name, row in findings.counts.items()}
    partly = {row["measure"] for row in findings.means if row["users"] < users[row["system"]]}
    some = ", ".join(sorted({one.label for one in findings.measures if one.name in partly}))
    if some:
        yield f'<p class="quiet">Not every user has a value of {to_bdi(some)}.</p>'
    yield from charted(findings, drawn)


def half_of(row: Row) -> float | None:
    return None if row["high"] is None else float(row["high"] - row["low"]) / 2


def marked_mean(row: Row, found: Standing | None, decimals: int) -> Mark | None:
    """Write a mean and half of its interval, bold if it is the best, with its letters."""
    if row["mean"] is None:
        return None
    text, name = format_with_half(row["mean"], half_of(row), decimals=decimals), row["system"]
    if found is None:
        return Mark(text)
    return Mark(text, found.means[name] == next(iter(found.means.values())), found.letters[name])


def differences(findings: Findings, drawn: Sequence[Chart]) -> Iterator[str]:
    options = findings.options
    margin = f" The grey band is the margin of {options.margin:g}." if options.margin is not None else ""
    share = f"{100 * options.confidence:.15g}"
    if drawn:
        yield (
            f'<p class="quiet">Mean difference per user with its {share}&nbsp;% interval; the dashed line is '
            f"no difference.{margin} Charts are of the first cut-off, tables of all.</p>"
        )
    yield from charted(findings, drawn)


def segments(findings: Findings, drawn: Sequence[Chart]) -> Iterator[str]:
    if findings.segment is None:
        return
    count = len({row["segment"] for row in findings.segments})
    rest = f", and {findings.more_segments} smaller ones are left out" if findings.more_segments else ""
    shown = f" Charts show the {MOST_SEGMENTS} largest of {count} in the table{rest}."
    is_cut = count > MOST_SEGMENTS or findings.more_segments
    yield f'<p class="quiet">The segments with the most users first.{shown if is_cut else ""}</p>'
    yield from charted(findings, drawn, has_tables=len(drawn) == 1)
    if len(drawn) > 1:
        numbers = table(drawn[0].header, drawn[0].rows, "Segments")
        yield details("The numbers", numbers, is_open=True)


def losers(findings: Findings) -> Iterator[str]:
    at = findings.first.at(findings.first.cuts[0])
    if findings.losers:
        what = f"The users whose {to_html(at)} becomes worse by the most, equal losses by id."
        yield f'<p class="quiet">{what}</p>'
    users = max(row["users"] for row in findings.counts.values())
    for name, rows in findings.losers.items():
        if not rows:
            yield f"<p>No user loses with {to_bdi(name)}.</p>"
            continue
        lost, sharing = rows[0]["losers"], rows[0]["sharing"]
        shared = "of one user" if sharing == 1 else f"which {sharing} users share"
        worst = f"the worst difference is {format_number(rows[0]['difference'])}, {shared}"
        yield f"<p>With {to_bdi(name)}, {lost} of {users} users lose; {worst}.</p>"
        header = ["User", str(findings.baseline), name, "Difference"]
        cells = [[shorten(row["userid"]), row["baseline"], row["value"], row["difference"]] for row in rows]
        title = f"{len(rows)} {'user' if len(rows) == 1 else 'users'} with {name}"
        yield details(title, table(header, cells, title))


def changes(findings: Findings) -> Iterator[str]:
    """Say how much of the lists changes, and show the two lists of a user who loses most."""
    if not findings.overlaps:
        return
    k = findings.first.cuts[0]
    place = "the whole list" if k is None else "the first item" if k == 1 else f"the first {k} items"
    what = f"What {place} of each model has in common with that of {to_bdi(findings.baseline)}."
    yield f'<p class="quiet">{what} A user who has one of the two lists counts as nothing in common.</p>'
    header = ["Model", "Common items", "Rank-biased overlap", "Same first item", "Same list"]
    shares = ("overlap", "rbo", "same_first", "same_list")
    rows = [
        [row["system"], *(None if row[name] is None else Mark(f"{row[name]:.0%}") for name in shares)]
        for row in findings.overlaps
    ]
    yield table(header, rows, "What lists have in common")
    found = findings.example
    if found is None:
        return
    system = list(found.lists)[1]
    yield f"<p>The lists of {to_bdi(found.user)}, who loses most with {to_bdi(system)}:</p>"
    longest = min(max(map(len, found.lists.values())), MOST_RANKS)
    cells = [
        [str(rank + 1), *(listed_item(listed, rank) for listed in found.lists.values())]
        for rank in range(longest)
    ]
    yield table(["Rank", *found.lists], cells, "The lists of a user")
    for name, items in found.missed.items():
        if items:
            missed = to_bdi(join_names(items, most=MOST_RANKS))
            yield f"<p>Relevant, and not in the list of {to_bdi(name)}: {missed}.</p>"


def listed_item(listed: Sequence[tuple[str, bool]], rank: int) -> str:
    """Return the item at a rank, and say if it is relevant."""
    item, is_relevant = listed[rank] if rank < len(listed) else ("", False)
    return f"{item} (relevant)" if is_relevant else item


def contents(findings: Findings, drawn: Sequence[Chart]) -> Iterator[str]:
    """Say what is in the lists, draw it, and list everything that is known of it."""
    found = findings.contents
    if found is None:
        return
    yield from listing("headlines", found.sentences)
    first = "The first item" if found.k == 1 else f"The first {found.k} items"
    place = "All of each list" if found.k is None else f"{first} of each list"
    head = f"the most popular items that together have {100 * found.head:.15g}&nbsp;% of the history"
    users = "Popularity and tail are of all users with a list, whether truth has them or not."
    users += " Categories: a second line is of a model with other users." if found.categories else ""
    yield f'<p class="quiet">{place}. Head: {head}; tail: all others. {users}</p>'
    yield from charted(findings, drawn)
    columns = [name for name in found.wholes[0] if name not in ("system", "k")]
    cells = [[name, *(Mark(format_number(row[name])) for row in found.wholes)] for name in columns]
    header = ["Column", *(row["system"] for row in found.wholes)]
    yield details("All columns of ranking_beyond_accuracy", table(header, cells, "What is in the lists"))


def provenance(findings: Findings) -> Iterator[str]:
    yield "<dl>"
    for name, value in [*findings.facts, ("Charts", library_version())]:
        yield f"<dt>{to_html(name)}</dt><dd>{to_bdi(value)}</dd>"
    yield "</dl>"
    yield details("The SQL", f'<pre tabindex="0">{to_html(findings.sql)}</pre>')
