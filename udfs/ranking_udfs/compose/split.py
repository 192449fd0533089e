"""The call of ranking.split, with the values that its template reads."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from ..kinds import Typed
from ..quoting import unquoted
from .call import Call
from .columns import cut, is_integer, no_column, row_type, time_kind, type_of
from .portable import column_problem
from .templates import literal

COLUMNS = ("user_col", "item_col", "time_col")
SPANS = {"test_size": 1, "gap": 0}  # by argument: the least number of units
# Columns that split makes, in its result and on the way to it.
MADE = (
    "fold|part|dropped|ranking_(user|item|time|moment|fold|is_train|dropped|test_from|test_until|train_until)"
)
MICROSECONDS = {"year": 360 * 86_400_000_000, "month": 30 * 86_400_000_000, "day": 86_400_000_000}


@dataclass(frozen=True)
class SplitCall:
    """A call of ranking.split."""

    types: ClassVar = None

    function: str
    events: str
    test_from: Typed | None  # this and spans are of the type of time
    test_size: Typed | None
    gap: Typed | None
    last: int | None
    folds: int
    cold_users: str
    cold_items: str
    seen: str
    user: str
    item: str
    time: str
    caller: str = ""  # the name of the function in errors
    is_portable: bool = False  # true for SQL that runs without the Python package

    @classmethod
    def from_arguments(cls, function: str, values: Mapping[str, Any], **facts: Any) -> "SplitCall":
        """Return the call with these checked arguments; ValueError if they do not fit together."""
        times = {name: typed(values[name]) for name in ("test_from", *SPANS)}
        fields = {name.removesuffix("_col"): value for name, value in {**values, **times}.items()}
        call = cls(function, **fields, **facts)
        for problem in call.problems():
            raise ValueError(problem)
        return call

    def problems(self) -> Iterator[str]:
        """Yield the problems of arguments that exclude each other."""
        others = [value.text for value in (self.test_from, self.test_size, self.gap) if value is not None]
        if self.test_from is None and self.test_size is None and self.last is None:
            yield "test_from, test_size or last must say what the test is, got none of them"
        elif self.last is not None and others:
            yield f"last must stand without test_from, test_size and gap, got {others[0]}"
        elif self.last is None and self.test_size is None and self.folds > 1:
            yield f"folds must be 1 without test_size, which says how long each test is, got {self.folds}"

    # --- The columns ---

    @cached_property
    def column_problem(self) -> str:
        columns = {"user": self.user, "item": self.item, "time": self.time}
        if self.is_portable:
            return column_problem({"events": self.events}, columns)
        facts = columns | {name: getattr(self, name) for name in ("test_from", *SPANS)}
        row = row_type(f"query_table({literal(self.events)})")
        return f"system.main._ranking_column_problem({literal(json.dumps({'split': facts}))}, {row})"

    reused = Call.reused

    # --- The windows ---

    @cached_property
    def first(self) -> str:
        """Argument test_from as SQL."""
        return "NULL" if self.test_from is None else f"{literal(self.test_from.text)}::{self.test_from.kind}"

    @cached_property
    def step(self) -> str:
        """Length of a test as SQL."""
        return f"{self.last}::BIGINT" if self.last is not None else span(self.test_size)

    @cached_property
    def gap_span(self) -> str:
        return span(self.gap)

    @cached_property
    def late(self) -> str:
        """Error text if the first test starts after the last event."""
        if self.test_from is not None:
            return f"test_from must not be after the last event, got {self.test_from.text}"
        return f"test_size must reach back to the last event, got {self.test_size and self.test_size.text}"


def typed(value: Any) -> Typed | None:
    """Return a value with its type in SQL."""
    if value is None or isinstance(value, Typed):
        return value
    kinds = {int: "BIGINT", str: "VARCHAR", bool: "BOOLEAN"}
    return Typed(kinds.get(type(value), "DOUBLE"), str(value))


def span(value: Typed | None) -> str:
    """Return a span of time as SQL; NULL becomes 0."""
    if value is None:
        return "0::BIGINT"
    return f"{literal(value.text)}::INTERVAL" if value.kind == "INTERVAL" else f"{whole(value) or 0}::BIGINT"


def whole(value: Typed) -> int | None:
    """Return an integer in the range of BIGINT, or None."""
    if not is_integer(value.kind):
        return None
    number = int(value.text)
    return number if -(2**63) <= number < 2**63 else None


def length(value: Typed) -> int | None:
    """Return the length of a span as DuckDB compares it; an INTERVAL becomes microseconds."""
    if value.kind != "INTERVAL":
        return whole(value)
    days = re.findall(r"(-?\d+) (year|month|day)", value.text)
    total = sum(int(n) * MICROSECONDS[unit] for n, unit in days)
    if clock := re.search(r"(-?)(\d+):(\d+):(\d+)(?:\.(\d+))?$", value.text):
        sign, hours, minutes, seconds, rest = clock.groups()
        of_day = (int(hours) * 3600 + int(minutes) * 60 + int(seconds)) * 1_000_000 + int(f"{rest or 0:<06}")
        total += -of_day if sign else of_day
    return total


def column_problems(facts: Mapping[str, Any], columns: Mapping[str, str]) -> Iterator[str]:
    """Yield the problems of the columns of events, and of arguments that must be of time's kind."""
    for name in COLUMNS:
        column = facts[name.removesuffix("_col")]
        if (column_type := type_of(columns, column)) is None:
            yield no_column("events", column, name, columns)
        elif name == "time_col":
            times = {span: facts[span] and Typed(*facts[span]) for span in ("test_from", *SPANS)}
            yield from time_problems(times, column, column_type)
    taken = [name for name in map(unquoted, columns) if re.fullmatch(MADE, name.lower())]
    if taken:
        yield f"events must have no column that split makes (rename it), got {', '.join(taken)}"


def time_problems(times: Mapping[str, Typed | None], name: str, column_type: str) -> Iterator[str]:
    """Yield the problems of the type of time, and of arguments that must be of its kind."""
    if (kind := time_kind(column_type)) is None:
        yield f"{cut(name)} must be an integer, DATE or TIMESTAMP (cast it), got {cut(column_type)}"
    begins = times["test_from"]
    if begins is not None and time_kind(begins.kind) != kind:
        yield f"test_from must be {kind}, as {cut(name)} is, got {cut(begins.kind)}"
    is_number = kind == "an integer"
    for argument, least in SPANS.items():
        value = times[argument]
        if value is None:
            continue
        if not (is_integer(value.kind) if is_number else value.kind == "INTERVAL"):
            kinds = ("an integer", "one") if is_number else ("an INTERVAL", kind)
            shown = f"'{value.text}'" if value.kind == "VARCHAR" else value.text
            yield f"{argument} must be {kinds[0]}, for a time that is {kinds[1]}, got {shown}"
        elif (size := length(value)) is not None and size < least:
            yield f"{argument} must be {'above 0' if least else '0 or more'}, got {value.text}"
