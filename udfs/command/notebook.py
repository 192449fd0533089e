"""`udfs.report`: the page of a report from the tables of a connection."""

import operator
from collections.abc import Iterable, Sequence
from contextlib import suppress

import duckdb

from .. import register
from ..duckdb.statements import identifier, literal
from ..measures import grammar
from ..page.drawing import vl_convert
from ..page.page import Page, page
from .arguments import COMPARED_MEASURES, LONGEST_K
from .comparison import Comparison, check_options
from .evaluation import NONE, Request, at_cut_offs, cut_offs
from .gathering import TIES, Study, check_report, gather
from .messages import DataError, shortened

PREFIX = "_ranking_report_"  # of the views and tables that are there while a report is made


def report(
    con: duckdb.DuckDBPyConnection,
    rec: str = "rec",
    truth: str = "truth",
    ks: int | Sequence[int | None] | None = 10,
    *,
    baseline: str | None = None,
    measures: Sequence[str] | None = None,
    segments: str | None = None,
    segment_col: str = "segment",
    confidence: float = 0.95,
    margin: float | None = None,
    correction: str = "holm",
    test: str = "t",
    permutations: int = 10_000,
    seed: int = 0,
    ties: str = "item",
    check: bool = True,
    user_col: str = "userid",
    item_col: str = "itemid",
    score_col: str = "score",
    grade_col: str | None = None,
    system_col: str | None = None,
    descending: bool = True,
) -> Page:
    """The page that `ranking-udfs report` writes, from tables of a connection; a notebook shows it.

    Registers the pack on the connection, and works on it: an error of DuckDB's in a transaction aborts that.
    Needs vl-convert-python, the extra `report`.

    Args:
        con: an open connection.
        rec: the name of a table or view with userid, itemid, score [, system].
        truth: one with userid, itemid [, rel].
        ks: cut-offs, None for the whole list; the verdict is of the first.
        baseline: the system that the others are compared with; by default the first by name.
        measures: as texts, `ndcg` or `ndcg(gain=linear)@5,10`; the verdict is of the first. By default ndcg,
            recall, average_precision, mrr, hit_rate and precision.
        segments: a table or view with the users (user_col) and their segment, to tell them apart.
        segment_col: what its column segment is called.
        confidence, margin, correction, test, permutations, seed: as of `ranking_compare`.
        ties: "item", "trec" or "expected", as of the command.
        check: whether to look for problems in the data.
        user_col, item_col, score_col, grade_col, system_col: what the tables call their columns.
        descending: whether the highest score is the best.

    Returns:
        A Page: its `html` is a whole file of HTML, which `save(path)` writes.

    Raises:
        ValueError: an argument cannot be.
        ImportError: vl-convert-python is not installed.
        duckdb.Error: the tables are not there, or not as they should be.
    """
    vl_convert()  # which may not be there
    register(con)
    ((replaces,),) = con.execute("SELECT current_setting('python_enable_replacements')").fetchall()
    try:
        # else a table that is not there might be a variable of this module's
        con.execute("SET python_enable_replacements = false")
        request = requested(ks, measures, ties, descending)
        options = Comparison(baseline, confidence, margin, correction, test, permutations, seed)
        check_options(con, options, "report", "")
        names = {
            "user_col": user_col,
            "item_col": item_col,
            "score_col": score_col,
            "grade_col": grade_col,
            "system_col": system_col,
        }
        arguments = "".join(f", {name} := {text(value)}" for name, value in names.items())
        arguments += f", descending := {str(bool(descending)).lower()}"
        problems = f"FROM ranking_check({text(rec)}, {text(truth)}, ks := {cut_offs(request.ks)}{arguments})"
        called = ", ".join(map(text, names.values()))
        check_tables(con, text(rec), text(truth), f"_ranking_names({called}, true)")
        made = views(con, rec, truth, segments, segment_col, names)
        for statement in made:
            con.execute(statement)
        has_system = "system" in columns(con, f"{PREFIX}rec")
        query = f"SELECT DISTINCT system FROM {PREFIX}rec"
        systems = sorted(name for (name,) in con.execute(query).fetchall()) if has_system else []
        if has_system and not systems:
            raise DataError("report: rec must have a row, got 0 rows")
        check_report(request, options, systems, "")
        sources = [("Recommendations", rec), ("Truth", truth)]
        sources += [] if segments is None else [("Segments", segments)]
        study = Study(
            request=request,
            options=options,
            systems=systems,
            segment=None if segments is None else segment_col,
            sources=sources,
            check=problems if check else None,
            notes=[],
            made=made,
        )
        return page(gather(con, study))
    except DataError as error:
        raise ValueError(str(error)) from None
    finally:
        with suppress(duckdb.TransactionException):  # one that is aborted takes all of them with it
            for name in ("by_segment", "by_user", "ranked"):
                con.execute(f"DROP TABLE IF EXISTS temp.{PREFIX}{name}")
            for name in ("segments", "truth", "rec"):
                con.execute(f"DROP VIEW IF EXISTS temp.{PREFIX}{name}")
            con.execute(f"SET python_enable_replacements = {replaces}")


def check_tables(con: duckdb.DuckDBPyConnection, rec: str, truth: str, names: str) -> None:
    """DataError if a table lacks a column, or one is of a wrong type, or truth has no user."""
    try:
        con.execute(f"SELECT _ranking_valid({rec}, {truth}, {names}, 'report')")
        con.execute(f"SELECT _ranking_has_users({truth}, {names}, 'report')")
    except duckdb.InvalidInputException as error:
        raise DataError(str(error).partition(": ")[2]) from None


def requested(
    ks: int | Sequence[int | None] | None, measures: Sequence[str] | None, ties: str, descending: bool
) -> Request:
    """What is asked for; DataError if it cannot be."""
    given = list(ks) if isinstance(ks, Iterable) else [ks]
    if not given:
        raise DataError("report: ks must be a list of one or more k, got []")
    cuts = [None if k is None else cut_off(k) for k in given]
    if ties not in [*TIES]:
        raise DataError(f"report: ties must be one of {', '.join(TIES)}, got {shortened(repr(ties))}")
    if isinstance(measures, str) or not all(isinstance(one, str) for one in measures or []):
        raise DataError(f"report: measures must be a list of texts, got {shortened(repr(measures))}")
    try:
        chosen = [grammar.parse_measure(one) for one in measures or COMPARED_MEASURES]
    except ValueError as error:
        raise DataError(f"report: {error}") from None
    for one in chosen:
        if ties == "expected" and not one.measure.expected:
            raise DataError(f"report: {one.name} has no closed form over all orders of equal scores")
    choices, every = at_cut_offs(chosen, cuts)
    return Request(choices=choices, ks=every, ties=ties, descending=descending, prefix=PREFIX)


def cut_off(k: object) -> int:
    """A cut-off as an integer, NumPy's too; DataError if it is none."""
    try:
        found = -1 if isinstance(k, bool) else operator.index(k)  # type: ignore[arg-type]
    except TypeError:
        found = -1
    if not 0 <= found <= LONGEST_K:
        rule = f"every k in ks must be an integer from 0 to {LONGEST_K}, or None"
        raise DataError(f"report: {rule}, got {shortened(repr(k))}")
    return found


def views(
    con: duckdb.DuckDBPyConnection,
    rec: str,
    truth: str,
    segments: str | None,
    segment_col: str,
    names: dict[str, str | None],
) -> list[str]:
    """The statements that call the tables' columns as the command does."""
    user, item, score = (identifier(names[name] or "") for name in ("user_col", "item_col", "score_col"))
    system, grade = names["system_col"] or "system", names["grade_col"] or "rel"
    of_rec = f"{user} AS userid, {item} AS itemid, {score} AS score"
    if system.lower() in columns(con, rec):
        of_rec += f", coalesce(CAST({identifier(system)} AS VARCHAR), {literal(NONE)}) AS system"
    of_truth = f"{user} AS userid, {item} AS itemid"
    if grade.lower() in columns(con, truth):
        of_truth += f", {identifier(grade)} AS rel"
    found = [("rec", of_rec, rec), ("truth", of_truth, truth)]
    if segments is not None:
        there = columns(con, segments)
        for option, column in (("user_col", names["user_col"]), ("segment_col", segment_col)):
            if str(column).lower() not in there:
                raise DataError(f"report: segments must have a column {shortened(column)} ({option})")
        segment = f"CAST({identifier(segment_col)} AS VARCHAR) AS segment"
        found.append(("segments", f"{user} AS userid, {segment}", segments))
    return [
        f"CREATE OR REPLACE TEMP VIEW {PREFIX}{name} AS\nSELECT {columns}\nFROM query_table({literal(table)})"
        for name, columns, table in found
    ]


def columns(con: duckdb.DuckDBPyConnection, table: str) -> set[str]:
    """The names of a table's columns."""
    found = con.execute(f"DESCRIBE FROM query_table({literal(table)})").fetchall()
    return {name.lower() for name, *_ in found}


def text(value: object) -> str:
    """A text as SQL, or NULL."""
    return "NULL" if value is None else literal(str(value))
