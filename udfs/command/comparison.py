"""A comparison as SQL: `ranking_compare_by_user` over the values of each user that an evaluation makes."""

from collections.abc import Sequence
from dataclasses import dataclass

import duckdb

from ..duckdb.statements import literal
from ..measures.grammar import Choice
from .evaluation import NONE, Request, with_segments
from .messages import DataError, shortened
from .tables import Tables

TESTS = ("t", "randomization")
CORRECTIONS = ("holm", "bh", "none")


@dataclass(frozen=True)
class Comparison:
    """How to compare: the options of `ranking_compare_by_user`, by their names there."""

    baseline: str | None
    confidence: float
    margin: float | None
    correction: str
    test: str
    permutations: int
    seed: int


def check_measures(request: Request, called: str, dashes: str) -> None:
    """DataError for a measure by which no two models can be compared.

    `called` is what the user calls, and `dashes` stand in front of its options.
    """
    for choice in request.choices:
        if not choice.measure.better:
            rule = "must say which of two models is better"
            raise DataError(f"{called}: {dashes}measures {rule}, got {choice.name}")


def check_options(con: duckdb.DuckDBPyConnection, options: Comparison, called: str, dashes: str) -> None:
    """DataError for an option that cannot be, before any file is read."""
    names = ("confidence", "margin", "correction", "test", "permutations", "seed")
    values = ", ".join(sql_value(getattr(options, name)) for name in names)
    try:
        con.execute(f"SELECT _ranking_compare_options({values}, {literal(called)})")
    except duckdb.InvalidInputException as error:
        said = str(error).partition(": ")[2]
        raise DataError(said.replace(f"{called}: ", f"{called}: {dashes}", 1)) from None


def systems_of(con: duckdb.DuckDBPyConnection, tables: Tables) -> list[str]:
    """The models, in the order of their files; none where rec has no column that tells them apart."""
    systems = list(tables.systems)
    if tables.has_system and not systems:
        query = f"SELECT DISTINCT system FROM {tables.prefix}rec ORDER BY 1"
        systems = [name for (name,) in con.execute(query).fetchall()]
    return systems


def check_systems(con: duckdb.DuckDBPyConnection, tables: Tables, baseline: str | None) -> None:
    """DataError where there are not two models, or not that one."""
    systems = systems_of(con, tables)
    if len(systems) < 2:
        got = f"one, {shortened(systems[0])!r}" if systems else "one"
        raise DataError(f"compare: there must be two models or more, as in a=a.csv b=b.csv, got {got}")
    check_baseline(systems, baseline, "compare", "--")


def check_baseline(systems: Sequence[str], baseline: str | None, called: str, dashes: str) -> None:
    """DataError if the baseline is no model; `called` and `dashes` as for check_measures."""
    if baseline is not None and baseline not in systems:
        there = shortened(", ".join(systems)) or "there is one, without a name"
        raise DataError(f"{called}: {dashes}baseline must be a model ({there}), got {shortened(baseline)!r}")


def tables_of_segments(request: Request) -> list[str]:
    """What makes by_segment: the table by_user with a row for each segment of a user."""
    if not request.by_segment:
        return []
    segment = f"coalesce(segment, {literal(NONE)}) AS segment"
    query = f"SELECT * REPLACE ({segment})\nFROM {with_segments(request)}"
    return [f"CREATE OR REPLACE TEMP TABLE {request.table('by_segment')} AS\n{query}"]


def compare_queries(request: Request, options: Comparison) -> list[str]:
    """The comparison of all users, and if there are segments, that of each."""
    measures = ", ".join(literal(called(choice, request.ks)) for choice in request.choices)
    given = [f"measures := [{measures}]"]
    given += [f"{name} := {sql_value(value)}" for name, value in vars(options).items()]
    names = ["by_user", "by_segment"] if request.by_segment else ["by_user"]
    arguments = ",\n    ".join(given)
    tables = map(request.table, names)
    return [f"FROM ranking_compare_by_user(\n    '{table}',\n    {arguments}\n)" for table in tables]


def called(choice: Choice, ks: Sequence[int | None]) -> str:
    """The column that a measure is, with its cut-offs if there are others too."""
    return choice.name if set(choice.cuts) == set(ks) else choice.text


def sql_value(value: float | str | None) -> str:
    if value is None:
        return "NULL"
    return literal(value) if isinstance(value, str) else repr(value)
