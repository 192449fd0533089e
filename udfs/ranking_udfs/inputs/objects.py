"""Convert Python objects with rankings and judgments, as retrievers return them, to Arrow tables."""

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from numbers import Integral, Number
from typing import Any

import numpy as np
import pyarrow as pa

from ..evaluation.errors import DataError
from ..options import ARGUMENTS, Values, column_of
from ..texts import shorten
from .sources import matching_columns

# Keys for ids and grades in addition to the names of columns. The first group with a match applies. The last
# group of queries applies only to a dict with a list, since `id` may be the id of an item.
KEYS = {
    "userid": ("user_id user qid queryid topic topic_id", "query question", "_id id"),
    "itemid": ("item_id item docid docno document_id passage_id pid node_id", "_id id doc document"),
    "rel": ("relevance grade",),
    "score": (),
}
# Keys for the list of a query, and for a separate list of the numbers of its ids.
OF_IDS = "ids items itemids item_ids docs docids doc_ids documents document_ids chunks chunk_ids passages"
LISTS = {
    "score": f"results retrieved retrieved_ids retrieved_docs hits ranking recommendations {OF_IDS}",
    "rel": f"relevant relevant_ids relevant_docs relevant_documents positives qrels judgments truth {OF_IDS}",
}
NUMBERS = {"score": "scores score", "rel": "grades grade rel"}
ONE, SEVERAL = "{query: {id: score}}", "{model: {query: {id: score}}}"


def kind_of(value: object) -> str:
    """Return the name of the type of a value for errors."""
    return f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("builtins.")


def is_list(value: object) -> bool:
    return isinstance(value, (Sequence, Set, np.ndarray)) and not isinstance(value, (str, bytes))


def has_columns(value: Mapping[Any, Any], columns: Values, table: str) -> bool:
    """Return whether a dict is a table: a sequence for each column."""
    ids = {column_of(columns[ARGUMENTS[role]], table, role) for role in ("userid", "itemid")}
    return ids <= {*value} and all(map(is_list, value.values()))


def level_of(value: Any) -> str:
    """Return "query" if a value of a dict is the list of a query, "model" for a model; "" if it is empty."""
    inside = value.values() if isinstance(value, Mapping) else value if is_list(value) else [value]
    first = next((entry for entry in inside if entry is not None), None)
    if first is None:
        return ""
    if isinstance(value, Mapping):
        return "model" if isinstance(first, Mapping) or is_list(first) else "query"
    return "query" if is_list(value) and not isinstance(first, Mapping) else "model"


def is_one_model(rec: Mapping[Any, Any], columns: Values) -> bool:
    """Return whether the keys of a dict are the queries of one model; raise DataError for a mixture."""
    if has_columns(rec, columns, "rec"):
        return True
    levels = {level_of(value): key for key, value in rec.items()}
    if {"query", "model"} <= {*levels}:
        got = f"the list of a query for {levels['query']!r} and a model for {levels['model']!r}"
        raise DataError(f"rec must be {ONE} for one model or {SEVERAL} for several, got {shorten(got)}")
    return bool(rec) and "model" not in levels


def as_number(text: str) -> float | str:
    """Return the number that a string is, or the string."""
    with suppress(ValueError):
        return float(text)
    return text


def keys_of_lists(names: Iterable[str], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the keys of rows with a list or a dict as their first value."""
    firsts = {name: next((row[name] for row in rows if row.get(name) is not None), 0) for name in names}
    return [name for name, value in firsts.items() if isinstance(value, Mapping) or is_list(value)]


def columns_of_rows(
    rows: Sequence[tuple[Mapping[str, Any], Mapping[str, list[Any]]]], names: Collection[str]
) -> dict[str, list[Any]]:
    """Return columns with the constants of lists, and the columns `names` with lists."""
    columns: dict[str, list[Any]] = {name: [rest.get(name) for rest, _ in rows] for name in rows[0][0]}
    for name in names:
        columns[name] = [
            inside.get(name) or [rest.get(name)] * len(next(iter(inside.values()), ()))
            for rest, inside in rows
        ]
    return columns


@dataclass
class Objects:
    """The objects of a table; after its conversion, `own` has the names of its columns by role."""

    label: str  # the name of the table in errors
    columns: Values
    number: str  # the role of the numbers of ids: "score" in rec, "rel" in truth, "" in other tables
    own: dict[str, str] = field(default_factory=dict)
    forms: dict[str, str] = field(default_factory=dict)  # the forms of lists, each with a place for errors
    is_whole: bool | None = None  # whether all numbers of ids are integers; None without numbers

    def refused(self, where: str, rule: str, got: object) -> DataError:
        return DataError(f"{self.label}{where} must be {rule}, got {shorten(got)}")

    def table(self, value: Any) -> pa.Table:
        """Return the table; raise DataError for objects of an unknown form."""
        if not isinstance(value, Mapping):
            return self.of_rows(value)
        if has_columns(value, self.columns, self.label):
            try:
                return pa.table(dict(value))
            except (pa.ArrowException, TypeError, ValueError) as error:
                raise DataError(f"{self.label}: {shorten(error)}") from None
        return self.of_lists(
            (f"[{query!r}]", {"userid": query}, entries, None) for query, entries in value.items()
        )

    def names(self, where: str, rows: Iterable[Any]) -> list[str]:
        """Return the keys of all rows; raise DataError for a row that is no dict with strings as keys."""
        keys = dict[str, None]()
        for i, row in enumerate(rows):
            if not isinstance(row, Mapping) or not all(isinstance(name, str) for name in row):
                got = f"a dict with the keys {[*row]}" if isinstance(row, Mapping) else kind_of(row)
                raise self.refused(f"{where}[{i}]", "a dict with the names of columns as keys", got)
            keys |= dict.fromkeys(row)
        return [*keys]

    def of_rows(self, rows: Sequence[Any]) -> pa.Table:
        """Return the table of dicts: one dict for each item, or one for each query with its list."""
        if not rows:
            raise DataError(f"{self.label}: no rows")
        names = self.names("", rows)
        lists = keys_of_lists(names, rows)
        user, inside = self.query_and_list(names, lists)
        if "[" in self.label and not user and not self.key(names, "userid", 2):  # may be the list of a query
            rule = "dicts with a key of queries (if it is the list of a query, write {'model': rec})"
            raise self.refused("", rule, f"the keys {', '.join(names)}")
        if not user:
            return self.arrow({name: [row.get(name) for row in rows] for name in names})
        numbers = self.list_key(lists, self.number, NUMBERS[self.number])
        whole = self.named("score") if self.number == "score" else ""  # a score of the whole list
        rest = [name for name in names if name not in (user, whole, *lists)]
        return self.of_lists(
            (
                f"[{i}][{inside!r}]",
                {name: row.get(name) for name in rest} | {"userid": row.get(user)},
                row.get(inside),
                row.get(numbers),
            )
            for i, row in enumerate(rows)
        )

    def query_and_list(self, names: Iterable[str], lists: Collection[str]) -> tuple[str, str]:
        """Return the keys of a query and of its list; "" for the query if each dict is an item."""
        if not self.number or "." in self.named("itemid"):  # LIST.FIELD, as in a data frame
            return "", ""
        inside = self.list_key(lists, "itemid", LISTS[self.number])
        return self.key([name for name in names if name not in lists], "userid") if inside else "", inside

    def of_lists(self, lists: Iterable[tuple[str, Mapping[str, Any], Any, Any]]) -> pa.Table:
        """Return the table of lists: each has a place for errors, its constants, its entries and numbers."""
        rows = [(rest, self.columns_of(where, entries, numbers)) for where, rest, entries, numbers in lists]
        if len(self.forms) > 1:
            got = " and ".join(f"{form} in {self.label}{where}" for form, where in self.forms.items())
            raise self.refused("", "lists of one form", got)
        self.own["userid"] = "userid"
        names = dict.fromkeys(chain.from_iterable(inside for _, inside in rows)) or {"itemid": None}
        if not rows or not (self.forms or self.number == "score"):
            raise DataError(f"{self.label}: no rows")
        columns = columns_of_rows(rows, names)
        self.take_from_lists(columns, names)
        if self.number == "rel" not in self.own and (grade := self.key(columns, "rel", 2)):
            pairs = zip(columns.pop(grade), columns["itemid"], strict=True)
            columns["rel"] = [[of] * len(ids) for of, ids in pairs]
            self.own["rel"] = "rel"
        return self.arrow(columns)

    def take_from_lists(self, columns: dict[str, list[Any]], names: Collection[str]) -> None:
        """Take items and numbers from the columns `names` of lists, and ignore constants of lists."""
        roles = ("itemid", self.number)
        in_list = {role: self.key(names, role, 2) if "dicts" in self.forms else role for role in roles}
        for role, name in in_list.items():
            if name in names:
                columns[role], self.own[role] = columns.pop(name), role
        if "itemid" not in self.own:
            rule = "lists of dicts with the key of an item (item_col)"
            raise self.refused("", rule, f"the keys {sorted(names)}")

    def columns_of(self, where: str, value: Any, numbers: Any) -> dict[str, list[Any]]:
        """Return the columns of a list of ids with or without numbers, or of dicts."""
        entries = self.entries(where, value)
        if not entries:
            return {}
        kinds = {type(entry) for entry in entries if entry is not None}
        are_dicts = any(issubclass(kind, Mapping) for kind in kinds)
        are_pairs = any(issubclass(kind, (tuple, list)) for kind in kinds)
        if (are_dicts or are_pairs) and numbers is not None:
            raise self.refused(where, "ids only, next to the list of their numbers", repr(value))
        if are_dicts:
            self.forms.setdefault("dicts", where)
            names = self.names(where, entries)
            return {name: [entry.get(name) for entry in entries] for name in names}
        if are_pairs:
            entries, numbers = self.split_pairs(where, entries)
        if numbers is None:
            self.forms.setdefault("ids alone", where)
            return {"itemid": entries}
        self.forms.setdefault("ids with numbers", where)
        return {"itemid": entries, self.number: self.numbers_of(where, entries, numbers)}

    def entries(self, where: str, value: Any) -> list[Any]:
        """Return the entries of a list or the pairs of a dict; raise DataError for other types.

        A set has no order, so it cannot be a ranking.
        """
        if not isinstance(value, Mapping) and not is_list(value) and value is not None:
            raise self.refused(where, "a list or a dict", kind_of(value))
        if isinstance(value, Set) and self.number == "score":
            raise self.refused(where, "in order", kind_of(value))
        return [] if value is None else [*(value.items() if isinstance(value, Mapping) else value)]

    def split_pairs(self, where: str, entries: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Return the ids and the numbers of pairs; raise DataError for an entry that is no pair."""
        for i, entry in enumerate(entries):
            if not isinstance(entry, (tuple, list)) or len(entry) != 2:
                raise self.refused(f"{where}[{i}]", "a pair (id, number) like others", repr(entry))
        ids, numbers = map(list, zip(*entries, strict=True))
        return ids, numbers

    def numbers_of(self, where: str, ids: Sequence[Any], value: Any) -> list[Any]:
        """Return the numbers of ids; raise DataError for a value that is no number, or another length."""
        numbers = [*value] if is_list(value) else [value]
        if len(numbers) != len(ids):
            got = f"{len(ids)} and {len(numbers)}"
            raise self.refused(where, "as long as the list of its numbers", got)
        numbers = [as_number(number) if isinstance(number, str) else number for number in numbers]
        if not all(issubclass(kind, (Number, type(None))) for kind in {*map(type, numbers)}):
            pairs = zip(ids, numbers, strict=True)
            item, wrong = next(pair for pair in pairs if not isinstance(pair[1], (Number, type(None))))
            raise self.refused(f"{where}[{item!r}]", "a number", repr(wrong))
        are_whole = all(number is None or number == number // 1 for number in numbers)
        self.is_whole = are_whole and self.is_whole is not False
        return numbers

    def named(self, role: str) -> str:
        """Return the user's name for the column of a role, by default the role; "" for none."""
        return column_of(self.columns.get(ARGUMENTS[role]), self.label, role)

    def known(self, names: Iterable[str], role: str) -> list[str]:
        """Return the keys that a data frame would have as the column of a role."""
        named = self.named(role)
        if named in names or named != role:
            return [named] if named in names else []
        return matching_columns(names, role, role)

    def key(self, names: Collection[str], role: str, groups: int | None = None) -> str:
        """Return the key of a role; "" if there is none. Raise DataError if there are several candidates."""
        known = self.known(names, role)
        if known or self.named(role) != role:
            return known[0] if len(known) == 1 else ""
        for group in KEYS[role][:groups]:
            if match := self.only(names, role, group):
                return match
        return ""

    def list_key(self, lists: Collection[str], role: str, words: str) -> str:
        """Return the key of the list of a query: the user's name, or one of these names."""
        named = self.named(role)
        return named if named in lists else self.only(lists, role, words)

    def only(self, names: Iterable[str], role: str, words: str) -> str:
        matches = [name for name in names if name.lower() in words.split()]
        if len(matches) > 1:
            rule = f"name one of {shorten(' and '.join(map(repr, matches)))} with {ARGUMENTS[role]}"
            raise DataError(f"{self.label}: several keys may be {role}: {rule}")
        return matches[0] if matches else ""

    def ids(self, name: str, values: Sequence[Any]) -> None:
        """Raise DataError unless all ids are strings or all ids are integers."""
        are_lists = name in self.own.values() and isinstance(values[0], list)
        each = chain.from_iterable(values) if are_lists else values
        kinds = {type(value): repr(value) for value in each if value is not None}
        is_integer = all(issubclass(kind, Integral) and not issubclass(kind, bool) for kind in kinds)
        if not is_integer and not all(issubclass(kind, str) for kind in kinds):
            raise self.refused(f": {name}", "all strings or all integers", " and ".join(kinds.values()))

    def arrow(self, columns: dict[str, list[Any]]) -> pa.Table:
        """Return the table of columns; keys that a data frame could not have get our names.

        A column with mixed types is excluded if it is not read.
        """
        for role in [role for role in ("itemid", "userid", "rel") if self.number and role not in self.own]:
            name = "" if role == "rel" != self.number else self.key(columns, role, 2)
            if name and not self.known(columns, role):
                columns[role], self.own[role] = columns.pop(name), role
        ids = {self.own.get(role) or "".join(self.known(columns, role)[:1]) for role in ("userid", "itemid")}
        for name in ids & {*columns}:
            self.ids(name, columns[name])
        arrays, wanted = {}, {*ids, *self.own.values(), *map(self.named, ARGUMENTS)}
        for name, values in columns.items():
            try:
                arrays[name] = pa.array(values)
            except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
                if name in wanted:
                    raise DataError(f"{self.label}: {name}: {shorten(error)}") from None
        return pa.table(arrays)
