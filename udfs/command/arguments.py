"""What the command is asked for: its arguments, their rules, and their help."""

import argparse
import math
import os
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

from .. import __version__
from ..duckdb.portable import SCRIPT
from ..duckdb.statements import read
from ..measures import grammar
from .comparison import CORRECTIONS, TESTS
from .conclusion import DIGITS
from .conclusion import FORMATS as CONCLUSION_FORMATS
from .evaluation import Request, at_cut_offs
from .files import extension
from .messages import PROGRAM, say, shortened
from .output import COPY_OPTIONS
from .report import FORMATS
from .tables import Inputs

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
PICTURES = ("svg", "png")
VERDICTS = ("worse", "unclear")
FAILED = 3  # a verdict is one of --fail-if
SHELLS = ("bash", "zsh", "tcsh")
ENDINGS = {  # what --output FILE is where --format is not said, of the formats that a command has
    "": "table",
    ".txt": "table",
    ".csv": "csv",
    ".json": "json",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".tex": "latex",
    ".sql": "sql",
}
A_FILE = {"bash": "_shtab_compgen_files", "zsh": "_files", "tcsh": "f"}  # shtab.FILE, which may not be there
A_MEASURE = {"bash": "_ranking_udfs_measures", "zsh": "_ranking_udfs_measures"}  # which `completion` prints
EXAMPLES = {
    "": """
  ranking-udfs evaluate rec.csv truth.csv -k 5,10
  ranking-udfs compare als=als.csv bert=bert.csv truth.csv --baseline als
  ranking-udfs report als=als.csv bert=bert.csv truth.csv --output report.html
  ranking-udfs measures ndcg

`ranking-udfs COMMAND --help` has all options of a command.""",
    "evaluate": """
  ranking-udfs evaluate rec.csv truth.csv -k 5,10,all
  ranking-udfs evaluate -m 'ndcg(gain=linear)@5,10,recall' rec.csv truth.csv
  ranking-udfs evaluate als=als.csv bert=bert.csv truth.csv --output means.md
  ranking-udfs evaluate --parts rec/part-*.parquet truth.parquet
  ranking-udfs evaluate rec/ truth.parquet --segment users.csv:country
  ranking-udfs evaluate --database shop.duckdb rec sales.bought
  zcat rec.csv.gz | ranking-udfs evaluate - truth.csv
  ranking-udfs evaluate mine.run qrels --ties trec -m 'ndcg(gain=linear),MAP'""",
    "compare": """
  ranking-udfs compare als=als.csv bert=bert.csv truth.csv --baseline als
  ranking-udfs compare all.csv truth.csv --system model --segment users.csv:age
  ranking-udfs compare --database shop.duckdb a=rec_a b=rec_b truth -m ndcg@10
  ranking-udfs compare a=a.csv b=b.csv truth.csv --baseline a --fail-if worse""",
    "report": """
  ranking-udfs report als=als.csv bert=bert.csv truth.csv --output report.html
  ranking-udfs report --database shop.duckdb rec truth -k 5,10 --output r.html
  ranking-udfs report a=a.csv b=b.csv truth.csv --figures slides""",
    "sql": """
  ranking-udfs sql rec.parquet truth.parquet -k 10
  ranking-udfs sql --pack | duckdb shop.duckdb""",
    "measures": """
  ranking-udfs measures
  ranking-udfs measures ndcg MAP
  ranking-udfs measures --format json""",
    "completion": """
  ranking-udfs completion bash > ~/.ranking-udfs.bash  # source it in ~/.bashrc
  ranking-udfs completion zsh > ~/.zfunc/_ranking-udfs""",
}


class Formatter(argparse.HelpFormatter):
    """Help whose examples stand as they are written."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if "\n" in text else super()._fill_text(text, width, indent)


class Parser(argparse.ArgumentParser):
    """Arguments, with errors on one line, and examples below the help."""

    def __init__(self, **options: Any) -> None:
        name = options["prog"].removeprefix(PROGRAM).strip()
        examples = f"examples:{EXAMPLES[name]}" if name in EXAMPLES else None
        super().__init__(formatter_class=Formatter, epilog=examples, **options)

    def error(self, message: str) -> NoReturn:
        say("error", f"{shortened(message)} (see {self.prog} --help)")
        self.exit(2)


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """The arguments; positional ones may stand between options."""
    parser, commands = parsers()
    arguments, others = parser.parse_known_args(argv)
    chosen = commands[arguments.command]
    unknown = [other for other in others if other.startswith("-") and other != "-"]
    if others and (unknown or not hasattr(arguments, "files")):
        near = get_close_matches(unknown[0].partition("=")[0], options_of(chosen), 1) if unknown else []
        hint = f" (did you mean {near[0]}?)" if near else ""
        chosen.error(f"unrecognized arguments: {' '.join(others)}{hint}")
    if hasattr(arguments, "files"):
        arguments.files += others
        check_files(chosen, arguments)
    for one in getattr(arguments, "measures", None) or []:
        if arguments.ties == "expected" and not one.measure.expected:
            chosen.error(f"--ties expected: {one.name} has no closed form over all orders of equal scores")
    if hasattr(arguments, "figures") and arguments.output is None and arguments.figures is None:
        chosen.error("report: --output FILE or --figures DIR is required")
    if getattr(arguments, "fail_if", None) and arguments.baseline is None:
        chosen.error("--fail-if needs --baseline: worse than what?")
    if arguments.command in ("evaluate", "compare"):
        arguments.format = arguments.format or format_of(chosen, arguments)
    if arguments.command == "report" and os.path.splitext(arguments.output or "")[1].lower() not in (
        "",
        ".html",
        ".htm",
    ):
        chosen.error(f"--output must end in .html, which is what a report is, got {arguments.output!r}")
    return arguments


def options_of(parser: argparse.ArgumentParser) -> list[str]:
    """The names of all options."""
    return [name for action in parser._actions for name in action.option_strings]


def check_files(parser: Parser, arguments: argparse.Namespace) -> None:
    """An error where there are too few files, or one is the second of several measures or cut-offs."""
    if len(arguments.files) < 2:
        parser.error("the following arguments are required: REC and TRUTH")
    for text in arguments.files if arguments.database is None else []:
        if os.path.exists(text):
            continue
        if arguments.k and text.isdecimal():
            parser.error(f"{text} is no file: several cut-offs are written -k 5,10")
        if arguments.measures and names_measures(text):
            given = ",".join(one.name for one in arguments.measures)
            parser.error(f"{text} is no file: several measures are written --measures {given},{text}")


def names_measures(text: str) -> bool:
    try:
        return bool(grammar.parse_measures(text))
    except ValueError:
        return False


def format_of(parser: Parser, arguments: argparse.Namespace) -> str:
    """The format that the name of the output says."""
    if arguments.output is None:
        return "table"
    formats = CONCLUSION_FORMATS if arguments.command == "compare" else FORMATS
    endings = {ending: form for ending, form in ENDINGS.items() if form in formats}
    found = endings.get(os.path.splitext(arguments.output)[1].lower())
    if found is None:
        known = ", ".join(filter(None, endings))
        parser.error(f"--output must end in one of {known}, or --format be said, got {arguments.output!r}")
    return found


def parsers() -> tuple[Parser, dict[str, Parser]]:
    """What reads the arguments, and what reads those of each command."""
    parser = Parser(
        prog=PROGRAM, description="Measure rankings: files with recommendations, and with the truth."
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", dest="command")
    add_evaluation(commands.add_parser("evaluate", help="measure recommendations by the truth"))
    add_comparison(commands.add_parser("compare", help="find out which model is better, and how surely"))
    add_report(commands.add_parser("report", help="write a page that shows which model is better, and why"))
    statements = commands.add_parser(
        "sql", help="print the SQL of an evaluation, to run after udfs.register(con)"
    )
    add_evaluation(statements)
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
    file_action(into_file, "database", metavar="FILE", help="a DuckDB database that is there")
    measures = commands.add_parser("measures", help="list the measures and their options, or explain some")
    named = measures.add_argument("names", nargs="*", metavar="NAME", help="a measure to explain: ndcg, MAP")
    named.complete = A_MEASURE  # type: ignore[attr-defined]
    measures.add_argument("--format", choices=FORMATS, default="table")
    completion = commands.add_parser("completion", help="print what makes a shell complete the command")
    completion.add_argument("shell", choices=SHELLS)
    return parser, commands.choices


class PrintPack(argparse.Action):
    """An option that prints the script and ends, as --version does: it needs no files."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        """Print it."""
        print(read(SCRIPT), end="", flush=True)
        parser.exit()


def file_action(parser: Any, *names: str, **options: Any) -> None:
    """An argument that is a file, which a shell completes."""
    parser.add_argument(*names, **options).complete = A_FILE


def add_evaluation(parser: Parser) -> None:
    """The arguments that say what to evaluate, and how."""
    add_request(parser, DEFAULT_MEASURES)
    add_output(parser)
    parser.add_argument(
        "--format", choices=FORMATS, help="of the report (default: what --output says, or table)"
    )
    parser.add_argument(
        "--long",
        action="store_true",
        help="in the report, a row per model, segment, k and measure, with its value",
    )
    file_action(
        parser,
        "--by-user",
        metavar="FILE",
        type=by_user,
        help="values of each user, to .parquet, .csv, .json",
    )


def add_output(parser: Parser, tables: str = "on a terminal") -> None:
    """The arguments that say where text goes, and how."""
    file_action(
        parser,
        "--output",
        metavar="FILE",
        type=output,
        help="write there what would be printed; .csv, .json, .md, .html or .txt says in which format",
    )
    parser.add_argument(
        "--digits",
        type=digits,
        metavar="N",
        help=f"significant ones (default: {DIGITS} {tables}, in Markdown and in HTML, else all)",
    )
    parser.add_argument(
        "--safe-csv",
        action="store_true",
        help="in CSV and TSV, a quote in front of text that a spreadsheet would compute, such as =1+1 "
        "(default: text as it is)",
    )


def add_comparison(parser: Parser) -> None:
    """The arguments that say what to compare, and how."""
    add_request(parser, COMPARED_MEASURES)
    add_output(parser, "in tables")
    add_test(parser, "default: each with each")
    parser.add_argument(
        "--format",
        choices=CONCLUSION_FORMATS,
        help="of the report; csv and json have all numbers in full, sql is what makes them (default: what "
        "--output says, or table)",
    )
    parser.add_argument(
        "--fail-if",
        type=verdicts,
        action="extend",
        metavar="VERDICT",
        help=f"worse, unclear, or both with a comma: exit with {FAILED} if a verdict is so, of all users "
        "or of a segment; needs --baseline",
    )


def add_test(parser: Parser, every: str) -> None:
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


def add_report(parser: Parser) -> None:
    """The arguments that say what a report is of, and where it goes."""
    add_request(parser, COMPARED_MEASURES)
    add_test(parser, "default: the first")
    parser.set_defaults(safe_csv=False)
    parser.description = (
        "Write one HTML file with everything that there is to decide with: the verdict, what the data looks "
        "like, means, differences, curves, users and segments, each as a chart with its numbers. No scripts, "
        "nothing from elsewhere. Verdicts, and the charts of users and segments, are of the first measure at "
        "the first cut-off. " + str(parser.description)
    )
    file_action(parser, "--output", metavar="FILE", type=output, help="write the page there")
    file_action(parser, "--figures", metavar="DIR", help="write each chart there as a file, for slides")
    parser.add_argument("--figure-format", choices=PICTURES, default="svg", help="(default: svg)")


def add_request(parser: Parser, usual: Sequence[str]) -> None:
    """The arguments that say which files to read, and which measures to take, by default the `usual`."""
    parser.usage = f"{parser.prog} [options] REC [REC ...] TRUTH"
    parser.set_defaults(usual=usual)
    parser.description = (
        "Files are CSV, Parquet, JSON or TREC files, folders of them, patterns such as 'rec/*.parquet', URLs "
        "or - for standard input; with --database, tables. A ranking is by score, descending; equal scores "
        "are ordered by item, NULL and NaN come last."
    )
    file_action(
        parser,
        "files",
        nargs="+",
        metavar="REC, TRUTH",
        help="REC: userid, itemid, score; several models as NAME=FILE, or by a column system. "
        "TRUTH: userid, itemid, and the grade rel if there is one",
    )
    parser.add_argument(
        "-k",
        type=cut_offs,
        action="extend",
        help="cut-offs, such as 5,10, or all for the whole list; may be repeated (default: 10)",
    )
    parser.add_argument(
        "-m",
        "--measures",
        type=choices,
        action="extend",
        metavar="MEASURES",
        help="such as ndcg,recall, 'ndcg(gain=linear)', or ndcg@5,10 with cut-offs of its own; may be "
        f"repeated; see `ranking-udfs measures` (default: {', '.join(usual)})",
    ).complete = A_MEASURE  # type: ignore[attr-defined]
    file_action(
        parser,
        "--database",
        metavar="FILE",
        help="a DuckDB database, opened to read: REC, TRUTH and the file of --segment may then be tables and "
        "views in it, such as rec or sales.rec",
    )
    parser.add_argument(
        "--parts",
        action="store_true",
        help="several REC without a name, or of one name, are parts of one table",
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
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="say nothing but errors: no notes on the data, no progress"
    )
    parser.add_argument("--threads", type=threads, metavar="N", help="for DuckDB")
    parser.add_argument("--memory-limit", metavar="SIZE", help="for DuckDB, such as 4GB")


def choices(text: str) -> list[grammar.Choice]:
    try:
        found = grammar.parse_measures(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(error) from None
    for k in (k for one in found for k in one.cuts):
        check_k(k)
    return found


def cut_offs(text: str) -> list[int | None]:
    try:
        return [check_k(k) for k in grammar.cut_offs(text)]
    except ValueError as error:
        raise argparse.ArgumentTypeError(error) from None


def check_k(k: int | None) -> int | None:
    if k is not None and k > LONGEST_K:
        raise argparse.ArgumentTypeError(f"k must be {LONGEST_K} or less, or all, got {k}")
    return k


def verdicts(text: str) -> list[str]:
    found = [word.strip() for word in text.split(",")]
    if not {*found} <= {*VERDICTS}:
        raise argparse.ArgumentTypeError(f"must be {' or '.join(VERDICTS)}, got {text!r}")
    return found


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


def output(path: str) -> str | None:
    return None if path == "-" else path  # as of other commands, standard output


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
    usual = [grammar.parse_measure(name) for name in arguments.usual]
    chosen, ks = at_cut_offs(arguments.measures or usual, arguments.k or [])
    inputs = Inputs(
        recs=arguments.files[:-1],
        truth=arguments.files[-1],
        columns=columns,
        segment=arguments.segment,
        form=arguments.format_in,
        parts=arguments.parts,
        database=arguments.database,
    )
    request = Request(
        choices=chosen,
        ks=ks,
        ties=arguments.ties,
        descending=not arguments.ascending,
        by_segment=arguments.segment is not None,
        by_user=arguments.by_user is not None,
        safe_text=arguments.safe_csv and extension(arguments.by_user or "") in (".csv", ".tsv"),
        prefix=inputs.prefix,
    )
    return inputs, request
