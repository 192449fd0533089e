"""The call of ranking.fuse, with the values that its template reads."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from ..quoting import double
from .arguments import PARSERS, Given, parse_column, parse_fields, to_float, word
from .columns import is_integer, is_number, type_of
from .lists import RecCall, typed
from .templates import literal

FEW_DIGITS = r"DOUBLE|FLOAT|U?(TINYINT|SMALLINT|INTEGER)|DECIMAL\(([1-9]|1[0-5]),\d+\)"


class Weights(NamedTuple):
    """The weight of each system, and the argument as shown in errors."""

    of: dict[str, float]
    shown: str


def parse_system(name: str, argument: Given) -> str | None:
    if argument.text == "":
        raise ValueError(f"{name} must name the column of the systems to fuse, got ''")
    return parse_column(name, argument)


def parse_rrf_k(name: str, argument: Given) -> str:
    if not is_number(argument.kind) or not 0 <= to_float(argument) < math.inf:
        raise ValueError(f"{name} must be a number >= 0, got {argument.shown}")
    return typed(argument)


def parse_depth(name: str, argument: Given) -> list[int] | None:
    if argument.text is None:
        return None
    if not is_integer(argument.kind) or not 1 <= int(argument.text) < 2**127:
        raise ValueError(f"{name} must be an integer >= 1, or NULL for whole lists, got {argument.shown}")
    return [int(argument.text)]


def parse_json(argument: Given) -> tuple[Given, Any]:
    """Parse JSON with an argument as shown in errors and its value, and return both."""
    both = json.loads(argument.text or "{}")
    return argument._replace(text=both.get("shown")), both.get("value")


def parse_systems(name: str, argument: Given) -> str | None:
    """Parse names of systems, and return them as SQL."""
    argument, names = parse_json(argument)
    if argument.text is None:
        return None
    if not names:
        raise ValueError(f"{name} must be a list of names, such as ['bm25', 'vector'], got {argument.shown}")
    return listed(names)


def parse_weights(name: str, argument: Given) -> Weights | None:
    argument, texts = parse_json(argument)
    if argument.text is None:
        return None
    of = {system: float(text or "nan") for system, text in (texts or {}).items()}
    if not of or not all(0 <= weight < math.inf for weight in of.values()):
        rule = "a MAP of numbers >= 0, such as MAP {'bm25': 1, 'vector': 2}"
        raise ValueError(f"{name} must be {rule}, got {argument.shown}")
    return Weights(of, argument.text)


def listed(names: Sequence[str | None]) -> str:
    return f"[{', '.join('NULL' if name is None else literal(name) for name in names)}]::VARCHAR[]"


@dataclass(frozen=True, kw_only=True)
class FuseCall(RecCall):
    """A call of ranking.fuse."""

    parsers: ClassVar = {
        **PARSERS,
        "system_col": ("system", parse_system),
        "method": ("method", word("rrf", "combsum", "combmnz", "borda")),
        "normalize": ("normalize", word("min_max", "z_score", "sum", "none")),
        "rrf_k": ("rrf_k", parse_rrf_k),
        "depth": ("ks", parse_depth),
        "systems": ("systems", parse_systems),
        "weights": ("given_weights", parse_weights),
    }
    is_short: ClassVar = False  # Lists are cut after sorting.
    few_digits: ClassVar = FEW_DIGITS

    ks: Sequence[int | None] = (None,)
    system: str | None = "system"
    method: str = "rrf"
    normalize: str = "min_max"
    rrf_k: str = "60"  # as SQL
    systems: str | None = None  # as SQL
    given_weights: Weights | None = None

    @classmethod
    def parse(cls, function: str, arguments: Mapping[str, Given]) -> "FuseCall":
        """Parse the arguments of a call, in the order of `parsers`, which decides the first error."""
        in_order = {name: arguments[name] for name in cls.parsers if name in arguments}
        return cls(function, **parse_fields(cls.parsers, in_order))

    @property
    def points(self) -> str:
        """Points of an item: `rrf`, `borda` or, if scores are added, their normalization."""
        return self.normalize if self.adds_scores else self.method

    @property
    def adds_scores(self) -> bool:
        return self.method in ("combsum", "combmnz")

    @property
    def reads_twice(self) -> bool:
        """True if the lists are read twice."""
        return self.points in ("borda", "none")

    @property
    def has_few_digits(self) -> bool:
        """True if scores are distinct as DOUBLE."""
        kind = type_of(self.types.rec, self.score) if self.types else None
        return bool(re.fullmatch(FEW_DIGITS, str(kind)))

    @property
    def chooses(self) -> bool:
        """True if systems are named, which rec must have."""
        return self.systems is not None or self.given_weights is not None

    @property
    def weights(self) -> str | None:
        """Weights as SQL."""
        if self.given_weights is None:
            return None
        pairs = (f"{literal(system)}: {double(weight)}" for system, weight in self.given_weights.of.items())
        return f"(MAP {{{', '.join(pairs)}}})"

    @property
    def weighed(self) -> str:
        return listed([*self.given_weights.of] if self.given_weights else [])

    @property
    def shown_weights(self) -> str:
        return self.given_weights.shown if self.given_weights else ""

    @property
    def largest_weight(self) -> str:
        """Largest weight as SQL, limited to values that allow a scale."""
        largest = max(self.given_weights.of.values()) if self.given_weights else 0
        return double(min(max(largest or 1, 1e-270), 1e308))
