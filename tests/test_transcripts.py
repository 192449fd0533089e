"""The command and Python's functions print what `tests/transcripts/` shows."""

import re
from pathlib import Path

import pytest

from tests.by_value import assert_same
from tests.generate import ADVICE
from tests.transcripts import FILES, START, console, outcome, rewritten

# Calls that print sentences about users, but for tables for programs and SQL.
SAYS = re.compile(r"\$ ranking-udfs (evaluate|compare|check|explain|abstention|overlap|report) ")
OTHERS = re.compile(r"--format (csv|json|sql)|--output \S+\.(?!html)| < |--unit")
# On a page SQL and columns, and in an error names, and how to call the command.
NAMES = re.compile(
    r'<pre.*?</pre>|<th scope="row">users</th>|(?-s:Candidate bindings: .*|.*\(see .*)', re.DOTALL
)
USER = re.compile(r"(?<![-\w./])users?(?![-\w/=]|\.\w)", re.IGNORECASE)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_calls_print_what_their_transcript_shows(path: Path) -> None:
    assert_same(path.read_text(encoding="utf-8"), rewritten(path), f"{ADVICE}, or write {path.stem} alone")


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_unit_replaces_users_in_every_sentence(path: Path) -> None:
    with console():
        for block in START.split(path.read_text(encoding="utf-8"))[1:]:
            call = block.partition("\n")[0]
            if SAYS.match(call) and not OTHERS.search(call):
                said = outcome(f"{call} --unit query")
                pages = filter(Path.exists, map(Path, re.findall(r"--output (\S+\.html)", call)))
                said = NAMES.sub("", said + "".join(page.read_text(encoding="utf-8") for page in pages))
                assert [line for line in said.splitlines() if USER.search(line)] == [], call
            elif not call.startswith("# "):
                outcome(call)
