"""Calls of table functions over lists without measures, with the values that their templates read."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from ..measures.contents import BY_USER
from .call import Call
from .comparison import list_names


@dataclass(frozen=True, kw_only=True)
class IntentsCall(Call):
    """A call of ranking.intents_by_user. Its truth has a row for each intent of a relevant item."""

    alpha: float = 0.5
    intent: str | None = "intent"


@dataclass(frozen=True, kw_only=True)
class RecCall(Call):
    """A call of a function without truth."""

    reads_truth: ClassVar = False

    grade: str | None = ""


@dataclass(frozen=True, kw_only=True)
class OverlapCall(RecCall):
    """A call of a function that compares the lists of two systems."""

    source: ClassVar = "rec"  # the table of the systems, in errors
    steps: ClassVar = False
    baseline: str | None = None
    persistence: float

    @cached_property
    def baseline_in_errors(self) -> str:
        return list_names([self.baseline])


@dataclass(frozen=True, kw_only=True)
class ContentsCall(RecCall):
    """A call of a beyond-accuracy function."""

    history: str | None = None
    items: str | None = None
    head: float
    divergence: str

    @cached_property
    def of_users(self) -> list[str]:
        """The columns with a value per user whose tables the call has."""
        return [measure.name for measure in BY_USER if {*measure.arguments[1:]} <= self.tables.keys()]


CALLS_OF_LISTS: dict[str, type[Call]] = {
    "intents_by_user": IntentsCall,
    **dict.fromkeys(("beyond_accuracy", "beyond_accuracy_by_user"), ContentsCall),
    "overlap": OverlapCall,
    "overlap_by_user": OverlapCall,
}
