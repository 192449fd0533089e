"""Problems of the data: rows of ranking_check with the file that has them, and what to do against them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..texts import shorten
from .errors import NothingInCommonError
from .words import Row

if TYPE_CHECKING:
    from .queries import Request  # which takes DuckDB along

CODES = "FROM ranking_problem_codes()"
NOTHING = ("no_common_user", "no_common_item")
TIES = ("equal_scores", "ties_in_top_k", "ties_at_k")
PROBLEMS = ("wrong", "doubtful")  # the severities of which a gate takes notice


def is_problem(row: Row) -> bool:
    """Return whether a row is more than something to know."""
    return row["severity"] in PROBLEMS


def with_advice(
    rows: Sequence[Row],
    codes: Mapping[str, Row],
    files: Mapping[str | None, str],
    truth: str | None,
    *,
    systems: Sequence[str],
    is_command: bool,
    request: "Request",
    allow_empty: bool,
    history: str | None = None,
) -> list[Row]:
    """Return the rows with `file`, where a problem is of one, and `write`: what to do.

    `codes` are the rows of ranking_problem_codes by code; `files` those of models by name, under None that of
    all; `truth` and `history` theirs. What the request does already is only to know, and nobody is told to do
    it, or about measures that are not asked for.
    """
    followed = (TIES if request.ties != "item" else ()) + (NOTHING if allow_empty else ())
    is_cut = any(
        one.measure.name == "ndcg" and one.options["ideal"] == "cut" and None in one.cuts
        for one in request.choices
    )
    turned = {row["system"] for row in rows if row["code"] == "upside_down"}
    found: list[Row] = []
    for row in rows:
        code, system = row["code"], row["system"]
        if code == "shorter_than_truth" and not is_cut:
            continue
        of_system = files.get(system, files.get(None))
        about = row["problem"].partition(" ")[0] if code == "unfit_column" else codes[code]["about"]
        file = {"rec": of_system, "truth": truth, "history": history}.get(about)
        write = codes[code]["in_command" if is_command else "in_python"]
        if write and code in ("upside_down", "unknown_end"):
            is_all = turned >= {*systems} or len(systems) < 2
            turn = turning(system, of_system, is_all, files, request, is_command)
            write = write.replace("{ascending}", turn)
        if code in followed:
            row = {**row, "severity": "info"}
        found.append({**row, "file": file, "write": None if code in followed else write})
    return found


def turning(
    system: str | None,
    file: str | None,
    is_all: bool,
    files: Mapping[str | None, str],
    request: "Request",
    is_command: bool,
) -> str:
    """Say how the best end of a system's scores becomes the other one."""
    way = "ascending" if request.descending else "descending"
    if is_command and system in files and len(files) > 1:
        return f"write {system}={file}:{way}"
    if is_all:
        in_command = "write --ascending" if request.descending else "leave --ascending out"
        return in_command if is_command else f"write descending={not request.descending}"
    if is_command and request.descending:
        return f"write --ascending={system}"
    return f"negate the scores of {shorten(system)}"


def problem_text(row: Row) -> str:
    """Say a problem on one line, with its count, an example, and what with_advice adds."""
    of = ", ".join(shorten(row[name]) for name in ("system", "file") if row.get(name) is not None)
    share = "" if row["of"] is None else f" of {row['of']}"
    text = f"{row['problem']}: {row['count']}{share}{f' ({of})' if of else ''}"
    if row["example"] is not None:
        text += f", for example {shorten(row['example'])}"
    return f"{text}; {row['write']}" if row.get("write") else text


def check_common(rows: Sequence[Row]) -> None:
    """Raise NothingInCommonError if that is one of the problems."""
    for row in rows:
        if row["code"] in NOTHING:
            raise NothingInCommonError(problem_text(row))
