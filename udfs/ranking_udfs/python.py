"""`evaluate`, `compare` and `report`: the command's work for Python, without SQL and without files."""

import operator
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import duckdb

from .duckdb.statements import identifier, literal
from .evaluation import defaults
from .evaluation.columns import ColumnNames, Columns, columns_of
from .evaluation.comparison import (
    OPTIONS,
    ComparisonOptions,
    check_measures,
    check_options,
    check_systems,
    compare_queries,
    segment_tables,
)
from .evaluation.errors import DataError, error_summary
from .evaluation.problems import check_common, problem_text
from .evaluation.queries import Plan, Request, plan, resolve_cut_offs, with_contents
from .evaluation.words import COUNTS, OF_LISTS
from .inputs.tables import Inputs, Tables, check_users, find_problems, load, systems_of
from .inputs.workplace import Workplace, workplace
from .measures.grammar import parse_measures
from .texts import shorten

if TYPE_CHECKING:
    from .reporting.page import Page

# A data frame of any kind, a relation, the name of a file or a table; no type says what DuckDB can read.
Table = Any
TABLE_FUNCTIONS = (  # that do the work
    "ranking_(judged|by_user|summary|compare_by_user|check|beyond_accuracy(_by_user)?)"
)
CutOffs = int | Sequence[int | None] | None


def evaluate(
    rec: Table | Mapping[str, Table],
    truth: Table,
    measures: Sequence[str] | str | None = None,
    ks: CutOffs = defaults.K,
    *,
    con: duckdb.DuckDBPyConnection | None = None,
    by_user: bool = False,
    segments: Table | None = None,
    segment_col: str = "segment",
    history: Table | None = None,
    items: Table | None = None,
    category_col: str = "category",
    head: float = defaults.HEAD,
    divergence: str = defaults.DIVERGENCE,
    ties: str = "item",
    check: bool = True,
    allow_empty: bool = False,
    **columns: Unpack[ColumnNames],
) -> duckdb.DuckDBPyRelation:
    """Measure recommendations by the truth, as `ranking-udfs evaluate` does.

    Args:
        rec: recommendations: users, items and scores. A data frame (pandas, Polars, Arrow), a relation of
            DuckDB's, the name of a file or, with `con`, of a table or view; or a dict of these by the names
            of several models. A column `system` tells models apart, too.
        truth: what turned out right: users, items and, if there are any, grades; in the same forms.
        measures: as texts, `ndcg`, `recall(normalize=min)@5,10`, with options and cut-offs if they are to
            have their own. By default recall, precision, average_precision, auc, mrr, ndcg, hit_rate and
            f_measure.
        ks: the cut-offs of all other measures: an integer, or several; None is the whole list.
        con: the connection whose tables may be named. The pack is registered on it, as by `register`; the
            tables of an evaluation are gone at the end, and nothing of the user's is replaced.
        by_user: whether to return the values of each user in place of means.
        segments: users and what they belong to, in the same forms, for the means of each segment too.
        segment_col: the column of segments that names the segment.
        history: users and items that the recommendations were made of, in the same forms: what is in the
            lists is measured too (popularity, novelty, long_tail, repeats and the other columns of
            ranking_beyond_accuracy, or those of them that `measures` names), and the check looks for leaks.
        items: the catalogue, items and their categories, in the same forms, for diversity, coverage and more.
        category_col: the column of items that names the category.
        head: the share of history that is of the head, whose opposite is long_tail.
        divergence: of miscalibration: "js" or "kl".
        ties: "item" orders equal scores by item, "trec" as trec_eval does; "expected" gives the expected
            values over all orders.
        check: whether to look for problems in the data; each is a warning.
        allow_empty: whether a model may have no user or no item in common with truth, which is an error else
            where the check finds it.
        columns: `user_col`, `item_col`, `score_col`, `grade_col`, `system_col`: the names of the columns
            in the tables; `descending=False` where the lowest score is the best, as of ranks;
            `min_grade`, the lowest grade that is relevant, by default every one above 0;
            `unjudged="skip"` leaves out items that truth has no row for.

    Returns:
        A relation with a row per model, segment and k: [system,] [segment,] k, users, users_without_rec,
        users_without_truth, users_without_relevant and a column for each measure, NULL at cut-offs that are
        not its own; the segment of all users is `(all)`. With history or items users_with_rec (with truth or
        without), users_without_history and what is in the lists stand beside them. With by_user a row per
        model, user and k: [system,] userid, k, n_rec, n_truth and the measures. `.df()`, `.pl()`,
        `.fetchall()` and `.show()` read it. It has been computed, and keeps its connection open: one of its
        own, or `con`.

    Raises:
        ValueError: the data or an argument is not valid.
        TypeError: a column is not named by a text, or con is no connection.
        duckdb.Error: DuckDB cannot read what is named.

    Example:
        >>> import pandas as pd
        >>> rec = pd.DataFrame({"userid": [7, 7, 8], "itemid": ["a", "b", "a"], "score": [0.9, 0.5, 0.7]})
        >>> truth = pd.DataFrame({"userid": [7, 8], "itemid": ["b", "a"]})
        >>> ranking_udfs.evaluate(rec, truth, ["mrr@1,2", "recall@2"]).fetchall()
        [(1, 2, 0, 0, 0, 0.5, None), (2, 2, 0, 0, 0, 0.75, 1.0)]
    """
    with at_work("evaluate", defaults.MEASURES, locals()) as (place, request, inputs, tables, _):
        steps = plan(request, tables.has_system)
        notes = make_tables(place, inputs, tables, steps, request, check, allow_empty)
        systems = systems_of(place.con, tables)
        query = steps.by_user if by_user and steps.by_user else ordered_summary(steps, request, systems)
        result = place.result(query)
    warn("evaluate", notes)
    return result


def compare(
    rec: Table | Mapping[str, Table],
    truth: Table,
    measures: Sequence[str] | str | None = None,
    ks: CutOffs = defaults.K,
    *,
    baseline: str | None = None,
    confidence: float = defaults.CONFIDENCE,
    margin: float | None = None,
    correction: str = "holm",
    test: str = "t",
    permutations: int = defaults.PERMUTATIONS,
    seed: int = defaults.SEED,
    con: duckdb.DuckDBPyConnection | None = None,
    segments: Table | None = None,
    segment_col: str = "segment",
    history: Table | None = None,
    items: Table | None = None,
    category_col: str = "category",
    head: float = defaults.HEAD,
    divergence: str = defaults.DIVERGENCE,
    ties: str = "item",
    check: bool = True,
    allow_empty: bool = False,
    **columns: Unpack[ColumnNames],
) -> duckdb.DuckDBPyRelation:
    """Find out which model is better, and how surely, as `ranking-udfs compare` does.

    Args:
        rec: the recommendations of two models or more, as of `evaluate`: a dict, or one with a column system.
        truth: as of `evaluate`.
        measures: as of `evaluate`; by default ndcg, recall, average_precision, mrr, hit_rate and precision.
        ks: as of `evaluate`.
        baseline: the model to compare the others with; by default each is compared with each.
        confidence: the confidence level of intervals and verdicts.
        margin: the equivalence margin: models that differ by less are the same.
        correction: of p for multiple comparisons: "holm", "bh" (Benjamini and Hochberg) or "none".
        test: the paired test, "t" or "randomization".
        permutations: the number of permutations of the randomization test.
        seed: the random seed of the permutations.
        con: as of `evaluate`.
        segments: as of `evaluate`; the users of each segment are compared too, apart from all users.
        segment_col: as of `evaluate`.
        history: as of `evaluate`, for measures such as novelty: their verdicts are `higher` and `lower`.
        items: as of `evaluate`, likewise.
        category_col: as of `evaluate`.
        head: as of `evaluate`.
        divergence: as of `evaluate`.
        ties: as of `evaluate`.
        check: as of `evaluate`.
        allow_empty: as of `evaluate`.
        columns: as of `evaluate`.

    Returns:
        A relation with a row per comparison, the columns of `ranking_compare_by_user`, and if there are
        segments, segment before them. It reads as that of `evaluate`.

    Raises:
        ValueError: the data or an argument is not valid.
        TypeError: a column is not named by a text, or con is no connection.
        duckdb.Error: DuckDB cannot read what is named.

    Example:
        >>> import pandas as pd
        >>> a = pd.DataFrame({"userid": range(9), "itemid": 1, "score": 1.0})
        >>> truth = a.assign(itemid=[1, 1, 1, 1, 1, 1, 1, 1, 2])
        >>> found = ranking_udfs.compare({"a": a, "b": a.assign(itemid=2)}, truth, "mrr", 1, baseline="a")
        >>> found.select("system, wins, losses, round(difference, 4), verdict").fetchall()
        [('b', 1, 8, -0.7778, 'worse')]
    """
    with at_work("compare", defaults.COMPARED_MEASURES, locals()) as work:
        place, request, inputs, tables, options = work
        check_systems(systems_of(place.con, tables), baseline, "compare", "", "{'a': rec_a, 'b': rec_b}")
        steps = plan(request, tables.has_system)
        steps = replace(steps, tables=[*steps.tables, *segment_tables(request)])
        compared = compare_queries(request, options)
        notes = make_tables(place, inputs, tables, steps, request, check, allow_empty)
        if segments is not None:
            everybody = f"SELECT {literal(defaults.EVERYBODY)} AS segment, *"
            compared[0] = [f"{everybody} FROM ({query})" for query in compared[0]]
        result = place.result("\nUNION ALL BY NAME ".join(f"({one})" for of in compared for one in of))
    warn("compare", notes)
    return result


def report(
    rec: Table | Mapping[str, Table],
    truth: Table,
    measures: Sequence[str] | str | None = None,
    ks: CutOffs = defaults.K,
    *,
    baseline: str | None = None,
    confidence: float = defaults.CONFIDENCE,
    margin: float | None = None,
    correction: str = "holm",
    test: str = "t",
    permutations: int = defaults.PERMUTATIONS,
    seed: int = defaults.SEED,
    con: duckdb.DuckDBPyConnection | None = None,
    segments: Table | None = None,
    segment_col: str = "segment",
    history: Table | None = None,
    items: Table | None = None,
    category_col: str = "category",
    head: float = defaults.HEAD,
    divergence: str = defaults.DIVERGENCE,
    ties: str = "item",
    check: bool = True,
    allow_empty: bool = False,
    **columns: Unpack[ColumnNames],
) -> "Page":
    """Make the page that `ranking-udfs report` writes; a notebook shows it.

    Needs vl-convert-python and Jinja2, the extra `report`. In a transaction of `con`, an error of DuckDB's
    aborts it.

    Args:
        rec: as of `evaluate`, of one model or several.
        truth: as of `evaluate`.
        measures: as of `compare`; the verdict is of the first.
        ks: as of `evaluate`; the verdict is of the first.
        baseline: the model to compare the others with; by default the first.
        confidence: as of `compare`.
        margin: as of `compare`.
        correction: as of `compare`.
        test: as of `compare`.
        permutations: as of `compare`.
        seed: as of `compare`.
        con: as of `evaluate`.
        segments: as of `evaluate`.
        segment_col: as of `evaluate`.
        history: users and items that the recommendations were made of, in the same forms: the page shows how
            popular the recommended items are, and the check looks for leaks.
        items: with history, the catalogue: items and their categories, in the same forms.
        category_col: the column of items that names the category.
        head: the share of history that is of the head, whose opposite is the tail.
        divergence: of miscalibration: "js" or "kl".
        ties: as of `evaluate`.
        check: whether to look for problems in the data, which then stand on the page.
        allow_empty: as of `evaluate`.
        columns: as of `evaluate`.

    Returns:
        A Page: its `html` is a whole file of HTML, which `save(path)` writes.

    Raises:
        ValueError: the data or an argument is not valid.
        TypeError: a column is not named by a text, or con is no connection.
        ImportError: vl-convert-python or Jinja2 is not installed.
        duckdb.Error: DuckDB cannot read what is named.

    Example:
        >>> import pandas as pd
        >>> rec = pd.DataFrame({"userid": [7, 7, 8], "itemid": ["a", "b", "a"], "score": [0.9, 0.5, 0.7]})
        >>> truth = pd.DataFrame({"userid": [7, 8], "itemid": ["b", "a"]})
        >>> page = ranking_udfs.report(rec, truth, ["ndcg", "recall"], [1, 2])
        >>> "How good are the recommendations?" in page.html
        True
    """
    from .reporting.drawing import vl_convert
    from .reporting.gathering import Gathering
    from .reporting.page import library, page

    vl_convert()
    library()  # an error at once where one is not installed
    with at_work("report", defaults.COMPARED_MEASURES, locals()) as (place, request, inputs, tables, options):
        gathering = Gathering(place.con, inputs, tables, request, options)
        findings = gathering.findings(check, allow_empty)
    return page(findings)


@contextmanager
def at_work(
    caller: str, usual: Sequence[str], given: Mapping[str, Any]
) -> Iterator[tuple[Workplace, Request, Inputs, Tables, ComparisonOptions]]:
    """Read the tables that a function's arguments name; `given` are these by name, `usual` its measures.

    Raises:
        ValueError, TypeError: as the functions say.
    """
    columns = columns_of(caller, given["columns"])
    options = ComparisonOptions(**{name: given[name] for name in OPTIONS if name in given})
    with value_errors(caller):
        request = build_request(caller, usual, columns, given)
        with workplace(caller, given["con"], options.test == "randomization") as place:
            if caller != "evaluate":
                check_options(place.con, options, caller)
            inputs = inputs_of(place, columns, given)
            yield place, replace(request, prefix=place.prefix), inputs, load(place.con, inputs), options


@contextmanager
def value_errors(caller: str) -> Iterator[None]:
    """Raise errors of the data or an argument as ValueError, under the name of the function."""
    try:
        yield
    except (DataError, duckdb.InvalidInputException) as error:
        text = error_summary(error).removeprefix("Invalid Input Error: ")
        text = re.sub(rf"^({caller}|{TABLE_FUNCTIONS}): ", "", text)
        raise ValueError(f"{caller}: {text}") from None


def build_request(caller: str, usual: Sequence[str], columns: Columns, given: Mapping[str, Any]) -> Request:
    """Make the request of a function's arguments.

    Raises:
        DataError: an argument is not valid.
    """
    measures, ks, ties = (given[name] for name in ("measures", "ks", "ties"))
    has = {name: given[name] is not None for name in ("segments", "history", "items")}
    if ties not in [*defaults.TIES]:
        raise DataError(f"ties must be one of {', '.join(defaults.TIES)}, got {shorten(repr(ties))}")
    one_text = [measures] if isinstance(measures, str) else measures
    texts = usual if measures is None else [*one_text] if isinstance(one_text, Iterable) else []
    if not texts or not all(isinstance(one, str) for one in texts):
        raise DataError(f"measures must be texts such as 'ndcg@5,10', got {shorten(repr(measures))}")
    try:
        chosen = [choice for one in texts for choice in parse_measures(one)]
    except ValueError as error:
        raise DataError(str(error)) from None
    for choice in chosen:
        if ties == "expected" and not choice.measure.expected:
            raise DataError(f"{choice.name} {defaults.NO_CLOSED_FORM}")
        for k in choice.cuts:
            to_cut_off(k)
    cuts = [to_cut_off(k) for k in (ks if isinstance(ks, Iterable) else [ks])]
    is_used = not all(choice.cuts for choice in chosen)
    if is_used and not cuts:
        raise DataError("ks must be a list of one or more k, got []")
    choices, every = resolve_cut_offs(chosen, cuts if is_used else [])
    request = Request(
        choices=choices,
        ks=every,
        ties=ties,
        descending=columns.descending,
        by_segment=has["segments"],
        by_user=given.get("by_user", caller == "compare"),
        columns=columns,
        history=has["history"],
        items=has["items"],
        head=given["head"],
        divergence=given["divergence"],
    )
    if caller == "report":
        if has["items"] and not has["history"]:
            raise DataError("items needs history=..., with whose categories those of the lists are compared")
        return request
    request = with_contents(request, caller)
    if caller == "compare":
        check_measures(request, caller)
    elif request.by_user and request.by_segment:
        raise DataError("by_user must be False with segments, whose rows are means, got True")
    return request


def to_cut_off(k: object) -> int | None:
    """Return a cut-off as an integer, NumPy's too, or None for the whole list.

    Raises:
        DataError: it is none.
    """
    if k is None:
        return None
    try:
        found = -1 if isinstance(k, bool) else operator.index(k)  # type: ignore[arg-type]
    except TypeError:
        found = -1
    if not 0 <= found <= defaults.LARGEST_K:
        rule = f"every k in ks must be an integer from 0 to {defaults.LARGEST_K}, or None"
        raise DataError(f"{rule}, got {shorten(repr(k))}")
    return found


def inputs_of(place: Workplace, columns: Columns, given: Mapping[str, Any]) -> Inputs:
    """Return what a function's arguments name: tables, files and data frames."""
    for name in ("segment_col", "category_col"):
        if not isinstance(given[name], str):
            raise DataError(f"{name} must be the name of a column, got {given[name]!r}")

    def beside(name: str) -> str | None:
        return None if given[name] is None else place.name(name, given[name])

    recs, truth = place.recommendations(given["rec"]), place.name("truth", given["truth"])
    segments, history, items = map(beside, ("segments", "history", "items"))
    return Inputs(
        recs=recs,
        truth=truth,
        columns=columns,
        segment=None if segments is None else (segments, given["segment_col"]),
        history=history,
        items=None if items is None else (items, given["category_col"]),
        catalog=place.catalog,
        prefix=place.prefix,
    )


def make_tables(
    place: Workplace,
    inputs: Inputs,
    tables: Tables,
    steps: Plan,
    request: Request,
    check: bool,
    allow_empty: bool,
) -> list[str]:
    """Make the tables of a plan, and return the problems of the data."""
    check_users(place.con, inputs)
    for statement in steps.tables:
        place.con.execute(statement)
    if not check:
        return []
    problems = find_problems(place.con, steps.check, inputs, tables, request, allow_empty)
    if not allow_empty:
        check_common(problems)
    return [problem_text(row) for row in problems]


def ordered_summary(steps: Plan, request: Request, systems: Sequence[str]) -> str:
    """Return the query for the means of all users and of segments, in the order of the command."""
    names = ["system"] * bool(systems) + ["segment"] * request.by_segment + ["k::BIGINT AS k", *COUNTS]
    counts = [*OF_LISTS][: 1 + request.history] if request.contents else []
    names += [identifier(choice.name) for choice in request.choices] + counts
    names += [identifier(choice.name) for choice in request.contents]
    source, order = f"({steps.summary})", []
    if steps.by_segment:
        everybody = f"SELECT 0 AS is_segment, {literal(defaults.EVERYBODY)} AS segment, * FROM {source}"
        source = f"({everybody}\nUNION ALL BY NAME SELECT 1 AS is_segment, * FROM ({steps.by_segment}))"
        order.append("is_segment")
    if systems:
        order.append(f"list_position([{', '.join(map(literal, systems))}], system)")
    order += ["segment"] * request.by_segment
    cuts = ", ".join("-1" if k is None else str(k) for k in request.ks)
    order.append(f"list_position([{cuts}]::BIGINT[], coalesce(k, -1)::BIGINT)")
    return f"SELECT {', '.join(names)}\nFROM {source}\nORDER BY {', '.join(order)}"


def warn(caller: str, notes: Sequence[str]) -> None:
    """Warn of problems in the data, at the line that called the function."""
    for note in notes:
        warnings.warn(f"{caller}: {note}", stacklevel=3)
