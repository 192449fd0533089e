"""Names of the columns of a user's tables, and how their scores and grades are read."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields
from numbers import Real
from typing import Any, TypedDict

from ..texts import did_you_mean

ARGUMENTS = {  # that name columns, by what the pack calls these
    "userid": "user_col",
    "itemid": "item_col",
    "score": "score_col",
    "rel": "grade_col",
    "system": "system_col",
    "time": "time_col",
}


UNJUDGED = ("miss", "skip")


class ColumnNames(TypedDict, total=False):
    """The arguments of `Columns`; all have a default."""

    user_col: str
    item_col: str
    score_col: str
    grade_col: str | None
    system_col: str | None
    descending: bool
    min_grade: float | None
    unjudged: str


@dataclass(frozen=True)
class Columns:
    """The names of the columns, in upper or lower case, and how scores and grades are read.

    Attributes:
        user_col: users, in rec, truth and segments.
        item_col: items, in rec and truth.
        score_col: scores, in rec.
        grade_col: grades, in truth; None for `rel` if there is such a column, "" for none.
        system_col: which model a row of rec is of; None for `system` if there is such a column, "" for none.
        descending: whether the highest score is the best; False where it is a rank.
        min_grade: the lowest grade that is relevant; None: every grade above 0 is.
        unjudged: what becomes of items that truth has no row for: "miss", or "skip" to leave them out.
    """

    user_col: str = "userid"
    item_col: str = "itemid"
    score_col: str = "score"
    grade_col: str | None = None
    system_col: str | None = None
    descending: bool = True
    min_grade: float | None = None
    unjudged: str = "miss"

    def check(self, caller: str) -> None:
        """Raise TypeError or ValueError if a name is not a text, or another value is not valid."""
        for name in ("user_col", "item_col", "score_col", "grade_col", "system_col"):
            value = getattr(self, name)
            if not (isinstance(value, str) or (value is None and name in ("grade_col", "system_col"))):
                raise TypeError(f"{caller}: {name} must be the name of a column, got {value!r}")
        if not isinstance(self.descending, bool):
            raise TypeError(f"{caller}: descending must be True or False, got {self.descending!r}")
        grade = self.min_grade
        if grade is not None and not (isinstance(grade, Real) and is_min_grade(grade)):
            raise ValueError(f"{caller}: min_grade must be a number > 0, got {grade!r}")
        if self.unjudged not in UNJUDGED:
            raise ValueError(f"{caller}: unjudged must be {'|'.join(UNJUDGED)}, got {self.unjudged!r}")

    @property
    def of_rec(self) -> dict[str, str]:
        """The columns of rec in the user's table, by the pack's name; system only if it is named."""
        names = {"userid": self.user_col, "itemid": self.item_col, "score": self.score_col}
        return {**names, "system": self.system_col} if self.system_col else names

    @property
    def of_truth(self) -> dict[str, str]:
        """The columns of truth in the user's table, by the pack's name; rel only if it is named."""
        names = {"userid": self.user_col, "itemid": self.item_col}
        return {**names, "rel": self.grade_col} if self.grade_col else names


def is_min_grade(number: Real | float) -> bool:
    """Return whether a number can be min_grade."""
    return not isinstance(number, bool) and 0 < float(number) < math.inf


COLUMNS = Columns()


def check_keywords(caller: str, names: Iterable[str], known: Iterable[str]) -> None:
    """Raise TypeError if one of the names of arguments is not known, with the one that was perhaps meant."""
    for name in names:
        if name not in known:
            hint = " (did you mean ks?)" if name == "k" else did_you_mean(name, known)
            raise TypeError(f"{caller}: got an unexpected keyword argument {name!r}{hint}")


def columns_of(caller: str, names: Any) -> Columns:
    """Make Columns of keyword arguments.

    Raises:
        TypeError: an argument is unknown or not valid.
    """
    check_keywords(caller, names, [field.name for field in fields(Columns)])
    columns = Columns(**names)
    columns.check(caller)
    return columns
