"""Worlds as tables of a connection, and what ranking_check and the slow definition find in them."""

from collections.abc import Iterable, Sequence

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tests.worlds.generators import Lists, World
from tests.worlds.slowly import CODES, Found

IDS = 1_000_000  # above all ids of a world; users of the next one begin there


def rec_table(systems: Iterable[tuple[str, int, Lists]]) -> pa.Table:
    """Lists as rec: the name of each system, the world that it is of, and its lists."""
    parts = []
    for name, world, lists in systems:
        n, length = lists.items.shape
        parts.append(
            pa.table(
                {
                    "system": pa.array([name]).take(pa.array(np.zeros(n * length, np.int64))),
                    "userid": world * IDS + np.repeat(np.arange(n), length),
                    "itemid": lists.items.ravel(),
                    "score": np.ascontiguousarray(lists.scores, np.float64).ravel(),
                }
            )
        )
    return pa.concat_tables(parts)


def truth_table(worlds: Sequence[World]) -> pa.Table:
    """Truth of worlds whose users are others in each."""
    parts = []
    for i, world in enumerate(worlds):
        users, items = np.nonzero(~np.isnan(world.grades))
        parts.append(
            pa.table({"userid": i * IDS + users, "itemid": items, "rel": world.grades[users, items]})
        )
    return pa.concat_tables(parts)


def history_table(histories: Sequence[NDArray[np.bool_]]) -> pa.Table:
    parts = []
    for i, seen in enumerate(histories):
        users, items = np.nonzero(seen)
        parts.append(pa.table({"userid": i * IDS + users, "itemid": items}))
    return pa.concat_tables(parts)


def create(con: duckdb.DuckDBPyConnection, **tables: pa.Table) -> None:
    for name, table in tables.items():
        con.register("given", table)
        con.execute(f"CREATE OR REPLACE TABLE {name} AS FROM given")
        con.unregister("given")


def found(con: duckdb.DuckDBPyConnection, arguments: str = "") -> set[Found]:
    """The rows of ranking_check of these codes, over the tables rec and truth."""
    rows = con.execute(
        f"""SELECT severity, "system", code, count, "of" FROM ranking_check('rec', 'truth'{arguments})
        WHERE code IN {CODES}"""
    ).fetchall()
    assert len(set(rows)) == len(rows)
    return {Found(*row) for row in rows}
