"""The Python code on the executors: the functions of `arrow`, and all measures of judged rankings.

Each is picked by name there, so that nothing but names is sent along: the package is on every executor.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from ..arrow.batches import Batch
from ..arrow.functions import FUNCTIONS, measure_rankings
from ..measures.grammar import Choice, parse_measure

if TYPE_CHECKING:
    import duckdb

Kernel = Callable[..., pa.Array]


def function_kernel(name: str) -> Kernel:
    """Wrap one of the functions of `arrow` in a form that Spark can send to its executors."""

    def call(*columns: pa.Array) -> pa.Array:
        return call_function(name, *columns)

    call.__name__ = name
    call.__doc__ = FUNCTIONS[name].call.__doc__
    return call


def call_function(name: str, *columns: pa.Array) -> pa.Array:
    return FUNCTIONS[name].call(*columns)


def measures_kernel(caller: str, measures: Sequence[str], ks: Sequence[int | None], expected: bool) -> Kernel:
    """Make a function of judged rankings to lists of structs of k and the measures, given as texts.

    With `expected`, of judged rankings with ties, and the measures' expected values over all orders of them.
    """
    compute = expected_values if expected else values_at
    names, cuts = tuple(measures), tuple(ks)

    def call(judged: pa.Array) -> pa.Array:
        return compute(caller, names, cuts, judged)

    return call


@cache
def parse_choices(measures: tuple[str, ...]) -> list[Choice]:
    return [parse_measure(text) for text in measures]


def values_at(
    caller: str, measures: tuple[str, ...], ks: tuple[int | None, ...], judged: pa.Array
) -> pa.Array:
    """Compute the measures of each judged ranking at each k; NULL at k that are not their own."""
    n, batch = len(judged), Batch(caller, [judged])
    columns = [np.full((n, len(ks)), np.nan) for _ in measures]
    for place, k in enumerate(ks):
        for column, choice in zip(columns, parse_choices(measures), strict=True):
            if k in choice.cuts:
                rankings = batch.cut_at(k)
                column[:, place] = measure_rankings(
                    choice.measure, choice.measure.name, rankings, choice.options
                )
    values = [pa.array(column.ravel(), mask=np.isnan(column.ravel())) for column in columns]
    return list_by_ranking(n, ks, values)


def list_by_ranking(n: int, ks: tuple[int | None, ...], columns: list[pa.Array]) -> pa.Array:
    """Make a list for each of n rankings, of a struct for each k: k and a value of each column."""
    cuts = pa.array(list(ks) * n, pa.int64())
    names = ["k", *(f"m{place}" for place in range(len(columns)))]
    structs = pa.StructArray.from_arrays([cuts, *columns], names)
    return pa.ListArray.from_arrays(pa.array(np.arange(n + 1, dtype=np.int32) * len(ks)), structs)


def expected_values(
    caller: str, measures: tuple[str, ...], ks: tuple[int | None, ...], tied: pa.Array
) -> pa.Array:
    """Compute expected values by the macros of `sql`, in the executor's own DuckDB."""
    con = macro_connection()
    con.register("batch", pa.table({"tied": tied}))
    columns = ", ".join(expected_column(choice) for choice in parse_choices(measures))
    cuts = ", ".join("NULL" if k is None else str(k) for k in ks)
    found: pa.Table = con.sql(f"""
        SELECT {columns}
        FROM (
            SELECT k, tied IS NOT NULL AS judged, _ranking_tied_at(tied, k) AS ranking
            FROM (SELECT tied, unnest([{cuts}]::BIGINT[]) AS k FROM batch)
        )
    """).to_arrow_table()
    return list_by_ranking(len(tied), ks, [column.combine_chunks() for column in found.columns])


def expected_column(choice: Choice) -> str:
    """Return the SQL of an expected value; NULL without truth, or at k that are not its own."""
    from ..duckdb.statements import expected_macro

    asked = [f"k IS NOT DISTINCT FROM {'NULL' if k is None else k}" for k in choice.cuts]
    value = f"{expected_macro(choice.measure.name)}(ranking{choice.arguments_text})"
    return f"CASE WHEN judged AND ({' OR '.join(asked)}) THEN {value} END"


@cache
def macro_connection() -> "duckdb.DuckDBPyConnection":
    """Open a DuckDB with the macros and no functions, on one thread, so that rows keep their order.

    The process that calls this is Spark's, and ends with it. For nothing else do executors need DuckDB.
    """
    import duckdb

    from ..duckdb.statements import macros, parsed

    con = duckdb.connect(config={"threads": 1})
    for statement in parsed(con, (macro.sql for macro in macros().values())):
        con.execute(statement)
    return con
