"""The argument `measures` of the table functions in SQL; the fuzzer compares options with definitions."""

import re
from itertools import cycle
from typing import Any

import duckdb
import pytest

from ranking_udfs.measures.grammar import parse_measures
from ranking_udfs.measures.registry import MEASURES
from ranking_udfs.quoting import literal
from tests.conftest import Con, module_connection

# Two systems and grades from 0 to 3, by hashes.
con = module_connection("""
    CREATE TABLE rec AS
    SELECT system, userid, itemid, hash(system, userid, itemid) % 7 AS score
    FROM (VALUES ('a'), ('b')) AS systems(system), range(9) AS users(userid), range(12) AS items(itemid)
    WHERE hash(itemid, userid, system) % 4 > 0;
    CREATE TABLE truth AS
    SELECT userid, itemid, hash(userid, itemid) % 4 AS rel
    FROM range(10) AS users(userid), range(14) AS items(itemid) WHERE hash(userid + 7, itemid) % 3 > 0""")


def fetch(con: Con, query: str) -> list[Any]:
    return con.execute(f"SELECT * FROM ({query}) ORDER BY ALL").fetchall()


def test_compare_equals_compare_by_user(con: Con) -> None:
    names = ["ndcg(gain=linear)", "recall(normalize=min)", "rbp(min_grade=3)", "mrr"]
    measures = f"measures := {[f'{names[0]}@3', *names[1:3], 'mrr@4']}"
    call = f"'rec', 'truth', ks := [3, 5], {measures}, ties := 'expected', min_grade := 2, unjudged := 'skip'"
    con.execute(f"CREATE OR REPLACE TABLE by_user AS FROM ranking.by_user({call})")
    expected = f"""SELECT * FROM ranking.compare_by_user('by_user', measures := {names}, margin := 0.1)
        WHERE CASE measure WHEN '{names[0]}' THEN k = 3 WHEN 'mrr' THEN k = 4 ELSE k IN (3, 5) END"""
    compared = fetch(con, f"FROM ranking.compare({call}, margin := 0.1)")
    assert compared == fetch(con, expected)
    assert len(compared) == 6


def test_every_measure_with_a_direction_is_compared(con: Con) -> None:
    names = [name for name, of in MEASURES.items() if of.column and of.higher_is_better is not None]
    con.execute("CREATE OR REPLACE TABLE by_user AS FROM ranking.by_user('rec', 'truth', [5])")
    compared = fetch(con, f"FROM ranking.compare('rec', 'truth', ks := [5], measures := {names})")
    assert compared == fetch(con, f"FROM ranking.compare_by_user('by_user', measures := {names})")
    assert len(compared) == len(names)


@pytest.mark.parametrize("ties", ["item", "expected"])
def test_without_names_all_columns_are_there(con: Con, ties: str) -> None:
    names = [of.name for of in MEASURES.values() if of.column and (ties == "item" or of.expected)]
    assert con.sql(f"FROM ranking.by_user('rec', 'truth', [3], ties := '{ties}')").columns[5:] == names


HOSTILE = [  # calls/names.txt has the errors of the grammar
    *("", "ndgc", "ndcg(gain=lin)", "recall@x", "r\u0435call", "\uff4edcg", "rec\u200ball", "recall mrr"),
    *("ndcg') --", "ndcg'; DROP TABLE rec; --", 'ndcg" FROM rec --', "ndcg/* */", "[recall]"),
    *("ndcg(gain=linear'); DROP TABLE rec)", "ndcg(min_grade=1; DROP TABLE rec)"),
    *("recall(min_grade=1)@1); DROP TABLE rec --", "recall(min_grade=(SELECT 1))"),
    *("recall(min_grade=1e1'||'x)", "recall(normalize=min' || (SELECT 1) || ')", "@_ranking_home()"),
    *("ndcg(gain=',value_place:7,x:')", "recall@5;SELECT 1", "recall@5\n, ndcg'"),
    "recall(min_grade=\u0661)",
]
FUNCTIONS = ("ranking.by_user", "ranking.evaluate", "ranking.distribution", "ranking.compare")
FORMS = cycle((text, function) for text in ("{}", "[{}]") for function in FUNCTIONS)


@pytest.mark.parametrize(("text", "form"), [*zip(HOSTILE, FORMS, strict=False)])
def test_wrong_text_is_an_error_and_never_sql(con: Con, text: str, form: tuple[str, str]) -> None:
    """Pass a text or a list to one of the functions. All of them have the command's grammar."""
    with pytest.raises(ValueError, match=r".") as raised:
        parse_measures(text)
    rule = str(raised.value).partition(", got ")[0].partition(" (")[0]
    measures, function = form[0].format(literal(text)), form[1]
    call = f"{function}('rec', 'truth', ks := [5], measures := {measures}, min_grade := 2)"
    with pytest.raises(duckdb.InvalidInputException) as error:
        con.execute(f"PREPARE wrong AS FROM {call}")
    message = str(error.value)
    assert message.startswith(f"Invalid Input Error: {function}: ")
    assert rule in message or "must be names of measures" in message
    assert "ranking.functions()" in message or "did you mean" not in message
    arguments = "['rec', 'VARCHAR', 'rec'], ['truth', 'VARCHAR', 'truth'], ['ks', 'INTEGER[]', '[5]'], "
    arguments += f"['measures', typeof({measures}), to_json({measures})::VARCHAR]"
    query = f"SELECT system.main._ranking_compose('{function}', {arguments})"
    ((composed,),) = con.execute(query).fetchall()
    assert re.fullmatch(r"FROM query_table\(error\('([^']|'')*'\)\)", composed)
    assert con.execute("SELECT count(*) > 0 FROM rec").fetchall() == [(True,)]


# KB of 1,000 characters that `EXPLAIN (SQL)` prints without the optimizer: what DuckDB binds.
BOUND = [
    ("ranking.judged('rec', 'truth', 10)", 150),
    ("ranking.evaluate('rec', 'truth', [10])", 500),
    ("ranking.evaluate('rec', 'truth', ks := [10], measures := ['recall', 'ndcg'])", 250),
    ("ranking.compare('rec', 'truth', ks := [10], measures := ['ndcg'])", 600),
    ("ranking.beyond_accuracy('rec', [10], history := 'truth')", 600),
    ("ranking.explain('rec', 'truth', 7)", 302),
    ("ranking.check('rec', 'truth', ks := [10])", 1045),  # 20 for each of its 52 problems
]


@pytest.mark.parametrize(("call", "limit"), BOUND)
def test_plans_do_not_grow(con: Con, call: str, limit: int) -> None:
    con.execute("PRAGMA disable_optimizer")
    try:
        ((*_, text),) = con.execute(f"EXPLAIN (SQL) FROM {call}").fetchall()
    finally:
        con.execute("PRAGMA enable_optimizer")
    assert len(text) <= limit * 1000
