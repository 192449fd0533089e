"""Lists of ids and of their numbers: a row for each id."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from ..compose.columns import is_number, nearest_column
from ..evaluation.errors import DataError
from ..quoting import identifier, literal
from ..texts import shorten
from .catalogs import is_made
from .sources import IDS, NUMBERS, MissingColumnsError, Reader, Wanted, is_also

PLACE = "ranking_place"  # the column with the rank of an item in its list
BLANKS = r"\S\s+\S"  # matches a string with several ids


def lists_of_ids(of: Reader, types: Mapping[str, str]) -> tuple[list[str], str]:
    """Return the columns with lists of ids, of their numbers and of other values, and Source.order.

    If there is a single number for a list, the list is one item, such as an ARRAY. A string is a list if it
    has blanks and there are no scores.
    """
    named = of.wanted.matching(types)
    if not {*IDS} <= {*named} or of.wanted.items_are_lists or len(named["itemid"]) != 1:
        return [], ""
    (item,), numbers = named["itemid"], [*chain(*(named.get(role, ()) for role in NUMBERS))]
    is_ranked = of.wanted.is_rec and not numbers
    if is_ranked and has_score(of.path, types, item):
        return [], ""
    if is_id_list(types[item]) and all(map(is_number_list, map(types.__getitem__, numbers))):
        others = chain(*(columns for role, columns in named.items() if role not in (*IDS, *NUMBERS)))
        lists = [column for column in others if types[column].endswith("[]")]
        return [item, *numbers, *lists], "list" * is_ranked
    if is_ranked and of.is_text and has_blanks(of, item):
        return [item], "blanks"
    return [], ""


def has_score(path: str, types: Mapping[str, str], item: str) -> bool:
    """Return whether a column may be the score, which the user must name; DataError for nested lists.

    The numbers of a whole list in Python are no scores.
    """
    may_be = (column for column, kind in types.items() if not is_made(path) or kind.endswith("[]"))
    if nearest_column("score_col", {*may_be} - {item}):
        return True
    if types[item].endswith("][]"):
        rule = "must be a list of ids, or of objects with an id and a score"
        raise DataError(f"{path}: {item!r} {rule}, got {shorten(types[item])}")
    return False


def is_number_list(kind: str) -> bool:
    of = kind.removesuffix("[]")
    return of != kind and (of in ("VARCHAR", "BOOLEAN") or is_number(of))


def is_id_list(kind: str) -> bool:
    return bool(re.fullmatch(r"(?!STRUCT|MAP|UNION)(.*[^]])\[\]", kind, re.DOTALL))


def has_blanks(of: Reader, item: str) -> bool:
    """Return whether a VARCHAR column has values with several ids and blanks between them."""
    text, problem = identifier(item), literal(r"^\s*[\[({]|[,;|]\s")
    query = f"""SELECT coalesce(bool_or(regexp_matches({text}, {literal(BLANKS)})), false),
            min({text}) FILTER (regexp_matches({text}, {problem})) FROM {of.rows}"""
    ((is_list, other),) = of.con.execute(query).fetchall()
    if is_list and other is not None:
        rule = f"{item} must be ids with nothing but blanks between them, or a list of JSON or Parquet"
        raise DataError(f"{of.path}: {rule}, got {shorten(repr(other))}")
    return bool(is_list)


def with_list(of: Reader, error: MissingColumnsError, types: Mapping[str, str]) -> MissingColumnsError:
    """Add the only column with lists of ids to an error for missing items; lists need no scores."""
    lists = [name for name, kind in types.items() if is_id_list(kind)]
    if of.is_text and types.get(text := next(iter(error.near.get("score", ())), "")) == "VARCHAR":
        lists = [text] * of.has_row(f"regexp_matches({identifier(text)}, {literal(BLANKS)})")
    if not of.wanted.trec_fields or "itemid" not in error.near or len(lists) != 1:
        return error
    near = {**error.near, "itemid": lists}
    if near.get("score") in ([], lists):
        del near["score"]
    problem = error.problem
    if "score" not in near and of.wanted.is_rec:
        problem = problem.replace(f" and no column {of.wanted.required['score']!r}", "")
    return MissingColumnsError(error.path, problem, near, error.way)


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
    if wanted.is_truth:
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
    first, *counts = [f"coalesce(len({identifier(name)}), 0)" for name in listed]
    problems = "".join(
        f"WHEN {first} <> {count} THEN error({message} || {first} || ' and ' || {count})\n    "
        for name, count in zip(listed[1:], counts, strict=True)
        for message in [literal(f"{path}: {listed[0]} and {name} must be lists of the same length, got ")]
    )
    ids = identifier(listed[0])
    return f"(SELECT * REPLACE (CASE {problems}ELSE {ids} END AS {ids})\nFROM {rows})"


def has_empty_list(of: Reader, lists: Iterable[str]) -> bool:
    """Return whether recommendations have rows, and one of these columns has only empty lists."""
    required = {role for role in of.wanted.required if not is_also(role)}
    columns = [identifier(column) for column in lists] if required == {"userid", "itemid", "score"} else []
    full = "coalesce(len(TRY_CAST({0} AS JSON[])), ({0} IS NOT NULL)::INTEGER) > 0"
    return not all(of.has_row(full.format(column)) for column in columns) and of.has_row("true")
