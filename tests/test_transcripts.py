"""The command and Python's functions print what `tests/transcripts/` shows."""

from pathlib import Path

import pytest

from tests.by_value import assert_same
from tests.generate import ADVICE
from tests.transcripts import FILES, rewritten


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_calls_print_what_their_transcript_shows(path: Path) -> None:
    assert_same(path.read_text(encoding="utf-8"), rewritten(path), f"{ADVICE}, or write {path.stem} alone")
