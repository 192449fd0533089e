"""Rows of any reader: the columns that are read, their types, and a row for each item of a list."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import duckdb

from ..compose.columns import is_number, nearest_columns
from ..evaluation.errors import DataError
from ..options import ARGUMENTS
from ..quoting import identifier, literal
from ..texts import nearest, shorten
from .catalogs import is_made
from .lists import (
    PLACE,
    equal_lists,
    has_empty_list,
    lists_of_ids,
    split_rows,
    unnested_rows,
    with_list,
)
from .sources import (
    IDS,
    NUMBERS,
    MissingColumnsError,
    Reader,
    Source,
    Wanted,
    column_types,
    empty_source,
    first_id_type,
    is_also,
    is_of_numbers,
    matching_columns,
    struct_literal,
    typed_rows,
)

TEXT = ("VARCHAR", "JSON")  # the types of columns that may hold numbers as text
OF_ITEMS = ("itemid", "score", "rank")


class Nested(NamedTuple):
    """A field of a column with structs, lists of structs, or maps; or the value of a list, without a name."""

    column: str
    field: str
    kind: str  # the type of the field, or of the values
    is_list: bool
    is_struct: bool = True

    @property
    def of(self) -> str:
        """The column of its list; "" for a list of values, which belongs to other lists of values."""
        return self.column if self.field else ""

    @property
    def sql(self) -> str:
        """The SQL of the field; a list has been replaced by its elements."""
        if not self.field:
            return identifier(self.column)
        if self.is_struct:
            return f"struct_extract({identifier(self.column)}, {literal(self.field)})"
        path = f"$.{identifier(self.field)}"
        return f"json_extract_string(to_json({identifier(self.column)}), {literal(path)})"


Fields = Mapping[str, Nested]  # fields by their name as a column


@dataclass(frozen=True)
class TableColumns:
    """The wanted columns of a table, under their names in the table."""

    names: Mapping[str, str]  # of the columns, by role
    types: Mapping[str, str]  # of all columns
    nested: Fields
    order: str  # see Source.order
    score: str  # the column to make from the ranks of ids without scores, or ""

    @property
    def inside(self) -> Fields:
        """The wanted columns that are fields."""
        return {name: self.nested[name] for name in self.names.values() if name in self.nested}

    @property
    def kinds(self) -> dict[str, str]:
        """The types of the columns by role."""
        fields = {name: nested.kind for name, nested in self.inside.items()}
        return {role: fields.get(name) or self.types[name] for role, name in self.names.items()}

    @property
    def listed(self) -> dict[str, Nested]:
        """The wanted columns that are in lists, by role."""
        fields = {role: self.nested[name] for role, name in self.names.items() if name in self.nested}
        return {role: entry for role, entry in fields.items() if entry.is_list}

    def without_other_lists(self, wanted: Wanted) -> "TableColumns":
        """Return the columns without optional columns that belong to another list than the items."""
        listed = self.listed
        of_items = listed["itemid"].of if "itemid" in listed else None
        optional = {*wanted.optional} & {*listed} - {*wanted.required}
        others = {role for role in optional if listed[role].of != of_items}
        return replace(self, names={role: name for role, name in self.names.items() if role not in others})

    def without_items(self) -> "TableColumns":
        """Return the columns of lists, without those of their items."""
        names = {role: name for role, name in self.names.items() if role not in OF_ITEMS}
        return replace(self, names=names, order="", score="")

    @property
    def texts(self) -> list[str]:
        """The roles of numbers whose columns may be text."""
        return [role for role, kind in self.kinds.items() if is_of_numbers(role) and kind in TEXT]


def nested_columns(of: Reader, types: Mapping[str, str]) -> dict[str, Nested]:
    """Return the fields of columns as `column.field`, and as `field` if only one list has it.

    The types of maps and of JSON do not show their keys, so only wanted keys are returned.
    """
    fields_found: dict[str, Nested] = {}
    for column, whole in types.items():
        if re.fullmatch(r"STRUCT\(.*\)(\[\])?", whole):
            depth = 1 + whole.endswith("]")
            fields = f"(SELECT unnest({identifier(column)}, max_depth := {depth}) FROM {of.rows})"
            for field, kind in column_types(of.con, fields).items():
                fields_found[f"{column}.{field}"] = Nested(column, field, kind, depth == 2)
    for name in of.wanted.columns.values():
        column, _, field = name.partition(".")
        if field and re.fullmatch(r"JSON|MAP\(.*\)", types.get(column, "")):
            fields_found[name] = Nested(column, field, "VARCHAR", False, of.function == "read_json")
    counts = Counter(entry.field for entry in fields_found.values() if entry.is_list)
    fields_found |= {
        entry.field: entry for entry in [*fields_found.values()] if entry.is_list and counts[entry.field] == 1
    }
    return {name: entry for name, entry in fields_found.items() if name not in types}


def find_columns(path: str, types: dict[str, str], wanted: Wanted, nested: Fields) -> dict[str, str]:
    """Return the names of the columns by role; MissingColumnsError for a missing or ambiguous column."""
    every = [*types, *nested]
    named = wanted.matching(every)
    names = {role: matches[0] for role, matches in named.items() if len(matches) == 1}
    ids = {names.get(role) for role in IDS}
    if missing := {role: name for role, name in wanted.required.items() if role not in names}:
        known = types | {name: entry.kind for name, entry in nested.items()}
        near = {}
        for role, name in missing.items():
            last = ("id", "_id") if name == "itemid" else (name.lower(),)
            # for example metadata.kind
            ends = [column for column in every if "." in column and column.rpartition(".")[2].lower() in last]
            alike = nearest(name.rpartition(":")[2], every)
            guesses = [*named[role], *ends, alike, *matching_columns(every, role, role, wanted.row_id)]
            if name == role or role == "time":
                others = [column for column in known if column not in ids]
                guesses += nearest_columns(ARGUMENTS.get(role, ""), others)
            near[role] = [*dict.fromkeys(filter(None, guesses))]
        hidden = {entry.column for entry in nested.values()} | {entry.field for entry in nested.values()} - {
            *types
        }
        there = shorten(", ".join(name for name in known if name not in hidden))
        columns = " and ".join(f"no column {name!r}" for name in missing.values())
        raise MissingColumnsError(path, f"{columns} (there are: {there})", near, wanted.way)
    return names


def table_source(of: Reader) -> Source:
    """Open rows; DataError if a score or grade is no number.

    A CSV or JSON file has no reliable types, so the role of a column determines its type, not a sample.
    """
    path, rows, wanted, types = of.path, of.rows, of.wanted, column_types(of.con, of.rows)
    nested = nested_columns(of, types)
    is_csv = of.function == "read_csv"
    read = replace(of, rows=f"{rows.removesuffix(')')}, all_varchar = true)") if is_csv else of
    listed, order = lists_of_ids(read, types)
    try:
        names = find_columns(path, types, wanted.without_score() if order else wanted, nested)
    except MissingColumnsError as error:
        # Items and scores may be missing because all lists are empty, and so have no type.
        kinds = types.items()
        untyped = [name for name, kind in kinds if kind.endswith("[]") or kind in ('"NULL"', "JSON")]
        if {*error.near} <= {"itemid", "score"} and has_empty_list(of, untyped):
            return empty_source(path, types)
        raise with_list(read, error, types) from None
    read = replace(read, rows=split_rows(read.rows, listed[0])) if order == "blanks" else read
    nested |= {name: Nested(name, "", types[name].removesuffix("[]"), True) for name in listed}
    columns = TableColumns(names, types, nested, order, wanted.required["score"] if order else "")
    columns = columns.without_other_lists(wanted)
    check_one_list(path, columns)
    lists = [*dict.fromkeys(entry.column for entry in columns.listed.values())]
    types |= {entry.field: entry.kind for entry in nested.values() if entry.field and entry.column in lists}
    if lists and order != "blanks" and has_empty_list(of, lists[:1]):
        return empty_source(path, types)
    types |= {name: nested[name].kind for name in listed}
    has_lists = bool(lists) and wanted.is_truth
    is_filled = has_lists and of.has_row(f"coalesce(len({identifier(lists[0])}), 0) = 0")
    source = columns_source(read, columns)
    if lists and any(map(is_also, columns.names)):
        source = replace(source, by_list=columns_source(read, columns.without_items()).rows)
    for column in (identifier(column) for column in lists if column not in listed):
        rows = f"(SELECT * EXCLUDE ({column}), unnest({column}, max_depth := 2)\nFROM {rows})"
    return replace(source, file_rows=rows, is_filled=is_filled)


def check_one_list(path: str, columns: TableColumns) -> None:
    """Raise DataError if items and numbers belong to different lists."""
    of_lists = {role: entry.of for role, entry in columns.listed.items()}
    paths = {role: name for role, name in columns.names.items() if role in ("itemid", *NUMBERS)}
    if of_lists and len({*of_lists.values()} | {of_lists.get(role) for role in paths}) > 1:
        rule = f"{' and '.join(paths)} must be of one list: name each as LIST.FIELD"
        raise DataError(f"{path}: {rule}, got {', '.join(paths.values())}")


def columns_source(of: Reader, table_columns: TableColumns) -> Source:
    """Open the columns of `table_columns` with their types, in a row for each item."""
    path, names, is_json = of.path, table_columns.names, of.function == "read_json"
    if not of.is_text:
        check_numbers(path, table_columns, is_json)
    rows = item_rows(of, table_columns)
    ids = id_types(of, rows, table_columns)
    if is_json:
        rows = json_ids(path, rows, names, table_columns.kinds)
    has_file = of.is_text and of.has_parts and "filename" not in map(str.lower, table_columns.types)
    roles = {*names} if of.is_text else {*table_columns.texts, *["time"] * is_json}
    texts = {role: name for role, name in names.items() if role in roles}
    rows = typed_rows(of.con, "filename" if has_file else literal(path), rows, texts)
    check_fields(of.con, path, rows, table_columns.inside)
    called = {**names, "score": table_columns.score} if table_columns.order else names
    columns = {role: identifier(name) for role, name in called.items()}
    if table_columns.listed and "rank" in of.wanted.optional and not is_made(path):
        columns = {"rank": PLACE, **columns}
    types = {**table_columns.types, **{names[role]: "DOUBLE" for role in table_columns.texts}}
    is_text, order = bool(of.function), table_columns.order
    return Source(path, rows, columns, ids, is_text=is_text, order=order, types=types, names=names)


def check_numbers(path: str, table_columns: TableColumns, is_json: bool) -> None:
    """Raise DataError for a column of scores or grades that is not numeric."""
    for role, kind in table_columns.kinds.items():
        is_known = is_number(kind) or kind == "VARCHAR" or (role == "rel" and kind == "BOOLEAN")
        is_open = is_json and kind in ("JSON", '"NULL"')
        if is_of_numbers(role) and not is_known and not is_open:
            raise DataError(f"{path}: {table_columns.names[role]!r} must be a number, got {shorten(kind)}")


def item_rows(of: Reader, table_columns: TableColumns) -> str:
    """Return the SQL for the rows with the columns of `table_columns`, one row for each item of a list."""
    rows, inside, lists = of.rows, table_columns.inside, dict[str, str]()
    for role, entry in sorted(table_columns.listed.items(), key=lambda pair: pair[0] != "itemid"):
        grade = struct_literal({entry.field: "0"}) if entry.field else "0"
        lists[entry.column] = grade if role == "rel" else lists.get(entry.column, "NULL")
    if of.function == "read_json":
        rows = json_rows(rows.removesuffix(")"), table_columns)
    if lists:
        rows = equal_lists(of.path, rows, [*lists])
        rows = unnested_rows(rows, lists, table_columns.score, of.wanted)
    if not any(entry.field for entry in inside.values()):
        return rows
    columns = {
        name: f"{inside[name].sql} AS " if name in inside else "" for name in table_columns.names.values()
    }
    columns |= dict.fromkeys(filter(None, (table_columns.score, PLACE) * bool(lists)), "")
    return f"(SELECT {', '.join(sql + identifier(name) for name, sql in columns.items())}\nFROM {rows})"


def id_types(of: Reader, rows: str, table_columns: TableColumns) -> dict[str, str]:
    """Return the types of userid and itemid; the first id of a CSV file determines the type of its column."""
    ids = {role: kind for role, kind in table_columns.kinds.items() if role in IDS}
    if of.is_text:
        texts = [role for role, kind in ids.items() if kind == "VARCHAR"]
        ids |= {role: first_id_type(of.con, rows, table_columns.names[role]) for role in texts}
    if of.function:
        ids = {role: "BIGINT" if kind == "BIGINT" else "VARCHAR" for role, kind in ids.items()}
    return ids


def check_fields(con: duckdb.DuckDBPyConnection, path: str, rows: str, inside: Fields) -> None:
    """Raise DataError for a field of a struct or map that is NULL in all rows."""
    for name in (name for name, entry in inside.items() if not entry.is_list):
        if not con.execute(f"SELECT 1 FROM {rows} WHERE {identifier(name)} IS NOT NULL LIMIT 1").fetchall():
            raise DataError(f"{path}: no row has {name!r}")


def json_rows(reader: str, columns: TableColumns) -> str:
    """Return the SQL for the rows of JSON, with DOUBLE numbers: DuckDB could round them to integers."""
    types, structs = dict[str, str](), dict[str, dict[str, str]]()
    for role, kind in columns.kinds.items():
        name = columns.names[role]
        entry, is_id = columns.inside.get(name), role in IDS and kind != "VARCHAR"
        of = "DOUBLE" if is_of_numbers(role) and kind not in TEXT else "JSON" if is_id else "VARCHAR"
        if entry and entry.field:
            fields = structs.setdefault(entry.column, {})
            fields[entry.field] = f"{identifier(entry.field)} {of}"
            types[entry.column] = f"STRUCT({', '.join(fields.values())}){'[]' * entry.is_list}"
        else:
            types[name] = f"{of}[]" if entry else of
    return f"{reader}, columns = {struct_literal(types)})"


def json_ids(path: str, rows: str, names: Mapping[str, str], kinds: Mapping[str, str]) -> str:
    """Return the SQL for the rows with numeric ids of JSON as strings.

    It raises an error for a number with a point or an exponent, since DuckDB reads 1.10 as 1.1. A number
    begins with a digit or a sign, which sort before the colon; a string begins with a quote.
    """
    ids = []
    for role in (name for name in IDS if kinds.get(name, "VARCHAR") != "VARCHAR"):
        column = identifier(names[role])
        written = f"{column}::VARCHAR"
        refused = f"{written} < ':' AND (contains({written}, '.') OR contains({written}, 'e'))"
        message = f"{path}: {role} must be a string or an integer, got the number "
        ids.append(
            f"CASE WHEN starts_with({written}, '\"') THEN {column} ->> '$'\n"
            f"        WHEN {refused} THEN error({literal(message)} || {written})\n"
            f"        ELSE {written} END AS {column}"
        )
    replaced = ",\n    ".join(ids)
    return f"(SELECT * REPLACE (\n    {replaced})\nFROM {rows})" if ids else rows
