"""A comparison as SQL: `ranking_compare_by_user` over the values of each user that an evaluation makes."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import duckdb

from ..duckdb.internal import COMPARE_OPTIONS
from ..duckdb.statements import literal, sql_value
from ..measures.grammar import Choice
from .defaults import NONE
from .errors import UsageError
from .options import ComparisonOptions
from .problems import is_problem
from .queries import Request, cut_off_condition, fetch_rows, own_cuts, with_segments
from .words import Row

GATED = {  # the columns that `ranking_gate` reads or writes
    **dict.fromkeys(("measure", "method", "verdict"), "VARCHAR"),
    **dict.fromkeys(("users", "k"), "BIGINT"),
    "higher_is_better": "BOOLEAN",
    **dict.fromkeys(("p", "p_adjusted", "p_same", "p_same_adjusted", "difference"), "DOUBLE"),
    **dict.fromkeys(("standard_error", "minimum_detectable_effect"), "DOUBLE"),
}


def check_options(con: duckdb.DuckDBPyConnection, options: ComparisonOptions, caller: str) -> None:
    """Raise UsageError for an option that is not valid, before any file is read."""
    values = ", ".join(sql_value(value) for name, value in options.items() if name != "baseline")
    try:
        con.execute(f"SELECT {COMPARE_OPTIONS}({values}, {literal(caller)})").fetchall()
    except duckdb.InvalidInputException as error:
        raise UsageError(str(error).partition(": ")[2]) from None


def segment_tables(request: Request) -> list[str]:
    """Return the statements of tables with a row for each segment of a user."""
    segment = f"SELECT * REPLACE (coalesce(segment, {literal(NONE)}) AS segment)"
    return [
        request.make(by_segment, f"{segment}\nFROM {with_segments(request, table)}")
        for table, by_segment, choices in compared_tables(request)
        if request.by_segment and choices
    ]


def compared_tables(request: Request) -> list[tuple[str, str, Sequence[Choice]]]:
    """Return the tables by user and by segment, and the measures that they have."""
    return [
        ("by_user", "by_segment", request.choices),
        ("contents", "contents_by_segment", request.contents),
    ]


def compare_queries(request: Request, options: ComparisonOptions) -> list[list[str]]:
    """Return the comparisons of all users, and if there are segments, those of each."""
    found: list[list[str]] = [[], []] if request.by_segment else [[]]
    for *tables, choices in compared_tables(request):
        given = {"measures": [choice.name for choice in choices], **options}
        arguments = ",\n    ".join(f"{name} := {sql_value(value)}" for name, value in given.items())
        where = ""
        if any(own_cuts(request, one) for one in choices):  # measures at their own cut-offs
            tests = [f"measure = {literal(one.name)} AND {cut_off_condition(one.cuts)}" for one in choices]
            where = "\nWHERE " + "\n    OR ".join(tests)
        for queries, table in zip(found if choices else [], tables, strict=False):
            of = request.table(str(table))
            queries.append(f"FROM ranking_compare_by_user(\n    '{of}',\n    {arguments}\n){where}")
    return found


def with_caveats(query: str, problems: Sequence[Row]) -> str:
    """Return a comparison whose caveats name the problems of the data too, of its systems and its k."""
    names = ("system", "k", "code")
    found = dict.fromkeys(tuple(row[name] for name in names) for row in filter(is_problem, problems))
    if not found:
        return query
    structs = ", ".join(f"row({', '.join(map(sql_value, one))})" for one in found)
    is_of = "coalesce(one[1] IN (baseline, system), true) AND coalesce(one[2] = k, true)"
    return f"""SELECT * REPLACE (list_aggregate(list_sort(list_distinct(
    list_transform(list_filter([{structs}], lambda one: {is_of}), lambda one: one[3])
    || coalesce(string_split(caveats, ','), []))), 'string_agg', ',') AS caveats)
FROM ({query})"""


def pairs_query(request: Request, options: ComparisonOptions) -> list[str]:
    """Return the comparison of each model with each, of all users, if there is a measure that ranks them."""
    ranking = replace(request, by_segment=False, contents=())
    return compare_queries(ranking, {**options, "baseline": None})[0]


def can_be_paired(con: duckdb.DuckDBPyConnection, request: Request, systems: int) -> bool:
    """Return whether each two of so many models have a user with recommendations of both."""
    query = f"""SELECT count(DISTINCT (one, other)) AS pairs
FROM (
    SELECT DISTINCT list(DISTINCT system) AS systems
    FROM {request.table("by_user")}
    WHERE n_rec > 0
    GROUP BY userid
), unnest(systems) AS ones(one), unnest(systems) AS others(other)
WHERE one < other"""
    return bool(fetch_rows(con, query)[0]["pairs"] == systems * (systems - 1) // 2)


def correct_together(
    con: duckdb.DuckDBPyConnection, rows: Sequence[dict[str, Any]], options: ComparisonOptions
) -> None:
    """Correct p in place over all these rows of comparisons, as a gate needs."""
    if not rows:
        return
    fields = ", ".join(f"{name} {kind}" for name, kind in GATED.items())
    query = (
        f"WITH looked_at AS (SELECT unnest($1::STRUCT(number BIGINT, {fields})[], max_depth := 2))\n"
        f"FROM ranking_gate('looked_at', confidence := {options['confidence']!r}, "
        f"correction := {literal(options['correction'])})"
    )
    given = [{"number": i, **{name: row[name] for name in GATED}} for i, row in enumerate(rows)]
    for found in fetch_rows(con, query, [given]):
        rows[found.pop("number")].update(found)


def sample_row(con: duckdb.DuckDBPyConnection) -> dict[str, Any]:
    """Return a row of a comparison, which says the columns of all and their types."""
    users = "SELECT unnest(['a', 'b']) AS system, userid, 1 AS k, 0.5 AS ndcg FROM range(2) t(userid)"
    return fetch_rows(con, f"WITH sample AS ({users}) FROM ranking_compare_by_user('sample')")[0]
