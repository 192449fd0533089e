"""A hash of every value of generated users: `python -m tests.fuzz.stress values 5000`.

Equal hashes mean bit-identical numbers: on any number of threads, for any order of the rows, in any batches,
and on every version of DuckDB. Another version of NumPy may have logarithms that differ in the last bit.
"""

import hashlib
import struct
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from ranking_udfs.measures.registry import MEASURES
from tests.conftest import Con, lists, literal, maps, option_text
from tests.witnesses import WITNESSES, random_topics

COLUMNS = [
    f'"{name}"({{}}, {k}, {literal(option_text(options))})'
    for name, one in WITNESSES.items()
    for options in one.options
    for k in (3, "NULL")
]


def load(con: Con, seed: int, users: int) -> None:
    """Create lists(userid, rec, truth), rec(userid, itemid, score) and truth(userid, itemid, rel)."""
    recs, truths = zip(*random_topics(seed, users), strict=True)
    con.register("topics", pa.table({"userid": range(users), "rec": lists(recs), "truth": maps(truths)}))
    con.execute("""
        CREATE OR REPLACE TABLE lists AS FROM topics;
        CREATE OR REPLACE TABLE rec AS
        SELECT userid, unnest(rec) AS itemid, -unnest(range(len(rec))) // 2 AS score FROM lists;
        CREATE OR REPLACE TABLE truth AS
        SELECT userid, unnest(map_keys(truth)) AS itemid, unnest(map_values(truth)) AS rel FROM lists
    """).unregister("topics")


def shuffle(con: Con, seed: int) -> None:
    """Put the rows of each table in another order."""
    for table in ("lists", "rec", "truth"):
        con.execute(f"SELECT setseed({(seed % 1_000) / 1_000})")
        con.execute(f"CREATE OR REPLACE TABLE {table} AS FROM {table} ORDER BY random()")


def values(con: Con) -> list[tuple[Any, ...]]:
    """Return every measure of every user: of the lists in three forms, and of the tables."""
    rows: list[tuple[Any, ...]] = []
    for arguments in ("rec, truth", "judge(rec, truth)", "rec::VARCHAR[], map_keys(truth)::VARCHAR[]"):
        has_grades = "map_keys" not in arguments  # otherwise no min_grade is above 1
        chosen = [column for column in COLUMNS if has_grades or "min_grade" not in column]
        columns = ", ".join(column.format(arguments) for column in chosen)
        rows += con.execute(f"SELECT {columns} FROM lists ORDER BY userid").fetchall()
    columns = ", ".join(f'"{name}"' for name, measure in MEASURES.items() if measure.column)
    query = f"SELECT userid, k, {columns} FROM ranking.by_user('rec', 'truth', [2, 10]) ORDER BY userid, k"
    return rows + con.execute(query).fetchall()


def digest(rows: Sequence[tuple[Any, ...]]) -> str:
    """Return a hash of the numbers' bits. NULL is not 0."""
    hashed = hashlib.sha256()
    for row in rows:
        for value in row:
            hashed.update(b"-" if value is None else b"+" + struct.pack("<d", value))
    return hashed.hexdigest()
