"""Calls of the functions that compare systems, with the values that their templates read."""

import json
import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from functools import cached_property
from typing import Any, ClassVar

from ..measures.contents import BY_USER
from ..measures.grammar import SPELLINGS, parse_measures
from ..measures.registry import COMPARED_MEASURES
from ..quoting import sql_value, unquoted
from .arguments import check_predicted_users
from .call import Call, alpha_of
from .columns import cut, is_number, parse_columns, row_type
from .templates import Sql, identifier, literal

# Columns of ranking.overlap_by_user. For these and beyond-accuracy measures, no direction is better.
OVERLAPS = ("overlap", "jaccard", "rbo", "same_first", "same_list")
# Aggregates over predictions for which lower values are better.
ERRORS = ("mae", "mse", "rmse", "logloss")
# Names known to a comparison: the measure (if any), its direction, and whether its values are from 0 to 1.
KNOWN: Mapping[str, tuple[str | None, bool | None, bool]] = {
    **{
        name: (measure.name, measure.higher_is_better, measure.range.is_share)
        for name, measure in SPELLINGS.items()
    },
    **{measure.name: (None, None, measure.range.high == 1) for measure in BY_USER},
    **dict.fromkeys(OVERLAPS, (None, None, True)),
    **dict.fromkeys(ERRORS, (None, False, False)),
}
# Columns of a table with a row per user that are not values.
KEYS = ("system", "ranking_system", "segment", "ranking_segment", "userid", "k", "has_truth", "has_history",
        "n_rec", "n_rec_baseline", "n_truth", "n_items")  # fmt: skip
# Names of columns for which lower values are usually better. No measure of the registry has such a name.
LOWER = (
    r"(^|[_ .-])((latenc|penalt)(y|ies)"
    "|(delay|wait|runtime|cost|price|rank|position|error|distance|regret|perplexity"
    "|complaint|refund|bounce|failure|timeout|rmse|mse|mae|mape|wer|cer)s?"
    "|churn|loss|losses|(response|load|wait|run)_?time)"
    r"([_ .-](ns|us|ms|s|sec|secs|seconds|min|minutes|eur|usd|mean|avg|median|max|total|sum|count|rate|share"
    r"|p?\d+))*$"
)


def list_names(names: Sequence[str | None]) -> str:
    """List names on one line, for an error."""
    text = re.sub(r"[\t\n\f\r ]+", " ", ", ".join("NULL" if name is None else cut(name) for name in names))
    return f"{text[:157]}..." if len(text) > 160 else text


@dataclass(frozen=True)
class Tests:
    """The options of a comparison, with the values that the templates read."""

    function: str
    baseline: str | None = None  # None for all pairs of systems, or for steps
    confidence: float | Decimal = 0.95
    margin: float | None = None
    correction: str = "holm"
    test: str = "t"
    permutations: int = 10_000
    seed: int = 0
    steps: bool = False  # whether each system is compared with the one before it
    predicted: str | None = None
    caller: str = ""  # the name of the function in errors
    is_portable: bool = False  # true for SQL that runs without the Python package

    @classmethod
    def from_arguments(cls, function: str, values: Mapping[str, Any], **facts: Any) -> Any:
        """Return the call with these checked arguments; ValueError if they do not fit together."""
        if "predicted" in values:
            check_tests(values, "predicted")
        return cls(function, **values, **facts)

    @cached_property
    def alpha(self) -> float:
        return alpha_of(self.confidence)

    @cached_property
    def baseline_in_errors(self) -> str:
        return list_names([self.baseline])

    @cached_property
    def randomizes(self) -> bool:
        return self.test == "randomization"


def check_tests(values: Mapping[str, Any], predicted: str) -> None:
    """Raise ValueError for options that exclude each other; the argument `predicted` has predicted values."""
    if values["steps"] and values["baseline"] is not None:
        raise ValueError(f"baseline must be left out with steps, got {list_names([values['baseline']])}")
    if values[predicted] is not None and values["test"] == "randomization":
        raise ValueError(f"test must be t with {predicted}, got randomization")


@dataclass(frozen=True)
class Comparison(Call, Tests):
    """A call of ranking.compare."""

    names_of_fields: ClassVar = Call.names_of_fields | {"predicted_truth": "predicted"}
    source: ClassVar = "rec"
    needs_items: ClassVar = True

    @classmethod
    def read_fields(cls, function: str, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields of a call; the measures are by default those that people compare by."""
        fields = super().read_fields(function, values)
        fields.setdefault("choices", parse_measures(",".join(COMPARED_MEASURES)))
        if values["predicted_truth"] is not None:
            check_predicted_users(values["users"], values["without_relevant"])
        check_tests(values, "predicted_truth")
        return fields

    @cached_property
    def by_predicted(self) -> Call:
        """Call with the predicted truth as truth; the types of its columns are unknown."""
        own = {field.name: getattr(self, field.name) for field in fields(Call)}
        caller = f"{self.caller} with predicted_truth as truth"
        return Call(**own | {"truth": self.predicted, "caller": caller, "types": None})

    @cached_property
    def has_own_cuts(self) -> bool:
        """True if a measure has cutoffs of its own."""
        return any(column.cuts is not None for column in self.columns)

    @cached_property
    def are_shares(self) -> bool:
        """True if all values are small enough for exact means as sums of integers alone."""
        return all(column.is_share for column in self.columns)


@dataclass(frozen=True)
class ComparisonByUser(Tests):
    """A call of ranking.compare_by_user."""

    source: ClassVar = "by_user"
    are_shares: ClassVar = False
    has_own_cuts: ClassVar = False

    by_user: str = ""
    measures: Sequence[str | None] | None = None
    lower_is_better: Any = None
    types: Mapping[str, Mapping[str, str]] | None = None  # the columns of the tables, if they are known

    def with_types(self, types: Mapping[str, Mapping[str, str]]) -> "ComparisonByUser":
        return replace(self, types=types)

    @cached_property
    def compared(self) -> list[str | None] | None:
        """The names of the columns to compare, in lower case; None for all."""
        if self.measures is None:
            return None
        return [None if name is None else name.strip(" ").lower() for name in self.measures]

    @cached_property
    def is_compared(self) -> str:
        """Condition, on its name, that a column can be compared."""
        if self.compared is None:
            return f"lower(c) NOT IN ({', '.join(map(literal, KEYS))})"
        return f"lower(c) IN ({', '.join(map(sql_value, self.compared))})"

    @cached_property
    def chosen(self) -> str:
        """SQL of the columns to compare by, or of the problem with them."""
        facts = {"measures": self.compared, "lower_is_better": self.lower_is_better}
        tables = [self.by_user, *([self.predicted] if self.predicted else [])]
        known = self.types or dict.fromkeys(tables, dict.fromkeys(self.named, "DOUBLE"))
        if self.types or self.named:
            columns = chosen_columns(*(value_columns(known[name]) for name in tables), **facts)
            rows = f"FROM query_table({literal(self.by_user)}) WHERE false"
            for column in columns if self.named else ():  # of unknown types
                if re.split("[(@]", column["measure"])[0] not in KNOWN:
                    value = f"SELECT {identifier(column['measure'])} {rows}"
                    column["is_share"] = Sql(f"typeof(({value})) = 'BOOLEAN'")
            return f"{{'problem': NULL::VARCHAR, 'measures': [{', '.join(map(struct, columns))}]}}"
        rows = ", ".join(row_type(f"query_table({literal(name)})") for name in tables)
        return f"system.main._ranking_compared_columns({literal(json.dumps(facts))}, {rows})"

    @cached_property
    def named(self) -> list[str]:
        """Columns to compare in a macro, whose tables are not known."""
        return [*dict.fromkeys(map(str, self.compared or ()))] if self.is_portable and not self.types else []


@dataclass(frozen=True)
class Gate(Tests):
    """A call of ranking.gate."""

    lower_measures: ClassVar = (
        f"({', '.join(literal(name) for name, facts in KNOWN.items() if facts[1] is False)})"
    )
    neutral_measures: ClassVar = (
        f"({', '.join(literal(name) for name, facts in KNOWN.items() if facts[1] is None)})"
    )

    comparison: str = ""


COMPARISONS = {
    "compare": Comparison,
    "compare_by_user": ComparisonByUser,
    "gate": Gate,
}


def compared_columns(facts: str, *rows: str) -> dict[str, Any]:
    """Choose the columns to compare by, from tables with these row types; return measures or a problem."""
    tables = (value_columns(parse_columns(row)) for row in rows)
    try:
        return {"problem": None, "measures": chosen_columns(*tables, **json.loads(facts))}
    except ValueError as error:
        return {"problem": str(error), "measures": None}


def chosen_columns(
    by_user: Mapping[str, str],
    predicted: Mapping[str, str] | None = None,
    *,
    measures: Sequence[str] | None,
    lower_is_better: Any,
) -> list[dict[str, Any]]:
    """Return the columns to compare by, each with its position among all comparable columns."""
    chosen = [
        known_column(name, by_user, lower_is_better)
        for name in choose_columns(by_user, measures, lower_is_better)
    ]
    for column in chosen:
        column["value_place"] = position(column["measure"], by_user, measures)
        column["predicted_place"] = None
        if predicted is not None:
            column["predicted_place"] = predicted_position(column["measure"], predicted, measures)
    return chosen


def struct(column: Mapping[str, Any]) -> str:
    """Return a column to compare by as SQL."""
    given = {name: Sql("NULL::BOOLEAN") if value is None else value for name, value in column.items()}
    values = (value if isinstance(value, Sql) else sql_value(value) for value in given.values())
    return f"{{{', '.join(f'{literal(name)}: {value}' for name, value in zip(given, values, strict=True))}}}"


def value_columns(columns: Mapping[str, str]) -> dict[str, str]:
    """Return the columns that are not keys, with their types."""
    kinds = {unquoted(name): kind for name, kind in columns.items()}
    return {name: kind for name, kind in kinds.items() if name.lower() not in KEYS}


def are_numbers(kind: str) -> bool:
    return is_number(kind) or kind == "BOOLEAN"


def lowered(names: Any) -> list[str]:
    """Return names in lower case; [] if the value is not a LIST."""
    return [str(name).strip(" ").lower() for name in names] if isinstance(names, list) else []


def choose_columns(
    columns: Mapping[str, str], measures: Sequence[str] | None, lower_is_better: Any
) -> list[str]:
    """Return the names to compare by, in lower case: as requested, the usual measures, or all numbers."""
    neutral = neutral_names(lower_is_better)
    numbers = [
        name.lower() for name, kind in columns.items() if are_numbers(kind) and name.lower() not in neutral
    ]
    usual = [name for name in COMPARED_MEASURES if name in numbers]
    chosen = list(dict.fromkeys(usual or numbers if measures is None else measures))
    if not chosen:
        raise ValueError("by_user must have a column of numbers to compare by, got none")
    names = [name.lower() for name in columns]
    is_list = isinstance(lower_is_better, list)
    if lower_is_better is not None and not (is_list and {*lowered(lower_is_better)} <= {*names}):
        shown = f"[{', '.join(map(str, lower_is_better))}]" if is_list else str(lower_is_better)
        raise ValueError(f"lower_is_better must be a list of columns of by_user, got {cut(shown)}")
    for name in chosen:
        if name not in numbers:
            raise ValueError(f"measures must {column_rule(name, columns, neutral)}")
    return chosen


def neutral_names(lower_is_better: Any) -> set[str]:
    """Return the measures without a better direction, except those in `lower_is_better`."""
    neutral = {name for name, (measure, is_high, _) in KNOWN.items() if measure and is_high is None}
    return neutral - {*lowered(lower_is_better)}


def column_rule(name: str, columns: Mapping[str, str], neutral: Container[str]) -> str:
    """Return the end of the error text for a name that is not a column of numbers."""
    if name in neutral:
        return f"say which of two systems is better, got {name}"
    for kind in (kind for column, kind in columns.items() if column.lower() == name):
        return f"name columns of numbers, got {name}, which is {cut(kind)}"
    hint = ": make it a column of by_user, by measures of ranking.by_user" * bool(
        re.search("[@(]", name or "")
    )
    return f"be names of columns of by_user ({list_names([*columns])}), got {list_names([name])}{hint}"


def known_column(name: str, columns: Mapping[str, str], lower_is_better: Any) -> dict[str, Any]:
    """Return a column as a measure, with its direction and whether its values are from 0 to 1."""
    written, kind = next(pair for pair in columns.items() if pair[0].lower() == name)
    _, is_high, is_share = KNOWN.get(re.split("[(@]", name)[0], (None, True, kind == "BOOLEAN"))
    is_high = False if name in lowered(lower_is_better) else is_high
    return {
        "measure": written,
        "higher_is_better": is_high,
        "is_share": is_share,
        "seems_lower_is_better": re.search(LOWER, name) is not None,
    }


def position(name: str, columns: Mapping[str, str], measures: Sequence[str] | None) -> int:
    """Return the position of a column among all comparable columns, from 1."""
    compared = [column.lower() for column in columns if measures is None or column.lower() in measures]
    return compared.index(name.lower()) + 1


def predicted_position(name: str, columns: Mapping[str, str], measures: Sequence[str] | None) -> int:
    if not any(column.lower() == name.lower() and are_numbers(kind) for column, kind in columns.items()):
        raise ValueError(
            "predicted must have the columns of numbers that by_user is compared by, got none called "
            f"{list_names([name.lower()])}"
        )
    return position(name, columns, measures)
