"""The Python API: `evaluate`, `compare`, `check` and the other commands as functions of Python."""

import inspect
import operator
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

import duckdb

from .evaluation import defaults
from .evaluation.comparison import check_options
from .evaluation.errors import DataError, error_summary
from .evaluation.options import (
    OPTIONS,
    Abstaining,
    Checking,
    ColumnNames,
    Comparing,
    Evaluating,
    Explaining,
    Fusing,
    Overlapping,
    Reporting,
    Splitting,
    check_keywords,
    columns_of,
    describe,
    names_of,
)
from .evaluation.problems import COLUMNS, parse_codes, problem_lines
from .evaluation.queries import explain_query, overlap_query
from .evaluation.tradeoffs import parse_also
from .evaluation.words import Row, using_unit
from .inputs.catalogs import Connection
from .inputs.connections import WorkConnection, open_connection
from .inputs.evaluation import Evaluation
from .inputs.events import read_events, split_query
from .inputs.tables import ORDER, Inputs
from .measures.grammar import Choice, parse_measures
from .quoting import literal, sql_value
from .texts import shorten

if TYPE_CHECKING:
    from .reporting.page import Page

# A data frame of any kind, a relation, or the name of a file or a table. No type covers all of these.
Table = Any
TABLE_FUNCTIONS = (  # Errors of these functions are raised under the name of the Python function.
    r"ranking\.(judged|by_user|evaluate|compare_by_user|beyond_accuracy(_by_user)?"
    "|check|explain|overlap|abstention|fuse|split)"
)
CutOffs = int | Sequence[int | None] | None
Function = TypeVar("Function", bound=Callable[..., Any])
Parsed = TypeVar("Parsed")


def described(keywords: type) -> Callable[[Function], Function]:
    """Add the options of these keywords to the docstring and the signature of a function."""
    names = names_of(keywords)

    def describing(function: Function) -> Function:
        function.__doc__ = (function.__doc__ or "").replace("        options:", describe(names))
        signature = inspect.signature(function)
        own = [value for value in signature.parameters.values() if value.kind is not value.VAR_KEYWORD]
        others = [
            inspect.Parameter(name, own[0].KEYWORD_ONLY, default=OPTIONS[name].default) for name in names
        ]
        function.__signature__ = signature.replace(parameters=own + others)  # type: ignore[attr-defined]
        return function

    return describing


@described(Evaluating)
def evaluate(
    rec: Table | Mapping[str, Table],
    truth: Table,
    measures: Sequence[str] | str | None = None,
    ks: CutOffs = defaults.K,
    *,
    by_user: bool = False,
    **options: Unpack[Evaluating],
) -> duckdb.DuckDBPyRelation:
    """Compute the mean of each measure for each model and cutoff.

    Args:
        rec: recommendations: users, items and scores. Pass a data frame (pandas, Polars, Arrow), a DuckDB
            relation, a file name or, with `con`, the name of a table or view. Python objects work too: a dict
            by user (query) of `{id: score}`, of pairs `[(id, score)]` or of ids in order; or a list of dicts,
            one per item or one per user with a list. For several models, pass a dict of these by model name,
            or a table with a column `system`.
        truth: ground truth: users, items and, optionally, grades, in the same forms. The ids of a user can be
            a set.
        measures: strings such as `ndcg` or `recall(normalize=min)@5,10`. Default: recall, precision,
            average_precision, mrr, ndcg, hit_rate and f_measure; with history or items, the beyond-accuracy
            measures too.
        ks: cutoffs of measures without an @: an integer or several. None means the whole list.
        by_user: whether to return the values of each user instead of means.
        options:

    Returns:
        A DuckDB relation with one row per model, segment and k. Columns: [system,] [segment,] k, users,
        users_without_rec, users_without_truth, users_without_relevant and one per measure. A measure is NULL
        at cutoffs that it does not have. The segment of all users is `(all)`. With history or items, the
        columns users_with_rec (with or without truth), users_without_history and the beyond-accuracy measures
        follow. With by_user: one row per model, user and k, with [system,] userid, k, n_rec, n_truth and the
        measures. Read the relation with `.df()`, `.pl()`, `.fetchall()` or `.show()`. It is already computed
        and keeps its connection open: `con`, or one of its own.

    Raises:
        ValueError: the data or an argument is invalid.
        TypeError: the name of a column is not a string, or con is not a connection.
        duckdb.Error: DuckDB cannot read an input.

    Example:
        >>> import pandas as pd
        >>> rec = pd.DataFrame({"userid": [7, 7, 8], "itemid": ["a", "b", "a"], "score": [0.9, 0.5, 0.7]})
        >>> truth = pd.DataFrame({"userid": [7, 8], "itemid": ["b", "a"]})
        >>> ranking_udfs.evaluate(rec, truth, ["mrr@1,2", "recall@2"]).fetchall()
        [(1, 2, 0, 0, 0, 0.5, None), (2, 2, 0, 0, 0, 0.75, 1.0)]
    """
    with open_evaluation("evaluate", rec, truth, measures, ks, options, by_user=by_user) as (
        connection,
        work,
    ):
        work.make_tables()
        steps = work.steps
        return connection.result(steps.by_user if by_user and steps.by_user else work.summary(steps))


@described(Comparing)
def compare(
    rec: Table | Mapping[str, Table],
    truth: Table,
    measures: Sequence[str] | str | None = None,
    ks: CutOffs = defaults.K,
    **options: Unpack[Comparing],
) -> duckdb.DuckDBPyRelation:
    """Compare models: differences with confidence intervals, p-values and verdicts.

    Args:
        rec: recommendations of two or more models, in any form that `evaluate` accepts: a dict by model
            name, or a table with a column `system`.
        truth: ground truth, in any form that `evaluate` accepts.
        measures: strings as for `evaluate`. Default: ndcg, recall, average_precision, mrr, hit_rate and
            precision. Beyond-accuracy measures such as novelty have the verdicts `higher` and `lower`.
        ks: cutoffs of measures without an @: an integer or several. None means the whole list.
        options:

    Returns:
        A DuckDB relation with one row per comparison and the columns of `ranking.compare_by_user`. With
        segments, a column segment comes first. The column caveats includes codes that the check finds. Each
        column in `also` has rows with its name as measure and NULL as k.

    Raises:
        ValueError, TypeError, duckdb.Error: as for `evaluate`.

    Example:
        >>> import pandas as pd
        >>> a = pd.DataFrame({"userid": range(9), "itemid": 1, "score": 1.0})
        >>> truth = a.assign(itemid=[1, 1, 1, 1, 1, 1, 1, 1, 2])
        >>> result = ranking_udfs.compare({"a": a, "b": a.assign(itemid=2)}, truth, "mrr", 1, baseline="a")
        >>> result.select("system, wins, losses, round(difference, 4), verdict").fetchall()
        [('b', 1, 8, -0.7778, 'worse')]
    """
    with open_evaluation("compare", rec, truth, measures, ks, options, by_user=True) as (connection, work):
        work.check_models()
        work.make_tables()
        everybody, *segments = work.comparisons()
        if segments:
            everyone = f"SELECT {literal(defaults.EVERYBODY)} AS segment, *"
            everybody = [f"{everyone} FROM ({query})" for query in everybody]
        queries = [*everybody, *(query for each in segments for query in each)]
        return connection.result("\nUNION ALL BY NAME ".join(f"({query})" for query in queries))


@described(Reporting)
def report(
    rec: Table | Mapping[str, Table],
    truth: Table,
    measures: Sequence[str] | str | None = None,
    ks: CutOffs = defaults.K,
    **options: Unpack[Reporting],
) -> "Page":
    """Create the HTML report of `ranking-udfs report`; a notebook displays it.

    Requires vl-convert-python, the extra `report`. A DuckDB error aborts an open transaction of `con`.

    Args:
        rec: recommendations of one or more models, in any form that `evaluate` accepts. Without a baseline,
            all models are compared with the first.
        truth: ground truth, in any form that `evaluate` accepts.
        measures: strings, with the default of `compare`. The verdict is about the first.
        ks: cutoffs, as for `evaluate`. The verdict is about the first.
        options:

    Returns:
        A Page. Its `html` is a complete HTML file; `save(path)` writes it. Problems in the data are on the
        page.

    Raises:
        ValueError, TypeError, duckdb.Error: as for `evaluate`.
        ImportError: vl-convert-python is not installed.

    Example:
        >>> import pandas as pd
        >>> rec = pd.DataFrame({"userid": [7, 7, 8], "itemid": ["a", "b", "a"], "score": [0.9, 0.5, 0.7]})
        >>> truth = pd.DataFrame({"userid": [7, 8], "itemid": ["b", "a"]})
        >>> page = ranking_udfs.report(rec, truth, ["ndcg", "recall"], [1, 2])
        >>> "How good are the recommendations?" in page.html
        True
    """
    from .reporting.drawing import library
    from .reporting.findings import Findings
    from .reporting.page import page

    library()  # If the library is not installed, raise the error first.
    with open_evaluation("report", rec, truth, measures, ks, options) as (_, work):
        return page(Findings(work))


@described(Checking)
def check(
    rec: Table | Mapping[str, Table],
    truth: Table,
    ks: CutOffs = defaults.K,
    *,
    time_col: str | None = None,
    **options: Unpack[Checking],
) -> duckdb.DuckDBPyRelation:
    """Check the data for problems, before you trust a result.

    Args:
        rec: recommendations, in any form that `evaluate` accepts.
        truth: ground truth, in any form that `evaluate` accepts.
        ks: cutoffs at which to look for tied scores and short lists. None means the whole list.
        time_col: column of times in truth and history; '' turns off the check for late events.
        options:

    Returns:
        A DuckDB relation with one row per problem: severity (error, warning or info), system, problem, code,
        column_name, k, example, count, of, file and write (the fix). No row: no problem.

    Raises:
        ValueError, TypeError, duckdb.Error: as for `evaluate`.

    Example:
        >>> rec = {"q1": {"a": 0.9, "b": 0.9}, "q2": {"a": 0.7}}
        >>> result = ranking_udfs.check(rec, {"q1": {"b"}, "q2": {"c"}}, 1)
        >>> result.filter("severity = 'warning'").select("code, count, of").fetchall()
        [('ties_at_k', 1, 2)]
    """
    if time_col is not None and (options.get("history") is None or not isinstance(time_col, str)):
        rule = "time_col must be the name of a column of truth and history, or None without history"
        raise ValueError(f"check: {rule}, got {time_col!r}")
    with open_evaluation("check", rec, truth, None, ks, options, time=time_col) as (connection, work):
        work.check_users()
        fields = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
        lines = (", ".join(sql_value(row[name]) for name in COLUMNS) for row in work.problems())
        rows = ", ".join(f"row({cells})" for cells in lines)
        return connection.result(f"SELECT unnest([{rows}]::STRUCT({fields})[], max_depth := 2)")


@described(Explaining)
def explain(
    rec: Table | Mapping[str, Table],
    truth: Table,
    user_id: object,
    ks: int | None = defaults.K,
    **options: Unpack[Explaining],
) -> duckdb.DuckDBPyRelation:
    """Explain the results of one user: the list of each model, rank by rank.

    Args:
        rec: recommendations, in any form that `evaluate` accepts.
        truth: ground truth, in any form that `evaluate` accepts.
        user_id: id of the user.
        ks: one cutoff; None means the whole list.
        options:

    Returns:
        A DuckDB relation with one row per item down to the cutoff, then one per missed relevant item: the
        columns of `ranking.explain`.

    Raises:
        ValueError, TypeError, duckdb.Error: as for `evaluate`.

    Example:
        >>> rec = {"q1": {"a": 0.9, "b": 0.5}}
        >>> result = ranking_udfs.explain(rec, {"q1": {"b"}}, "q1", 2)
        >>> result.select("rank, itemid, grade").fetchall()
        [(1, 'a', None), (2, 'b', 1.0)]
    """
    if isinstance(ks, Iterable):
        raise ValueError(f"explain: ks must be one cutoff, got {shorten(repr(ks))}")
    with open_evaluation("explain", rec, truth, None, ks, options) as (connection, work):
        work.check_users()
        return connection.result(explain_query(work.composed, str(user_id), work.tables.negated))


@described(Overlapping)
def overlap(
    rec: Table | Mapping[str, Table], ks: CutOffs = defaults.K, **options: Unpack[Overlapping]
) -> duckdb.DuckDBPyRelation:
    """Measure the overlap of the lists of models; no ground truth is needed.

    Args:
        rec: recommendations of two or more models, in any form that `evaluate` accepts: a dict by model
            name, or a table with a column `system`.
        ks: cutoffs: an integer or several. None means the whole list.
        options:

    Returns:
        A DuckDB relation with one row per pair of models and k: the columns of `ranking.overlap`.

    Raises:
        ValueError, TypeError, duckdb.Error: as for `evaluate`.

    Example:
        >>> rec = {"a": {"q1": ["x", "y"]}, "b": {"q1": ["y", "z"]}}
        >>> ranking_udfs.overlap(rec, 2).select("system, baseline, k, overlap").fetchall()
        [('b', 'a', 2, 0.5)]
    """
    with open_evaluation("overlap", rec, None, None, ks, options) as (connection, work):
        work.check_models()
        baseline, persistence = work.request.comparison["baseline"], work.options.persistence
        return connection.result(overlap_query(work.composed, baseline, persistence))


@described(Abstaining)
def abstention(
    rec: Table | Mapping[str, Table], truth: Table, **options: Unpack[Abstaining]
) -> duckdb.DuckDBPyRelation:
    """Choose a score threshold below which a system should not answer.

    Args:
        rec: recommendations with scores, in any form that `evaluate` accepts.
        truth: ground truth, with unanswerable users: users without a relevant item, or users that only
            `users` lists.
        options:

    Returns:
        A DuckDB relation with one row per model and threshold: the columns of `ranking.abstention`.

    Raises:
        ValueError, TypeError, duckdb.Error: as for `evaluate`; ValueError if every user has a relevant item.

    Example:
        >>> rec = {"q1": {"a": 0.9}, "q2": {"b": 0.2}}
        >>> result = ranking_udfs.abstention(rec, {"q1": {"a"}}, users=[{"userid": "q1"}, {"userid": "q2"}])
        >>> result.select("threshold, wrongly_refused, wrongly_answered").fetchall()
        [(0.2, 0, 1), (0.9, 0, 0)]
    """
    with open_evaluation("abstention", rec, truth, None, None, options) as (connection, work):
        work.prepare_abstention()
        result = connection.result(work.abstention_query(work.options.confidence))
        if not result.limit(1).fetchall():
            raise work.no_abstention()
        return result


@described(Fusing)
def fuse(rec: Table | Mapping[str, Table], **options: Unpack[Fusing]) -> duckdb.DuckDBPyRelation:
    """Fuse the rankings of several models into one, for hybrid search or an ensemble.

    Args:
        rec: recommendations of two or more models, in any form that `evaluate` accepts: a dict by model
            name, or a table with a column `system`.
        options:

    Returns:
        A DuckDB relation with one row per user and item: userid, itemid, score (the highest is the best) and
        n_systems.

    Raises:
        ValueError, TypeError, duckdb.Error: as for `evaluate`.

    Example:
        >>> rec = {"bm25": {"q1": ["a", "b"]}, "vector": {"q1": ["b"]}}
        >>> ranking_udfs.fuse(rec).order("score DESC").select("itemid, n_systems").fetchall()
        [('b', 2), ('a', 1)]
    """
    with open_evaluation("fuse", rec, None, None, None, options) as (connection, work):
        return connection.result(work.fusion_query())


@described(Splitting)
def split(events: Table, *, time_col: str = "time", **options: Unpack[Splitting]) -> duckdb.DuckDBPyRelation:
    """Split events into train and test, by time or by user.

    Args:
        events: users, items and times: a data frame, a relation, a file name or, with `con`, a table name.
        time_col: column of times.
        options:

    Returns:
        A DuckDB relation: the events, with fold, part ('train' or 'test') and dropped (the reason if an event
        is in neither part).

    Raises:
        ValueError, TypeError, duckdb.Error: as for `evaluate`.

    Example:
        >>> import pandas as pd
        >>> events = pd.DataFrame({"userid": [1, 1, 2], "itemid": list("abc"), "time": [1, 2, 3]})
        >>> result = ranking_udfs.split(events, test_size=2).order("time")
        >>> result.select("itemid, part").fetchall()
        [('a', 'train'), ('b', 'test'), ('c', 'test')]
    """
    check_keywords("split", options, ["time_col", *names_of(Splitting)])
    settings: dict[str, Any] = {name: OPTIONS[name].default for name in names_of(Splitting)} | dict(options)
    columns = columns_of("split", {name: value for name, value in settings.items() if name.endswith("_col")})
    named = {"userid": columns["user_col"], "itemid": columns["item_col"], "time": time_col}
    if not isinstance(time_col, str) or not time_col:
        raise TypeError(f"split: time_col must be the name of a column, got {time_col!r}")
    with value_errors("split"), open_connection("split", settings["con"]) as connection:
        path = connection.name("events", events, columns)
        catalog = Connection(has_tables=not connection.is_own)
        read = read_events(connection.con, path, named, catalog, is_command=False)
        view = f"{connection.prefix}events"
        return connection.result(split_query(connection.con, view, *read, settings, dashes=""))


KEYWORDS: Mapping[str, type] = {
    "evaluate": Evaluating,
    "compare": Comparing,
    "report": Reporting,
    "check": Checking,
    "explain": Explaining,
    "overlap": Overlapping,
    "abstention": Abstaining,
    "fuse": Fusing,
}
WITHOUT_TRUTH = ("overlap", "fuse")  # functions that read rec alone


@contextmanager
def open_evaluation(
    caller: str,
    rec: Any,
    truth: Any,
    measures: Any,
    ks: Any,
    options: Mapping[str, Any],
    **own: Any,
) -> Iterator[tuple[WorkConnection, Evaluation]]:
    """Open a connection for an evaluation, and warn about problems in the data at the caller's line.

    `own` holds the function's own parameters, under the names of the command's options.
    """
    parameters = {"fuse": "", "abstention": ""} | dict.fromkeys(("check", "explain", "overlap"), "ks")
    known = [*parameters.get(caller, "measures ks").split(), *names_of(KEYWORDS[caller])]
    check_keywords(caller, options, known)
    usual = {name: option.default for name, option in OPTIONS.items()} | {"by_user": False, "time": None}
    settings = SimpleNamespace(**usual | dict(options) | own)
    problems, directions = list[Row](), directions_of(caller, options)
    columns = columns_of(caller, {**options, "descending": True} if directions else options)
    with value_errors(caller), using_unit(settings.unit):
        settings.measures, settings.ks = parse_request(measures, ks, settings.ties)
        settings.also = parse_texts("also", "'latency_ms' or 'tokens:lower'", settings.also, parse_also)
        settings.allow = parse_texts("allow", "'no_common_id'", settings.allow or None, parse_codes)
        with open_connection(caller, settings.con) as connection:
            for name in ("segment_col", "category_col", "title_col", "text_col"):
                if not isinstance(vars(settings)[name], (str, type(OPTIONS[name].default))):
                    raise DataError(f"{name} must be the name of a column, got {vars(settings)[name]!r}")
            inputs = inputs_of(connection, rec, truth, columns, directions, settings, caller)
            work = Evaluation(connection.con, caller, inputs, settings, problems.extend)
            if caller != "evaluate":
                check_options(work.request.comparison, caller)
            if caller in ("evaluate", "compare"):
                work.prepare()
            if caller == "evaluate" and settings.by_user and settings.segments is not None:
                raise DataError("by_user must be False with segments, whose rows are means, got True")
            yield connection, work
    texts = [f"{severity}: {text}" for severity, text in problem_lines(problems)]
    if texts:
        several = f"{len(texts)} notes on the data:\n  " if texts[1:] else ""
        warnings.warn(f"{caller}: {several}" + "\n  ".join(texts), stacklevel=4)


def directions_of(caller: str, options: Mapping[str, Any]) -> Mapping[str, bool]:
    """Return for each model in the dict `descending` whether higher scores are better; {} without a dict."""
    descending = options.get("descending")
    if not isinstance(descending, Mapping):
        return {}
    if not descending or not all(isinstance(value, bool) for value in descending.values()):
        rule = "descending must be True or False, or a dict of these by the names of models"
        raise TypeError(f"{caller}: {rule}, got {shorten(descending)}")
    return descending


def check_order(connection: WorkConnection, columns: ColumnNames) -> None:
    """Raise DataError if rec and truth are exchanged: pytrec_eval and ranx take truth first."""
    are_whole = {is_whole for label, is_whole in connection.is_whole.items() if label.startswith("rec")}
    if connection.is_whole.get("truth") is False and columns["grade_col"] is None and are_whole == {True}:
        rule = f"{ORDER}; write grade_col='rel' if these are grades"
        raise DataError(f"truth: has fractions, and rec whole numbers: {rule}")


def inputs_of(
    connection: WorkConnection,
    rec: Any,
    truth: Any,
    columns: ColumnNames,
    directions: Mapping[str, bool],
    settings: Any,
    caller: str,
) -> Inputs:
    """Return the inputs under their names on the connection."""
    is_report = caller == "report"
    numbers = {"history": "rel", "predicted_truth": "rel"}
    segments, history, items, users, predicted_truth = (
        None
        if vars(settings)[name] is None
        else connection.name(name, vars(settings)[name], columns, numbers.get(name, ""))
        for name in ("segments", "history", "items", "users", "predicted_truth")
    )
    has_categories = "category_col" in names_of(KEYWORDS[caller]) and (not is_report or history is not None)
    recs = connection.recommendations(rec, columns, directions)
    reads_truth = caller not in WITHOUT_TRUTH
    truth_name = connection.name("truth", truth, columns, "rel") if reads_truth else ""
    check_order(connection, columns)
    return Inputs(
        recs=recs,
        truth=truth_name,
        columns=columns,
        segment=(segments, settings.segment_col) if segments is not None and settings.segment_col else None,
        history=history,
        users=users,
        items=None if items is None else (items, settings.category_col if has_categories else ""),
        titles=(items, settings.title_col) if is_report and items is not None else None,
        texts=(segments, settings.text_col) if is_report and segments is not None else None,
        predicted_truth=predicted_truth,
        also=[column.name for column in settings.also],
        catalog=Connection(has_tables=not connection.is_own),
        prefix=connection.prefix,
        own_columns=connection.own_columns,
        directions=directions,
        time=settings.time,
    )


@contextmanager
def value_errors(caller: str) -> Iterator[None]:
    """Convert errors in the data or an argument to ValueError with the name of the function."""
    try:
        yield
    except (DataError, duckdb.InvalidInputException) as error:
        text = error_summary(error).removeprefix("Invalid Input Error: ")
        text = re.sub(rf"^({caller}|{TABLE_FUNCTIONS}): ", "", text)
        raise ValueError(f"{caller}: {text}") from None


def parse_request(measures: Any, ks: Any, ties: Any) -> tuple[list[Choice], list[int | None]]:
    """Return the measures ([] for the default ones) and cutoffs; DataError if an argument is not valid."""
    if ties not in [*defaults.TIES]:
        raise DataError(f"ties must be one of {', '.join(defaults.TIES)}, got {shorten(repr(ties))}")
    chosen = parse_texts("measures", "'ndcg@5,10'", measures, parse_measures)
    for choice in chosen:
        if ties == "expected" and not choice.measure.expected:
            raise DataError(f"{choice.name} {defaults.NO_CLOSED_FORM}")
        for k in choice.cuts:
            to_cut_off(k)
    cuts = [to_cut_off(k) for k in (ks if isinstance(ks, Iterable) else [ks])]
    is_used = not chosen or not all(choice.cuts for choice in chosen)
    if is_used and not cuts:
        raise DataError("ks must be a non-empty list of cutoffs, got []")
    return chosen, cuts if is_used else []


def parse_texts(name: str, example: str, value: Any, parse: Callable[[str], list[Parsed]]) -> list[Parsed]:
    one_text = [value] if isinstance(value, str) else value
    texts = [*one_text] if isinstance(one_text, Iterable) else []
    if (not texts and value is not None) or not all(isinstance(text, str) for text in texts):
        raise DataError(f"{name} must be strings such as {example}, got {shorten(repr(value))}")
    try:
        return [choice for text in texts for choice in parse(text)]
    except ValueError as error:
        raise DataError(f"{f'{name} ' * (name != 'measures')}{error}") from None


def to_cut_off(k: object) -> int | None:
    """Convert a cutoff to an integer, or to None for the whole list; DataError if it is not valid."""
    try:
        depth = -1 if isinstance(k, bool) else k if k is None else operator.index(k)  # type: ignore[arg-type]
    except TypeError:
        depth = -1
    if depth is not None and not 0 <= depth <= defaults.LARGEST_K:
        rule = f"every k in ks must be an integer from 0 to {defaults.LARGEST_K}, or None"
        raise DataError(f"{rule}, got {shorten(repr(k))}")
    return depth
