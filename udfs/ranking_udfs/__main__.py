"""`python -m ranking_udfs`, and the command `ranking-udfs`."""

import signal
import sys
from types import FrameType


def stop(number: int, _: FrameType | None) -> None:
    """End as at Ctrl-C, so that no unfinished file is left."""
    raise KeyboardInterrupt(number)


def catch_signals() -> None:
    """Let signals that would end the process raise KeyboardInterrupt in it."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, stop)


def main() -> int:
    """Run the command and return its exit code."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback of what is imported
    from .command.cli import main as run

    return run(imported=catch_signals)


if __name__ == "__main__":
    sys.exit(main())
