"""A DuckDB session with the pack in it, its progress bar, and its end at Ctrl-C."""

import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from contextvars import copy_context
from typing import Any, TypeVar

import duckdb

from ..duckdb.functions import OF_MACROS, add_functions
from ..evaluation.errors import DataError
from ..inputs.catalogs import attach_statement, is_database

PROGRESS_SECONDS = 0.5
SETTINGS = {
    "preserve_insertion_order": False,
    "python_enable_replacements": False,  # a path is never taken for one of Python's variables
}
WIDTH = 79  # of the bar
Result = TypeVar("Result")
Step = Callable[[str], None]


def connect(
    settings: Mapping[str, Any], database: str | None = None, has_functions: bool = True
) -> duckdb.DuckDBPyConnection:
    """Connect to a database in memory with these settings, those that are None left out.

    A `database` is attached, read-only, before the pack is registered, so that its views keep what they call
    by a name of the pack's. They may call the pack's own functions, so all is registered then, but for the
    database `ranking` where it has that name or a schema of it, such as the script's; else with
    `has_functions` what composed SQL calls: DuckDB imports NumPy to make a function.
    """
    given = {name: value for name, value in settings.items() if value is not None}
    con = duckdb.connect(config={**SETTINGS, **given})
    con.execute("SET enable_progress_bar_print = false")  # DuckDB prints it to where the report goes
    if database is not None:
        if ":" not in database and not os.path.isfile(database):
            raise DataError(f"{database}: no such file")
        if os.path.isfile(database) and not is_database(database):
            raise DataError(f"{database}: not a DuckDB database")
        con.execute(attach_statement(database))
    if database is not None:
        from ..duckdb.connection import add_missing
        from ..duckdb.macros import NAMESPACE

        query = f"FROM duckdb_schemas() WHERE '{NAMESPACE}' IN (lower(database_name), lower(schema_name))"
        taken = con.execute(query).fetchall()
        add_missing(con, database=None if taken else NAMESPACE)  # names not replaced are in no query here
    elif has_functions:
        add_functions(con, OF_MACROS)
    return con


def interruptible(con: duckdb.DuckDBPyConnection, work: Callable[[], Result]) -> Result:
    """Run the work in a thread of its own, so that Ctrl-C ends a query at once.

    In the main thread Python would see the signal only between DuckDB's tasks, which may take seconds, and
    might raise KeyboardInterrupt in the middle of cleaning up.
    """
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(copy_context().run, work)
        try:
            return future.result()
        except KeyboardInterrupt:
            while not future.done():  # an interrupt between two queries ends neither
                con.interrupt()
                wait([future], 0.05)
            raise


@contextmanager
def progress(con: duckdb.DuckDBPyConnection, steps: int, quiet: bool = False) -> Iterator[Step]:
    """Show on stderr, if it is a terminal and tqdm is installed, at which of the steps the work is.

    Yields a function to call with the name of each step when it begins. The bar only goes forward: of the
    queries of a step, it shows the one that got furthest.
    """
    tqdm: Any = None
    if not quiet and sys.stderr is not None and sys.stderr.isatty():
        with suppress(ImportError):
            from tqdm import tqdm  # type: ignore[import-untyped, no-redef]
    if tqdm is None:
        yield lambda _: None
        return
    tqdm.monitor_interval = 0  # no thread that looks after bars
    con.execute("SET enable_progress_bar = true")
    done, began = threading.Event(), 0
    form = "{desc:<24}{percentage:4.0f} % |{bar}| {elapsed}"
    with tqdm(
        total=steps, bar_format=form, delay=PROGRESS_SECONDS, leave=False, ncols=WIDTH, file=sys.stderr
    ) as bar:

        def step(name: str) -> None:
            nonlocal began
            bar.set_description_str(name, refresh=False)
            bar.update(max(0, began - bar.n))
            began += 1

        def show() -> None:
            while not done.wait(PROGRESS_SECONDS):
                position = max(began - 1, 0) + min(max(con.query_progress(), 0), 99) / 100
                bar.update(max(0, position - bar.n))
                bar.refresh()

        thread = threading.Thread(target=show)
        thread.start()
        try:
            yield step
        finally:
            done.set()
            thread.join()
            bar.clear()  # closing alone does not where only a refresh has shown it
