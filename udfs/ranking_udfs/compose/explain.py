"""The call of ranking.explain, with the values that its template reads."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from ..measures.grammar import Choice, parse_measures
from .call import Call
from .measures import formula
from .templates import module

# If k is beyond the list, precision divides by the rank.
MEASURES = parse_measures("dcg,ideal_dcg,ndcg,precision(divide=list),recall")


def value_at_rank(choice: Choice, expected: bool) -> str:
    """Return the formula of a measure; NULL for rows without a rank or truth."""
    return f"CASE WHEN has_truth AND rank IS NOT NULL THEN {formula(choice, expected)} END"


def is_user(userid: str, user: str) -> str:
    """Return the SQL condition for rows of the requested user."""
    return str(module("tables/internal/reading.jinja").is_user(userid, user)).strip()


def nearest_user(userid: str, user: str) -> str:
    """Return the SQL aggregate of the user most similar to one that is in no table."""
    return str(module("tables/internal/reading.jinja").nearest_user(userid, user)).strip()


@dataclass(frozen=True)
class ExplainCall(Call):
    """A call of ranking.explain: the measures of one user's list, cut at each rank."""

    names_of_fields: ClassVar = {"k": "cutoff_k"}
    is_small: ClassVar = False  # Lists are whole.

    cutoff_k: int | None = None

    @cached_property
    def k(self) -> str:
        return "NULL" if self.cutoff_k is None else str(self.cutoff_k)

    @cached_property
    def measures(self) -> list[Choice]:
        return MEASURES

    def column_formula(self, choice: Choice) -> str:
        return value_at_rank(choice, self.expected)
