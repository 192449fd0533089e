"""ranking_split: against a slow definition, RecTools' folds and splits worked by hand."""

import random
from collections.abc import Sequence

import duckdb
import pytest

import ranking_udfs
from tests.conftest import module_connection, refusal, with_internals

EVENTS = """
    (1, 'a', DATE '2026-01-01'), (1, 'b', DATE '2026-01-05'), (2, 'a', DATE '2026-01-06'),
    (2, 'a', DATE '2026-01-07'), (2, 'c', DATE '2026-01-09'), (1, 'b', DATE '2026-01-09'),
    (NULL, 'c', DATE '2026-01-09'), (3, NULL, DATE '2026-01-01'), (3, 'a', NULL), (4, 'a', DATE 'infinity')
"""
MAKE = f"CREATE TABLE events AS FROM (VALUES {EVENTS}) AS t(userid, itemid, time)"
# The folds of `rectools_events` by TimeRangeSplitter and LastNSplitter of RecTools 0.19.0, the latest first:
# a letter per event (r train, t test, . neither), without its filters and with all.
RECTOOLS = {
    "test_size := INTERVAL 3 DAY": (
        """
        rrrrrrrrrrrrrrrrtrrrrrrrrrttrrrrrrrrrttrrrrrrrrrttrrrrrrrrtt
        rrrrrrrrrrrrrrrr.rrrrrrrtt..rrrrrrrtt..rrrrrrrrt..rrrrrrtt..
        rrrrrtrrrrrrrrtt.rrrrrtt....rrrrrrt....rrrrrrrt...rrrrtt....
        """,
        """
        rrrrrrrrrrrrrrrr.rrrrrrrrrttrrrrrrrrrt.rrrrrrrrr..rrrrrrrrtt
        rrrrrrrrrrrrrrrr.rrrrrrrt...rrrrrrrtt..rrrrrrrrt..rrrrrrt...
        rrrrr.rrrrrrrr.t.rrrrrt.....rrrrrr.....rrrrrrr....rrrr.t....
        """,
    ),
    "last := 2": (
        """
        rrrrttrrrrrrrrrttrrrrrrrrrttrrrrrrrrrttrrrrrrrrrttrrrrrrrrtt
        rrtt..rrrrrrrtt..rrrrrrrtt..rrrrrrrtt..rrrrrrrtt..rrrrrrtt..
        tt....rrrrrtt....rrrrrtt....rrrrrtt....rrrrrtt....rrrrtt....
        """,
        """
        rrrrt.rrrrrrrrrt.rrrrrrrrrttrrrrrrrrrt.rrrrrrrrr..rrrrrrrrtt
        rrtt..rrrrrrr....rrrrrrrt...rrrrrrrtt..rrrrrrr.t..rrrrrrt...
        ......rrrrr.t....rrrrr......rrrrrtt....rrrrr.t....rrrr......
        """,
    ),
}
DROP = "cold_users := 'drop', cold_items := 'drop', seen := 'drop'"
Event = tuple[int | None, int | None, int | None]


pack = module_connection(MAKE)


def parts(con: duckdb.DuckDBPyConnection, call: str, order: str = "time, itemid, userid") -> list[str]:
    """A text per fold: of each event the first letter of its part, or why it was dropped."""
    query = f"SELECT fold, coalesce(left(part, 2), dropped) FROM {call} ORDER BY fold, {order} NULLS LAST"
    found: dict[int, list[str]] = {}
    for fold, part in con.execute(query).fetchall():
        found.setdefault(fold, []).append(part)
    return [", ".join(letters) for letters in found.values()]


def rectools_events() -> list[tuple[int, int, int]]:
    found = {(i * i * 7 % 11, i * i % 13 + i % 3, i * 17 % 23) for i in range(60)}
    return sorted(found, key=lambda event: (event[0], event[2], event[1]))


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


# --- Against others ---


@pytest.mark.parametrize("chosen", RECTOOLS)
@pytest.mark.parametrize("drop", [False, True])
def test_folds_are_those_of_rectools(pack: duckdb.DuckDBPyConnection, chosen: str, drop: bool) -> None:
    rows = ", ".join(
        f"({i}, {user}, {item}, DATE '2026-03-01' + {day})"
        for i, (user, item, day) in enumerate(rectools_events())
    )
    pack.execute(f"CREATE OR REPLACE TABLE many AS FROM (VALUES {rows}) AS t(row, userid, itemid, time)")
    query = f"""
        SELECT string_agg(CASE part WHEN 'train' THEN 'r' WHEN 'test' THEN 't' ELSE '.' END, '' ORDER BY row)
        FROM ranking_split('many', folds := 3, {chosen}{", " + DROP if drop else ""})
        GROUP BY fold ORDER BY fold
    """
    assert [text for (text,) in pack.execute(query).fetchall()] == RECTOOLS[chosen][drop].split()


@pytest.mark.parametrize("seed", range(4))
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


# --- By hand ---


def made(con: duckdb.DuckDBPyConnection, rows: str) -> None:
    """The table given, of rows of user, item and time."""
    con.execute(f"CREATE OR REPLACE TABLE given AS FROM (VALUES {rows}) AS t(userid, itemid, time)")


def test_a_test_is_half_open_and_the_last_one_ends_behind_the_last_event(
    pack: duckdb.DuckDBPyConnection,
) -> None:
    found = parts(
        pack,
        "ranking_split('events', test_size := INTERVAL 2 DAY, folds := 2)",
        "isfinite(time) DESC, userid IS NULL, itemid IS NULL, time, userid",
    )
    others = "no item, no user, no time, no time"
    assert found == [
        f"tr, tr, tr, tr, te, te, {others}",
        f"tr, tr, te, te, after test, after test, {others}",
    ]


def test_test_from_goes_to_the_last_event_or_as_far_as_test_size(pack: duckdb.DuckDBPyConnection) -> None:
    made(pack, ", ".join(f"(1, {i}, {i})" for i in range(10)))
    assert parts(pack, "ranking_split('given', test_from := 7)") == ["tr, " * 7 + "te, te, te"]
    sized = "ranking_split('given', test_from := 6, test_size := 2, folds := 2, gap := 1)"
    assert parts(pack, sized) == [
        "tr, tr, tr, tr, tr, gap, te, te, after test, after test",
        "tr, tr, tr, gap, te, te, after test, after test, after test, after test",
    ]


def test_months_are_counted_from_the_end_and_touch(pack: duckdb.DuckDBPyConnection) -> None:
    """From March 31: February 28, January 31."""
    days = ("2025-12-31", "2026-01-30", "2026-01-31", "2026-02-27", "2026-02-28", "2026-03-30")
    made(pack, ", ".join(f"(1, {i}, DATE '{day}')" for i, day in enumerate(days)))
    assert parts(pack, "ranking_split('given', test_size := INTERVAL 1 MONTH, folds := 2)") == [
        "tr, tr, tr, tr, te, te",
        "tr, tr, te, te, after test, after test",
    ]


@pytest.mark.parametrize("kind", ["TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMPTZ"])
def test_timestamps_of_all_kinds_are_split_alike_in_any_zone(
    pack: duckdb.DuckDBPyConnection, kind: str
) -> None:
    moments = ("2026-03-08 23:59:59", "2026-03-09 00:00:00", "2026-03-09 00:00:01", "2026-03-10 00:00:00")
    zoned = "+00" if kind == "TIMESTAMPTZ" else ""
    begun = f"{kind if zoned else 'TIMESTAMP'} '2026-03-09 00:00:00{zoned}'"
    try:
        for zone in ("Asia/Tokyo", "America/New_York"):
            pack.execute(f"SET TimeZone = '{zone}'")
            made(pack, ", ".join(f"(1, {i}, {kind} '{one}{zoned}')" for i, one in enumerate(moments)))
            assert parts(pack, "ranking_split('given', test_size := INTERVAL 1 DAY)") == ["tr, tr, te, te"]
            assert parts(pack, f"ranking_split('given', test_from := {begun})") == ["tr, te, te, te"]
    finally:
        pack.execute("RESET TimeZone")


def test_a_date_may_say_where_timestamps_are_split(pack: duckdb.DuckDBPyConnection) -> None:
    pack.execute("CREATE OR REPLACE VIEW moments AS SELECT * REPLACE (time::TIMESTAMP AS time) FROM events")
    query = (
        "SELECT count(*) FILTER (part = 'test') FROM ranking_split('moments', test_from := DATE '2026-01-06')"
    )
    assert pack.execute(query).fetchall() == [(4,)]


def test_the_last_events_are_by_time_then_by_item_and_what_is_twice_stays_together(
    pack: duckdb.DuckDBPyConnection,
) -> None:
    made(pack, "(1, 5, 1), (1, 7, 2), (1, 6, 2), (1, 7, 2), (2, 1, 1)")
    query = "SELECT userid, itemid FROM ranking_split('given', last := 1) WHERE part = 'test' ORDER BY ALL"
    assert pack.execute(query).fetchall() == [(1, 7), (1, 7), (2, 1)]


def test_what_train_does_not_have_is_dropped_where_asked(pack: duckdb.DuckDBPyConnection) -> None:
    made(pack, "(1, 'a', 1), (2, 'b', 1), (1, 'a', 2), (3, 'a', 2), (1, 'c', 2), (1, 'b', 2), (3, 'c', 2)")
    for options, expected in {
        "": "tr, tr, te, te, te, te, te",
        ", cold_users := 'drop'": "tr, tr, te, te, te, cold user, cold user",
        ", cold_items := 'drop'": "tr, tr, te, te, cold item, te, cold item",
        ", seen := 'drop'": "tr, tr, seen, te, te, te, te",
        f", {DROP}": "tr, tr, seen, te, cold item, cold user, cold user",
    }.items():
        call = f"ranking_split('given', test_from := 2{options})"
        assert parts(pack, call, "time, userid, itemid") == [expected]


def test_no_events_are_no_rows(pack: duckdb.DuckDBPyConnection) -> None:
    for chosen in ("last := 1", "test_size := INTERVAL 1 DAY", "test_from := DATE '2026-01-01'"):
        query = f"WITH nothing AS (FROM events LIMIT 0) FROM ranking_split('nothing', {chosen})"
        assert pack.execute(query).fetchall() == []


# --- Errors ---


def test_a_misfit_is_told_before_what_it_makes_of_the_events() -> None:
    too_short = "test_from := NULL, test_size := INTERVAL '3 seconds', folds := 1, gap := NULL, last := NULL"
    columns = "user_col := 'userid', item_col := 'itemid', time_col := 'time'"
    call = f"_ranking_split_windows('events', {too_short}, {columns}, misfit := 'it does not fit')"
    with ranking_udfs.register(duckdb.connect()) as con:
        with_internals(con).execute(MAKE)
        assert {refusal(con, f"FROM {call}") for _ in range(100)} == {"ranking_split: it does not fit"}
