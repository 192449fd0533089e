"""Properties that every entry point has on random messy worlds, and the reason where one has not.

A row of truth or history that stands twice counts once, names are only names, no order of rows matters, a
system is measured alone, scores are compared and not added, nothing differs from itself.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import duckdb
import pytest

from ranking_udfs.quoting import identifier as quoted
from tests.entries import (
    CALLS,
    DERIVED,
    DRAWN,
    ENTRIES,
    Rows,
    World,
    ask,
    assert_equal,
    canonical,
    options_of,
)

# Names of columns by their argument, and other names.
OLD = {"user_col": "userid", "item_col": "itemid", "score_col": "score", "grade_col": "rel"}
OLD |= {f"{name}_col": name for name in ("system", "time", "category", "intent", "segment")}
NEW = {"user_col": "Who", "item_col": "what", "score_col": "points", "grade_col": "stars"}
NEW |= {"system_col": "maker", "time_col": "moment", "category_col": "kind", "intent_col": "aim"}
NEW |= {"segment_col": "piece"}
# Texts as ids, and other systems in the same order.
TEXTS = dict.fromkeys(("userid", "itemid"), "'u' || lpad(({0} + 100)::VARCHAR, 6, '0')")
TEXTS |= dict.fromkeys(("system", "baseline"), "'S' || {0}")
# Texts that differ in pairs by their case alone.
CASED = dict.fromkeys(("userid", "itemid"), "('u' || {0} // 2 || 'Aa'[1 + {0} % 2])")
CASED |= dict.fromkeys(("system", "baseline"), "translate({0}, '012', 'AaB')")
CASED |= dict.fromkeys(("category", "intent", "segment"), "translate({0}, 'yq', 'XP')")
SETTINGS = {"threads": "4", "default_order": "'DESC'", "default_null_order": "'NULLS FIRST'"}
SETTINGS |= {"integer_division": "true"}
ADDED = "zz"  # a system
# Problems whose counts are of rows, to which a repeated row adds.
OF_ROWS = ("repeated_truth", "negative_grade", "null_in_truth", "late_history")
# Options that condense lists, in answers that are of nothing else.
CONDENSED = [
    entry
    for entry in ENTRIES
    if "unjudged" in options_of(*entry) and not entry[1].startswith(("check", "evaluate contents"))
]
Entry = tuple[str, str]
entries = pytest.mark.parametrize("entry", ENTRIES, ids=" ".join)
# Python and the command compose the SQL of SQL: that they return its rows is tested before each commit.
sql_first = pytest.mark.parametrize(
    "entry",
    [
        pytest.param(entry, marks=[pytest.mark.slow] * (entry[0] != "SQL"), id=" ".join(entry))
        for entry in ENTRIES
    ],
)


@pytest.fixture(scope="module", params=[32, *(pytest.param(n, marks=pytest.mark.slow) for n in (15, 19, 35))])
def world(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Yield a world with the variants of the properties."""
    with World.opened(request.param, tmp_path_factory.mktemp("world")) as world:
        counted_once = ("truth", "history", "items", "users", "segments", "intents", "events")
        world.add("doubled", {name: f"FROM base.{name} UNION ALL FROM base.{name}" for name in counted_once})
        world.add("doubled_rec", {"rec": "FROM base.rec UNION ALL FROM base.rec"})
        every = (*DRAWN, *DERIVED)
        world.add(
            "shuffled", {name: f"FROM base.{name} ORDER BY hash(COLUMNS(*)::VARCHAR)" for name in every}
        )
        world.add("renamed", {name: renamed(world, name, TEXTS, NEW) for name in every})
        for variant, collation in (("cased", ""), ("collated", " COLLATE NOACCENT.NOCASE")):
            ids = {column: text + collation for column, text in CASED.items()}
            world.add(variant, {name: renamed(world, name, ids, {}) for name in every})
        last = "(SELECT max(system) FROM base.rec)"
        worst = f"SELECT {ADDED!r}, userid, itemid + 1, -score FROM base.rec WHERE system = {last}"
        world.add("more", {"rec": f"FROM base.rec UNION ALL {worst}"})
        world.add("twice", {"rec": "SELECT * REPLACE (score * 2 AS score) FROM base.rec"})
        copies = f"FROM base.rec WHERE system = {last}"
        world.add("copied", {"rec": f"{copies} UNION ALL SELECT * REPLACE ({ADDED!r} AS system) {copies}"})
        yield world


def renamed(world: World, table: str, texts: Mapping[str, str], names: Mapping[str, str]) -> str:
    """Return a query for a table with other texts in columns, and other names of columns."""
    own = table in ("by_user", "compared")
    new = {} if own else {old: names[argument] for argument, old in OLD.items() if argument in names}
    columns = [name for name, *_ in world.con.execute(f"DESCRIBE base.{table}").fetchall()]
    parts = (
        f"{texts.get(name, '{0}').format(quoted(name))} AS {quoted(new.get(name, name))}" for name in columns
    )
    return f"SELECT {', '.join(parts)} FROM base.{table}"


def asked(world: World, entry: Entry, variant: str = "base", **more: Any) -> Rows:
    """Return the answer of an entry point over a variant."""
    way, name = entry
    if variant != "base" or more:
        return ask(world, way, name, CALLS[name] | more, variant)
    if entry not in world.answers:
        world.answers[entry] = ask(world, way, name, CALLS[name], variant)
    return world.answers[entry]


@sql_first
def test_a_row_that_stands_twice_counts_once(world: World, entry: Entry) -> None:
    """Repeat rows of truth, history, catalog, users, segments and events.

    The check counts wrong rows, and has a row for each. Split returns a row for each event.
    """
    rows, expected = asked(world, entry, "doubled"), asked(world, entry)
    if entry[1].startswith("check"):
        rows, expected = ([row for row in each if row["code"] not in OF_ROWS] for each in (rows, expected))
    if entry[1].startswith("split"):
        rows, expected = ([*{str(row): row for row in each}.values()] for each in (rows, expected))
    assert_equal(rows, expected, "file")


@pytest.mark.parametrize("entry", CONDENSED, ids=" ".join)
def test_a_row_of_rec_that_stands_twice_counts_once_in_condensed_lists(world: World, entry: Entry) -> None:
    """`n_rec` counts rows. The check and beyond-accuracy measures are of lists as they stand."""
    rows, expected = (asked(world, entry, name, unjudged="skip") for name in ("doubled_rec", "base"))
    assert_equal(rows, expected, "n_rec")


@entries
def test_names_are_only_names(world: World, entry: Entry) -> None:
    """Texts of the check name columns and ids; values of users and comparisons keep their columns."""
    new = {name: NEW[name] for name in options_of(*entry) if name in NEW}
    if entry[0] == "command":
        new |= {name: NEW[name] for name in ("category_col", "segment_col")}
    user = {"user": "u000103"} if "user" in CALLS[entry[1]] else {}
    back = {new: OLD[argument] for argument, new in NEW.items()}

    def old(name: str, cell: Any) -> Any:
        if name == "column_name":
            return back.get(cell, cell)
        if not cell or name not in ("userid", "itemid", "system", "baseline"):
            return cell
        return int(cell[1:]) - 100 if name in ("userid", "itemid") else cell[1:]

    rows = [
        {back.get(name, name): old(back.get(name, name), cell) for name, cell in row.items()}
        for row in asked(world, entry, "renamed", **new, **user)
    ]
    assert_equal(rows, asked(world, entry), "problem", "example", "file", "write")


@sql_first
def test_collations_change_no_row(world: World, entry: Entry) -> None:
    user = {"user": "u1a"} if "user" in CALLS[entry[1]] else {}
    expected = asked(world, entry, "cased", **user)
    assert_equal(asked(world, entry, "collated", **user), expected, "file")


@pytest.mark.parametrize("name", [name for way, name in ENTRIES if way == "SQL"])
def test_a_collation_of_all_texts_is_an_error_and_a_problem_of_the_check(world: World, name: str) -> None:
    rule = "default_collation must be binary (SET default_collation = 'binary'), got nocase"
    world.con.execute("SET default_collation = 'nocase'")
    try:
        if name == "check":
            assert rule in {row["example"] for row in ask(world, "SQL", name, CALLS[name], "base")}
        elif name != "check_rows":  # whose rows are of what the check says
            with pytest.raises(duckdb.InvalidInputException, match=re.escape(rule)):
                ask(world, "SQL", name, CALLS[name], "base")
    finally:
        world.con.execute("RESET default_collation")


@sql_first
def test_order_of_rows_threads_and_settings_change_no_bit(world: World, entry: Entry) -> None:
    expected = canonical(asked(world, entry), "file")
    try:
        world.con.execute(";".join(f"SET {name} = {value}" for name, value in SETTINGS.items()))
        assert canonical(asked(world, entry, "shuffled"), "file") == expected
    finally:
        world.con.execute(";".join(f"RESET {name}" for name in SETTINGS))


@sql_first
def test_a_system_is_measured_alone(world: World, entry: Entry) -> None:
    """Compare without a correction, which is of all systems. A fusion is of all that have a weight."""
    systems = [name for (name,) in world.con.execute("SELECT DISTINCT system FROM base.rec").fetchall()]
    weights = {"weights": dict.fromkeys(systems, 1) | {ADDED: 0}} if entry[1].startswith("fuse") else {}
    rows = asked(world, entry, "more", **weights)
    others = [row for row in rows if ADDED not in (row.get("system"), row.get("baseline"))]
    assert len(others) < len(rows) or weights or entry[1].startswith("split")
    assert_equal(others, asked(world, entry), "file")


@sql_first
def test_scores_are_compared_not_added(world: World, entry: Entry) -> None:
    """Columns of scores have twice the score; fusion normalizes them, unless `normalize := 'none'`."""
    columns = () if entry[1].startswith("fuse") else ("score", "threshold")
    expected = [
        row | {name: float(row[name]) * 2 for name in columns if row.get(name) not in (None, "")}
        for row in asked(world, entry)
    ]
    assert_equal(asked(world, entry, "twice"), expected, "file")


@pytest.mark.parametrize(
    "entry", [entry for entry in ENTRIES if entry[1].startswith("compare")], ids=" ".join
)
def test_a_system_does_not_differ_from_itself(world: World, entry: Entry) -> None:
    rows = asked(world, entry, "copied", margin=None)
    assert rows
    assert {(float(row["difference"]), row["verdict"]) for row in rows} == {(0, "unclear")}


@pytest.mark.parametrize(
    "entry", [entry for entry in ENTRIES if entry[1].startswith("overlap")], ids=" ".join
)
def test_a_list_overlaps_with_itself_wholly(world: World, entry: Entry) -> None:
    rows = asked(world, entry, "copied")
    assert rows
    assert {float(row[name]) for row in rows for name in ("overlap", "jaccard", "rbo", "same_list")} == {1}
