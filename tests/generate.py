"""Writes what follows from the registry: `python -m tests.generate`. A test checks that it was run.

- sql/README.md, sql/tables/README.md, ...: the reference, from heads of SQL files, docstrings and registry
- sql/ranking_udfs.sql: the macros that stay in a database, from the files of all
- examples/browser/page.js: what a report calls the measures
"""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ranking_udfs.duckdb import portable
from ranking_udfs.measures.registry import MEASURES
from tests import coming_from, reference
from tests.reference import ROOT

BROWSER = ROOT / "examples" / "browser" / "page.js"


def between(path: Path, **parts: Iterable[str]) -> str:
    """The text of a file, with these lines between what says that they are generated and their end."""
    text = path.read_text()
    for name, lines in parts.items():
        found = re.findall(rf"(?s)^(.*{name}: generated[^\n]*\n).*(\n[^\n]*end of {name}\b.*)$", text)
        ((before, after),) = found  # a ValueError where there are no such lines
        text = before + "\n".join(lines) + after
    return text


def generated() -> dict[Path, str]:
    """What each file should hold."""
    found = {ROOT / "sql" / portable.SCRIPT: portable.script()}
    index = ROOT / "sql" / "README.md"
    found[index] = between(index, contents=reference.contents(), libraries=library_tables())
    found[BROWSER] = between(
        BROWSER, labels=(f"  {one.name}: {json.dumps(one.label)}," for one in MEASURES.values())
    )
    for title in reference.GROUPS:
        parts = {title: reference.sections(title)}
        parts |= {"table": reference.measure_table()} if title == "Measures" else {}
        page = ROOT / "sql" / title.lower() / "README.md"
        found[page] = between(page, **parts)
    return found


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


if __name__ == "__main__":
    for path, text in generated().items():
        if path.read_text() != text:
            path.write_text(text)
