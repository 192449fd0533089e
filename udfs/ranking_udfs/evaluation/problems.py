"""Problems of the data: rows of ranking_check with the file that has them, and what to write against them."""

from collections.abc import Mapping, Sequence

from ..texts import shorten
from .errors import NothingInCommonError
from .words import Row

NOTHING = ("no user of truth is in rec", "no item of truth is in rec")
RANKS = "rec: scores look like ranks, and the highest counts as the best"
# What a problem says, and what to write: for the command, and for Python.
ADVICE = {
    RANKS: ("--ascending", "descending=False"),
    "rec: users whose scores are all equal": ("--ties expected", "ties='expected'"),
    "rec: users whose order rests on ties": ("--ties expected", "ties='expected'"),
    "rec: users with tied scores": ("--ties expected", "ties='expected'"),
    **dict.fromkeys(NOTHING, ("--allow-empty", "allow_empty=True")),
}


def with_advice(
    rows: Sequence[Row], files: Mapping[str | None, str], truth: str | None, is_command: bool
) -> list[Row]:
    """Return the rows with `file`, where a problem is of one, and `write`: what to write.

    `files` are those of models by name, under None that of all; `truth` is that of the truth.
    """
    found: list[Row] = []
    for row in rows:
        problem, system = row["problem"], row["system"]
        file = truth if problem.startswith("truth: ") else files.get(system, files.get(None))
        advice = (texts[not is_command] for start, texts in ADVICE.items() if problem.startswith(start))
        write = next(advice, None)
        if problem == RANKS and system in files and len(files) > 1:
            write = f"{system}={file}:ascending" if is_command else None
        found.append({**row, "file": file, "write": write})
    return found


def problem_text(row: Row) -> str:
    """Say a problem on one line, with its count, an example, and what with_advice adds."""
    of = ", ".join(shorten(row[name]) for name in ("system", "file") if row.get(name) is not None)
    text = f"{row['problem']}: {row['count']}{f' (of {of})' if of else ''}"
    if row["example"] is not None:
        text += f", for example {shorten(row['example'])}"
    return f"{text}; write {row['write']}" if row.get("write") else text


def check_common(rows: Sequence[Row]) -> None:
    """Raise NothingInCommonError if that is one of the problems."""
    for row in rows:
        if row["problem"] in NOTHING:
            raise NothingInCommonError(problem_text(row))
