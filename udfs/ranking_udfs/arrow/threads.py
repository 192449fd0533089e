"""A value for each calling thread, as `threading.local`, that also works for DuckDB's threads.

DuckDB gives its own threads a Python state for one call only. A `threading.local` is released with that
state, so it would be empty in each call. Arrow arrays over DuckDB's memory would even crash the process,
since their release needs a Python state, too.
"""

import os
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Held = TypeVar("Held")
# Threads end without notice, so the number of kept threads is limited to those an engine is likely to use.
MOST_THREADS = max(64, 4 * (os.cpu_count() or 1))


class PerThread(Generic[Held]):
    """A value for each thread, created by `make` on the thread's first access."""

    def __init__(self, make: Callable[[], Held]) -> None:
        self.make = make
        self.values: dict[int, Held] = {}

    def get(self) -> Held:
        thread = threading.get_ident()
        value = self.values.get(thread)
        if value is None:
            if len(self.values) >= MOST_THREADS:
                self.values.pop(list(self.values)[0], None)  # noqa: RUF015  (other threads may change it)
            value = self.values[thread] = self.make()
        return value
