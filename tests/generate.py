"""Write all generated files and expected outputs: `python -m tests.generate`; then read what changed.

- sql/tables/README.md, ..., sql/aggregates.md: the reference, of heads of SQL files, docstrings, registry
- udfs/ranking_udfs/keywords.py: the types of the keywords of Python's functions
- sql/checks.md, udfs/ranking_udfs/README.md and command/README.md: codes, Python's functions, options
- udfs/ranking_udfs/duckdb/macros.sql: the macros that `register` makes
- sql/ranking_udfs.sql: the macros that stay in a database, from the files of all
- tests/transcripts/*.txt: the output of calls of the command and of Python's functions

Numbers in pages and transcripts stay as they are if they differ in their last digits only (`by_value.py`).

`python -m tests.generate compare gates` writes these two transcripts and nothing else. With `--check` it
writes nothing, lists the files that are not fresh, and ends with 1 if there are any. With `--keep-outputs` it
leaves transcripts as they are, so that tests compare them with what calls print.
"""

import argparse
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import chain
from multiprocessing import get_context
from pathlib import Path

from ranking_udfs.command.options import COMMANDS
from ranking_udfs.duckdb.macros import FILE
from ranking_udfs.macros import files, script
from tests import coming_from, keywords, reference, transcripts
from tests.by_value import kept
from tests.reference import ROOT

ADVICE = "run `python -m tests.generate` and read the diff"


def between(path: Path, **parts: Iterable[str]) -> str:
    """Return the text of a file with these lines between their marks."""
    text = path.read_text()
    for name, lines in parts.items():
        parted = re.findall(rf"(?s)^(.*{name}: generated[^\n]*\n).*(\n[^\n]*end of {name}\b.*)$", text)
        ((before, after),) = parted  # a ValueError if there are no marks
        text = before + "\n".join(lines) + after
    return text


def generated() -> Iterator[tuple[Path, str]]:
    """Yield each generated file and its text; the macros first, which examples of the reference call."""
    yield ROOT / "udfs/ranking_udfs/duckdb" / FILE, files.file_of_macros()
    yield ROOT / "sql" / script.SCRIPT, script.script()
    yield ROOT / "udfs/ranking_udfs/keywords.py", "\n".join(keywords.keywords())
    migrating = ROOT / "sql" / "migrating.md"
    yield migrating, between(migrating, libraries=library_tables())
    checks, package = ROOT / "sql" / "checks.md", ROOT / "udfs" / "ranking_udfs"
    yield checks, between(checks, codes=reference.check_codes())
    api, command = package / "README.md", package / "command" / "README.md"
    shared = ("", *reference.explained(reference.shared_arguments().items()), "")
    yield api, between(api, functions=reference.python_functions(), arguments=shared)
    tables = {name: reference.command_options(name) for name in COMMANDS}
    yield command, between(command, options=reference.option_tables(), **tables)
    for name in dict.fromkeys(reference.PAGES.values()):
        titles = [title for title in reference.GROUPS if reference.PAGES[title.lower()] == name]
        parts = {title: reference.sections(title) for title in titles}
        parts |= {"table": reference.measure_table()} if titles == ["Measures"] else {}
        page = ROOT / "sql" / name
        yield page, between(page, **parts)


def expected_outputs(names: Sequence[str]) -> Iterator[tuple[Path, str]]:
    """Yield each of these files of expected outputs and its text, which new processes print."""
    files = [path for path in transcripts.FILES if path.stem in names]
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        yield from zip(files, pool.map(transcripts.rewritten, files), strict=True)


def refreshed(path: Path, text: str) -> str:
    """Return the text of a file as it is to be written: a page keeps numbers that are equal by value."""
    is_page = path.suffix == ".md" and path.exists()
    return kept(path.read_text(encoding="utf-8"), text) if is_page else text


def stale(names: Sequence[str], is_all: bool) -> Iterator[tuple[Path, str]]:
    """Yield each file that is not fresh, and its text: of the transcripts, and of all others."""
    pages = ((path, refreshed(path, text)) for path, text in generated()) if is_all else ()
    for path, text in chain(pages, expected_outputs(names)):
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            yield path, text


def main() -> str | None:
    """Write or list the files that are not fresh; return the advice if they are only listed."""
    outputs = [path.stem for path in transcripts.FILES]
    parser = argparse.ArgumentParser(prog="python -m tests.generate", description=ADVICE)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; list the files that are not fresh"
    )
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument(
        "names", nargs="*", default=[], metavar="NAME", help="write only these transcripts, such as compare"
    )
    chosen.add_argument("--keep-outputs", action="store_true", help="leave the expected outputs as they are")
    arguments = parser.parse_args()
    if unknown := {*arguments.names} - {*outputs}:
        parser.error(f"NAME must be one of {', '.join(outputs)}, got {', '.join(sorted(unknown))}")
    written = arguments.names or outputs * (not arguments.keep_outputs)
    advice = None
    for path, text in stale(written, is_all=not arguments.names):
        print(path.relative_to(ROOT))
        if arguments.check:
            advice = ADVICE
        else:
            path.write_text(text, encoding="utf-8")
    return advice


def library_tables() -> Iterator[str]:
    """Yield a table for each other library: a call of theirs, and what gives the same here."""
    for library in coming_from.LIBRARIES:
        note = f" {library.note[0].upper()}{library.note[1:]}." if library.note else ""
        yield f"\n**{library.name}** ({library.version}).{note}\n"
        same = [row for row in library.rows if row.theirs == row.ours and not row.note]
        shown = {row.theirs for row in same} if len(same) > 1 else set()
        if shown:
            yield f"The same: {', '.join(f'`{row.theirs}`' for row in same)}.\n"
        yield "| theirs | here |\n|---|---|"
        for row in library.rows:
            if row.theirs in shown:
                continue
            shown.add(row.theirs)
            here = f"`{row.ours}`" if not row.differs else ""
            yield f"| `{row.theirs}` | {'; '.join(filter(None, (here, row.note)))} |"
    yield ""


if __name__ == "__main__":
    sys.exit(main())
