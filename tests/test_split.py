"""ranking.split: against a slow definition, and a race; cases by hand are in right_tables.txt."""

import random
from collections.abc import Sequence
from itertools import product

import duckdb
import pytest

import ranking_udfs
from ranking_udfs.compose.arguments import Given
from ranking_udfs.compose.functions import compose_call
from ranking_udfs.compose.split import length
from tests.conftest import module_connection, refusal, rows

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
# Tables of the names that CTEs and columns of the SQL have.
EVENTS = """
    CREATE TABLE windows AS SELECT i * 7 % 5 AS userid, i % 3 AS itemid, i % 11 AS time FROM range(40) t(i);
    CREATE TABLE "my rows" AS
        SELECT
            'u' || userid AS "a user", itemid AS Item, DATE '2026-01-30' + time::INTEGER AS "when",
            time AS until
        FROM windows
"""
tables = module_connection(EVENTS)
script = module_connection(EVENTS, is_script=True)
NAMED = "user_col := 'A User', item_col := 'item', time_col := 'when'"
ANY_CALLS = [
    "'windows', test_from := 7",
    "'windows', test_from := 7, test_size := 2, folds := 2, gap := 1",
    "'windows', test_size := 2::HUGEINT, cold_users := 'drop', cold_items := 'drop'",
    "'windows', last := 2, folds := 2, seen := 'drop'",
    f"'my rows', test_size := INTERVAL '1 day 12 hours', folds := 3, gap := INTERVAL 1 DAY, {NAMED}",
    f"'my rows', test_from := TIMESTAMP '2026-02-03 12:00:00', seen := 'drop', {NAMED}",
    f"'my rows', last := 1, cold_items := 'drop', {NAMED}",
]


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
            FROM ranking.split('drawn', {options}) GROUP BY fold ORDER BY fold ASC""").fetchall()
        assert [fold for (fold,) in found] == defined(events, folds, size, gap, last, bool(drop))


def test_a_misfit_is_told_before_what_it_makes_of_the_events() -> None:
    call = "ranking.split('events', test_size := INTERVAL '3 seconds', seen := 'once')"
    with ranking_udfs.register(duckdb.connect()) as con:
        con.execute("CREATE TABLE events AS SELECT 1 AS userid, 1 AS itemid, DATE '2026-01-01' AS time")
        assert "test_size must reach back" in refusal(con, f"FROM {call.replace('once', 'drop')}")
        told = {refusal(con, f"FROM {call}") for _ in range(40)}
        assert told == {"ranking.split: seen must be keep|drop, got 'once'"}


@pytest.mark.parametrize("call", ANY_CALLS)
def test_the_script_splits_as_python(
    tables: duckdb.DuckDBPyConnection, script: duckdb.DuckDBPyConnection, call: str
) -> None:
    query = f"FROM ranking.split({call}) ORDER BY ALL"
    expected = rows(tables, query)
    assert expected
    assert rows(script, query) == expected
    types = [con.execute(f"DESCRIBE {query}").fetchall() for con in (tables, script)]
    assert types[0] == types[1]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ("'windows', last := 1, folds := 0, item_col := 'i'", "events must have a column i (item_col), got"),
        (
            "'windows', test_size := '2', seen := 'no'",
            "test_size must be an integer, for a time that is one, got '2'",
        ),
        ("'windows', last := 'x', seen := 'no'", "last must be an integer >= 1, got 'x'"),
        ("'windows', last := 1, user_col := ''", "events must have a column  (user_col), got userid"),
        ("'_ranking_events', last := 1", "events must be a table of another name, got _ranking_events"),
    ],
)
def test_columns_are_told_before_arguments(
    tables: duckdb.DuckDBPyConnection, script: duckdb.DuckDBPyConnection, call: str, error: str
) -> None:
    for con in (tables, script):
        assert refusal(con, f"FROM ranking.split({call})").startswith(f"ranking.split: {error}")


def test_the_text_has_what_is_asked_for_alone() -> None:
    usual = {"folds": "1"} | dict.fromkeys(("cold_users", "cold_items", "seen"), "keep")
    names = [*("events", "test_from", "test_size", "folds", "gap", "last", "cold_users", "cold_items")]
    names += ["seen", "user_col", "item_col", "time_col"]

    def text(**given: str) -> str:
        given = {"events": "events"} | usual | given
        kinds = dict.fromkeys(("folds", "last", "test_from"), "INTEGER")
        arguments = ((name, kinds.get(name, "VARCHAR"), given.get(name)) for name in names)
        return compose_call("ranking.split", *arguments)

    assert not any(word in text(test_from="3") for word in ("JOIN (", "dense_rank", "_ranking.main."))
    assert "dense_rank" in text(last="1")
    assert text(last="1", cold_users="drop", seen="drop").count("LEFT JOIN (") == 2


@pytest.mark.parametrize(
    "span",
    [
        *("1 month -30 days", "1 month -29 days -24 hours", "-1 month 31 days", "1 year -360 days"),
        *("-1 day 24 hours 0.000001 seconds", "-0.000001 seconds", "1.5 seconds"),
        *("100 hours -4 days -4 hours", "-2 years 25 months"),
    ],
)
def test_intervals_are_as_long_as_duckdb_compares_them(span: str) -> None:
    query = "SELECT x::VARCHAR, (x > INTERVAL 0 DAY)::INTEGER - (x < INTERVAL 0 DAY)::INTEGER"
    ((text, sign),) = duckdb.sql(f"{query} FROM (SELECT INTERVAL '{span}' AS x)").fetchall()
    found = length(Given("INTERVAL", text))
    assert found is not None
    assert (found > 0) - (found < 0) == sign
