"""Calls of other libraries as they write them, what gives the same here, and the number.

The rows are those of coming_from.txt; sql/README.md has them, and tests/test_coming_from.py runs them.
`value` is what the library gave in this version, or what its own tests say. The tests compute it again with
those libraries of which a function here does and that are installed.
"""

import importlib
import importlib.util
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

# Tables of ours, by name: user, then items with scores, or with grades.
REC = {
    "rec": {"u": {"a": 5, "x": 4, "b": 3, "y": 2, "c": 1}, "v": {"x": 2, "a": 1}},
    # The same and below it what of truth is not listed: for libraries that know of the items of a list alone.
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
    """A call of theirs; ours, a measure or a query; their value; what to know of it."""

    theirs: str
    ours: str
    value: float
    note: str = ""
    truth: str = ""  # where it is not that of the library

    @property
    def differs(self) -> bool:
        """Whether ours is only the nearest."""
        return self.note.startswith("differs")


class Library(NamedTuple):
    """A library and its version; which tables it is given; what to know; its rows."""

    name: str
    version: str
    rec: str
    truth: str
    note: str
    rows: list[Row]

    def mean(self, call: str) -> float:
        """What the library makes of a call."""
        values = COMPUTE[self.name][1](call, REC[self.rec], TRUTH[self.truth])
        average = math.fsum(values.values()) / len(values)
        return math.exp(average) if call.startswith("-m gm_") else average


# --- Calls, by user: of items with scores, best first, and with grades ---

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
    found = library["iter_calc"]([library["parse_measure"](call)], *given)
    return {one.query_id: float(one.value) for one in found}


def ranx(call: str, rec: Table, truth: Table) -> dict[str, float]:
    library = names_of("ranx")
    held = library["Run"](run_of(rec))
    library["evaluate"](library["Qrels"](truth), held, call, make_comparable=True)
    return {user: float(value) for user, value in held.scores[call].items()}


def rectools(call: str, rec: Table, truth: Table) -> dict[str, float]:
    """Its interactions are all relevant, so those of grade 0 are none."""
    frame = importlib.import_module("pandas").DataFrame
    ranked = [(u, item, rank) for u, items in rec.items() for rank, item in enumerate(items, start=1)]
    liked = [(u, item, 1) for u, grades in truth.items() for item, grade in grades.items() if grade > 0]
    reco = frame(ranked, columns=["user_id", "item_id", "rank"])
    interactions = frame(liked, columns=["user_id", "item_id", "weight"])
    found = eval(call, names_of("rectools.metrics")).calc_per_user(reco, interactions)
    return {user: float(value) for user, value in found.items()}


def spark(call: str, rec: Table, truth: Table) -> dict[str, float]:
    session = importlib.import_module("pyspark.sql").SparkSession.builder.master("local[1]").getOrCreate()
    pairs = [([*items], [*truth[user]]) for user, items in rec.items()]
    metrics = names_of("pyspark.mllib.evaluation")["RankingMetrics"](session.sparkContext.parallelize(pairs))
    return {"all": float(eval(f"metrics.{call}", {"metrics": metrics}))}


def sklearn(call: str, rec: Table, truth: Table) -> dict[str, float]:
    values = {}
    for user, items in rec.items():
        grades, scores = [truth[user].get(item, 0) for item in items], [*items.values()]
        given = {"grades": grades, "scores": scores, "relevant": [int(grade > 0) for grade in grades]}
        values[user] = float(eval(call, names_of("sklearn.metrics") | given))
    return values


# By library: its module, and what computes a call.
COMPUTE: dict[str, tuple[str, Callable[[str, Table, Table], dict[str, float]]]] = {
    **{"trec_eval": ("pytrec_eval", trec_eval), "ir_measures": ("ir_measures", ir_measures)},
    **{"ranx": ("ranx", ranx), "RecTools": ("rectools", rectools)},
    **{"Spark": ("pyspark", spark), "scikit-learn": ("sklearn", sklearn)},
}


def read_library(block: str) -> Library:
    head, *rows = (line.split(" | ") for line in block.replace("\n    ", " ").splitlines())
    found = [Row(theirs, ours, float(value), *more) for theirs, ours, value, *more in rows]
    name, version, rec, truth, *note = head
    return Library(name, version, rec, truth, "".join(note), found)


TABLE = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
LIBRARIES = [read_library(block) for block in TABLE.strip().split("\n\n")[1:]]


def installed(library: Library) -> bool:
    return library.name in COMPUTE and importlib.util.find_spec(COMPUTE[library.name][0]) is not None
