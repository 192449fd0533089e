"""Data for the benchmarks, made in SQL, the same each time: the tables rec and truth of a recommender."""

from dataclasses import dataclass
from pathlib import Path

import duckdb


@dataclass(frozen=True)
class Data:
    """What the tables hold.

    users  users in all; 1 in 97 has no recommendations and 1 in 89 no truth
    items  size of the catalogue
    recs   recommendations per user, all of them different items
    truth  truth items per user, on average: each user has 1 to 2 * truth - 1 of them
    ids    type of the ids of users and items: BIGINT, VARCHAR or UUID
    ties   0: no two items of a user have the same score; n: scores have no more than n different values
    order  user: rows lie user by user, as a model writes them, in no order of score; none: in no order at all
    """

    users: int = 10_000
    items: int = 50_000
    recs: int = 100
    truth: int = 20
    ids: str = "BIGINT"
    ties: int = 0
    order: str = "user"


IDS = {
    "BIGINT": "{number}",
    "VARCHAR": "'{kind}-' || lpad({number}::VARCHAR, 7, '0')",
    "UUID": "md5('{kind}' || {number})::UUID",
}


def draw(*parts: str) -> str:
    """SQL: a number in [0, 1) that depends on the parts alone."""
    return f"(hash({', '.join(parts)}, 1) >> 11)::DOUBLE / 9007199254740992"


def drawn(data: Data, table: str, length: str, absent: int) -> str:
    """SQL: `length` different items for each user, drawn from the catalogue by popularity, of Zipf's law.

    Item number `place` of a user is drawn from that one of `length` slices of equal popularity. Slices are
    at least one item wide, so no item comes twice.
    """
    edge = f"pow({data.items} - length, {{0}} / length) - 1"
    low, high = (f"{place} + floor({edge.format(place)})::BIGINT" for place in ("place", "(place + 1)"))
    return f"""
        SELECT u, place, low + floor({draw("u", "place", f"'{table}'")} * (high - low))::BIGINT AS i
        FROM (SELECT u, place, {low} AS low, {high} AS high
              FROM (SELECT u, length, unnest(range(length)) AS place
                    FROM (SELECT u, {length} AS length FROM range({data.users}) t(u)
                          WHERE u % {absent} <> {absent - 1})))"""


def make(data: Data, folder: Path) -> Path:
    """The folder, with the tables in tables.duckdb."""
    folder.mkdir(exist_ok=True)
    user, item = (IDS[data.ids].format(kind=kind, number=kind[0]) for kind in ("user", "item"))
    bits = (data.recs - 1).bit_length()
    score = (
        f"floor({draw('u', 'i', '7')} * {data.ties}) / {data.ties}"
        if data.ties
        # Different for each of a user's items, and of 24 bits, so that single precision keeps them apart.
        else f"(floor({draw('u', 'i', '7')} * {1 << (24 - bits)}) * {1 << bits} + place) / {1 << 24}"
    )
    rec = drawn(data, "rec", f"{data.recs}::BIGINT", 97)
    truth = drawn(data, "truth", f"1 + floor({draw('u', '3')} * {2 * data.truth - 1})::BIGINT", 89)
    order = "" if data.order == "user" else "ORDER BY hash(u, i, 1)"
    ids = f"{user} AS userid, {item} AS itemid"
    with duckdb.connect(folder / "tables.duckdb") as con:
        con.execute(f"""
            CREATE TABLE rec AS SELECT {ids}, {score} AS score FROM ({rec}) {order};
            CREATE TABLE truth AS SELECT {ids} FROM ({truth}) {order}""")
    return folder
