"""The registry of all measures, with their names, options and values in edge cases.

A measure is a function with a `@measure(...)` line directly above it. SQL names, table columns, the rows of
the reference and the tests of every measure follow from it.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import cleandoc
from typing import Any

from .arrays import Floats


class OneOf:
    """An option with a fixed set of words; the first is the default, or `of_judged` for judged rankings."""

    def __init__(self, default: str, *others: str, of_judged: str = "") -> None:
        self.default, self.others, self.of_judged = default, others, of_judged or default

    def __str__(self) -> str:
        return "|".join((self.default, *self.others))

    def parse(self, text: str) -> str | None:
        return text if text in (self.default, *self.others) else None


@dataclass(frozen=True)
class Number:
    """Option with a finite number within bounds as its value."""

    default: float | None  # None if the option has no effect by default
    at_least: float = -math.inf
    above: float = -math.inf
    at_most: float = math.inf
    below: float = math.inf
    # the option, and its value, that this option requires
    only_with: tuple[str, str] | None = None

    @property
    def of_judged(self) -> float | None:
        return self.default

    def __str__(self) -> str:
        bounds = [(">=", self.at_least), (">", self.above), ("<=", self.at_most), ("<", self.below)]
        rules = [f"{sign} {bound:g}" for sign, bound in bounds if math.isfinite(bound)]
        return "a number " + " and ".join(rules) if rules else "a number"

    def parse(self, text: str) -> float | None:
        if not re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", text):
            return None
        value = float(text)
        inside = self.at_least <= value <= self.at_most and self.above < value < self.below
        return value if inside and math.isfinite(value) else None


Option = OneOf | Number


@dataclass(frozen=True)
class Range:
    """The values that a measure can take: from `low` to `high`, both included, or the integers among them."""

    low: float = -math.inf
    high: float = math.inf
    integers: bool = False

    def __str__(self) -> str:
        if self.integers:
            ends = ", ".join(f"{self.low + i:g}" for i in range(3))
            return f"{self.low:g} or {self.high:g}" if math.isfinite(self.high) else f"{ends}, ..."
        return f"[{self.low:g}, {self.high:g}]" if math.isfinite(self.high) else f">= {self.low:g}"

    @property
    def is_share(self) -> bool:
        """True for values from 0 to 1, such as shares of users or probabilities."""
        return self.low >= 0 and self.high <= 1

    @property
    def is_yes_or_no(self) -> bool:
        """True for the values 0 and 1, so that the mean is a share of the users."""
        return self.is_share and self.integers

    @property
    def has_exact_sums(self) -> bool:
        """True for values from -1 to 1; their sums are exact, computed as sums of integers."""
        return self.low >= -1 and self.high <= 1

    def __contains__(self, value: float) -> bool:
        return math.isfinite(value) and self.low <= value <= self.high and not (self.integers and value % 1)


@dataclass(frozen=True)
class Empty:
    """The value of a measure if truth is empty, or if the measure is undefined for another reason."""

    value: float | None  # None for NULL
    lacking: str = ""  # the missing thing, or "" for relevant items
    both: float | None = None  # the value over lists if rec is empty too, if Hivemall has another value

    def __str__(self) -> str:
        value = "NULL" if self.value is None else f"{self.value:g}"
        return f"{value} without {self.lacking}" if self.lacking else value


SHARE, ZERO = Range(0, 1), Empty(0)


@dataclass(frozen=True)
class Measure:
    """An entry of the registry.

    `compute` takes Rankings (or other arrays for a list measure) and the options as keywords. It returns one
    float64 per row; NaN means SQL NULL. Its docstring has the description and the source.
    """

    name: str
    compute: Callable[..., Floats]
    aliases: tuple[str, ...] = ()  # further SQL names
    options: Mapping[str, Option] = field(default_factory=dict)  # allowed options, with defaults
    range: Range = SHARE  # the values that it can take
    ranges: Mapping[str, Range] = field(default_factory=dict)  # other ranges, by the value of an option
    empty: Empty = ZERO  # the value if truth is empty, or if the measure is undefined
    arguments: tuple[str, ...] = ("rec", "truth")  # the arguments in SQL before k and options
    title: str = ""  # the name in reports, if it differs
    column: bool = True  # whether table functions have a column for it; not if it refuses usual grades
    expected: bool = False  # whether its expected value over all orders of tied items has a closed form
    higher_is_better: bool | None = True  # None if neither direction is better, as for an ideal
    has_cutoff: bool = True  # False for a column of the user's table

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.aliases)

    @property
    def label(self) -> str:
        """Name in reports."""
        return self.title or self.name.replace("_", " ").capitalize()

    @property
    def description(self) -> str:
        """The first line of the docstring."""
        return cleandoc(self.compute.__doc__ or "").partition("\n")[0]

    @property
    def source(self) -> str:
        """The text after `Source:` in the docstring."""
        after = cleandoc(self.compute.__doc__ or "").partition("\nSource: ")[2]
        return " ".join(after.partition(".\n\n")[0].split())

    def defaults(self, of_judged: bool) -> dict[str, Any]:
        """Return the default of each option, over judged rankings and in tables, or over lists."""
        return {
            name: option.of_judged if of_judged else option.default for name, option in self.options.items()
        }

    @property
    def option_texts(self) -> list[str]:
        """Options with their defaults: `gain=exp|linear`, `beta=1 (a number >= 0)`."""
        return [option_text(name, option) for name, option in self.options.items()]

    @property
    def range_text(self) -> str:
        """The range, and the ranges for values of an option."""
        return ", ".join([str(self.range), *(f"{value} {limits}" for value, limits in self.ranges.items())])


def option_text(name: str, option: Option) -> str:
    if isinstance(option, OneOf):
        differs = option.of_judged != option.default
        return f"{name}={option}" + f" (of tables and judged rankings: {option.of_judged})" * differs
    only = f", with {'='.join(option.only_with)}" if option.only_with else ""
    default = "" if option.default is None else f"={option.default:g}"
    return f"{name}{default} ({option}{only})"


class InputError(Exception):
    """An invalid argument of a measure. The caller adds the name of the function."""


MEASURES: dict[str, Measure] = {}  # measures of a judged ranking
BY_NAME: dict[str, Measure] = {}  # the same, under each of their names
LIST_MEASURES: dict[str, Measure] = {}  # measures of other arguments
# The default measures of a comparison. They are here since the macros of SQL use them too.
COMPARED_MEASURES = ("ndcg", "recall", "average_precision", "mrr", "hit_rate", "precision")


def measure(*aliases: str, **facts: Any) -> Callable[[Callable[..., Floats]], Callable[..., Floats]]:
    """Register the function below, with its aliases; `facts` are fields of Measure."""

    def register(compute: Callable[..., Floats]) -> Callable[..., Floats]:
        entry = Measure(compute.__name__, compute, aliases, **facts)
        if "arguments" in facts:
            LIST_MEASURES[entry.name] = entry
        else:
            MEASURES[entry.name] = entry
            BY_NAME.update(dict.fromkeys(entry.names, entry))
        return compute

    return register


TABLE_HEADER = ("name", "aliases", "arguments", "options", "range", "empty", "source", "description")


def measure_table() -> list[tuple[str | Sequence[str], ...]]:
    """Return a row for each measure, in the columns of TABLE_HEADER."""
    rows: list[tuple[str | Sequence[str], ...]] = []
    for entry in (*MEASURES.values(), *LIST_MEASURES.values()):
        facts = (entry.option_texts, entry.range_text, str(entry.empty), entry.source, entry.description)
        rows.append((entry.name, entry.aliases, entry.arguments, *facts))
    return rows
