"""The call of ranking.intents_by_user, with the values that its template reads."""

from dataclasses import dataclass, replace
from typing import ClassVar

from ..quoting import double
from .arguments import PARSERS, Given, parse_column, to_float
from .columns import Names
from .lists import ListCall


def parse_alpha(name: str, argument: Given) -> float:
    if not 0 <= (alpha := to_float(argument)) <= 1:
        raise ValueError(f"{name} must be a number from 0 to 1, got {argument.shown}")
    return alpha


@dataclass(frozen=True)
class IntentsCall(ListCall):
    """A call of ranking.intents_by_user. Its truth has a row for each intent of a relevant item."""

    parsers: ClassVar = {
        **PARSERS,
        "alpha": ("weight", parse_alpha),
        "intent_col": ("intent", parse_column),
    }
    has_intents: ClassVar = True

    weight: float = 0.5
    intent: str = "intent"

    @property
    def alpha(self) -> str:
        return double(self.weight)

    @property
    def names(self) -> Names:
        return replace(super().names, intent=self.intent)

    @property
    def truth_names(self) -> list[str]:
        return [*super().truth_names, self.intent]
