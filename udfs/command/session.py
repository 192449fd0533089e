"""A session of DuckDB with the pack in it, which shows how far it is and ends at Ctrl-C."""

import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, TypeVar

import duckdb

from .. import register

PROGRESS_SECONDS = 0.5
SETTINGS = {
    "preserve_insertion_order": False,
    "python_enable_replacements": False,  # a path is never taken for one of Python's variables
}
Result = TypeVar("Result")


def connected(settings: Mapping[str, Any]) -> duckdb.DuckDBPyConnection:
    """A connection to a database in memory with these settings, those that are None left out."""
    given = {name: value for name, value in settings.items() if value is not None}
    con = duckdb.connect(config={**SETTINGS, **given})
    con.execute("SET enable_progress_bar_print = false")  # DuckDB prints it to where the report goes
    return register(con)


def rows(con: duckdb.DuckDBPyConnection, query: str) -> list[dict[str, Any]]:
    """The rows of a query, each by column name."""
    cursor = con.execute(query)
    names = [name for name, *_ in cursor.description or ()]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def interruptible(con: duckdb.DuckDBPyConnection, work: Callable[[], Result]) -> Result:
    """Do the work in a thread of its own, so that Ctrl-C ends a query at once.

    In the main thread Python would see the signal only between DuckDB's tasks, which may take seconds, and
    might raise KeyboardInterrupt in the middle of cleaning up.
    """
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        try:
            return future.result()
        except KeyboardInterrupt:
            while not future.done():  # an interrupt between two queries ends neither
                con.interrupt()
                wait([future], 0.05)
            raise


@contextmanager
def progress(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """On a terminal, show on stderr how far a long query is."""
    if not sys.stderr.isatty():
        yield
        return
    con.execute("SET enable_progress_bar = true")
    done = threading.Event()

    def show() -> None:
        while not done.wait(PROGRESS_SECONDS):
            percent = con.query_progress()
            if percent >= 0:
                print(f"\r{percent:4.0f} % ", end="", file=sys.stderr, flush=True)
        print("\r       \r", end="", file=sys.stderr, flush=True)

    thread = threading.Thread(target=show)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
