"""An evaluation as SQL: from files, by the table functions of `sql/macros/`, to results.

`plan` makes the statements; they are run by `ranking-udfs evaluate` and printed by `ranking-udfs sql`.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import duckdb

from ..duckdb.statements import identifier, literal
from ..measures.grammar import parse_options
from ..measures.registry import BY_NAME, Measure
from .files import (
    QRELS,
    RUN,
    DataError,
    Source,
    check_rows,
    exists,
    open_source,
    with_equal_ids,
    with_numbers,
)

COUNTS = ("users", "users_without_rec", "users_without_truth")
USERS = "count(*) AS users, count(*) FILTER (WHERE n_rec = 0) AS users_without_rec"
NONE = "(none)"  # the segment of a user without one, the name of a model without one

Row = dict[str, Any]


@dataclass(frozen=True)
class Choice:
    """A measure and the options to compute it with."""

    measure: Measure
    options: str = ""

    @staticmethod
    def parse(text: str) -> "Choice":
        """What `ndcg` or `ndcg(gain=linear)` means; ValueError if it means nothing."""
        name, bracket, given = (part.strip() for part in text.partition("("))
        if name not in BY_NAME or (bracket and not given.endswith(")")):
            raise ValueError(f"no measure {text!r} (there are: {', '.join(sorted(BY_NAME))})")
        given = " ".join(given.removesuffix(")").replace(",", " ").split())
        measure = BY_NAME[name]
        parse_options(measure, measure.name, given)
        return Choice(measure, given)

    @property
    def column(self) -> str:
        """What a result calls it: `ndcg(gain=linear)`."""
        return f"{self.measure.name}({self.options})" if self.options else self.measure.name

    @property
    def label(self) -> str:
        """What a report calls it: `NDCG (gain=linear)`."""
        return f"{self.measure.label} ({self.options})" if self.options else self.measure.label

    @property
    def sql(self) -> str:
        """Its value for a judged ranking at k."""
        given = f", {literal(self.options)}" if self.options else ""
        return f"system.main.{identifier(self.measure.name)}(judged, k{given})"


@dataclass(frozen=True)
class Request:
    """What to evaluate.

    recs       files, each `path` or `name=path`
    truth      a file
    segment    a file and its column that says which segment a user belongs to
    columns    our column names: what the files call them; without `rel` where that is not said
    form       "auto", "table" or "trec": what kind of files rec and truth are
    ties       "item" or "trec": how equal scores are ordered
    """

    recs: Sequence[str]
    truth: str
    ks: Sequence[int]
    choices: Sequence[Choice]
    columns: Mapping[str, str]
    segment: tuple[str, str] | None = None
    by_user: bool = False
    form: str = "auto"
    ties: str = "item"


@dataclass(frozen=True)
class Plan:
    """The statements that make the tables, the queries, and the models to name, in their order."""

    tables: Sequence[str]
    summary: str
    by_segment: str | None
    by_user: str | None
    systems: Sequence[str]


def plan(con: duckdb.DuckDBPyConnection, request: Request) -> Plan:
    """The evaluation's statements; DataError if the files cannot be what they should be."""
    of_truth = {ours: name for ours, name in request.columns.items() if ours != "score"}
    truth = open_source(con, request.truth, request.form, QRELS, of_truth, {"rel": "rel"})
    named = [named_source(con, rec, request) for rec in request.recs]
    segments = segment_source(con, request)
    sources = with_equal_ids(
        [with_numbers(source) for source in (truth, *(rec for _, rec in named), *segments)]
    )
    for source in sources:
        check_rows(con, source)
    truth, recs, segments = sources[0], sources[1 : len(named) + 1], sources[len(named) + 1 :]

    tables = [rec_table(recs, request.ties), table("truth", truth.select(truth.columns), truth.is_text)]
    tables += [table("segments", source.select(source.columns), source.is_text) for source in segments]
    systems = system_names(con, [(name, rec) for (name, _), rec in zip(named, recs, strict=True)])
    system = "system, " if "system" in recs[0].columns else ""
    is_plain = all(choice.measure.column and not choice.options for choice in request.choices)
    if is_plain and not request.by_user and not segments:
        return Plan(tables, summary_query(request, system), None, None, systems)

    # Several queries, or measures that the table functions have no column for: from the judged rankings.
    judged = f"FROM ranking_judged('rec', 'truth', {max(request.ks)})"
    tables.append(table("judged_rankings", judged, True))
    return Plan(
        tables,
        judged_summary_query(request, system),
        by_segment_query(request, system) if segments else None,
        by_user_query(request, system) if request.by_user else None,
        systems,
    )


def summary_query(request: Request, system: str) -> str:
    """The means by k; `system` is the columns that tell models apart, with a comma, or empty."""
    columns = ", ".join((*COUNTS, *(identifier(choice.column) for choice in request.choices)))
    return f"SELECT {system}k, {columns}\nFROM ranking_summary('rec', 'truth', {cut_offs(request)})"


def judged_summary_query(request: Request, system: str) -> str:
    """The same from judged_rankings."""
    group, join = (" GROUP BY system", "USING (system)") if system else ("", "ON true")
    return (
        f"SELECT {system}k, {USERS},\n    coalesce(any_value(others), 0) AS users_without_truth"
        f"{measures(request, 'avg')}\n"
        f"FROM judged_rankings CROSS JOIN (SELECT unnest({cut_offs(request)}) AS k)\n"
        f"LEFT JOIN (SELECT {system}count(DISTINCT userid) AS others FROM rec ANTI JOIN truth USING (userid)"
        f"{group}) {join}\n"
        f"GROUP BY {system}k"
    )


def by_segment_query(request: Request, system: str) -> str:
    """The means by segment and k; a user in two segments counts in both."""
    return (
        f"SELECT {system}coalesce(segment, {literal(NONE)}) AS segment, k, {USERS}"
        f"{measures(request, 'avg')}\n"
        f"FROM judged_rankings CROSS JOIN (SELECT unnest({cut_offs(request)}) AS k)\n"
        "LEFT JOIN (SELECT DISTINCT userid, segment FROM segments) USING (userid)\n"
        "GROUP BY ALL"
    )


def by_user_query(request: Request, system: str) -> str:
    """The values by user and k."""
    return (
        f"SELECT {system}userid, k, n_rec, n_truth{measures(request)}\n"
        f"FROM judged_rankings CROSS JOIN (SELECT unnest({cut_offs(request)}) AS k)\n"
        f"ORDER BY {system}userid, k"
    )


def measures(request: Request, aggregate: str = "") -> str:
    """A column for each measure, behind a comma."""
    return "".join(f",\n    {aggregate}({one.sql}) AS {identifier(one.column)}" for one in request.choices)


def cut_offs(request: Request) -> str:
    return f"[{', '.join(map(str, request.ks))}]"


def named_source(con: duckdb.DuckDBPyConnection, rec: str, request: Request) -> tuple[str, Source]:
    """The name of a model and its file; no name where there is but one, or where the file has them."""
    name, path = "", rec
    if "=" in rec and not exists(con, rec) and os.sep not in rec.partition("=")[0]:
        name, _, path = rec.partition("=")
    required = {ours: request.columns[ours] for ours in ("userid", "itemid", "score")}
    source = open_source(con, path, request.form, RUN, required, {"system": "system"})
    if name and "system" in source.names:
        raise DataError(f"{path}: has a column 'system', which names its models: leave {name}= out")
    if not name and "system" in source.columns:
        system = f"coalesce(CAST({source.columns['system']} AS VARCHAR), {literal(NONE)})"
    elif name or len(request.recs) > 1:
        name = name or os.path.basename(path).partition(".")[0]
        system = literal(name)
    else:
        return "", source
    return name, replace(source, columns={**source.columns, "system": system})


def segment_source(con: duckdb.DuckDBPyConnection, request: Request) -> list[Source]:
    """The file that says which segment a user belongs to, if any."""
    if request.segment is None:
        return []
    path, column = request.segment
    required = {"userid": request.columns["userid"], "segment": column}
    source = open_source(con, path, "table", 0, required, {})
    text = f"CAST({source.columns['segment']} AS VARCHAR)"
    return [replace(source, columns={**source.columns, "segment": text})]


def system_names(con: duckdb.DuckDBPyConnection, recs: Sequence[tuple[str, Source]]) -> list[str]:
    """The models, in the order of their files; DataError if two files share one."""
    if len(recs) == 1:  # if it was given no name, its models are known when it is read
        return [name for name, _ in recs if name]
    paths: dict[str, str] = {}
    for given, rec in recs:
        query = (
            f"SELECT DISTINCT system FROM ({rec.select({'system': rec.columns['system']})}) ORDER BY system"
        )
        for name in [given] if given else [name for (name,) in con.execute(query).fetchall()]:
            if name in paths:
                raise DataError(
                    f"{rec.path}: {paths[name]} has a model {name!r} too: name them, as in NAME={rec.path}"
                )
            paths[name] = rec.path
    return list(paths)


def table(name: str, query: str, is_costly: bool) -> str:
    """The statement that makes this table: a copy of what is costly to read again, and else a view."""
    return f"CREATE OR REPLACE TEMP {'TABLE' if is_costly else 'VIEW'} {name} AS\n{query}"


def rec_table(recs: Sequence[Source], ties: str) -> str:
    """The statement that makes rec, in which the order of equal scores is as asked for."""
    names = [name for name in ("system", "userid", "itemid", "score") if name in recs[0].columns]
    query = "\nUNION ALL\n".join(rec.select({name: rec.columns[name] for name in names}) for rec in recs)
    if ties == "trec":  # trec_eval's order becomes the score itself: there, nothing is tied
        users = ", ".join(name for name in names if name in ("system", "userid"))
        order = (
            "score IS NULL OR isnan(CAST(score AS FLOAT)), CAST(score AS FLOAT) DESC, "
            "CAST(itemid AS VARCHAR) DESC"
        )
        place = f"row_number() OVER (PARTITION BY {users} ORDER BY {order})"
        query = f"SELECT {users}, itemid, -{place} AS score\nFROM (\n{query}\n)"
    return table("rec", query, any(rec.is_text for rec in recs))


def rows(con: duckdb.DuckDBPyConnection, query: str) -> list[Row]:
    """The rows of a query, each by column name."""
    cursor = con.execute(query)
    names = [name for name, *_ in cursor.description or ()]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
