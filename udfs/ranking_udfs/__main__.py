"""`python -m ranking_udfs`, and the command `ranking-udfs`."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


def stop(number: int, _: FrameType | None) -> None:
    """End as at Ctrl-C, so that no unfinished file is left."""
    raise KeyboardInterrupt(number)


@contextmanager
def ended_at_once() -> Iterator[None]:
    """Let Ctrl-C and its kin end the process without a traceback while modules are imported."""
    before = {number: signal.getsignal(number) for number in ENDING}
    for number, handler in before.items():
        if handler in (signal.default_int_handler, stop):
            signal.signal(number, signal.SIG_DFL)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def main() -> int:
    """Run the command and return its exit code."""
    with ended_at_once():
        from .command.cli import main as run
    for number in ENDING:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, stop)
    return run(importing=ended_at_once)


if __name__ == "__main__":
    sys.exit(main())
