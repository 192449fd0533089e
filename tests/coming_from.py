"""Calls of other libraries as they write them, what gives the same here, and the number.

The rows are those of coming_from.toml. sql/migrating.md shows them, and tests/test_coming_from.py runs them.
The value is what the library gave in this version, or what its own tests say. The tests compute it again with
those that have a function here.
"""

import importlib
import importlib.util
import math
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

# Tables of ours, by name: user, then items with scores, or with grades.
REC = {
    "rec": {"u": {"a": 5, "x": 4, "b": 3, "y": 2, "c": 1}, "v": {"x": 2, "a": 1}},
    # As rec, with the other items of truth below: for libraries that know only the items of a list.
    "every_item": {"u": {"a": 6, "x": 5, "b": 4, "y": 3, "c": 2, "z": 1}, "v": {"x": 3, "a": 2, "b": 1}},
    "six": {"q": {"a": 6, "b": 5, "c": 4, "d": 3, "e": 2, "f": 1}},
    "four": {"q": {"a": 4, "b": 3, "c": 2, "d": 1}},
    "two": {"p": {"a": 4, "b": 3, "c": 2, "d": 1}, "q": {"a": 2, "b": 1}},
}
TRUTH = {
    "truth": {"u": {"a": 1, "b": 3, "c": 2, "z": 1, "y": 0}, "v": {"a": 1, "b": 2}},
    "liked": {"u": {"a": 1, "b": 1, "c": 1, "z": 1}, "v": {"a": 1, "b": 1}},
    "six_graded": {"q": {"a": 3, "b": 2, "c": 3, "d": 0, "e": 1, "f": 2}},
    "four_graded": {"q": {"a": 3, "b": 2, "c": 0, "d": 1}},
    "one_liked": {"p": {"a": 0, "b": 1, "c": 1, "d": 1}, "q": {"a": 0, "b": 0}},
}


class Row(NamedTuple):
    theirs: str
    ours: str
    value: float
    note: str = ""
    truth: str = ""

    @property
    def differs(self) -> bool:
        """Whether ours is only the nearest."""
        return self.note.startswith("differs")


class Library(NamedTuple):
    name: str
    version: str
    tables: tuple[str, str]
    rows: list[Row]
    note: str = ""

    def tables_of(self, row: Row) -> tuple[str, str]:
        """Return the tables rec and truth of a row."""
        return self.tables[0], row.truth or self.tables[1]

    def mean(self, row: Row) -> float:
        """Return the value that the library gives for a row."""
        rec, truth = self.tables_of(row)
        values = COMPUTE[self.name][1](row.theirs, REC[rec], TRUTH[truth])
        average = math.fsum(values.values()) / len(values)
        return math.exp(average) if row.theirs.startswith("-m gm_") else average


# --- Functions that compute a call for each user ---

Table = Mapping[str, Mapping[str, int]]


def run_of(rec: Table) -> dict[str, dict[str, float]]:
    return {user: {item: float(score) for item, score in items.items()} for user, items in rec.items()}


def names_of(module: str) -> dict[str, Any]:
    return vars(importlib.import_module(module))


def trec_eval(call: str, rec: Table, truth: Table) -> dict[str, float]:
    evaluator = names_of("pytrec_eval")["RelevanceEvaluator"](truth, {call.removeprefix("-m ")})
    return {user: next(iter(values.values())) for user, values in evaluator.evaluate(run_of(rec)).items()}


def ir_measures(call: str, rec: Table, truth: Table) -> dict[str, float]:
    library = names_of("ir_measures")
    number = {user: str(n) for n, user in enumerate(rec, start=1)}  # gdeval wants numbers
    given = ({number[user]: items for user, items in table.items()} for table in (truth, run_of(rec)))
    values = library["iter_calc"]([library["parse_measure"](call)], *given)
    return {value.query_id: float(value.value) for value in values}


def sklearn(call: str, rec: Table, truth: Table) -> dict[str, float]:
    values = {}
    for user, items in rec.items():
        grades, scores = [truth[user].get(item, 0) for item in items], [*items.values()]
        given = {"grades": grades, "scores": scores, "relevant": [int(grade > 0) for grade in grades]}
        values[user] = float(eval(call, names_of("sklearn.metrics") | given))
    return values


# By library: its module, and what computes a call.
COMPUTE: dict[str, tuple[str, Callable[[str, Table, Table], dict[str, float]]]] = {
    "trec_eval": ("pytrec_eval", trec_eval),
    "ir_measures": ("ir_measures", ir_measures),
    "scikit-learn": ("sklearn", sklearn),
}


RECORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
LIBRARIES = [
    Library(name, rows=[Row(*row) for row in record.pop("rows")], **record)
    for name, record in RECORDS.items()
]


def installed(library: Library) -> bool:
    return library.name in COMPUTE and importlib.util.find_spec(COMPUTE[library.name][0]) is not None
