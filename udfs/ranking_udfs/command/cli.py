"""The process of the command, from arguments to exit code. Help and wrong usage need no DuckDB."""

import io
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import click

from ..evaluation import defaults
from ..texts import shorten
from .gates import LOSERS, PROBLEMS
from .messages import BROKEN_PIPE, EXIT_USAGE, INTERRUPTED, KILLED, PROGRAM, WRITABLE, say
from .options import CHANGES, COMMANDS, COMPLETE, EVERY, FORMATS, group
from .values import parse_measures

ENDINGS = {  # what --output FILE is where --format is not said, of the formats that a command has
    **{"": "table", ".txt": "table", ".csv": "csv", ".json": "json", ".parquet": "parquet"},
    **{".md": "markdown", ".markdown": "markdown"},
    **{".html": "html", ".htm": "html", ".tex": "latex", ".sql": "sql"},
}


def main(argv: Sequence[str] | None = None, imported: Callable[[], None] = lambda: None) -> int:
    """Run the command and return its exit code; `imported` is called before the command runs."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=WRITABLE)
    code = run(sys.argv[1:] if argv is None else argv, imported)
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            code = BROKEN_PIPE
        elif not code:
            say("error", error)
            code = 1
        # so that Python's flush at exit does not fail again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


def run(argv: Sequence[str], imported: Callable[[], None]) -> int:
    """Parse the arguments and run the command; return the exit code after errors are printed."""
    made = group(complete)
    if COMPLETE in os.environ:  # by a shell that completes
        made.main([*argv], PROGRAM, COMPLETE)
    try:
        # not `main`, which handles Ctrl-C and closed pipes in a way of its own
        with made.make_context(PROGRAM, [*argv]) as context:
            given = made.invoke(context)
        given.call, given.manifest_text, given.beside = [PROGRAM, *argv], "", ()
        from .commands import run_command

        imported()
        return run_command(given)
    except click.UsageError as error:
        see = error.ctx.command_path if error.ctx else PROGRAM
        say("error", f"{shorten(error.format_message().rstrip('.'))} (see {see} --help)")
        return EXIT_USAGE
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except KeyboardInterrupt as ended:  # by the signal that it names, else by Ctrl-C
        return KILLED + ended.args[0] if ended.args else INTERRUPTED
    except BrokenPipeError:
        return BROKEN_PIPE


def complete(name: str, arguments: dict[str, Any]) -> SimpleNamespace:
    """Return all options by their names, those that the command does not have with their defaults.

    Raises:
        click.UsageError: a rule between options is broken.
    """
    usual = {name: [] if one.is_list else one.default for name, one in EVERY.items()}
    usual["allow_empty"] = name in ("check", "explain", "overlap")  # which say it, or do not need it
    usual |= {"command": name, "files": []} | ({"grade_col": ""} if name == "fuse" else {})
    lists = {name: value for name, value in arguments.items() if isinstance(value, tuple)}
    given = SimpleNamespace(**usual | {one: value for one, value in arguments.items() if value is not None})
    for one in ("measures", "ks", "fail_if"):
        setattr(given, one, [part for parts in lists.get(one, ()) for part in parts])
    for one in (one for one in lists if one.endswith("_col")):
        setattr(given, one, ",".join(lists[one]) if lists[one] else usual[one])
    given.descending = not given.ascending
    given.check = not given.no_check
    given.files = [*given.files]
    if name == "report" and given.output is None and given.figures is None:
        given.output = "report.html"
    if given.output == "-":  # standard output, as of other commands
        given.output = None
    given.baseline = given.baseline or (given.against and "stored")
    for broken in broken_rules(given):
        raise click.UsageError(broken, click.get_current_context())
    if "format" in arguments and given.format is None:
        choices = CHANGES.get(name, {}).get("format", {}).get("choices", FORMATS)
        given.format = format_of(given.output, choices)
    return given


def broken_rules(given: SimpleNamespace) -> Iterator[str]:
    """Yield what is wrong with arguments that are right by themselves."""
    command = COMMANDS[given.command]
    if given.command == "split":
        if given.last is None and given.test_from is None and given.test_size is None:
            yield "split: --test-size, --test-from or --last is required"
        if given.last is not None and not (given.test_from is None and given.test_size is None):
            yield "split: --last takes neither --test-size nor --test-from"
    if command.operand != "files":
        return
    if len(given.files) < 2 and command.has_truth:
        yield "Missing argument 'TRUTH'"
    for text in given.files if given.database is None else []:
        is_cut, is_measure = given.ks and text.isdecimal(), given.measures and is_measures(text)
        if (is_cut or is_measure) and not os.path.exists(text):
            yield f"{text} is no file: several values of an option are written -k 5,10 -m ndcg,recall"
    for one in given.measures:
        if given.ties == "expected" and not one.measure.expected:
            yield f"--ties expected: {one.name} {defaults.NO_CLOSED_FORM}"
    if given.pairs and given.segment is not None:
        yield "--pairs is of all users, without their segments: leave out --segment"
    if given.command == "explain" and len({*given.ks}) > 1:
        yield f"-k must be one cut-off, got {','.join(map(str, given.ks))}"
    if given.command == "check" and given.time and not given.history:
        yield f"--time {given.time} needs --history FILE, which has that column too"
    for name, of in {"title": "items", "text": "segment"}.items():
        if vars(given)[name] is not None and vars(given)[of] is None:
            yield f"--{name} {vars(given)[name]} needs --{of} FILE, which has that column"
    if given.command == "report":
        if given.output is None and given.figures is None:
            yield "--output must be a file that ends in .html, got '-'"
        ending = os.path.splitext(given.output or "")[1].lower()
        if ending and ENDINGS.get(ending) != "html":
            yield f"--output must end in .html, which is what a report is, got {given.output!r}"
        if given.items and given.items[1] and not given.history:
            rule = "with whose categories those of the lists are compared"
            yield f"--items FILE:COLUMN needs --history FILE, {rule}"
    if given.manifest and not (given.output or given.by_user or given.rows):
        yield "--manifest is written beside a file: name one, as by --output FILE"
    if given.format == "parquet" and given.output is None:
        yield "--format parquet needs --output FILE"
    for one in given.fail_if:
        is_compared = one.is_tested or one.kind == LOSERS
        if one.kind != PROBLEMS and given.command == "check":
            yield f"--fail-if of the check must be problems or problems(CODE, ...), got {one.text}"
        if one.kind == PROBLEMS and given.no_check:
            yield f"--fail-if {one.text} needs the check of the data: leave out --no-check"
        if is_compared and given.command != "compare":
            yield f"--fail-if {one.text} needs `{PROGRAM} compare`, which has verdicts"
        if is_compared and given.baseline is None:
            yield f"--fail-if {one.text} needs --baseline, which the others are compared with"
        if one.of_segments and given.segment is None:
            yield f"--fail-if {one.text} needs --segment FILE:COLUMN"
        if given.format == "sql":
            yield f"--fail-if {one.text} needs results: --format sql only prints what would find them"


def is_measures(text: str) -> bool:
    try:
        return bool(parse_measures(text))
    except ValueError:
        return False


def format_of(output: str | None, formats: Sequence[str]) -> str:
    """Return the format that the extension of the output names."""
    endings = {ending: form for ending, form in ENDINGS.items() if form in formats}
    found = "table" if output is None else endings.get(os.path.splitext(output)[1].lower())
    if found is None:
        known = ", ".join(filter(None, endings))
        rule = f"--output must end in one of {known}, or --format be said"
        raise click.UsageError(f"{rule}, got {output!r}", click.get_current_context())
    return found
