"""Writes what follows from the registry: `python -m tests.generate`. A test checks that it was run.

- sql/README.md, sql/tables/README.md, ...: the reference, from heads of SQL files, docstrings and registry
- sql/ranking_udfs.sql: the macros that stay in a database, from the files of all
- examples/browser/page.js: what a report calls the measures
"""

import json
from collections.abc import Iterator
from pathlib import Path

from ranking_udfs.duckdb import portable
from ranking_udfs.measures.registry import MEASURES
from tests import coming_from, reference
from tests.reference import ROOT

REFERENCE = ROOT / "sql" / "README.md"
BROWSER = ROOT / "examples" / "browser" / "page.js"
PAGES = {title: ROOT / "sql" / title.lower() / "README.md" for title in reference.GROUPS}


def between(text: str, begin: str, end: str, lines: Iterator[str]) -> str:
    """The text with these lines between the line with `begin` and the one with `end`."""
    before, begun, rest = text.partition(begin)
    first, newline, rest = rest.partition("\n")
    _, ended, after = rest.partition(end)
    if not (begun and ended):
        raise ValueError(f"no lines {begin!r} and {end!r}")
    indent = before.rpartition("\n")[2]
    return before + begun + first + newline + "\n".join(lines) + "\n" + indent + ended + after


def generated() -> dict[Path, str]:
    """What each file should hold."""
    pages = {path: page_text(title) for title, path in PAGES.items()}
    browser = between(BROWSER.read_text(), "// labels: generated", "// end of labels", label_lines())
    return {REFERENCE: index_text(), BROWSER: browser, **pages}


def label_lines() -> Iterator[str]:
    """Yield what a report calls each measure, for the page in the browser."""
    for one in MEASURES.values():
        yield f"  {one.name}: {json.dumps(one.label)},"


def library_tables() -> Iterator[str]:
    """Yield a table for each other library: a call of theirs, and what gives the same here."""
    for library in coming_from.LIBRARIES:
        note = f" {library.note[0].upper()}{library.note[1:]}." if library.note else ""
        yield f"\n**{library.name}** ({library.version}).{note}\n"
        yield "| theirs | here |\n|---|---|"
        for row in library.rows:
            here = f"`{row.ours}`" if not row.differs else ""
            yield f"| `{row.theirs}` | {'; '.join(filter(None, (here, row.note)))} |"
    yield ""


def index_text() -> str:
    """The first page of the reference: what is written by hand, and between it what is generated."""
    text = between(
        REFERENCE.read_text(), "<!-- contents: generated", "<!-- end of contents", reference.contents()
    )
    return between(text, "<!-- libraries: generated", "<!-- end of libraries", library_tables())


def page_text(title: str) -> str:
    """The page of the reference on one folder."""
    text = PAGES[title].read_text()
    if title == "Measures":
        text = between(text, "<!-- table: generated", "<!-- end of table", reference.measure_table())
    begin, end = f"<!-- {title}: generated", f"<!-- end of {title}"
    return between(text, begin, end, reference.sections(title))


def portable_script() -> tuple[Path, str]:
    """The script of the macros as the files have them now, and where it belongs."""
    reference.forget()
    return ROOT / "sql" / portable.SCRIPT, portable.script()


if __name__ == "__main__":
    for path, text in [*generated().items(), portable_script()]:
        if path.read_text() != text:
            path.write_text(text)
