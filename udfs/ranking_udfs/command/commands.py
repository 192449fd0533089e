"""The commands: a function for each."""

import itertools
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import duckdb

from ..duckdb.statements import literal, read
from ..evaluation.comparison import (
    check_measures,
    check_options,
    check_systems,
    compare_queries,
    correct_together,
    pairs_query,
    segment_tables,
)
from ..evaluation.defaults import DIGITS
from ..evaluation.errors import DataError, NothingInCommonError, error_summary
from ..evaluation.pairs import MOST_SYSTEMS, find_standings
from ..evaluation.problems import NOTHING, check_common, problem_text
from ..evaluation.queries import Plan, explain_query, fetch_rows, overlap_query, plan, with_contents
from ..evaluation.words import Row
from ..inputs.tables import Inputs, Tables, check_users, find_problems, input_files, load, systems_of
from ..texts import shorten
from ..version import PACK, version
from ..writing import atomic_file
from .arguments import EXIT_FAILED, EXIT_USAGE
from .cli import INTERRUPTED
from .comparison_tables import comparison_text, letters_text
from .gates import (
    check_problem_names,
    failures,
    looks_at,
    values_of_comparison,
    values_of_summary,
)
from .messages import say
from .output import check_outputs, copy_statement, is_terminal, write_output
from .reasons import explanation_text, overlap_text
from .requests import Job
from .session import Step, connect, interruptible, progress
from .standard_input import with_stdin
from .text_tables import WIDTH, evaluation_text, render, render_document, render_remark

INSTALL = "pip install 'duckdb-ranking-udfs[terminal]'"
PROBLEM_COLUMNS = ("problem", "system", "count", "example", "file", "write")
TO_COMPARE = "a=a.csv b=b.csv"  # how two models are named


def run_command(name: str, given: Mapping[str, Any]) -> int:
    """Run a command; return the exit code after errors are printed."""
    try:
        return COMMANDS[name](**given) or 0
    except duckdb.InterruptException:
        return INTERRUPTED
    except (DataError, duckdb.Error, OSError, ValueError, RuntimeError) as error:
        if isinstance(error, BrokenPipeError):
            raise
        if "UDF: KeyboardInterrupt" in str(error) or str(error) == "Query interrupted":
            return INTERRUPTED
        say("error", error_summary(error).removeprefix("Invalid Input Error: "))
        return EXIT_USAGE if isinstance(error, NothingInCommonError) else 1


def digits_of(job: Job) -> int | None:
    """Return the number of digits to show; None for all."""
    is_read = job.format in ("markdown", "html") or (
        job.format == "table" and job.output is None and is_terminal()
    )
    return DIGITS if job.digits is None and is_read else job.digits


def width_of(output: str | None) -> int:
    """Return the width of lines."""
    return shutil.get_terminal_size((WIDTH, 24)).columns if output is None and is_terminal() else WIDTH


def connect_job(job: Job) -> duckdb.DuckDBPyConnection:
    """Connect as the job says."""
    return connect(job.settings, job.database, has_functions=needs_functions(job))


def needs_functions(job: Job) -> bool:
    return job.options.test == "randomization"


def read_inputs(con: duckdb.DuckDBPyConnection, job: Job, inputs: Inputs) -> Tables:
    """Make the tables of the files; raise DataError if an output would overwrite one of them."""
    outputs = [path for path in (job.output, job.by_user) if path is not None]
    check_outputs(outputs, input_files(con, inputs))
    return load(con, inputs)


def make_tables(
    con: duckdb.DuckDBPyConnection, job: Job, inputs: Inputs, tables: Tables, steps: Plan, step: Step
) -> list[Row]:
    """Make the tables of the plan; print the problems of the data, and return them if they are wanted."""
    check_users(con, inputs)
    step("ranking")
    for statement in steps.tables:
        con.execute(statement)
    step("checking the data")
    problems: list[Row] = []
    if job.check:
        problems += find_problems(con, steps.check, inputs, tables, job.request, job.allow_empty)
        shown = problems if job.allow_empty else [row for row in problems if row["problem"] not in NOTHING]
        for problem in [] if job.quiet else shown:
            say("note", problem_text(problem))
        if not job.allow_empty:
            check_common(problems)
    return problems


def check(job: Job) -> int:
    """Print the problems of the data."""
    check_problem_names(job.fail_if, "check", job.request.history)

    def results() -> list[Row]:
        step("reading")
        tables = read_inputs(con, job, inputs)
        check_users(con, inputs)
        step("checking the data")
        steps = plan(job.request, tables.has_system)
        return find_problems(con, steps.check, inputs, tables, job.request, job.allow_empty)

    with with_stdin(job.inputs) as inputs, connect_job(job) as con, progress(con, 2, job.quiet) as step:
        problems = interruptible(con, results)
    if job.format == "table":
        text = "".join(render_remark("table", problem_text(row)) for row in problems)
        text = text or "The check found nothing.\n"
    else:
        cells = [[row[name] for name in PROBLEM_COLUMNS] for row in problems]
        text = render_document(job.format, render(job.format, PROBLEM_COLUMNS, cells, job.is_safe))
    write_output(job.output, text)
    return stop_at(failures(job.fail_if, problems=problems))


def stop_at(failed: Sequence[str]) -> int:
    """Print what made the command fail, and return its exit code."""
    for line in failed:
        say("failed", line)
    return EXIT_FAILED if failed else 0


def evaluate(job: Job) -> int:
    """Print the measures, and write the values by user."""
    job = replace(job, request=with_contents(job.request, "evaluate", True))
    check_problem_names(job.fail_if, "evaluate", job.request.history)

    def results() -> tuple[str, list[str]]:
        step("reading")
        tables = read_inputs(con, job, inputs)
        steps = plan(job.request, tables.has_system)
        problems = make_tables(con, job, inputs, tables, steps, step)
        step("measuring")
        summary = fetch_rows(con, steps.summary)
        by_segment = fetch_rows(con, steps.by_segment) if steps.by_segment else []
        step("writing")
        if steps.by_user and job.by_user is not None:
            with atomic_file(job.by_user) as path:
                con.execute(copy_statement(steps.by_user, path, ", USE_TMP_FILE false"))
        cuts = {one.name: one.cuts for one in (*job.request.choices, *job.request.contents)}
        values = values_of_summary([*summary, *by_segment], cuts)
        failed = failures(job.fail_if, values=values, problems=problems)
        text = evaluation_text(
            job.format,
            job.request,
            tables.systems,
            inputs.segment and inputs.segment[1],
            summary,
            by_segment,
            is_long=job.is_long,
            is_safe=job.is_safe,
            digits=digits_of(job),
            width=width_of(job.output),
        )
        return text, failed

    with with_stdin(job.inputs) as inputs, connect_job(job) as con, progress(con, 5, job.quiet) as step:
        text, failed = interruptible(con, results)
    write_output(job.output, text)
    return stop_at(failed)


def compare(job: Job) -> int:
    """Print the comparisons with the baseline, or of each pair."""
    request = with_contents(replace(job.request, by_user=True), "compare", True)
    check_problem_names(job.fail_if, "compare", request.history)

    def results() -> tuple[str, list[str]]:
        check_measures(request, "compare", "--")
        check_options(con, job.options, "compare", "--")
        step("reading")
        tables = read_inputs(con, job, inputs)
        systems = systems_of(con, tables)
        check_systems(systems, job.options.baseline, "compare", "--", TO_COMPARE)
        if job.is_by_letter and len(systems) > MOST_SYSTEMS:
            raise DataError(f"compare: --pairs takes {MOST_SYSTEMS} models or fewer, got {len(systems)}")
        steps = plan(request, tables.has_system)
        steps = replace(steps, tables=[*steps.tables, *segment_tables(request)])
        queries = compare_queries(request, job.options)
        if job.format == "sql":
            asked = pairs_query(request, job.options) if job.is_by_letter else itertools.chain(*queries)
            return statements_text([*tables.statements, *steps.tables, *asked]), []
        problems = make_tables(con, job, inputs, tables, steps, step)
        step("comparing")
        found = [[row for query in each for row in fetch_rows(con, query)] for each in queries]
        seen = [row for rows in found for row in rows if looks_at(job.fail_if, row)]
        correct_together(con, seen, job.options)
        segment = inputs.segment and inputs.segment[1]
        is_best_said = job.is_by_letter or job.format not in ("csv", "json")
        given = con, request, job.options, len(systems), found[0], not job.is_by_letter
        standings = find_standings(*given) if is_best_said else []
        shown = (
            letters_text(job.format, job.options, standings, job.digits, job.is_safe)
            if job.is_by_letter
            else comparison_text(
                job.format, job.options, segment, found, standings, job.digits, job.is_safe, len(seen)
            )
        )
        every = [row for rows in found for row in rows]
        return shown, failures(job.fail_if, every, values_of_comparison(every), problems)

    with with_stdin(job.inputs) as inputs, connect_job(job) as con, progress(con, 4, job.quiet) as step:
        text, failed = interruptible(con, results)
    write_output(job.output, text)
    return stop_at(failed)


def explain(job: Job) -> None:
    """Print one user's lists, and what follows from them."""

    def results() -> tuple[Sequence[Row], bool]:
        step("reading")
        tables = read_inputs(con, job, inputs)
        check_users(con, inputs)
        step("ranking")
        rows = fetch_rows(con, explain_query(job.request, job.user_id))
        of_user = f"SELECT count(*) > 0 FROM {tables.prefix}truth WHERE userid::VARCHAR = ?"
        ((has_truth,),) = con.execute(of_user, [job.user_id]).fetchall()
        return rows, has_truth

    with with_stdin(job.inputs) as inputs, connect_job(job) as con, progress(con, 2, job.quiet) as step:
        rows, has_truth = interruptible(con, results)
    if not has_truth and not job.quiet:
        say("note", f"user {shorten(job.user_id)} is not in the truth: nothing can be measured")
    write_output(job.output, explanation_text(job, rows, has_truth, digits_of(job)))


def overlap(job: Job) -> None:
    """Print how much the models' lists have in common."""

    def results() -> Sequence[Row]:
        step("reading")
        tables = read_inputs(con, job, inputs)
        check_systems(systems_of(con, tables), job.options.baseline, "overlap", "--", TO_COMPARE)
        step("comparing")
        return fetch_rows(con, overlap_query(job.request, job.options.baseline, job.persistence))

    with with_stdin(job.inputs) as inputs, connect_job(job) as con, progress(con, 2, job.quiet) as step:
        rows = interruptible(con, results)
    write_output(job.output, overlap_text(job, rows, digits_of(job)))


def write_report(job: Job) -> None:
    """Write the page, and the charts as files."""
    from ..reporting.drawing import png, svg, vl_convert
    from ..reporting.findings import Findings
    from ..reporting.gathering import gather
    from ..reporting.page import page

    try:
        vl_convert()
    except ImportError as error:
        raise DataError(f"report: {error}") from None
    if job.figures is not None and os.path.exists(job.figures) and not os.path.isdir(job.figures):
        raise DataError(f"{job.figures}: a file, not a directory")

    def results() -> Findings:
        check_options(con, job.options, "report", "--")
        step("reading")
        tables = read_inputs(con, job, inputs)
        return gather(con, inputs, tables, job.request, job.options, job.check, job.allow_empty, step)

    with with_stdin(job.inputs) as inputs, connect_job(job) as con, progress(con, 5, job.quiet) as step:
        findings = interruptible(con, results)
        step("drawing")
        drawn, form = page(findings), job.figure_format
        figures = {}
        if job.figures is not None:
            every = [chart for charts in drawn.charts.values() for chart in charts]
            figures = {os.path.join(job.figures, f"{chart.name}.{form}"): chart for chart in every}
            os.makedirs(job.figures, exist_ok=True)
        check_outputs([*([job.output] if job.output else []), *figures], input_files(con, inputs))
        draw = {"svg": svg, "png": png}[form]
        pictures = {path: draw(chart.specification) for path, chart in figures.items()}
    if job.output is not None:
        write_output(job.output, drawn.html)
    for path, picture in pictures.items():
        with atomic_file(path) as beside, open(beside, "wb") as file:
            file.write(picture)


def print_sql(job: Job) -> None:
    """Print the evaluation's statements."""
    job = replace(job, request=with_contents(job.request, "evaluate", True))
    with with_stdin(job.inputs) as inputs, connect_job(job) as con, progress(con, 1, job.quiet) as step:
        step("reading")
        tables = interruptible(con, lambda: read_inputs(con, job, inputs))
    steps = plan(job.request, tables.has_system)
    statements = [*tables.statements, *steps.tables, steps.summary]
    if steps.by_segment:
        statements.append(steps.by_segment)
    if steps.by_user and job.by_user is not None:
        statements.append(copy_statement(steps.by_user, job.by_user))
    write_output(job.output, statements_text(statements))


def statements_text(statements: Sequence[str]) -> str:
    return "\n\n".join(f"{statement};" for statement in statements) + "\n"


def fuse(
    inputs: Inputs,
    settings: Mapping[str, Any],
    options: Mapping[str, Any],
    output: str,
    database: str | None,
    quiet: bool,
) -> None:
    """Write the rankings of several models as one."""
    from .fusing import fuse_files

    with with_stdin(inputs) as read, connect(settings, database) as con, progress(con, 1, quiet) as step:
        step("fusing")
        told = interruptible(con, lambda: fuse_files(con, read, output, options))
    if not quiet:
        write_output(None, told)


def split(
    events: str, output: str, columns: Mapping[str, str], spans: Mapping[str, Any], options: Mapping[str, Any]
) -> None:
    """Write train and test of a file of events, and print how many events are where."""
    from .splitting import split_events

    with connect({}) as con:
        header, rows = interruptible(con, lambda: split_events(con, events, output, columns, spans, options))
    write_output(None, render("table", header, rows))


def print_measures(names: Sequence[str], format: str) -> None:
    """Print the registry's entries, of all measures or of some."""
    from ..measures.registry import TABLE_HEADER, measure_table
    from .listing import find_measure, render_explanations, render_list

    chosen = [find_measure(name) for name in names]
    width = width_of(None) if is_terminal() else None
    if format == "table":
        write_output(None, render_explanations(chosen, width) if chosen else render_list(width))
        return
    found = [row for row in measure_table() if not chosen or row[0] in {one.name for one in chosen}]
    cells = [[cell if isinstance(cell, str) else ", ".join(cell) for cell in row] for row in found]
    write_output(None, render_document(format, render(format, TABLE_HEADER, cells)))


def complete(shell: str) -> None:
    """Print a script that makes a shell complete the command."""
    try:
        import shtab
    except ImportError:
        raise DataError(f"completion: shtab must be installed: {INSTALL}") from None
    from .arguments import parsers
    from .listing import NAMES

    measures = " ".join(NAMES)
    preamble = {
        "bash": f'_ranking_udfs_measures() {{ compgen -W "{measures}" -- "$1"; }}',
        "zsh": f"_ranking_udfs_measures() {{ _values -s , measure {measures}; }}",
    }
    code = shtab.complete(parsers()[0], shell, preamble=preamble.get(shell, ""))
    write_output(None, f"{code}\n")


def install(database: str) -> None:
    """Put the pack into a database file, or write one to attach where there is none."""
    from ..duckdb.portable import SCRIPT, is_attachable, write_file

    if os.path.isfile(database):
        with open_database(database) as con:
            to_attach = is_attachable(con)
            if not to_attach:
                con.execute(read(SCRIPT))
    elif (
        database == ":memory:"
        or os.path.exists(database)
        or not os.path.isdir(os.path.dirname(database) or ".")
    ):
        what = "a DuckDB database, or the name of a new file in a folder that is there"
        raise DataError(f"{database}: no such file: install needs {what}")
    else:
        to_attach = True
    example = "FROM ranking_summary('rec', 'truth', [5, 10])"
    if to_attach:
        write_file(database)
        call = example.replace("FROM ", "FROM ranking.")
        example = f"ATTACH {literal(database)} AS ranking (READ_ONLY); {call}"
    write_output(None, f"{database}: installed {version()}: {example}\n")


def uninstall(database: str) -> None:
    """Take the pack out of a database file."""
    from ..duckdb.hosting import transaction
    from ..duckdb.portable import drop_macros

    if not os.path.isfile(database):
        raise DataError(f"{database}: no such file: uninstall needs a DuckDB database that is there")
    with open_database(database) as con:
        ((name,),) = con.execute("SELECT current_database()").fetchall()
        with transaction(con):
            count = drop_macros(con, name)
    if not count:
        raise DataError(f"{database}: there is nothing of {PACK} to uninstall")
    write_output(None, f"{database}: uninstalled {PACK}: {count} macros\n")


@contextmanager
def open_database(path: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a database file for writing."""
    query = "SELECT path FROM duckdb_databases() WHERE database_name = current_database() AND type = 'duckdb'"
    with duckdb.connect(path) as con:
        if con.execute(query).fetchone() in (None, (None,)):  # DuckDB opens a CSV file as a view in memory
            raise DataError(f"{path}: not a DuckDB database")
        yield con


COMMANDS: dict[str, Callable[..., int | None]] = {
    "check": check,
    "evaluate": evaluate,
    "compare": compare,
    "explain": explain,
    "overlap": overlap,
    "report": write_report,
    "sql": print_sql,
    "fuse": fuse,
    "split": split,
    "install": install,
    "uninstall": uninstall,
    "measures": print_measures,
    "completion": complete,
}
