"""An evaluation as SQL: queries over rec, truth and segments, by the table functions of `sql/tables/`.

`plan` makes the statements; they are run by `ranking-udfs evaluate` and printed by `ranking-udfs sql`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..duckdb.statements import identifier, literal
from ..measures.grammar import Choice, each_once

COUNTS = ("users", "users_without_rec", "users_without_truth")
NONE = "(none)"  # the segment of a user without one
DEFAULT_K = 10


@dataclass(frozen=True)
class Request:
    """What to find out.

    choices     measures, each computed at its own cut-offs alone
    ks          all cut-offs; None stands for the whole list
    ties        "item" or "trec": how equal scores are ordered; "expected": the expected value over all orders
    descending  whether the highest score is the best
    by_segment  whether to give the means of segments too
    by_user     whether to give the values of each user too
    safe_text   whether text in those must be none that a spreadsheet takes for a formula
    prefix      what the names of the tables begin with: `rec`, `truth`, `segments`, and those that are made
    """

    choices: Sequence[Choice]
    ks: Sequence[int | None]
    ties: str = "item"
    descending: bool = True
    by_segment: bool = False
    by_user: bool = False
    safe_text: bool = False
    prefix: str = ""

    def table(self, name: str) -> str:
        """A table's whole name."""
        return f"{self.prefix}{name}"


@dataclass(frozen=True)
class Plan:
    """The statements that make tables, and the queries; None for what is not asked for."""

    tables: Sequence[str]
    check: str
    summary: str
    by_segment: str | None
    by_user: str | None


def at_cut_offs(
    choices: Sequence[Choice], given: Sequence[int | None]
) -> tuple[list[Choice], list[int | None]]:
    """The choices, each once and with its cut-offs, and the cut-offs of all.

    A measure that names none is computed at those `given`, by default at 10. Where some are named, all are
    put in order.
    """
    named = {k for choice in choices for k in choice.cuts}
    if not given and not all(choice.cuts for choice in choices):
        given = [DEFAULT_K]
    ks = list(dict.fromkeys(given))
    return each_once(choices, given), sorted({*ks, *named}, key=lambda k: (k is None, k)) if named else ks


def plan(request: Request, has_system: bool) -> Plan:
    """The evaluation's statements; `has_system` if rec holds several models."""
    system = "system, " if has_system else ""
    rec, truth, tables = ranked_table(request), request.table("truth"), []
    if request.ties == "trec":
        tables.append(f"CREATE OR REPLACE TEMP TABLE {rec} AS\n{ranked_query(request, system)}")
    check = f"FROM ranking_check('{rec}', '{truth}', ks := {cut_offs(request.ks)}{descending(request)})"
    is_plain = all(choice.measure.column and not choice.given for choice in request.choices)
    if is_plain and not request.by_user and not request.by_segment:
        return Plan(tables, check, summary_query(request, system), None, None)

    # Several queries, or measures that the table functions have no column for: from the values of each user.
    by_user = request.table("by_user")
    tables.append(f"CREATE OR REPLACE TEMP TABLE {by_user} AS\n{values_query(request, system)}")
    return Plan(
        tables,
        check,
        means_query(request, system),
        by_segment_query(request, system) if request.by_segment else None,
        by_user_query(request, system) if request.by_user else None,
    )


def ranked_table(request: Request) -> str:
    """The table of recommendations whose scores say how to rank them."""
    return request.table("ranked" if request.ties == "trec" else "rec")


def ranked_query(request: Request, system: str) -> str:
    """The recommendations with trec_eval's order as their score: there, nothing is tied."""
    score = "CAST(score AS FLOAT)"
    best, sign = ("DESC", "-") if request.descending else ("ASC", "")
    order = f"score IS NULL OR isnan({score}), {score} {best}, CAST(itemid AS VARCHAR) DESC"
    place = f"row_number() OVER (PARTITION BY {system}userid ORDER BY {order})"
    return f"SELECT {system}userid, itemid, {sign}{place} AS score\nFROM {request.table('rec')}"


def descending(request: Request) -> str:
    """The argument of a table function where the lowest score is the best."""
    return "" if request.descending else ", descending := false"


def summary_query(request: Request, system: str) -> str:
    """The means by k; `system` is the column that tells models apart, with a comma, or empty."""
    means = (column(request, choice, identifier(choice.measure.name)) for choice in request.choices)
    ties = ", ties := 'expected'" if request.ties == "expected" else ""
    rec, truth = ranked_table(request), request.table("truth")
    return (
        f"SELECT {system}k, {', '.join((*COUNTS, *means))}\n"
        f"FROM ranking_summary('{rec}', '{truth}', {cut_offs(request.ks)}{ties}{descending(request)})"
    )


def values_query(request: Request, system: str) -> str:
    """The values by user and k."""
    longest = "NULL" if None in request.ks else max(k for k in request.ks if k is not None)
    ks = f"CROSS JOIN (SELECT unnest({cut_offs(request.ks)}) AS k)"
    rec, truth = ranked_table(request), request.table("truth")
    source = f"ranking_judged('{rec}', '{truth}', {longest}{descending(request)})\n{ks}"
    if request.ties == "expected":  # for which no public macro takes options
        is_descending = str(request.descending).lower()
        names = f"_ranking_names('userid', 'itemid', 'score', NULL, NULL, {is_descending})"
        judged = f"_ranking_tied_judged('{rec}', '{truth}', {names}, {longest}, true, 'ranking_judged')"
        source = f"(SELECT *, _ranking_tied_at(tied, k) AS ranking\nFROM {judged}\n{ks}\nWHERE has_truth)"
    return (
        f"SELECT {system}userid, k, n_rec, n_truth"
        f"{columns(column(request, choice, call(choice, request.ties)) for choice in request.choices)}\n"
        f"FROM {source}"
    )


def call(choice: Choice, ties: str) -> str:
    """A measure of a judged ranking, with its options as they were written."""
    name = choice.measure.name
    return (
        f"_ranking_expected_{name}(ranking{choice.arguments_text})"
        if ties == "expected"
        else f"ranking_{name}(judged, k{choice.arguments_text})"
    )


def means_query(request: Request, system: str) -> str:
    """The same as summary_query from the table by_user; the counts, which no k changes, are at k = 0 too."""
    summary = f"ranking_summary('{ranked_table(request)}', '{request.table('truth')}', [0])"
    counts = f"(SELECT {system}{', '.join(COUNTS)} FROM {summary})"
    return (
        f"SELECT {system}k, {', '.join(COUNTS)}{means(request)}\nFROM {request.table('by_user')}\n"
        f"{f'JOIN {counts} USING (system)' if system else f'CROSS JOIN {counts}'}\nGROUP BY ALL"
    )


def by_segment_query(request: Request, system: str) -> str:
    """The means by segment and k; a user in two segments counts in both."""
    users = "count(*) AS users, count(*) FILTER (WHERE n_rec = 0) AS users_without_rec"
    return (
        f"SELECT {system}coalesce(segment, {literal(NONE)}) AS segment, k, {users}{means(request)}\n"
        f"FROM {with_segments(request)}\n"
        "GROUP BY ALL"
    )


def with_segments(request: Request) -> str:
    """The table by_user with a row for each segment of a user."""
    segments = f"(SELECT DISTINCT userid, segment FROM {request.table('segments')})"
    return f"{request.table('by_user')} LEFT JOIN {segments} USING (userid)"


def by_user_query(request: Request, system: str) -> str:
    """The values by user and k, in order."""
    names = ["system", "userid"] if system else ["userid"]
    replace = f" REPLACE ({', '.join(map(safe, names))})" if request.safe_text else ""
    by_user = request.table("by_user")
    order = ", ".join(f"{by_user}.{name}" for name in (*names, "k"))
    return f"SELECT *{replace}\nFROM {by_user}\nORDER BY {order}"


def safe(name: str) -> str:
    """A column, with a quote in front of text that a spreadsheet would take for a formula."""
    text = f"CAST({name} AS VARCHAR)"
    is_formula = f"typeof({name}) = 'VARCHAR' AND regexp_matches({text}, '^[-=+@\\t\\r]')"
    return f"CASE WHEN {is_formula} THEN concat('''', {name}) ELSE {text} END AS {name}"


def means(request: Request) -> str:
    names = (identifier(choice.name) for choice in request.choices)
    return columns(f"ranking_mean({name}) AS {name}" for name in names)


def columns(texts: Iterable[str]) -> str:
    """A line for each, behind a comma."""
    return "".join(f",\n    {text}" for text in texts)


def column(request: Request, choice: Choice, value: str) -> str:
    """A measure's value, NULL where it is not asked for, under its name."""
    name = identifier(choice.name)
    if set(choice.cuts) != set(request.ks):
        ks = ", ".join(str(k) for k in choice.cuts if k is not None)
        tests = [f"k IN ({ks})"] * bool(ks) + ["k IS NULL"] * (None in choice.cuts)
        value = f"CASE WHEN {' OR '.join(tests)} THEN {value} END"
    return value if value == name else f"{value} AS {name}"


def cut_offs(ks: Iterable[int | None]) -> str:
    return f"[{', '.join('NULL' if k is None else str(k) for k in ks)}]"
