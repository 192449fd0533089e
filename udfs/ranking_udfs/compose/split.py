"""The call of ranking.split, with the values that its template reads."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from ..quoting import unquoted
from .arguments import NULLS, Given, parse_table
from .call import Call, nulls
from .columns import cut, is_integer, no_column, row_type, time_kind, type_of
from .portable import column_problem
from .templates import literal

COLUMNS = {"user_col": "userid", "item_col": "itemid", "time_col": "time"}
SPANS = {"test_size": 1, "gap": 0}  # by argument: the least number of units
CHOICES = ("cold_users", "cold_items", "seen")
ADDED = ("fold", "part", "dropped")  # columns of the result
MICROSECONDS = {"year": 360 * 86_400_000_000, "month": 30 * 86_400_000_000, "day": 86_400_000_000}


@dataclass(frozen=True)
class SplitCall:
    """A call of ranking.split. `problem`, the error of an invalid argument, comes after errors of columns."""

    folder: ClassVar = "tables"
    types: ClassVar = None

    function: str
    arguments: Mapping[str, Given]
    events: str
    problem: str | None
    caller: str = ""  # the name of the function in errors
    is_portable: bool = False  # true for SQL that runs without the Python package

    @classmethod
    def parse(cls, function: str, arguments: Mapping[str, Given]) -> "SplitCall":
        events = parse_table("events", arguments["events"])
        return cls(function, arguments, events, next(argument_problems(arguments), None))

    @property
    def has_problem(self) -> bool:
        return self.problem is not None

    def has(self, name: str) -> bool:
        return self.arguments[name].text is not None

    # --- The columns ---

    @property
    def user(self) -> str:
        return self.column("user_col")

    @property
    def item(self) -> str:
        return self.column("item_col")

    @property
    def time(self) -> str:
        return self.column("time_col")

    @property
    def event_columns(self) -> str:
        return nulls([self.user, self.item, self.time])

    def column(self, argument: str) -> str:
        return self.arguments[argument].text or COLUMNS[argument]

    @property
    def column_problem(self) -> str:
        if self.is_portable:
            columns = {"user": self.user, "item": self.item, "time": self.time}
            return column_problem({"events": self.events}, columns)
        facts = {name: self.arguments[name] for name in (*COLUMNS, "test_from", *SPANS)}
        row = row_type(f"query_table({literal(self.events)})")
        return f"system.main._ranking_column_problem({literal(json.dumps({'split': facts}))}, {row})"

    reused = Call.reused

    # --- The windows ---

    @property
    def has_last(self) -> bool:
        return self.has("last")

    @property
    def has_step(self) -> bool:
        return self.has_last or self.has("test_size")

    @property
    def has_window(self) -> bool:
        return self.has("test_from") and self.has("test_size")

    @property
    def folds(self) -> str:
        return str(whole(self.arguments["folds"]) or 1)

    @property
    def test_from(self) -> str:
        """Argument test_from as SQL."""
        argument = self.arguments["test_from"]
        return "NULL" if argument.text is None else f"{literal(argument.text)}::{argument.kind}"

    @property
    def step(self) -> str:
        """Length of a test as SQL."""
        return span(self.arguments["last" if self.has_last else "test_size"])

    @property
    def is_step_interval(self) -> bool:
        return not self.has_last and self.arguments["test_size"].kind == "INTERVAL"

    @property
    def gap(self) -> str:
        return span(self.arguments["gap"])

    @property
    def is_gap_interval(self) -> bool:
        return self.arguments["gap"].kind == "INTERVAL"

    @property
    def late(self) -> str:
        """Error text if the first test starts after the last event."""
        if self.has("test_from"):
            return f"test_from must not be after the last event, got {self.arguments['test_from'].text}"
        return f"test_size must reach back to the last event, got {self.arguments['test_size'].text}"

    # --- The rows to drop ---

    @property
    def drops_cold_users(self) -> bool:
        return self.arguments["cold_users"].text == "drop"

    @property
    def drops_cold_items(self) -> bool:
        return self.arguments["cold_items"].text == "drop"

    @property
    def drops_seen(self) -> bool:
        return self.arguments["seen"].text == "drop"


def whole(argument: Given) -> int | None:
    """Return an integer in the range of BIGINT, or None."""
    if argument.text is None or not is_integer(argument.kind):
        return None
    value = int(argument.text)
    return value if -(2**63) <= value < 2**63 else None


def span(argument: Given) -> str:
    """Return a span of time as SQL; NULL becomes 0."""
    if argument.kind == "INTERVAL" and argument.text is not None:
        return f"{literal(argument.text)}::INTERVAL"
    return f"{whole(argument) or 0}::BIGINT"


def length(argument: Given) -> int | None:
    """Return the length of a span as DuckDB compares it; an INTERVAL becomes microseconds."""
    if argument.kind != "INTERVAL" or argument.text is None:
        return whole(argument)
    days = re.findall(r"(-?\d+) (year|month|day)", argument.text)
    total = sum(int(n) * MICROSECONDS[unit] for n, unit in days)
    if clock := re.search(r"(-?)(\d+):(\d+):(\d+)(?:\.(\d+))?$", argument.text):
        sign, hours, minutes, seconds, rest = clock.groups()
        of_day = (int(hours) * 3600 + int(minutes) * 60 + int(seconds)) * 1_000_000 + int(f"{rest or 0:<06}")
        total += -of_day if sign else of_day
    return total


def argument_problems(arguments: Mapping[str, Given]) -> Iterator[str]:
    """Yield the problems of arguments that do not depend on columns."""
    for name in ("folds", "last"):
        is_given = name == "folds" or arguments[name].text is not None
        if is_given and (whole(arguments[name]) or 0) < 1:
            yield f"{name} must be an integer >= 1, got {arguments[name].shown}"
    test_from, test_size, gap, last, folds = (
        arguments[name].text for name in ("test_from", "test_size", "gap", "last", "folds")
    )
    others = [text for text in (test_from, test_size, gap) if text is not None]
    if test_from is None and test_size is None and last is None:
        yield "test_from, test_size or last must say what the test is, got none of them"
    elif last is not None and others:
        yield f"last must stand without test_from, test_size and gap, got {others[0]}"
    elif last is None and test_size is None and (whole(arguments["folds"]) or 1) > 1:
        yield f"folds must be 1 without test_size, which says how long each test is, got {folds}"
    for name in CHOICES:
        if arguments[name].text not in ("keep", "drop"):
            yield f"{name} must be keep|drop, got {arguments[name].shown}"


def events_problem(facts: Mapping[str, tuple[str, str | None]], columns: Mapping[str, str]) -> str | None:
    """Return the first problem of the columns of events, or of arguments that must be of time's kind."""
    return next(column_problems({name: Given(*fact) for name, fact in facts.items()}, columns), None)


def column_problems(arguments: Mapping[str, Given], columns: Mapping[str, str]) -> Iterator[str]:
    for argument, usual in COLUMNS.items():
        kind, text = arguments[argument]
        name = usual if text is None else text
        if kind not in ("VARCHAR", *NULLS):
            yield f"{argument} must be the name of a column, got {cut(name)}"
        elif (column_type := type_of(columns, name)) is None:
            yield no_column("events", name, argument, columns)
        elif argument == "time_col":
            yield from time_problems(arguments, name, column_type)
    taken = [name for name in map(unquoted, columns) if name.lower() in ADDED]
    if taken:
        yield f"events must have no column fold, part or dropped (rename it), got {', '.join(taken)}"


def time_problems(arguments: Mapping[str, Given], name: str, column_type: str) -> Iterator[str]:
    """Yield the problems of the type of time, and of arguments that must be of its kind."""
    if (kind := time_kind(column_type)) is None:
        yield f"{cut(name)} must be an integer, DATE or TIMESTAMP (cast it), got {cut(column_type)}"
    begins = arguments["test_from"]
    if begins.text is not None and time_kind(begins.kind) != kind:
        yield f"test_from must be {kind}, as {cut(name)} is, got {cut(begins.kind)}"
    is_number = kind == "an integer"
    for argument, least in SPANS.items():
        value = arguments[argument]
        if value.text is None:
            continue
        if not (is_integer(value.kind) if is_number else value.kind == "INTERVAL"):
            kinds = ("an integer", "one") if is_number else ("an INTERVAL", kind)
            yield f"{argument} must be {kinds[0]}, for a time that is {kinds[1]}, got {value.shown}"
        elif (size := length(value)) is not None and size < least:
            yield f"{argument} must be {'above 0' if least else '0 or more'}, got {value.shown}"
