"""SQL for comparisons: `ranking.compare_by_user` over the values of each user."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from math import floor, log2

import duckdb

from ..compose.functions import compose_values
from ..compose.templates import indented, module
from ..measures.grammar import Choice
from ..options import Values
from ..quoting import identifier, literal, sql_value
from .defaults import EVERYBODY, NONE
from .problems import is_problem
from .queries import (
    Plan,
    Request,
    cut_off_condition,
    fetch_rows,
    own_cuts,
    plan,
    replaced_text,
    table_call,
    with_segments,
)
from .words import Row

MOST_CHANGED = 10  # users with the largest losses, and with the largest gains
# The user has stated the better direction of each column, so the caveat on its name does not apply.
REPLACED = "* REPLACE (nullif(trim(replace(caveats, 'perhaps_lower_is_better', ''), ','), '') AS caveats)"
PREDICTED = ("by_predicted", "by_predicted_segment")  # by_user and by_segment by the predicted truth


def compared_tables(request: Request) -> list[tuple[str, str, Sequence[Choice]]]:
    """Return the tables by user and by segment, each with its measures."""
    return [
        ("by_user", "by_segment", request.choices),
        ("contents", "contents_by_segment", request.beyond_accuracy),
        ("also", "also_by_segment", request.also),
    ]


def comparison_plan(request: Request) -> Plan:
    """Plan the statements of a comparison: those of an evaluation, and tables by user and segment."""
    steps, segment = plan(request), f"SELECT * REPLACE (coalesce(segment, {literal(NONE)}) AS segment)"
    predicted = [(*PREDICTED, request.choices)] * request.predicted_truth
    tables = [
        request.make(by_segment, f"{segment}\nFROM {with_segments(request, request.table(table))}")
        for table, by_segment, choices in (*compared_tables(request), *predicted)
        if request.by_segment and choices
    ]
    return replace(steps, tables=[*steps.tables, *tables])


def comparison_queries(request: Request, problems: Sequence[Row]) -> list[str]:
    """Return the queries that compare over all users, and with segments also over each segment.

    Their caveats name the problems of the data.
    """
    everybody, *segments = compare_queries(request)
    if segments:
        everyone = f"SELECT {literal(EVERYBODY)} AS segment, *"
        everybody = [f"{everyone} FROM ({query})" for query in everybody]
    return [with_caveats(query, problems) for query in chain(everybody, *segments)]


def compare_queries(request: Request) -> list[list[str]]:
    """Return the queries that compare over all users, and with segments also over each segment."""
    families: list[list[str]] = [[], []] if request.by_segment else [[]]
    for by_user, by_segment, choices in compared_tables(request):
        arguments = {"measures": [choice.name for choice in choices], **request.comparison}
        if choices is request.also:  # names of columns do not show the direction
            lower = [choice.name for choice in choices if not choice.measure.higher_is_better]
            arguments |= {"lower_is_better": lower, "margin": None}  # a margin is in the unit of the measures
        values = {identifier(choice.name): "DOUBLE" for choice in choices}
        names = (by_user, by_segment), PREDICTED
        for queries, *tables in zip(families if choices else [], *names, strict=False):
            of, predicted = map(request.table, tables)
            known = replace(request, types={of: values, predicted: values} if request.types else {})
            every = {"by_user": of, **arguments} | (
                {"predicted": predicted} if request.predicted_truth else {}
            )
            call = table_call(known, "compare_by_user", every, 1)
            columns = f"SELECT {REPLACED}\n" if choices is request.also else ""
            queries.append(f"{columns}FROM {call}{at_own_cuts(request, choices)}")
    return families


def at_own_cuts(request: Request, choices: Sequence[Choice]) -> str:
    """Return the condition that keeps each measure at its own cutoffs; empty if each has all cutoffs."""
    if not any(own_cuts(request, choice) for choice in choices):
        return ""
    tests = [f"measure = {literal(choice.name)} AND {cut_off_condition(choice.cuts)}" for choice in choices]
    return "\nWHERE " + "\n    OR ".join(tests)


def differences_query(request: Request) -> str:
    """Return the query for the values of each user and their difference, for each compared pair of models."""
    values, baseline = [], request.comparison["baseline"]
    for table, _, choices in compared_tables(request):
        structs = (
            f"{{measure: {literal(choice.name)}, value: {identifier(choice.name)}::DOUBLE}}"
            for choice in choices
        )
        one_table = f"SELECT system, userid, k, unnest([{', '.join(structs)}], max_depth := 2)"
        values += [f"{one_table}\n    FROM {request.table(table)}"] * bool(choices)
    systems = f"(SELECT DISTINCT system FROM {request.table('by_user')})"
    pair = "< other.system" if baseline is None else f"= {literal(baseline)} AND other.system <> one.system"
    pairs = f"one.system AS baseline, other.system\n    FROM {systems} AS one JOIN {systems} AS other"
    pairs += f" ON one.system {pair}"
    if request.comparison["steps"]:
        order = indented(str(module("comparison/internal/pairs.jinja").natural_order("system")).strip())
        pairs = f"lag(system) OVER (ORDER BY {order}) AS baseline, system\n    FROM {systems}"
        pairs += " QUALIFY baseline IS NOT NULL"
    replaced = replaced_text(request, ("baseline", "system", "userid"))
    return f"""WITH one_value AS (
    {" UNION ALL ".join(values)}
), pairs AS (
    SELECT {pairs}
)
SELECT *{replaced}, value_system - value_baseline AS difference
FROM (
    SELECT pairs.baseline, pairs.system, userid, k, measure,
        any_value(value) FILTER (one_value.system = pairs.baseline) AS value_baseline,
        any_value(value) FILTER (one_value.system = pairs.system) AS value_system
    FROM one_value
    JOIN pairs ON one_value.system IN (pairs.baseline, pairs.system)
    GROUP BY ALL
){at_own_cuts(request, [*request.choices, *request.beyond_accuracy, *request.also])}
ORDER BY ALL"""


def changes_query(request: Request, baseline: str, choice: Choice, most: int = MOST_CHANGED) -> str:
    """Return the query for the largest losses and gains of users by a measure at its first cutoff.

    There are up to `most` users of each kind for each model except the baseline. `changed` counts all users
    who lose (or win), and `sharing` the users with the same difference.
    """
    value, is_lower = identifier(choice.name), choice.measure.higher_is_better is False
    model = f"FROM {request.table('by_user')} WHERE {cut_off_condition(choice.cuts[:1])} AND system"
    return f"""SELECT *,
    count(*) OVER (PARTITION BY system, wins) AS changed,
    count(*) OVER (PARTITION BY system, round(difference, 12)) AS sharing
FROM (
    SELECT other.system, CAST(userid AS VARCHAR) AS userid, one.{value} AS baseline, other.{value} AS value,
        other.{value} - one.{value} AS difference, difference {"<" if is_lower else ">"} 0 AS wins,
        other.n_truth > 0 AS has_relevant
    FROM ({model} = {literal(baseline)}) AS one
    JOIN ({model} <> {literal(baseline)}) AS other USING (userid)
    WHERE abs(difference) > 1e-12
)
QUALIFY row_number() OVER (PARTITION BY system, wins ORDER BY abs(difference) DESC, userid) <= {most}
ORDER BY system, wins, abs(difference) DESC, userid"""


def losers_query(request: Request, choice: Choice, threshold: float) -> str:
    """Return the query for users who lose `threshold` or more, by a measure at its first cutoff.

    There is a row for each model except the baseline. `users` counts users with a value from both models. A
    relative tolerance of 1e-12 below the threshold allows for rounding.
    """
    loss = "difference" if choice.measure.higher_is_better is False else "-difference"
    allowed = f"{sql_value(threshold)} - 1e-12 * greatest(1, abs(value_baseline), abs(value_system))"
    return f"""SELECT system, count(*) AS users,
    coalesce(list({{userid: userid::VARCHAR, difference: difference}} ORDER BY round({loss}, 12) DESC, userid)
        FILTER (WHERE {loss} >= {allowed}), []) AS losers
FROM ({differences_query(request)})
WHERE measure = {literal(choice.name)} AND {cut_off_condition(choice.cuts[:1])} AND difference IS NOT NULL
GROUP BY system
ORDER BY system"""


def with_caveats(query: str, problems: Sequence[Row]) -> str:
    """Return a comparison whose caveats also have the codes of problems of its systems and its k."""
    names = ("system", "k", "code")
    codes = dict.fromkeys(tuple(row[name] for name in names) for row in filter(is_problem, problems))
    if not codes:
        return query
    structs = ", ".join(f"row({', '.join(map(sql_value, code))})" for code in codes)
    is_of = "coalesce(one[1] IN (baseline, system), true) AND coalesce(one[2] = k, true)"
    return f"""SELECT * REPLACE (list_aggregate(list_sort(list_distinct(
    list_transform(list_filter([{structs}], lambda one: {is_of}), lambda one: one[3])
    || coalesce(string_split(caveats, ','), []))), 'string_agg', ',') AS caveats)
FROM ({query})"""


def pairs_query(request: Request) -> list[str]:
    """Return the queries that compare all pairs of models over all users, by measures with a direction."""
    comparison: Values = {**request.comparison, "baseline": None}
    return compare_queries(replace(request, by_segment=False, beyond_accuracy=(), comparison=comparison))[0]


def can_be_paired(con: duckdb.DuckDBPyConnection, request: Request, systems: int) -> bool:
    """Return whether every pair of models has a user with recommendations from both."""
    query = f"""SELECT count(DISTINCT (one, other)) AS pairs
FROM (
    SELECT DISTINCT list(DISTINCT system) AS systems
    FROM {request.table("by_user")}
    WHERE n_rec > 0
    GROUP BY userid
), unnest(systems) AS ones(one), unnest(systems) AS others(other)
WHERE one < other"""
    return bool(fetch_rows(con, query)[0]["pairs"] == systems * (systems - 1) // 2)


def users_for_significance(family: int, alpha: float, sides: int = 2) -> int:
    """Return the fewest users with which one of `family` comparisons can be significant.

    p of n users is never below 2^(1 - n), one-sided 2^-n. Corrected, it must be below alpha.
    """
    return floor(log2(sides * family / alpha)) + 1


def sample_comparison(has_predicted: bool) -> str:
    """Return the query for a sample row of a comparison, with the columns and types of all rows."""
    users = "SELECT unnest(['a', 'b']) AS system, userid, 1 AS k, 0.5 AS ndcg FROM range(2) t(userid)"
    arguments = {"by_user": "sample"} | ({"predicted": "sample"} if has_predicted else {})
    query = compose_values("compare_by_user", arguments, {"sample": {"ndcg": "DOUBLE"}})
    return f"WITH sample AS ({users}) FROM (\n{query}\n)"
