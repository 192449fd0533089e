"""The composed SQL of a table function: where it may be called, the names it takes, and its text."""

import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import duckdb
import pytest

import ranking_udfs
from ranking_udfs.compose.arguments import OWN_NAMES, Given
from ranking_udfs.compose.call import Call, Types
from ranking_udfs.compose.columns import common_type, parse_columns, split_type
from ranking_udfs.compose.comparison import Comparison
from ranking_udfs.compose.explain import ExplainCall
from ranking_udfs.compose.functions import compose
from ranking_udfs.compose.intents import IntentsCall
from ranking_udfs.evaluation.queries import row_columns
from ranking_udfs.macros import portable
from ranking_udfs.measures.grammar import parse_measures
from ranking_udfs.measures.registry import MEASURES, Measure, OneOf
from ranking_udfs.quoting import identifier
from tests.conftest import Con, literal, module_connection, refusal, rows

# Three users have a list, one of them no truth; two users have truth alone. Scores of 1 are tied.
TABLES = """
    CREATE TABLE rec (userid INTEGER, itemid INTEGER, score DOUBLE);
    INSERT INTO rec VALUES
        (1, 1, 9), (1, 2, 1), (1, 3, 1), (1, 4, 1), (2, 5, 8), (2, 1, 7), (2, 2, 'NaN'), (2, 3, NULL),
        (3, 1, 1);
    CREATE TABLE truth (userid INTEGER, itemid INTEGER, rel INTEGER);
    INSERT INTO truth VALUES (1, 1, 1), (1, 3, 3), (1, 9, 2), (2, 1, 2), (2, 3, 0), (4, 5, 1), (5, 5, 0);
    CREATE TABLE everyone AS SELECT unnest([1, 2, 3, 4, 5, 6]) AS userid
"""
SUMMARY = "FROM ranking.evaluate('rec', 'truth', [1, 3], measures := 'ndcg,recall')"
NAMES = ["{rec}", "{{ of.rec }}", "{% if %}", "x' --", 'a"b', "\\1 {0} $1", "a\n\n \r\nb\u2028", "Ä.b"]
tables = module_connection(TABLES)


@pytest.fixture(scope="module")
def expected(tables: Con) -> list[Any]:
    found = tables.execute(SUMMARY).fetchall()
    # Of users 1, 2, 4 and 5: hits at 1 are item 1 of user 1, at 3 also that of user 2.
    assert [(row[0], row[1], row[-1]) for row in found] == [(1, 4, 1 / 12), (3, 4, (2 / 3 + 1) / 4)]
    return found


# Where a call may stand.


def test_call_in_view_and_created_table(tables: Con, expected: list[Any]) -> None:
    tables.execute(f"CREATE OR REPLACE VIEW seen AS {SUMMARY}; CREATE OR REPLACE TABLE kept AS {SUMMARY}")
    assert tables.execute("FROM seen").fetchall() == expected
    assert tables.execute("FROM kept").fetchall() == expected


def test_call_takes_parameters_and_variables(tables: Con, expected: list[Any]) -> None:
    query = "FROM ranking.evaluate($rec, $truth, $ks, ties := $ties, measures := $measures)"
    values = {"rec": "rec", "truth": "truth", "ks": [1, 3], "ties": "item", "measures": ["ndcg", "recall"]}
    assert tables.execute(query, values).fetchall() == expected
    for name, value in values.items():
        tables.execute(f"SET VARIABLE my_{name} = {literal(value)}")
    variables = re.sub(r"\$(\w+)", r"getvariable('my_\1')", query)
    assert tables.execute(variables).fetchall() == expected


def test_prepared_call_reads_current_rows(con: Con, expected: list[Any]) -> None:
    con.execute(TABLES)
    con.execute("PREPARE summary AS FROM ranking.evaluate($1, 'truth', $2, measures := 'ndcg,recall')")
    assert con.execute("EXECUTE summary('rec', [1, 3])").fetchall() == expected
    con.execute("CREATE TABLE other AS FROM rec WHERE false")
    assert [row[-1] for row in con.execute("EXECUTE summary('other', [1])").fetchall()] == [0]
    con.execute("DELETE FROM rec")
    assert [row[-1] for row in con.execute("EXECUTE summary('rec', [1, 3])").fetchall()] == [0, 0]


def test_call_on_cursors_threads_and_in_transaction(expected: list[Any]) -> None:
    with ranking_udfs.register(duckdb.connect()) as con:
        con.execute(TABLES)
        query = SUMMARY
        found: list[Any] = []
        threads = [
            threading.Thread(target=lambda: found.append(con.cursor().execute(query).fetchall()))
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [expected] * 8
        con.execute("BEGIN; CREATE TABLE mine AS FROM rec; DELETE FROM rec WHERE userid = 1")
        assert con.execute(query.replace("'rec'", "'mine'")).fetchall() == expected
        assert con.execute(query).fetchall() != expected
        con.execute("ROLLBACK")
        assert con.execute(query).fetchall() == expected


def test_call_reads_frames_arrow_tables_and_ctes(tables: Con, expected: list[Any]) -> None:
    frame, arrow = tables.table("rec").df(), tables.table("truth").to_arrow_table()
    assert (len(frame), arrow.num_rows) == (9, 7)  # DuckDB finds both by their names
    for rec, truth in product(("rec", "frame", "mine"), ("truth", "arrow", "ours")):
        query = SUMMARY.replace("'rec', 'truth'", f"'{rec}', '{truth}'")
        query = f"WITH mine AS MATERIALIZED (FROM rec), ours AS (FROM arrow) {query}"
        assert tables.execute(query).fetchall() == expected, query


def test_constants_are_needed_where_the_text_depends_on_them(tables: Con) -> None:
    for argument in ("(SELECT [1])", "(SELECT list(k) FROM range(3) AS t(k))"):
        query = f"FROM ranking.evaluate('rec', 'truth', {argument}, measures := 'ndcg')"
        assert refusal(tables, query) == "Binder Error: Table function cannot contain subqueries"
    query = "FROM ranking.by_user('rec', 'truth', [1], measures := (SELECT 'ndcg'))"
    assert refusal(tables, query) == "Binder Error: Table function cannot contain subqueries"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            "ranking.evaluate('rec', 'truth', [-1])",
            "ranking.evaluate: every k in ks must be 0 or more, got -1",
        ),
        (
            "ranking.by_user('rec', 'truth', [1], ties := 'best')",
            "ranking.by_user: ties must be item|trec|expected, got 'best'",
        ),
        (
            "ranking.judged('rec', 'truth', 1, min_grade := 0)",
            "ranking.judged: min_grade must be a number > 0, got 0",
        ),
        (
            "ranking.distribution('rec', 'truth', [1], unjudged := NULL)",
            "ranking.distribution: unjudged must be miss|skip, got NULL",
        ),
        (
            "ranking.precision_recall_curve('rec', 'truth', NULL)",
            "ranking.precision_recall_curve: max_k must be from 0 to",
        ),
        (
            "ranking.interpolated_precision_curve(1, 'truth')",
            "ranking.interpolated_precision_curve: rec must be the name of a table",
        ),
    ],
)
def test_error_of_an_argument_is_raised_while_a_query_is_planned(
    tables: Con, call: str, message: str
) -> None:
    query = f"FROM {call}"
    for statement in (
        query,
        f"SELECT count(*) {query}",
        f"SELECT 1 {query} WHERE false",
        f"EXPLAIN {query}",
        f"CREATE VIEW broken AS {query}",
        f"PREPARE broken AS {query}",
    ):
        assert refusal(tables, statement).startswith(message), statement


# Names.


@pytest.mark.parametrize("name", NAMES)
def test_tables_columns_and_systems_of_any_name(con: Con, expected: list[Any], name: str) -> None:
    con.execute(TABLES)
    user, system = identifier(name), identifier(f"{name} system")
    table = name.replace('"', "")  # in the name of a table, query_table of DuckDB 1.5 reads no quote
    rec, truth = identifier(f"{table}1"), identifier(f"{table}2")
    con.execute(f'CREATE TABLE {rec} AS SELECT userid AS {user}, itemid AS "i\'", score AS "{{s}}" FROM rec')
    con.execute(f'CREATE TABLE {truth} AS SELECT userid AS {user}, itemid AS "i\'", rel AS "--" FROM truth')
    arguments = {
        "user_col": name,
        "item_col": "i'",
        "score_col": "{s}",
        "grade_col": "--",
        "measures": "ndcg,recall",
    }
    assert con.execute(call(rec, truth, **arguments)).fetchall() == expected
    con.execute(f"ALTER TABLE {rec} ADD COLUMN {system} VARCHAR DEFAULT {literal(name)}")
    found = con.execute(call(rec, truth, system_col=f"{name} system", **arguments)).fetchall()
    assert found == [(name, *row) for row in expected]
    types = Types(row_columns(con, rec), row_columns(con, truth))
    columns = {name.removesuffix("_col"): value for name, value in arguments.items() if name != "measures"}
    composed = Call(
        "evaluate",
        rec,
        truth,
        [1, 3],
        parse_measures("ndcg,recall"),
        types=types,
        system=f"{name} system",
        **columns,
    )
    assert con.execute(compose(composed)).fetchall() == found


def call(rec: str, truth: str, **arguments: Any) -> str:
    options = "".join(f", {name} := {literal(value)}" for name, value in arguments.items())
    return f"FROM ranking.evaluate({literal(rec)}, {literal(truth)}, [1, 3]{options})"


def test_tables_named_as_ctes_of_the_text(con: Con, expected: list[Any]) -> None:
    con.execute(TABLES)
    text = known(con, "evaluate", ties="expected", unjudged="skip", users="everyone")
    ctes = {*re.findall(r"(\w+) AS (?:NOT )?(?:MATERIALIZED )?\(", text)} - OWN_NAMES
    assert {"lists", "measured", "cut", "means", "counted"} <= ctes
    for name in sorted({*ctes, "found", "judged"}):
        con.execute(f"CREATE TABLE {name} AS FROM rec")
        assert con.execute(SUMMARY.replace("'rec'", f"'{name}'")).fetchall() == expected, name
        con.execute(f"CREATE OR REPLACE TABLE {name} AS FROM truth")
        assert con.execute(SUMMARY.replace("'truth'", f"'{name}'")).fetchall() == expected, name


@pytest.mark.parametrize("name", sorted(OWN_NAMES))
def test_tables_named_as_ctes_that_read_tables_are_refused(con: Con, expected: list[Any], name: str) -> None:
    con.execute(f"{TABLES}; CREATE TABLE {name} AS FROM rec")
    for written in (name, name.upper(), f'"{name}"', f"main.{name}", f'"main"."{name}"'):
        assert refusal(con, SUMMARY.replace("'rec'", f"'{written}'")).startswith(
            f"ranking.evaluate: rec must be a table of another name, got {written}"
        )
    assert con.execute(SUMMARY.replace("'rec'", f"'memory.{name}'")).fetchall() == expected


@pytest.fixture(scope="module")
def editions(tables: Con) -> Iterator[list[Con]]:
    """A connection with the pack, and one with the script instead."""
    with duckdb.connect() as script:
        yield [tables, script.execute(portable.script()).execute(TABLES)]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ("'_ranking_rec', 'truth'", "rec must be a table of another name, got _ranking_rec"),
        ("'rec', 'truth', users := '_ranking_users'", "users must be a table of another name"),
        ("'rec', 'without_grades'", "rel must be a finite number, got NULL"),
        ("'rec', 'truth', system_col := 'ranking_absent'", "system_col must be a column of another name"),
        ("'rec', 'truth', system_col := 'Ranking_System'", "system_col must be a column of another name"),
    ],
)
def test_what_would_be_read_wrongly_is_refused_with_python_and_without(
    editions: list[Con], call: str, error: str
) -> None:
    for con in editions:
        con.execute(
            "CREATE OR REPLACE TEMP VIEW without_grades AS SELECT userid, itemid, NULL AS rel FROM truth"
        )
        for function in ("ranking.evaluate", "ranking.by_user"):
            found = refusal(con, f"FROM {function}({call}, ks := [2], measures := 'mrr')")
            assert found.startswith(f"{function}: {error}")


def test_a_lowest_grade_of_type_float_is_that_of_the_grades(editions: list[Con]) -> None:
    for con in editions:
        con.execute(
            "CREATE OR REPLACE TEMP VIEW graded AS SELECT userid, itemid, 0.7::FLOAT AS rel FROM truth"
        )
        call = "ranking.evaluate('rec', 'graded', [1], min_grade := 0.7::FLOAT)"
        assert con.execute(f"SELECT users_without_relevant FROM {call}").fetchall() == [(0,)]


# The text.


def known(
    con: Con, function: str, measures: str = "ndcg,recall", truth: str = "truth", **arguments: Any
) -> str:
    """The SQL of a call on `rec` and `truth` as Python composes it, where it knows the types of columns."""
    users = arguments.get("users")
    types = Types(
        row_columns(con, "rec"), row_columns(con, truth), row_columns(con, users) if users else None
    )
    choices = parse_measures(measures) if measures else None
    return compose(Call(function, "rec", truth, choices=choices, types=types, **{"ks": [1, 3], **arguments}))


def unknown(function: str, measures: str = "ndcg,recall", **arguments: Any) -> str:
    """The same call as SQL writes it."""
    given = {"measures": measures, **arguments} if measures else arguments
    options = "".join(f", {name} := {literal(value)}" for name, value in given.items() if value is not None)
    ks = "" if "curve" in function else ", 3" if function == "judged" else ", [1, 3]"
    return f"FROM ranking.{function}('rec', 'truth'{ks}{options})"


def test_text_has_no_measure_but_those_asked_for(tables: Con) -> None:
    text = known(tables, "evaluate", "ndcg,recall")
    words = {*re.findall(r"\w+", text)}
    assert {"ndcg", "recall"} <= words
    assert words & set(MEASURES) == {"ndcg", "recall", "hits"}  # hits is a column of judged rankings
    assert not re.search(r"\{[{%#]", text)
    assert not re.search(r"typeof|COLUMNS|cast_to_type", text)  # with types known


@pytest.mark.parametrize("ties", ["item", "trec", "expected"])
def test_no_list_of_one_stands_for_a_column(tables: Con, ties: str) -> None:
    """Apart from those that sort or match long lists, inside a CASE that only such lists reach."""
    for options in ({"unjudged": "skip", "users": "everyone"}, {"min_grade": 2.0}):
        text = known(tables, "evaluate", ties=ties, **options)
        lists_of_one = re.findall(r"list_transform\(\s*\[(.*)", text)
        assert {line[: line.index("(")] for line in lists_of_one} <= {"list_sort", "list_intersect"}


def measure_texts(measure: Measure) -> Iterator[str]:
    """The measure by its defaults, and with other values of each option."""
    yield measure.name
    for name, option in measure.options.items():
        if isinstance(option, OneOf):
            yield from (f"{measure.name}({name}={value})" for value in option.others)
        else:
            needed = f"{'='.join(option.only_with)} " if option.only_with else ""
            value = next(text for text in ("3", "0.5") if option.parse(text) is not None)
            yield f"{measure.name}({needed}{name}={value})"


def test_integer_division_changes_no_bit(con: Con) -> None:
    """Each `/` of the text divides a DOUBLE, since the text is parsed under the settings of the caller."""
    con.execute(f"{TABLES}; CREATE TABLE liked AS SELECT * REPLACE (least(rel, 1) AS rel) FROM truth")
    asked = [text for measure in MEASURES.values() for text in measure_texts(measure)]
    texts = [
        known(con, "interpolated_precision_curve", ""),
        known(con, "precision_recall_curve", "", ks=[3]),
        known(con, "distribution"),
        known(con, "evaluate", "first_hit_rank,recall"),  # the mean of a measure without bounds
    ]
    for truth, ties in product(("truth", "liked"), ("item", "expected")):
        measures = [
            text
            for text in asked
            if (ties == "item" or MEASURES[text.partition("(")[0]].expected)
            and (truth == "liked" or "ideal=k" not in text)  # which refuses grades above 1
        ]
        texts.append(known(con, "by_user", ",".join(measures), truth=truth, ties=ties))
    found = []
    for divides in ("false", "true"):
        con.execute(f"SET integer_division = {divides}")
        found.append([rows(con, f"FROM ({text}) ORDER BY ALL") for text in texts])
    for before, after in zip(*found, strict=True):
        assert [
            name for name in before[0] if [row[name] for row in before] != [row[name] for row in after]
        ] == []


# With types and without.

MEASURED = ["evaluate", "by_user", "distribution", "judged"]
CHOICES: dict[str, list[Any]] = {
    "ties": ["item", "trec", "expected"],
    "unjudged": ["miss", "skip"],
    "without_relevant": ["zero", "skip"],
    "users": [None, "everyone"],
    "min_grade": [None, 2.0],
}


@pytest.mark.parametrize("function", MEASURED)
def test_python_and_sql_give_the_same_rows(tables: Con, function: str) -> None:
    """For all choices of options at once in one function, and in others for each alone and all together."""
    usual = [values[0] for values in CHOICES.values()]
    for values in product(*CHOICES.values()):
        changed = [one != other for one, other in zip(values, usual, strict=True)]
        if function != "evaluate" and sum(changed) not in (0, 1, len(usual)):
            continue
        options = dict(zip(CHOICES, values, strict=True))
        measures, ks = "ndcg,recall@3,precision@1", {}
        if function == "judged":
            measures, ks = "", {"ks": [3]}
            if options.pop("ties") != "item":
                continue
        queries = known(tables, function, measures, **options, **ks), unknown(function, measures, **options)
        of_python, of_sql = (tables.execute(f"FROM ({query}) ORDER BY ALL").fetchall() for query in queries)
        assert of_python == of_sql, options
        assert of_python, options


IDS = [
    *product(["TINYINT", "INTEGER", "BIGINT", "UBIGINT", "HUGEINT"], repeat=2),
    *product(["UUID", "VARCHAR", "E"], repeat=2),
]


@pytest.mark.parametrize(("one", "other"), IDS)
def test_ids_of_two_types_that_may_meet(con: Con, expected: list[Any], one: str, other: str) -> None:
    con.execute(TABLES)
    text = "'00000000-0000-0000-0000-00000000000' || {}"
    words = ", ".join(f"'00000000-0000-0000-0000-00000000000{i}'" for i in range(10))
    for table, kind in (("rec", one), ("truth", other)):
        con.execute(f"CREATE TYPE E_{table} AS ENUM ({words})")
        value, kind = ("{}", kind) if "INT" in kind else (text, kind.replace("E", f"E_{table}"))
        ids = ", ".join(f"({value.format(name)})::{kind} AS {name}" for name in ("userid", "itemid"))
        con.execute(f"CREATE OR REPLACE TABLE {table} AS SELECT * REPLACE ({ids}) FROM {table}")
    assert con.execute(SUMMARY).fetchall() == expected
    assert con.execute(known(con, "evaluate")).fetchall() == expected


def test_split_type_keeps_nested_types_whole() -> None:
    types = {
        "userid": "INTEGER",
        '"My, item"': 'STRUCT("a)" INTEGER, b DECIMAL(18,3))[]',
        '"it""s ("': "ENUM('a, b', 'it''s )', '\"')",
        "m": "MAP(VARCHAR, STRUCT(x INTEGER[3], y UNION(n INTEGER, t VARCHAR)))",
        "t": "TIMESTAMP WITH TIME ZONE",
    }
    text = ", ".join(f"{name} {kind}" for name, kind in types.items())
    assert [part.strip() for part in split_type(text)] == [f"{name} {kind}" for name, kind in types.items()]
    assert parse_columns(f"STRUCT({text})") == types


def test_columns_of_any_type_are_read_as_duckdb_writes_them(con: Con) -> None:
    con.execute("""
        CREATE TABLE t (
            "a ""b" ENUM ('x, y', ')'), "a, b" STRUCT("c d" INTEGER, e MAP(VARCHAR, DECIMAL(9, 2)))[2],
            c UNION(i INTEGER, "s t" VARCHAR), "SELECT" TIMESTAMPTZ, e BIGNUM)
    """)
    described = {name: kind for name, kind, *_ in con.execute("DESCRIBE t").fetchall()}
    read = {name.strip('"').replace('""', '"'): kind for name, kind in row_columns(con, "t").items()}
    assert read == described


# Comparisons.


@pytest.mark.parametrize(
    "options",
    [
        {"baseline": "a"},
        {"correction": "bh", "margin": 0.1, "ties": "expected"},
        {"measures": "ndcg@1,mrr@all,first_hit_rank@3", "correction": "none"},
        {"test": "randomization", "predicted_truth": None, "min_grade": 2},
        {"predicted_truth": "graded", "margin": 0.1},
    ],
)
def test_a_comparison_is_the_same_where_types_are_known(con: Con, options: dict[str, Any]) -> None:
    con.execute(COMPARED)
    call = unknown("compare", **{"measures": "", **options})
    given = {name: Given(*one) for name, *one in arguments_of(con, call)}
    asked = Comparison.parse("compare", given)
    types = Types(row_columns(con, "rec"), row_columns(con, "truth"))
    text = compose(replace(asked, types=types))
    found = rows(con, text)
    assert found
    assert found == rows(con, call)
    if not asked.is_predicted:  # of whose table the types are not known
        assert not re.search(r"typeof|COLUMNS|cast_to_type", text)
    for name in asked.columns:
        assert any(row["measure"] == name.name for row in found)


COMPARED = f"""
    {TABLES};
    CREATE OR REPLACE TABLE rec AS
    SELECT system, userid, itemid, score + hash(system, itemid) % 5 AS score
    FROM rec, (VALUES ('a'), ('b')) s(system);
    CREATE TABLE graded AS SELECT userid, itemid, rel + itemid % 2 AS rel FROM truth
        UNION ALL SELECT userid + 10, itemid, rel FROM truth;
    INSERT INTO rec SELECT system, userid + 10, itemid, score FROM rec WHERE itemid % 3 = 1
"""


def arguments_of(con: Con, call: str) -> list[tuple[str, str, str | None]]:
    """The arguments of a call in SQL, with their types and texts, as its macro passes them on."""
    texts = re.split(r", (?=\w+ := |'truth'|\[)", call[call.index("(") + 1 : -1])
    named = dict(text.split(" := ") if " := " in text else (name, text) for name, text in zip(
        [*("rec", "truth", "ks"), *texts], texts, strict=False))  # fmt: skip
    sql = {name: f"to_json({text})" if name == "measures" else text for name, text in named.items()}
    query = " UNION ALL ".join(
        f"SELECT '{one}', typeof({named[one]}), ({sql[one]})::VARCHAR" for one in named
    )
    return con.execute(query).fetchall()


# Arguments that do not change the text.


def test_user_may_be_a_subquery_or_a_column_of_lateral(editions: list[Con]) -> None:
    for con in editions:
        explained = "FROM ranking.explain('rec', 'truth', {}, 2)"
        each = {user: con.execute(explained.format(user)).fetchall() for user in (1, 2)}
        assert [row[:3] for row in each[1]] == [(1, 1, 9), (2, 2, 1), (None, 3, 1), (None, 9, None)]
        assert con.execute(explained.format("(SELECT min(userid) FROM truth)")).fetchall() == each[1]
        query = f"SELECT * EXCLUDE (u) FROM (VALUES (1), (2)) AS users(u), LATERAL ({explained.format('u')})"
        found = con.execute(f"{query} ORDER BY u, rank ASC NULLS LAST, grade DESC").fetchall()
        assert found == each[1] + each[2]


@pytest.mark.parametrize(("ties", "min_grade"), [*product(("item", "expected"), (None, 2.0))])
def test_explained_list_is_the_same_with_types_known(tables: Con, ties: str, min_grade: float | None) -> None:
    types = Types(row_columns(tables, "rec"), row_columns(tables, "truth"))
    options = {"ties": ties, "min_grade": min_grade, "cutoff_k": 3}
    call = ExplainCall("explain", "rec", "truth", types=types, **options)
    text = f"WITH _ranking_user AS (SELECT 1 AS id) {compose(call)}".replace("AS id) WITH", "AS id),", 1)
    lowest = f", min_grade := {min_grade}" if min_grade else ""
    expected = tables.execute(f"FROM ranking.explain('rec', 'truth', 1, 3, '{ties}'{lowest})").fetchall()
    assert tables.execute(text).fetchall() == expected


@pytest.mark.parametrize(
    ("user", "error"),
    [
        ("NULL", "user must be a userid, got NULL"),
        ("7", "user must be in rec or in truth, got 7"),
        ("repeat('a', 50)", f"user must be in rec or in truth, got {'a' * 42}..."),
    ],
)
def test_error_of_a_user_whatever_is_selected(editions: list[Con], user: str, error: str) -> None:
    for con in editions:
        for selected in ("*", "count(*)", "rank"):
            found = refusal(con, f"SELECT {selected} FROM ranking.explain('rec', 'truth', {user})")
            assert found.removeprefix("Invalid Input Error: ") == f"ranking.explain: {error}"


def test_intents_are_the_same_with_types_known(tables: Con) -> None:
    tables.execute("CREATE OR REPLACE TEMP VIEW meant AS SELECT *, itemid % 2 AS intent FROM truth")
    types = Types(row_columns(tables, "rec"), row_columns(tables, "meant"))
    call = IntentsCall("intents_by_user", "rec", "meant", [1, 3], weight=0.3, types=types)
    expected = rows(tables, "FROM ranking.intents_by_user('rec', 'meant', [1, 3], 0.3) ORDER BY ALL")
    assert rows(tables, f"FROM ({compose(call)}) ORDER BY ALL") == expected


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        ("UUID", "DECIMAL(12,2)", "VARCHAR"),
        ("DOUBLE", "DATE", "VARCHAR"),
        ("BIGINT", "DOUBLE", "DOUBLE"),
        ("FLOAT", "DOUBLE", "FLOAT"),
    ],
)
def test_ids_of_two_types_have_a_type_to_cast_both_to(one: str, other: str, both: str) -> None:
    assert common_type(one, other) == both
