"""What the command says: on one line, and without what a terminal would obey."""

import codecs
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager

PROGRAM = "ranking-udfs"
WRITABLE = "ranking-udfs"  # how characters are written that a console does not have
LONGEST = 200  # characters of a value, of a type, or of a line of DuckDB's errors
# Where the part of an error begins that is of no use on one line.
DETAILS = ("The search space used was", "Candidate functions", "LINE ", "At:", "Possible solutions")


class DataError(Exception):
    """What is wrong with the data, in one line."""


def in_other_words(error: UnicodeError) -> tuple[str, int]:
    """What stands for characters that an encoding does not have: escapes, which JSON reads too.

    A plus and a minus take up the blank behind them, so that columns stay in line.
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text, end = error.object, error.start + 1
    if text[error.start] == "±":
        return "+-", end + text.startswith(" ", end)
    return json.dumps(text[error.start])[1:-1], end


codecs.register_error(WRITABLE, in_other_words)


@contextmanager
def aside() -> Iterator[None]:
    """Take a bar of progress away, if there is one, while something is said."""
    if not sys.modules.get("tqdm"):
        yield
        return
    with sys.modules["tqdm"].tqdm.external_write_mode(sys.stderr):
        yield


def say(kind: str, text: object) -> None:
    """Print a line on stderr."""
    if sys.stderr is not None:
        with aside():
            print(f"{PROGRAM}: {kind}: {printable(text)}", file=sys.stderr)


def printable(text: object) -> str:
    """The text on one line: no line breaks, no escape sequences, no marks that turn the writing around."""
    return "".join(character if character.isprintable() else " " for character in str(text))


def shortened(text: object) -> str:
    """The text on one line, and not for ever."""
    line = printable(text)
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}..."


def one_line(error: Exception) -> str:
    """What the error says, without the hints, the quoted SQL and the traceback that may follow."""
    if isinstance(error, DataError):
        return printable(error)
    text = str(error)
    text = text.partition(" while executing the UDF: ")[2].partition(": ")[2] or text
    lines = [line.strip() for line in text.partition("\n\n")[0].splitlines() if line.strip()]
    lines = lines[: next((i for i, line in enumerate(lines) if line.startswith(DETAILS)), None)]
    lines += [line.strip() for line in text.splitlines() if line.startswith("  file = ")]
    return "; ".join(map(shortened, lines)) or type(error).__name__
