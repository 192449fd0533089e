"""`python -m udfs`: the command `ranking-udfs`."""

import sys

from .command.cli import main

if __name__ == "__main__":
    sys.exit(main())
