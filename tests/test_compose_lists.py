"""The composed SQL of table functions of lists: overlap, items, abstention, and what is in the lists."""

import re
from collections.abc import Iterator
from itertools import cycle, product
from typing import Any

import duckdb
import pytest

from ranking_udfs.compose.arguments import OWN_NAMES, Given, parse_fields
from ranking_udfs.compose.call import Types
from ranking_udfs.compose.functions import CALLS, compose
from ranking_udfs.compose.lists import RecCall
from ranking_udfs.evaluation.queries import row_columns
from ranking_udfs.macros import portable
from ranking_udfs.measures.contents import BY_USER, OF_ALL_LISTS
from tests.conftest import Con, literal, module_connection, refusal, rows

# Two systems, whose lists repeat an item, hold NULLs, and tie. Item 9 is in no list, 7 in no history.
TABLES = """
    CREATE TABLE rec (system VARCHAR, userid INTEGER, itemid INTEGER, score DOUBLE);
    INSERT INTO rec VALUES
        ('a', 1, 1, 9), ('a', 1, 2, 5), ('a', 1, 1, 4), ('a', 1, 3, 1), ('a', 2, NULL, 3), ('a', 2, 7, 3),
        ('a', 3, 1, 'NaN'), ('b', 1, 2, 9), ('b', 1, 1, 5), ('b', 2, 7, 2), ('b', 2, 4, 2), ('b', 4, 2, 6),
        ('b', NULL, 2, 6);
    CREATE TABLE truth (userid INTEGER, itemid INTEGER, rel INTEGER);
    INSERT INTO truth VALUES (1, 1, 1), (1, 3, 3), (2, 7, 2), (2, 9, 1), (3, 5, 0), (5, NULL, 1);
    CREATE TABLE everyone AS SELECT unnest([1, 2, 3, 4, 6]) AS userid;
    CREATE TABLE history (userid INTEGER, itemid INTEGER);
    INSERT INTO history VALUES (1, 2), (1, 4), (2, 2), (3, 2), (3, 1), (8, 4), (8, 4), (NULL, 1);
    CREATE TABLE items (itemid INTEGER, category VARCHAR);
    INSERT INTO items VALUES
        (1, 'x'), (1, 'y'), (2, 'x'), (3, NULL), (4, 'z'), (7, 'y'), (9, 'z'), (NULL, 'x')
"""
BOTH = {"history": "history", "items": "items"}
# By function, choices of options, of which all together are asked.
OPTIONS: dict[str, dict[str, list[Any]]] = {
    "overlap": {"ks": [[1, 3], [100, None]], "baseline": [None, "b"], "persistence": [1.0]},
    "overlap_by_user": {"ks": [[0, 2, 60]], "descending": [True, False]},
    "by_item": {
        "ks": [[0, 1, 3], [100, None]],
        "min_grade": [None, 2.0],
        "without_relevant": ["zero", "skip"],
    },
    "abstention": {
        "users": [None, "everyone"],
        "confidence": [0.95, 0.5],
        "descending": [True, False],
    },
    "beyond_accuracy": {
        "ks": [[1, 3], [100, None]],
        "history": [None, "history"],
        "items": [None, "items"],
        "head": [0.3],
        "divergence": ["kl"],
    },
    "beyond_accuracy_by_user": {
        "ks": [[2, None]],
        "history": [None, "history"],
        "items": [None, "items"],
    },
}
USUAL = {"persistence": 0.9, "confidence": 0.95, "head": 0.8, "divergence": "js"}
tables = module_connection(TABLES)


def calls(function: str) -> Iterator[dict[str, Any]]:
    choices = OPTIONS[function]
    for values in product(*choices.values()):
        yield dict(zip(choices, values, strict=True))


def written(function: str, **options: Any) -> str:
    """The call as SQL writes it."""
    named = "".join(f", {name} := {literal(value)}" for name, value in options.items() if value is not None)
    read = "'rec'" if issubclass(CALLS[function], RecCall) else "'rec', 'truth'"
    return f"FROM ranking.{function}({read}{named})"


def known(con: Con, function: str, **options: Any) -> str:
    """The text of the call as Python composes it, where it knows the types of columns."""
    kind = CALLS[function]
    named = {"rec": "rec"} if issubclass(kind, RecCall) else {"rec": "rec", "truth": "truth"}
    named |= {name: options[name] for name in ("users", *BOTH) if options.get(name)}
    types = Types(**{name: row_columns(con, table) for name, table in named.items()})
    numbers = {
        name: value for name, value in (USUAL | options).items() if name in USUAL and name in kind.parsers
    }
    parsed = parse_fields(
        kind.parsers,
        {
            name: Given("VARCHAR" if name == "divergence" else "DOUBLE", str(one))
            for name, one in numbers.items()
        },
    )
    others = {
        name: value for name, value in options.items() if name not in (*named, *numbers) and value is not None
    }
    return compose(kind(function, **named, types=types, **parsed, **others))


@pytest.fixture(scope="module")
def editions(tables: Con) -> Iterator[list[Con]]:
    """A connection with the pack, and one with the script instead."""
    with duckdb.connect() as script:
        yield [tables, script.execute(portable.script()).execute(TABLES)]


def rounded(row: dict[str, Any]) -> dict[str, Any]:
    return {name: round(one, 11) if isinstance(one, float) else one for name, one in row.items()}


@pytest.mark.parametrize("function", OPTIONS)
def test_all_editions_give_the_same_rows(editions: list[Con], function: str) -> None:
    for options in calls(function):
        queries = [(editions[0], known(editions[0], function, **options))]
        queries += [(con, written(function, **options)) for con in editions]
        found = [rows(con, f"FROM ({query}) ORDER BY ALL") for con, query in queries]
        assert found[0] == found[1], options
        if function == "abstention":  # Student's t is Arrow's there and SQL's in the script
            found = [list(map(rounded, one)) for one in found]
        assert found[1] == found[2], options
        assert found[0], options
        assert [*found[0][0]] == [*found[1][0]] == [*found[2][0]], options


@pytest.mark.parametrize("function", OPTIONS)
def test_text_with_known_types_has_no_tricks(tables: Con, function: str) -> None:
    """No test of types, and no list of one in place of a column, but those that sort long lists."""
    for options in calls(function):
        text = known(tables, function, **options)
        assert not re.search(r"\{[{%#]|typeof|COLUMNS|cast_to_type", text), options
        lists_of_one = re.findall(r"list_transform\(\s*\[(.*)", text)
        assert {line[: line.index("(")] for line in lists_of_one} <= {"list_sort", "list_intersect"}, options


@pytest.mark.parametrize("function", OPTIONS)
def test_integer_division_changes_no_bit(con: Con, function: str) -> None:
    con.execute(TABLES)
    texts = [known(con, function, **options) for options in calls(function)]
    found = []
    for divides in ("false", "true"):
        con.execute(f"SET integer_division = {divides}")
        found.append([rows(con, f"FROM ({text}) ORDER BY ALL") for text in texts])
    assert found[0] == found[1]


@pytest.mark.parametrize("given", [{}, {"history": "history"}, {"items": "items"}, BOTH])
def test_columns_are_those_of_the_registry_for_the_tables_given(tables: Con, given: dict[str, str]) -> None:
    def named(measures: Any) -> list[str]:
        return [
            one.name
            for one in measures
            if all({*table.split(" or ")} & given.keys() for table in one.arguments[1:])
        ]

    (row, *_) = rows(tables, written("beyond_accuracy_by_user", ks=[2], **given))
    assert [*row] == ["system", "userid", "n_rec", "k", "n_items", *named(BY_USER)]
    (row, *_) = rows(tables, written("beyond_accuracy", ks=[2], **given))
    counts = ["users", *["users_without_history"] * ("history" in given)]
    assert [*row] == ["system", "k", *counts, *named((*BY_USER, *OF_ALL_LISTS))]


@pytest.mark.parametrize(
    ("function", "options"),
    [("beyond_accuracy", {"ks": [2, 60], **BOTH}), ("overlap", {"ks": [2, 60]})],
)
def test_tables_named_as_ctes_of_the_text(con: Con, function: str, options: dict[str, Any]) -> None:
    con.execute(TABLES)
    ctes = {
        *re.findall(r"(\w+) AS (?:NOT )?(?:MATERIALIZED )?\(", known(con, function, **options))
    } - OWN_NAMES
    assert {"lists", "pairs"} <= ctes
    expected = rows(con, written(function, **options))
    tables = {"rec": "rec"} | {name: name for name in BOTH if name in options}
    for name, table in zip(sorted(ctes), cycle(tables), strict=False):
        con.execute(f"CREATE OR REPLACE TABLE {name} AS FROM {table}")
        query = written(function, **options).replace(f"'{table}'", f"'{name}'")
        assert rows(con, query) == expected, query


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ("ranking.overlap('_ranking_rec', [1])", "rec must be a table of another name, got _ranking_rec"),
        (
            "ranking.beyond_accuracy('rec', [1], '_ranking_history')",
            "history must be a table of another name",
        ),
        (
            "ranking.beyond_accuracy('rec', [1], items := '_ranking_items')",
            "items must be a table of another name",
        ),
        (
            "ranking.overlap('rec', [1], system_col := 'ranking_system')",
            "system_col must be a column of another name",
        ),
        ("ranking.by_item('rec', 'truth', NULL)", "ks must be a list of one or more k, got NULL"),
        ("ranking.overlap('rec', [1], persistence := 2)", "persistence must be a number > 0 and <= 1, got 2"),
        (
            "ranking.abstention('rec', 'truth', confidence := 1)",
            "confidence must be a number above 0 and below 1",
        ),
    ],
)
def test_errors_of_arguments_are_raised_while_a_query_is_planned(
    editions: list[Con], call: str, error: str
) -> None:
    for con in editions:
        for query in (f"FROM {call}", f"SELECT count(*) FROM {call}", f"EXPLAIN FROM {call}"):
            assert refusal(con, query).startswith(f"{call[: call.index('(')]}: {error}"), query


@pytest.mark.parametrize(
    ("function", "renamed", "error"),
    [
        ("overlap", {"rec": "itemid AS sku"}, "rec must have a column itemid (item_col), got"),
        (
            "beyond_accuracy",
            {"history": "userid AS u"},
            "history must have a column userid (user_col), got",
        ),
        (
            "beyond_accuracy",
            {"items": "category AS genre"},
            "items must have a column category (category_col)",
        ),
        ("by_item", {"truth": "itemid AS sku"}, "truth must have a column itemid (item_col), got"),
    ],
)
def test_errors_of_columns_are_the_same_with_types_and_without(
    con: Con, function: str, renamed: dict[str, str], error: str
) -> None:
    con.execute(TABLES)
    for table, change in renamed.items():
        con.execute(f"CREATE OR REPLACE TABLE {table} AS SELECT * RENAME ({change}) FROM {table}")
    options = {"ks": [1]} | (BOTH if function == "beyond_accuracy" else {})
    found = {refusal(con, query) for query in (known(con, function, **options), written(function, **options))}
    assert len(found) == 1
    assert found.pop().startswith(f"ranking.{function}: {error}")


@pytest.mark.parametrize(("one", "other"), [("BIGINT", "TINYINT"), ("UUID", "VARCHAR"), ("VARCHAR", "UUID")])
def test_ids_of_two_types_that_may_meet(con: Con, one: str, other: str) -> None:
    con.execute(TABLES)
    options = {"ks": [2, None], **BOTH}
    wholes = rows(con, written("beyond_accuracy", **options))
    items = rows(con, written("by_item", ks=[2, None]))
    value = "{}" if "INT" in one else "'00000000-0000-0000-0000-00000000000' || {}"
    for table, kind in (("rec", one), ("truth", other), ("history", other), ("items", other)):
        names = ["itemid"] + ["userid"] * (table != "items")
        ids = ", ".join(f"({value.format(name)})::{kind} AS {name}" for name in names)
        con.execute(f"CREATE OR REPLACE TABLE {table} AS SELECT * REPLACE ({ids}) FROM {table}")
    for query in (
        written("beyond_accuracy", **options),
        known(con, "beyond_accuracy", **options),
    ):
        assert rows(con, query) == wholes
    for query in (written("by_item", ks=[2, None]), known(con, "by_item", ks=[2, None])):
        assert [{**row, "itemid": int(str(row["itemid"])[-1])} for row in rows(con, query)] == items
