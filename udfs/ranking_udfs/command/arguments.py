"""The arguments of the command, their rules, and their help."""

import argparse
import math
import os
from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NoReturn

from ..evaluation import defaults
from ..evaluation.columns import UNJUDGED, is_min_grade
from ..evaluation.defaults import DIGITS, LARGEST_K
from ..texts import shorten
from ..version import versions
from .gates import PROBLEMS, VERDICTS, Condition, parse_conditions
from .messages import PROGRAM, say

if TYPE_CHECKING:
    from ..measures.grammar import Choice

FORMATS = ("table", "csv", "json", "markdown", "html")
COMPARISON_FORMATS = (*FORMATS, "latex", "sql")
COLUMNS = {  # by option
    "user": ("userid", "users"),
    "item": ("itemid", "items"),
    "score": ("score", "scores"),
    "grade": ("rel", "grades, if there are any"),
    "system": ("system", "names of models, if there are several"),
}
SPLIT_RULES = {
    "cold-users": "rows of a test whose user is not in its train",
    "cold-items": "rows of a test whose item is not in its train",
    "seen": "rows of a test whose user and item are in its train together",
}
FUSIONS = ("rrf", "combsum", "combmnz", "borda")
NORMALIZATIONS = ("min_max", "z_score", "sum", "none")
MOST_DIGITS = 17  # as many as a double has
PICTURES = ("svg", "png")
EXIT_USAGE = 2  # wrong usage, or files that have nothing in common
EXIT_FAILED = 3  # a condition of --fail-if holds
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
# What the commands that measure have besides, where it is not asked for.
NOT_ASKED = {
    "usual": defaults.MEASURES,
    "measures": None,
    "ties": "item",
    "segment": None,
    "no_check": False,
    "allow_empty": True,
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
  ranking-udfs evaluate rec.csv truth.csv --fail-if 'ndcg@10 < 0.3'
  ranking-udfs evaluate rec.csv test.csv --history train.csv --items items.csv
  zcat rec.csv.gz | ranking-udfs evaluate - truth.csv
  ranking-udfs evaluate mine.run qrels --ties trec -m 'ndcg(gain=linear),MAP'""",
    "check": """
  ranking-udfs check rec.csv truth.csv -k 10,50
  ranking-udfs check als=als.csv bert=bert.csv truth.csv --format json
  ranking-udfs check rec.csv test.csv --history train.csv
  ranking-udfs check rec/ truth.parquet --fail-if problems""",
    "compare": """
  ranking-udfs compare als=als.csv bert=bert.csv truth.csv --baseline als
  ranking-udfs compare all.csv truth.csv --system model --segment users.csv:age
  ranking-udfs compare als=als.csv bert=bert.csv:ascending truth.csv
  ranking-udfs compare --database shop.duckdb a=rec_a b=rec_b truth -m ndcg@10
  ranking-udfs compare a=a.csv b=b.csv truth.csv --baseline a --fail-if worse
  ranking-udfs compare all.csv truth.csv --baseline a --fail-if 'ndcg worse'""",
    "explain": """
  ranking-udfs explain rec.csv truth.csv --user-id c02 -k 10
  ranking-udfs explain als=als.csv bert=bert.csv truth.csv --user-id 7 -k 5
  ranking-udfs explain rec.csv truth.csv --user-id c02 --output c02.csv""",
    "overlap": """
  ranking-udfs overlap als=als.csv bert=bert.csv --baseline als -k 5,10
  ranking-udfs overlap all.parquet --system model --format json""",
    "report": """
  ranking-udfs report als=als.csv bert=bert.csv truth.csv --output report.html
  ranking-udfs report --database shop.duckdb rec truth -k 5,10 --output r.html
  ranking-udfs report rec.csv truth.csv --history train.csv --output r.html
  ranking-udfs report a=a.csv b=b.csv truth.csv --figures slides""",
    "sql": """
  ranking-udfs sql rec.parquet truth.parquet -k 10
  ranking-udfs sql --pack | duckdb shop.duckdb""",
    "split": """
  ranking-udfs split events.csv --test-size '7 days' --output folder/
  ranking-udfs split sold.parquet --test-size '1 month' --folds 4 --output out/
  ranking-udfs split ratings.csv --time rated_on --last 1 --output out/""",
    "fuse": """
  ranking-udfs fuse bm25=bm25.csv vector=vector.csv --output fused.csv
  ranking-udfs fuse a.run b.run --weights a=1,b=0.5 --output fused.run
  ranking-udfs fuse rec.parquet --system model --method combsum --output f.csv
  ranking-udfs compare bm25=bm25.csv fused=fused.csv truth.csv -m ndcg@10""",
    "measures": """
  ranking-udfs measures
  ranking-udfs measures ndcg MAP
  ranking-udfs measures --format json""",
    "completion": """
  ranking-udfs completion bash > ~/.ranking-udfs.bash  # source it in ~/.bashrc
  ranking-udfs completion zsh > ~/.zfunc/_ranking-udfs""",
}


class Formatter(argparse.HelpFormatter):
    """Help text with examples in the lines in which they are written."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if "\n" in text else super()._fill_text(text, width, indent)


class Parser(argparse.ArgumentParser):
    """A parser with errors on one line, and examples below the help."""

    def __init__(self, **options: Any) -> None:
        name = options["prog"].removeprefix(PROGRAM).strip()
        examples = f"examples:{EXAMPLES[name]}" if name in EXAMPLES else None
        super().__init__(formatter_class=Formatter, epilog=examples, **options)

    def error(self, message: str) -> NoReturn:
        say("error", f"{shorten(message)} (see {self.prog} --help)")
        self.exit(EXIT_USAGE)


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parse the arguments; positional ones may stand between options."""
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
            chosen.error(f"--ties expected: {one.name} {defaults.NO_CLOSED_FORM}")
    if hasattr(arguments, "figures") and arguments.output is None and arguments.figures is None:
        chosen.error("report: --output FILE or --figures DIR is required")
    check_conditions(chosen, arguments)
    if getattr(arguments, "pairs", False) and arguments.segment is not None:
        chosen.error("--pairs is of all users, without their segments: leave out --segment")
    if arguments.command == "explain" and len(set(arguments.k or [])) > 1:
        chosen.error(f"-k must be one cut-off, got {','.join(map(str, arguments.k))}")
    if arguments.command in ("check", "evaluate", "compare", "explain", "overlap"):
        arguments.format = arguments.format or format_of(chosen, arguments)
    if arguments.command == "report" and arguments.items and not arguments.history:
        chosen.error("--items needs --history FILE, with whose categories those of the lists are compared")
    if arguments.command == "report" and os.path.splitext(arguments.output or "")[1].lower() not in (
        "",
        ".html",
        ".htm",
    ):
        chosen.error(f"--output must end in .html, which is what a report is, got {arguments.output!r}")
    return arguments


def check_conditions(parser: Parser, arguments: argparse.Namespace) -> None:
    """Refuse conditions of --fail-if that would look at nothing, and a column of a file that is not there."""
    if arguments.command == "check" and arguments.time and not arguments.history:
        parser.error(f"--time {arguments.time} needs --history FILE, which has that column too")
    for one in getattr(arguments, "fail_if", None) or []:
        if one.verdict != PROBLEMS and arguments.command == "check":
            parser.error(f"--fail-if of the check must be problems or problems(WORDS), got {one.text}")
        if one.verdict == PROBLEMS and arguments.no_check:
            parser.error(f"--fail-if {one.text} needs the check of the data: leave out --no-check")
        if one.verdict in VERDICTS and arguments.command != "compare":
            parser.error(f"--fail-if {one.text} needs `{PROGRAM} compare`, which has verdicts")
        if one.verdict in VERDICTS and arguments.baseline is None:
            parser.error(f"--fail-if {one.text} needs --baseline, which the others are compared with")
        if arguments.format == "sql":
            parser.error(f"--fail-if {one.text} needs results: --format sql only prints what would find them")


def options_of(parser: argparse.ArgumentParser) -> list[str]:
    return [name for action in parser._actions for name in action.option_strings]


def check_files(parser: Parser, arguments: argparse.Namespace) -> None:
    """Refuse too few files, and a file that is the second of several measures or cut-offs."""
    if len(arguments.files) < 2 and arguments.has_truth:
        parser.error("the following arguments are required: REC and TRUTH")
    for text in arguments.files if arguments.database is None else []:
        if os.path.exists(text):
            continue
        if arguments.k and text.isdecimal():
            parser.error(f"{text} is no file: several cut-offs are written -k 5,10")
        if arguments.measures and is_measures(text):
            given = ",".join(one.name for one in arguments.measures)
            parser.error(f"{text} is no file: several measures are written --measures {given},{text}")


def is_measures(text: str) -> bool:
    """Return whether this is a list of measures."""
    from ..measures import grammar

    try:
        return bool(grammar.parse_measures(text))
    except ValueError:
        return False


def format_of(parser: Parser, arguments: argparse.Namespace) -> str:
    """Return the format that the extension of the output names."""
    if arguments.output is None:
        return "table"
    formats = COMPARISON_FORMATS if arguments.command == "compare" else FORMATS
    endings = {ending: form for ending, form in ENDINGS.items() if form in formats}
    found = endings.get(os.path.splitext(arguments.output)[1].lower())
    if found is None:
        known = ", ".join(filter(None, endings))
        parser.error(f"--output must end in one of {known}, or --format be said, got {arguments.output!r}")
    return found


def parsers() -> tuple[Parser, dict[str, Parser]]:
    """Return the parser of all arguments, and that of each command."""
    parser = Parser(
        prog=PROGRAM, description="Measure rankings: files with recommendations, and with the truth."
    )
    parser.add_argument(
        "--version",
        action=PrintVersions,
        nargs=0,
        default=argparse.SUPPRESS,
        help="print the versions of all that it runs on",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND", dest="command")
    add_check(commands.add_parser("check", help="look for problems in recommendations and truth"))
    evaluation = commands.add_parser("evaluate", help="measure recommendations by the truth")
    add_evaluation(evaluation)
    add_gate(evaluation)
    add_comparison(commands.add_parser("compare", help="find out which model is better, and how surely"))
    add_explanation(commands.add_parser("explain", help="show one user's lists, and why they measure so"))
    add_overlap(commands.add_parser("overlap", help="find out how much models' lists have in common"))
    add_report(commands.add_parser("report", help="write a page that shows which model is better, and why"))
    statements = commands.add_parser(
        "sql", help="print the SQL of an evaluation, to run after ranking_udfs.register(con)"
    )
    add_evaluation(statements)
    statements.add_argument(
        "--pack",
        action=PrintPack,
        nargs=0,
        help="print the SQL that puts the pack into a database, for clients without Python, and nothing else",
    )
    add_fuse(commands.add_parser("fuse", help="join the rankings of several models"))
    add_split(commands.add_parser("split", help="make train and test of a file of events"))
    into_file = commands.add_parser(
        "install", help="put the pack into a database file, for any DuckDB client"
    )
    into_file.description = (
        "Put the pack's table functions and aggregates into a DuckDB database file, as macros that stay: "
        "every client that opens it has them, without Python. Where there is no such file, write one that "
        "other sessions attach: ATTACH 'FILE' AS ranking (READ_ONLY); FROM ranking.ranking_summary(...). "
        "To upgrade, install again."
    )
    file_action(into_file, "database", metavar="FILE", help="a DuckDB database, or the name of a new one")
    out_of_file = commands.add_parser("uninstall", help="take the pack out of a database file")
    out_of_file.description = "Drop what `install` or the script has put into a DuckDB database file."
    file_action(out_of_file, "database", metavar="FILE", help="a DuckDB database that has the pack in it")
    measures = commands.add_parser("measures", help="list the measures and their options, or explain some")
    named = measures.add_argument("names", nargs="*", metavar="NAME", help="a measure to explain: ndcg, MAP")
    named.complete = A_MEASURE  # type: ignore[attr-defined]
    measures.add_argument(
        "--format", choices=FORMATS, default="table", help="output format (default: %(default)s)"
    )
    completion = commands.add_parser("completion", help="print what makes a shell complete the command")
    completion.add_argument("shell", choices=SHELLS)
    return parser, commands.choices


def add_fuse(parser: Parser) -> None:
    """Add the arguments of a fusion, which are those of ranking_fuse."""
    add_inputs(parser, has_truth=False, has_cut_offs=False)
    parser.set_defaults(k=None, measures=None, grade="", segment=None)
    parser.description = (
        "Write one ranking of each user, made of those of several models: userid, itemid, score and "
        "n_systems, best first. The arguments are those of ranking_fuse in SQL. " + str(parser.description)
    )
    add = parser.add_argument
    file_action(
        parser,
        "--output",
        metavar="FILE",
        required=True,
        help="where to write it: .csv, .tsv, .parquet, .json, .jsonl, or .run for TREC's format, whose tag "
        "is the name of the file",
    )
    add("--method", choices=FUSIONS, default="rrf", help="how to join (default: rrf)")
    add(
        "--weights",
        type=parse_weights,
        metavar="NAME=WEIGHT,...",
        help="a number for each model; 0 leaves it out (default: 1 for all)",
    )
    add("--rrf-k", type=parse_number, default=60, metavar="K", help="the k of rrf (default: 60)")
    add(
        "--normalize",
        choices=NORMALIZATIONS,
        default="min_max",
        help="what becomes of the scores of each list in combsum and combmnz (default: min_max)",
    )
    add("--depth", type=int, metavar="N", help="how many rows of each list count (default: all)")


def add_split(parser: Parser) -> None:
    """Add the arguments of a split, which are those of ranking_split."""
    parser.description = (
        "Write train and test of a CSV or Parquet file of events into a folder, of several folds into one "
        "for each, and print how many events are where, and why some are in neither. The arguments are those "
        "of ranking_split in SQL."
    )
    file_action(parser, "events", metavar="EVENTS", help="userid, itemid and time, and any other columns")
    add = parser.add_argument
    add(
        "--output",
        metavar="FOLDER",
        required=True,
        help="where train and test are written, as the events are",
    )
    add("--test-from", metavar="TIME", help="where the test begins")
    add(
        "--test-size",
        metavar="SPAN",
        help="how long a test is, such as '7 days', counted back from the last event",
    )
    add("--last", type=int, metavar="N", help="in place of these: each user's last N events are the test")
    add(
        "--folds", type=int, default=1, metavar="N", help="number of tests, one before the other (default: 1)"
    )
    add("--gap", metavar="SPAN", help="how long before a test its train ends")
    for what, rule in SPLIT_RULES.items():
        add(f"--{what}", choices=("keep", "drop"), default="keep", help=f"{rule} (default: keep)")
    for name in ("user", "item", "time"):
        column = COLUMNS[name][0] if name in COLUMNS else name
        add(f"--{name}", metavar="COLUMN", default=column, help=f"column of {name}s (default: {column})")


class PrintVersions(argparse.Action):
    """The option --version."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        print(parser.prog, versions(), flush=True)
        parser.exit()


class PrintPack(argparse.Action):
    """An option that prints the script and ends, as --version does: it needs no files."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from ..duckdb.portable import SCRIPT
        from ..duckdb.statements import read

        print(read(SCRIPT), end="", flush=True)
        parser.exit()


def file_action(parser: Any, *names: str, **options: Any) -> None:
    """Add an argument that is a file, which a shell completes."""
    parser.add_argument(*names, **options).complete = A_FILE


def add_check(parser: Parser) -> None:
    """Add the arguments of the check."""
    add_inputs(parser)
    parser.description = (
        "List the problems of the data, with their file and what to write against them. "
        + str(parser.description)
    )
    parser.set_defaults(**NOT_ASKED)
    file_action(
        parser,
        "--history",
        metavar="FILE",
        help="the events that the recommendations were made of, such as train.csv: look for truth and "
        "recommendations that are in it, users and items that are not, and events as late as the truth",
    )
    parser.add_argument(
        "--time",
        metavar="COLUMN",
        help="column of times in TRUTH and in that file (default: time); '' for none",
    )
    add_output_file(parser)
    parser.add_argument(
        "--format", choices=FORMATS, help="format (default: by the extension of --output, or table)"
    )
    parser.add_argument(
        "--fail-if",
        type=parse_failures,
        action="extend",
        metavar="CONDITION",
        help=f"exit with code {EXIT_FAILED} if this is so: any problem (problems), or one of these words "
        "('problems(repeated)'); may be repeated",
    )


def add_explanation(parser: Parser) -> None:
    """Add the arguments of the explanation of a user's lists."""
    add_inputs(parser)
    parser.description = (
        "Print one user's list of each model, rank by rank with gains and discounts, the relevant items that "
        "are not in it, and the measures that follow. " + str(parser.description)
    )
    parser.set_defaults(**NOT_ASKED)
    parser.add_argument("--user-id", metavar="USER", required=True, help="the user, as written in the files")
    parser.add_argument(
        "--ties",
        choices=("item", "expected"),
        help="order of equal scores: by item, ascending; or none: means over all orders (default: item)",
    )
    add_output(parser)
    parser.add_argument(
        "--format", choices=FORMATS, help="format (default: by the extension of --output, or table)"
    )


def add_overlap(parser: Parser) -> None:
    """Add the arguments of the overlap of lists."""
    add_inputs(parser, has_truth=False)
    parser.description = (
        "Print how much the lists of two models have in common, on average over the users. No truth is "
        "needed. " + str(parser.description)
    )
    parser.set_defaults(**NOT_ASKED)
    add = parser.add_argument
    add("--baseline", metavar="NAME", help="model to compare the others with (default: each with each)")
    add(
        "--persistence",
        type=parse_number,
        default=defaults.PERSISTENCE,
        metavar="P",
        help="of RBO: how much each rank counts of what the one above does, above 0 to 1 (default: "
        "%(default)s)",
    )
    add_output(parser)
    add("--format", choices=FORMATS, help="format (default: by the extension of --output, or table)")


def add_evaluation(parser: Parser) -> None:
    """Add the arguments of an evaluation: the request, its output and its format."""
    add_request(parser, defaults.MEASURES)
    add_contents(parser)
    add_output(parser)
    parser.add_argument(
        "--format",
        choices=FORMATS,
        help="format of the results (default: by the extension of --output, or table)",
    )
    parser.add_argument(
        "--long",
        action="store_true",
        help="print one row per model, segment, k and measure, with its value",
    )
    file_action(
        parser,
        "--by-user",
        metavar="FILE",
        type=parse_by_user,
        help="write the values of each user to this .parquet, .csv or .json file",
    )


def add_output_file(parser: Parser) -> None:
    """Add the argument for the file that is written."""
    file_action(
        parser,
        "--output",
        metavar="FILE",
        type=parse_output,
        help="write to this file instead of standard output; .csv, .json, .md, .html or .txt says the format",
    )


def add_output(parser: Parser, tables: str = "on a terminal") -> None:
    """Add the arguments for the output."""
    add_output_file(parser)
    parser.add_argument(
        "--digits",
        type=parse_digits,
        metavar="N",
        help=f"number of significant digits (default: {DIGITS} {tables}, in Markdown and in HTML, else all)",
    )
    parser.add_argument(
        "--safe-csv",
        action="store_true",
        help="in CSV and TSV, put a quote in front of text that a spreadsheet would take for a formula, "
        "such as =1+1 (default: text as it is)",
    )


def add_comparison(parser: Parser) -> None:
    """Add the arguments of a comparison."""
    add_request(parser, defaults.COMPARED_MEASURES)
    add_contents(parser)
    add_output(parser, "in tables")
    add_test(parser, "default: each with each")
    parser.add_argument(
        "--pairs",
        action="store_true",
        help="print the models in order, with letters, in place of differences: those that share one are "
        "not surely different; each is compared with each",
    )
    parser.add_argument(
        "--format",
        choices=COMPARISON_FORMATS,
        help="format of the results; csv and json have all numbers in full, sql is the statements that "
        "compute them (default: by the extension of --output, or table)",
    )
    add_gate(
        parser,
        "a verdict: worse, unclear, same or better (of what is in the lists: higher or lower), of all or of "
        "one measure ('ndcg@10 worse'), where p is corrected over all that is looked at, systems, segments, "
        "measures and k; ",
    )


def add_gate(parser: Parser, more: str = "") -> None:
    """Add the argument for conditions that make the command fail."""
    parser.add_argument(
        "--fail-if",
        type=parse_failures,
        action="extend",
        metavar="CONDITION",
        help=f"exit with code {EXIT_FAILED} if this is so: {more}a column beyond a bound "
        "('ndcg@10 < 0.3', 'als:ndcg@10 < 0.3', 'users_without_rec > 5%%' of the users), NULL or not there; "
        "any problem of the data (problems), or those of these words ('problems(repeated)'); may be repeated",
    )


def add_test(parser: Parser, every: str) -> None:
    """Add the arguments for the baseline, the test and its options."""
    parser.set_defaults(by_user=None)
    add = parser.add_argument
    add("--baseline", metavar="NAME", help=f"model to compare the others with ({every})")
    add(
        "--confidence",
        type=parse_number,
        default=defaults.CONFIDENCE,
        metavar="LEVEL",
        help="confidence level of intervals and verdicts (default: %(default)s)",
    )
    add(
        "--margin",
        type=parse_number,
        metavar="DIFFERENCE",
        help="equivalence margin: models that differ by less are the same (default: none)",
    )
    add(
        "--test",
        choices=defaults.TESTS,
        default="t",
        help="paired test of a difference (default: %(default)s)",
    )
    add(
        "--permutations",
        type=int,
        default=defaults.PERMUTATIONS,
        metavar="N",
        help="number of permutations of the randomization test (default: %(default)s)",
    )
    add(
        "--seed",
        type=int,
        default=defaults.SEED,
        metavar="N",
        help="random seed of the permutations (default: %(default)s)",
    )
    add(
        "--correction",
        choices=defaults.CORRECTIONS,
        default="holm",
        help="correction of p-values for multiple comparisons, of all models (and of all segments, apart "
        "from all users) in one measure at one k: Holm's, Benjamini and Hochberg's, or none (default: "
        "%(default)s)",
    )


def add_report(parser: Parser) -> None:
    """Add the arguments of a report."""
    add_request(parser, defaults.COMPARED_MEASURES)
    add_contents(parser)
    add_test(parser, "default: the first")
    parser.set_defaults(safe_csv=False)
    parser.description = (
        "Write one HTML file with everything that there is to decide with: the verdict, what the data looks "
        "like, means, differences, curves, users and segments, each as a chart with its numbers. No scripts, "
        "nothing from elsewhere. Verdicts, and the charts of users and segments, are of the first measure at "
        "the first cut-off. " + str(parser.description)
    )
    file_action(parser, "--output", metavar="FILE", type=parse_output, help="write the page to this file")
    file_action(
        parser, "--figures", metavar="DIR", help="write each chart as a file into this folder, for slides"
    )
    parser.add_argument(
        "--figure-format",
        choices=PICTURES,
        default="svg",
        help="format of those files (default: %(default)s)",
    )


def add_request(parser: Parser, usual: Sequence[str]) -> None:
    """Add the arguments for files, columns and measures, which are the `usual` ones by default."""
    add_inputs(parser)
    parser.set_defaults(usual=usual)
    parser.add_argument(
        "-m",
        "--measures",
        type=parse_measures,
        action="extend",
        metavar="MEASURES",
        help="measures, such as ndcg,recall, 'ndcg(gain=linear)', or ndcg@5,10 with cut-offs of its own; may "
        f"be repeated; see `ranking-udfs measures` (default: {', '.join(usual)})",
    ).complete = A_MEASURE  # type: ignore[attr-defined]
    parser.add_argument(
        "--ties",
        choices=defaults.TIES,
        default="item",
        help="order of equal scores: by item, ascending; or as trec_eval has it: scores as 32-bit floats, "
        "equal ones by item as text, descending; or none: expected values over all orders (default: item)",
    )
    parser.add_argument(
        "--unjudged",
        choices=UNJUDGED,
        default="miss",
        help="items that TRUTH has no row for: each is a miss, or left out, and the ranks closed up "
        "(default: miss)",
    )
    parser.add_argument(
        "--segment",
        metavar="FILE:COLUMN",
        type=parse_segment,
        help="give results for the users of each segment too; FILE has the users, COLUMN their segment",
    )
    parser.add_argument("--no-check", action="store_true", help="do not look for problems in the data")
    parser.add_argument(
        "--allow-empty",
        action="store_true",
        help="measure a model too that has no user or no item in common with TRUTH, which is an error else "
        f"(exit code {EXIT_USAGE}; the check finds it)",
    )


def add_contents(parser: Parser) -> None:
    """Add the arguments for what is in the lists, which are those of ranking_beyond_accuracy."""
    add = parser.add_argument
    file_action(
        parser,
        "--history",
        metavar="FILE",
        help="the events that the recommendations were made of, such as train.csv: measure the lists' "
        "popularity, novelty, long_tail, repeats and the like, and check as `check --history` does",
    )
    file_action(
        parser,
        "--items",
        metavar="FILE[:COLUMN]",
        type=parse_items,
        help="the catalogue: measure the lists' diversity, categories and coverage, with --history "
        "miscalibration; FILE has the items, COLUMN their category (default: category)",
    )
    add(
        "--head",
        type=parse_share,
        default=defaults.HEAD,
        metavar="SHARE",
        help="share of the history that is of the head, whose opposite is long_tail (default: %(default)s)",
    )
    add(
        "--divergence",
        choices=defaults.DIVERGENCES,
        default=defaults.DIVERGENCE,
        help="of miscalibration: Jensen-Shannon or Kullback-Leibler (default: %(default)s)",
    )


def add_inputs(parser: Parser, has_truth: bool = True, has_cut_offs: bool = True) -> None:
    """Add the arguments for files, columns and cut-offs."""
    parser.usage = f"{parser.prog} [options] REC [REC ...]{' TRUTH' * has_truth}"
    parser.set_defaults(has_truth=has_truth, grade=None, min_grade=None, unjudged="miss")
    parser.description = (
        "Files are CSV, Parquet, JSON or TREC files, folders of them, patterns such as 'rec/*.parquet', URLs "
        "or - for standard input; with --database, tables. A ranking is by score, descending; equal scores "
        "are ordered by item, NULL and NaN come last."
    )
    file_action(
        parser,
        "files",
        nargs="+",
        metavar="REC, TRUTH" if has_truth else "REC",
        help="REC: userid, itemid, score; several models as NAME=FILE, or by a column system; of one that "
        "has ranks, NAME=FILE:ascending."
        + " TRUTH: userid, itemid, and the grade rel if there is one"
        * has_truth,
    )
    if has_cut_offs:
        parser.add_argument(
            "-k",
            type=parse_cut_offs,
            action="extend",
            help="cut-offs, such as 5,10, or all for the whole list; may be repeated "
            f"(default: {defaults.K})",
        )
    file_action(
        parser,
        "--database",
        metavar="FILE",
        help=f"a DuckDB database, opened to read: REC{', TRUTH and the other files' * has_truth} may "
        "then be tables and views in it, such as rec or sales.rec",
    )
    parser.add_argument(
        "--parts",
        action="store_true",
        help="several REC without a name, or of one name, are parts of one table",
    )
    columns = parser.add_argument_group("columns of the files")
    for name, (column, what) in COLUMNS.items():
        if name == "grade" and not has_truth:
            continue
        columns.add_argument(f"--{name}", metavar="COLUMN", help=f"column of {what} (default: {column})")
    columns.add_argument(
        "--ascending",
        action="store_true",
        help="the lowest score is the best, as of ranks (default: the highest)",
    )
    if has_truth:
        columns.add_argument(
            "--min-grade",
            type=parse_min_grade,
            metavar="GRADE",
            help="the lowest grade that is relevant; gains, as of NDCG, stay (default: every grade above 0)",
        )
    parser.add_argument(
        "--format-in",
        choices=("auto", "table", "trec"),
        default="auto",
        help=f"format of REC{' and TRUTH' * has_truth}; trec: lines `topic Q0 doc rank score tag`"
        f"{' and `topic 0 doc grade`' * has_truth} (default: by their shape)",
    )
    parser.add_argument(
        "-q",
        "--quiet",
        action="store_true",
        help="print nothing but errors: no notes on the data, no progress",
    )
    parser.add_argument("--threads", type=parse_threads, metavar="N", help="number of threads of DuckDB")
    parser.add_argument("--memory-limit", metavar="SIZE", help="memory limit of DuckDB, such as 4GB")


def parse_measures(text: str) -> list["Choice"]:
    from ..measures import grammar

    try:
        found = grammar.parse_measures(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(error) from None
    for k in (k for one in found for k in one.cuts):
        check_k(k)
    return found


def parse_cut_offs(text: str) -> list[int | None]:
    from ..measures import grammar

    try:
        return [check_k(k) for k in grammar.parse_cut_offs(text)]
    except ValueError as error:
        raise argparse.ArgumentTypeError(error) from None


def check_k(k: int | None) -> int | None:
    if k is not None and k > LARGEST_K:
        raise argparse.ArgumentTypeError(f"k must be {LARGEST_K} or less, or all, got {k}")
    return k


def parse_failures(text: str) -> list[Condition]:
    try:
        return parse_conditions(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(error) from None


def parse_number(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise argparse.ArgumentTypeError(f"must be a number, got {text!r}")
    return found


def parse_share(text: str) -> float:
    if not 0 <= (found := parse_number(text)) <= 1:
        raise argparse.ArgumentTypeError(f"must be a number from 0 to 1, got {text!r}")
    return found


def parse_min_grade(text: str) -> float:
    if not is_min_grade(found := parse_number(text)):
        raise argparse.ArgumentTypeError(f"must be a number > 0, got {text!r}")
    return found


def parse_weights(text: str) -> dict[str, float]:
    """Read `bm25=1,vector=0.5`."""
    found = {}
    for one in text.split(","):
        name, equals, weight = one.rpartition("=")
        if not (name and equals) or name in found:
            raise argparse.ArgumentTypeError(f"must be NAME=WEIGHT,NAME=WEIGHT, each name once, got {text!r}")
        found[name] = parse_number(weight)
    return found


def parse_digits(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_DIGITS:
        raise argparse.ArgumentTypeError(f"must be from 1 to {MOST_DIGITS}, got {text!r}")
    return int(text)


def parse_threads(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be 1 or more, got {text!r}")
    return int(text)


def parse_segment(text: str) -> tuple[str, str]:
    drive, rest = os.path.splitdrive(text)  # a colon of Windows' that is no separator
    path, colon, column = rest.rpartition(":")
    if not (path and colon and column):
        raise argparse.ArgumentTypeError(f"must be FILE:COLUMN, got {text!r}")
    return drive + path, column


def parse_items(text: str) -> tuple[str, str]:
    drive, rest = os.path.splitdrive(text)
    path, _, column = rest.rpartition(":")
    is_path = not column or "/" in column or "\\" in column  # as behind https:
    return (text, "category") if is_path or not path else (drive + path, column)


def parse_output(path: str) -> str | None:
    return None if path == "-" else path  # as of other commands, standard output


def parse_by_user(path: str) -> str:
    """Read the path of a file whose extension says its format."""
    from ..inputs.files import extension
    from .output import COPY_OPTIONS

    if extension(path) not in COPY_OPTIONS:
        raise argparse.ArgumentTypeError(f"must end in one of {', '.join(COPY_OPTIONS)}, got {path!r}")
    return path
