"""Problems of the data: rows of ranking_check with the file that has them, and what to write against them."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..texts import shorten
from .errors import NothingInCommonError
from .words import Row

if TYPE_CHECKING:
    from .queries import Request  # which takes DuckDB along

NOTHING = ("no user of truth is in rec", "no item of truth is in rec")
RANKS = "rec: scores look like ranks, and the highest counts as the best"
# Advice against a problem: in the command, and in Python.
TIES = ("--ties expected", "ties='expected'")
EMPTY = ("--allow-empty", "allow_empty=True")
OWN = "items that the user has in history already"
SHORTER = (
    "rec: users whose list is shorter than truth: without k, ndcg is against the best list of its length"
)
ADVICE = {  # by how a problem begins
    RANKS: ("--ascending", "descending=False"),
    "rec: users whose scores are all equal": TIES,
    "rec: users whose order rests on ties": TIES,
    "rec: users with tied scores": TIES,
    f"rec: {OWN}": ("an ANTI JOIN with the history where rec is made",) * 2,
    f"truth: {OWN}": ("ranking-udfs split --seen drop", "ranking_split(..., seen := 'drop')"),
    SHORTER: ("-m 'ndcg(ideal=truth)'", "ndcg(ideal=truth)"),
    **dict.fromkeys(NOTHING, EMPTY),
}
# Each problem that a command may show, with # for a number.
TEXTS = (
    "rec: no rows",
    *NOTHING,
    RANKS,
    "users that match truth but for case, blanks or zeros",
    "items that match truth but for case, blanks or zeros",
    "rec: systems without users in common",
    *(f"rec: {column} is NULL" for column in ("userid", "itemid", "score")),
    "rec: score is NaN",
    "rec: (userid, itemid) repeated in the top k = #",
    "rec: users whose scores are all equal",
    "rec: users whose order rests on ties within the top k = #",
    "rec: users with tied scores at k = #",
    "rec: users with fewer than k = # items",
    "rec: users with fewer items than the longest list, below k = #",
    SHORTER,
    "truth: no rel is above 0, so nothing is relevant",
    "truth: no rel is # or above, so nothing is relevant",
    *(f"truth: {column} is NULL" for column in ("userid", "itemid", "rel")),
    "truth: rel is NaN or infinite",
    "truth: rel is negative",
    "truth: (userid, itemid) repeated",
    "truth: users without a relevant item",
    "users in truth that are not in rec",
    "users in rec that are not in truth",
    "users with recommendations of one system only",
)
OF_HISTORY = (
    f"truth: {OWN}",
    "history: events at or after the first of truth",
    f"rec: {OWN}",
    "users in truth that are not in history",
    "items in truth that are not in history",
    "truth or history without a column time, so its late events are not looked for",
)


def is_known(words: str, texts: Sequence[str] = TEXTS) -> bool:
    """Return whether one of these problems may be called by these words."""
    sought = re.sub(r"\d+", "#", words.lower())
    return any(sought in text.lower() for text in texts)


def with_advice(
    rows: Sequence[Row],
    files: Mapping[str | None, str],
    truth: str | None,
    *,
    is_command: bool,
    request: "Request",
    allow_empty: bool,
    history: str | None = None,
) -> list[Row]:
    """Return the rows with `file`, where a problem is of one, and `write`: what to write.

    `files` are those of models by name, under None that of all; `truth` and `history` theirs. Nobody is told
    to write what is in the request already, or of measures that are not.
    """
    followed = [TIES] * (request.ties == "expected") + [EMPTY] * allow_empty
    is_cut = any(
        one.measure.name == "ndcg" and one.options["ideal"] == "cut" and None in one.cuts
        for one in request.choices
    )
    found: list[Row] = []
    for row in rows:
        problem, system = row["problem"], row["system"]
        if problem == SHORTER and not is_cut:
            continue
        file = truth if problem.startswith("truth") else files.get(system, files.get(None))
        if problem.startswith("history") or problem.endswith("in history"):
            file = history
        advice = next((texts for start, texts in ADVICE.items() if problem.startswith(start)), None)
        write = None if advice is None or advice in followed else advice[not is_command]
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
