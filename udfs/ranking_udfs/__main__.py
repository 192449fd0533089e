"""`python -m ranking_udfs`, and the command `ranking-udfs`."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def ended_by_ctrl_c() -> Iterator[None]:
    """Let Ctrl-C end the process while modules are imported, which takes a while, without a traceback."""
    pressed = signal.getsignal(signal.SIGINT)
    if pressed is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGINT, pressed)


def main() -> int:
    """Run the command and return its exit code."""
    with ended_by_ctrl_c():
        from .command.cli import main as run
    return run(importing=ended_by_ctrl_c)


if __name__ == "__main__":
    sys.exit(main())
