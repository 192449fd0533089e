"""The commands, one function each."""

import itertools
import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import duckdb

from ..compose.columns import COMMAND
from ..compose.explain import is_user, nearest_user
from ..evaluation.comparison import (
    compare_queries,
    comparison_plan,
    comparison_queries,
    differences_query,
    pairs_query,
)
from ..evaluation.conclusion import fall_sentences, worse_segments
from ..evaluation.defaults import EVERYBODY
from ..evaluation.errors import DataError, UsageError, error_summary
from ..evaluation.pairs import MOST_SYSTEMS, Orders, find_orders, first_order
from ..evaluation.problems import COLUMNS, NOTHING, is_problem, problem_lines, without_verdicts
from ..evaluation.queries import (
    Plan,
    abstention_query,
    check_query,
    explain_query,
    fetch_rows,
    overlap_query,
    plan,
    summary_query,
)
from ..evaluation.tradeoffs import dominated_sentences
from ..evaluation.words import COUNTS, OF_LISTS, Row
from ..inputs.catalogs import Catalog, Database
from ..inputs.evaluation import Evaluation, check_users, load, names_of_ids, with_titles
from ..inputs.manifest import manifest, manifest_path, stem, with_stored_run
from ..inputs.measuring import conclude_abstention, measure, prepare_abstention
from ..inputs.paths import extension
from ..inputs.problems import checked_request, find_problems, nothing_found
from ..inputs.requests import check_models, make_request
from ..inputs.tables import Inputs, input_files, with_own_columns
from ..options import defaults
from ..quoting import literal
from ..texts import shorten, units, using_unit, with_unit
from .gates import check_conditions, correct_together, failures, results_of
from .messages import EXIT_FAILED, EXIT_USAGE, INTERRUPTED, say
from .options import COMMANDS as SPECS
from .options import names_of
from .output import (
    COPIED,
    Result,
    check_folder,
    check_outputs,
    copy_statement,
    fields_table,
    keep,
    keep_rows,
    kept_rows,
    render,
    rendered,
    write_output,
    write_rows,
)
from .script import script_text
from .session import connect, interruptible, progress
from .standard_input import with_stdin
from .tables import (
    abstention_parts,
    comparison_parts,
    evaluation_parts,
    explanation_parts,
    letter_rows,
    letters_parts,
    long_rows,
    overlap_parts,
)


@dataclass(frozen=True)
class Work(Evaluation):
    """An evaluation of the command."""

    manifests: Sequence[str]  # the paths of the manifests of its results
    manifest: str  # their content; "" without any

    def write(self, query: str, path: str) -> None:
        """Write the rows of a query to a file, with the manifest if it is requested."""
        write_rows(self.con, query, path, self.manifest)


@contextmanager
def open_work(options: Any, steps: int) -> Iterator[Work]:
    """Open the connection and standard input, show progress in so many steps, and yield the loaded work."""
    is_answer = options.command == "compare" and options.format not in COPIED  # its caveats name problems

    def notify(rows: Sequence[Row]) -> None:
        shown = [row for row in rows if not (is_problem(row) and (is_answer or row["code"] == NOTHING))]
        for severity, text in () if options.quiet else problem_lines(shown):
            say(severity, text)

    settings = {"threads": options.threads, "memory_limit": options.memory_limit}
    # Intervals need quantiles of Student's t; `evaluate` has them on request, and for unanswerable users.
    asks_refused = options.users is not None or options.without_relevant == "skip"
    has_intervals = "confidence" in names_of(options.command) and options.confidence is not None
    with (
        with_stdin(inputs_of(options)) as inputs,
        connect(settings, options.database, has_intervals or asks_refused) as con,
        progress(con, steps, options.quiet) as step,
    ):
        yield interruptible(con, lambda: load_work(con, options, inputs, notify, step))


def load_work(
    con: duckdb.DuckDBPyConnection,
    options: Any,
    inputs: Inputs,
    notify: Callable[[Sequence[Row]], None],
    step: Callable[[str], None],
) -> Work:
    """Check the options and the output files before reading files; return the loaded work."""
    inputs = with_own_columns(con, inputs)
    is_csv = extension(options.by_user or "") in (".csv", ".tsv")
    request = make_request(
        "evaluate" if options.command == "sql" else options.command,
        inputs,
        vars(options),
        safe_text=is_csv and options.safe_csv,
        is_portable="sql" in (options.command, options.format),
    )
    check_conditions(con, request, options.fail_if)
    if options.fail_if and options.no_check and not options.quiet:
        say("note", "--no-check: errors in the data do not fail --fail-if")
    step("reading")
    manifests = manifest_paths(options)
    stored = [] if options.against is None else [options.against, manifest_path(options.against)]
    read = [*input_files(con, inputs), *filter(os.path.exists, stored)]
    check_outputs([*outputs_of(options), *manifests], read)
    request, tables = load(con, request, inputs)
    work = Work(con, request, inputs, tables, options, notify, step, manifests, "")
    return replace(work, manifest=manifest(work, options.call)) if options.manifest else work


def outputs_of(options: Any) -> list[str]:
    return [*filter(None, (options.output, options.by_user, options.rows))]


def manifest_paths(options: Any) -> list[str]:
    """Return the paths of manifests to write; DataError if an earlier one would describe a new result."""
    outputs = [output for output in outputs_of(options) if extension(output) != ".parquet"]
    paths = [*dict.fromkeys(map(manifest_path, outputs))] if "manifest" in names_of(options.command) else []
    for old in filter(os.path.exists, paths if not options.manifest else []):
        raise DataError(f"{old}: describes an earlier run: pass --manifest to replace it, or delete it")
    return paths if options.manifest else []


def inputs_of(options: Any) -> Inputs:
    has_truth, is_database = SPECS[options.command].has_truth, options.database is not None
    files = options.files
    if options.steps and len(files) > 2 and not options.parts:
        recs = (
            file if "=" in file and not os.path.exists(file) else f"{os.path.basename(stem(file))}={file}"
            for file in files[:-1]
        )
        files = [*recs, files[-1]]
    names, items, segment = names_of(options.command), options.items, options.segment
    if items and "head" in names and (options.history or options.command != "report"):
        items = items[0], items[1] or "category"
    has_titles, is_explain = "title" in names, options.command == "explain"
    # If nothing else is read from the file of users, it must have texts.
    text = options.text or ("text" if segment and (is_explain or not segment[1]) else None)
    columns = {
        name: usual if (value := vars(options).get(name)) is None else value
        for name, usual in defaults().items()
    }
    return Inputs(
        recs=files[:-1] if has_truth else files,
        truth=files[-1] if has_truth else "",
        columns=columns,
        segment=segment if segment and segment[1] and not is_explain else None,
        form=options.format_in,
        parts=options.parts,
        catalog=Database(options.database) if is_database else Catalog(),
        prefix="_ranking_command_" * is_database,
        history=options.history,
        users=options.users,
        items=None if is_explain else items,
        titles=(options.items[0], options.title) if has_titles and options.items else None,
        texts=(segment[0], text) if "text" in names and segment else None,
        predicted_truth=options.predicted_truth,
        also=[(choice.options["file"], choice.name) for choice in options.also],
        time=options.time,
        way=COMMAND,
    )


def check(work: Work) -> Result | str:
    """Return the problems of the data."""
    check_users(work)
    problems, options = find_problems(work), work.options
    failed = failures(work, problems)
    work.step("writing")
    if options.rows is not None:
        codes = ", ".join(literal(row["code"]) for row in problems) or "NULL"
        failing = check_query(checked_request(work), "check_rows")
        work.write(f"{failing}\nWHERE code IN ({codes})", options.rows)
    keep_rows(work.con, problems, COLUMNS)
    lines = [f"{severity}: {text}" for severity, text in problem_lines(problems)]
    texts = lines or [nothing_found(work.request)]
    table = texts if options.format == "table" else fields_table(problems, COLUMNS)
    return Result([table], [*COLUMNS], failed)


def evaluate(work: Work) -> Result | str:
    """Return the means of measures, and write the values of each user."""
    options, request = work.options, work.request
    steps = plan(request)
    problems = measure(work, steps)
    work.notify(problems)
    work.step("measuring")
    rows = keep(work.con, summary_query(request, steps))
    failed = failures(work, problems, results_of(work))  # raise its errors before writing a file
    work.step("writing")
    if steps.by_user and options.by_user is not None:
        work.write(steps.by_user, options.by_user)
    every = map(request.names_of, (*request.choices, *request.beyond_accuracy))
    first = ("system", "segment", "k", *COUNTS, *OF_LISTS)
    names = [name for name in (*first, *itertools.chain(*every)) if name in rows[0]]
    if options.long:
        long = long_rows(request, rows)
        keep_rows(work.con, long)
        return Result([fields_table(long, long[0])], failed=failed)
    refused = (
        fetch_rows(work.con, abstention_query(request, work.tables.negated))
        if request.says_refused and options.format not in COPIED
        else []
    )
    return Result(evaluation_parts(work, rows, refused), names, failed)


def compare(work: Work) -> Result | str:
    """Return the comparisons with the baseline, or of all pairs."""
    options = work.options
    if options.pairs and not work.request.choices:
        rule = "a measure with a better direction, such as ndcg"
        raise UsageError(f"compare: --pairs requires {rule}")
    if options.against is not None:
        work = replace(work, request=with_stored_run(work, options.against, options.baseline))
    check_models(work.request)
    systems = len(work.request.systems)
    if options.pairs and systems > MOST_SYSTEMS:
        raise UsageError(f"compare: --pairs takes {MOST_SYSTEMS} models or fewer, got {systems}")
    if options.format == "sql":
        return compare_sql(work)
    return compare_models(work)


def compare_models(work: Work) -> Result | str:
    con, options, request = work.con, work.options, work.request
    problems = measure(work, comparison_plan(request))
    work.notify(problems)
    work.step("comparing")
    # Programs read its verdicts, and codes of errors in its caveats.
    keep(con, *comparison_queries(request, problems))
    kept = results_of(work)
    gated, every = correct_together(kept, options.fail_if, request), kept_rows(con)
    of_segments = [row for row in every if row.get("segment", EVERYBODY) != EVERYBODY]
    others = [row for row in every if row.get("segment", EVERYBODY) == EVERYBODY]
    everybody = [{name: row[name] for name in row if name != "segment"} for row in others]
    results = [everybody, *[of_segments] * request.by_segment]
    answered = ranking_rows(work, everybody)
    orders = find_orders(answered)
    dominated = dominated_sentences(without_verdicts(answered, problems)) if request.also else []
    failed = failures(work, problems, kept)
    if options.by_user is not None:
        work.write(differences_query(request), options.by_user)
    if options.pairs:
        keep_rows(con, letter_rows(orders), ("measure", "k", "system", "mean", "letters"))
        return Result(letters_parts(work, orders, problems, dominated), failed=failed)
    told = [without_verdicts(rows, problems) for rows in results]
    worse = loss_sentences(work, told, orders)
    for line in worse if options.format in COPIED and not options.quiet else []:
        say("note", line)
    parts = comparison_parts(work, told, orders, problems, [*dominated, *worse], gated)
    return Result(parts, failed=failed)


def ranking_rows(work: Work, rows: Sequence[Row]) -> Sequence[Row]:
    """Return the comparisons that rank the models: `rows`, or all pairs on request; none of steps."""
    if work.options.steps:
        return []
    request = work.request
    if work.options.pairs and request.comparison["baseline"] is not None and len(request.systems) > 2:
        return [row for query in pairs_query(request) for row in fetch_rows(work.con, query)]
    return [row for row in rows if row["higher_is_better"] is not None]


def loss_sentences(work: Work, results: Sequence[Sequence[Row]], orders: Orders) -> list[str]:
    """Name the steps that fell, and the segments in which a model is worse by the first measure."""
    at = [(choice.name, choice.cuts[0]) for choice in work.request.choices[:1]]
    first = [row for row in itertools.chain(*results[1:]) if (row["measure"], row["k"]) in at]
    if not work.options.steps:
        order = first_order(work.request.choices, orders)
        return worse_segments(first, order, work.request.comparison["baseline"])
    # A better step is no loss of the one before it.
    worse = [row for row in first if row["verdict"] == "worse"]
    return [*fall_sentences(results[0]), *worse_segments(worse, None, None)]


def compare_sql(work: Work) -> str:
    request, path = work.request, work.options.by_user
    asked = [pairs_query(request)] if work.options.pairs else compare_queries(request)
    titles = [f"The comparisons over all {units()}.", "The comparisons in each segment."]
    queries = [(title, query) for title, each in zip(titles, asked, strict=False) for query in each]
    if path is not None:
        query = differences_query(request)
        queries.append((f"The differences of each {units(1)}.", copy_statement(query, path)))
    return script_text(printed_statements(work, comparison_plan(request)), queries, request.prefix)


def explain(work: Work) -> Result | str:
    """Return the lists of one user and the measures computed from them."""
    options, user, tables = work.options, shorten(work.options.user_id), work.tables
    check_users(work)
    work.step("ranking")
    both = " UNION ALL ".join(
        f"SELECT '{table}' AS of, userid FROM {work.request.table(table)}" for table in ("rec", "truth")
    )
    query = f"SELECT DISTINCT of FROM ({both}) WHERE {is_user('userid', '$1')}"
    matches = work.con.execute(query, [options.user_id]).fetchall()
    if not matches:
        query = f"SELECT {nearest_user('userid', '$1')} FROM ({both})"
        ((nearest,),) = work.con.execute(query, [options.user_id]).fetchall()
        advice = f"did you mean --user-id {shlex.quote(shorten(nearest))}?"
        rule = with_unit("explain: --user-id must be {a_unit} of REC or TRUTH")
        raise UsageError(f"{rule}, got {user!r}; {advice}")
    has_truth = ("truth",) in matches
    query = explain_query(work.request, options.user_id, tables.negated)
    rows = with_titles(work, fetch_rows(work.con, query))
    if not has_truth and not options.quiet:
        say("note", f"{units(1)} {user} has no truth, so no measure is computed")
    about = names_of_ids(work, "texts", [options.user_id]).get(options.user_id)
    keep_rows(work.con, rows, () if rows else ("rank", "itemid"))
    return Result(explanation_parts(work, rows, has_truth, about))


def abstention(work: Work) -> Result | str:
    """Return how many answerable users each threshold refuses, and how many unanswerable users it answers."""
    problems = prepare_abstention(work)
    work.step("ranking")
    query = abstention_query(work.request, work.tables.negated, work.options.confidence)
    rows = keep(work.con, query)
    conclude_abstention(work, rows, problems)
    return Result(abstention_parts(work.options, rows))


def overlap(work: Work) -> Result | str:
    check_models(work.request)
    work.step("comparing")
    rows = keep(work.con, overlap_query(work.request, work.options.persistence))
    return Result(overlap_parts(rows))


def printed_statements(work: Work, steps: Plan) -> list[str]:
    return [*work.tables.printed(work.con), *steps.tables]


def sql(work: Work) -> str:
    steps = plan(work.request)
    queries = [(f"The means over all {units()}.", steps.summary)]
    queries += [("The means of each segment.", steps.by_segment)] if steps.by_segment else []
    if steps.by_user and work.options.by_user is not None:
        query = copy_statement(steps.by_user, work.options.by_user)
        queries.append((f"The measures of each {units(1)}, as a file.", query))
    return script_text(printed_statements(work, steps), queries, work.request.prefix)


def report(options: Any) -> None:
    from ..reporting.drawing import library
    from ..reporting.findings import Findings
    from ..reporting.page import page

    try:
        library()
    except ImportError as error:
        raise DataError(f"report: {error}") from None
    if options.figures is not None:
        check_folder(options.figures)
    with open_work(options, 5) as work:
        findings = interruptible(work.con, lambda: Findings(work))
        work.step("drawing")
        drawn, form = page(findings), options.figure_format
        files: dict[str, str | bytes] = {} if options.output is None else {options.output: drawn.html}
        if options.figures is not None:
            os.makedirs(options.figures, exist_ok=True)
            for name, chart in drawn.charts.items():
                files[os.path.join(options.figures, f"{name}.{form}")] = chart.image(form)
        check_outputs([*files], input_files(work.con, work.inputs))
    for path, content in files.items():
        write_output(path, content)
    if not options.quiet:
        wrong = [f"error in the data: {text}" for text in findings.wrong]
        summary = next(
            filter(None, [*wrong, findings.leading, *findings.headlines, *findings.caveats]), "written"
        )
        line = f"{options.output or options.figures}: {summary}"
        write_output(None, rendered("table", [[line]]))


def fuse(options: Any) -> None:
    """Write the fused ranking of several models."""
    from .fusing import fuse_files

    with open_work(options, 2) as work:
        line = interruptible(work.con, lambda: fuse_files(work))
    if not options.quiet:
        write_output(None, rendered("table", [[line]]))


def split(options: Any) -> None:
    """Write train and test of a file of events, and print the number of events in each."""
    from .splitting import split_events

    with connect({}) as con:
        rows = interruptible(con, lambda: split_events(con, options))
    write_output(None, rendered("table", [fields_table(rows, rows[0])]))


def list_entries(options: Any) -> None:
    """List the measures or SQL functions, or explain some: a table for programs, text for people."""
    from . import listing

    rows, full = {"measures": listing.measures, "functions": listing.functions}[options.command](
        options.names
    )
    table = fields_table(rows, rows[0])
    parts = listing.parts(options.command, rows, full) if options.format == "table" else [table]
    with duckdb.connect() as con:
        keep_rows(con, rows)
        write_output(None, render(con, options, Result(parts)))


EVALUATIONS: dict[str, tuple[Callable[[Work], Result | str], int]] = {  # function, number of steps
    "evaluate": (evaluate, 5),
    "compare": (compare, 4),
    "check": (check, 3),
    "explain": (explain, 2),
    "abstention": (abstention, 3),
    "overlap": (overlap, 2),
    "sql": (sql, 1),
}
OTHERS: dict[str, Callable[[Any], None]] = {
    "report": report,
    "split": split,
    "fuse": fuse,
    "measures": list_entries,
    "functions": list_entries,
}


def run_evaluation(options: Any) -> Sequence[str]:
    """Write the result of an evaluation and its manifests; return a line for each failed condition."""
    result_of, steps = EVALUATIONS[options.command]
    with open_work(options, steps) as work:

        def text() -> tuple[str | None, Sequence[str]]:
            result = result_of(work)
            if isinstance(result, str):
                return result, ()
            lines = [f"Failed: {line}" for line in result.failed if options.format == "markdown"]
            parts = itertools.chain([lines], result.parts)
            shown = replace(result, parts=parts)
            return render(work.con, options, shown, work.manifest), result.failed

        output, failed = interruptible(work.con, text)
    write_output(options.output, output)
    for path in work.manifests:
        write_output(path, work.manifest)
    return failed


def run_command(options: Any) -> int:
    """Run a command, print its errors and return the exit code."""
    failed: Sequence[str] = ()
    try:
        with using_unit(options.unit):
            if options.command in EVALUATIONS:
                failed = run_evaluation(options)
            else:
                OTHERS[options.command](options)
    except duckdb.InterruptException:
        return INTERRUPTED
    except (DataError, duckdb.Error, OSError, ValueError, RuntimeError) as error:
        if isinstance(error, BrokenPipeError):
            raise
        if "UDF: KeyboardInterrupt" in str(error) or str(error) == "Query interrupted":
            return INTERRUPTED
        say("error", error_summary(error))
        return EXIT_USAGE if isinstance(error, UsageError) else 1
    for line in failed:
        say("failed", line)
    return EXIT_FAILED if failed else 0
