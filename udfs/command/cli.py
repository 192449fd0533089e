"""The command `ranking-udfs`: from files to a report."""

import argparse
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, NoReturn, TypeVar

import duckdb

from .. import __version__, register
from ..arrow.functions import TABLE_HEADER, measure_table
from ..duckdb.statements import literal
from .evaluation import Choice, Plan, Request, Row, plan, rows
from .files import DataError, extension, one_line
from .report import FORMATS, render, report, whole_file

PROGRAM = "ranking-udfs"
PROGRESS_SECONDS = 0.5
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
COPY_OPTIONS = {
    ".parquet": "FORMAT parquet",
    ".csv": "FORMAT csv, HEADER",
    ".tsv": "FORMAT csv, HEADER, DELIMITER '\t'",
    ".json": "FORMAT json, ARRAY",
    ".jsonl": "FORMAT json",
    ".ndjson": "FORMAT json",
}
INTERRUPTED, BROKEN_PIPE = 130, 141  # what a shell reports for SIGINT and SIGPIPE
Result = TypeVar("Result")


class Parser(argparse.ArgumentParser):
    """Arguments, with errors on one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{PROGRAM}: error: {message} (see {self.prog} --help)\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    try:
        arguments = parse(argv)
        arguments.command(arguments)
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
        print(f"{PROGRAM}: error: {one_line(error)}", file=sys.stderr)
        return 1
    return 0


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """The arguments; positional ones may stand between options."""
    parser = Parser(
        prog=PROGRAM, description="Measure rankings: files with recommendations, and with the truth."
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    add_evaluation(commands.add_parser("evaluate", help="measure recommendations by the truth"), evaluate)
    add_evaluation(
        commands.add_parser(
            "sql", help="print the SQL of such an evaluation, to run after udfs.register(con)"
        ),
        print_sql,
    )
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
    return arguments


def add_evaluation(parser: argparse.ArgumentParser, command: Callable[[argparse.Namespace], None]) -> None:
    """The arguments that say what to evaluate, and how."""
    parser.usage = f"{parser.prog} [options] REC [REC ...] TRUTH"
    parser.set_defaults(command=command)
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
    parser.add_argument("-k", type=cut_off, action="append", help="cut-off; may be repeated (default: 10)")
    parser.add_argument(
        "--measures",
        type=choice,
        nargs="+",
        action="extend",
        metavar="MEASURE",
        help="such as ndcg, 'ndcg(gain=linear)'; see `ranking-udfs measures` "
        f"(default: {' '.join(DEFAULT_MEASURES)})",
    )
    columns = parser.add_argument_group("columns of the files")
    for name, column in (("user", "userid"), ("item", "itemid"), ("score", "score"), ("grade", "rel")):
        columns.add_argument(f"--{name}", metavar="COLUMN", help=f"(default: {column})")
    parser.add_argument(
        "--format-in",
        choices=("auto", "table", "trec"),
        default="auto",
        help="trec: lines `topic Q0 doc rank score tag` and `topic 0 doc grade` (default: by their shape)",
    )
    parser.add_argument(
        "--ties",
        choices=("item", "trec"),
        default="item",
        help="order of equal scores: by item, ascending; or as trec_eval has it: scores as 32-bit floats, "
        "equal ones by item as text, descending (default: item)",
    )
    parser.add_argument("--format", choices=FORMATS, default="table", help="of the report (default: table)")
    parser.add_argument("--output", metavar="FILE", help="write there what would be printed")
    parser.add_argument(
        "--by-user", metavar="FILE", type=by_user, help="values of each user, to .parquet, .csv, .json"
    )
    parser.add_argument(
        "--segment",
        metavar="FILE:COLUMN",
        type=segment,
        help="means of the users of each segment too; FILE has the users, COLUMN their segment",
    )
    parser.add_argument("--no-check", action="store_true", help="do not look for problems in the data")
    parser.add_argument("--threads", type=threads, metavar="N", help="for DuckDB")
    parser.add_argument("--memory-limit", metavar="SIZE", help="for DuckDB, such as 4GB")


def choice(text: str) -> Choice:
    try:
        return Choice.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def cut_off(text: str) -> int:
    if not text.lstrip("+-").isdecimal():
        raise argparse.ArgumentTypeError(f"k must be an integer, got {text!r}")
    if not 0 <= int(text) <= 2**31 - 1:
        raise argparse.ArgumentTypeError(f"k must be 0 or more, got {text}")
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


@contextmanager
def planned(arguments: argparse.Namespace) -> Iterator[tuple[duckdb.DuckDBPyConnection, Request, Plan]]:
    """A connection with the pack in it, and what to do there."""
    for path in (arguments.output, arguments.by_user):
        folder = os.path.dirname(path or "") or "."
        if not os.path.isdir(folder):
            raise DataError(f"{path}: no such directory: {folder}")
        if path and os.path.isdir(path):
            raise DataError(f"{path}: a directory, not a file")
    names = {"userid": arguments.user or "userid", "itemid": arguments.item or "itemid"}
    names["score"] = arguments.score or "score"
    if arguments.grade:
        names["rel"] = arguments.grade
    chosen = arguments.measures or list(map(Choice.parse, DEFAULT_MEASURES))
    request = Request(
        recs=arguments.files[:-1],
        truth=arguments.files[-1],
        ks=list(dict.fromkeys(arguments.k or [10])),
        choices=list({choice.column: choice for choice in chosen}.values()),
        columns=names,
        segment=arguments.segment,
        by_user=arguments.by_user is not None,
        form=arguments.format_in,
        ties=arguments.ties,
    )
    with duckdb.connect(config=settings(arguments)) as con:
        con.execute("SET enable_progress_bar_print = false")  # DuckDB prints it to where the report goes
        register(con)
        yield con, request, interruptible(con, lambda: plan(con, request))


def settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """DuckDB's settings. A path is never taken for one of Python's variables."""
    chosen = {"threads": arguments.threads, "memory_limit": arguments.memory_limit}
    return {
        "preserve_insertion_order": False,
        "python_enable_replacements": False,
        **{name: value for name, value in chosen.items() if value is not None},
    }


def evaluate(arguments: argparse.Namespace) -> None:
    """Run the evaluation: its report, and the values by user."""
    with planned(arguments) as (con, request, steps), progress(con):

        def results() -> tuple[list[Row], list[Row]]:
            for statement in steps.tables:
                con.execute(statement)
            if not arguments.no_check:
                print_problems(con, request)
            summary = rows(con, steps.summary)
            if not any(row["users"] for row in summary):
                raise DataError(f"{request.truth}: no user to evaluate")
            by_segment = rows(con, steps.by_segment) if steps.by_segment else []
            if steps.by_user:
                with whole_file(arguments.by_user) as path:
                    con.execute(copy_statement(steps.by_user, path))
            return summary, by_segment

        summary, by_segment = interruptible(con, results)
    put(arguments.output, report(arguments.format, request, steps.systems, summary, by_segment))


def interruptible(con: duckdb.DuckDBPyConnection, work: Callable[[], Result]) -> Result:
    """Do the work in a thread of its own, so that Ctrl-C ends a query at once.

    In the main thread Python would see the signal only between DuckDB's tasks, which may take seconds, and
    might raise KeyboardInterrupt in the middle of cleaning up.
    """
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        try:
            return future.result()
        except KeyboardInterrupt:
            while not future.done():  # an interrupt between two queries ends neither
                con.interrupt()
                wait([future], 0.05)
            raise


def print_sql(arguments: argparse.Namespace) -> None:
    """Print the evaluation's statements."""
    with planned(arguments) as (_, _, steps):
        statements = [*steps.tables, steps.summary]
        if steps.by_segment:
            statements.append(steps.by_segment)
        if steps.by_user:
            statements.append(copy_statement(steps.by_user, arguments.by_user))
    put(arguments.output, "\n\n".join(f"{statement};" for statement in statements) + "\n")


def copy_statement(query: str, path: str) -> str:
    return f"COPY (\n{query}\n) TO {literal(path)} ({COPY_OPTIONS[extension(path)]})"


def print_problems(con: duckdb.DuckDBPyConnection, request: Request) -> None:
    """A line on stderr for each problem that the data has."""
    ks = ", ".join(map(str, request.ks))
    for problem in rows(con, f"FROM ranking_check('rec', 'truth', ks := [{ks}])"):
        example = f", for example {problem['example']}" if problem["example"] is not None else ""
        print(f"{PROGRAM}: note: {problem['problem']}: {problem['count']}{example}", file=sys.stderr)


@contextmanager
def progress(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """On a terminal, show on stderr how far a long query is."""
    if not sys.stderr.isatty():
        yield
        return
    con.execute("SET enable_progress_bar = true")
    done = threading.Event()

    def show() -> None:
        while not done.wait(PROGRESS_SECONDS):
            percent = con.query_progress()
            if percent >= 0:
                print(f"\r{percent:4.0f} % ", end="", file=sys.stderr, flush=True)
        print("\r       \r", end="", file=sys.stderr, flush=True)

    thread = threading.Thread(target=show)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def print_measures(arguments: argparse.Namespace) -> None:
    """Print what the registry says."""
    rows = [[cell if isinstance(cell, str) else ", ".join(cell) for cell in row] for row in measure_table()]
    put(None, render(arguments.format, TABLE_HEADER, rows))


def put(path: str | None, text: str) -> None:
    """Print the text, or write it to the file."""
    if path is None:
        sys.stdout.write(text)
        return
    with whole_file(path) as beside, open(beside, "w", encoding="utf-8") as file:
        file.write(text)
