"""A session of DuckDB with the pack in it, which shows how far it is and ends at Ctrl-C."""

import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, TypeVar

import duckdb

from .. import register
from ..duckdb.statements import identifier, literal
from .messages import DataError

PROGRESS_SECONDS = 0.5
SETTINGS = {
    "preserve_insertion_order": False,
    "python_enable_replacements": False,  # a path is never taken for one of Python's variables
}
RESERVED = ("memory", "system", "temp")  # names of databases that are DuckDB's own
WIDTH = 79  # of the bar
Result = TypeVar("Result")
Step = Callable[[str], None]


def connected(settings: Mapping[str, Any], database: str | None = None) -> duckdb.DuckDBPyConnection:
    """A connection to a database in memory with these settings, those that are None left out.

    A `database` is attached, to be read, before the pack is registered: that so leaves alone what its views
    call by a name of the pack's.
    """
    given = {name: value for name, value in settings.items() if value is not None}
    con = duckdb.connect(config={**SETTINGS, **given})
    con.execute("SET enable_progress_bar_print = false")  # DuckDB prints it to where the report goes
    if database is None:
        return register(con)
    if ":" not in database and not os.path.isfile(database):
        raise DataError(f"{database}: no such file")
    if os.path.isfile(database) and not is_database(database):
        raise DataError(f"{database}: not a DuckDB database")
    con.execute(attach_statement(database))
    with warnings.catch_warnings(action="ignore"):  # of names that are left alone, which no query here uses
        return register(con)


def is_database(path: str) -> bool:
    """Whether a file is a database of DuckDB's or SQLite's, not a table."""
    with open(path, "rb") as file:
        head = file.read(16)
    return head[8:12] == b"DUCK" or head.startswith(b"SQLite format 3")


def database_name(path: str) -> str:
    """The name by which a database is attached, as DuckDB would: views in it may say it."""
    stem = os.path.splitext(os.path.basename(path))[0]
    return "database" if not stem or stem.lower() in RESERVED else stem


def attach_statement(path: str) -> str:
    """The statement that makes the tables of a database known."""
    return f"ATTACH IF NOT EXISTS {literal(path)} AS {identifier(database_name(path))} (READ_ONLY)"


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
def progress(con: duckdb.DuckDBPyConnection, steps: int, quiet: bool = False) -> Iterator[Step]:
    """On a terminal, show on stderr at which of so many steps the work is, and how far; needs tqdm.

    Yields what is called with the name of each step when it begins. The bar only goes forward: of the queries
    of a step, it shows the one that got furthest.
    """
    tqdm = None if quiet or sys.stderr is None or not sys.stderr.isatty() else bars()
    if tqdm is None:
        yield lambda _: None
        return
    con.execute("SET enable_progress_bar = true")
    done, began = threading.Event(), 0
    form = "{desc:<24}{percentage:4.0f} % |{bar}| {elapsed}"
    with tqdm(
        total=steps, bar_format=form, delay=PROGRESS_SECONDS, leave=False, ncols=WIDTH, file=sys.stderr
    ) as bar:

        def step(name: str) -> None:
            nonlocal began
            bar.set_description_str(name, refresh=False)
            advance(began)
            began += 1

        def advance(place: float) -> None:
            bar.update(max(0, place - bar.n))

        def show() -> None:
            while not done.wait(PROGRESS_SECONDS):
                advance(max(began - 1, 0) + min(max(con.query_progress(), 0), 99) / 100)
                bar.refresh()

        thread = threading.Thread(target=show)
        thread.start()
        try:
            yield step
        finally:
            done.set()
            thread.join()
            bar.clear()  # closing alone does not where only a refresh has shown it


def bars() -> Any:
    """What draws a bar, or None."""
    try:
        from tqdm import tqdm  # type: ignore[import-untyped]
    except ImportError:
        return None
    tqdm.monitor_interval = 0  # no thread that looks after bars
    return tqdm
