"""Kinds of values of options: the rule of each, in one wording for SQL, Python and the command."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from importlib import import_module
from numbers import Real
from typing import Any, NamedTuple

from .quoting import plain, sql_value
from .texts import shorten

K = 10  # the cutoff where none is named
LARGEST = 2**31 - 1  # largest INTEGER; a larger k means the whole list
LONGEST = 10_000  # limit of the characters in measures


# --- Values and their errors ---


class Typed(NamedTuple):
    """A value of SQL whose type Python lacks, such as an INTERVAL: its type and its text."""

    kind: str
    text: str


class OptionError(ValueError):
    """A value breaks the rule of its option; `rule` follows its name, as in `must be 0 or more`."""

    def __init__(self, rule: str, value: Any, subject: str = "") -> None:
        super().__init__(f"{subject}{rule}, got {shown(value)}")
        self.rule, self.value, self.subject = rule, value, subject


def shown(value: Any) -> str:
    """Return a value as Python writes it, for an error."""
    return shorten(str(value) if isinstance(value, Decimal) else repr(value))


def shown_in_sql(value: Any) -> str:
    """Return a value as SQL writes it, for an error."""
    if isinstance(value, Typed):
        return shorten(value.text)
    if isinstance(value, (list, tuple)):
        return shorten(f"[{', '.join(map(shown_in_sql, value))}]")
    if isinstance(value, Mapping):
        return shorten(f"{{{', '.join(f'{name}={shown_in_sql(item)}' for name, item in value.items())}}}")
    is_number = isinstance(value, (Real, Decimal)) and not isinstance(value, bool)
    return shorten(str(value) if is_number else sql_value(value))


# --- Kinds of values ---


@dataclass(frozen=True)
class Kind:
    """A kind of values: its type in Python, and a function that checks a value and returns it converted."""

    type: str
    check: Callable[[Any], Any] = lambda value: value
    read: Callable[[str], Any] = str  # the value of a string of the command
    words: tuple[str, ...] = ()  # all values, if these are words
    has_null: bool = False  # whether None is the default, if there is one

    def parse(self, text: str) -> Any:
        """Return the value of a string of the command; the ValueError states the broken rule."""
        try:
            return self.check(self.read(text))
        except OptionError as error:
            raise ValueError(f"{error.subject}{error.rule}, got {text!r}".strip()) from None


def word(*words: str) -> Kind:
    """Return the kind of these words."""

    def check(value: Any) -> str:
        if not isinstance(value, str) or value not in words:
            raise OptionError(f"must be {'|'.join(words)}", value)
        return value

    return Kind("str", check, words=words)


def is_number(value: Any) -> bool:
    """Return whether a value is a finite number; True and False are no numbers."""
    return isinstance(value, (Real, Decimal)) and not isinstance(value, bool) and math.isfinite(value)


def number(rule: str, holds: Callable[[Any], bool], convert: Callable[[Any], Any] = float) -> Kind:
    """Return the kind of finite numbers that obey a rule, in the form in which calls read them."""

    def check(value: Any) -> Any:
        try:
            if is_number(value) and holds(value):
                return convert(value)
        except OverflowError:
            pass
        raise OptionError(f"must be {rule}", value)

    def read(text: str) -> Any:
        try:
            return int(text) if re.fullmatch(r"\s*[+-]?\d+\s*", text) else float(text)
        except ValueError:
            return text

    return Kind("int" if convert is int else "float", check, read)


def integer(low: int, high: int | None = None) -> Kind:
    """Return the kind of integers from low to high."""
    rule = f"an integer of {low} or more" if high is None else f"an integer from {low} to {high}"
    return number(
        rule, lambda value: value == int(value) and low <= value and (high is None or value <= high), int
    )


def instance(kind: type, rule: str) -> Kind:
    """Return the kind of the instances of a type."""

    def check(value: Any) -> Any:
        if not isinstance(value, kind):
            raise OptionError(f"must be {rule}", value)
        return value

    return Kind(kind.__name__, check)


def check_column(value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise OptionError("must be the name of a column", value)
    if value is not None and value.lower() in ("ranking_system", "ranking_absent"):
        raise OptionError("must be a column of another name (the SQL has one of this name)", value)
    return value


def check_named(value: Any) -> str | None:
    """Check the name of a column that a table must have."""
    if value == "":
        raise OptionError("must be the name of a column", value)
    return check_column(value)


def listed(value: Any) -> list[Any] | None:
    """Return a list of the values in a list, tuple, range or array; None for any other value."""
    is_sequence = isinstance(value, (list, tuple, range)) and not isinstance(value, Typed)
    return [plain(item) for item in value] if is_sequence or getattr(value, "shape", ()) != () else None


def check_cutoff(k: Any, subject: str = "") -> int | None:
    """Check a cutoff; None is the whole list."""
    if k is None:
        return None
    if not is_number(k) or k != int(k):
        raise OptionError("must be an integer", k, subject)
    if not 0 <= k < 2**63:
        raise OptionError("must be 0 or more" if k < 0 else "must be an integer below 2^63", k, subject)
    return int(k)


def check_cutoffs(value: Any) -> list[int | None]:
    """Check one cutoff or several."""
    ks = listed(value)
    if value is None or ks == []:
        raise OptionError("must be a non-empty list of cutoffs", value)
    if ks is None and not is_number(value):
        raise OptionError("must be a list of integers", value)
    return [check_cutoff(value)] if ks is None else [check_cutoff(k, "every k in ") for k in ks]


def check_one_cutoff(value: Any) -> int | None:
    ks = listed(value)
    if ks is not None and len(ks) != 1:
        raise OptionError("must be one cutoff", value)
    return check_cutoff(value if ks is None else ks[0])


def measures(known: str, advice: str) -> Kind:
    """Return the kind of measures: texts with names among `known` of the grammar, or cutoffs."""

    def check(value: Any) -> Any:
        from .measures import grammar

        items = [value] if (several := listed(value)) is None else several
        if items and all(isinstance(item, grammar.Choice) for item in items):
            return items
        if items and all(item is None or is_number(item) for item in items):
            return check_cutoffs(items)
        text = ",".join(check_texts(items, value))
        return grammar.parse_measures(text, getattr(grammar, known), advice)

    return Kind("Measures", check)


def check_texts(items: list[Any], value: Any) -> list[str]:
    """Check that all items are texts of measures; `value` is what the user has written."""
    texts = [item for item in items if isinstance(item, str)]
    if texts and len(texts) < len(items):
        raise OptionError("must be either cutoffs or measures", value)
    if not texts or "" in texts:
        raise OptionError("must be names of measures, as in ['ndcg', 'recall@5'], or cutoffs", value)
    text = ",".join(texts)
    if re.fullmatch(r"[\s,]*\d[\s\d,]*", text):
        raise OptionError(f"must be names of measures; write [{text}] for cutoffs", value)
    if len(text) > LONGEST:
        raise OptionError(f"must be a string of at most {LONGEST} characters", len(text))
    return texts


def check_names(value: Any) -> list[str | None]:
    """Check a list of names, such as columns or systems."""
    names = listed(value)
    if not names or not all(isinstance(name, str | None) for name in names):
        raise OptionError("must be a list of names, as in ['a', 'b']", value)
    return names


def texts_of(module: str, parse: str, example: str) -> Kind:
    """Return the kind of strings with commas; a function of the subpackage `evaluation` parses each part."""

    def check(value: Any) -> list[Any]:
        texts = [value] if isinstance(value, str) else listed(value)
        if not texts or not all(isinstance(text, str) for text in texts):
            raise OptionError(f"must be strings such as {example}", value)
        parse_text = getattr(import_module(f".evaluation.{module}", __package__), parse)
        return [parse_text(part.strip()) for text in texts for part in text.split(",")]

    return Kind("Sequence[str] | str", check)


def check_weights(value: Any) -> dict[str, float]:
    """Check a weight of each system."""
    weights = {name: plain(weight) for name, weight in value.items()} if isinstance(value, Mapping) else {}
    if not weights or not all(is_number(weight) and weight >= 0 for weight in weights.values()):
        rule = "must be numbers of 0 or more by system, such as {'bm25': 1} (in SQL, MAP {'bm25': 1})"
        raise OptionError(rule, value)
    return {str(name): float(weight) for name, weight in weights.items()}


def read_weights(text: str) -> dict[str, Any]:
    """Read `bm25=1,vector=0.5`."""
    pairs = [part.rpartition("=") for part in text.split(",")]
    if not all(name for name, _, _ in pairs) or len({name for name, _, _ in pairs}) < len(pairs):
        raise OptionError("must be NAME=WEIGHT,NAME=WEIGHT, each name once", text)
    weights = {name: AT_LEAST_0.parse(weight) for name, _, weight in pairs}
    if not any(weights.values()):
        raise OptionError("must not all be 0", text)
    return weights


def check_directions(value: Any) -> Any:
    """Check whether higher scores are better: for all models, or for each by its name."""
    directions = value.values() if isinstance(value, Mapping) else [value]
    if not directions or not all(isinstance(direction, bool) for direction in directions):
        raise OptionError("must be True or False, or a dict of these by the names of models", value)
    return value


def check_unit(value: Any) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"[^\W\d_]+([ -][^\W\d_]+)*", value):
        raise OptionError("must be a word such as query", value)
    return value


AT_LEAST_0 = number("a number of 0 or more", lambda value: value >= 0)
ABOVE_0 = number("a number > 0", lambda value: value > 0)
SHARE = number("a number from 0 to 1", lambda value: 0 <= value <= 1)
SHARE_ABOVE_0 = number("a number above 0 and up to 1", lambda value: 0 < value <= 1)
LEVEL = number("a number above 0 and below 1", lambda value: 0 < value < 1, lambda value: value)
BOOLEAN, TEXT, UNIT = instance(bool, "true or false"), instance(str, "a string"), Kind("str", check_unit)


def by_table(kind: Kind) -> Kind:
    """Return the kind of a column that may have a name for each table, as in {'rec': 'a', 'truth': 'b'}."""

    def check(value: Any) -> Any:
        if isinstance(value, Mapping) and value and all(isinstance(name, str) for name in value):
            return {name: check_named(column) for name, column in value.items()}
        return kind.check(value)

    return replace(kind, type=f"{kind.type} | Mapping[str, str]", check=check)


COLUMN, OPTIONAL_COLUMN = Kind("str", check_named, has_null=True), Kind("str", check_column)
CUTOFFS = Kind("Cutoffs", check_cutoffs, has_null=True)
CUTOFF = Kind("Cutoffs", check_one_cutoff, has_null=True)
MEASURES = measures("SPELLINGS", "FROM ranking.functions() lists them")
MEASURES_OF_PYTHON = measures(
    "READABLE", "ranking_udfs.register(con).sql('FROM ranking.functions()') lists them"
)
NAMES = Kind("Sequence[str]", check_names, lambda text: text.split(","))
COLUMNS_OF_TABLE = Kind("Sequence[str]", read=lambda text: text.split(","))  # checked with the table
TABLE, ANY = Kind("Table"), Kind("Any")
WEIGHTS = Kind("Mapping[str, float]", check_weights, read_weights)
DIRECTIONS = Kind("bool | Mapping[str, bool]", check_directions)
ALSO = texts_of("tradeoffs", "parse_column", "'latency_ms' or 'tokens:lower'")
CODES = texts_of("problems", "parse_code", "'no_common_id'")
