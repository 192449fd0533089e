"""The registry: what every measure is called, which options it takes, and what it does at the edges.

A measure is one function with its `@measure(...)` line directly above it. SQL names, table columns, README
row and the tests that hold for every measure follow from here.
"""

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from .ragged import Floats


@dataclass(frozen=True)
class OneOf:
    """An option that takes one of these words; the first is the default."""

    default: str
    others: tuple[str, ...]

    def __init__(self, default: str, *others: str) -> None:
        object.__setattr__(self, "default", default)
        object.__setattr__(self, "others", others)

    def __str__(self) -> str:
        return "|".join((self.default, *self.others))

    def parse(self, text: str) -> str | None:
        return text if text == self.default or text in self.others else None


@dataclass(frozen=True)
class Number:
    """An option that takes a finite number within bounds."""

    default: float
    at_least: float = -math.inf
    above: float = -math.inf
    at_most: float = math.inf
    below: float = math.inf

    def __str__(self) -> str:
        bounds = [(">=", self.at_least), (">", self.above), ("<=", self.at_most), ("<", self.below)]
        rules = [f"{sign} {bound:g}" for sign, bound in bounds if math.isfinite(bound)]
        return "a number " + " and ".join(rules) if rules else "a number"

    def parse(self, text: str) -> float | None:
        try:
            value = float(text)
        except ValueError:
            return None
        inside = self.at_least <= value <= self.at_most and self.above < value < self.below
        return value if inside and math.isfinite(value) else None


Option = OneOf | Number


@dataclass(frozen=True)
class Measure:
    """A measure as the registry knows it.

    compute    Rankings (or for a list measure: Arrow arrays, its arguments) and the options as keywords, to
               one float64 per row; NaN stands for SQL NULL
    arguments  the SQL arguments before k and options
    aliases    further SQL names
    options    what `options` may say, with defaults
    range      the values that it can take
    empty      what it is where truth is empty, or where it is undefined
    source     who defined it
    title      what a report calls it, where that is not the name
    column     whether the table functions have a column for it: not if it refuses usual grades
    """

    name: str
    compute: Callable[..., Floats]
    aliases: tuple[str, ...]
    options: Mapping[str, Option]
    range: str
    empty: str
    source: str
    arguments: tuple[str, ...] = ("rec", "truth")
    title: str = ""
    column: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.aliases)

    @property
    def label(self) -> str:
        """What a report calls it."""
        return self.title or self.name.replace("_", " ").capitalize()

    @property
    def description(self) -> str:
        """The first line of the function's docstring."""
        return inspect.getdoc(self.compute).partition("\n")[0]  # type: ignore[union-attr]


MEASURES: dict[str, Measure] = {}  # those over a judged ranking
BY_NAME: dict[str, Measure] = {}  # the same, under each of their names
LIST_MEASURES: dict[str, Measure] = {}  # those over other arguments


def measure(
    *,
    range: str,
    empty: str,
    source: str,
    title: str = "",
    column: bool = True,
    aliases: tuple[str, ...] = (),
    options: Mapping[str, Option] = MappingProxyType({}),
) -> Callable[[Callable[..., Floats]], Callable[..., Floats]]:
    """Enter the function below into the registry, under its own name."""

    def register(compute: Callable[..., Floats]) -> Callable[..., Floats]:
        name = compute.__name__
        entry = Measure(name, compute, aliases, options, range, empty, source, title=title, column=column)
        MEASURES[name] = entry
        BY_NAME.update(dict.fromkeys(entry.names, entry))
        return compute

    return register


def list_measure(
    *,
    arguments: tuple[str, ...],
    range: str,
    empty: str,
    source: str,
    aliases: tuple[str, ...] = (),
    options: Mapping[str, Option] = MappingProxyType({}),
) -> Callable[[Callable[..., Floats]], Callable[..., Floats]]:
    """Enter the function below, which takes these arguments and no k, into the registry of list measures."""

    def register(compute: Callable[..., Floats]) -> Callable[..., Floats]:
        name = compute.__name__
        LIST_MEASURES[name] = Measure(name, compute, aliases, options, range, empty, source, arguments)
        return compute

    return register
