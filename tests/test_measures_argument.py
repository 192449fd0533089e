"""The argument `measures` of the table functions: the grammar, in SQL, with options and cut-offs."""

import re
from collections.abc import Iterator
from itertools import cycle
from typing import Any

import duckdb
import pytest

from ranking_udfs.measures.grammar import parse_measures
from ranking_udfs.measures.registry import MEASURES, Number
from ranking_udfs.quoting import literal
from tests.conftest import file_text, module_connection

FUNCTIONS = ("ranking.by_user", "ranking.evaluate", "ranking.distribution", "ranking.compare")


con = module_connection(file_text("tables/measures_argument.sql"))


def some_options() -> Iterator[str]:
    """Each option of each measure with each word, or with a number in one of its forms, and what it needs."""
    forms = cycle(("5.", ".25", "+3.5e0", "1E1"))
    for measure in MEASURES.values():
        for name, rule in measure.options.items():
            needed = f",{'='.join(rule.only_with)}" if isinstance(rule, Number) and rule.only_with else ""
            least = 3 if name == "max_grade" else 0  # the highest grade
            fitting = (text for text in forms if rule.parse(text) is not None and float(text) > least)
            for one in [next(fitting)] if isinstance(rule, Number) else str(rule).split("|"):
                if (name, one) != ("ideal", "k"):  # which wants grades of 1
                    yield f"{measure.name}({name}={one}{needed})"


def fetch(con: duckdb.DuckDBPyConnection, query: str) -> list[Any]:
    return con.execute(f"SELECT * FROM ({query}) ORDER BY ALL").fetchall()


def test_values_are_those_of_the_macros_over_judged_rankings(con: duckdb.DuckDBPyConnection) -> None:
    """With a min_grade of 3, above those of the measures, which go first."""
    texts = [*some_options(), *(name for name in MEASURES if name != "err"), "err"]
    choices = {choice.name: choice for text in texts for choice in parse_measures(text)}
    assert len(choices) > 70
    calls = []
    for choice in choices.values():
        takes = "min_grade" in choice.measure.options and "min_grade" not in choice.given
        takes = takes and choice.given.get("gain") != "graded"
        lowest = ", min_grade := 3" if takes else ""
        given = "".join(f", {name} := {choice.options[name]!r}" for name in choice.given)
        calls.append(f'ranking.{choice.measure.name}(judged, k{given}{lowest}) AS "{choice.name}"')
    expected = fetch(
        con,
        f"""SELECT system, userid, k, n_rec, n_truth, {", ".join(calls)}
        FROM ranking.judged('rec', 'truth', NULL, min_grade := 3),
            (SELECT unnest([0, 3, NULL]) AS k)""",
    )
    call = f"ranking.by_user('rec', 'truth', [0, 3, NULL], measures := {[*choices]}, min_grade := 3)"
    found = fetch(con, f"FROM {call}")
    assert [row[:5] for row in found] == [row[:5] for row in expected]
    for row, one in zip(found, expected, strict=True):  # of SQL, and of the functions
        assert row[5:] == pytest.approx(one[5:], abs=1e-12, nan_ok=False), row[:3]
    assert con.sql(f"FROM {call}").columns[5:] == [*choices]


def test_a_comparison_is_that_of_the_values_by_user(con: duckdb.DuckDBPyConnection) -> None:
    names = ["ndcg(gain=linear)", "recall(normalize=min)", "rbp(min_grade=3)", "mrr"]
    measures = f"measures := {[f'{names[0]}@3', *names[1:3], 'mrr@4']}"
    call = f"'rec', 'truth', [3, 5], {measures}, ties := 'expected', min_grade := 2, unjudged := 'skip'"
    con.execute(f"CREATE OR REPLACE TABLE by_user AS FROM ranking.by_user({call})")
    expected = f"""SELECT * FROM ranking.compare_by_user('by_user', measures := {names}, margin := 0.1)
        WHERE CASE measure WHEN '{names[0]}' THEN k = 3 WHEN 'mrr' THEN k = 4 ELSE k IN (3, 5) END"""
    found = fetch(con, f"FROM ranking.compare({call}, margin := 0.1)")
    assert found == fetch(con, expected)
    assert len(found) == 6


def test_every_measure_that_says_which_system_is_better_is_compared(con: duckdb.DuckDBPyConnection) -> None:
    every = [name for name, one in MEASURES.items() if one.column and one.higher_is_better is not None]
    con.execute("CREATE OR REPLACE TABLE by_user AS FROM ranking.by_user('rec', 'truth', [5])")
    found = fetch(con, f"FROM ranking.compare('rec', 'truth', [5], measures := {every})")
    assert found == fetch(con, f"FROM ranking.compare_by_user('by_user', measures := {every})")
    assert len(found) == len(every)


def test_all_columns_are_there_where_none_are_named(con: duckdb.DuckDBPyConnection) -> None:
    for ties, names in (
        ("item", [one.name for one in MEASURES.values() if one.column]),
        ("expected", [one.name for one in MEASURES.values() if one.expected]),
    ):
        found = con.sql(f"FROM ranking.by_user('rec', 'truth', [3], ties := '{ties}')").columns
        assert found[5:] == names


WRONG_TEXTS = [
    *("ndgc", "", " ", "recal@5", "ndcg(", "ndcg)", "ndcg(gain=linear)x", "ndcg(gain", "ndcg((gain=linear))"),
    *("ndcg(gain)", "ndcg(gai=linear)", "ndcg(gain=lin)", "ndcg(gain=linear,gain=exp)", "ndcg(base=3)"),
    *("ndcg(discount=original,base=1)", "f_measure(beta=-1)", "f_measure(beta=1e999)", "hits(x=1)"),
    *("recall(min_grade=0)", "rbp(persistence=1)", "rbp(gain=graded,min_grade=2)", "err(max_grade=1001)"),
    *("recall@", "recall@x", "recall@-1", "recall@1.5", "recall@5,", "recall,,mrr", "recall(normalize=min=)"),
    *("novelty_", "mae", "recall;mrr", "recall mrr", "r\u0435call", "\uff4edcg", "rec\u200ball"),
]


def test_a_wrong_text_is_wrong_for_the_command_and_in_sql(con: duckdb.DuckDBPyConnection) -> None:
    """Alone or in a list, for one of the functions, in turns: all read it by the same grammar."""
    for text, form, function in zip(WRONG_TEXTS, cycle(("{}", "[{}]")), cycle(FUNCTIONS), strict=False):
        with pytest.raises(ValueError, match=r".") as raised:
            parse_measures(text)
        rule = str(raised.value).partition(", got ")[0].partition(" (")[0]
        call = f"{function}('rec', 'truth', [5], measures := {form.format(literal(text))})"
        with pytest.raises(duckdb.InvalidInputException) as error:
            con.execute(f"PREPARE wrong AS FROM {call}")
        said = str(error.value)
        assert said.startswith(f"Invalid Input Error: {function}: "), text
        assert rule in said or "one or more names" in said, text
        assert "ranking.functions()" in said or "did you mean" not in said, text


HOSTILE = [
    *("ndcg') --", "ndcg'; DROP TABLE rec; --", 'ndcg" FROM rec --', "ndcg/* */", "[recall]"),
    *("ndcg(gain=linear'); DROP TABLE rec)", "ndcg(min_grade=1; DROP TABLE rec)"),
    *("recall(min_grade=1)@1); DROP TABLE rec --", "recall(min_grade=(SELECT 1))"),
    *("recall(min_grade=1e1'||'x)", "recall(normalize=min' || (SELECT 1) || ')", "@_ranking_home()"),
    *("ndcg(gain=',value_place:7,x:')", "recall@5;SELECT 1", "recall@5\n, ndcg'"),
    "recall(min_grade=\u0661)",
]


def test_no_text_of_a_user_becomes_sql(con: duckdb.DuckDBPyConnection) -> None:
    forms = cycle(
        [("{}", "ranking.by_user", "ties := 'expected'"), ("[{}]", "ranking.compare", "min_grade := 2")]
    )
    for text, (form, function, option) in zip(HOSTILE, forms, strict=False):
        measures = form.format(literal(text))
        with pytest.raises(duckdb.InvalidInputException, match=f"^Invalid Input Error: {function}: "):
            con.execute(f"FROM {function}('rec', 'truth', [5], measures := {measures}, {option})")
        given = "['rec', 'VARCHAR', 'rec'], ['truth', 'VARCHAR', 'truth'], ['ks', 'INTEGER[]', '[5]']"
        asked = f"['measures', typeof({measures}), to_json({measures})::VARCHAR]"
        call = f"system.main._ranking_compose('ranking.by_user', {given}, {asked})"
        ((composed,),) = con.execute(f"SELECT {call}").fetchall()
        assert re.fullmatch(r"FROM query_table\(error\('([^']|'')*'\)\)", composed)
    assert con.execute("SELECT count(*) > 0 FROM rec").fetchall() == [(True,)]


# KB of 1,000 characters that `EXPLAIN (SQL)` prints without the optimizer: what DuckDB binds.
BOUND = [
    ("ranking.judged('rec', 'truth', 10)", 150),
    ("ranking.evaluate('rec', 'truth', [10])", 500),
    ("ranking.evaluate('rec', 'truth', [10], measures := ['recall', 'ndcg'])", 250),
    ("ranking.compare('rec', 'truth', [10], measures := ['ndcg'])", 600),
    ("ranking.beyond_accuracy('rec', [10], history := 'truth')", 600),
    ("ranking.explain('rec', 'truth', 7)", 302),
    ("ranking.check('rec', 'truth', ks := [10])", 800),
]


@pytest.mark.parametrize(("call", "limit"), BOUND)
def test_no_more_is_planned_than_is_asked_for(con: duckdb.DuckDBPyConnection, call: str, limit: int) -> None:
    con.execute("PRAGMA disable_optimizer")
    try:
        ((*_, text),) = con.execute(f"EXPLAIN (SQL) FROM {call}").fetchall()
    finally:
        con.execute("PRAGMA enable_optimizer")
    assert len(text) <= limit * 1000
