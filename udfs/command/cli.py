"""The command `ranking-udfs`: what it does with what it is asked for."""

import argparse
import io
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace

import duckdb

from ..arrow.functions import TABLE_HEADER, measure_table
from ..duckdb.names import version
from ..duckdb.portable import SCRIPT
from ..duckdb.statements import read
from ..page.drawing import png, svg, vl_convert
from ..page.findings import Findings
from ..page.page import page
from .arguments import FAILED, asked, parse, parsers
from .comparison import (
    Comparison,
    check_measures,
    check_options,
    check_systems,
    compare_queries,
    systems_of,
    tables_of_segments,
)
from .conclusion import DIGITS, conclusion
from .evaluation import Plan, Request, plan
from .gathering import Study, check_report, gather
from .listing import NAMES, explained, listed, measure_called
from .messages import WRITABLE, DataError, one_line, say, shortened
from .output import check_outputs, copy_statement, put, whole_file
from .report import WIDTH, Row, render, report, whole
from .session import Step, connected, interruptible, progress, rows
from .tables import Inputs, Tables, input_files, load, with_stdin

INTERRUPTED, BROKEN_PIPE = 130, 141  # what a shell reports for SIGINT and SIGPIPE
INSTALL = "pip install 'duckdb-ranking-udfs[terminal]'"
PICTURES = {"svg": svg, "png": png}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=WRITABLE)
    code = run(argv)
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            code = BROKEN_PIPE
        elif not code:
            say("error", one_line(error))
            code = 1
        # so that Python's flush at exit does not fail again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


def run(argv: Sequence[str] | None) -> int:
    """Do what is asked for; the exit code, once errors are said."""
    try:
        arguments = parse(argv)
        return COMMANDS[arguments.command](arguments) or 0
    except SystemExit as stop:  # argparse: --help, --version, wrong usage
        return stop.code if isinstance(stop.code, int) else 0
    except (KeyboardInterrupt, duckdb.InterruptException):
        return INTERRUPTED
    except BrokenPipeError:
        return BROKEN_PIPE
    except (DataError, duckdb.Error, OSError, ValueError, RuntimeError) as error:
        if "UDF: KeyboardInterrupt" in str(error) or str(error) == "Query interrupted":
            return INTERRUPTED
        say("error", one_line(error))
        return 1


def digits_of(arguments: argparse.Namespace) -> int | None:
    """In how many digits to show numbers; None for all."""
    is_read = arguments.format in ("markdown", "html") or (
        arguments.format == "table" and arguments.output is None and is_terminal()
    )
    return DIGITS if arguments.digits is None and is_read else arguments.digits


def is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def width_of(output: str | None) -> int:
    """How wide lines may be."""
    return shutil.get_terminal_size((WIDTH, 24)).columns if output is None and is_terminal() else WIDTH


def session(arguments: argparse.Namespace) -> duckdb.DuckDBPyConnection:
    settings = {"threads": arguments.threads, "memory_limit": arguments.memory_limit}
    return connected(settings, arguments.database)


def prepare(
    con: duckdb.DuckDBPyConnection, arguments: argparse.Namespace, inputs: Inputs, request: Request
) -> tuple[Tables, Plan]:
    """Make the tables that the files hold, and plan what to do with them."""
    outputs = [path for path in (arguments.output, arguments.by_user) if path is not None]
    check_outputs(outputs, input_files(con, inputs))
    tables = load(con, inputs)
    return tables, plan(request, tables.has_system)


def check_users(con: duckdb.DuckDBPyConnection, inputs: Inputs) -> None:
    """DataError if the truth has no user."""
    if con.execute(f"SELECT count(userid) FROM {inputs.prefix}truth").fetchall() == [(0,)]:
        raise DataError(f"{inputs.truth}: no user to evaluate")


def run_tables(
    con: duckdb.DuckDBPyConnection,
    arguments: argparse.Namespace,
    inputs: Inputs,
    tables: Tables,
    steps: Plan,
    step: Step,
) -> None:
    """Make the tables of the plan, and say what problems the data has."""
    check_users(con, inputs)
    step("ranking")
    for statement in steps.tables:
        con.execute(statement)
    step("checking the data")
    if not (arguments.no_check or arguments.quiet):
        for note in tables.unread:
            say("note", note)
        print_problems(con, steps.check)


def evaluate(arguments: argparse.Namespace) -> None:
    """Run the evaluation: its report, and the values by user."""
    given, request = asked(arguments)

    def results() -> str:
        step("reading")
        tables, steps = prepare(con, arguments, inputs, request)
        run_tables(con, arguments, inputs, tables, steps, step)
        step("measuring")
        summary = rows(con, steps.summary)
        by_segment = rows(con, steps.by_segment) if steps.by_segment else []
        step("writing")
        if steps.by_user:
            with whole_file(arguments.by_user) as path:
                con.execute(copy_statement(steps.by_user, path, ", USE_TMP_FILE false"))
        return report(
            arguments.format,
            request,
            tables.systems,
            inputs.segment and inputs.segment[1],
            summary,
            by_segment,
            is_long=arguments.long,
            is_safe=arguments.safe_csv,
            digits=digits_of(arguments),
            width=width_of(arguments.output),
        )

    with with_stdin(given) as inputs, session(arguments) as con, progress(con, 5, arguments.quiet) as step:
        text = interruptible(con, results)
    put(arguments.output, text)


def how(arguments: argparse.Namespace) -> Comparison:
    """How to compare."""
    return Comparison(
        baseline=arguments.baseline,
        confidence=arguments.confidence,
        margin=arguments.margin,
        correction=arguments.correction,
        test=arguments.test,
        permutations=arguments.permutations,
        seed=arguments.seed,
    )


def compare(arguments: argparse.Namespace) -> int:
    """Compare the models: what is to be said of each against the baseline, or of each pair."""
    given, request = asked(arguments)
    request = replace(request, by_user=True)
    options = how(arguments)

    def results() -> tuple[str, list[Row]]:
        check_measures(request, "compare", "--")
        check_options(con, options, "compare", "--")
        step("reading")
        tables, steps = prepare(con, arguments, inputs, request)
        check_systems(con, tables, arguments.baseline)
        steps = replace(steps, tables=[*steps.tables, *tables_of_segments(request)])
        queries = compare_queries(request, options)
        if arguments.format == "sql":
            return script([*tables.statements, *steps.tables, *queries]), []
        run_tables(con, arguments, inputs, tables, steps, step)
        step("comparing")
        found = [rows(con, query) for query in queries]
        segment = inputs.segment and inputs.segment[1]
        shown = conclusion(arguments.format, options, segment, found, arguments.digits, arguments.safe_csv)
        return shown, [row for some in found for row in some]

    with with_stdin(given) as inputs, session(arguments) as con, progress(con, 4, arguments.quiet) as step:
        text, found = interruptible(con, results)
    put(arguments.output, text)
    failed = sum(row["verdict"] in (arguments.fail_if or ()) for row in found)
    if failed:
        say(
            "failed",
            f"{' or '.join(dict.fromkeys(arguments.fail_if))} in {failed} of {len(found)} comparisons",
        )
    return FAILED if failed else 0


def write_report(arguments: argparse.Namespace) -> None:
    """Write the page, and the charts as files."""
    given, request = asked(arguments)
    options = how(arguments)
    try:
        vl_convert()
    except ImportError as error:
        raise DataError(f"report: {error}") from None
    if arguments.figures is not None and not os.path.isdir(arguments.figures):
        raise DataError(f"{arguments.figures}: no such directory")

    def results() -> Findings:
        check_options(con, options, "report", "--")
        step("reading")
        tables, steps = prepare(con, arguments, inputs, request)
        systems = systems_of(con, tables)
        check_report(request, options, systems, "--")
        check_users(con, inputs)
        sources = [("Recommendations", ", ".join(inputs.recs)), ("Truth", inputs.truth)]
        sources += [("Segments", ":".join(inputs.segment))] if inputs.segment else []
        study = Study(
            request=request,
            options=options,
            systems=systems,
            segment=inputs.segment and inputs.segment[1],
            sources=sources,
            check=None if arguments.no_check else steps.check,
            notes=tables.unread,
            made=tables.statements,
        )
        return gather(con, study, step)

    with with_stdin(given) as inputs, session(arguments) as con, progress(con, 5, arguments.quiet) as step:
        findings = interruptible(con, results)
        step("drawing")
        drawn, form = page(findings), arguments.figure_format
        every = [chart for charts in drawn.charts.values() for chart in charts] if arguments.figures else []
        figures = {os.path.join(arguments.figures, f"{chart.name}.{form}"): chart for chart in every}
        check_outputs([*([arguments.output] if arguments.output else []), *figures], input_files(con, inputs))
        pictures = {path: PICTURES[form](chart.specification) for path, chart in figures.items()}
    if arguments.output is not None:
        put(arguments.output, drawn.html)
    for path, picture in pictures.items():
        with whole_file(path) as beside, open(beside, "wb") as file:
            file.write(picture)


def print_problems(con: duckdb.DuckDBPyConnection, check: str) -> None:
    """A line on stderr for each problem that the data has."""
    for problem in rows(con, check):
        example = problem["example"]
        shown = f", for example {shortened(example)}" if example is not None else ""
        say("note", f"{problem['problem']}: {problem['count']}{shown}")


def print_sql(arguments: argparse.Namespace) -> None:
    """Print the evaluation's statements."""
    given, request = asked(arguments)
    with with_stdin(given) as inputs, session(arguments) as con, progress(con, 1, arguments.quiet) as step:
        step("reading")
        tables, steps = interruptible(con, lambda: prepare(con, arguments, inputs, request))
    statements = [*tables.statements, *steps.tables, steps.summary]
    if steps.by_segment:
        statements.append(steps.by_segment)
    if steps.by_user:
        statements.append(copy_statement(steps.by_user, arguments.by_user))
    put(arguments.output, script(statements))


def script(statements: Sequence[str]) -> str:
    return "\n\n".join(f"{statement};" for statement in statements) + "\n"


def print_measures(arguments: argparse.Namespace) -> None:
    """Print what the registry says, of all measures or of some."""
    chosen = [measure_called(name) for name in arguments.names]
    width = width_of(None) if is_terminal() else None
    if arguments.format == "table":
        put(None, explained(chosen, width) if chosen else listed(width))
        return
    found = [row for row in measure_table() if not chosen or row[0] in {one.name for one in chosen}]
    cells = [[cell if isinstance(cell, str) else ", ".join(cell) for cell in row] for row in found]
    put(None, whole(arguments.format, render(arguments.format, TABLE_HEADER, cells)))


def complete(arguments: argparse.Namespace) -> None:
    """Print what makes a shell complete the command."""
    try:
        import shtab
    except ImportError:
        raise DataError(f"completion: shtab must be installed: {INSTALL}") from None
    measures = " ".join(NAMES)
    preamble = {
        "bash": f'_ranking_udfs_measures() {{ compgen -W "{measures}" -- "$1"; }}',
        "zsh": f"_ranking_udfs_measures() {{ _values -s , measure {measures}; }}",
    }
    code = shtab.complete(parsers()[0], arguments.shell, preamble=preamble.get(arguments.shell, ""))
    put(None, f"{code}\n")


def install(arguments: argparse.Namespace) -> None:
    """Put the pack into a database file."""
    path = arguments.database
    if not os.path.isfile(path):
        raise DataError(f"{path}: no such file: install needs a DuckDB database that is there")
    opened = (
        "SELECT path FROM duckdb_databases() WHERE database_name = current_database() AND type = 'duckdb'"
    )
    with duckdb.connect(path) as con:
        if con.execute(opened).fetchone() in (None, (None,)):  # DuckDB opens a CSV file as a view in memory
            raise DataError(f"{path}: not a DuckDB database")
        con.execute(read(SCRIPT))
    put(None, f"{path}: installed {version()}: FROM ranking_summary('rec', 'truth', [5, 10])\n")


COMMANDS: dict[str, Callable[[argparse.Namespace], int | None]] = {
    "evaluate": evaluate,
    "compare": compare,
    "report": write_report,
    "sql": print_sql,
    "install": install,
    "measures": print_measures,
    "completion": complete,
}
