"""JSON that is one object: items by user, and judgments that search engines export."""

import re
from collections.abc import Collection, Mapping
from dataclasses import replace

import duckdb

from ..evaluation.errors import DataError
from ..quoting import identifier
from ..texts import shorten, with_unit
from .rows import nested_columns, table_source
from .sources import (
    IDS,
    MissingColumnsError,
    Reader,
    Source,
    Wanted,
    column_types,
    matching_columns,
    struct_literal,
)

NO_TEXT = r" (DATE|TIME|TIMESTAMP|UUID)(?=[,)])"  # types of fields that are strings in JSON
# The names of columns in Elasticsearch's `_rank_eval` and OpenSearch's judgments, by role.
OF_EXPORTS = {"userid": ("id", "query"), "itemid": ("_id", "docId"), "rel": ("rating",)}
JSON_KINDS = {  # names of the results of json_type; all other results are numbers
    **{"OBJECT": "an object", "ARRAY": "a list", "VARCHAR": "a string", "NULL": "null"},
    **{"BOOLEAN": "true or false", "DOUBLE": "a number with a point"},
}
SHAPES = {"OBJECT": "MAP(VARCHAR, VARCHAR)", "ARRAY": "VARCHAR[]"}
KEYS = "each {unit}, and each item of {a_unit}, must be one key of its object, got one twice"
BY_USER = "{user: {item: number}} or {user: [item, ...]}"
USERS = "SELECT unnest(map_keys(users)) AS userid, unnest(map_values(users)) AS items"


def export_source(
    con: duckdb.DuckDBPyConnection, path: str, rows: str, wanted: Wanted, error: MissingColumnsError
) -> Source:
    """Open the rows with lists that are in a list of a single JSON object; other JSON raises `error`."""

    def with_lists(rows: str) -> list[tuple[str, str]]:
        types = column_types(con, rows).items()
        return [(name, kind) for name, kind in types if kind.startswith("STRUCT") and ")[]" in kind]

    is_one = con.execute(f"SELECT count(*) = 1 FROM (FROM {rows} LIMIT 2)").fetchone() == (True,)
    # DuckDB takes some ids for dates or UUIDs; keep them as they are written.
    types = {name: re.sub(NO_TEXT, " VARCHAR", kind) for name, kind in column_types(con, rows).items()}
    rows = f"{rows.removesuffix(')')}, columns = {struct_literal(types)})"
    found = with_lists(rows)
    while is_one and len(found) == 1:
        ((name, kind),) = found
        depth = 1 + kind.endswith("]")
        rows = f"(SELECT unnest({identifier(name)}, max_depth := {depth})\nFROM {rows})"
        if not (found := with_lists(rows)):
            break
        try:
            return table_source(with_names_of_exports(Reader(con, path, rows, wanted)))
        except MissingColumnsError as missing:
            error = missing
    raise error


def with_names_of_exports(of: Reader) -> Reader:
    """Return the columns with the names of exports, where our own names are wanted and missing."""
    types = column_types(of.con, of.rows)
    there = {*types, *nested_columns(of, types)}

    def named(columns: Mapping[str, str]) -> dict[str, str]:
        known = {role: OF_EXPORTS.get(role, ()) * (name == role) for role, name in columns.items()}
        return {
            role: next((other for other in (name, *known[role]) if other in there), name)
            for role, name in columns.items()
        }

    wanted = replace(of.wanted, required=named(of.wanted.required), optional=named(of.wanted.optional))
    return replace(of, wanted=wanted)


def object_source(con: duckdb.DuckDBPyConnection, path: str, reader: str, wanted: Wanted) -> Source | None:
    """Open JSON objects {user: {item: number}} or {user: [item, ...]}, as MTEB and ranx write runs and qrels.

    Returns None for rows: a key is a column, a value is no object or list, or a list has objects.
    """
    if any("." in name for name in wanted.required.values()):
        return None  # the required columns are fields of objects in rows
    rows, shapes, keys, zeros = first_object(con, reader)
    shape = shape_of_items(shapes)
    if not shape or is_row(path, keys, zeros, wanted):
        return None
    kinds = kinds_by_user(con, rows)
    if {"in ARRAY", "OBJECT"} <= {*kinds}:
        return None
    check_by_user(path, kinds, shape, wanted)
    number = number_by_user(path, shape, wanted)
    rows = rows_by_user(rows, shape, number)
    columns = {role: role for role in (*IDS, number) if role}
    wanted = replace(wanted, required=columns, optional={}, items_are_lists=False)
    return table_source(Reader(con, path, rows, wanted, "by_user"))


def shape_of_items(shapes: Collection[str]) -> str:
    """Return the shape of the items of users, OBJECT or ARRAY; "" if a user has another value."""
    shape = next((kind for kind in SHAPES if kind in shapes), "")
    return shape if {*shapes} <= {*SHAPES, "NULL"} else ""


def is_row(path: str, keys: Collection[str], zeros: int, wanted: Wanted) -> bool:
    """Return whether the keys of an object are columns of a row; DataError for an object of columns."""
    if not any(matching_columns(keys, role, wanted.required[role]) for role in IDS):
        return False
    if zeros < len(keys):  # not all columns have the index "0" that pandas writes
        return True
    rule = "write rows, as pandas' to_json(orient='records') does"
    raise DataError(f"{path}: an object of columns: {rule}")


def kinds_by_user(con: duckdb.DuckDBPyConnection, rows: str) -> dict[str, str]:
    """Return the kinds of the values of users ("in ...") and of their items, each with an example of a user.

    The kind "twice" marks a repeated key.
    """
    query = f"""SELECT kind, min(userid) FROM (
            SELECT userid, unnest(['in ' || coalesce(json_type(items), 'NULL')]
                || coalesce(json_type(items, '$.*') || json_type(items, '$[*]'), [])
                || if(n > 1 OR len(list_distinct(json_keys(items))) < len(json_keys(items)), ['twice'], [])
                ) AS kind
            FROM (SELECT *, count(*) OVER (PARTITION BY userid) AS n
                FROM ({USERS} FROM {rows}, columns = {{'users': 'MAP(VARCHAR, JSON)'}}))))
        GROUP BY kind ORDER BY kind <> 'OBJECT', kind"""
    return dict(con.execute(query).fetchall())


def check_by_user(path: str, kinds: Mapping[str, str], shape: str, wanted: Wanted) -> None:
    """Raise DataError for a repeated key, or for a value of an invalid kind."""
    fit = {f"in {shape}", "UBIGINT", "BIGINT", "NULL"}
    fit |= {"VARCHAR"} if shape == "ARRAY" else {"VARCHAR", "DOUBLE"}
    fit |= {"BOOLEAN"} if shape == "OBJECT" and not wanted.is_rec else set()
    if "twice" in kinds:  # only DuckDB 2.0 refuses to read it
        raise DataError(f"{path}: {with_unit(KEYS)}")
    for kind, user in kinds.items():
        if kind not in fit:
            got = f"{JSON_KINDS.get(kind.removeprefix('in '), 'a number')} at {shorten(repr(user))}"
            advice = ": write the object inside to a file of its own" * (kind == "OBJECT")
            raise DataError(f"{path}: must be {BY_USER}, got {got}{advice}")


def number_by_user(path: str, shape: str, wanted: Wanted) -> str:
    """Return the role of numbers, or ""; raise MissingColumnsError if other columns are required."""
    has_grades = "rel" in wanted.columns and shape == "OBJECT"
    number = "score" if wanted.is_rec else "rel" * has_grades
    if missing := {*wanted.required} - {*IDS, number}:
        problem = f"no column {wanted.required[missing.pop()]!r} in {BY_USER}"
        raise MissingColumnsError(path, problem, {}, wanted.way)
    return number


def rows_by_user(rows: str, shape: str, number: str) -> str:
    """Return the SQL for a row for each user, with the list of the user's items, and of their numbers."""
    items = "items" if shape == "ARRAY" else "map_keys(items)"
    numbers = f", map_values(items) AS {number}" if number and shape == "OBJECT" else ""
    rows = f"{USERS}\nFROM {rows}, columns = {{'users': 'MAP(VARCHAR, {SHAPES[shape]})'}})"
    return f"(SELECT userid, {items} AS itemid{numbers}\nFROM ({rows}))"


def first_object(con: duckdb.DuckDBPyConnection, reader: str) -> tuple[str, list[str], list[str], int]:
    """Return a reader of JSON values; the kinds and keys of the first value, and how many have a key "0".

    If an object is larger than DuckDB's buffers, the buffers are enlarged.
    """
    for bits in range(24, 32):
        rows = f"{reader}, records = 'false'" + f", maximum_object_size = {2**bits}" * (bits > 24)
        query = "SELECT json_type(users, '$.*'), json_keys(users), len(users -> '$.*.\"0\"')"
        try:
            row = con.execute(f"{query} FROM {rows}, columns = {{'users': 'JSON'}}) LIMIT 1").fetchone()
            return (rows, *row) if row else (rows, [], [], 0)
        except duckdb.Error as error:
            if "maximum_object_size" not in str(error):
                break
    return "", [], [], 0
