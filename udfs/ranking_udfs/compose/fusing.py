"""The call of ranking.fuse, with the values that its template reads."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from ..quoting import Double
from .lists import RecCall
from .templates import literal

FEW_DIGITS = r"DOUBLE|FLOAT|U?(TINYINT|SMALLINT|INTEGER)|DECIMAL\(([1-9]|1[0-5]),\d+\)"


def listed(names: Sequence[str | None]) -> str:
    return f"[{', '.join('NULL' if name is None else literal(name) for name in names)}]::VARCHAR[]"


@dataclass(frozen=True, kw_only=True)
class FuseCall(RecCall):
    """A call of ranking.fuse."""

    names_of_fields: ClassVar = {"depth": "ks", "weights": "given_weights"}
    is_short: ClassVar = False  # Lists are cut after sorting.
    few_digits: ClassVar = FEW_DIGITS

    system: str | None = "system"
    method: str = "rrf"
    normalize: str = "min_max"
    rrf_k: float = 60
    systems: Sequence[str | None] | None = None
    given_weights: Mapping[str, float] | None = None

    @classmethod
    def read_fields(cls, function: str, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields of a call for its arguments."""
        return super().read_fields(function, {**values, "depth": [values["depth"]]})

    @cached_property
    def points(self) -> str:
        """Points of an item: `rrf`, `borda` or, if scores are added, their normalization."""
        return self.normalize if self.adds_scores else self.method

    @cached_property
    def adds_scores(self) -> bool:
        return self.method in ("combsum", "combmnz")

    @cached_property
    def has_few_digits(self) -> bool:
        """True if scores are distinct as DOUBLE."""
        return bool(re.fullmatch(FEW_DIGITS, str(self.kind("rec", self.score))))

    @cached_property
    def chooses(self) -> bool:
        """True if systems are named, which rec must have."""
        return self.systems is not None or self.given_weights is not None

    @cached_property
    def chosen(self) -> str | None:
        """Names of the systems to fuse, as SQL."""
        return None if self.systems is None else listed(self.systems)

    @cached_property
    def weights(self) -> str | None:
        """Weights as SQL."""
        if self.given_weights is None:
            return None
        pairs = (f"{literal(system)}: {Double(weight)}" for system, weight in self.given_weights.items())
        return f"(MAP {{{', '.join(pairs)}}})"

    @cached_property
    def weighed(self) -> str:
        return listed([*(self.given_weights or ())])

    @cached_property
    def shown_weights(self) -> str:
        return f"{{{', '.join(f'{name}={weight:g}' for name, weight in (self.given_weights or {}).items())}}}"

    @cached_property
    def largest_weight(self) -> str:
        """Largest weight as SQL, limited to values that allow a scale."""
        largest = max(self.given_weights.values()) if self.given_weights else 0
        return str(Double(min(max(largest or 1, 1e-270), 1e308)))
