"""Names of tables, CTEs and columns: any that the SQL of a function has, and those that a table lacks."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from ranking_udfs.compose.columns import LIKE
from tests.conftest import refusal, rows
from tests.entries import CALLS, DRAWN, ENTRIES, TABLES, Rows, World, ask, assert_equal, call, names_in

pytestmark = pytest.mark.slow

FUNCTIONS = [name for way, name in ENTRIES if way == "SQL"]
CTES = sorted(set().union(*map(names_in, FUNCTIONS)))
COLUMNS = sorted(set().union(*(names_in(function, r"\bAS (\w+)") for function in FUNCTIONS)))
ANOTHER = "SELECT 7 AS userid, 7 AS itemid, 7 AS score, 7 AS rel"
# Columns that are read or written under these names, and those that are refused if they are not read.
READ = "userid itemid score rel system time category intent segment rank fold part dropped".split()  # noqa: SIM905
REFUSED = re.compile("|".join([*READ, "ranking_.*", *LIKE.values()]))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Yield a world with answers, and then with another table of each name, and wide tables."""
    with World.opened(32, tmp_path_factory.mktemp("names")) as world:
        for function in FUNCTIONS:
            world.answers["SQL", function] = ask(world, "SQL", function, CALLS[function], "base")
        for name in CTES:
            world.con.execute(f'CREATE TABLE "{name}" AS {ANOTHER}')
        names = (name for name in COLUMNS if not REFUSED.fullmatch(name))
        more = ", ".join(f"'x' AS \"{name}\"" for name in names)
        wide = {name: f"SELECT *, {more} FROM base.{name}" for name in (*DRAWN, "intents", "events")}
        world.add("wide", wide | {name: f"FROM base.{name}" for name in ("by_user", "compared", "segments")})
        yield world


def arguments_of(function: str) -> dict[str, Any]:
    """Return the arguments of a call over the tables of the schema `base`."""
    return {
        name: f"base.{value}" if name in TABLES and isinstance(value, str) else value
        for name, value in CALLS[function].items()
    }


def check(world: World, function: str, found: Rows) -> None:
    expected = world.answers["SQL", function]
    assert_equal([{name: row[name] for name in expected[0]} for row in found], expected)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_tables_may_have_the_names_of_ctes(world: World, function: str) -> None:
    """Pass as many tables at once as the function takes, as tables and as CTEs of the caller."""
    given = arguments_of(function)
    roles = [name for name, value in given.items() if str(value).startswith("base.")]
    names = sorted(names_in(function))
    for start in range(0, len(names), len(roles)):
        sources = dict(zip(roles, names[start:], strict=False))
        query = call(function, given | sources)
        ctes = ", ".join(f'"{name}" AS (FROM {given[role]})' for role, name in sources.items())
        check(world, function, rows(world.con, f"WITH {ctes} {query}"))
        for role, name in sources.items():
            world.con.execute(f'CREATE TEMP TABLE "{name}" AS FROM {given[role]}')
        check(world, function, rows(world.con, query))
        for name in sources.values():
            world.con.execute(f'DROP TABLE temp."{name}"')


@pytest.mark.parametrize("function", FUNCTIONS)
def test_other_tables_ctes_and_columns_may_have_every_name(world: World, function: str) -> None:
    check(world, function, ask(world, "SQL", function, CALLS[function], "base"))
    check(world, function, ask(world, "SQL", function, CALLS[function], "wide"))
    ctes = ", ".join(f'"{name}" AS ({ANOTHER})' for name in CTES)
    query = call(function, arguments_of(function))
    check(world, function, rows(world.con, f"WITH {ctes} {query}"))


# The columns that each table must have, those of some functions after a colon.
NEEDED = {
    "rec": "userid itemid score fuse:system",
    "truth": "userid itemid intents_by_user:intent",
    "users": "userid",
    "history": "userid itemid",
    "items": "itemid beyond_accuracy:category beyond_accuracy_by_user:category",
    "events": "userid itemid time",
}


@pytest.mark.parametrize("function", [name for name in FUNCTIONS if " " not in name and "check" not in name])
def test_an_error_names_the_column_that_a_table_lacks(world: World, function: str) -> None:
    given = arguments_of(function)
    for role in NEEDED.keys() & given.keys():
        for column in NEEDED[role].split():
            of, _, name = column.rpartition(":")
            if of in ("", function):
                lacking = f"SELECT * RENAME ({name} AS another) FROM {given[role]}"
                world.con.execute(f"CREATE OR REPLACE TEMP VIEW lacking AS {lacking}")
                error = refusal(world.con, call(function, given | {role: "lacking"}))
                assert re.match(rf"ranking\.{function}: {role} must have a column {name}\b", error), error
