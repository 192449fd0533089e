"""Messages on stderr: on one line, and without control characters for the terminal."""

import codecs
import json
import signal
import sys
from contextlib import nullcontext

from ..texts import printable

PROGRAM = "ranking-udfs"
EXIT_USAGE = 2  # wrong usage, or files that have nothing in common
EXIT_FAILED = 3  # a condition of --fail-if holds
KILLED = 128  # and the number of a signal: what a shell reports
INTERRUPTED, BROKEN_PIPE = KILLED + signal.SIGINT, KILLED + 13
WRITABLE = "ranking-udfs"  # the error handler for characters that a console does not have


def escape_unwritable(error: UnicodeError) -> tuple[str, int]:
    """Return an escape, which JSON reads too, for a character that an encoding does not have."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return json.dumps(error.object[error.start])[1:-1], error.start + 1


codecs.register_error(WRITABLE, escape_unwritable)


def say(kind: str, text: object) -> None:
    """Print a line on stderr, while the progress bar is hidden, if there is one."""
    if sys.stderr is not None:
        bars = sys.modules.get("tqdm")
        with bars.tqdm.external_write_mode(sys.stderr) if bars else nullcontext():
            print(f"{PROGRAM}: {kind}: {printable(text)}", file=sys.stderr)
