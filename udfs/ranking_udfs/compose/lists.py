"""Calls of table functions over lists without measures, with the values that their templates read."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

from ..measures.contents import BY_USER
from .call import Call
from .columns import Names, type_of
from .comparison import list_names


@dataclass(frozen=True)
class ItemCall(Call):
    """A call of ranking.by_item."""

    keeps_items: ClassVar = True  # Lists keep items with their ranks.

    @cached_property
    def shows_texts(self) -> bool:
        """True if items are shown as VARCHAR: UUIDs, and items of two types."""
        kind = self.types and type_of(self.types.rec, self.item)
        return self.mixed_items == "texts" or kind == "UUID"


@dataclass(frozen=True, kw_only=True)
class AbstentionCall(Call):
    """A call of ranking.abstention."""

    folder: ClassVar = "comparison"


@dataclass(frozen=True)
class RecCall(Call):
    """A call of a function without truth."""

    reads_truth: ClassVar = False

    grade: str | None = ""


@dataclass(frozen=True, kw_only=True)
class OverlapCall(RecCall):
    """A call of a function that compares the lists of two systems."""

    folder: ClassVar = "comparison"
    source: ClassVar = "rec"  # the table of the systems, in errors
    steps: ClassVar = False
    baseline: str | None = None
    persistence: float

    @cached_property
    def baseline_in_errors(self) -> str:
        return list_names([self.baseline])


@dataclass(frozen=True)
class Content:
    """A column with a value per user; `is_there` if the call has its tables."""

    name: str
    is_there: Any


@dataclass(frozen=True, kw_only=True)
class ContentsCall(RecCall):
    """A call of a beyond-accuracy function."""

    history: str | None = None
    items: str | None = None
    head: float
    divergence: str
    category: str = "category"

    @cached_property
    def names(self) -> Names:
        return replace(super().names, category=self.category)

    @cached_property
    def has_history(self) -> bool:
        return self.history is not None

    @cached_property
    def has_items(self) -> bool:
        return self.items is not None

    @cached_property
    def has_catalog(self) -> bool:
        return self.has_history or self.has_items

    @cached_property
    def of_users(self) -> list[Content]:
        return [Content(measure.name, {*measure.arguments[1:]} <= self.tables.keys()) for measure in BY_USER]


CALLS_OF_LISTS: dict[str, type[Call]] = {
    "by_item": ItemCall,
    "abstention": AbstentionCall,
    **dict.fromkeys(("beyond_accuracy", "beyond_accuracy_by_user"), ContentsCall),
    "overlap": OverlapCall,
    "overlap_by_user": OverlapCall,
}
