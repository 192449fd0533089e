"""A DuckDB session with our functions, a progress bar and handling of Ctrl-C."""

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
    "python_enable_replacements": False,  # otherwise a path could refer to a variable of Python
}
WIDTH = 79  # of the progress bar
Result = TypeVar("Result")
Step = Callable[[str], None]


def connect(
    settings: Mapping[str, Any], database: str | None = None, has_functions: bool = True
) -> duckdb.DuckDBPyConnection:
    """Connect to a database in memory with these settings; settings of None keep their defaults.

    A `database` is attached, read-only, before the functions are registered: macros of the database with the
    same names as ours stay for its views. Its views may also call our functions, so all functions are
    registered. The database `ranking` is not added if a database or schema has this name already.
    Without a `database`, `has_functions` adds only the functions that composed SQL calls. DuckDB imports
    NumPy to create a function.
    """
    config = {name: value for name, value in settings.items() if value is not None}
    con = duckdb.connect(config={**SETTINGS, **config})
    con.execute("SET enable_progress_bar_print = false")  # DuckDB would print the bar to stdout
    if database is not None:
        if ":" not in database and not os.path.isfile(database):
            raise DataError(f"{database}: no such file")
        if os.path.isfile(database) and not is_database(database):
            raise DataError(f"{database}: not a DuckDB database")
        con.execute(attach_statement(database))
        from ..duckdb.connection import add_missing
        from ..duckdb.macros import NAMESPACE

        query = f"FROM duckdb_schemas() WHERE '{NAMESPACE}' IN (lower(database_name), lower(schema_name))"
        taken = con.execute(query).fetchall()
        add_missing(con, database=None if taken else NAMESPACE)  # no query here uses a name that was taken
    elif has_functions:
        add_functions(con, OF_MACROS)
    return con


def interruptible(con: duckdb.DuckDBPyConnection, work: Callable[[], Result]) -> Result:
    """Run the work in a separate thread, so that Ctrl-C ends a query at once.

    In the main thread, Python would see the signal only between tasks of DuckDB, which may take seconds. It
    could also raise KeyboardInterrupt during cleanup.
    """
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(copy_context().run, work)
        try:
            return future.result()
        except KeyboardInterrupt:
            while not future.done():  # repeat it, since an interrupt between two queries has no effect
                con.interrupt()
                wait([future], 0.05)
            raise


@contextmanager
def progress(con: duckdb.DuckDBPyConnection, steps: int, quiet: bool = False) -> Iterator[Step]:
    """Show a progress bar of the steps on stderr, if stderr is a terminal and tqdm is installed.

    Yields a function; call it with the name of each step when the step begins. The bar only moves forward:
    within a step, it shows the query that has progressed furthest.
    """
    tqdm: Any = None
    if not quiet and sys.stderr is not None and sys.stderr.isatty():
        with suppress(ImportError):
            from tqdm import tqdm  # type: ignore[import-untyped, no-redef]
    if tqdm is None:
        yield lambda _: None
        return
    tqdm.monitor_interval = 0  # do not start tqdm's monitor thread
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
            bar.clear()  # closing does not clear a bar that only a refresh has shown
