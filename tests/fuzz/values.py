"""A hash of every value of generated users: `python -m tests.fuzz.stress values 5000`.

Equal hashes are equal numbers, to the last bit: on any number of threads, for any order of the rows, in any
batches, and on every version of DuckDB (with one version of NumPy, whose logarithms may differ in the last
bit from another's).
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
    """lists(userid, rec, truth), and as tables rec(userid, itemid, score) and truth(userid, itemid, rel)."""
    topics = random_topics(seed, users)
    table = pa.table(
        {
            "userid": range(users),
            "rec": lists([topic.rec for topic in topics]),
            "truth": maps([topic.truth for topic in topics]),
        }
    )
    con.register("given", table)
    con.execute("CREATE OR REPLACE TABLE lists AS FROM given")
    con.unregister("given")
    con.execute("""
        CREATE OR REPLACE TABLE rec AS
        SELECT userid, unnest(rec) AS itemid, -unnest(range(len(rec))) // 2 AS score FROM lists;
        CREATE OR REPLACE TABLE truth AS
        SELECT userid, unnest(map_keys(truth)) AS itemid, unnest(map_values(truth)) AS rel FROM lists
    """)


def shuffle(con: Con, seed: int) -> None:
    """The same rows in another order."""
    for table in ("lists", "rec", "truth"):
        con.execute(f"SELECT setseed({(seed % 1_000) / 1_000})")
        con.execute(f"CREATE OR REPLACE TABLE {table} AS FROM {table} ORDER BY random()")


def values(con: Con) -> list[tuple[Any, ...]]:
    """Every measure of every user: of the lists in three forms, and of the tables."""
    found: list[tuple[Any, ...]] = []
    for arguments in ("rec, truth", "judge(rec, truth)", "rec::VARCHAR[], map_keys(truth)::VARCHAR[]"):
        has_grades = "map_keys" not in arguments  # else no min_grade is above 1
        chosen = [column for column in COLUMNS if has_grades or "min_grade" not in column]
        columns = ", ".join(column.format(arguments) for column in chosen)
        found += con.execute(f"SELECT {columns} FROM lists ORDER BY userid").fetchall()
    columns = ", ".join(f'"{name}"' for name, measure in MEASURES.items() if measure.column)
    query = f"SELECT userid, k, {columns} FROM ranking.by_user('rec', 'truth', [2, 10]) ORDER BY userid, k"
    return found + con.execute(query).fetchall()


def digest(rows: Sequence[tuple[Any, ...]]) -> str:
    """A hash of the numbers' bits; NULL is not 0."""
    hashed = hashlib.sha256()
    for row in rows:
        for value in row:
            hashed.update(b"-" if value is None else b"+" + struct.pack("<d", value))
    return hashed.hexdigest()
