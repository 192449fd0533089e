"""Something for each thread that calls: what `threading.local` is for, but for DuckDB's threads too.

DuckDB gives its own threads a Python state for the length of one call. What a `threading.local` holds goes
with that state, so it would be empty in each call; worse, Arrow arrays over DuckDB's memory crash the process
when they are released then, since their release asks for a Python state too.
"""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Thing = TypeVar("Thing")
MOST = 64  # threads end without a word: of more than this, none is remembered


class PerThread(Generic[Thing]):
    """One thing for each thread, made when it is first asked for."""

    def __init__(self, make: Callable[[], Thing]) -> None:
        self.make = make
        self.things: dict[int, Thing] = {}

    def get(self) -> Thing:
        thread = threading.get_ident()
        thing = self.things.get(thread)
        if thing is None:
            if len(self.things) >= MOST:
                self.things.clear()
            thing = self.things[thread] = self.make()
        return thing
