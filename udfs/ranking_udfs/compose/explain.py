"""The call of ranking.explain, with the values that its template reads."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ..measures.grammar import Choice, parse_measure
from .arguments import NULLS, PARSERS, Given, word
from .call import Call
from .columns import is_integer
from .measures import formula
from .templates import module

# By column. If k is beyond the list, precision divides by the rank.
MEASURES = {
    name: parse_measure("precision(divide=list)" if name == "precision" else name)
    for name in ("dcg", "ideal_dcg", "ndcg", "precision", "recall")
}


def parse_k(name: str, argument: Given) -> int | None:
    if not (is_integer(argument.kind) or argument.kind in NULLS):
        raise ValueError(f"{name} must be an integer, got {argument.kind} {argument.text or ''}")
    if argument.text is None:
        return None
    if int(argument.text) < 0:
        raise ValueError(f"{name} must be 0 or more, got {argument.text}")
    return min(int(argument.text), 2**63 - 1)


def value_at_rank(choice: Choice, expected: bool) -> str:
    """Return the formula of a measure; NULL for rows without a rank or truth."""
    return f"CASE WHEN has_truth AND rank IS NOT NULL THEN {formula(choice, expected)} END"


def is_user(userid: str, user: str) -> str:
    """Return the SQL condition for rows of the requested user."""
    return str(module("tables/internal/reading.jinja").is_user(userid, user)).strip()


@dataclass(frozen=True)
class ExplainCall(Call):
    """A call of ranking.explain: the measures of one user's list, cut at each rank."""

    parsers: ClassVar = {
        **PARSERS,
        "k": ("cutoff_k", parse_k),
        "ties": ("ties", word("item", "expected")),
    }
    shows_scores: ClassVar = True
    is_small: ClassVar = False  # Lists are whole.

    cutoff_k: int | None = None

    @staticmethod
    def checked(function: str, fields: dict[str, Any]) -> dict[str, Any]:
        return fields

    @property
    def k(self) -> str:
        return "NULL" if self.cutoff_k is None else str(self.cutoff_k)

    @property
    def own_names(self) -> Sequence[str]:
        return tuple(MEASURES)

    @property
    def measures(self) -> list[Choice]:
        return list(MEASURES.values())

    def column_formula(self, choice: Choice) -> str:
        return value_at_rank(choice, self.expected)
