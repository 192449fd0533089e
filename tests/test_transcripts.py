"""The command and Python's functions print what `tests/transcripts/` shows."""

from pathlib import Path

import pytest

from tests.generate import ADVICE
from tests.transcripts import FILES, rewritten, shortened


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_calls_print_what_their_transcript_shows(path: Path) -> None:
    assert rewritten(path) == path.read_text(encoding="utf-8"), ADVICE


@pytest.mark.parametrize(
    ("expected", "output", "after"),
    [
        ("one ... three", "one two two three", "one ... three"),
        ("one ... three", "one three", "one three"),
        ("one ... three", "one two four", "one two four"),
        ("one ... three", "one two threes four", "one ... threes four"),
        ("one ... three ... five", "one two threes four five", "one ... threes ... five"),
        ("one ... three ... five", "one two four five", "one two four five"),
        ("one ...", "two three", "two three"),
        ("...", "", ""),
        ("one two", "one three", "one three"),
    ],
)
def test_a_gap_hides_only_lines_between_printed_lines(expected: str, output: str, after: str) -> None:
    assert shortened(expected.split(), output.split()) == after.split()
