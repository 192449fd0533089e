"""A value for each calling thread: what `threading.local` is for, but for DuckDB's threads too.

DuckDB gives its own threads a Python state for the length of one call. What a `threading.local` holds goes
with that state, so it would be empty in each call; worse, Arrow arrays over DuckDB's memory crash the process
when they are released then, since their release asks for a Python state too.
"""

import os
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Held = TypeVar("Held")
# Threads end without a word, so no more are remembered than an engine is likely to use at once.
MOST_THREADS = max(64, 4 * (os.cpu_count() or 1))


class PerThread(Generic[Held]):
    """A value for each thread, made by `make` when the thread first asks for it."""

    def __init__(self, make: Callable[[], Held]) -> None:
        self.make = make
        self.held: dict[int, Held] = {}

    def get(self) -> Held:
        thread = threading.get_ident()
        held = self.held.get(thread)
        if held is None:
            if len(self.held) >= MOST_THREADS:
                self.held.pop(list(self.held)[0], None)  # noqa: RUF015  (other threads may change it meanwhile)
            held = self.held[thread] = self.make()
        return held
