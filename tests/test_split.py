"""ranking_split: against a slow definition, and a race; cases by hand are in right_tables.txt."""

import random
from collections.abc import Sequence
from itertools import product

import duckdb
import pytest

import ranking_udfs
from tests.conftest import module_connection, refusal

# How many folds these make, of which size, with which gap, or of how many events at the end of a user's.
CALLS: list[tuple[str, int, int, int, int | None]] = [
    ("test_size := 4, folds := 3", 3, 4, 0, None),
    ("test_size := 4, folds := 3, gap := 2", 3, 4, 2, None),
    ("last := 1, folds := 2", 2, 0, 0, 1),
    ("last := 3, folds := 2", 2, 0, 0, 3),
]
DROP = ", cold_users := 'drop', cold_items := 'drop', seen := 'drop'"
Event = tuple[int | None, int | None, int | None]
pack = module_connection()


def defined(
    events: Sequence[Event], folds: int, size: int, gap: int, last: int | None, drop: bool
) -> list[list[str]]:
    """The folds, from the definition, with loops."""
    whole = [event for event in events if None not in event]
    end = max((time for _, _, time in whole if time is not None), default=0) + 1
    found = []
    for fold in range(1, folds + 1):

        def place(event: Event, fold: int = fold) -> str:
            user, item, time = event
            if None in event:
                return "no user" if user is None else "no item" if item is None else "no time"
            assert time is not None
            if last is not None:
                later = {(t, i) for u, i, t in whole if u == user and (t, i) > (time, item)}  # type: ignore[operator]
                turn = len(later) // last + 1
                return "tr" if turn > fold else "te" if turn == fold else "after test"
            test_from = end - fold * size
            if time >= test_from + size:
                return "after test"
            return "te" if time >= test_from else "tr" if time < test_from - gap else "gap"

        placed = [place(event) for event in events]
        train = [event for event, part in zip(events, placed, strict=True) if part == "tr"]
        for i, (user, item, _) in enumerate(events):
            if drop and placed[i] == "te":
                if user not in {u for u, _, _ in train}:
                    placed[i] = "cold user"
                elif item not in {i for _, i, _ in train}:
                    placed[i] = "cold item"
                elif (user, item) in {(u, i) for u, i, _ in train}:
                    placed[i] = "seen"
        found.append(placed)
    return found


@pytest.mark.parametrize("seed", range(2))
def test_folds_are_those_of_the_definition(pack: duckdb.DuckDBPyConnection, seed: int) -> None:
    draw = random.Random(seed)
    values: list[int | None] = [*range(6), None]
    events = [(draw.choice(values), draw.choice(values), draw.choice([*range(30), None])) for _ in range(80)]
    events[0] = (0, 0, -1)  # before every fold's test
    pack.execute("CREATE OR REPLACE TABLE drawn (row INT, u INT, i INT, t INT)")
    pack.executemany("INSERT INTO drawn VALUES (?, ?, ?, ?)", [(i, *one) for i, one in enumerate(events)])
    for (given, folds, size, gap, last), drop in product(CALLS, ("", DROP)):
        options = f"{given}, user_col := 'u', item_col := 'i', time_col := 't' {drop}"
        found = pack.execute(f"""
            SELECT list(coalesce(left(part, 2), dropped) ORDER BY row ASC)
            FROM ranking_split('drawn', {options}) GROUP BY fold ORDER BY fold ASC""").fetchall()
        assert [fold for (fold,) in found] == defined(events, folds, size, gap, last, bool(drop))


def test_a_misfit_is_told_before_what_it_makes_of_the_events() -> None:
    call = "ranking_split('events', test_size := INTERVAL '3 seconds', seen := 'once')"
    with ranking_udfs.register(duckdb.connect()) as con:
        con.execute("CREATE TABLE events AS SELECT 1 AS userid, 1 AS itemid, DATE '2026-01-01' AS time")
        assert "test_size must reach back" in refusal(con, f"FROM {call.replace('once', 'drop')}")
        told = {refusal(con, f"FROM {call}") for _ in range(40)}
        assert told == {"ranking_split: seen must be keep|drop, got 'once'"}
