"""Tables, CTEs and columns of the user may have the names that the SQL of a table function has."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from ranking_udfs.compose.columns import LIKE
from tests.conftest import rows
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


def check(world: World, function: str, found: Rows) -> None:
    expected = world.answers["SQL", function]
    assert_equal([{name: row[name] for name in expected[0]} for row in found], expected)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_tables_may_have_the_names_of_ctes(world: World, function: str) -> None:
    """Pass as many tables at once as the function takes, as tables and as CTEs of the caller."""
    given: dict[str, Any] = {
        name: f"base.{value}" if name in TABLES and isinstance(value, str) else value
        for name, value in CALLS[function].items()
    }
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
    given = {
        name: f"base.{value}" if name in TABLES and isinstance(value, str) else value
        for name, value in CALLS[function].items()
    }
    ctes = ", ".join(f'"{name}" AS ({ANOTHER})' for name in CTES)
    check(world, function, rows(world.con, f"WITH {ctes} {call(function, given)}"))
