"""Lists of ids and of their numbers: a row for each id."""

import re
from collections.abc import Iterable, Mapping, Sequence

import duckdb

from ..compose.columns import is_number, nearest_column
from ..evaluation.errors import DataError
from ..quoting import identifier, literal
from ..texts import shorten
from .sources import NUMBERS, MissingColumnsError, Wanted, is_also, matching_columns

ALL_TEXT = ("read_csv", "lines", "by_user")  # the readers that return all columns as VARCHAR
PLACE = "ranking_place"  # the column with the rank of an item in its list
BLANKS = r"\S\s+\S"  # matches a string with several ids


def lists_of_ids(
    con: duckdb.DuckDBPyConnection,
    path: str,
    rows: str,
    types: Mapping[str, str],
    wanted: Wanted,
    function: str,
) -> tuple[list[str], str]:
    """Return the column with lists of ids, the columns with lists of their numbers, and Source.order.

    If there is a single number for a list, the list is one item, such as an ARRAY. A string is a list if it
    has blanks and there are no scores.
    """
    item, numbers = item_and_numbers(types, wanted)
    is_ranked = wanted.is_rec and not numbers
    if not item or (
        is_ranked and nearest_column("score_col", [column for column in types if column != item])
    ):
        return [], ""  # the user must name a column that may be a score
    if is_ranked:
        check_elements(path, item, types[item])
    if is_id_list(types[item]) and all(is_number_list(types[column]) for column in numbers):
        return [item, *numbers], "list" * is_ranked
    if is_ranked and function in ALL_TEXT and has_blanks(con, path, rows, item):
        return [item], "blanks"
    return [], ""


def item_and_numbers(types: Mapping[str, str], wanted: Wanted) -> tuple[str, list[str]]:
    """Return the column of items that may have lists, or "", and the columns of their numbers."""
    by_name = {name.lower(): name for name in types}
    named = {role: matching_columns(by_name, role, name, "") for role, name in wanted.columns.items()}
    if not wanted.trec_fields or wanted.items_are_lists or len(named["itemid"]) != 1:
        return "", []
    return by_name[named["itemid"][0]], [
        by_name[column] for role in NUMBERS for column in named.get(role, [])
    ]


def check_elements(path: str, item: str, kind: str) -> None:
    """Raise DataError for nested lists in a column of items."""
    if kind.endswith("][]"):
        rule = "must be a list of ids, or of objects with an id and a score"
        raise DataError(f"{path}: {item!r} {rule}, got {shorten(kind)}")


def is_number_list(kind: str) -> bool:
    return kind == "VARCHAR[]" or (kind.endswith("[]") and is_number(kind.removesuffix("[]")))


def is_id_list(kind: str) -> bool:
    return bool(re.fullmatch(r"(?!STRUCT|MAP|UNION)(.*[^]])\[\]", kind, re.DOTALL))


def has_blanks(con: duckdb.DuckDBPyConnection, path: str, rows: str, item: str) -> bool:
    """Return whether a VARCHAR column has values with several ids and blanks between them."""
    text, problem = identifier(item), literal(r"^\s*[\[({]|[,;|]\s")
    query = f"""SELECT coalesce(bool_or(regexp_matches({text}, {literal(BLANKS)})), false),
            min({text}) FILTER (regexp_matches({text}, {problem})) FROM {rows}"""
    ((is_list, other),) = con.execute(query).fetchall()
    if is_list and other is not None:
        rule = f"{item} must be ids with nothing but blanks between them, or a list of JSON or Parquet"
        raise DataError(f"{path}: {rule}, got {shorten(repr(other))}")
    return bool(is_list)


def with_list(
    con: duckdb.DuckDBPyConnection,
    error: MissingColumnsError,
    rows: str,
    types: Mapping[str, str],
    wanted: Wanted,
    function: str,
) -> MissingColumnsError:
    """Add the only column with lists of ids to an error for missing items; lists need no scores."""
    lists = [name for name, kind in types.items() if is_id_list(kind)]
    if function in ALL_TEXT and types.get(text := next(iter(error.near.get("score", ())), "")) == "VARCHAR":
        blanks = f"SELECT 1 FROM {rows} WHERE regexp_matches({identifier(text)}, {literal(BLANKS)}) LIMIT 1"
        lists = [text] * len(con.execute(blanks).fetchall())
    if not wanted.trec_fields or "itemid" not in error.near or len(lists) != 1:
        return error
    near = {**error.near, "itemid": lists}
    if near.get("score") in ([], lists):
        del near["score"]
    problem = error.problem
    if "score" not in near and wanted.is_rec:
        problem = problem.replace(f" and no column {wanted.required['score']!r}", "")
    return MissingColumnsError(error.path, problem, near, error.is_command)


def split_rows(rows: str, item: str) -> str:
    """Return the SQL for the rows with the ids of a string, split at blanks, as a list."""
    column = identifier(item)
    return f"(SELECT * REPLACE (regexp_extract_all({column}, '\\S+') AS {column})\nFROM {rows})"


def unnested_rows(rows: str, lists: Mapping[str, str], score: str, wanted: Wanted) -> str:
    """Return the SQL for a row for each entry of lists in parallel, with its rank, also as a score.

    An empty list of truth becomes a row without an item, to keep the user, who has no relevant item. `lists`
    has the SQL of that entry, by column.
    """
    columns = {identifier(name): empty for name, empty in lists.items()}
    if not wanted.is_rec:
        filled = (
            f"CASE WHEN len({column}) > 0 THEN {column}\n"
            f"    ELSE cast_to_type([{empty}], {column}) END AS {column}"
            for column, empty in columns.items()
        )
        rows = f"(SELECT * REPLACE (\n    {', '.join(filled)})\nFROM {rows})"
    unnested = ", ".join(f"unnest({column}) AS {column}" for column in columns)
    rank = f"generate_subscripts({next(iter(columns))}, 1)"
    ranks = f", {rank} AS {PLACE}" + (f", -{rank} AS {identifier(score)}" if score else "")
    return f"(SELECT * REPLACE ({unnested}){ranks}\nFROM {rows})"


def equal_lists(path: str, rows: str, listed: Sequence[str]) -> str:
    """Return the SQL for the rows; it raises an error if lists of ids and of numbers differ in length."""
    if len(listed) < 2:
        return rows
    ids = identifier(listed[0])
    counts = [f"coalesce(len({identifier(name)}), 0)" for name in listed]
    message = literal(f"{path}: {' and '.join(listed)} must be lists of the same length, got ")
    problem = (
        f"CASE WHEN {' <> '.join(counts)} THEN error({message} || {counts[0]} || ' and ' || {counts[1]})"
    )
    return f"(SELECT * REPLACE ({problem}\n    ELSE {ids} END AS {ids})\nFROM {rows})"


def has_empty_list(con: duckdb.DuckDBPyConnection, rows: str, lists: Iterable[str], wanted: Wanted) -> bool:
    """Return whether recommendations have rows, and one of these columns has only empty lists."""

    def is_any(condition: str) -> bool:
        return bool(con.execute(f"SELECT 1 FROM {rows} WHERE {condition} LIMIT 1").fetchall())

    required = {role for role in wanted.required if not is_also(role)}
    columns = [identifier(column) for column in lists] if required == {"userid", "itemid", "score"} else []
    full = "coalesce(len(TRY_CAST({0} AS JSON[])), ({0} IS NOT NULL)::INTEGER) > 0"
    return not all(is_any(full.format(column)) for column in columns) and is_any("true")
