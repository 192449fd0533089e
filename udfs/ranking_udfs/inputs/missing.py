"""Columns that a file or table lacks: the error, and what to write."""

import shlex
from collections.abc import Iterable, Mapping, Sequence

import duckdb

from ..duckdb.statements import identifier
from ..evaluation.columns import ARGUMENTS
from ..evaluation.errors import DataError
from ..texts import shorten


class MissingColumnsError(DataError):
    """An error of a file or table that lacks columns.

    Attributes:
        missing: their names by role.
        found: the roles of the columns that are there.
        type: that of a row, as typeof writes it.
    """

    def __init__(
        self, path: str, missing: Mapping[str, str], found: Iterable[str], type: str, there: Iterable[str]
    ) -> None:
        """Say which are missing, and which there are."""
        columns = " and ".join(f"no column {name!r}" for name in missing.values())
        super().__init__(f"{path}: {columns} (there are: {shorten(', '.join(there))})")
        self.missing, self.found, self.type = missing, set(found), type


def option(role: str, is_command: bool) -> str:
    """Return what names the column of this role: `--user`, or `user_col`."""
    argument = ARGUMENTS[role]
    return f"--{argument.removesuffix('_col')}" if is_command else argument


def written(role: str, column: str, is_command: bool) -> str:
    """Return the option or argument of a role with the name of a column, as a user writes it."""
    name = option(role, is_command)
    return f"{name} {shlex.quote(column)}" if is_command else f"{name}={column!r}"


def missing_text(
    con: duckdb.DuckDBPyConnection,
    errors: Sequence[MissingColumnsError],
    opened: Iterable[str],
    truth: str,
    score: str,
    is_command: bool,
) -> str:
    """Return all errors on one line, each with what to write.

    Args:
        con: a connection with the pack.
        errors: one for each file that lacks columns.
        opened: the roles of columns that files have which lack none.
        truth: the type of a row of truth.
        score: the name of the column of scores.
        is_command: whether to name the options of the command, and not the arguments of Python.
    """
    query = "SELECT _ranking.main._ranking_nearest_column(?, ?)"
    texts = []
    for error in errors:
        elsewhere = {*opened, *(role for other in errors if other is not error for role in other.found)}
        renamed, named, rules = [], [], [str(error)]
        for role, name in error.missing.items():
            if role not in ARGUMENTS:  # that of segments, which is named with its file
                continue
            ((near,),) = con.execute(query, [error.type, ARGUMENTS[role]]).fetchall()
            is_rank = role == "score" and near.lower().startswith(("rank", "pos", "place"))
            if role == "system" and not near:
                rules.append(f"leave {option(role, is_command)} out where each model has a name of its own")
            elif role in elsewhere and is_rank:  # of a rank the lowest is the best
                rules.append(f"make a column {name} of -{near}, as the other has one")
            elif role in elsewhere:
                renamed.append(f"{near or '...'} to {name}")
            else:
                more = (" --ascending" if is_command else ", descending=False") if is_rank else ""
                named.append(written(role, near or "...", is_command) + more)
        if "score" in error.missing and f"{identifier(score)} ".lower() in truth.lower():
            rules.append("if this is the truth, swap the two, since the other has a score; else")
        rules += [f"rename {', '.join(renamed)}, as the other has it"] * bool(renamed)
        rules += [f"write {', '.join(named)}"] * bool(named)
        texts.append("; ".join(rules).replace("; else; ", "; else "))
    return "; ".join(texts)
