"""ranking.split against a slow definition; sql/split.test has cases by hand."""

import random
import re
from collections.abc import Sequence
from itertools import product

import duckdb
import pytest

import ranking_udfs
from ranking_udfs.compose.functions import compose_call
from ranking_udfs.compose.split import MADE, length
from ranking_udfs.folder import read
from ranking_udfs.kinds import Typed
from tests.conftest import Con, module_connection, refusal

# Tables whose names and columns the SQL uses too.
EVENTS = """
    CREATE TABLE windows AS SELECT i * 7 % 5 AS userid, i % 3 AS itemid, i % 11 AS time FROM range(40) t(i);
    CREATE TABLE "my rows" AS
        SELECT
            'u' || userid AS "a user", itemid AS Item, DATE '2026-01-30' + time::INTEGER AS "when",
            time AS until
        FROM windows
"""
tables = module_connection(EVENTS)

Event = tuple[int | None, int | None, int | None]


def split(
    events: Sequence[Event], fold: int, size: int, gap: int, last: int | None, first: int | None, drop: str
) -> list[str]:
    """Return the part of each event in a fold, by the definition, with loops."""
    whole = [(user, item, time) for user, item, time in events if None not in (user, item, time)]
    end = max((time for *_, time in whole if time is not None), default=0) + 1
    parts = []
    for user, item, time in events:
        if user is None or item is None or time is None:
            parts.append("no user" if user is None else "no item" if item is None else "no time")
        elif last is not None:
            later = {(t, i) for u, i, t in whole if u == user and (t, i) > (time, item)}  # type: ignore[operator]
            turn = len(later) // last + 1
            parts.append("tr" if turn > fold else "te" if turn == fold else "after test")
        else:
            start = end - fold * size if first is None else first
            before = "tr" if time < start - gap else "gap" if time < start else "te"
            parts.append("after test" if time >= start + size else before)
    train = [event for event, part in zip(events, parts, strict=True) if part == "tr"]
    for i, (user, item, _) in enumerate(events):
        if parts[i] == "te":
            if "cold_users" in drop and user not in {u for u, _, _ in train}:
                parts[i] = "cold user"
            elif "cold_items" in drop and item not in {i for _, i, _ in train}:
                parts[i] = "cold item"
            elif "seen" in drop and (user, item) in {(u, i) for u, i, _ in train}:
                parts[i] = "seen"
    return parts


# Arguments; the number of folds, their size, the gap, the number of last events of a user, and the start.
CALLS: list[tuple[str, int, int, int, int | None, int | None]] = [
    ("test_size := 4, folds := 3", 3, 4, 0, None, None),
    ("test_size := 4, folds := 3, gap := 2", 3, 4, 2, None, None),
    ("test_from := 15, test_size := 4, gap := 1", 1, 4, 1, None, 15),
    ("last := 1, folds := 2", 2, 0, 0, 1, None),
    ("last := 3, folds := 2", 2, 0, 0, 3, None),
]
DROPS = ("", *(f", {name} := 'drop'" for name in ("cold_users", "cold_items", "seen")))
DROPS = (*DROPS, "".join(DROPS))


@pytest.mark.parametrize("seed", range(2))
def test_folds_equal_the_slow_definition(tables: Con, seed: int) -> None:
    draw = random.Random(seed)
    ids: list[int | None] = [*range(6), None]
    events = [(draw.choice(ids), draw.choice(ids), draw.choice([*range(30), None])) for _ in range(80)]
    events[0] = (0, 0, -1)  # before the test of every fold
    tables.execute("CREATE OR REPLACE TABLE drawn (row INT, u INT, i INT, t INT)")
    tables.executemany("INSERT INTO drawn VALUES (?, ?, ?, ?)", [(i, *of) for i, of in enumerate(events)])
    for (arguments, folds, size, gap, last, start), drop in product(CALLS, DROPS):
        options = f"{arguments}, user_col := 'u', item_col := 'i', time_col := 't' {drop}"
        parts = tables.execute(f"""
            SELECT list(coalesce(left(part, 2), dropped) ORDER BY row ASC)
            FROM ranking.split('drawn', {options}) GROUP BY fold ORDER BY fold ASC""").fetchall()
        expected = [split(events, fold + 1, size, gap, last, start, drop) for fold in range(folds)]
        assert parts == [(fold,) for fold in expected]


def test_wrong_words_are_reported_before_wrong_events() -> None:
    call = "ranking.split('events', test_size := INTERVAL '3 seconds', seen := 'once')"
    with ranking_udfs.register(duckdb.connect()) as con:
        con.execute("CREATE TABLE events AS SELECT 1 AS userid, 1 AS itemid, DATE '2026-01-01' AS time")
        assert "test_size must reach back" in refusal(con, f"FROM {call.replace('once', 'drop')}")
        errors = {refusal(con, f"FROM {call}") for _ in range(40)}
        assert errors == {"ranking.split: seen must be keep|drop, got 'once'"}


def test_composed_sql_has_only_what_is_asked_for() -> None:
    usual = {"events": "events", "folds": "1"}
    usual |= dict.fromkeys(("cold_users", "cold_items", "seen"), "keep")
    kinds = dict.fromkeys(("folds", "last", "test_from"), "INTEGER")
    names = "events test_from test_size folds gap last cold_users cold_items seen user_col item_col time_col"

    def composed(**arguments: str) -> str:
        values = usual | arguments
        typed = ((name, kinds.get(name, "VARCHAR"), values.get(name)) for name in names.split())
        return compose_call("ranking.split", *typed)

    assert not any(word in composed(test_from="3") for word in ("JOIN (", "dense_rank", "_ranking.main."))
    assert "dense_rank" in composed(last="1")
    assert composed(last="1", cold_users="drop", seen="drop").count("LEFT JOIN (") == 2


@pytest.mark.parametrize(
    "span",
    [
        *("1 month -30 days", "1 month -29 days -24 hours", "-1 month 31 days", "1 year -360 days"),
        *("-1 day 24 hours 0.000001 seconds", "-0.000001 seconds", "1.5 seconds"),
        *("100 hours -4 days -4 hours", "-2 years 25 months"),
    ],
)
def test_intervals_have_the_sign_that_duckdb_finds(span: str) -> None:
    query = "SELECT x::VARCHAR, (x > INTERVAL 0 DAY)::INTEGER - (x < INTERVAL 0 DAY)::INTEGER"
    ((text, sign),) = duckdb.sql(f"{query} FROM (SELECT INTERVAL '{span}' AS x)").fetchall()
    microseconds = length(Typed("INTERVAL", text))
    assert microseconds is not None
    assert (microseconds > 0) - (microseconds < 0) == sign


def test_columns_called_as_those_within_the_query_are_refused_or_kept(tables: Con) -> None:
    names = {*re.findall(r"(?<!_)\branking_\w+", read("tables/split.sql"))}
    rows = "WITH e AS (SELECT i % 3 AS userid, i AS itemid, i AS time, 7 AS {} FROM range(20) t(i))"
    call = f"{rows} FROM ranking.split('e', test_size := 5)"
    kept = tables.execute(call.format("mine")).fetchall()
    refused = {name for name in names if re.fullmatch(MADE, name)}
    for name in refused:
        rule = "ranking.split: events must have no column that split makes (rename it)"
        assert refusal(tables, call.format(name)) == f"{rule}, got {name}"
    assert {"ranking_user", "ranking_dropped"} < refused < names
    for name in names - refused:
        assert tables.execute(call.format(name)).fetchall() == kept, name
