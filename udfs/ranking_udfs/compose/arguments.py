"""Parse the arguments of a SQL call: check each argument with its type, and convert it to a Python value."""

import json
import math
import re
import struct
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from ..measures.grammar import SPELLINGS, Choice, parse_measures
from ..quoting import plain, sql_value
from .columns import QUERY, UNKNOWN, cut, is_number

LARGEST = 2**31 - 1  # largest INTEGER; a larger k means the whole list
NULLS = (UNKNOWN, "NULL")
# A file that looks like a query: "from bob.csv" or "(1) rec.csv".
FILE = re.compile(r"\.(csv|tsv|txt|json|ndjson|jsonl|parquet|gz|zst|db|duckdb)\s*$", re.IGNORECASE)
# Arguments that do not change the composed SQL, with the macro's CTE that holds them. They can be subqueries.
IN_MACRO = {"user": "_ranking_user"}
# Names of our CTEs: DuckDB would find the CTE instead of a table of the same name.
OWN_NAMES = {*IN_MACRO.values()} | {
    f"_ranking_{name}"
    for name in (
        *("rec", "truth", "users", "history", "items", "systems", "checked", "judged"),
        *("chosen", "scores", "predicted_scores"),
        *("has_item", "unread", "columns", "by_model", "by_people"),
        *("events", "moments"),
    )
}
LONGEST = 10_000  # limit of the characters in measures


# Arguments that a plain VARCHAR would change, as SQL. For two of them, errors need the VARCHAR, too.
TEXTS = dict.fromkeys(("measures", "lower_is_better"), "to_json({sql})::VARCHAR") | {
    name: f"to_json({{{{'shown': {{sql}}::VARCHAR, 'value': {value}}}}})::VARCHAR"
    for name, value in (
        ("systems", "TRY_CAST({sql} AS VARCHAR[])"),
        ("weights", "TRY_CAST(TRY_CAST({sql} AS MAP(VARCHAR, DOUBLE)) AS MAP(VARCHAR, VARCHAR))"),
    )
}


def as_rows(arguments: Mapping[str, str]) -> str:
    """Return SQL of a call's arguments, each with its name, type and text."""
    return ", ".join(
        f"['{name}', typeof({sql}), {TEXTS.get(name, '({sql})::VARCHAR').format(sql=sql)}]"
        for name, sql in arguments.items()
    )


class Given(NamedTuple):
    """An argument from DuckDB: its type and its text (for measures, JSON)."""

    kind: str
    text: str | None

    @property
    def shown(self) -> str:
        """Value in errors, with quotes around a string."""
        return (
            f"'{self.text}'" if self.kind == "VARCHAR" and self.text is not None else str(self.text or "NULL")
        )


def given_of(value: object) -> Given:
    """Convert a Python value to the argument that DuckDB passes for the same constant in SQL."""
    value = plain(value)
    if value is None or isinstance(value, bool):
        return Given(UNKNOWN, None) if value is None else Given("BOOLEAN", str(value).lower())
    if isinstance(value, (list, tuple)):
        if any(isinstance(item, str) for item in value):
            return Given("VARCHAR[]", json.dumps(value))
        return Given("BIGINT[]", f"[{', '.join('NULL' if item is None else str(item) for item in value)}]")
    if isinstance(value, (float, Decimal)):
        value = float(value)
        whole, point, rest = repr(value).lstrip("-").partition(".")
        kind = f"DECIMAL({len(whole + rest)},{len(rest)})" if point and "e" not in rest else "DOUBLE"
        return Given(kind, repr(value))
    return Given("BIGINT" if isinstance(value, int) else "VARCHAR", str(value))


def parse_table(name: str, argument: Given) -> str:
    """Parse the name of a table for query_table."""
    if argument.text is None or argument.kind != "VARCHAR":
        raise ValueError(f"{name} must be the name of a table, view, CTE or file, got {argument.shown}")
    if QUERY.match(argument.text) and not FILE.search(argument.text):
        raise ValueError(
            f"{name} must be the name of a table, view, CTE or file, got {cut(argument.text)}: "
            "write WITH mine AS (...) before the query, and 'mine' here"
        )
    # DuckDB also finds a CTE by `main.` and its name.
    if argument.text.lower().replace('"', "").removeprefix("main.") in OWN_NAMES:
        rule = f"{name} must be a table of another name, got {argument.text}"
        raise ValueError(f"{rule}: the SQL of this function has a CTE of that name")
    return argument.text


def parse_optional_table(name: str, argument: Given) -> str | None:
    return None if argument.text is None else parse_table(name, argument)


def parse_column(name: str, argument: Given) -> str | None:
    """Parse the name of a column; None for NULL, and "" if the column is optional and is not read."""
    is_name = argument.kind in ("VARCHAR", *NULLS) and (
        argument.text != "" or name in ("grade_col", "system_col")
    )
    if name == "system_col" and str(argument.text).lower() in ("ranking_system", "ranking_absent"):
        raise ValueError(
            f"{name} must be a column of another name (the SQL has one of this name), got {argument.text}"
        )
    if not is_name:
        raise ValueError(f"{name} must be the name of a column, got {cut(argument.text or argument.shown)}")
    return argument.text


def parse_boolean(name: str, argument: Given) -> bool:
    if argument.kind != "BOOLEAN" or argument.text is None:
        raise ValueError(f"{name} must be true or false, got {cut(argument.shown)}")
    return argument.text == "true"


def word(*words: str) -> Callable[[str, Given], str]:
    """Return a parser that accepts one of these words."""

    def parse(name: str, argument: Given) -> str:
        if argument.text not in words:
            raise ValueError(f"{name} must be {'|'.join(words)}, got {argument.shown}")
        return argument.text

    return parse


def to_float(argument: Given) -> float:
    """Convert an argument to a DOUBLE; NaN if it is not a number."""
    try:
        value = float((argument.text or "").strip())
        if argument.kind == "FLOAT":  # The text of a FLOAT has fewer digits than the same number as a DOUBLE.
            (value,) = struct.unpack("f", struct.pack("f", value))
    except ValueError:
        return math.nan
    return value


def parse_min_grade(name: str, argument: Given) -> float | None:
    if argument.text is None:
        return None
    grade = to_float(argument)
    if not 0 < grade < math.inf:
        raise ValueError(f"{name} must be a number > 0, got {argument.shown}")
    return grade


def parse_numbers(text: str) -> list[Decimal | None]:
    """Parse a number or a LIST of numbers without loss of digits."""
    items = text.strip("[]").split(",") if text.strip("[]") else []
    return [None if item.strip() == "NULL" else Decimal(item.strip()) for item in items]


def is_whole(number: Decimal) -> bool:
    return number.is_finite() and number == number.to_integral_value()


def parse_ks(name: str, argument: Given) -> list[int | None] | None:
    """Parse cutoffs: a LIST or one cutoff; None for NULL."""
    rule, kind = f"every k in {name} must be", re.sub(r"\[\d*\]$", "", argument.kind)
    if not (is_number(kind) or kind in NULLS):
        raise ValueError(f"{name} must be a list of integers, got {cut(argument.kind)}")
    if argument.text is None:
        return None
    numbers = parse_numbers(argument.text)
    if not numbers:
        raise ValueError(f"{name} must be a non-empty list of cutoffs, got {cut(argument.text)}")
    if not all(k is None or is_whole(k) for k in numbers):
        raise ValueError(f"{rule} an integer, got {cut(argument.text)}")
    ks = [None if k is None else int(k) for k in numbers]
    if lowest := min((k for k in ks if k is not None and k < 0), default=0):
        raise ValueError(f"{rule} 0 or more, got {lowest}")
    if any(k is not None and k >= 2**63 for k in ks):
        raise ValueError(f"{rule} an integer below 2^63, got {cut(argument.text)}")
    return ks


def parse_max_k(name: str, argument: Given) -> int | None:
    if not (is_number(argument.kind) or argument.kind in NULLS):
        raise ValueError(f"{name} must be an integer, got {cut(argument.kind)}")
    if argument.text is None:
        return None
    k = Decimal(argument.text)
    if not is_whole(k):
        raise ValueError(f"{name} must be an integer, got {cut(argument.text)}")
    if k < 0:
        raise ValueError(f"{name} must be 0 or more, got {cut(argument.text)}")
    return int(k)


def parse_choices(name: str, argument: Given) -> list[Choice] | None:
    """Parse measures: a string or a LIST of strings, as JSON; None for NULL."""
    if not re.fullmatch(r'(VARCHAR|"NULL"|NULL)(\[\d*\])?', argument.kind):
        raise ValueError(
            f"{name} must be names of measures, as in ['ndcg', 'recall@5'], got {cut(argument.kind)}"
        )
    value = json.loads(argument.text or "null")
    if value is None:
        return None
    text = value if isinstance(value, str) else ",".join("NULL" if item is None else item for item in value)
    if not text:
        shown = argument.text if value == [] else repr(text)
        raise ValueError(f"{name} must be one or more names of measures, got {shown}")
    if len(text) > LONGEST:
        raise ValueError(f"{name} must be a string of at most {LONGEST} characters, got {len(text)}")
    return parse_measures(text, SPELLINGS, "FROM ranking.functions() lists them")


def split_arguments(names: Sequence[str], values: Mapping[str, Any] | None = None) -> tuple[list[str], str]:
    """Return the arguments that change the SQL of a call, and the CTEs for the other arguments.

    The CTEs hold the macro's parameters, or the values in `values`.
    """
    texts = {name: sql_value(values[name]) if values else name for name in names if name in IN_MACRO}
    ctes = [f"{IN_MACRO[name]} AS (SELECT {text} AS id)" for name, text in texts.items()]
    return [name for name in names if name not in texts], f"WITH {', '.join(ctes)} " if ctes else ""


Parsers = Mapping[str, tuple[str, Callable[[str, Given], Any]]]
JUDGING: Parsers = {  # how grades become relevance
    "min_grade": ("min_grade", parse_min_grade),
    "unjudged": ("unjudged", word("miss", "skip")),
    "without_relevant": ("without_relevant", word("zero", "skip")),
}
PARSERS: Parsers = {
    # by argument: the field of a call, and the parser
    "rec": ("rec", parse_table),
    "truth": ("truth", parse_table),
    "users": ("users", parse_optional_table),
    "ks": ("ks", parse_ks),
    "max_k": ("ks", parse_max_k),
    "ties": ("ties", word("item", "trec", "expected")),
    "user_col": ("user", parse_column),
    "item_col": ("item", parse_column),
    "score_col": ("score", parse_column),
    "grade_col": ("grade", parse_column),
    "system_col": ("system", parse_column),
    "descending": ("descending", parse_boolean),
    **JUDGING,
    "divide": ("divide", word("list", "k")),
    "measures": ("choices", parse_choices),
    "usual": ("usual", lambda name, argument: argument.text and parse_measures(argument.text)),
    "is_part": ("is_part", parse_boolean),
}


def parse_fields(parsers: Parsers, arguments: Mapping[str, Given]) -> dict[str, Any]:
    """Parse all arguments of a call, and return its fields by name, without NULLs.

    Raises:
        ValueError: the first broken rule, with the value
    """
    fields = {}
    for name, argument in arguments.items():
        field, parse = parsers[name]
        value = parse(name, argument)
        if value is not None:
            fields[field] = value
    return fields


def require_ks(fields: Mapping[str, Any]) -> None:
    """Raise ValueError if a call has no cutoffs."""
    if fields.get("ks") is None:
        raise ValueError("ks must be a non-empty list of cutoffs, got NULL")


def check_predicted_users(users: str | None, without_relevant: str) -> None:
    """Raise ValueError if users are selected or skipped, since a predicted truth has all users."""
    if users is not None:
        raise ValueError(f"users must be NULL with predicted_truth, whose users are all, got {users}")
    if without_relevant == "skip":
        raise ValueError("without_relevant must be zero with predicted_truth, got skip")
