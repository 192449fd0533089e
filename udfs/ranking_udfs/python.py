"""The Python API: `evaluate`, `compare`, `check` and the other commands as functions of Python."""

import inspect
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

import duckdb

from . import keywords
from .compose.columns import PYTHON
from .evaluation.comparison import comparison_plan, comparison_queries
from .evaluation.errors import DataError, error_summary
from .evaluation.problems import COLUMNS, problem_lines
from .evaluation.queries import (
    abstention_query,
    explain_query,
    fusion_query,
    overlap_query,
    plan,
    summary_query,
)
from .evaluation.words import Row
from .inputs.catalogs import Connection
from .inputs.connections import WorkConnection, open_connection
from .inputs.evaluation import Evaluation, check_users, load
from .inputs.events import read_events, split_query
from .inputs.measuring import conclude_abstention, measure, prepare_abstention
from .inputs.problems import find_problems
from .inputs.requests import check_models, make_request
from .inputs.tables import ORDER, Inputs, with_own_columns
from .keywords import Cutoffs, Measures, Table
from .kinds import K
from .options import FUNCTIONS, VERBS, Values, check_keywords, defaults, described_options
from .options import check as check_options
from .quoting import sql_value
from .texts import using_unit

if TYPE_CHECKING:
    from .reporting.page import Page

RAISES = "    Raises:\n        ValueError, TypeError, duckdb.Error: as for `evaluate`.\n\n"
Function = TypeVar("Function", bound=Callable[..., Any])


def described(function: Function) -> Function:
    """Add the options of a function to its docstring, and those without a place to its signature.

    A docstring without errors of its own gets those of all functions.
    """
    options, signature = VERBS[function.__name__], inspect.signature(function)
    own = [value for value in signature.parameters.values() if value.kind is not value.VAR_KEYWORD]
    others = {name: option for name, option in options.items() if name not in signature.parameters}
    before, returns, after = (function.__doc__ or "").partition("    Returns:\n")
    if "    Raises:\n" not in after:
        after = after.replace("    Example:\n", f"{RAISES}    Example:\n")
    function.__doc__ = f"{before}    Args:\n{described_options(options)}\n\n{returns}{after}"
    keyword_only = inspect.Parameter.KEYWORD_ONLY
    parameters = [
        inspect.Parameter(name, keyword_only, default=option.default) for name, option in others.items()
    ]
    function.__signature__ = signature.replace(parameters=own + parameters)  # type: ignore[attr-defined]
    return function


@described
def evaluate(
    rec: Table | Mapping[str, Table],
    truth: Table,
    measures: Measures = None,
    ks: Cutoffs = None,
    **options: Unpack[keywords.Evaluate],
) -> duckdb.DuckDBPyRelation:
    """Compute the mean of each measure for each model and cutoff.

    Without measures: recall, precision, average_precision, mrr, ndcg, hit_rate and f_measure; with history or
    items, the beyond-accuracy measures too.

    Returns:
        A DuckDB relation with one row per model, segment and k. Columns: [system,] [segment,] k, users,
        users_without_rec, users_without_truth, users_without_relevant and one per measure. A measure is NULL
        at cutoffs that it does not have. The segment of all users is `(all)`. With history or items, the
        columns users_with_rec (with or without truth), users_without_history and the beyond-accuracy measures
        follow. With confidence, its interval follows each measure, as in ndcg_low and ndcg_high.
        With by_user: one row per model, user and k, with [system,] userid, k, n_rec, n_truth and the
        measures. Read the relation with `.df()`, `.pl()`, `.fetchall()` or `.show()`. It is already computed
        and keeps its connection open: `con`, or one of its own.

    Raises:
        ValueError: the data or an argument is invalid.
        TypeError: an argument is unknown, or con is not a connection.
        duckdb.Error: DuckDB cannot read an input.

    Example:
        >>> import pandas as pd
        >>> rec = pd.DataFrame({"userid": [7, 7, 8], "itemid": ["a", "b", "a"], "score": [0.9, 0.5, 0.7]})
        >>> truth = pd.DataFrame({"userid": [7, 8], "itemid": ["b", "a"]})
        >>> ranking_udfs.evaluate(rec, truth, ["mrr@1,2", "recall@2"]).fetchall()
        [(1, 2, 0, 0, 0, 0.5, None), (2, 2, 0, 0, 0, 0.75, 1.0)]
    """
    with open_evaluation("evaluate", rec, truth, measures=measures, ks=ks, **options) as (connection, work):
        steps = plan(work.request)
        work.notify(measure(work, steps))
        return connection.result(steps.by_user or summary_query(work.request, steps))


@described
def compare(
    rec: Table | Mapping[str, Table],
    truth: Table,
    measures: Measures = None,
    baseline: str | None = None,
    **options: Unpack[keywords.Compare],
) -> duckdb.DuckDBPyRelation:
    """Compare models: differences with confidence intervals, p-values and verdicts.

    Without measures: ndcg, recall, average_precision, mrr, hit_rate and precision. Beyond-accuracy measures
    such as novelty have the verdicts `higher` and `lower`.

    Returns:
        A DuckDB relation with one row per comparison and the columns of `ranking.compare_by_user`. With
        segments, a column segment comes first. The column caveats includes codes that the check finds. Each
        column in `also` has rows with its name as measure and NULL as k.

    Example:
        >>> import pandas as pd
        >>> a = pd.DataFrame({"userid": range(9), "itemid": 1, "score": 1.0})
        >>> truth = a.assign(itemid=[1, 1, 1, 1, 1, 1, 1, 1, 2])
        >>> result = ranking_udfs.compare({"a": a, "b": a.assign(itemid=2)}, truth, "mrr@1", "a")
        >>> result.select("system, wins, losses, round(difference, 4), verdict").fetchall()
        [('b', 1, 8, -0.7778, 'worse')]
    """
    given = {"measures": measures, "baseline": baseline, **options}
    with open_evaluation("compare", rec, truth, **given) as (connection, work):
        check_models(work.request)
        problems = measure(work, comparison_plan(work.request))
        work.notify(problems)
        queries = comparison_queries(work.request, problems)
        return connection.result("\nUNION ALL BY NAME ".join(f"({query})" for query in queries))


@described
def report(
    rec: Table | Mapping[str, Table],
    truth: Table,
    measures: Measures = None,
    ks: Cutoffs = None,
    **options: Unpack[keywords.Report],
) -> "Page":
    """Create the HTML report of `ranking-udfs report`; a notebook displays it.

    The verdict is about the first measure at its first cutoff; without a baseline, all models are compared
    with the first. Requires the extra `report`. A DuckDB error aborts an open transaction of `con`.

    Returns:
        A Page. Its `html` is a complete HTML file; `save(path)` writes it. Problems in the data are on the
        page. `charts` has the charts by name, such as `ndcg` and `ndcg-differences`; a notebook shows each.

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
    with open_evaluation("report", rec, truth, measures=measures, ks=ks, **options) as (_, work):
        return page(Findings(work))


@described
def check(
    rec: Table | Mapping[str, Table],
    truth: Table,
    ks: Cutoffs = K,
    **options: Unpack[keywords.Check],
) -> duckdb.DuckDBPyRelation:
    """Check the data for problems, before you trust a result.

    Returns:
        A DuckDB relation with one row per problem: severity (error, warning or info), system, problem, code,
        column_name, k, example, count, of, file and write (the fix). No row: no problem.

    Example:
        >>> rec = {"q1": {"a": 0.9, "b": 0.9}, "q2": {"a": 0.7}}
        >>> result = ranking_udfs.check(rec, {"q1": {"b"}, "q2": {"c"}}, 1)
        >>> result.filter("severity = 'warning'").select("code, count, of").fetchall()
        [('ties_at_k', 1, 2)]
    """
    if options.get("time_col") is not None and options.get("history") is None:
        rule = "time_col must be left out without history, which has times"
        raise ValueError(f"check: {rule}, got {options['time_col']!r}")
    with open_evaluation("check", rec, truth, ks=ks, **options) as (connection, work):
        check_users(work)
        fields = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
        lines = (", ".join(sql_value(row[name]) for name in COLUMNS) for row in find_problems(work))
        rows = ", ".join(f"row({cells})" for cells in lines)
        return connection.result(f"SELECT unnest([{rows}]::STRUCT({fields})[], max_depth := 2)")


@described
def explain(
    rec: Table | Mapping[str, Table],
    truth: Table,
    user: object,
    k: Cutoffs = K,
    **options: Unpack[keywords.Explain],
) -> duckdb.DuckDBPyRelation:
    """Explain the results of one user: the list of each model, rank by rank.

    Returns:
        A DuckDB relation with one row per item down to the cutoff, then one per missed relevant item: the
        columns of `ranking.explain`.

    Example:
        >>> rec = {"q1": {"a": 0.9, "b": 0.5}}
        >>> result = ranking_udfs.explain(rec, {"q1": {"b"}}, "q1", 2)
        >>> result.select("rank, itemid, grade").fetchall()
        [(1, 'a', None), (2, 'b', 1.0)]
    """
    with open_evaluation("explain", rec, truth, k=k, **options) as (connection, work):
        check_users(work)
        return connection.result(explain_query(work.request, str(user), work.tables.negated))


@described
def overlap(
    rec: Table | Mapping[str, Table], ks: Cutoffs = K, **options: Unpack[keywords.Overlap]
) -> duckdb.DuckDBPyRelation:
    """Measure the overlap of the lists of models; no ground truth is needed.

    Returns:
        A DuckDB relation with one row per pair of models and k: the columns of `ranking.overlap`.

    Example:
        >>> rec = {"a": {"q1": ["x", "y"]}, "b": {"q1": ["y", "z"]}}
        >>> ranking_udfs.overlap(rec, 2).select("system, baseline, k, overlap").fetchall()
        [('b', 'a', 2, 0.5)]
    """
    with open_evaluation("overlap", rec, None, ks=ks, **options) as (connection, work):
        check_models(work.request)
        return connection.result(overlap_query(work.request, work.options.persistence))


@described
def abstention(
    rec: Table | Mapping[str, Table], truth: Table, **options: Unpack[keywords.Abstention]
) -> duckdb.DuckDBPyRelation:
    """Choose a score threshold below which a system should not answer.

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
    with open_evaluation("abstention", rec, truth, **options) as (connection, work):
        problems = prepare_abstention(work)
        query = abstention_query(work.request, work.tables.negated, work.options.confidence)
        result = connection.result(query)
        conclude_abstention(work, result.limit(1).fetchall(), problems)
        return result


@described
def fuse(rec: Table | Mapping[str, Table], **options: Unpack[keywords.Fuse]) -> duckdb.DuckDBPyRelation:
    """Fuse the rankings of several models into one, for hybrid search or an ensemble.

    Returns:
        A DuckDB relation with one row per user and item: userid, itemid, score (the highest is the best) and
        n_systems.

    Example:
        >>> rec = {"bm25": {"q1": ["a", "b"]}, "vector": {"q1": ["b"]}}
        >>> ranking_udfs.fuse(rec).order("score DESC").select("itemid, n_systems").fetchall()
        [('b', 2), ('a', 1)]
    """
    with open_evaluation("fuse", rec, None, **options) as (connection, work):
        return connection.result(fusion_query(work.request, vars(work.options)))


@described
def split(events: Table, **options: Unpack[keywords.Split]) -> duckdb.DuckDBPyRelation:
    """Split events into train and test, by time or by user.

    Returns:
        A DuckDB relation: the events, with fold, part ('train' or 'test') and dropped (the reason if an event
        is in neither part).

    Example:
        >>> import pandas as pd
        >>> events = pd.DataFrame({"userid": [1, 1, 2], "itemid": list("abc"), "time": [1, 2, 3]})
        >>> result = ranking_udfs.split(events, test_size=2).order("time")
        >>> result.select("itemid, part").fetchall()
        [('a', 'train'), ('b', 'test'), ('c', 'test')]
    """
    values = read_options("split", options)
    columns = defaults() | {name: value for name, value in values.items() if name.endswith("_col")}
    names = {"userid": columns["user_col"], "itemid": columns["item_col"], "time": values["time_col"]}
    with value_errors("split"), open_connection("split", values["con"]) as connection:
        path = connection.name("events", events, columns)
        catalog = Connection(has_tables=not connection.is_own)
        read = read_events(connection.con, path, names, catalog, PYTHON)
        view = f"{connection.prefix}events"
        return connection.result(split_query(connection.con, view, *read, values, dashes=""))


def read_options(caller: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a value for each option of a function; ValueError or TypeError for an invalid one."""
    check_keywords(caller, given, VERBS[caller])
    try:
        return check_options(VERBS[caller], given)
    except ValueError as error:
        raise type(error)(f"{caller}: {error}") from None


@contextmanager
def open_evaluation(
    caller: str, rec: Any, truth: Any, **given: Any
) -> Iterator[tuple[WorkConnection, Evaluation]]:
    """Open a connection for an evaluation, and warn about problems in the data at the caller's line."""
    values = read_options(caller, given)
    directions = values["descending"] if isinstance(values["descending"], Mapping) else {}
    problems, columns = list[Row](), defaults()
    columns |= {name: values[name] for name in columns.keys() & values.keys()}
    columns["descending"] = True if directions else values["descending"]
    values["ks"] = values.get("ks") or [values.get("k", K)]
    with (
        value_errors(caller),
        using_unit(values.get("unit", "user")),
        open_connection(caller, values["con"]) as connection,
    ):
        for name in ("segments", "confidence") if values.get("by_user") else ():
            if values[name] is not None:
                raise DataError(f"by_user must be False with {name}, whose rows are means, got True")
        con, inputs = connection.con, inputs_of(connection, rec, truth, columns, directions, values)
        inputs = with_own_columns(con, inputs)
        request, tables = load(con, make_request(caller, inputs, values), inputs)
        options = SimpleNamespace(**values)
        yield connection, Evaluation(con, request, inputs, tables, options, problems.extend, lambda _: None)
    texts = [f"{severity}: {text}" for severity, text in problem_lines(problems)]
    if texts:
        several = f"{len(texts)} notes on the data:\n  " if texts[1:] else ""
        warnings.warn(f"{caller}: {several}" + "\n  ".join(texts), stacklevel=4)


def check_order(connection: WorkConnection, columns: Values) -> None:
    """Raise DataError if rec and truth are exchanged: pytrec_eval and ranx take truth first."""
    are_whole = {is_whole for label, is_whole in connection.is_whole.items() if label.startswith("rec")}
    if connection.is_whole.get("truth") is False and columns["grade_col"] is None and are_whole == {True}:
        rule = f"{ORDER}; write grade_col='rel' if these are grades"
        raise DataError(f"truth: has fractions, and rec whole numbers: {rule}")


def inputs_of(
    connection: WorkConnection,
    rec: Any,
    truth: Any,
    columns: Values,
    directions: Mapping[str, bool],
    values: Values,
) -> Inputs:
    """Return the inputs under their names on the connection."""
    is_report = "title_col" in values
    numbers = {"history": "rel", "predicted_truth": "rel"}
    segments, history, items, users, predicted_truth = (
        None
        if values.get(name) is None
        else connection.name(name, values[name], columns, numbers.get(name, ""))
        for name in ("segments", "history", "items", "users", "predicted_truth")
    )
    category = values.get("category_col", "") if not is_report or history is not None else ""
    recs = connection.recommendations(rec, columns)
    truth_name = connection.name("truth", truth, columns, "rel") if "truth" in values else ""
    check_order(connection, columns)
    return Inputs(
        recs=recs,
        truth=truth_name,
        columns=columns,
        segment=(segments, values["segment_col"]) if segments is not None and values["segment_col"] else None,
        history=history,
        users=users,
        items=None if items is None else (items, category or ""),
        titles=(items, values["title_col"]) if is_report and items is not None else None,
        texts=(segments, values["text_col"]) if is_report and segments is not None else None,
        predicted_truth=predicted_truth,
        also=[(column.options["file"], column.name) for column in values.get("also") or ()],
        catalog=Connection(has_tables=not connection.is_own),
        prefix=connection.prefix,
        own_columns=connection.own_columns,
        directions=directions,
        time=values.get("time_col"),
    )


@contextmanager
def value_errors(caller: str) -> Iterator[None]:
    """Convert errors in the data or an argument to ValueError with the name of the function."""
    try:
        yield
    except (DataError, duckdb.InvalidInputException) as error:
        text = error_summary(error)
        names = "|".join(FUNCTIONS)
        text = re.sub(rf"^({caller}|ranking\.({names})): ", "", text)
        raise ValueError(f"{caller}: {text}") from None
