"""`python -m ranking_udfs`, and the command `ranking-udfs`."""

import signal
import sys
from types import FrameType


def stop(number: int, _: FrameType | None) -> None:
    """Raise KeyboardInterrupt, as Ctrl-C does, so that no unfinished file is left."""
    raise KeyboardInterrupt(number)


def catch_signals() -> None:
    """Raise KeyboardInterrupt for signals that would end the process."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, stop)


def main() -> int:
    """Run the command and return its exit code."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C during imports shows no traceback.
    from .command.cli import main as run

    return run(imported=catch_signals)


if __name__ == "__main__":
    sys.exit(main())
