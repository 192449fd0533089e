"""Write all generated files and expected outputs: `python -m tests.generate`; then read what changed.

- sql/README.md, sql/tables/README.md, ...: the reference, from heads of SQL files, docstrings and registry
- sql/checks.md, udfs/ranking_udfs/README.md and command/README.md: codes, Python's functions, options
- udfs/ranking_udfs/duckdb/macros.sql: the macros that `register` makes
- sql/ranking_udfs.sql: the macros that stay in a database, from the files of all
- tests/transcripts/*.txt: the output of calls of the command and of Python's functions

With `--check` it writes nothing, lists the files that are not fresh, and ends with 1 if there are any. With
`--keep-outputs` it leaves transcripts as they are, so that tests compare them with what calls print.
"""

import argparse
import re
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import chain
from multiprocessing import get_context
from pathlib import Path

from ranking_udfs.command.options import COMMANDS
from ranking_udfs.duckdb.macros import FILE
from ranking_udfs.macros import files, script
from tests import coming_from, reference, transcripts
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
    index = ROOT / "sql" / "README.md"
    yield index, between(index, contents=reference.contents())
    migrating = ROOT / "sql" / "migrating.md"
    yield migrating, between(migrating, libraries=library_tables())
    checks, package = ROOT / "sql" / "checks.md", ROOT / "udfs" / "ranking_udfs"
    yield checks, between(checks, codes=reference.check_codes())
    api, command = package / "README.md", package / "command" / "README.md"
    shared = ("", *reference.table(reference.ARGUMENT_COLUMNS, reference.shared_arguments().items()), "")
    yield api, between(api, functions=reference.python_functions(), arguments=shared)
    tables = {name: reference.command_options(name) for name in COMMANDS}
    yield command, between(command, options=reference.option_tables(), **tables)
    for title in reference.GROUPS:
        parts = {title: reference.sections(title)}
        parts |= {"table": reference.measure_table()} if title == "Measures" else {}
        page = ROOT / "sql" / title.lower() / "README.md"
        yield page, between(page, **parts)


def expected_outputs() -> Iterator[tuple[Path, str]]:
    """Yield each file of expected outputs and its text, which new processes print."""
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        yield from zip(transcripts.FILES, pool.map(transcripts.rewritten, transcripts.FILES), strict=True)


def stale(has_outputs: bool) -> Iterator[tuple[Path, str]]:
    """Yield each file that is not fresh, and its text."""
    for path, text in chain(generated(), expected_outputs() if has_outputs else ()):
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            yield path, text


def main() -> str | None:
    """Write or list the files that are not fresh; return the advice if they are only listed."""
    parser = argparse.ArgumentParser(prog="python -m tests.generate", description=ADVICE)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; list the files that are not fresh"
    )
    parser.add_argument("--keep-outputs", action="store_true", help="leave the expected outputs as they are")
    arguments = parser.parse_args()
    advice = None
    for path, text in stale(not arguments.keep_outputs):
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
        yield "| theirs | here |\n|---|---|"
        for row in library.rows:
            here = f"`{row.ours}`" if not row.differs else ""
            yield f"| `{row.theirs}` | {'; '.join(filter(None, (here, row.note)))} |"
    yield ""


if __name__ == "__main__":
    sys.exit(main())
