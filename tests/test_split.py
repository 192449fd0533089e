"""ranking_split: against a slow definition, and what right_tables.txt cannot say."""

import random
from collections.abc import Sequence

import duckdb
import pytest

import ranking_udfs
from tests.conftest import module_connection, refusal, with_internals

DROP = "cold_users := 'drop', cold_items := 'drop', seen := 'drop'"
Event = tuple[int | None, int | None, int | None]


pack = module_connection()


def parts(con: duckdb.DuckDBPyConnection, call: str, order: str = "time") -> list[str]:
    """A text per fold: of each event the first letter of its part, or why it was dropped."""
    query = f"SELECT fold, coalesce(left(part, 2), dropped) FROM {call} ORDER BY fold, {order} NULLS LAST"
    found: dict[int, list[str]] = {}
    for fold, part in con.execute(query).fetchall():
        found.setdefault(fold, []).append(part)
    return [", ".join(letters) for letters in found.values()]


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
    rows = ", ".join(
        f"({i}, {', '.join('NULL' if cell is None else str(cell) for cell in event)})"
        for i, event in enumerate(events)
    )
    pack.execute(f"CREATE OR REPLACE TABLE drawn AS FROM (VALUES {rows}) AS t(row, u, i, t)")
    for drop in (False, True):
        options = "user_col := 'u', item_col := 'i', time_col := 't'" + (f", {DROP}" if drop else "")
        for gap in (0, 2):
            found = parts(
                pack, f"ranking_split('drawn', test_size := 4, folds := 3, gap := {gap}, {options})", "row"
            )
            assert found == [", ".join(fold) for fold in defined(events, 3, 4, gap, None, drop)]
        for last in (1, 3):
            found = parts(pack, f"ranking_split('drawn', last := {last}, folds := 2, {options})", "row")
            assert found == [", ".join(fold) for fold in defined(events, 2, 0, 0, last, drop)]


@pytest.mark.parametrize("kind", ["TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMPTZ"])
def test_timestamps_of_all_kinds_are_split_alike_in_any_zone(
    pack: duckdb.DuckDBPyConnection, kind: str
) -> None:
    moments = ("2026-03-08 23:59:59", "2026-03-09 00:00:00", "2026-03-09 00:00:01", "2026-03-10 00:00:00")
    zoned = "+00" if kind == "TIMESTAMPTZ" else ""
    begun = f"{kind if zoned else 'TIMESTAMP'} '2026-03-09 00:00:00{zoned}'"
    rows = ", ".join(f"(1, {i}, {kind} '{one}{zoned}')" for i, one in enumerate(moments))
    try:
        for zone in ("Asia/Tokyo", "America/New_York")[: 2 if zoned else 1]:
            pack.execute(f"SET TimeZone = '{zone}'")
            pack.execute(f"CREATE OR REPLACE TABLE given AS FROM (VALUES {rows}) AS t(userid, itemid, time)")
            assert parts(pack, "ranking_split('given', test_size := INTERVAL 1 DAY)") == ["tr, tr, te, te"]
            assert parts(pack, f"ranking_split('given', test_from := {begun})") == ["tr, te, te, te"]
    finally:
        pack.execute("RESET TimeZone")


def test_a_misfit_is_told_before_what_it_makes_of_the_events() -> None:
    too_short = "test_from := NULL, test_size := INTERVAL '3 seconds', folds := 1, gap := NULL, last := NULL"
    columns = "user_col := 'userid', item_col := 'itemid', time_col := 'time'"
    call = f"_ranking_split_windows('events', {too_short}, {columns}, misfit := 'it does not fit')"
    with ranking_udfs.register(duckdb.connect()) as con:
        with_internals(con).execute(
            "CREATE TABLE events AS SELECT 1 AS userid, 1 AS itemid, DATE '2026-01-01' AS time"
        )
        assert {refusal(con, f"FROM {call}") for _ in range(40)} == {"ranking_split: it does not fit"}
