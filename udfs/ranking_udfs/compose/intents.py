"""The call of ranking.intents_by_user, with the values that its template reads."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

from .call import Call
from .columns import Names


@dataclass(frozen=True)
class IntentsCall(Call):
    """A call of ranking.intents_by_user. Its truth has a row for each intent of a relevant item."""

    has_intents: ClassVar = True

    alpha: float = 0.5
    intent: str = "intent"

    @cached_property
    def names(self) -> Names:
        return replace(super().names, intent=self.intent)

    @cached_property
    def truth_names(self) -> list[str]:
        return [*super().truth_names, self.intent]
