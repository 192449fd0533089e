"""The process of the command, from arguments to exit code. Help and wrong usage need no DuckDB."""

import io
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

from .arguments import parse_arguments
from .messages import WRITABLE, say

KILLED = 128  # and the number of a signal: what a shell reports
INTERRUPTED, BROKEN_PIPE = KILLED + signal.SIGINT, KILLED + 13


def main(
    argv: Sequence[str] | None = None, importing: Callable[[], AbstractContextManager[None]] = nullcontext
) -> int:
    """Run the command and return its exit code; modules are imported within `importing`."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=WRITABLE)
    code = run(argv, importing)
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


def run(argv: Sequence[str] | None, importing: Callable[[], AbstractContextManager[None]]) -> int:
    """Parse the arguments and run the command; return the exit code after errors are printed."""
    try:
        arguments = parse_arguments(argv)
        with importing():
            from .commands import run_command
            from .requests import parse_request
        return run_command(arguments.command, parse_request(arguments))
    except SystemExit as stop:  # argparse: --help, --version, wrong usage
        return stop.code if isinstance(stop.code, int) else 0
    except KeyboardInterrupt as ended:  # by the signal that it names, else by Ctrl-C
        return KILLED + ended.args[0] if ended.args else INTERRUPTED
    except BrokenPipeError:
        return BROKEN_PIPE
