"""The composed SQL of table functions: where it may be called, the names it takes, its text and its rows."""

# ruff: noqa: E501  (tables of cases)

import math
import re
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import pytest

from ranking_udfs.compose.arguments import OWN_NAMES, as_rows, value_of
from ranking_udfs.compose.columns import common_type, id_problem
from ranking_udfs.compose.functions import compose_values
from ranking_udfs.evaluation.queries import row_columns
from ranking_udfs.measures.contents import BY_USER, OF_ALL_LISTS
from ranking_udfs.measures.registry import MEASURES
from ranking_udfs.quoting import identifier
from tests.calls import in_python
from tests.conftest import Con, literal, module_connection, refusal, rows

# rec: three users have a list, one of them no truth; two users have truth alone. Scores of 1 are tied.
# two, three: systems whose lists repeat an item, hold NULLs, and tie. Item 9 is in no list, 7 in no history.
TABLES = """
    CREATE TABLE rec (userid INTEGER, itemid INTEGER, score DOUBLE);
    INSERT INTO rec VALUES (1, 1, 9), (1, 2, 1), (1, 3, 1), (1, 4, 1), (2, 5, 8), (2, 1, 7), (2, 2, 'NaN'),
        (2, 3, NULL), (3, 1, 1);
    CREATE TABLE truth (userid INTEGER, itemid INTEGER, rel INTEGER);
    INSERT INTO truth VALUES (1, 1, 1), (1, 3, 3), (1, 9, 2), (2, 1, 2), (2, 3, 0), (4, 5, 1), (5, 5, 0);
    CREATE TABLE everyone AS SELECT unnest([1, 2, 3, 4, 5, 6]) AS userid;
    CREATE TABLE liked AS SELECT * REPLACE (least(rel, 1) AS rel) FROM truth;
    CREATE TABLE meant AS SELECT *, itemid % 2 AS intent FROM truth;

    CREATE TABLE pair AS
    SELECT system, userid + more AS userid, itemid, score + hash(system, itemid) % 5 AS score
    FROM rec, (VALUES ('a'), ('b')) s(system), (VALUES (0), (10)) m(more) WHERE more = 0 OR itemid % 3 = 1;
    CREATE TABLE graded AS SELECT userid, itemid, rel + itemid % 2 AS rel FROM truth
        UNION ALL SELECT userid + 10, itemid, rel FROM truth;

    CREATE TABLE two (system VARCHAR, userid INTEGER, itemid INTEGER, score DOUBLE);
    INSERT INTO two VALUES ('a', 1, 1, 9), ('a', 1, 2, 5), ('a', 1, 1, 4), ('a', 1, 3, 1), ('a', 2, NULL, 3),
        ('a', 2, 7, 3), ('a', 3, 1, 'NaN'), ('b', 1, 2, 9), ('b', 1, 1, 5), ('b', 2, 7, 2), ('b', 2, 4, 2),
        ('b', 4, 2, 6), ('b', NULL, 2, 6);
    CREATE TABLE three AS FROM two UNION ALL FROM (VALUES ('it''s', 1, 2, 0.1), ('it''s', 1, 5, 0.7),
        ('it''s', 4, 9, -0.0)) t(system, userid, itemid, score);
    CREATE TABLE digits AS SELECT * REPLACE ((coalesce(score, 0) * 7)::BIGINT AS score) FROM three
        WHERE NOT coalesce(isnan(score), false);
    CREATE TABLE wanted (userid INTEGER, itemid INTEGER, rel INTEGER);
    INSERT INTO wanted VALUES (1, 1, 1), (1, 3, 3), (2, 7, 2), (2, 9, 1), (3, 5, 0), (5, NULL, 1);
    CREATE TABLE many AS SELECT unnest([1, 2, 3, 4, 6]) AS userid;
    CREATE TABLE history (userid INTEGER, itemid INTEGER);
    INSERT INTO history VALUES (1, 2), (1, 4), (2, 2), (3, 2), (3, 1), (8, 4), (8, 4), (NULL, 1);
    CREATE TABLE items (itemid INTEGER, category VARCHAR);
    INSERT INTO items VALUES (1, 'x'), (1, 'y'), (2, 'x'), (3, NULL), (4, 'z'), (7, 'y'), (9, 'z'), (NULL, 'x')
"""
SUMMARY = "FROM ranking.evaluate('rec', 'truth', ks := [1, 3], measures := 'ndcg,recall')"
NAMES = ["{rec}", "{{ of.rec }}", "{% if %}", "x' --", 'a"b', "\\1 {0} $1", "a\n\n \r\nb\u2028", "Ä.b"]
tables = module_connection(TABLES)

# Calls by function, the last with all tables that it takes.
ON_TRUTH = "'rec', 'truth', ks := [1, 3], measures := 'ndcg,recall@3,precision@1'"
ON_PAIR = "'pair', 'truth', [1, 3]"
MEASURED = [
    f"{ON_TRUTH}, unjudged := 'skip', min_grade := 2.0",
    f"{ON_TRUTH}, ties := 'trec', without_relevant := 'skip'",
    f"{ON_TRUTH}, ties := 'expected', users := 'everyone'",
]
INTERVALS = [f"{ON_TRUTH}, confidence := 0.9"]
CONTENTS = ["history := 'history'", "items := 'items'", "'history', 'items', head := 0.3, divergence := 'kl'"]
NORMALIZED = product(["rrf", "borda", "combsum", "combmnz"], ["min_max", "z_score", "sum", "none"])
CALLS: dict[str, list[str]] = {
    **dict.fromkeys(("evaluate", "distribution"), MEASURED + INTERVALS),
    "by_user": MEASURED,
    "judged": [
        "'rec', 'truth', 3",
        "'rec', 'truth', 3, min_grade := 2.0, unjudged := 'skip'",
        "'rec', 'truth', 3, users := 'everyone'",
    ],
    "explain": ["'rec', 'truth', 1, 3", "'rec', 'truth', 1, 3, ties := 'expected', min_grade := 2.0"],
    "intents_by_user": ["'rec', 'meant', [1, 3], alpha := 0.3"],
    "overlap": ["'two', [1, 3, 100, NULL], persistence := 1.0", "'two', [1, 3, 100, NULL], baseline := 'b'"],
    "overlap_by_user": ["'two', [0, 2, 60]", "'two', [0, 2, 60], descending := false"],
    "by_item": ["'two', 'wanted', [0, 1, 3, 100, NULL], min_grade := 2.0, without_relevant := 'skip'"],
    "abstention": ["'two', 'wanted', descending := false", "'two', 'wanted', 'many', confidence := 0.5"],
    "beyond_accuracy": [f"'two', [1, 3, 100, NULL], {tables}" for tables in CONTENTS],
    "beyond_accuracy_by_user": [f"'two', [2, NULL], {tables}" for tables in CONTENTS],
    "compare": [
        f"{ON_PAIR}, baseline := 'a', correction := 'bh', margin := 0.1, ties := 'expected'",
        f"{ON_PAIR}, measures := 'ndcg@1,mrr@all,first_hit_rank@3', correction := 'none'",
        f"{ON_PAIR}, test := 'randomization', min_grade := 2",
    ],
    "fuse": [
        *(f"'three', '{method}', depth := 2, normalize := '{normalize}'" for method, normalize in NORMALIZED),
        "'digits', 'rrf', MAP {'a': 2, 'b': 1e-7}, systems := ['a', 'b'], rrf_k := 0.1",
        *(f"'digits', 'combmnz', descending := false, normalize := '{of}'" for of in ("z_score", "sum")),
    ],
}


def calls(function: str, *others: str) -> Iterator[dict[str, str]]:
    """Yield the arguments of the calls of a function, or of others, as SQL writes them."""
    for call in others or CALLS[function]:
        given = in_python(f"ranking.{function}({call})")[1]
        yield {name: literal(value) for name, value in given.items()}


def written(function: str, **arguments: str) -> str:
    """Return the call as SQL writes it."""
    return f"FROM ranking.{function}({', '.join(f'{name} := {value}' for name, value in arguments.items())})"


def known(con: Con, function: str, **arguments: str) -> str:
    """Return the text of the call as Python composes it, where it knows the types of columns."""
    roles = ("rec", "truth", "users", "history", "items")
    names = [arguments[role].strip("'") for role in roles if role in arguments]
    user = f"WITH _ranking_user AS (SELECT {arguments.pop('user')} AS id) " if "user" in arguments else ""
    text = composed_call(con, function, arguments, {name: row_columns(con, name) for name in names})
    return f"{user}FROM (\n{text}\n)"


def composed_call(
    con: Con, function: str, arguments: Mapping[str, str], types: Mapping[str, Mapping[str, str]]
) -> str:
    """Compose the SQL of a call with arguments in SQL; `types` has the columns of its tables."""
    ((rows,),) = con.execute(f"SELECT [{as_rows(arguments)}]").fetchall()
    values = {name: value_of(name, kind, text) for name, kind, text in rows}
    return str(compose_values(function, values, types))


@pytest.fixture(scope="module")
def expected(tables: Con) -> list[Any]:
    found = tables.execute(SUMMARY).fetchall()
    # Of users 1, 2, 4 and 5: hits at 1 are item 1 of user 1, at 3 also that of user 2.
    assert [(row[0], row[1], row[-1]) for row in found] == [(1, 4, 1 / 12), (3, 4, (2 / 3 + 1) / 4)]
    # Their gains are 2^1 - 1 and 2^3 - 1 of user 1, whose best list is 3, 2, 1, and 2^2 - 1 at rank 2 of user 2.
    ndcg = (1 + 7 / 2) / (7 + 3 / math.log2(3) + 1 / 2) + 1 / math.log2(3)
    assert found[1][-2] == pytest.approx(ndcg / 4, rel=1e-12)
    return found


# --- Where a call may be ---


def test_call_in_view_table_with_parameters_and_variables(tables: Con, expected: list[Any]) -> None:
    tables.execute(f"CREATE OR REPLACE VIEW seen AS {SUMMARY}; CREATE OR REPLACE TABLE kept AS {SUMMARY}")
    assert tables.execute("FROM seen").fetchall() == tables.execute("FROM kept").fetchall() == expected
    query = "FROM ranking.evaluate($rec, $truth, ks := $ks, ties := $ties, measures := $measures)"
    values = {"rec": "rec", "truth": "truth", "ks": [1, 3], "ties": "item", "measures": ["ndcg", "recall"]}
    assert tables.execute(query, values).fetchall() == expected
    for name, value in values.items():
        tables.execute(f"SET VARIABLE my_{name} = {literal(value)}")
    assert tables.execute(re.sub(r"\$(\w+)", r"getvariable('my_\1')", query)).fetchall() == expected


def test_call_reads_current_rows_if_prepared_and_in_a_transaction(con: Con, expected: list[Any]) -> None:
    con.execute(TABLES).execute("BEGIN; CREATE TABLE mine AS FROM rec; DELETE FROM rec WHERE userid = 1")
    assert con.execute(SUMMARY.replace("'rec'", "'mine'")).fetchall() == expected
    assert con.execute(SUMMARY).fetchall() != expected
    con.execute("ROLLBACK")
    con.execute("PREPARE summary AS FROM ranking.evaluate($1, 'truth', ks := $2, measures := 'ndcg,recall')")
    assert con.execute("EXECUTE summary('rec', [1, 3])").fetchall() == expected
    con.execute("CREATE TABLE other AS FROM rec WHERE false")
    assert [row[-1] for row in con.execute("EXECUTE summary('other', [1])").fetchall()] == [0]
    con.execute("DELETE FROM rec")
    assert [row[-1] for row in con.execute("EXECUTE summary('rec', [1, 3])").fetchall()] == [0, 0]


def test_user_may_be_a_subquery_or_a_column_of_lateral(tables: Con) -> None:
    explained = "FROM ranking.explain('rec', 'truth', {}, 2)"
    each = {user: tables.execute(explained.format(user)).fetchall() for user in (1, 2)}
    assert [row[:3] for row in each[1]] == [(1, 1, 9), (2, 2, 1), (None, 3, 1), (None, 9, None)]
    assert tables.execute(explained.format("(SELECT min(userid) FROM truth)")).fetchall() == each[1]
    query = f"SELECT * EXCLUDE (u) FROM (VALUES (1), (2)) AS users(u), LATERAL ({explained.format('u')})"
    found = tables.execute(f"{query} ORDER BY u, rank ASC NULLS LAST, grade DESC").fetchall()
    assert found == each[1] + each[2]


# --- Errors ---


@pytest.mark.parametrize(
    "call",
    [
        "ranking.evaluate('rec', 'truth', ks := (SELECT [1]), measures := 'ndcg')",
        "ranking.evaluate('rec', 'truth', ks := (SELECT list(k) FROM range(3) AS t(k)), measures := 'ndcg')",
        "ranking.by_user('rec', 'truth', ks := [1], measures := (SELECT 'ndcg'))",
    ],
)
def test_constants_are_needed_where_the_text_depends_on_them(tables: Con, call: str) -> None:
    assert refusal(tables, f"FROM {call}") == "Binder Error: Table function cannot contain subqueries"


# fmt: off
WRONG_ARGUMENTS = [
    ("ranking.evaluate('rec', 'truth', [-1])", "every k in measures must be 0 or more, got -1"),
    ("ranking.overlap('_ranking_rec', [1])", "rec must be a table of another name, got _ranking_rec"),
    (
        "ranking.compare('pair', 'truth', [1], predicted_truth := 'graded', test := 'randomization')",
        "test must be t with predicted_truth, got randomization",
    ),
    ("ranking.fuse('three', weights := MAP {})", "weights must be numbers of 0 or more by system, "),
    ("ranking.fuse('three', weights := MAP {'a': 1, 'b': -1})", "weights must be numbers of 0 or more by system, "),
]
# fmt: on


@pytest.mark.parametrize(("call", "error"), WRONG_ARGUMENTS, ids=lambda one: one[:40])
def test_error_of_an_argument_comes_while_the_query_is_planned(tables: Con, call: str, error: str) -> None:
    query = f"FROM {call}"
    statements = [query, f"EXPLAIN {query}", f"SELECT count(*) {query}", f"SELECT 1 {query} WHERE false"]
    for statement in [*statements, f"CREATE VIEW broken AS {query}", f"PREPARE broken AS {query}"]:
        assert refusal(tables, statement).startswith(f"{call.partition('(')[0]}: {error}"), statement


@pytest.mark.parametrize(
    ("user", "error"),
    [
        ("NULL", "user must be a userid, got NULL"),
        ("7", "user must be in rec or in truth, got 7: did you mean 1?"),
        ("repeat('a', 50)", f"user must be in rec or in truth, got {'a' * 42}...: did you mean 1?"),
    ],
)
def test_error_of_a_user_whatever_is_selected(tables: Con, user: str, error: str) -> None:
    for selected in ("*", "count(*)", "rank"):
        found = refusal(tables, f"SELECT {selected} FROM ranking.explain('rec', 'truth', {user})")
        assert found.removeprefix("Invalid Input Error: ") == f"ranking.explain: {error}"


# --- Names ---


@pytest.mark.parametrize("name", NAMES)
def test_tables_columns_and_systems_of_any_name(tables: Con, expected: list[Any], name: str) -> None:
    user, system = identifier(name), identifier(f"{name} system")
    table = name.replace('"', "")  # in the name of a table, query_table of DuckDB 1.5 reads no quote
    rec, truth = identifier(f"{table}1"), identifier(f"{table}2")
    columns = f'userid AS {user}, itemid AS "i\'"'
    tables.execute(f'CREATE TABLE {rec} AS SELECT {columns}, score AS "{{s}}" FROM rec')
    tables.execute(f'CREATE TABLE {truth} AS SELECT {columns}, rel AS "--" FROM truth')
    values: dict[str, Any] = {"rec": rec, "truth": truth, "user_col": name, "item_col": "i'"}
    values |= {"score_col": "{s}", "grade_col": "--", "measures": "ndcg,recall", "ks": [1, 3]}
    arguments = {name: literal(value) for name, value in values.items()}
    assert tables.execute(written("evaluate", **arguments)).fetchall() == expected
    tables.execute(f"ALTER TABLE {rec} ADD COLUMN {system} VARCHAR DEFAULT {literal(name)}")
    arguments["system_col"] = literal(f"{name} system")
    found = tables.execute(written("evaluate", **arguments)).fetchall()
    assert found == [(name, *row) for row in expected]
    types = {table: row_columns(tables, table) for table in (rec, truth)}
    assert tables.execute(composed_call(tables, "evaluate", arguments, types)).fetchall() == found


@pytest.mark.parametrize("name", sorted(OWN_NAMES))
def test_tables_named_as_ctes_that_read_tables_are_refused(
    tables: Con, expected: list[Any], name: str
) -> None:
    tables.execute(f"CREATE TABLE {name} AS FROM rec")
    for spelled in (name, name.upper(), f'"{name}"', f"main.{name}", f'"main"."{name}"'):
        assert refusal(tables, SUMMARY.replace("'rec'", f"'{spelled}'")).startswith(
            f"ranking.evaluate: rec must be a table of another name, got {spelled}"
        )
    assert tables.execute(SUMMARY.replace("'rec'", f"'memory.{name}'")).fetchall() == expected
    tables.execute(f"DROP TABLE {name}")


# --- The rows, and the text with types known ---


@pytest.mark.parametrize("function", [name for name in CALLS if name not in ("explain", "intents_by_user")])
def test_text_with_known_types_has_no_tricks(tables: Con, function: str) -> None:
    """No test of types, and no list of one in place of a column, but those that sort long lists."""
    for arguments in calls(function):
        text = known(tables, function, **arguments)
        assert not re.search(r"\{[{%#]|typeof|COLUMNS|cast_to_type|_ranking\.main", text), arguments
        lists_of_one = re.findall(r"list_transform\(\s*\[(?!0\.\d+e0, )(.*)", text)  # levels are two numbers
        assert {line[: line.index("(")] for line in lists_of_one} <= {"list_sort", "list_intersect"}
        if function == "fuse":
            assert ("list_min(numbers)" in text) == ("comb" in arguments["method"]), arguments
            assert ("chosen" in text) == bool({"weights", "systems"} & arguments.keys()), arguments


def test_text_has_no_measure_but_those_asked_for(tables: Con) -> None:
    given = {"rec": "'rec'", "truth": "'truth'", "ks": "[1, 3]", "measures": "'ndcg,recall'"}
    words = {*re.findall(r"\w+", known(tables, "evaluate", **given))}
    assert words & {*MEASURES} == {"ndcg", "recall", "hits"}  # hits is a column of judged rankings


@pytest.mark.parametrize("given", [[], ["history"], ["items"], ["history", "items"]])
def test_columns_are_those_of_the_registry_for_the_tables_given(tables: Con, given: list[str]) -> None:
    def named(measures: Any) -> list[str]:
        return [
            measure.name
            for measure in measures
            if all({*table.split(" or ")} & {*given} for table in measure.arguments[1:])
        ]

    arguments = {"rec": "'two'", "ks": "[2]"} | {name: f"'{name}'" for name in given}
    (row, *_) = rows(tables, written("beyond_accuracy_by_user", **arguments))
    assert [*row] == ["system", "userid", "n_rec", "k", "n_items", *named(BY_USER)]
    (row, *_) = rows(tables, written("beyond_accuracy", **arguments))
    counts = ["users", *["users_without_history"] * ("history" in given)]
    assert [*row] == ["system", "k", *counts, *named((*BY_USER, *OF_ALL_LISTS))]


# --- Types ---


def with_ids(con: Con, table: str, kind: str, source: str, *, has_users: bool = True) -> str:
    """Make a table of another one whose ids are of this type, and return its name in quotes."""
    zeros = "'00000000-0000-0000-0000-00000000000'"
    if kind == "E":
        kind = f"E_{table}"
        words = ", ".join(f"{zeros[:-1]}{i}'" for i in range(10))
        con.execute(f"DROP TYPE IF EXISTS {kind} CASCADE; CREATE TYPE {kind} AS ENUM ({words})")
        value = f"{zeros} || {{}}"
    else:
        value = "{}" if "INT" in kind else f"{zeros} || {{}}"
    names = ("userid", "itemid")[1 - has_users :]
    ids = ", ".join(f"({value.format(name)})::{kind} AS {name}" for name in names)
    con.execute(f"CREATE OR REPLACE TABLE {table} AS SELECT * REPLACE ({ids}) FROM {source}")
    return f"'{table}'"


# Integers of two widths, and texts of two types.
IDS = [
    *(("TINYINT", "INTEGER"), ("INTEGER", "TINYINT"), ("UBIGINT", "BIGINT"), ("BIGINT", "HUGEINT")),
    *(("HUGEINT", "UBIGINT"), ("UUID", "VARCHAR"), ("VARCHAR", "E"), ("E", "UUID"), ("E", "E")),
]


@pytest.mark.parametrize(("of_rec", "of_truth"), IDS)
def test_ids_of_two_types_that_may_meet(tables: Con, expected: list[Any], of_rec: str, of_truth: str) -> None:
    for table in ("rec_ids", "truth_ids"):
        tables.execute(f"DROP TABLE IF EXISTS {table}")
    given = {"rec": with_ids(tables, "rec_ids", of_rec, "rec")}
    given |= {"truth": with_ids(tables, "truth_ids", of_truth, "truth")}
    given |= {"ks": "[1, 3]", "measures": "'ndcg,recall'"}
    for query in (written("evaluate", **given), known(tables, "evaluate", **given)):
        assert tables.execute(query).fetchall() == expected


@pytest.mark.parametrize(
    ("of_rec", "of_others"), [("BIGINT", "TINYINT"), ("UUID", "VARCHAR"), ("VARCHAR", "UUID")]
)
def test_ids_of_lists_and_of_other_tables_may_differ(tables: Con, of_rec: str, of_others: str) -> None:
    names = {"rec": "'two'", "truth": "'wanted'", "history": "'history'", "items": "'items'"}
    kinds = dict.fromkeys(names, of_others) | {"rec": of_rec}
    changed = {
        role: with_ids(tables, f"{role}_of_ids", kinds[role], name.strip("'"), has_users=role != "items")
        for role, name in names.items()
    }
    for function, roles in (("beyond_accuracy", ("rec", "history", "items")), ("by_item", ("rec", "truth"))):
        before, after = ({role: of[role] for role in roles} | {"ks": "[2, NULL]"} for of in (names, changed))
        wanted = rows(tables, written(function, **before))
        for query in (written(function, **after), known(tables, function, **after)):
            found = rows(tables, query)
            for row in found if function == "by_item" else ():
                row["itemid"] = int(str(row["itemid"])[-1])
            assert found == wanted, query


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        ("UUID", "DECIMAL(12,2)", "VARCHAR"),
        ("DOUBLE", "DATE", "VARCHAR"),
        ("VARCHAR", "DOUBLE", "VARCHAR"),
        ("BIGINT", "DOUBLE", "DOUBLE"),
        ("FLOAT", "DOUBLE", "FLOAT"),
        ("DECIMAL(9, 1)", "DECIMAL(12, 3)", "DECIMAL(38, 3)"),
    ],
)
def test_ids_of_two_types_have_a_type_to_cast_both_to(one: str, other: str, both: str) -> None:
    assert common_type(one, other) == both
    text = id_problem("itemid", "rec and in truth", one, other) or ""
    assert text.endswith("where it is DOUBLE" if "VARCHAR" in (one, other) else f" AS {both}) in both")


def test_a_lowest_grade_of_type_float_is_that_of_the_grades(tables: Con) -> None:
    tables.execute("CREATE OR REPLACE TEMP VIEW floats AS SELECT * REPLACE (0.7::FLOAT AS rel) FROM truth")
    call = "ranking.evaluate('rec', 'floats', [1], min_grade := 0.7::FLOAT)"
    assert tables.execute(f"SELECT users_without_relevant FROM {call}").fetchall() == [(0,)]


def test_columns_of_any_type_are_read_as_duckdb_writes_them(con: Con) -> None:
    con.execute("""
        CREATE TABLE t (
            "a ""b" ENUM ('x, y', ')', 'it''s )', '"'), "My, item" STRUCT("a)" INTEGER, b DECIMAL(18, 3))[],
            "a, b" STRUCT("c d" INTEGER, e MAP(VARCHAR, DECIMAL(9, 2)))[2], c UNION(i INTEGER, "s t" VARCHAR),
            m MAP(VARCHAR, STRUCT(x INTEGER[3], y UNION(n INTEGER, t VARCHAR))), "it""s (" INTEGER,
            "SELECT" TIMESTAMPTZ, e BIGNUM)
    """)
    described = {name: kind for name, kind, *_ in con.execute("DESCRIBE t").fetchall()}
    read = {name.strip('"').replace('""', '"'): kind for name, kind in row_columns(con, "t").items()}
    assert read == described
