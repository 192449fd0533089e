"""The arguments of the command: parsers made of `help.txt` and `options`, and rules between options."""

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

from ..evaluation import defaults
from ..texts import did_you_mean, shorten
from ..version import versions
from .gates import PROBLEMS, VERDICTS
from .messages import PROGRAM, say
from .options import OPERANDS, OPTIONS, commands, name_of, options_of, screens
from .values import parse_measures

EXIT_USAGE = 2  # wrong usage, or files that have nothing in common
EXIT_FAILED = 3  # a condition of --fail-if holds
ENDINGS = {  # what --output FILE is where --format is not said, of the formats that a command has
    **{"": "table", ".txt": "table", ".csv": "csv", ".json": "json"},
    **{".md": "markdown", ".markdown": "markdown"},
    **{".html": "html", ".htm": "html", ".tex": "latex", ".sql": "sql"},
}
HTML = [ending for ending, form in ENDINGS.items() if form == "html"]


class Parser(argparse.ArgumentParser):
    """A parser with errors on one line, and a screen of help."""

    screen: str

    def format_help(self) -> str:
        return self.screen

    def error(self, message: str) -> NoReturn:
        say("error", f"{shorten(message)} (see {self.prog} --help)")
        self.exit(EXIT_USAGE)


class Print(argparse.Action):
    """An option that prints something and ends, so that it needs no files."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        text = f"{PROGRAM} {versions()}\n"
        if self.dest == "pack":
            from ..duckdb.portable import SCRIPT
            from ..duckdb.statements import read

            text = read(SCRIPT)
        print(text, end="", flush=True)
        parser.exit()


def parsers() -> tuple[Parser, dict[str, Parser]]:
    """Return the parser of all arguments, and that of each command."""
    parser = Parser(prog=PROGRAM)
    parser.screen = screens()[""]
    add(parser, "--version", **options_of(parser.screen, {})["--version"])
    made = parser.add_subparsers(required=True, metavar="COMMAND", dest="command")
    every = {name_of(name) for one in commands().values() for name in one.options}
    for name, one in commands().items():
        chosen = made.add_parser(name, help=one.line)
        chosen.screen = one.help
        chosen.set_defaults(
            **dict.fromkeys(every) | {name_of(name): OPTIONS[name].get("default") for name in OPTIONS}
        )
        files = {"metavar": "REC, TRUTH" if one.has_truth else "REC"} if one.operand == "files" else {}
        add(chosen, one.operand, **OPERANDS[one.operand] | files)
        for option, given in one.options.items():
            add(chosen, option, **given)
        chosen.set_defaults(**one.settings)
    return parser, made.choices


def add(
    parser: Parser,
    name: str,
    short: str = "",
    complete: Any = None,
    type: Callable[[str], Any] | None = None,
    **given: Any,
) -> None:
    """Add an argument to a parser, with a short name, and what a shell completes its value by."""
    parser.register("action", "print", Print)
    if type is not None:
        given["type"] = reader(type)
    action = parser.add_argument(*filter(None, (short, name)), **given)
    if complete:
        action.complete = complete  # type: ignore[attr-defined]


def reader(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """Let argparse show the text of an error in place of one of its own."""

    def read(text: str) -> Any:
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parse the arguments; positional ones may stand between options."""
    parser, chosen_of = parsers()
    flags, names = split_ascending(sys.argv[1:] if argv is None else argv)
    arguments, others = parser.parse_known_args(flags)
    arguments.ascending_names = names
    chosen, command = chosen_of[arguments.command], commands()[arguments.command]
    unknown = [other for other in others if other.startswith("-") and other != "-"]
    if others and (unknown or command.operand != "files"):
        hint = did_you_mean(unknown[0].partition("=")[0], command.options) if unknown else ""
        chosen.error(f"unrecognized arguments: {' '.join(others)}{hint}")
    if command.operand == "files":
        arguments.files += others
    for broken in broken_rules(arguments):
        chosen.error(broken)
    if "--format" in command.options and arguments.format is None:
        arguments.format = format_of(chosen, arguments.output, command.options["--format"]["choices"])
    return arguments


def split_ascending(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return argv with `--ascending` as a mere flag, and the models that it names.

    What stands behind a blank names models only if it can be neither a file nor a table of a database.
    """
    may_be_table = any(one.startswith("--da") for one in argv)
    flags, names = [], []
    for before, text in zip(["", *argv], argv, strict=False):
        option, equals, named = text.partition("=")
        is_name = before == "--ascending" and not (may_be_table or os.path.exists(text))
        if is_name and not re.search(r"^-|[./\\=:*?[]", text):
            names += text.split(",")
        elif option == "--ascending":
            flags.append(option)
            names += named.split(",") if equals else []
        else:
            flags.append(text)
    return flags, names


def broken_rules(given: argparse.Namespace) -> Iterator[str]:
    """Yield what is wrong with arguments that are right by themselves."""
    command = commands()[given.command]
    if given.command == "split":
        if given.last is None and given.test_from is None and given.test_size is None:
            yield "split: --test-size, --test-from or --last is required"
        if given.last is not None and not (given.test_from is None and given.test_size is None):
            yield "split: --last takes neither --test-size nor --test-from"
    if command.operand != "files":
        return
    if len(given.files) < 2 and command.has_truth:
        yield "the following arguments are required: REC and TRUTH"
    names = given.ascending_names
    if "" in names:
        yield f"--ascending= must be NAME,NAME, got {','.join(names)!r}"
    if names and len(given.files) - command.has_truth > 1 and not given.parts:
        yield f"--ascending={names[0]} names a model of one file: of several, write {names[0]}=FILE:ascending"
    for text in given.files if given.database is None else []:
        if not os.path.exists(text) and given.k and text.isdecimal():
            yield f"{text} is no file: several cut-offs are written -k 5,10"
        if not os.path.exists(text) and given.measures and is_measures(text):
            named = ",".join(one.name for one in given.measures)
            yield f"{text} is no file: several measures are written --measures {named},{text}"
    for one in given.measures or []:
        if given.ties == "expected" and not one.measure.expected:
            yield f"--ties expected: {one.name} {defaults.NO_CLOSED_FORM}"
    if given.pairs and given.segment is not None:
        yield "--pairs is of all users, without their segments: leave out --segment"
    if given.command == "explain" and len({*(given.k or [])}) > 1:
        yield f"-k must be one cut-off, got {','.join(map(str, given.k))}"
    if given.command == "check" and given.time and not given.history:
        yield f"--time {given.time} needs --history FILE, which has that column too"
    if given.command == "report":
        if given.output is None and given.figures is None:
            yield "report: --output FILE or --figures FOLDER is required"
        if os.path.splitext(given.output or "")[1].lower() not in ("", *HTML):
            yield f"--output must end in .html, which is what a report is, got {given.output!r}"
        if given.items and not given.history:
            yield "--items needs --history FILE, with whose categories those of the lists are compared"
    for one in given.fail_if or []:
        if one.verdict != PROBLEMS and given.command == "check":
            yield f"--fail-if of the check must be problems or problems(CODE, ...), got {one.text}"
        if one.verdict == PROBLEMS and given.no_check:
            yield f"--fail-if {one.text} needs the check of the data: leave out --no-check"
        if one.verdict in VERDICTS and given.command != "compare":
            yield f"--fail-if {one.text} needs `{PROGRAM} compare`, which has verdicts"
        if one.verdict in VERDICTS and given.baseline is None:
            yield f"--fail-if {one.text} needs --baseline, which the others are compared with"
        if given.format == "sql":
            yield f"--fail-if {one.text} needs results: --format sql only prints what would find them"


def is_measures(text: str) -> bool:
    """Return whether this is a list of measures."""
    try:
        return bool(parse_measures(text))
    except ValueError:
        return False


def format_of(parser: Parser, output: str | None, formats: Sequence[str]) -> str:
    """Return the format that the extension of the output names."""
    endings = {ending: form for ending, form in ENDINGS.items() if form in formats}
    found = "table" if output is None else endings.get(os.path.splitext(output)[1].lower())
    if found is None:
        known = ", ".join(filter(None, endings))
        parser.error(f"--output must end in one of {known}, or --format be said, got {output!r}")
    return found
