"""Messages on stderr: one line each, without control characters."""

import codecs
import json
import signal
import sys
from contextlib import nullcontext

from ..texts import printable

PROGRAM = "ranking-udfs"
EXIT_USAGE = 2  # wrong usage, or files without a common user or item
EXIT_FAILED = 3  # a condition of --fail-if holds
KILLED = 128  # plus the number of a signal: the exit code of a killed process
INTERRUPTED, BROKEN_PIPE = KILLED + signal.SIGINT, KILLED + 13
WRITABLE = "ranking-udfs"  # error handler for characters that an encoding lacks


def escape_unwritable(error: UnicodeError) -> tuple[str, int]:
    """Return a JSON escape for a character that an encoding lacks."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return json.dumps(error.object[error.start])[1:-1], error.start + 1


codecs.register_error(WRITABLE, escape_unwritable)


def say(kind: str, text: object) -> None:
    """Print a line on stderr; hide the progress bar meanwhile."""
    if sys.stderr is not None:
        bars = sys.modules.get("tqdm")
        with bars.tqdm.external_write_mode(sys.stderr) if bars else nullcontext():
            print(f"{PROGRAM}: {kind}: {printable(text)}", file=sys.stderr)
