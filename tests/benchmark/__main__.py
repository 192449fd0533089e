"""`python -m tests.benchmark`: every contender on the same tables."""

import sys

from .compare import main

sys.exit(main(sys.argv[1:]))
