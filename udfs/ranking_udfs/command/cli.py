"""The process of the command, from arguments to exit code. Help and usage errors do not import DuckDB."""

import io
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from types import SimpleNamespace
from typing import Any

import click

from ..options import settle_cutoffs
from ..texts import shorten
from .conditions import RULES
from .messages import BROKEN_PIPE, EXIT_USAGE, INTERRUPTED, KILLED, PROGRAM, WRITABLE, say
from .options import (
    COLUMNS_BY_FILE,
    COMMANDS,
    COMPLETE,
    ENDINGS,
    INPUT_RULES,
    OUTPUT_RULES,
    USUAL,
    definition_of,
    group,
)


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
        # Otherwise Python's flush at exit fails again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


def run(argv: Sequence[str], imported: Callable[[], None]) -> int:
    """Parse the arguments and run the command; return the exit code after errors are printed."""
    made = group(complete, print_macro)
    if COMPLETE in os.environ:  # set by the completion of a shell
        made.main([*argv], PROGRAM, COMPLETE)
    try:
        # Do not call `main`: it handles Ctrl-C and closed pipes itself.
        with made.make_context(PROGRAM, [*argv]) as context:
            options = made.invoke(context)
        options.call = [PROGRAM, *argv]
        from .commands import run_command

        imported()
        return run_command(options)
    except click.UsageError as error:
        see = error.ctx.command_path if error.ctx else PROGRAM
        say("error", f"{shorten(error.format_message().rstrip('.'))} (see {see} --help)")
        return EXIT_USAGE
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except KeyboardInterrupt as ended:  # its argument is a signal; none is Ctrl-C
        return KILLED + ended.args[0] if ended.args else INTERRUPTED
    except BrokenPipeError:
        return BROKEN_PIPE


def print_macro(ctx: click.Context, args: list[str]) -> None:
    """Print the macro of `sql FUNCTION --macro NAME`."""
    from . import macro

    macro.print_macro(ctx, args)


def complete(name: str, arguments: dict[str, Any]) -> SimpleNamespace:
    """Return the values of all options by name; options that the command lacks have their defaults.

    Raises:
        click.UsageError: A rule between options is broken.
    """
    usual: dict[str, Any] = {**USUAL, "command": name, "files": []}
    usual |= {"confidence": None} if name in ("evaluate", "sql") else {}
    options = SimpleNamespace(**settle_cutoffs(usual | written_values(arguments)))
    options.descending = not options.ascending
    options.check = not options.no_check
    if name == "report" and options.output is None and options.figures is None:
        options.output = "report.html"
    if options.output == "-":  # standard output, as of other commands
        options.output = None
    options.baseline = options.baseline or (options.against and "stored")
    for broken in broken_rules(options):
        raise click.UsageError(broken, click.get_current_context())
    if "format" in arguments and options.format is None:
        choices = definition_of(name, "format").kind.words
        options.format = format_of(options.output, choices)
    return options


def written_values(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the values that the user has written; join the values of a repeated option."""
    values = {}
    for name, value in arguments.items():
        if name in ("measures", "ks", "fail_if", "also", "allow"):
            value = [*chain(*value)]
        elif f"{name.removesuffix('_col')}_col" in COLUMNS_BY_FILE and isinstance(value, tuple):
            value = ",".join(value) if value else None
        elif name == "files":
            value = [*value]
        if value is not None:
            values[name] = value
    return values


def broken_rules(options: SimpleNamespace) -> Iterator[str]:
    """Yield a message for each broken rule between valid arguments."""
    command = COMMANDS[options.command]
    is_of_files = command.operand == "files"
    rules = {**INPUT_RULES, **command.rules, **OUTPUT_RULES} if is_of_files else command.rules
    for text, is_broken in rules.items():
        if broken := is_broken(options):
            yield text.format(broken, **vars(options))
    for condition in options.fail_if:
        for text, is_unfit in RULES.items():
            if is_unfit(condition, options):
                yield f"--fail-if {text.format(condition.text)}"


def format_of(output: str | None, formats: Sequence[str]) -> str:
    """Return the format for the extension of the output."""
    endings = {ending: form for ending, form in ENDINGS.items() if form in formats}
    choice = "table" if output is None else endings.get(os.path.splitext(output)[1].lower())
    if choice is None:
        known = ", ".join(filter(None, endings))
        rule = f"--output must end in one of {known}, or --format must be given"
        raise click.UsageError(f"{rule}, got {output!r}", click.get_current_context())
    return choice
