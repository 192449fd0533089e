"""Measure: make the tables by user, with the problems of the data; and the threshold of an answer."""

from collections.abc import Sequence

from ..evaluation.errors import DataError
from ..evaluation.problems import DIRECTION, raise_problems
from ..evaluation.queries import Plan
from ..evaluation.words import Row
from ..texts import units
from .evaluation import Evaluation, check_users
from .problems import find_problems, note_of, several_segments

ONE_TABLE = ("not_in_rec", "not_in_truth")  # problems of users that only one table has


def measure(of: Evaluation, steps: Plan) -> list[Row]:
    """Make the tables of a plan, and return the problems of the data if the check is on.

    Raises UsageError if a model has no user or no item in common with truth.
    """
    check_users(of)
    of.step("ranking")
    for statement in steps.tables:
        of.con.execute(statement)
    if not of.request.is_checked:
        return []
    problems = [*find_problems(of), *(several_segments(of) if of.request.by_segment else [])]
    raise_problems(problems)
    return problems


def prepare_abstention(of: Evaluation) -> list[Row]:
    """Return the problems, and notify about doubtful directions; DataError without scores or users."""
    check_users(of)
    if of.tables.ranked:
        raise DataError(
            "abstention: rec must have scores, as thresholds are scores, got lists of ids without"
        )
    # The second advice is a history, which abstention does not read.
    problems = find_problems(of)
    rows = [row for row in problems if row["code"] in DIRECTION]
    of.notify([{**row, "write": row["write"].partition(";")[0]} for row in rows])
    return problems


def conclude_abstention(of: Evaluation, rows: Sequence[object], problems: Sequence[Row]) -> None:
    """Notify about users that are not counted; raise DataError if every user has a relevant item."""
    write = f"write {'--users FILE' if of.request.dashes else 'users=...'}, with all {units()}"
    if not rows:
        rule = f"there must be {units()} without a relevant item"
        raise DataError(f"abstention: {rule}, got none; {write}")
    if of.inputs.users is None:
        none = note_of(of, "not_in_truth", f"{units()} in rec that are not in truth", {"count": 0}, "truth")
        found = {code: [row for row in problems if row["code"] == code] for code in ONE_TABLE}
        more = {"write": f"these, and {units()} in neither table, are not counted; {write}"}
        left_out = found["not_in_truth"] or [{**none, "file": None}]
        of.notify([*found["not_in_rec"], *({**row, **more} for row in left_out)])
