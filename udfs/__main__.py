"""`python -m udfs`, and the command `ranking-udfs`."""

import signal
import sys


def main() -> int:
    """Run the command. While it is imported, which takes half a second, Ctrl-C ends the process."""
    pressed = signal.getsignal(signal.SIGINT)
    if pressed is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from .command.cli import main as run

    signal.signal(signal.SIGINT, pressed)
    return run()


if __name__ == "__main__":
    sys.exit(main())
