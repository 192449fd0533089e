"""The composed SQL of ranking.fuse."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle, product

import duckdb
import pytest

from ranking_udfs.compose.arguments import TEXTS, Given
from ranking_udfs.compose.call import Types
from ranking_udfs.compose.functions import compose
from ranking_udfs.compose.fusing import FuseCall
from ranking_udfs.evaluation.queries import row_columns
from ranking_udfs.macros import portable
from tests.conftest import Con, module_connection, refusal, rows

# Three systems, one of a name with a quote, and lists that repeat an item, hold NULLs, and tie.
TABLES = """
    CREATE TABLE rec (system VARCHAR, userid INTEGER, itemid INTEGER, score DOUBLE);
    INSERT INTO rec VALUES
        ('a', 1, 1, 9), ('a', 1, 2, 5), ('a', 1, 1, 4), ('a', 1, 3, 1), ('a', 2, NULL, 3), ('a', 2, 7, 3),
        ('a', 3, 1, 'NaN'), ('b', 1, 2, 9), ('b', 1, 1, 5), ('b', 2, 7, 2), ('b', 2, 4, 2), ('b', 4, 2, 6),
        ('b', NULL, 2, 6), ('it''s', 1, 2, 0.1), ('it''s', 1, 5, 0.7), ('it''s', 4, 9, -0.0);
    CREATE TABLE digits AS SELECT * REPLACE ((coalesce(score, 0) * 7)::BIGINT AS score) FROM rec
        WHERE NOT coalesce(isnan(score), false);
"""
WEIGHTS = "MAP {'a': 2, 'it''s': 0.3, 'b': 1e-7}"
METHODS = ["'rrf'", "'borda'", "'combsum'", "'combmnz'"]
NORMALIZED = ["'min_max'", "'z_score'", "'sum'", "'none'"]
# Each method with each way to normalize, and others in turn.
OTHERS: list[dict[str, str]] = [
    {},
    {"weights": WEIGHTS, "depth": "2"},
    {"systems": "['it''s', 'a']", "rrf_k": "0.1"},
    {"weights": "{'a': 0, 'b': 0.5, 'it''s': 3}", "systems": "['it''s', 'b']", "rrf_k": "0.1::FLOAT"},
    {"descending": "false"},
]
CALLS = [
    {"method": method, "normalize": how, **others}
    for (method, how), others in zip(product(METHODS, NORMALIZED), cycle(OTHERS), strict=False)
]
tables = module_connection(TABLES)


@pytest.fixture(scope="module")
def editions(tables: Con) -> Iterator[list[Con]]:
    """A connection with the pack, and one with the script instead."""
    with duckdb.connect() as script:
        yield [tables, script.execute(portable.script()).execute(TABLES)]


def written(rec: str = "rec", **options: str) -> str:
    """The call as SQL writes it."""
    return f"FROM ranking.fuse('{rec}'{''.join(f', {name} := {one}' for name, one in options.items())})"


def known(con: Con, rec: str = "rec", **options: str) -> str:
    """The text of the call where the types of columns are known."""
    given = {"rec": Given("VARCHAR", rec)}
    for name, value in options.items():
        text = TEXTS.get(name, "{sql}::VARCHAR").format(sql=name)
        (found,) = con.execute(f"SELECT typeof({name}), {text} FROM (SELECT {value} AS {name})").fetchall()
        given[name] = Given(*found)
    call = FuseCall.parse("fuse", given)
    return compose(replace(call, types=Types(rec=row_columns(con, rec))))


@pytest.mark.parametrize("rec", ["rec", "digits"])
def test_all_editions_give_the_same_rows(editions: list[Con], rec: str) -> None:
    for options in CALLS:
        queries = [(editions[0], known(editions[0], rec, **options))]
        queries += [(con, written(rec, **options)) for con in editions]
        found = [rows(con, f"FROM ({query}) ORDER BY ALL") for con, query in queries]
        assert repr(found[0]) == repr(found[1]) == repr(found[2]), options
        assert found[0], options


def test_text_has_what_its_method_needs_alone(tables: Con) -> None:
    for options in CALLS:
        text = known(tables, **options)
        assert not re.search(r"\{[{%#]|typeof|COLUMNS|cast_to_type|_ranking\.main", text), options
        assert ("list_min(numbers)" in text) == ("comb" in options["method"]), options
        assert ("chosen" in text) == bool({"weights", "systems"} & options.keys()), options


def test_integer_division_changes_no_bit(con: Con) -> None:
    con.execute(TABLES)
    texts = [known(con, **options) for options in CALLS]
    found = []
    for divides in ("false", "true"):
        con.execute(f"SET integer_division = {divides}")
        found.append([repr(rows(con, f"FROM ({text}) ORDER BY ALL")) for text in texts])
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("rec", "options", "error"),
    [
        ("rec", {"method": "'x'", "depth": "0"}, "method must be rrf|combsum|combmnz|borda, got 'x'"),
        ("rec", {"systems": "3"}, "systems must be a list of names, such as ['bm25', 'vector'], got 3"),
        (
            "rec",
            {"weights": "MAP {}"},
            "weights must be a MAP of numbers >= 0, such as MAP {'bm25': 1, 'vector': 2}, ",
        ),
        ("rec", {"system_col": "''"}, "system_col must name the column of the systems to fuse, got ''"),
        ("_ranking_rec", {}, "rec must be a table of another name, got _ranking_rec"),
    ],
)
def test_errors_of_arguments_are_raised_while_a_query_is_planned(
    editions: list[Con], rec: str, options: dict[str, str], error: str
) -> None:
    for con in editions:
        for query in (written(rec, **options), f"EXPLAIN {written(rec, **options)}"):
            assert refusal(con, query).startswith(f"ranking.fuse: {error}"), query


@pytest.mark.parametrize(
    ("select", "error"),
    [
        ("* RENAME (system AS model)", "rec must have a column system (system_col), got"),
        ("* FROM rec WHERE false", "systems must name systems of rec (), got a"),
        ("* REPLACE (upper(system) AS system)", "systems must name systems of rec (A, B, IT'S), got a"),
    ],
)
def test_errors_of_tables_are_the_same_in_all_editions(editions: list[Con], select: str, error: str) -> None:
    given = f"SELECT {select}" + " FROM rec" * (" FROM " not in select)
    for con in editions:
        con.execute(f"CREATE OR REPLACE TABLE wrong AS {given}")
    queries = [(editions[0], known(editions[0], "wrong", systems="['a']"))]
    queries += [(con, written("wrong", systems="['a']")) for con in editions]
    for con, query in queries:
        assert refusal(con, query).startswith(f"ranking.fuse: {error}"), query
