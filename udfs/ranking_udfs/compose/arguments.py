"""Convert the arguments of a SQL call to values of Python, and check them by the table of options."""

import json
import re
import struct
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from ..kinds import TABLE, Typed, shown_in_sql
from ..options import FUNCTIONS, check, check_keywords
from ..quoting import Double, sql_value
from .columns import INTEGER, QUERY, cut, is_integer

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

# Arguments that a plain VARCHAR would change; they are passed as JSON.
TEXTS = ("measures", "lower_is_better", "systems", "weights")


def as_rows(arguments: Mapping[str, str]) -> str:
    """Return SQL of a call's arguments, each with its name, type and text."""
    return ", ".join(
        f"['{name}', typeof({sql}), {f'to_json({sql})' if name in TEXTS else f'({sql})'}::VARCHAR]"
        for name, sql in arguments.items()
    )


def value_of(name: str, kind: str, text: str | None) -> Any:
    """Convert an argument from DuckDB, its type and its text (for some, JSON), to a value of Python."""
    if text is None:
        return None
    if name in TEXTS:
        value = json.loads(text, parse_float=Decimal)
        is_systems = name == "systems" and isinstance(value, list)
        return [None if item is None else str(item) for item in value] if is_systems else value
    if kind == "BOOLEAN":
        return text == "true"
    if kind == "VARCHAR" or kind.startswith("ENUM"):
        return text
    parts = re.fullmatch(rf"({INTEGER}|FLOAT|DOUBLE|DECIMAL\(.*\)|\"?NULL\"?)(\[\d*\])?", kind)
    if parts is None:
        return Typed(kind, text)
    numbers = [number_of(parts[1], item.strip()) for item in text.strip("[]").split(",") if item.strip()]
    return numbers if kind.endswith("]") else numbers[0]


def number_of(kind: str, text: str) -> int | float | Decimal | None:
    """Convert the text of a number of this type, or NULL, without loss of digits."""
    if text == "NULL":
        return None
    if kind == "FLOAT":  # its text has fewer digits than the same number as a DOUBLE
        return float(struct.unpack("f", struct.pack("f", float(text)))[0])
    if kind == "DOUBLE":
        return float(text)
    return int(text) if is_integer(kind) else Decimal(text)


def check_table(name: str, table: Any) -> None:
    """Raise ValueError if the name of a table does not fit query_table."""
    if not isinstance(table, str):
        rule = f"{name} must be the name of a table, view, CTE or file"
        raise ValueError(f"{rule}, got {shown_in_sql(table)}")
    if QUERY.match(table) and not FILE.search(table):
        raise ValueError(
            f"{name} must be the name of a table, view, CTE or file, got {cut(table)}: "
            "write WITH mine AS (...) before the query, and 'mine' here"
            + """; in dbt, '{{ ref("rec").render() }}'"""
            * table.lstrip().startswith("(select")
        )
    # DuckDB also finds a CTE by `main.` and its name.
    if table.lower().replace('"', "").removeprefix("main.") in OWN_NAMES:
        rule = f"{name} must be a table of another name, got {table}"
        raise ValueError(f"{rule}: the SQL of this function has a CTE of that name")


def checked(function: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return all arguments of a table function, checked and converted; ValueError for a broken rule."""
    check_keywords(function, given, FUNCTIONS[function])
    options = {name: option for name, option in FUNCTIONS[function].items() if name not in IN_MACRO}
    values = check(options, given, shown_in_sql)
    for name, option in options.items():
        if option.kind is TABLE and values[name] is not None:
            check_table(name, values[name])
    return {name: Double(value) if isinstance(value, float) else value for name, value in values.items()}


def split_arguments(names: Sequence[str], values: Mapping[str, Any] | None = None) -> tuple[list[str], str]:
    """Return the arguments that change the SQL of a call, and the CTEs for the other arguments.

    The CTEs hold the macro's parameters, or the values in `values`.
    """
    texts = {name: sql_value(values[name]) if values else name for name in names if name in IN_MACRO}
    ctes = [f"{IN_MACRO[name]} AS (SELECT {text} AS id)" for name, text in texts.items()]
    return [name for name in names if name not in texts], f"WITH {', '.join(ctes)} " if ctes else ""


def check_predicted_users(users: str | None, without_relevant: str) -> None:
    """Raise ValueError if users are selected or skipped, since a predicted truth has all users."""
    if users is not None:
        raise ValueError(f"users must be NULL with predicted_truth, whose users are all, got {users}")
    if without_relevant == "skip":
        raise ValueError("without_relevant must be zero with predicted_truth, got skip")
