"""The command `ranking-udfs`: what it is asked for, and what it does."""

import argparse
import math
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NoReturn

import duckdb

from .. import __version__
from ..arrow.functions import TABLE_HEADER, measure_table
from ..duckdb.names import version
from ..duckdb.portable import SCRIPT
from ..duckdb.statements import read
from ..measures import grammar
from ..page.drawing import png, svg, vl_convert
from ..page.findings import Findings
from ..page.page import page
from .comparison import (
    CORRECTIONS,
    TESTS,
    Comparison,
    check_measures,
    check_options,
    check_systems,
    compare_queries,
    systems_of,
    tables_of_segments,
)
from .conclusion import FORMATS as CONCLUSION_FORMATS
from .conclusion import conclusion
from .evaluation import Plan, Request, at_cut_offs, plan
from .files import extension
from .gathering import Study, check_report, gather
from .messages import DataError, one_line, printable, shortened
from .output import COPY_OPTIONS, check_outputs, copy_statement, put, whole_file
from .report import FORMATS, Row, render, report
from .session import connected, interruptible, progress, rows
from .tables import Inputs, Tables, input_files, load

PROGRAM = "ranking-udfs"
DEFAULT_MEASURES = (
    "recall",
    "precision",
    "average_precision",
    "auc",
    "mrr",
    "ndcg",
    "hit_rate",
    "f_measure",
)
COMPARED_MEASURES = ("ndcg", "recall", "average_precision", "mrr", "hit_rate", "precision")
COLUMNS = {  # by option
    "user": "userid",
    "item": "itemid",
    "score": "score",
    "grade": "rel",
    "system": "system",
}
LONGEST_K = 2**31 - 1
MOST_DIGITS = 17  # as many as a double has
INTERRUPTED, BROKEN_PIPE = 130, 141  # what a shell reports for SIGINT and SIGPIPE
PICTURES = {"svg": svg, "png": png}
FAILED = 3  # a verdict is one of --fail-if


class Parser(argparse.ArgumentParser):
    """Arguments, with errors on one line."""

    def error(self, message: str) -> NoReturn:
        say("error", f"{shortened(message)} (see {self.prog} --help)")
        self.exit(2)


def say(kind: str, text: object) -> None:
    """Print a line on stderr, on a terminal over what `progress` left there."""
    start = "\r" if sys.stderr.isatty() else ""
    print(f"{start}{PROGRAM}: {kind}: {printable(text)}", file=sys.stderr)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    try:
        arguments = parse(argv)
        code: int = arguments.command(arguments) or 0
        sys.stdout.flush()
    except SystemExit as stop:  # argparse: --help, --version, wrong usage
        return stop.code if isinstance(stop.code, int) else 0
    except BrokenPipeError:
        # so that Python's flush at exit does not fail again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except (KeyboardInterrupt, duckdb.InterruptException):
        return INTERRUPTED
    except (DataError, duckdb.Error, OSError, ValueError, RuntimeError) as error:
        if "UDF: KeyboardInterrupt" in str(error) or str(error) == "Query interrupted":
            return INTERRUPTED
        say("error", one_line(error))
        return 1
    return code


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """The arguments; positional ones may stand between options."""
    parser = Parser(
        prog=PROGRAM, description="Measure rankings: files with recommendations, and with the truth."
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    add_evaluation(commands.add_parser("evaluate", help="measure recommendations by the truth"), evaluate)
    add_comparison(commands.add_parser("compare", help="find out which model is better, and how surely"))
    add_report(commands.add_parser("report", help="write a page that shows which model is better, and why"))
    statements = commands.add_parser(
        "sql", help="print the SQL of an evaluation, to run after udfs.register(con)"
    )
    add_evaluation(statements, print_sql)
    statements.add_argument(
        "--pack",
        action=PrintPack,
        nargs=0,
        help="print the SQL that puts the pack into a database, for clients without Python, and nothing else",
    )
    into_file = commands.add_parser(
        "install", help="put the pack into a database file, for any DuckDB client"
    )
    into_file.description = (
        "Put the pack's table functions and aggregates into a DuckDB database file, as macros that stay: "
        "every client that opens it has them, without Python. To upgrade, install again."
    )
    into_file.add_argument("database", metavar="FILE", help="a DuckDB database that is there")
    into_file.set_defaults(command=install)
    measures = commands.add_parser("measures", help="list the measures and their options")
    measures.add_argument("--format", choices=FORMATS, default="table")
    measures.set_defaults(command=print_measures)
    arguments, others = parser.parse_known_args(argv)
    if others and (not hasattr(arguments, "files") or any(other.startswith("-") for other in others)):
        parser.error(f"unrecognized arguments: {' '.join(others)}")
    if others:
        arguments.files += others
    if hasattr(arguments, "files") and len(arguments.files) < 2:
        parser.error("the following arguments are required: REC and TRUTH")
    for one in getattr(arguments, "measures", None) or []:
        if arguments.ties == "expected" and not one.measure.expected:
            parser.error(f"--ties expected: {one.name} has no closed form over all orders of equal scores")
    if hasattr(arguments, "figures") and arguments.output is None and arguments.figures is None:
        parser.error("report: --output FILE or --figures DIR is required")
    if getattr(arguments, "fail_if", None) and arguments.baseline is None:
        parser.error("--fail-if needs --baseline: worse than what?")
    return arguments


class PrintPack(argparse.Action):
    """An option that prints the script and ends, as --version does: it needs no files."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        """Print it."""
        print(read(SCRIPT), end="", flush=True)
        parser.exit()


def add_evaluation(parser: argparse.ArgumentParser, command: Callable[[argparse.Namespace], None]) -> None:
    """The arguments that say what to evaluate, and how."""
    add_request(parser, command, DEFAULT_MEASURES)
    add_output(parser)
    parser.add_argument("--format", choices=FORMATS, default="table", help="of the report (default: table)")
    parser.add_argument(
        "--long",
        action="store_true",
        help="in the report, a row per model, segment, k and measure, with its value",
    )
    parser.add_argument(
        "--by-user", metavar="FILE", type=by_user, help="values of each user, to .parquet, .csv, .json"
    )


def add_output(parser: argparse.ArgumentParser) -> None:
    """The arguments that say where text goes, and how."""
    parser.add_argument("--output", metavar="FILE", help="write there what would be printed")
    parser.add_argument(
        "--safe-csv",
        action="store_true",
        help="in CSV and TSV, a quote in front of text that a spreadsheet would compute, such as =1+1 "
        "(default: text as it is)",
    )


def add_comparison(parser: argparse.ArgumentParser) -> None:
    """The arguments that say what to compare, and how."""
    add_request(parser, compare, COMPARED_MEASURES)
    add_output(parser)
    add_test(parser, "default: each with each")
    add = parser.add_argument
    add(
        "--format",
        choices=CONCLUSION_FORMATS,
        default="table",
        help="of the report; csv and json have all numbers in full, sql is what makes them (default: table)",
    )
    add("--digits", type=digits, default=4, metavar="N", help="significant ones in tables (default: 4)")
    add(
        "--fail-if",
        choices=("worse", "unclear"),
        nargs="+",
        action="extend",
        help=f"exit with {FAILED} if a verdict is so, of all users or of a segment; needs --baseline",
    )


def add_test(parser: argparse.ArgumentParser, every: str) -> None:
    """The arguments that say how to compare."""
    parser.set_defaults(by_user=None)
    add = parser.add_argument
    add("--baseline", metavar="NAME", help=f"the model to compare the others with ({every})")
    add(
        "--confidence",
        type=number,
        default=0.95,
        metavar="SHARE",
        help="of intervals and verdicts (default: 0.95)",
    )
    add("--margin", type=number, metavar="DIFFERENCE", help="up to this, models are the same (default: none)")
    add("--test", choices=TESTS, default=TESTS[0], help="paired (default: t)")
    add("--permutations", type=int, default=10_000, metavar="N", help="of the test (default: 10000)")
    add("--seed", type=int, default=0, metavar="N", help="of the permutations (default: 0)")
    add(
        "--correction",
        choices=CORRECTIONS,
        default=CORRECTIONS[0],
        help="of p, for the number of models and segments that one measure at one k is compared for: "
        "Holm's, Benjamini and Hochberg's, or none (default: holm)",
    )


def add_report(parser: argparse.ArgumentParser) -> None:
    """The arguments that say what a report is of, and where it goes."""
    add_request(parser, write_report, COMPARED_MEASURES)
    add_test(parser, "default: the first")
    parser.set_defaults(safe_csv=False)
    parser.description = (
        "Write one HTML file with everything that there is to decide with: the verdict, what the data looks "
        "like, means, differences, curves, users and segments, each as a chart with its numbers. No scripts, "
        "nothing from elsewhere. Verdicts, and the charts of users and segments, are of the first measure at "
        "the first cut-off. " + str(parser.description)
    )
    parser.add_argument("--output", metavar="FILE", help="write the page there")
    parser.add_argument("--figures", metavar="DIR", help="write each chart there as a file, for slides")
    parser.add_argument("--figure-format", choices=PICTURES, default="svg", help="(default: svg)")


def add_request(
    parser: argparse.ArgumentParser,
    command: Callable[[argparse.Namespace], int | None],
    usual: Sequence[str],
) -> None:
    """The arguments that say which files to read, and which measures to take, by default the `usual`."""
    parser.usage = f"{parser.prog} [options] REC [REC ...] TRUTH"
    parser.set_defaults(command=command, usual=usual)
    parser.description = (
        "Files are CSV, Parquet, JSON or TREC files, patterns such as 'rec/*.parquet', or URLs: what DuckDB "
        "reads. A ranking is by score, descending; equal scores are ordered by item, NULL and NaN come last."
    )
    parser.add_argument(
        "files",
        nargs="+",
        metavar="REC, TRUTH",
        help="REC: userid, itemid, score; several models as NAME=FILE, or by a column system. "
        "TRUTH: userid, itemid, and the grade rel if there is one",
    )
    parser.add_argument(
        "-k", type=cut_off, action="append", help="cut-off, or all; may be repeated (default: 10)"
    )
    parser.add_argument(
        "--measures",
        type=choice,
        nargs="+",
        action="extend",
        metavar="MEASURE",
        help="such as ndcg, 'ndcg(gain=linear)', or ndcg@5,10 with cut-offs of its own; see "
        f"`ranking-udfs measures` (default: {' '.join(usual)})",
    )
    columns = parser.add_argument_group("columns of the files")
    for name, column in COLUMNS.items():
        columns.add_argument(f"--{name}", metavar="COLUMN", help=f"(default: {column})")
    columns.add_argument(
        "--ascending",
        action="store_true",
        help="the lowest score is the best, as of ranks (default: the highest)",
    )
    parser.add_argument(
        "--format-in",
        choices=("auto", "table", "trec"),
        default="auto",
        help="trec: lines `topic Q0 doc rank score tag` and `topic 0 doc grade` (default: by their shape)",
    )
    parser.add_argument(
        "--ties",
        choices=("item", "trec", "expected"),
        default="item",
        help="order of equal scores: by item, ascending; or as trec_eval has it: scores as 32-bit floats, "
        "equal ones by item as text, descending; or none: expected values over all orders (default: item)",
    )
    parser.add_argument(
        "--segment",
        metavar="FILE:COLUMN",
        type=segment,
        help="the same of the users of each segment too; FILE has the users, COLUMN their segment",
    )
    parser.add_argument("--no-check", action="store_true", help="do not look for problems in the data")
    parser.add_argument("--threads", type=threads, metavar="N", help="for DuckDB")
    parser.add_argument("--memory-limit", metavar="SIZE", help="for DuckDB, such as 4GB")


def choice(text: str) -> grammar.Choice:
    try:
        found = grammar.parse_measure(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(error) from None
    for k in found.cuts:
        check_k(k)
    return found


def cut_off(text: str) -> int | None:
    try:
        return check_k(grammar.cut_off(text))
    except ValueError as error:
        raise argparse.ArgumentTypeError(error) from None


def check_k(k: int | None) -> int | None:
    if k is not None and k > LONGEST_K:
        raise argparse.ArgumentTypeError(f"k must be {LONGEST_K} or less, or all, got {k}")
    return k


def number(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise argparse.ArgumentTypeError(f"must be a number, got {text!r}")
    return found


def digits(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_DIGITS:
        raise argparse.ArgumentTypeError(f"must be from 1 to {MOST_DIGITS}, got {text!r}")
    return int(text)


def threads(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be 1 or more, got {text!r}")
    return int(text)


def segment(text: str) -> tuple[str, str]:
    path, colon, column = text.rpartition(":")
    if not (path and colon and column):
        raise argparse.ArgumentTypeError(f"must be FILE:COLUMN, got {text!r}")
    return path, column


def by_user(path: str) -> str:
    if extension(path) not in COPY_OPTIONS:
        raise argparse.ArgumentTypeError(f"must end in one of {', '.join(COPY_OPTIONS)}, got {path!r}")
    return path


def asked(arguments: argparse.Namespace) -> tuple[Inputs, Request]:
    """The files to read, and what to find out from them."""
    columns = {ours: getattr(arguments, name) or ours for name, ours in COLUMNS.items()}
    for name in ("grade", "system"):  # without these, there may be none
        if not getattr(arguments, name):
            del columns[COLUMNS[name]]
    choices, ks = at_cut_offs(arguments.measures or list(map(choice, arguments.usual)), arguments.k or [])
    inputs = Inputs(
        recs=arguments.files[:-1],
        truth=arguments.files[-1],
        columns=columns,
        segment=arguments.segment,
        form=arguments.format_in,
    )
    request = Request(
        choices=choices,
        ks=ks,
        ties=arguments.ties,
        descending=not arguments.ascending,
        by_segment=arguments.segment is not None,
        by_user=arguments.by_user is not None,
        safe_text=arguments.safe_csv and extension(arguments.by_user or "") in (".csv", ".tsv"),
    )
    return inputs, request


def session(arguments: argparse.Namespace) -> duckdb.DuckDBPyConnection:
    return connected({"threads": arguments.threads, "memory_limit": arguments.memory_limit})


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
    if con.execute("SELECT count(userid) FROM truth").fetchall() == [(0,)]:
        raise DataError(f"{inputs.truth}: no user to evaluate")


def run_tables(
    con: duckdb.DuckDBPyConnection,
    arguments: argparse.Namespace,
    inputs: Inputs,
    tables: Tables,
    steps: Plan,
) -> None:
    """Make the tables of the plan, and say what problems the data has."""
    check_users(con, inputs)
    for statement in steps.tables:
        con.execute(statement)
    if not arguments.no_check:
        for note in tables.unread:
            say("note", note)
        print_problems(con, steps.check)


def evaluate(arguments: argparse.Namespace) -> None:
    """Run the evaluation: its report, and the values by user."""
    inputs, request = asked(arguments)

    def results() -> str:
        tables, steps = prepare(con, arguments, inputs, request)
        run_tables(con, arguments, inputs, tables, steps)
        summary = rows(con, steps.summary)
        by_segment = rows(con, steps.by_segment) if steps.by_segment else []
        if steps.by_user:
            with whole_file(arguments.by_user) as path:
                con.execute(copy_statement(steps.by_user, path, ", USE_TMP_FILE false"))
        segments = inputs.segment and inputs.segment[1]
        return report(
            arguments.format,
            request,
            tables.systems,
            segments,
            summary,
            by_segment,
            is_long=arguments.long,
            is_safe=arguments.safe_csv,
        )

    with session(arguments) as con, progress(con):
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
    inputs, request = asked(arguments)
    request = replace(request, by_user=True)
    options = how(arguments)

    def results() -> tuple[str, list[Row]]:
        check_measures(request, "compare", "--")
        check_options(con, options, "compare", "--")
        tables, steps = prepare(con, arguments, inputs, request)
        check_systems(con, tables, arguments.baseline)
        steps = replace(steps, tables=[*steps.tables, *tables_of_segments(request)])
        queries = compare_queries(request, options)
        if arguments.format == "sql":
            return script([*tables.statements, *steps.tables, *queries]), []
        run_tables(con, arguments, inputs, tables, steps)
        found = [rows(con, query) for query in queries]
        segment = inputs.segment and inputs.segment[1]
        shown = conclusion(arguments.format, options, segment, found, arguments.digits, arguments.safe_csv)
        return shown, [row for some in found for row in some]

    with session(arguments) as con, progress(con):
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
    inputs, request = asked(arguments)
    options = how(arguments)
    try:
        vl_convert()
    except ImportError as error:
        raise DataError(f"report: {error}") from None
    if arguments.figures is not None and not os.path.isdir(arguments.figures):
        raise DataError(f"{arguments.figures}: no such directory")

    def results() -> Findings:
        check_options(con, options, "report", "--")
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
        return gather(con, study)

    with session(arguments) as con, progress(con):
        findings = interruptible(con, results)
        files = input_files(con, inputs)
    drawn, form = page(findings), arguments.figure_format
    every = [chart for charts in drawn.charts.values() for chart in charts] if arguments.figures else []
    figures = {os.path.join(arguments.figures, f"{chart.name}.{form}"): chart for chart in every}
    check_outputs([*([arguments.output] if arguments.output else []), *figures], files)
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
    inputs, request = asked(arguments)
    with session(arguments) as con, progress(con):
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
    """Print what the registry says."""
    cells = [[cell if isinstance(cell, str) else ", ".join(cell) for cell in row] for row in measure_table()]
    put(None, render(arguments.format, TABLE_HEADER, cells))


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
