"""Data for the benchmarks, made in SQL, the same each time: the tables rec and truth of a recommender."""

from dataclasses import dataclass
from pathlib import Path

import duckdb


@dataclass(frozen=True)
class Data:
    """What the tables hold."""

    users: int = 10_000  # 1 in 97 has no recommendations, and 1 in 89 no truth
    items: int = 50_000  # in the catalog
    recs: int = 100  # different items recommended to each user
    truth: int = 20  # truth items per user, on average: each user has 1 to 2 * truth - 1
    ids: str = "BIGINT"  # type of the ids: BIGINT, VARCHAR or UUID
    ties: int = 0  # 0: no equal scores of a user; n: at most n different scores
    order: str = "user"  # user: rows are grouped by user, but not by score; none: shuffled


IDS = {
    "BIGINT": "{number}",
    "VARCHAR": "'{kind}-' || lpad({number}::VARCHAR, 7, '0')",
    "UUID": "md5('{kind}' || {number})::UUID",
}


def draw(*parts: str) -> str:
    """Return SQL for a number in [0, 1) that depends on the parts alone."""
    return f"(hash({', '.join(parts)}, 1) >> 11)::DOUBLE / 9007199254740992"


def drawn(data: Data, table: str, length: str, absent: int) -> str:
    """Return SQL for `length` different items of each user, drawn from the catalog by Zipf's law.

    A user's n-th item is drawn from the n-th of `length` slices of equal popularity. A slice is at least one
    item wide, so no item is drawn twice.
    """
    edge = f"pow({data.items} - length, {{0}} / length) - 1"
    low, high = (f"{nth} + floor({edge.format(nth)})::BIGINT" for nth in ("nth", "(nth + 1)"))
    return f"""
        SELECT u, nth, low + floor({draw("u", "nth", f"'{table}'")} * (high - low))::BIGINT AS i
        FROM (SELECT u, nth, {low} AS low, {high} AS high
              FROM (SELECT u, length, unnest(range(length)) AS nth
                    FROM (SELECT u, {length} AS length FROM range({data.users}) t(u)
                          WHERE u % {absent} <> {absent - 1})))"""


def make(data: Data, folder: Path) -> Path:
    """Write the tables to tables.duckdb in the folder, and return the folder."""
    folder.mkdir(exist_ok=True)
    user, item = (IDS[data.ids].format(kind=kind, number=kind[0]) for kind in ("user", "item"))
    score = f"floor({draw('u', 'i', '7')} * {data.ties}) / {data.ties}"
    if not data.ties:  # different for each of a user's items, also in the 24 bits of single precision
        bits = (data.recs - 1).bit_length()
        score = f"(floor({draw('u', 'i', '7')} * {1 << (24 - bits)}) * {1 << bits} + nth) / {1 << 24}"
    rec = drawn(data, "rec", f"{data.recs}::BIGINT", 97)
    truth = drawn(data, "truth", f"1 + floor({draw('u', '3')} * {2 * data.truth - 1})::BIGINT", 89)
    order = "" if data.order == "user" else "ORDER BY hash(u, i, 1)"
    ids = f"{user} AS userid, {item} AS itemid"
    with duckdb.connect(folder / "tables.duckdb") as con:
        con.execute(f"""
            CREATE TABLE rec AS SELECT {ids}, {score} AS score FROM ({rec}) {order};
            CREATE TABLE truth AS SELECT {ids} FROM ({truth}) {order}""")
    return folder
